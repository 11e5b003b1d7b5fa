// Bioinformatics: reads, k-mers, alignments, trees.

#include <cstdint>

__device__ __forceinline__ uint32_t scramble(uint32_t k) {
  k ^= k >> 15;
  k *= 0x2c1b3c6du;
  k ^= k >> 12;
  k *= 0x297a2d39u;
  return k ^ k >> 15;
}

// Smallest hash of the eleven 13-mers in each window of a sequence.
// warpscope window_minimizers: block = 128, n = 2^17, grid = ceil(n / block), bases = random[n + 64] in 0..3, chosen = zeros[n]
__global__ void window_minimizers(const uint8_t* bases, uint32_t* chosen, int n) {
  __shared__ uint8_t tile[160];
  __shared__ uint32_t hashes[144];
  int start = blockIdx.x * 128;
  for (int k = threadIdx.x; k < 160; k += 128) tile[k] = start + k < n + 64 ? bases[start + k] & 3 : 0;
  __syncthreads();
  for (int k = threadIdx.x; k < 139; k += 128) {
    uint32_t forward = 0, reverse = 0;
#pragma unroll
    for (int j = 0; j < 13; ++j) {
      uint32_t b = tile[k + j];
      forward = forward << 2 | b;
      reverse |= (3 - b) << 2 * j;
    }
    hashes[k] = scramble(min(forward, reverse));
  }
  __syncthreads();
  int i = start + threadIdx.x;
  if (i >= n) return;
  uint32_t best = hashes[threadIdx.x];
  for (int j = 1; j < 11; ++j) best = min(best, hashes[threadIdx.x + j]);
  chosen[i] = best;
}

// Local alignment of a query of 32 bases with a target of 64; a warp for each pair, a lane for each row.
// warpscope wavefront_alignment: block = 128, pairs = 4096, grid = ceil(pairs * 32 / block), queries = random[pairs * 32] in 0..3, targets = random[pairs * 64] in 0..3, scores = zeros[pairs]
__global__ void wavefront_alignment(const char* __restrict__ queries, const char* __restrict__ targets,
                                    short* scores, int pairs) {
  int pair = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (pair >= pairs) return;
  const char mine = queries[pair * 32 + lane];
  const char first = targets[pair * 64 + lane], second = targets[pair * 64 + 32 + lane];
  int left = 0, diagonal = 0, gap = -100, best = 0;
  for (int step = 0; step < 95; ++step) {
    int up = __shfl_up_sync(0xffffffffu, left, 1), upGap = __shfl_up_sync(0xffffffffu, gap, 1);
    if (lane == 0) up = 0, upGap = -100;
    int column = step - lane;
    char a = __shfl_sync(0xffffffffu, first, column & 31), b = __shfl_sync(0xffffffffu, second, column & 31);
    if (column >= 0 && column < 64) {
      char base = column < 32 ? a : b;
      gap = max(upGap - 1, up - 4);
      int score = max(max(0, diagonal + (base == mine ? 3 : -2)), max(gap, left - 3));
      left = score;
      best = max(best, score);
    }
    diagonal = up;
  }
  best = __reduce_max_sync(0xffffffffu, best);
  if (lane == 0) scores[pair] = best;
}

// Cuts the bad end of each read: where the running sum of quality minus threshold is largest.
// warpscope cut_bad_ends: block = 32, reads = 12000, grid = ceil(reads / block), quality = random[reads * 100] in 0..41, kept = zeros[reads]
__global__ void cut_bad_ends(const uchar4* quality, unsigned short* kept, int reads) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= reads) return;
  int sum = 0, best = 0, end = 0;
  for (int k = 0; k < 25; ++k) {
    uchar4 q = quality[r * 25 + k];
    const int values[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      sum += values[j] - 20;
      if (sum > best) best = sum, end = 4 * k + j + 1;
    }
    if (sum < -200) break;
  }
  kept[r] = end;
}

// Backward search in an index of ranks: each step narrows a range by the counts at two check points.
struct alignas(16) RankBlock {
  uint32_t before, low, high, spare;
};
__device__ uint32_t rankOf(const RankBlock* blocks, uint32_t at, uint32_t base, uint32_t count) {
  RankBlock b = blocks[(at >> 5) % count];
  uint32_t x = base & 1 ? b.low : ~b.low, y = base & 2 ? b.high : ~b.high;
  return (b.before & 0xffff) + __popc(x & y & ((1u << (at & 31)) - 1));
}
// warpscope narrowing_ranks: block = 128, patterns = 30000, count = 8192, grid = ceil(patterns / block), index = u32 random[count * 4], packed = random[patterns], ranges = zeros[patterns * 2]
__global__ void narrowing_ranks(const RankBlock* __restrict__ index, const uint32_t* packed, uint2* ranges,
                                int patterns, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= patterns) return;
  uint32_t pattern = packed[i], low = 0, high = count * 32 - 1;
  for (int k = 0; k < 16 && low != high; ++k, pattern >>= 2) {
    uint32_t base = pattern & 3;
    low = base * 65536 + rankOf(index, low, base, count);
    high = base * 65536 + rankOf(index, high, base, count);
  }
  ranges[i] = make_uint2(low, high);
}

