// Orders: sorting, selecting, counting by keys, running totals.

// Eight values a thread, then over warps.
// warpscope scan_eight: block = 128 fixed, n = 2^20, grid = n / 1024, in = random[n / 4] in 0..9, out = zeros[n / 4]
__global__ void scan_eight(const int4* in, int4* out, int n) {
  __shared__ int totals[4];
  const int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (i >= n / 8) return;
  int4 a = in[2 * i], b = in[2 * i + 1];
  a.y += a.x, a.z += a.y, a.w += a.z;
  b.x += a.w, b.y += b.x, b.z += b.y, b.w += b.z;
  int sum = b.w;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFF, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) totals[warp] = sum;
  __syncthreads();
  int before = sum - b.w;
  for (int w = 0; w < warp; ++w) before += totals[w];
  out[2 * i] = make_int4(a.x + before, a.y + before, a.z + before, a.w + before);
  out[2 * i + 1] = make_int4(b.x + before, b.y + before, b.z + before, b.w + before);
}

// Sorts the block's bytes by counting them.
// warpscope counting_sort: block = 256 fixed, blocks_of = 600, grid = blocks_of, in = random[2048 * blocks_of], out = zeros[2048 * blocks_of]
__global__ void counting_sort(const unsigned char* in, unsigned char* out) {
  __shared__ int counts[256], starts[256];
  const int t = threadIdx.x, first = blockIdx.x * 2048;
  counts[t] = 0;
  __syncthreads();
  for (int k = t; k < 2048; k += 256) atomicAdd(&counts[in[first + k]], 1);
  __syncthreads();
  int sum = counts[t];
  starts[t] = sum;
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    const int other = t >= d ? starts[t - d] : 0;
    __syncthreads();
    sum += other;
    starts[t] = sum;
  }
  const int count = counts[t];
  for (int k = sum - count; k < sum; ++k) out[first + k] = t;
}

// A step of a bitonic sort whose partners are far apart.
// warpscope far_exchange: block = 512, n = 2^20, distance = 2^14, grid = n / 2 / block, keys = random[n], values = iota[n]
__global__ void far_exchange(unsigned* keys, unsigned* values, int n, int distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const int low = i / distance * 2 * distance + i % distance, high = low + distance;
  const unsigned a = keys[low], b = keys[high];
  if ((a > b) != ((low & (4 * distance)) != 0)) {
    keys[low] = b;
    keys[high] = a;
    const unsigned value = values[low];
    values[low] = values[high];
    values[high] = value;
  }
}

// Shell's sort of 24 numbers in each thread's own array.
// warpscope shell_sort: block = 64, n = 10000, grid = ceil(n / block), in = random[24 * n], out = zeros[24 * n]
__global__ void shell_sort(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v[24];
  for (int k = 0; k < 24; ++k) v[k] = in[k * n + i];
  for (int gap = 10; gap > 0; gap = gap == 10 ? 4 : (gap == 4 ? 1 : 0)) {
    for (int k = gap; k < 24; ++k) {
      const int value = v[k];
      int j = k;
      for (; j >= gap && v[j - gap] > value; j -= gap) v[j] = v[j - gap];
      v[j] = value;
    }
  }
  for (int k = 0; k < 24; ++k) out[k * n + i] = v[k];
}

// The median of 31 by partition of a local array.
// warpscope select_median: block = 96, n = 9000, grid = ceil(n / block), in = random[31 * n], out = zeros[n]
__global__ void select_median(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[31];
  for (int k = 0; k < 31; ++k) v[k] = in[i * 31 + k];
  int low = 0, high = 30;
  while (low < high) {
    const float pivot = v[(low + high) / 2];
    int a = low, b = high;
    while (a <= b) {
      while (v[a] < pivot) ++a;
      while (v[b] > pivot) --b;
      if (a <= b) {
        const float swap = v[a];
        v[a++] = v[b];
        v[b--] = swap;
      }
    }
    if (b < 15) low = a;
    if (a > 15) high = b;
  }
  out[i] = v[15];
}

