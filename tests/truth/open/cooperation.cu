// Atomic functions, and threads that wait for or count each other.

// All blocks wait for each other at a counter in memory, as many times as there are steps. They must be
// resident together.
// warpscope counted_barrier: block = 128, grid = 64, steps = 4, n = 16384, in = random[n], between = zeros[n], counter = zeros[1], out = zeros[n]
__global__ void counted_barrier(const unsigned* in, unsigned* between, unsigned* counter, unsigned* out,
                                int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  unsigned sum = 0;
  for (int k = i; k < n; k += all) sum += in[k];
  for (int step = 0; step < steps; ++step) {
    atomicExch(&between[i], sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(counter, 1u);
      while (atomicAdd(counter, 0u) < 2 * step * gridDim.x + gridDim.x) {
      }
    }
    __syncthreads();
    sum += atomicAdd(&between[(i * 5 + 77) % all], 0u);
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(counter, 1u);
      while (atomicAdd(counter, 0u) < 2 * (step + 1) * gridDim.x) {
      }
    }
    __syncthreads();
  }
  out[i] = sum;
}

// A running total over all blocks in one pass: each waits for the total of the block before it.
// warpscope chained_scan: block = 256 fixed, n = 65536, grid = n / 256, in = random[n] in 0..99, out = zeros[n], totals = zeros[n / 256]
__global__ void chained_scan(const unsigned* in, unsigned* out, unsigned long long* totals) {
  __shared__ unsigned of_warp[8], before_block;
  const int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned sum = in[i];
  for (int d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(0xFFFFFFFF, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  for (int w = 0; w < warp; ++w) sum += of_warp[w];
  if (threadIdx.x == 255) {
    unsigned long long before = 1ull << 32;
    if (blockIdx.x > 0) {
      do {
        before = atomicAdd(&totals[blockIdx.x - 1], 0ull);
      } while (before == 0);
    }
    before_block = static_cast<unsigned>(before);
    atomicExch(&totals[blockIdx.x], before + sum);
  }
  __syncthreads();
  out[i] = sum + before_block;
}

// Warps fetch their pieces of work from a counter; pieces differ in length.
// warpscope fetched_work: block = 128, grid = 132, pieces = 4000, lengths = random[pieces] in 1..40, counter = zeros[1], out = zeros[pieces]
__global__ void fetched_work(const int* lengths, unsigned* counter, float* out, int pieces) {
  const int lane = threadIdx.x % 32;
  for (;;) {
    unsigned piece = 0;
    if (lane == 0) piece = atomicAdd(counter, 1u);
    piece = __shfl_sync(0xFFFFFFFF, piece, 0);
    if (piece >= pieces) return;
    float x = 0.01f * lane;
    for (int k = 0; k < lengths[piece]; ++k) x = x * x * 0.7f + 0.2f;
    for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xFFFFFFFF, x, d);
    if (lane == 0) out[piece] = x;
  }
}

// Elements hang themselves into one of 4096 lists.
// warpscope build_lists: block = 192, n = 150000, grid = ceil(n / block), keys = random[n], heads = zeros[4096], next = zeros[n]
__global__ void build_lists(const unsigned* keys, unsigned* heads, unsigned* next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) next[i] = atomicExch(&heads[keys[i] * 0x9E3779B1u >> 20], static_cast<unsigned>(i + 1));
}

// Places in 32 rings that counters with a wrap hand out.
// warpscope rings: block = 256, n = 60000, grid = ceil(n / block), in = random[n], heads = zeros[32], out = zeros[n]
__global__ void rings(const unsigned* in, unsigned* heads, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = in[i];
  out[i] = key & 32 ? atomicInc(&heads[key % 32], 1023u) : atomicDec(&heads[key % 32], 1023u);
}