__constant__ char aminoAcids[65] = "KNKNTTTTRSRSIIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV*Y*YSSSS*CWCLFLF";
// The amino acid of the codon that begins at each base, and that of its reverse complement in a second array.
// another.
// warpscope codon_translation: block = 256, n = 2^18, grid = ceil(n / block), bases = random[n + 2] in 0..3, forward = zeros[n], backward = zeros[n]
__global__ void codon_translation(const unsigned char* bases, char* forward, char* backward, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = bases[i] & 3, b = bases[i + 1] & 3, c = bases[i + 2] & 3;
  forward[i] = aminoAcids[a * 16 + b * 4 + c];
  backward[n - 1 - i] = aminoAcids[63 - (c * 16 + b * 4 + a)];
}

// Forward probabilities of a pair model with match, insertion and deletion; a warp has one read, a lane one
// base of the haplotype.
// warpscope pair_forward: block = 64, grid = 1024, length = 40, reads = random[2048 * length] in 0..3, haplotypes = random[2048 * 32] in 0..3, errors = random[2048 * length] in 0.001..0.1, likelihood = zeros[2048]
__global__ void __launch_bounds__(64)
    pair_forward(const unsigned char* reads, const unsigned char* haplotypes, const float* errors,
                 float* likelihood, int length) {
  const int warp = (blockIdx.x * 64 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const unsigned char mine = haplotypes[warp * 32 + lane];
  float match = 0, insertion = 0, deletion = 1.0f / 32;
  for (int row = 0; row < length; ++row) {
    const float error = errors[warp * length + row];
    const float prior = reads[warp * length + row] == mine ? 1 - error : error / 3;
    float m = __shfl_up_sync(~0u, match, 1), x = __shfl_up_sync(~0u, insertion, 1),
          y = __shfl_up_sync(~0u, deletion, 1);
    if (lane == 0) m = x = 0, y = row == 0 ? 1.0f / 32 : 0;
    const float newMatch = prior * (0.98f * m + 0.9f * (x + y));
    const float newInsertion = 0.01f * match + 0.1f * insertion;
    // The deletion of a row depends on the lane before: a scan with a constant factor.
    float d = __shfl_up_sync(~0u, newMatch, 1) * 0.01f;
    if (lane == 0) d = 0;
    float factor = 0.1f;
    for (int k = 1; k < 32; k *= 2) {
      float other = __shfl_up_sync(~0u, d, k);
      if (lane >= k) d = fmaf(factor, other, d);
      factor *= factor;
    }
    match = newMatch, insertion = newInsertion, deletion = d;
  }
  float sum = match + insertion;
  for (int k = 16; k; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
  if (lane == 0) likelihood[warp] = log10f(sum + 1e-37f);
}

// Likelihoods of a tree's inner node from those of its two children, four states and four rates a site.
// warpscope prune_likelihoods: block = (16, 16), sites = 8192, grid = ceil(sites / 16), left = random[sites * 16], right = random[sites * 16], change = random[128], parent = zeros[sites * 16], scaled = zeros[sites]
__global__ void prune_likelihoods(const float* left, const float* right, const float* change, float* parent,
                                  int* scaled, int sites) {
  __shared__ float p[128], a[16][17], b[16][17], top[16][16];
  const int state = threadIdx.x, row = threadIdx.y, t = row * 16 + state, site = blockIdx.x * 16 + row;
  if (t < 128) p[t] = change[t];
  if (site < sites) {
    a[row][state] = left[site * 16 + state];
    b[row][state] = right[site * 16 + state];
  }
  __syncthreads();
  if (site >= sites) return;
  const int rate = state / 4, s = state % 4;
  float x = 0, y = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    x += p[rate * 16 + s * 4 + k] * a[row][rate * 4 + k];
    y += p[64 + rate * 16 + s * 4 + k] * b[row][rate * 4 + k];
  }
  float value = x * y;
  float most = value;
  for (int d = 8; d > 0; d >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d, 16));
  int exponent = 0;
  if (most > 0) frexpf(most, &exponent);
  top[row][state] = ldexpf(value, -exponent);
  parent[site * 16 + state] = top[row][state];
  if (state == 0) scaled[site] = exponent;
}
