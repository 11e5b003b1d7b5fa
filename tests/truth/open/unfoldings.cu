// Tables that are filled from smaller problems to larger ones.
#include <cstdint>

// Search trees of 40 keys with the least mean depth: diagonals of a triangle in shared memory, roots bounded
// by Knuth's rule, one tree a block.
// warpscope leanest_trees: block = 64 fixed, trees = 528, grid = trees, weights = u8 random[trees * 40], out = u32 zeros[trees]
__global__ void leanest_trees(const uint8_t* weights, uint32_t* out) {
  __shared__ uint32_t cost[42][42], sums[41];
  __shared__ uint8_t root[41][42];
  const int t = threadIdx.x;
  if (t == 0) {
    sums[0] = 0;
    for (int k = 0; k < 40; ++k) sums[k + 1] = sums[k] + 1 + weights[blockIdx.x * 40 + k];
  }
  __syncthreads();
  if (t <= 40) cost[t][t] = 0;
  if (t < 40) cost[t][t + 1] = sums[t + 1] - sums[t], root[t][t + 1] = t;
  __syncthreads();
  for (int span = 2; span <= 40; ++span) {
    const int i = t, j = t + span;
    if (j <= 40) {
      uint32_t least = ~0u;
      int best = i;
      for (int r = root[i][j - 1]; r <= root[i + 1][j]; ++r) {
        const uint32_t c = cost[i][r] + cost[r + 1][j];
        if (c < least) least = c, best = r;
      }
      cost[i][j] = least + sums[j] - sums[i];
      root[i][j] = best;
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = cost[0][40];
}

// Which sums can be made from 40 weights: bits of a set of 2048 in the registers of a warp, shifted across
// lanes, and the sum nearest to half.
// warpscope halved_loads: block = 256 fixed, loads = 2^13, grid = loads / 8, weights = u8 random[loads * 40], out = u16 zeros[loads]
__global__ void halved_loads(const uint8_t* weights, uint16_t* out, int loads) {
  const int lane = threadIdx.x % 32, id = blockIdx.x * 8 + threadIdx.x / 32;
  if (id >= loads) return;
  uint64_t set = lane == 0;
  int total = 0;
  for (int k = 0; k < 40; ++k) {
    const int w = 1 + weights[id * 40 + k] % 100, words = w / 64, bits = w % 64;
    const uint64_t one = __shfl_up_sync(~0u, set, words), two = __shfl_up_sync(~0u, set, words + 1);
    uint64_t moved = lane >= words ? one << bits : 0;
    if (bits && lane > words) moved |= two >> (64 - bits);
    set |= moved;
    total += w;
  }
  const int half = total / 2, mine = half - lane * 64;
  uint64_t below = mine < 0 ? 0 : mine >= 63 ? set : set & ((2ull << mine) - 1);
  int best = below ? lane * 64 + 63 - __clzll(below) : 0;
  best = __reduce_max_sync(~0u, best);
  if (lane == 0) out[id] = total - 2 * best;
}

// Edits between words where neighbours may be swapped, too: three rows of a table in local memory, words of
// 20 letters.
// warpscope swapped_letters: block = 128, pairs = 2^13, grid = ceil(pairs / block), words = u8 random[pairs * 40], out = u8 zeros[pairs]
__global__ void swapped_letters(const uint8_t* words, uint8_t* out, int pairs) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  uint8_t b[20], rows[3][21];
  for (int k = 0; k < 20; ++k) b[k] = words[(20 + k) * pairs + p] & 3;
  for (int j = 0; j <= 20; ++j) rows[0][j] = j;
  int now = 0, before = 0xFF;
  for (int i = 1; i <= 20; ++i) {
    const int a = words[(i - 1) * pairs + p] & 3, last = now, older = (now + 2) % 3;
    now = (now + 1) % 3;
    rows[now][0] = i;
    for (int j = 1; j <= 20; ++j) {
      int v = min(rows[last][j], rows[now][j - 1]) + 1;
      v = min(v, rows[last][j - 1] + (a != b[j - 1]));
      if (i > 1 && j > 1 && a == b[j - 2] && before == b[j - 1]) v = min(v, rows[older][j - 2] + 1);
      rows[now][j] = v;
    }
    before = a;
  }
  out[p] = rows[now][20];
}

// The largest rectangle of ones in a bitmap of 32 columns and 12 rows: heights by columns, then a stack of
// rising heights.
// warpscope largest_lots: block = 96, maps = 2^11, grid = ceil(maps / block), rows = u64 random[maps * 12], out = u16 zeros[maps]
__global__ void largest_lots(const uint64_t* rows, uint16_t* out, int maps) {
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= maps) return;
  uint8_t height[33], places[33];
  for (int k = 0; k <= 32; ++k) height[k] = 0;
  int best = 0;
  for (int r = 0; r < 12; ++r) {
    const uint64_t raw = rows[r * maps + m];
    const uint32_t row = static_cast<uint32_t>(raw) | raw >> 32;
    int top = 0;
    for (int x = 0; x <= 32; ++x) {
      if (x < 32) height[x] = row >> x & 1 ? height[x] + 1 : 0;
      while (top > 0 && height[places[top - 1]] >= height[x]) {
        const int h = height[places[--top]], left = top > 0 ? places[top - 1] + 1 : 0;
        best = max(best, h * (x - left));
      }
      places[top++] = x;
    }
  }
  out[m] = best;
}

