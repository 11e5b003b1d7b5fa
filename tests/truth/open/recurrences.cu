// Dynamic programming.
#include <cstdint>

// The longest rising subsequence of rows of 64 numbers: piles and bisection, in local memory.
// warpscope rising_subsequences: block = 64, rows = 2^12, grid = ceil(rows / block), in = random[rows * 64], out = zeros[rows]
__global__ void rising_subsequences(const uint16_t* in, uint8_t* out, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  uint16_t tops[64];
  int piles = 0;
  for (int k = 0; k < 64; ++k) {
    const uint16_t v = in[k * rows + r];
    int low = 0, high = piles;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (tops[middle] < v)
        low = middle + 1;
      else
        high = middle;
    }
    tops[low] = v;
    if (low == piles) ++piles;
  }
  out[r] = piles;
}

// The order of matrix products with a table of 32 x 32 costs in shared memory; a warp a chain, cells of a
// diagonal by lanes.
// warpscope chain_of_matrices: block = 32 fixed, chains = 528, grid = chains, sizes = random[chains * 33] in 5..60, out = zeros[chains]
__global__ void chain_of_matrices(const int* sizes, int* out) {
  __shared__ int cost[32][33], size[33];
  const int t = threadIdx.x;
  size[t] = sizes[blockIdx.x * 33 + t];
  if (t == 0) size[32] = sizes[blockIdx.x * 33 + 32];
  cost[t][t] = 0;
  __syncwarp();
  for (int d = 1; d < 32; ++d) {
    const int j = t + d;
    if (j < 32) {
      int best = 1 << 30;
      for (int k = t; k < j; ++k)
        best = min(best, cost[t][k] + cost[k + 1][j] + size[t] * size[k + 1] * size[j + 1]);
      cost[t][j] = best;
    }
    __syncwarp();
  }
  if (t == 0) out[blockIdx.x] = cost[0][31];
}

// Seams of least energy in a picture: 16 rows a launch, a tile with wings that shrink row by row.
// warpscope seam_rows: block = 256 fixed, width = 2^16, grid = ceil(width / 224), energy = random[16 * width], past = random[width] in 0..999, out = zeros[width], way = zeros[16 * width]
__global__ void seam_rows(const uint8_t* energy, const int* past, int* out, int8_t* way, int width) {
  __shared__ int row[2][258];
  const int t = threadIdx.x, x = blockIdx.x * 224 + t - 16;
  const bool inside = x >= 0 && x < width;
  const int far = 1 << 28;
  if (t < 2) row[t][0] = row[t][257] = far;
  row[0][t + 1] = inside ? past[x] : far;
  for (int y = 0; y < 16; ++y) {
    __syncthreads();
    const int* r = row[y & 1] + t;
    const int left = r[0], middle = r[1], right = r[2];
    const int best = min(min(left, right), middle);
    row[~y & 1][t + 1] = inside ? best + energy[y * width + x] : far;
    if (inside && t >= 16 && t < 240) way[y * width + x] = best == middle ? 0 : best == left ? -1 : 1;
  }
  __syncthreads();
  if (inside && t >= 16 && t < 240) out[x] = row[0][t + 1];
}

// Cutting rods: the best price of each length below 128 for each price list, one warp a list, candidates by
// lanes.
// warpscope rod_prices: block = 128 fixed, lists = 2112, grid = lists / 4, prices = random[lists * 128] in 1..99, out = zeros[lists * 128]
__global__ void rod_prices(const int* prices, int* out) {
  __shared__ int best[4][128], price[4][128];
  const int lane = threadIdx.x % 32, w = threadIdx.x / 32, list = blockIdx.x * 4 + w;
  for (int k = lane; k < 128; k += 32) price[w][k] = prices[list * 128 + k] + k * 20;
  if (lane == 0) best[w][0] = 0;
  __syncwarp();
  for (int length = 1; length < 128; ++length) {
    int most = 0;
    for (int cut = 1 + lane; cut <= length; cut += 32)
      most = max(most, price[w][cut] + best[w][length - cut]);
    most = __reduce_max_sync(~0u, most);
    if (lane == 0) best[w][length] = most;
    __syncwarp();
  }
  for (int k = lane; k < 128; k += 32) out[list * 128 + k] = best[w][k];
}