// The least element and where it stands, as one number of 64 bits: first in the block, then in memory.
// warpscope least_place: block = 480, n = 1500000, grid = 264, in = random[n], out = ones[1]
__global__ void least_place(const float* in, unsigned long long* out, int n) {
  __shared__ unsigned long long best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  unsigned long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned long long key = static_cast<unsigned long long>(__float_as_uint(1 - in[i])) << 32 | i;
    mine = max(mine, key);
  }
  for (int d = 16; d > 0; d /= 2) mine = max(mine, __shfl_down_sync(0xFFFFFFFF, mine, d));
  if (threadIdx.x % 32 == 0) atomicMax(&best, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(out, best);
}

// Counts of pairs of bytes: 64 x 64 cells in memory.
// warpscope pair_counts: block = 256, n = 400000, grid = ceil(n / block), in = random[n], counts = zeros[4096]
__global__ void pair_counts(const uchar2* in, unsigned* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar2 pair = in[i];
  atomicAdd(&counts[pair.x / 4 * 64 + pair.y / 4], 1u);
}

// Each warp counts into 64 cells of its own in shared memory.
// warpscope warp_counts: block = 256 fixed, n = 2^20, grid = 132, in = random[n], out = zeros[64]
__global__ void warp_counts(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned counts[8][64];
  const int warp = threadIdx.x / 32;
  for (int k = threadIdx.x; k < 512; k += 256) counts[k / 64][k % 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const unsigned word = in[i];
    for (int k = 0; k < 4; ++k) atomicAdd(&counts[warp][word >> 8 * k & 63], 1u);
  }
  __syncthreads();
  if (threadIdx.x >= 64) return;
  unsigned sum = 0;
  for (int w = 0; w < 8; ++w) sum += counts[w][threadIdx.x];
  atomicAdd(&out[threadIdx.x], sum);
}

// A warp turns 32 x 32 values over by exchanges alone.
// warpscope exchange_transpose: block = 128, tiles = 1200, grid = ceil(32 * tiles / block), data = random[1024 * tiles]
__global__ void exchange_transpose(unsigned* data, int tiles) {
  const int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (tile >= tiles) return;
  unsigned v[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) v[k] = data[tile * 1024 + k * 32 + lane];
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      if (k & d) continue;
      const bool upper = lane & d;
      const unsigned given = upper ? v[k] : v[k + d], taken = __shfl_xor_sync(0xFFFFFFFF, given, d);
      if (upper) {
        v[k] = taken;
      } else {
        v[k + d] = taken;
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 32; ++k) data[tile * 1024 + k * 32 + lane] = v[k];
}

// Sums of a matrix's columns: blocks take 64 rows each.
// warpscope column_sums: block = (64, 4) fixed, width = 1024, rows = 2048, grid = (width / 64, rows / 64), in = random[width * rows], out = zeros[width]
__global__ void column_sums(const double* in, double* out, int width) {
  __shared__ double parts[4][64];
  const int column = blockIdx.x * 64 + threadIdx.x;
  double sum = 0;
  for (int r = threadIdx.y; r < 64; r += 4) sum += in[(blockIdx.y * 64 + r) * width + column];
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0)
    atomicAdd(&out[column],
              parts[0][threadIdx.x] + parts[1][threadIdx.x] + parts[2][threadIdx.x] + parts[3][threadIdx.x]);
}

// Sums that keep what rounding took from them, then one of each block.
// warpscope careful_sum: block = 512, n = 2^20, grid = 66, in = random[n] in -1..1, out = zeros[blocks]
__global__ void careful_sum(const float* in, float2* out, int n) {
  __shared__ float2 parts[1024];
  float sum = 0, lost = 0;
  const auto add = [&](float value) {
    const float next = __fadd_rn(sum, value);
    const float part = __fsub_rn(next, sum);
    lost = __fadd_rn(lost, __fadd_rn(__fsub_rn(sum, __fsub_rn(next, part)), __fsub_rn(value, part)));
    sum = next;
  };
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) add(in[i]);
  parts[threadIdx.x] = make_float2(sum, lost);
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x >= d) continue;
    const float2 other = parts[threadIdx.x + d];
    add(other.x);
    lost += other.y;
    parts[threadIdx.x] = make_float2(sum, lost);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = make_float2(sum, lost);
}
