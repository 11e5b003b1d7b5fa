// Sorts, scans, selection and bit tricks.

#include <cooperative_groups.h>

#include <cstdint>

namespace cg = cooperative_groups;

// Sorts 32 pairs in each warp by a network of shuffles, up in even warps and down in odd ones.
// warpscope warp_sorted_pairs: block = 128, n = 2^17, grid = ceil(n / block), pairs = u32 random[2 * n], sorted = u32 zeros[2 * n]
__global__ void warp_sorted_pairs(const uint2* __restrict__ pairs, uint2* __restrict__ sorted, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i & 31;
  uint2 mine = pairs[min(i, n - 1)];
  const bool falling = i >> 5 & 1;
#pragma unroll
  for (int size = 2; size <= 32; size *= 2)
#pragma unroll
    for (int gap = size / 2; gap > 0; gap /= 2) {
      const unsigned key = __shfl_xor_sync(0xffffffffu, mine.x, gap),
                     value = __shfl_xor_sync(0xffffffffu, mine.y, gap);
      const bool lower = (lane & gap) == 0, ascending = ((lane & size) == 0 || size == 32) != falling;
      const bool take = lower == ascending ? key < mine.x : key > mine.x;
      if (take) mine = make_uint2(key, value);
    }
  if (i < n) sorted[i] = mine;
}

// Sums since the last flag: a segmented scan of blocks with eight items a thread.
struct Segment {
  float sum;
  bool broken;
};
__device__ __forceinline__ Segment joined(Segment a, Segment b) {
  return {b.broken ? b.sum : a.sum + b.sum, a.broken || b.broken};
}
// warpscope segmented_sums: block = 256 fixed, n = 2^18, grid = n / 2048, values = random[n], flags = random[n / 8], sums = zeros[n]
__global__ void segmented_sums(const float4* __restrict__ values, const uint8_t* flags, float4* sums, int n) {
  __shared__ float warpSum[8];
  __shared__ bool warpBroken[8];
  const int t = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float4 a = values[2 * t], b = values[2 * t + 1];
  const unsigned bits = flags[t] & flags[t] >> 3;
  float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
  for (int k = 1; k < 8; ++k)
    if (!(bits >> k & 1)) v[k] += v[k - 1];
  Segment s{v[7], bits != 0};
  for (int d = 1; d < 32; d *= 2) {
    const Segment other{__shfl_up_sync(~0u, s.sum, d), (bool)__shfl_up_sync(~0u, (int)s.broken, d)};
    if (lane >= d) s = joined(other, s);
  }
  if (lane == 31) warpSum[warp] = s.sum, warpBroken[warp] = s.broken;
  Segment before{__shfl_up_sync(~0u, s.sum, 1), (bool)__shfl_up_sync(~0u, (int)s.broken, 1)};
  if (lane == 0) before = {0, false};
  __syncthreads();
  Segment blocks{0, false};
  for (int w = 0; w < warp; ++w) blocks = joined(blocks, {warpSum[w], warpBroken[w]});
  float carry = joined(blocks, before).sum;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    if (bits >> k & 1) carry = 0;
    v[k] += carry;
  }
  sums[2 * t] = make_float4(v[0], v[1], v[2], v[3]);
  sums[2 * t + 1] = make_float4(v[4], v[5], v[6], v[7]);
}

