// What libraries of parallel algorithms are made of.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// An exclusive scan of four items a thread, blocked, with a generic operator.
struct AddOp {
  __device__ int operator()(int a, int b) const { return a + b; }
};
struct MaxOp {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
template <int kThreads, class Op>
__device__ int block_exclusive(int value, int identity, int& total, Op op) {
  __shared__ int warp_sums[kThreads / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int inclusive = value;
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    const int up = __shfl_up_sync(0xffffffff, inclusive, o);
    if (lane >= o) inclusive = op(up, inclusive);
  }
  if (lane == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  int prefix = identity;
  total = identity;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) {
    if (w == warp) prefix = total;
    total = op(total, warp_sums[w]);
  }
  const int before = __shfl_up_sync(0xffffffff, inclusive, 1);
  return lane == 0 ? prefix : op(prefix, before);
}
// warpscope DeviceScanTiles: block = 128 fixed, n = 2^21, grid = n / 512, in = random[n] in -100..100, out = zeros[n], totals = zeros[n / 512]
template <class Op>
__global__ void DeviceScanTiles(const int4* in, int4* out, int* totals, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  Op op;
  int4 v = i * 4 < n ? in[i] : make_int4(0, 0, 0, 0);
  const int local = op(op(v.x, v.y), op(v.z, v.w));
  int total;
  int running = block_exclusive<128>(local, 0, total, op);
  int4 r;
  r.x = running;
  r.y = running = op(running, v.x);
  r.z = running = op(running, v.y);
  r.w = op(running, v.z);
  if (i * 4 < n) out[i] = r;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}
template __global__ void DeviceScanTiles<AddOp>(const int4*, int4*, int*, int);
template __global__ void DeviceScanTiles<MaxOp>(const int4*, int4*, int*, int);

// Triad: what a machine's memory can give.
// warpscope triad_vec4: block = 256, n4 = 400000, grid = ceil(n4 / block), a = zeros[n4], b = random[n4], c = random[n4], s = 1.75
__global__ void triad_vec4(float4* __restrict__ a, const float4* __restrict__ b, const float4* __restrict__ c,
                           float s, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    float4 x = b[i], y = c[i];
    a[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
  }
}

// A histogram of bytes: a copy for each warp in shared memory.
// warpscope histogram256_warps: block = 192 fixed, words = 2^18, grid = 240, data = random[words], partial = zeros[256 * 240]
__global__ void histogram256_warps(const unsigned* data, unsigned* partial, unsigned words) {
  __shared__ unsigned s_hist[6 * 256];
  unsigned* mine = s_hist + (threadIdx.x >> 5) * 256;
  for (int i = threadIdx.x; i < 6 * 256; i += 192) s_hist[i] = 0;
  cg::thread_block cta = cg::this_thread_block();
  cg::sync(cta);
  for (unsigned pos = blockIdx.x * blockDim.x + threadIdx.x; pos < words; pos += blockDim.x * gridDim.x) {
    const unsigned d = data[pos];
    atomicAdd(mine + (d & 0xff), 1);
    atomicAdd(mine + (d >> 8 & 0xff), 1);
    atomicAdd(mine + (d >> 16 & 0xff), 1);
    atomicAdd(mine + (d >> 24), 1);
  }
  cg::sync(cta);
  for (unsigned bin = threadIdx.x; bin < 256; bin += 192) {
    unsigned sum = 0;
    for (int w = 0; w < 6; w++) sum += s_hist[bin + w * 256];
    partial[blockIdx.x * 256 + bin] = sum;
  }
}

// One step of a bitonic sort that is too far apart for shared memory.
// warpscope bitonic_merge_global: block = 512, n = 2^20, size = 8192, stride = 4096, grid = ceil(n / 2 / block), keys = random[n], vals = iota[n]
__global__ void bitonic_merge_global(unsigned* keys, unsigned* vals, unsigned n, unsigned size,
                                     unsigned stride) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  bool dir = (i & (size / 2)) != 0;
  unsigned pos = 2 * i - (i & (stride - 1));
  unsigned ka = keys[pos], kb = keys[pos + stride];
  if ((ka > kb) == dir) {
    keys[pos] = kb;
    keys[pos + stride] = ka;
    unsigned va = vals[pos];
    vals[pos] = vals[pos + stride];
    vals[pos + stride] = va;
  }
}

// Sorts 256 keys of 16 bits a block, bit by bit, with ranks from ballots.
// warpscope radix_sort_tile: block = 256 fixed, tiles = 300, grid = tiles, keys = random[256 * tiles], out = zeros[256 * tiles]
__global__ void radix_sort_tile(const unsigned* keys, unsigned* out) {
  __shared__ unsigned s_keys[256];
  __shared__ int zeros_before[8];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  unsigned key = keys[blockIdx.x * 256 + t] & 0xffff;
  for (int bit = 0; bit < 16; ++bit) {
    const bool one = key >> bit & 1;
    const unsigned mask = __ballot_sync(0xffffffff, !one);
    if (lane == 0) zeros_before[warp] = __popc(mask);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < 8; ++w) {
      if (w < warp) before += zeros_before[w];
      all += zeros_before[w];
    }
    const int rank = before + __popc(mask & ((1u << lane) - 1));
    s_keys[one ? all + t - rank : rank] = key;
    __syncthreads();
    key = s_keys[t];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = key;
}

