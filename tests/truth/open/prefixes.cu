// Scans, sorts and selections as parts of larger programs.
#include <cstdint>

// A scan of affine maps (y = a x + b), the operator is not commutative: warps by shuffles, then the block.
struct Affine {
  float a, b;
};
__device__ __forceinline__ Affine after(const Affine& first, const Affine& second) {
  return {first.a * second.a, second.a * first.b + second.b};
}
__device__ __forceinline__ Affine from_below(const Affine& v, int d) {
  return {__shfl_up_sync(~0u, v.a, d), __shfl_up_sync(~0u, v.b, d)};
}
// Recurrences of the first order by such a scan.
// warpscope affine_recurrence: block = 256 fixed, n = 2^18, grid = n / 512, in = f32 random[2 * n], out = zeros[n]
__global__ void affine_recurrence(const float4* in, float2* out, int n) {
  __shared__ Affine total[8];
  const int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 256 + t;
  if (i * 2 >= n) return;
  const float4 v = in[i];
  const Affine one = {v.x, v.y}, two = {v.z, v.w};
  Affine sum = after(one, two);
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const Affine other = from_below(sum, d);
    if (lane >= d) sum = after(other, sum);
  }
  if (lane == 31) total[t >> 5] = sum;
  __syncthreads();
  Affine before = {1, 0};
  for (int w = 0; w < t >> 5; ++w) before = after(before, total[w]);
  const Affine below = from_below(sum, 1);
  if (lane) before = after(before, below);
  const float y = one.a * before.b + one.b;
  out[i] = make_float2(y, two.a * y + two.b);
}

// Keys with values: a stable split by three bits, each thread has four keys, counters of bytes packed in 64
// bits.
// warpscope eight_way_split: block = 128 fixed, n = 2^18, grid = n / 512, shift = 5, keys = u32 random[n], out = zeros[n]
__global__ void eight_way_split(const uint4* keys, uint32_t* out, int shift) {
  __shared__ uint32_t counts[8][129];
  __shared__ uint32_t sorted[512];
  const int t = threadIdx.x;
  const uint4 v = keys[blockIdx.x * 128 + t];
  const uint32_t k[4] = {v.x, v.y, v.z, v.w};
  uint64_t packed = 0;
  int before[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int at = (k[j] >> shift & 7) * 8;
    before[j] = packed >> at & 255;
    packed += 1ull << at;
  }
#pragma unroll
  for (int d = 0; d < 8; ++d) counts[d][t] = packed >> d * 8 & 255;
  __syncthreads();
  for (int d = t / 32; d < 8; d += 4) {
    uint32_t base = 0;
    for (int start = 0; start < 128; start += 32) {
      const uint32_t mine = counts[d][start + t % 32];
      uint32_t sum = mine;
      for (int s = 1; s < 32; s *= 2) {
        const uint32_t other = __shfl_up_sync(~0u, sum, s);
        if (t % 32 >= s) sum += other;
      }
      counts[d][start + t % 32] = base + sum - mine;
      base += __shfl_sync(~0u, sum, 31);
    }
    if (t % 32 == 0) counts[d][128] = base;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int digit = k[j] >> shift & 7;
    uint32_t at = counts[digit][t] + before[j];
    for (int d = 0; d < digit; ++d) at += counts[d][128];
    sorted[at] = k[j];
  }
  __syncthreads();
  for (int j = t; j < 512; j += 128) out[blockIdx.x * 512 + j] = sorted[j];
}

template <typename T>
__device__ __forceinline__ void ordered(T& a, T& b) {
  const T low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}
// Sixteen values in each thread's registers are sorted by Batcher's merges.
// warpscope sixteen_in_registers: block = 128, n = 2^18, grid = ceil(n / 16 / block), in = random[n], out = zeros[n]
__global__ void sixteen_in_registers(const int16_t* in, int16_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, m = n / 16;
  if (i >= m) return;
  int v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[k * m + i];
#pragma unroll
  for (int p = 1; p < 16; p *= 2)
#pragma unroll
    for (int q = p; q >= 1; q /= 2)
#pragma unroll
      for (int j = q % p; j + q < 16; j += 2 * q)
#pragma unroll
        for (int k = 0; k < q; ++k)
          if (j + k + q < 16 && (j + k) / (2 * p) == (j + k + q) / (2 * p)) ordered(v[j + k], v[j + k + q]);
#pragma unroll
  for (int k = 0; k < 16; ++k) out[k * m + i] = v[k];
}

