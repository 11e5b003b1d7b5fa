// Scans, sorts, merges and compaction.

// warpscope: block = 256, n = 2^19, grid = ceil(n / block), in = random[n] in 0..1000, out = zeros[n]
__global__ void scan_hillis(const int* in, int* out, int n) {
  __shared__ int tile[2][1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  int from = 0;
  tile[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    tile[1 - from][t] = tile[from][t] + (t >= d ? tile[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = tile[from][t];
}

__global__ void scan_blelloch(const int* in, int* out, int n) {
  __shared__ int tile[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  tile[t] = i < n ? in[i] : 0;
  for (int d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    const int at = (t + 1) * 2 * d - 1;
    if (at < blockDim.x) tile[at] += tile[at - d];
  }
  if (t == 0) tile[blockDim.x - 1] = 0;
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    __syncthreads();
    const int at = (t + 1) * 2 * d - 1;
    if (at < blockDim.x) {
      const int left = tile[at - d];
      tile[at - d] = tile[at];
      tile[at] += left;
    }
  }
  __syncthreads();
  if (i < n) out[i] = tile[t];
}

__global__ void scan_warps(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int value = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFF, value, d);
    if (lane >= d) value += other;
  }
  if (i < n) out[i] = value;
}

// A scan that begins anew at each flag.
__global__ void scan_segmented(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int value = i < n ? in[i] : 0;
  const unsigned heads = __ballot_sync(0xFFFFFFFF, value % 7 == 0) | 1;
  const int head = 31 - __clz(heads & (0xFFFFFFFFu >> (31 - lane)));
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFF, value, d);
    if (lane - d >= head) value += other;
  }
  if (i < n) out[i] = value;
}

// warpscope bitonic: block = 256 fixed, n = 2^18, grid = n / 256, data = random[n]
__global__ void bitonic(unsigned* data, int n) {
  __shared__ unsigned tile[256];
  const int t = threadIdx.x;
  tile[t] = data[blockIdx.x * 256 + t];
  for (int size = 2; size <= 256; size *= 2) {
    for (int d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      const int other = t ^ d;
      if (other > t) {
        const unsigned a = tile[t], b = tile[other];
        if ((a > b) == ((t & size) == 0)) {
          tile[t] = b;
          tile[other] = a;
        }
      }
    }
  }
  __syncthreads();
  data[blockIdx.x * 256 + t] = tile[t];
}

// warpscope odd_even: block = 128 fixed, n = 2^16, grid = n / 128, data = random[n]
__global__ void odd_even(int* data, int n) {
  __shared__ int tile[129];
  const int t = threadIdx.x;
  tile[t] = data[blockIdx.x * 128 + t];
  __syncthreads();
  for (int step = 0; step < 128; ++step) {
    const int at = 2 * t + step % 2;
    if (at + 1 < 128) {
      const int a = tile[at], b = tile[at + 1];
      if (a > b) {
        tile[at] = b;
        tile[at + 1] = a;
      }
    }
    __syncthreads();
  }
  data[blockIdx.x * 128 + t] = tile[t];
}

// Each element's place is the number of smaller ones.
// warpscope rank_sort: block = 256 fixed, n = 2^16, grid = n / 256, in = random[n], out = zeros[n]
__global__ void rank_sort(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned tile[256];
  const int t = threadIdx.x, base = blockIdx.x * 256;
  const unsigned mine = in[base + t];
  tile[t] = mine;
  __syncthreads();
  int rank = 0;
  for (int k = 0; k < 256; ++k) rank += tile[k] < mine || (tile[k] == mine && k < t);
  out[base + rank] = mine;
}

// warpscope radix_count: block = 256, n = 2^21, grid = 264, in = random[n], counts = zeros[16 * 264]
__global__ void radix_count(const unsigned* in, unsigned* counts, int n) {
  __shared__ unsigned of_block[16];
  if (threadIdx.x < 16) of_block[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&of_block[in[i] >> 28], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = of_block[threadIdx.x];
}

// Each thread finds its place in the merge of two rising sequences, i and i * i / 64.
// warpscope merge_path: block = 128, n = 2^18, grid = ceil(n / block), a = iota[n], out = zeros[n]
__global__ void merge_path(const int* a, int* out, int n) {
  const int diagonal = blockIdx.x * blockDim.x + threadIdx.x;
  if (diagonal >= n) return;
  int low = 0, high = diagonal;
  while (low < high) {
    const int middle = (low + high) / 2;
    const int b = diagonal - 1 - middle;
    if (a[middle] <= a[b] / 3 * 2) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[diagonal] = low;
}

// warpscope compact_ballot: block = 256, n = 2^19, grid = ceil(n / block), in = random[n], out = zeros[n], counter = zeros[1], unordered = out
__global__ void compact_ballot(const int* in, int* out, unsigned* counter, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int value = i < n ? in[i] : 1;
  const bool keep = value % 3 == 0;
  const unsigned kept = __ballot_sync(0xFFFFFFFF, keep);
  unsigned base = 0;
  if (lane == 0) base = atomicAdd(counter, __popc(kept));
  base = __shfl_sync(0xFFFFFFFF, base, 0);
  if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = value;
}