// Two sorted halves in shared memory become one: each finds its rank in the other half.
// warpscope rank_merge: block = 1024 fixed, n = 2^19, grid = n / 1024, in = iota[n], out = zeros[n]
__global__ void rank_merge(const unsigned* in, unsigned* out) {
  __shared__ unsigned keys[1024];
  const int t = threadIdx.x, first = blockIdx.x * 1024;
  const unsigned spread = 1 + blockIdx.x % 7,
                 key = t < 512 ? in[first + t] * spread : in[first + t] * 3 - 1500;
  keys[t] = key;
  __syncthreads();
  const int other = t < 512 ? 512 : 0;
  int low = 0, high = 512;
  while (low < high) {
    const int middle = (low + high) / 2;
    const bool before = t < 512 ? keys[other + middle] < key : keys[other + middle] <= key;
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[first + t % 512 + low] = key;
}

// A block sorts its keys by four bits, one bit at a time, with ballots.
// warpscope split_bits: block = 256 fixed, n = 2^19, grid = n / 256, keys = random[n]
__global__ void split_bits(unsigned* keys) {
  __shared__ unsigned tile[256];
  __shared__ int zeros[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned key = keys[blockIdx.x * 256 + t];
  for (int bit = 0; bit < 4; ++bit) {
    const bool one = key >> bit & 1;
    const unsigned ones = __ballot_sync(0xFFFFFFFF, one);
    if (lane == 0) zeros[warp] = 32 - __popc(ones);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < 8; ++w) {
      if (w < warp) before += zeros[w];
      all += zeros[w];
    }
    const int ones_here = __popc(ones & ((1u << lane) - 1));
    const int at = one ? all + warp * 32 - before + ones_here : before + lane - ones_here;
    tile[at] = key;
    __syncthreads();
    key = tile[t];
  }
  keys[blockIdx.x * 256 + t] = key;
}

// The eight largest of a thread's share, in a heap in shared memory.
// warpscope heaps: block = 128 fixed, n = 2^19, grid = 66, in = random[n], out = zeros[8 * threads]
__global__ void heaps(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned heap[8][128];
  const int t = threadIdx.x, all = gridDim.x * 128, i = blockIdx.x * 128 + t;
  for (int k = 0; k < 8; ++k) heap[k][t] = 0;
  for (int k = i; k < n; k += all) {
    const unsigned value = in[k];
    if (value <= heap[0][t]) continue;
    int at = 0;
    for (;;) {
      int child = 2 * at + 1;
      if (child >= 8) break;
      if (child + 1 < 8 && heap[child + 1][t] < heap[child][t]) ++child;
      if (heap[child][t] >= value) break;
      heap[at][t] = heap[child][t];
      at = child;
    }
    heap[at][t] = value;
  }
  for (int k = 0; k < 8; ++k) out[k * all + i] = heap[k][t];
}

// The first of each run of equal values goes out, at a place that the block counts.
// warpscope firsts_of_runs: block = 384, n = 600000, grid = ceil(n / block), in = random[n] in 0..2, out = zeros[n], counts = zeros[ceil(n / block)]
__global__ void firsts_of_runs(const unsigned short* in, unsigned short* out, int* counts, int n) {
  __shared__ int of_warp[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool first = i < n && (threadIdx.x == 0 || in[i] != in[i - 1]);
  const unsigned firsts = __ballot_sync(0xFFFFFFFF, first);
  if (lane == 0) of_warp[warp] = __popc(firsts);
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; ++w) before += of_warp[w];
  if (first) out[blockIdx.x * blockDim.x + before + __popc(firsts & ((1u << lane) - 1))] = in[i];
  if (threadIdx.x + 1 == blockDim.x) counts[blockIdx.x] = before + __popc(firsts);
}

// The largest of each segment, whose lengths differ: a warp each.
// warpscope segment_maxima: block = 160, segments = 12000, n = 2^20, grid = ceil(32 * segments / block), cuts = random[segments], in = random[n] in -1..1, out = zeros[segments]
__global__ void segment_maxima(const unsigned* cuts, const float* in, float* out, int segments, int n) {
  const int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (segment >= segments) return;
  const unsigned random = cuts[segment];
  const int first = random % (n - 512), length = 1 + (random >> 20) % 300;
  float most = -1e30f;
  for (int k = lane; k < length; k += 32) most = fmaxf(most, in[first + k]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_down_sync(0xFFFFFFFF, most, d));
  if (lane == 0) out[segment] = most;
}

// Sums by sorted keys: lanes of one key add among themselves before one of them adds to memory.
// warpscope sums_by_key: block = 256, n = 2^19, grid = ceil(n / block), values = random[n], sums = zeros[n / 5 + 1]
__global__ void sums_by_key(const float* values, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int key = min(i, n - 1) / 5;
  float sum = i < n ? values[i] : 0;
  for (int d = 1; d < 8; d *= 2) {
    const float other = __shfl_down_sync(0xFFFFFFFF, sum, d);
    const int other_key = __shfl_down_sync(0xFFFFFFFF, key, d);
    if (lane + d < 32 && other_key == key) sum += other;
  }
  const int before = __shfl_up_sync(0xFFFFFFFF, key, 1);
  if (lane == 0 || before != key) atomicAdd(&sums[key], sum);
}

// The length of the cycle of a permutation, up to 40 steps.
// warpscope cycle_lengths: block = 128, bits = 16, grid = 2^bits / block, out = zeros[2^bits]
__global__ void cycle_lengths(int* out, int bits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, mask = (1 << bits) - 1;
  if (i > mask) return;
  int at = i, length = 0;
  do {
    at = (at * 5 + 12) & mask;
    at ^= at >> 7;
    ++length;
  } while (at != i && length < 40);
  out[i] = length;
}

// Where each group begins: one block goes over all counts.
// warpscope offsets_of_counts: block = 1024, n = 20000, grid = 1, counts = random[n] in 0..50, out = zeros[n]
__global__ void offsets_of_counts(const int* counts, int* out, int n) {
  __shared__ int of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int before = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + threadIdx.x, count = i < n ? counts[i] : 0;
    int sum = count;
    for (int d = 1; d < 32; d *= 2) {
      const int other = __shfl_up_sync(0xFFFFFFFF, sum, d);
      if (lane >= d) sum += other;
    }
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    int all = 0, below = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < warp) below += of_warp[w];
      all += of_warp[w];
    }
    if (i < n) out[i] = before + below + sum - count;
    before += all;
    __syncthreads();
  }
}