// A transposition with a padded tile, for any sides, of doubles.
// warpscope transpose_padded: block = (32, 8) fixed, width = 700, height = 900, grid = (ceil(width / 32), ceil(height / 32)), in = random[width * height], out = zeros[width * height]
template <typename T, int TILE_DIM, int BLOCK_ROWS>
__device__ void transpose_body(const T* in, T* out, int width, int height) {
  __shared__ T tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void transpose_padded(const double* in, double* out, int width, int height) {
  transpose_body<double, 32, 8>(in, out, width, height);
}

// The greatest value and its place: ties go to the first; the last block to arrive finishes.
// warpscope argmax_last_block: block = 256 fixed, n = 2^20, grid = 128, data = random[n], best = zeros[128], done = zeros[1], result = zeros[1]
__device__ unsigned long long ordered_pair(float value, unsigned index) {
  const unsigned bits = __float_as_uint(value), key = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return (unsigned long long)key << 32 | (0xffffffffu - index);
}
__global__ void argmax_last_block(const float* data, unsigned long long* best, unsigned* done,
                                  unsigned* result, int n) {
  __shared__ unsigned long long s[256];
  __shared__ bool last;
  unsigned long long mine = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const unsigned long long p = ordered_pair(data[i], i);
    mine = p > mine ? p : mine;
  }
  s[threadIdx.x] = mine;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k && s[threadIdx.x + k] > s[threadIdx.x]) s[threadIdx.x] = s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    atomicExch(&best[blockIdx.x], s[0]);
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  mine = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += 256) {
    const unsigned long long p = atomicAdd(&best[i], 0ull);
    mine = p > mine ? p : mine;
  }
  s[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 256; ++i) s[0] = s[i] > s[0] ? s[i] : s[0];
    *result = 0xffffffffu - (unsigned)s[0];
  }
}

// Values of equal neighbouring keys are added: tails of runs write, across blocks by atomics.
// warpscope reduce_by_key_warp: block = 256, n = 1500000, segments = 2000, grid = ceil(n / block), values = random[n], sums = zeros[segments], tolerance = 1e-3
__global__ void reduce_by_key_warp(const float* values, float* sums, int n, int segments) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int key = i < n ? (int)((long long)i * segments / n) : -1;
  float v = i < n ? values[i] : 0.0f;
  for (int o = 1; o < 32; o <<= 1) {
    const float up = __shfl_up_sync(0xffffffff, v, o);
    const int k = __shfl_up_sync(0xffffffff, key, o);
    if (lane >= o && k == key) v += up;
  }
  const int next = __shfl_down_sync(0xffffffff, key, 1);
  if (key >= 0 && (lane == 31 || next != key)) atomicAdd(&sums[key], v);
}

// Two sorted runs become one: each thread finds its diagonal's crossing, then merges eight.
// warpscope merge_runs: block = 128, half_n = 200000, grid = ceil(2 * half_n / 8 / block), a = iota[half_n], b = iota[half_n], out = zeros[2 * half_n]
__global__ void merge_runs(const int* a, const int* b, int* out, int half_n) {
  const int diag = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (diag >= 2 * half_n) return;
  int low = max(0, diag - half_n), high = min(diag, half_n);
  while (low < high) {
    const int mid = (low + high) >> 1;
    if (a[mid] <= b[diag - 1 - mid])
      low = mid + 1;
    else
      high = mid;
  }
  int i = low, j = diag - low;
  for (int k = 0; k < 8 && diag + k < 2 * half_n; ++k) {
    const bool from_a = j >= half_n || (i < half_n && a[i] <= b[j]);
    out[diag + k] = from_a ? a[i++] : b[j++];
  }
}

// A reduction by cooperative groups: tiles of 32, then one atomic a block.
// warpscope cg_reduce_tiles: block = 320, n = 2000000, grid = 132, in = random[n] in 0..9, sum = zeros[1]
__global__ void cg_reduce_tiles(const int* in, int* sum, int n) {
  __shared__ int block_total;
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  if (block.thread_rank() == 0) block_total = 0;
  block.sync();
  int v = 0;
  for (int i = blockIdx.x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size())
    v += in[i];
  for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_down(v, o);
  if (tile.thread_rank() == 0) atomicAdd(&block_total, v);
  block.sync();
  if (block.thread_rank() == 0) atomicAdd(sum, block_total);
}