// Merges two sorted rows of 1000: each thread finds where its stretch of eight begins by bisection along a
// diagonal.
// warpscope diagonal_merge: block = 256 fixed, grid = 120, a = iota[120 * 1000], b = iota[120 * 1000], merged = zeros[120 * 2000]
__global__ void diagonal_merge(const int* a, const int* b, int* merged) {
  __shared__ int left[1000], right[1000];
  for (int k = threadIdx.x; k < 1000; k += 256) {
    left[k] = a[blockIdx.x * 1000 + k] * 3;
    right[k] = b[blockIdx.x * 1000 + k] * 5 / 2 + 7;
  }
  __syncthreads();
  const int at = threadIdx.x * 8;
  if (at >= 2000) return;
  int low = max(0, at - 1000), high = min(at, 1000);
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (left[middle] <= right[at - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = at - low;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const bool fromLeft = j >= 1000 || (i < 1000 && left[i] <= right[j]);
    merged[blockIdx.x * 2000 + at + k] = fromLeft ? left[i++] : right[j++];
  }
}

// The median of 31 readings by bisecting on bits from the top: counts of those below, one group of 32 lanes.
// warpscope median_by_bits: block = 256, groups = 2^13, grid = ceil(groups * 32 / block), readings = random[groups * 31], median = zeros[groups]
__global__ void median_by_bits(const uint32_t* readings, uint32_t* median, int groups) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int g = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = tile.thread_rank();
  if (g >= groups) return;
  const uint32_t mine = lane < 31 ? readings[g * 31 + lane] : 0;
  uint32_t alive = tile.ballot(lane < 31), answer = 0;
  int rank = 15;
  for (int bit = 31; bit >= 0; --bit) {
    const uint32_t zeros = tile.ballot(!(mine >> bit & 1)) & alive;
    const int count = __popc(zeros);
    if (rank < count) {
      alive = zeros;
    } else {
      rank -= count;
      alive &= ~zeros;
      answer |= 1u << bit;
    }
    if ((alive & (alive - 1)) == 0) {
      answer = tile.shfl(mine, __ffs(alive) - 1);
      break;
    }
  }
  if (lane == 0) median[g] = answer;
}

// Transposes bits of 32 words a warp, by five exchanges of halves.
// warpscope bits_transposed: block = 512, n = 2^19, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void bits_transposed(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i], mask = 0x0000ffffu;
#pragma unroll
  for (int d = 16; d > 0; d >>= 1, mask ^= mask << d) {
    const unsigned other = __shfl_xor_sync(0xffffffffu, x, d);
    x = threadIdx.x & d ? (x & ~mask) | (other & ~mask) >> d : (x & mask) | (other & mask) << d;
  }
  out[i] = x;
}

// Places along a Hilbert curve in three dimensions, ten bits each.
// warpscope hilbert_order: block = 192, n = 2^16, grid = ceil(n / block), places = random[n * 3], order = zeros[n]
__global__ void hilbert_order(const float* places, uint32_t* order, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint32_t x[3];
    for (int k = 0; k < 3; ++k) x[k] = min(1023, (int)(places[i * 3 + k] * 1024));
    for (uint32_t q = 512; q > 1; q >>= 1) {
      const uint32_t p = q - 1;
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        if (x[k] & q) {
          x[0] ^= p;
        } else {
          const uint32_t t = (x[0] ^ x[k]) & p;
          x[0] ^= t;
          x[k] ^= t;
        }
      }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    uint32_t t = 0;
    for (uint32_t q = 512; q > 1; q >>= 1)
      if (x[2] & q) t ^= q - 1;
    uint32_t code = 0;
#pragma unroll
    for (int bit = 9; bit >= 0; --bit)
#pragma unroll
      for (int k = 0; k < 3; ++k) code = code << 1 | ((x[k] ^ t) >> bit & 1);
    order[i] = code;
  }
}

// Splits keys by a pivot within each block: smaller ones to the front, others to the back, order kept.
template <class T, int Block>
__device__ void splitBlock(const T* in, T* out, T pivot, int* cut) {
  __shared__ int counts[Block / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const T v = in[threadIdx.x];
  const bool low = v < pivot;
  const unsigned lows = __ballot_sync(0xffffffffu, low);
  if (lane == 0) counts[warp] = __popc(lows);
  __syncthreads();
  int before = 0, all = 0;
#pragma unroll
  for (int w = 0; w < Block / 32; ++w) {
    if (w < warp) before += counts[w];
    all += counts[w];
  }
  before += __popc(lows & ((1u << lane) - 1));
  out[low ? before : all + (int)threadIdx.x - before] = v;
  if (threadIdx.x == 0) *cut = all;
}
// warpscope pivot_split: block = 320 fixed, grid = 800, keys = random[800 * 320], split = zeros[800 * 320], cuts = zeros[800]
__global__ void pivot_split(const double* keys, double* split, int* cuts) {
  splitBlock<double, 320>(keys + blockIdx.x * 320, split + blockIdx.x * 320, 0.4, cuts + blockIdx.x);
}