// Balloons burst in the best order: intervals of 24 balloons, a warp for each row of balloons, lanes share
// the last one of an interval.
// warpscope balloons_burst: block = 128 fixed, rows = 512, grid = rows / 4, values = u8 random[rows * 24], out = s32 zeros[rows]
__global__ void balloons_burst(const uint8_t* values, int* out) {
  __shared__ int most[4][26][27];
  __shared__ int worth[4][26];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 4 + warp;
  if (lane < 26) {
    worth[warp][lane] = lane == 0 || lane == 25 ? 1 : 1 + values[row * 24 + lane - 1] % 20;
    for (int k = 0; k < 26; ++k) most[warp][lane][k] = 0;
  }
  __syncwarp();
  for (int gap = 2; gap < 26; ++gap) {
    const int left = lane, right = lane + gap;
    if (right < 26) {
      const int ends = worth[warp][left] * worth[warp][right];
      int best = 0;
      for (int k = left + 1; k < right; ++k)
        best = max(best, most[warp][left][k] + most[warp][k][right] + ends * worth[warp][k]);
      most[warp][left][right] = best;
    }
    __syncwarp();
  }
  if (lane == 0) out[row] = most[warp][0][25];
}

// Weighted jobs in time that do not overlap: 32 jobs sorted by their ends by counting in a warp, then one
// pass with a search for the one before.
// warpscope disjoint_jobs: block = 64 fixed, machines = 2^12, grid = machines / 2, jobs = u16 random[machines * 64], out = s32 zeros[machines]
__global__ void disjoint_jobs(const ushort2* jobs, int* out, int machines) {
  __shared__ int ends[2][32], best[2][33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, m = blockIdx.x * 2 + warp;
  if (m >= machines) return;
  const ushort2 job = jobs[m * 32 + lane];
  const int start = job.x % 1000, end = start + 10 + job.y % 200, value = 1 + (job.y >> 8);
  int rank = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const int other = __shfl_sync(~0u, end, k);
    rank += other < end || (other == end && k < lane);
  }
  ends[warp][rank] = end;
  if (lane == 0) best[warp][0] = 0;
  __syncwarp();
  int before = 0;
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    if (ends[warp][before + step - 1] <= start) before += step;
  for (int k = 0; k < 32; ++k) {
    if (rank == k) best[warp][k + 1] = max(best[warp][k], best[warp][before] + value);
    __syncwarp();
  }
  if (lane == 0) out[m] = best[warp][32];
}

// Floors of a tower and how few eggs tell from which they break: for each number of throws how many floors
// suffice, by a table of sums.
// warpscope fewest_throws: block = 256, n = 2^15, grid = ceil(n / block), towers = u32 random[n], out = u8 zeros[n]
__global__ void fewest_throws(const uint32_t* towers, uint8_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t t = towers[i];
  const int eggs = 2 + t % 7;
  const uint32_t floors = (t >> 8) % 4000;
  uint32_t reach[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) reach[k] = 0;
  int throws = 0;
  uint32_t known = 0;
  while (known < floors) {
    ++throws;
#pragma unroll
    for (int k = 8; k > 0; --k) reach[k] += reach[k - 1] + 1;
#pragma unroll
    for (int k = 2; k < 9; ++k)
      if (k == eggs) known = reach[k];
  }
  out[i] = throws;
}

// Into how few palindromes a word of 32 letters can be cut: centres grow and shorten the cuts behind them.
// warpscope fewest_palindromes: block = 128 fixed, n = 2^13, grid = ceil(n / block), words = u64 random[n], out = u8 zeros[n]
__global__ void fewest_palindromes(const uint64_t* words, uint8_t* out, int n) {
  __shared__ uint8_t cuts[33][132];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  const uint64_t word = words[i];
  for (int k = 0; k <= 32; ++k) cuts[k][t] = k;
  for (int centre = 0; centre < 32; ++centre)
    for (int even = 0; even < 2; ++even) {
      int left = centre, right = centre + even;
      while (left >= 0 && right < 32 && ((word >> 2 * left ^ word >> 2 * right) & 3) == 0) {
        const int c = cuts[left][t] + 1;
        if (c < cuts[right + 1][t]) cuts[right + 1][t] = c;
        --left;
        ++right;
      }
    }
  out[i] = cuts[32][t];
}
