// Dynamic programming: tables whose cells follow from others.

// The likeliest path through 32 hidden states, a warp for each sequence.
// warpscope hidden_states: block = 128, sequences = 600, length = 48, grid = ceil(32 * sequences / block), moves = random[1024], seen = random[32 * 16]:2, sequence = random[sequences * length] in 0..15, out = zeros[sequences * 32], back = zeros[sequences * length * 32]
__global__ void hidden_states(const float* moves, const float* seen, const unsigned char* sequence,
                              float* out, unsigned char* back, int sequences, int length) {
  __shared__ float local[32][33];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) local[k / 32][k % 32] = moves[k];
  __syncthreads();
  const int at = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (at >= sequences) return;
  float score = 0;
  for (int step = 0; step < length; ++step) {
    float best = -1e30f;
    int from = 0;
    for (int k = 0; k < 32; ++k) {
      const float value = __shfl_sync(0xFFFFFFFF, score, k) + local[k][lane];
      if (value > best) best = value, from = k;
    }
    score = best + seen[sequence[at * length + step] * 32 + lane];
    back[(at * length + step) * 32 + lane] = from;
  }
  out[at * 32 + lane] = score;
}

// The longest common subsequence of two texts of 256 letters, along diagonals: a block each.
// warpscope common_letters: block = 256 fixed, pairs = 260, grid = pairs, a = random[256 * pairs] in 0..7, b = random[256 * pairs]:3 in 0..7, out = zeros[pairs]
__global__ void common_letters(const unsigned char* a, const unsigned char* b, int* out) {
  __shared__ unsigned char text[256];
  __shared__ short lines[3][257];
  const int t = threadIdx.x;
  const unsigned char mine = a[blockIdx.x * 256 + t];
  text[t] = b[blockIdx.x * 256 + t];
  for (int k = 0; k < 3; ++k) lines[k][t + 1] = 0;
  if (t < 3) lines[t][0] = 0;
  __syncthreads();
  for (int d = 0; d < 511; ++d) {
    const int column = d - t;
    if (column >= 0 && column < 256) {
      const short *last = lines[(d + 2) % 3], *before = lines[(d + 1) % 3];
      lines[d % 3][t + 1] =
          text[column] == mine ? before[t] + 1 : max(column > 0 ? last[t + 1] : 0, static_cast<int>(last[t]));
    }
    __syncthreads();
  }
  if (t == 255) out[blockIdx.x] = lines[510 % 3][256];
}

// The cheapest order of products of 40 matrices, a block each, chain by chain.
// warpscope product_order: block = 64 fixed, chains = 200, grid = chains, sides = random[41 * chains] in 1..50, out = zeros[chains]
__global__ void product_order(const int* sides, int* out) {
  __shared__ int cost[40][41], side[41];
  const int t = threadIdx.x;
  if (t < 41) side[t] = sides[blockIdx.x * 41 + t];
  if (t < 40) cost[t][t] = 0;
  for (int length = 1; length < 40; ++length) {
    __syncthreads();
    const int last = t + length;
    if (last < 40) {
      int best = 0x7FFFFFFF;
      for (int k = t; k < last; ++k)
        best = min(best, cost[t][k] + cost[k + 1][last] + side[t] * side[k + 1] * side[last + 1]);
      cost[t][last] = best;
    }
  }
  if (t == 0) out[blockIdx.x] = cost[0][39];
}

// In how many ways coins add up to each sum, modulo 2^32.
// warpscope coin_ways: block = 160, purses = 330, sums = 480, grid = purses, coins = random[8 * purses] in 1..60, out = zeros[purses * sums]
__global__ void coin_ways(const int* coins, unsigned* out, int sums) {
  __shared__ unsigned ways[2][512];
  for (int k = threadIdx.x; k < sums; k += blockDim.x) ways[0][k] = k == 0;
  int from = 0;
  for (int c = 0; c < 8; ++c) {
    const int coin = coins[blockIdx.x * 8 + c];
    __syncthreads();
    for (int k = threadIdx.x; k < sums; k += blockDim.x) {
      unsigned sum = 0;
      for (int at = k; at >= 0; at -= coin) sum += ways[from][at];
      ways[1 - from][k] = sum;
    }
    from = 1 - from;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < sums; k += blockDim.x) out[blockIdx.x * sums + k] = ways[from][k];
}

// Shortest ways between 32 places, in shared memory: a block for each map.
// warpscope all_ways: block = (32, 8) fixed, maps = 500, grid = maps, lengths = random[1024 * maps]
__global__ void all_ways(float* lengths) {
  __shared__ float way[32][32];
  const int x = threadIdx.x;
  float* mine = lengths + blockIdx.x * 1024;
  for (int y = threadIdx.y; y < 32; y += 8) way[y][x] = mine[y * 32 + x];
  for (int k = 0; k < 32; ++k) {
    __syncthreads();
    float better[4];
    for (int r = 0; r < 4; ++r) {
      const int y = threadIdx.y + 8 * r;
      better[r] = fminf(way[y][x], way[y][k] + way[k][x]);
    }
    __syncthreads();
    for (int r = 0; r < 4; ++r) way[threadIdx.y + 8 * r][x] = better[r];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) mine[y * 32 + x] = way[y][x];
}

// The longest ascending subsequence, by the least ends of those of each length.
// warpscope ascending: block = 96, rows = 6000, grid = ceil(rows / block), in = random[40 * rows], out = zeros[rows]
__global__ void ascending(const unsigned short* in, int* out, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  unsigned short ends[40];
  int length = 0;
  for (int k = 0; k < 40; ++k) {
    const unsigned short value = in[k * rows + row];
    int low = 0, high = length;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (ends[middle] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    ends[low] = value;
    length = max(length, low + 1);
  }
  out[row] = length;
}

// How far two series of 64 values are apart when time may stretch, within a band of 17 cells.
// warpscope time_warping: block = 64, pairs = 3000, grid = ceil(pairs / block), a = random[64 * pairs], b = random[64 * pairs]:2, out = zeros[pairs]
__global__ void time_warping(const float* a, const float* b, float* out, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  float band[18];
#pragma unroll
  for (int k = 0; k < 18; ++k) band[k] = k == 8 ? 0 : 1e30f;
  for (int row = 0; row < 64; ++row) {
    const float value = a[row * pairs + i];
    float left = 1e30f;
#pragma unroll
    for (int k = 0; k < 17; ++k) {
      const int column = row + k - 8;
      float best = 1e30f;
      if (column >= 0 && column < 64)
        best = fabsf(value - b[column * pairs + i]) + fminf(left, fminf(band[k], band[k + 1]));
      band[k] = left = best;
    }
  }
  out[i] = band[8];
}

// Generations of cells in a row, 32 in a word, that follow from three neighbours: one block.
// warpscope generations: block = 256 fixed, steps = 150, grid = 1, first = random[256], out = zeros[256 * steps]
__global__ void generations(const unsigned* first, unsigned* out, int steps) {
  __shared__ unsigned cells[2][256];
  const int t = threadIdx.x;
  cells[0][t] = first[t];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const unsigned* now = cells[step % 2];
    const unsigned here = now[t], left = here << 1 | now[(t + 255) % 256] >> 31,
                   right = here >> 1 | now[(t + 1) % 256] << 31;
    const unsigned next = left ^ (here | right);
    cells[1 - step % 2][t] = next;
    out[step * 256 + t] = next;
    __syncthreads();
  }
}
