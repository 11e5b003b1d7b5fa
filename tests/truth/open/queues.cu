// Work that blocks, warps and threads draw from counters and queues in memory.

// Persistent blocks: each draws tiles until none is left; some tiles take longer.
// warpscope drawn_tiles: block = 128, grid = 264, tiles = 2048, head = zeros[1], in = random[tiles * 128], out = zeros[tiles * 128]
__global__ void drawn_tiles(unsigned* head, const unsigned* in, unsigned* out, int tiles) {
  __shared__ unsigned tile;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) tile = atomicAdd(head, 1u);
    __syncthreads();
    const unsigned mine = tile;
    if (mine >= tiles) return;
    unsigned v = in[mine * 128 + threadIdx.x];
    for (unsigned k = 0; k < mine % 16 * 8; ++k) v = v * 1664525u + 1013904223u;
    out[mine * 128 + threadIdx.x] = v;
  }
}

// Each warp draws a batch of rows.
// warpscope drawn_rows: block = 256, grid = 132, rows = 8192, head = zeros[1], in = random[rows * 64], out = zeros[rows]
__global__ void drawn_rows(unsigned* head, const float* in, float* out, int rows) {
  const int lane = threadIdx.x % 32;
  while (true) {
    unsigned first = 0;
    if (lane == 0) first = atomicAdd(head, 2u);
    first = __shfl_sync(0xFFFFFFFF, first, 0);
    if (first >= rows) return;
    for (int r = first; r < first + 2 && r < rows; ++r) {
      float sum = in[r * 64 + lane] + in[r * 64 + 32 + lane];
      for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, d);
      if (lane == 0) out[r] = sum;
    }
  }
}

// Each thread draws its next element.
// warpscope drawn_elements: block = 128, grid = 132, n = 2^15, head = zeros[1], in = random[n], out = zeros[n]
__global__ void drawn_elements(unsigned* head, const unsigned* in, unsigned* out, int n) {
  unsigned i;
  while ((i = atomicAdd(head, 1u)) < n) {
    unsigned v = in[i];
    for (unsigned k = 0; k < v % 8; ++k) v = v * 5 + k;
    out[i] = v;
  }
}

// A queue that grows while it is worked on: each item below a limit appends two others.
// warpscope growing_queue: block = 32, grid = 16, items = 512, queue = zeros[2 * items + 2], counters = zeros[3], out = zeros[items]
__global__ void growing_queue(unsigned* queue, unsigned* counters, unsigned* out, int items) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    atomicExch(&queue[0], 1u);
    atomicExch(&counters[1], 1u);
  }
  volatile unsigned* at = counters;
  while (at[2] < items - 1) {
    const unsigned head = at[0];
    if (head >= at[1]) continue;
    if (atomicCAS(&counters[0], head, head + 1) != head) continue;
    unsigned item;
    while ((item = atomicAdd(&queue[head], 0u)) == 0) {
    }
    out[item] = item * 2654435761u;
    if (2 * item < items) {
      const unsigned to = atomicAdd(&counters[1], 2u);
      atomicExch(&queue[to], 2 * item);
      atomicExch(&queue[to + 1], 2 * item + 1);
    }
    atomicAdd(&counters[2], 1u);
  }
}

// A list to which threads push nodes with compare-and-swap.
// warpscope pushed_list: block = 64, n = 2^9, grid = ceil(n / block), head = zeros[1], next = zeros[n]
__global__ void pushed_list(unsigned* head, unsigned* next, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned old = *const_cast<volatile unsigned*>(head), assumed;
  do {
    assumed = old;
    next[i] = assumed;
    __threadfence();
    old = atomicCAS(head, assumed, i + 1);
  } while (old != assumed);
}

// Open addressing: keys are put into a hash table, then looked up.
// warpscope put_keys: block = 128, n = 2^15, grid = ceil(n / block), in = random[n], keys = zeros[2^16], counts = zeros[2^16]
__global__ void put_keys(const unsigned* in, unsigned* keys, unsigned* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = in[i] % 20011 + 1;
  unsigned at = key * 2654435761u >> 16;
  while (true) {
    const unsigned found = atomicCAS(&keys[at], 0u, key);
    if (found == 0 || found == key) break;
    at = (at + 1) % 65536;
  }
  atomicAdd(&counts[at], 1u);
}