// Elements are counted by their lane's predicate and left in place of order: a stable partition of each tile
// to both ends.
// warpscope partition_both_ends: block = 512 fixed, n = 2^19, grid = n / 512, in = random[n] in 0..1, out = zeros[n], kept = zeros[grid]
__global__ void partition_both_ends(const float* in, float* out, int* kept) {
  __shared__ int of_warp[17];
  const int t = threadIdx.x, lane = t % 32;
  const float v = in[blockIdx.x * 512 + t];
  const bool keep = v * v < 0.3f;
  const unsigned all = __ballot_sync(~0u, keep);
  if (lane == 0) of_warp[t / 32 + 1] = __popc(all);
  __syncthreads();
  if (t == 0) {
    of_warp[0] = 0;
    for (int w = 1; w <= 16; ++w) of_warp[w] += of_warp[w - 1];
    kept[blockIdx.x] = of_warp[16];
  }
  __syncthreads();
  const int rank = of_warp[t / 32] + __popc(all & ((1u << lane) - 1));
  out[blockIdx.x * 512 + (keep ? rank : 511 - (t - rank))] = v;
}

__device__ __forceinline__ float exchanged(float v, int distance, bool up) {
  const float other = __shfl_xor_sync(~0u, v, distance);
  return (v > other) == up ? v : other;
}

// The 32 largest of each row of 1024: a warp keeps a sorted list, and merges each next 32, sorted, with it.
// warpscope thirty_two_largest: block = 64, rows = 1024, grid = rows / 2, in = random[rows * 1024], out = zeros[rows * 32]
__global__ void thirty_two_largest(const float* __restrict__ in, float* __restrict__ out, int rows) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 2 + threadIdx.x / 32;
  if (row >= rows) return;
  float best = -1;
  for (int start = 0; start < 1024; start += 32) {
    float v = in[row * 1024 + start + lane];
    const float least = __shfl_sync(~0u, best, 31);
    if (!__any_sync(~0u, v > least)) continue;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
      for (int d = size / 2; d > 0; d /= 2) v = exchanged(v, d, ((lane & d) != 0) == ((lane & size) == 0));
    best = fmaxf(best, v);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) best = exchanged(best, d, (lane & d) == 0);
  }
  out[row * 32 + lane] = best;
}

// Inversions of rows of 256 bytes: each thread counts the larger ones before its own, four at a time.
// warpscope inversions_of_rows: block = 256 fixed, rows = 528, grid = rows, in = random[rows * 256], out = zeros[rows]
__global__ void inversions_of_rows(const uint8_t* in, int* out) {
  __shared__ alignas(16) uint8_t row[256];
  __shared__ int total;
  const int t = threadIdx.x;
  const int mine = row[t] = in[blockIdx.x * 256 + t];
  if (t == 0) total = 0;
  __syncthreads();
  int count = 0, k = 0;
  for (; k + 4 <= t; k += 4) {
    const uchar4 v = *reinterpret_cast<const uchar4*>(&row[k]);
    count += (v.x > mine) + (v.y > mine) + (v.z > mine) + (v.w > mine);
  }
  for (; k < t; ++k) count += row[k] > mine;
  count = __reduce_add_sync(~0u, count);
  if (t % 32 == 0) atomicAdd(&total, count);
  __syncthreads();
  if (t == 0) out[blockIdx.x] = total;
}

// The eight smallest sums of pairs from two sorted lists.
// warpscope smallest_pair_sums: block = 128, n = 2^13, grid = ceil(n / block), a = random[n * 8] in 1..50, b = random[n * 8]:3 in 1..50, out = zeros[n * 8]
__global__ void smallest_pair_sums(const uint8_t* a, const uint8_t* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x[8], y[8], at[8], sum = 0;
  for (int k = 0; k < 8; ++k) x[k] = sum += a[i * 8 + k];
  sum = 0;
  for (int k = 0; k < 8; ++k) y[k] = sum += b[i * 8 + k];
  for (int k = 0; k < 8; ++k) at[k] = 0;
  for (int r = 0; r < 8; ++r) {
    int best = 1 << 30, which = 0;
    for (int k = 0; k < 8; ++k) {
      if (at[k] == 8) continue;
      const int s = x[k] + y[at[k]];
      if (s < best) best = s, which = k;
      if (at[k] == 0) break;
    }
    ++at[which];
    out[r * n + i] = best;
  }
}

// Running least and largest of stretches of 256, by scans of warps that pass on their last.
// warpscope running_extremes: block = 128, n = 2^17, grid = ceil(n / 1024), in = random[n], low = zeros[n], high = zeros[n]
__global__ void running_extremes(const float* in, float* low, float* high, int n) {
  const int lane = threadIdx.x % 32, base = (blockIdx.x * 4 + threadIdx.x / 32) * 256;
  if (base >= n) return;
  float least = 2, most = -1;
  for (int k = 0; k < 8; ++k) {
    const float v = in[base + k * 32 + lane];
    float a = v, b = v;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const float below = __shfl_up_sync(~0u, a, d), above = __shfl_up_sync(~0u, b, d);
      if (lane >= d) a = fminf(a, below), b = fmaxf(b, above);
    }
    a = fminf(a, least);
    b = fmaxf(b, most);
    low[base + k * 32 + lane] = a;
    high[base + k * 32 + lane] = b;
    least = __shfl_sync(~0u, a, 31);
    most = __shfl_sync(~0u, b, 31);
  }
}