// Tours of ten towns by sets (Held and Karp): a block a tour, sets of equal size in one step, table in shared
// memory.
// warpscope tours_by_sets: block = 256 fixed, tours = 264, grid = tours, distances = random[tours * 100] in 1..99, out = zeros[tours]
__global__ void tours_by_sets(const uint8_t* distances, int* out) {
  __shared__ uint16_t table[512][9];
  __shared__ uint8_t d[100];
  const int t = threadIdx.x;
  if (t < 100) d[t] = distances[blockIdx.x * 100 + t];
  __syncthreads();
  if (t < 9) table[1 << t][t] = d[90 + t];
  for (int members = 2; members <= 9; ++members) {
    __syncthreads();
    for (int set = t; set < 512; set += 256) {
      if (__popc(set) != members) continue;
      for (unsigned ends = set; ends; ends &= ends - 1) {
        const int last = __ffs(ends) - 1, rest = set & ~(1 << last);
        int best = 65535;
        for (unsigned m = rest; m; m &= m - 1) {
          const int k = __ffs(m) - 1;
          best = min(best, table[rest][k] + d[k * 10 + last]);
        }
        table[set][last] = best;
      }
    }
  }
  __syncthreads();
  if (t == 0) {
    int best = 65535;
    for (int k = 0; k < 9; ++k) best = min(best, table[511][k] + d[k * 10 + 9]);
    out[blockIdx.x] = best;
  }
}

// Regular expressions with stars and dots against words, rows of the table as bits of one word.
// warpscope starred_patterns: block = 256, n = 2^14, grid = ceil(n / block), patterns = random[n * 8] in 96..103, words = random[n * 24] in 99..103, out = zeros[n]
__global__ void starred_patterns(const char* patterns, const char* words, uint8_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t ends = 1;
  for (int p = 0; p < 8; ++p) {
    const char c = patterns[i * 8 + p];
    if (c == 'a') {
      ends |= ends << 1, ends |= ends << 2, ends |= ends << 4, ends |= ends << 8, ends |= ends << 16;
      continue;
    }
    uint32_t fits = 0;
    if (c == '`' || c == 'b')
      fits = ~0u;
    else
      for (int k = 0; k < 24; ++k) fits |= uint32_t(words[i * 24 + k] == c) << k;
    ends = (ends & fits) << 1 | (c == 'b' ? ends : 0);
    if (!ends) break;
  }
  out[i] = ends >> 24 & 1;
}

// The least climb through hilly fields of 64 x 64, right and down; rows are threads, which pass a wave along
// the anti-diagonals.
// warpscope hills_with_states: block = 64 fixed, fields = 528, grid = fields, height = random[fields * 4096], out = zeros[fields]
__global__ void hills_with_states(const uint8_t* height, int* out) {
  __shared__ uint8_t h[64][64];
  __shared__ int edge[64];
  const int t = threadIdx.x;
  for (int r = 0; r < 64; ++r) h[r][t] = height[blockIdx.x * 4096 + r * 64 + t];
  edge[t] = 1 << 20;
  __syncthreads();
  int left = t == 0 ? 0 : 1 << 20, above = 1 << 20;
  for (int wave = 0; wave < 127; ++wave) {
    const int x = wave - t;
    const bool on = x >= 0 && x < 64;
    if (on) {
      if (t > 0) above = edge[t - 1];
      const int here = h[t][x], climb = x > 0 ? max(here - h[t][x - 1], 0) : 0;
      const int rise = t > 0 ? max(here - h[t - 1][x], 0) : 0;
      left = min(left + climb, above + rise) + 1;
    }
    __syncthreads();
    if (on) edge[t] = left;
    __syncthreads();
  }
  if (t == 63) out[blockIdx.x] = left;
}