// The maximum of floats by compare-and-swap, on few words.
// warpscope float_maximum: block = 128, n = 2^14, grid = ceil(n / block), in = random[n], out = zeros[16]
__global__ void float_maximum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* at = reinterpret_cast<int*>(&out[i % 16]);
  int old = *const_cast<volatile int*>(at);
  while (__int_as_float(old) < in[i]) {
    const int assumed = old;
    old = atomicCAS(at, assumed, __float_as_int(in[i]));
    if (old == assumed) break;
  }
}

// Doubles are added by compare-and-swap of 64 bits.
// warpscope double_by_swap: block = 64, n = 2^13, grid = ceil(n / block), in = random[n], out = zeros[64]
__global__ void double_by_swap(const double* in, unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long *at = &out[i % 64], old = *const_cast<volatile unsigned long long*>(at), assumed;
  do {
    assumed = old;
    old = atomicCAS(
        at, assumed,
        static_cast<unsigned long long>(__double_as_longlong(__longlong_as_double(assumed) + in[i])));
  } while (old != assumed);
}

// The block that comes last adds the others' maxima, in order.
// warpscope last_orders: block = 256, n = 2^20, grid = 512, in = random[n], partials = zeros[grid], done = zeros[1], out = zeros[1]
__global__ void last_orders(const float4* in, float* partials, unsigned* done, float* out, int n) {
  __shared__ float of_warp[8];
  __shared__ bool last;
  float best = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const float4 v = in[i];
    best = fmaxf(fmaxf(best, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
  }
  for (int d = 16; d > 0; d /= 2) best = fmaxf(best, __shfl_down_sync(0xFFFFFFFF, best, d));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) best = fmaxf(best, of_warp[w]);
    partials[blockIdx.x] = best;
    __threadfence();
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float sum = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += __ldcg(&partials[b]);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, d);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) sum += of_warp[w];
    *out = sum;
  }
}

// A frontier grows by the warp's ballot and one atomic for each warp.
// warpscope frontier_warp: block = 256, n = 2^16, grid = ceil(n / block), depth = 3, edges = random[4 * n], levels = random[n] in 0..6, reached = zeros[n], tail = zeros[1], queue = zeros[4 * n]
__global__ void frontier_warp(const unsigned* edges, const int* levels, int* reached, unsigned* tail,
                              unsigned* queue, int n, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const bool active = i < n && levels[i] == depth;
  for (int e = 0; e < 4; ++e) {
    unsigned to = 0;
    bool fresh = false;
    if (active) {
      to = edges[4 * i + e] % n;
      fresh = levels[to] > depth && atomicExch(&reached[to], 1) == 0;
    }
    const unsigned all = __ballot_sync(0xFFFFFFFF, fresh);
    if (all == 0) continue;
    unsigned base = 0;
    if (lane == 0) base = atomicAdd(tail, __popc(all));
    base = __shfl_sync(0xFFFFFFFF, base, 0);
    if (fresh) queue[base + __popc(all & ((1u << lane) - 1))] = to;
  }
}

// One step of shortest paths: distances shrink by atomicMin, and who shrank one says so.
// warpscope shrink_distances: block = 256, n = 2^14, grid = ceil(8 * n / block), to = random[8 * n], weights = random[8 * n] in 1..99, distances = random[n] in 0..500, changed = zeros[1]
__global__ void shrink_distances(const unsigned* to, const int* weights, int* distances, int* changed,
                                 int n) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= 8 * n) return;
  const int mine = *const_cast<volatile int*>(&distances[e / 8]), next = mine + weights[e];
  const unsigned v = to[e] % n;
  if (next < *const_cast<volatile int*>(&distances[v]) && atomicMin(&distances[v], next) > next) *changed = 1;
}
