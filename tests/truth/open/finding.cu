// Neighbours, clusters, trees of decisions, paths in graphs, patterns in texts, games.
#include <cstdint>

__device__ __forceinline__ unsigned scattered(unsigned x) {
  x = (x ^ 61) ^ x >> 16;
  x *= 9;
  x ^= x >> 4;
  x *= 0x27d4eb2du;
  return x ^ x >> 15;
}

// The eight nearest of 512 points in sixteen dimensions; a thread's list stays in order by insertion.
// warpscope nearest_eight: block = 128 fixed, queries = 16896, points = 512, grid = queries / 128, wanted = f32 random[16 * queries], data = f32 random[16 * points]:2, out = zeros[8 * queries]
__global__ void nearest_eight(const float4* wanted, const float4* data, int* out, int queries, int points) {
  __shared__ float4 tile[32][4];
  const int q = blockIdx.x * 128 + threadIdx.x;
  float4 mine[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) mine[k] = wanted[4 * q + k];
  float distances[8];
  int indices[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) distances[k] = 1e30f, indices[k] = -1;
  for (int first = 0; first < points; first += 32) {
    __syncthreads();
    tile[threadIdx.x / 4][threadIdx.x % 4] = data[first * 4 + threadIdx.x];
    __syncthreads();
    for (int p = 0; p < 32; ++p) {
      float d = 0;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float4 o = tile[p][k];
        const float a = mine[k].x - o.x, b = mine[k].y - o.y, c = mine[k].z - o.z, e = mine[k].w - o.w;
        d += a * a + b * b + c * c + e * e;
      }
      if (d >= distances[7]) continue;
      int index = first + p;
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        if (d < distances[k]) {
          const float held = distances[k];
          const int held_index = indices[k];
          distances[k] = d, indices[k] = index;
          d = held, index = held_index;
        }
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) out[k * queries + q] = indices[k];
}

// Forests: each row goes down 12 trees of depth six; features lie in rows, nodes hold feature and bound.
// warpscope forest: block = 96, rows = 40000, trees = 12, grid = ceil(rows / block), nodes = f32 random[2 * 64 * trees], features = f32 random[16 * rows], out = zeros[rows]
__global__ void forest(const float2* __restrict__ nodes, const float* __restrict__ features,
                       float* __restrict__ out, int rows, int trees) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int t = 0; t < trees; ++t) {
    int at = 1;
    float2 node;
    do {
      node = nodes[64 * t + at];
      const int feature = int(node.y * 997.f) & 15;
      at = 2 * at + (features[r * 16 + feature] > node.x);
    } while (at < 64);
    sum += node.x * (at & 1 ? 1.f : -1.f);
  }
  out[r] = 1 / (1 + expf(-sum));
}

// Means of clusters: points look for the nearest of 24 centres in constant-like shared memory; sums by
// atomics on doubles.
// warpscope cluster_step: block = 320, n = 60000, grid = 66, points = random[4 * n], centres = random[96]:9, sums = zeros[120]
__global__ void cluster_step(const float* points, const float* centres, double* sums, int n) {
  __shared__ float c[96];
  __shared__ float local[120];
  for (int k = threadIdx.x; k < 120; k += blockDim.x) {
    if (k < 96) c[k] = centres[k];
    local[k] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float p[4], best = 1e30f;
    int which = 0;
    for (int d = 0; d < 4; ++d) p[d] = points[d * n + i];
    for (int k = 0; k < 24; ++k) {
      float sum = 0;
      for (int d = 0; d < 4; ++d) sum += (p[d] - c[4 * k + d]) * (p[d] - c[4 * k + d]);
      if (sum < best) best = sum, which = k;
    }
    for (int d = 0; d < 4; ++d) atomicAdd(&local[5 * which + d], p[d]);
    atomicAdd(&local[5 * which + 4], 1.f);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 120; k += blockDim.x) atomicAdd(&sums[k], double(local[k]));
}

// Shortest paths between all: one block of 48 by 48 (Floyd and Warshall), nine cells a thread.
// warpscope floyd_block: block = (16, 16) fixed, grid = 132, distances = random[2304 * 132] in 1..1000
__global__ void floyd_block(int* distances) {
  __shared__ int d[48][48];
  int* mine = distances + 2304 * blockIdx.x;
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (int y = ty; y < 48; y += 16)
    for (int x = tx; x < 48; x += 16) d[y][x] = mine[y * 48 + x];
  __syncthreads();
  for (int k = 0; k < 48; ++k) {
    int fresh[3][3];
#pragma unroll
    for (int a = 0; a < 3; ++a)
#pragma unroll
      for (int b = 0; b < 3; ++b)
        fresh[a][b] = min(d[ty + 16 * a][tx + 16 * b], d[ty + 16 * a][k] + d[k][tx + 16 * b]);
    __syncthreads();
#pragma unroll
    for (int a = 0; a < 3; ++a)
#pragma unroll
      for (int b = 0; b < 3; ++b) d[ty + 16 * a][tx + 16 * b] = fresh[a][b];
    __syncthreads();
  }
  for (int y = ty; y < 48; y += 16)
    for (int x = tx; x < 48; x += 16) mine[y * 48 + x] = d[y][x];
}

// Breadth-first search over an adjacency of bits: a warp takes a row, and stops at the first parent that it
// finds.
// warpscope bottom_up: block = 256, nodes = 8192, grid = ceil(nodes / 8), rows = random[nodes * nodes / 32], frontier = random[nodes / 32]:3, levels = random[nodes] in -1..2, next = zeros[nodes / 32]
__global__ void bottom_up(const unsigned* __restrict__ rows, const unsigned* __restrict__ frontier,
                          int* levels, unsigned* next, int nodes) {
  const int node = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32,
            words = nodes / 32;
  if (node >= nodes || levels[node] >= 0) return;
  __syncwarp();
  for (int w = lane; w < words; w += 32) {
    unsigned hit = rows[size_t(node) * words + w] & frontier[w];
    hit &= hit >> 3 & hit >> 7 & hit << 5 & hit << 11;
    if (__any_sync(~0u, hit != 0)) {
      if (lane == 0) {
        levels[node] = 3;
        atomicOr(&next[node / 32], 1u << (node & 31));
      }
      break;
    }
  }
}

// Independent sets after Luby: nodes with the greatest number among eight neighbours join.
// warpscope luby_step: block = 192, nodes = 100000, grid = ceil(nodes / block), priorities = random[nodes], state = random[nodes] in 0..2, out = zeros[nodes]
__global__ void luby_step(const unsigned* priorities, const unsigned char* state, unsigned char* out,
                          int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  unsigned char result = state[node];
  if (result == 0) {
    const unsigned mine = priorities[node];
    result = 1;
    for (int k = 0; k < 8; ++k) {
      const unsigned other = (node + (scattered(node * 8 + k) & 4095)) % nodes;
      if (state[other] == 1) {
        result = 2;
        break;
      }
      if (state[other] == 0 && priorities[other] > mine) {
        result = 0;
        break;
      }
    }
  }
  out[node] = result;
}

// Shift-and: patterns of up to 64 letters as bits, texts cut into pieces that overlap.
// warpscope shift_and: block = 128 fixed, pieces = 16896, grid = pieces / 128, masks = random[64], text = random[48 * pieces + 64] in 64..79, matches = zeros[pieces]
__global__ void shift_and(const unsigned long long* masks, const char* __restrict__ text, unsigned* matches) {
  __shared__ unsigned long long m[64];
  if (threadIdx.x < 64) m[threadIdx.x] = masks[threadIdx.x] | masks[63 - threadIdx.x];
  __syncthreads();
  const int piece = blockIdx.x * 128 + threadIdx.x;
  unsigned long long state = 0;
  unsigned found = 0;
  for (int k = 0; k < 112; ++k) {
    state = (state << 1 | 1) & m[text[48 * piece + k] & 63];
    found += (state & 0x0001000100000000ull) != 0;
  }
  matches[piece] = found;
}

// Dynamic programming in a triangle: the best way to bracket 64 products, a block each, diagonal by diagonal,
// 64 bits.
// warpscope bracket_products: block = 64 fixed, grid = 264, sizes = random[65 * 264] in 1..50, best = zeros[264]
__global__ void bracket_products(const int* sizes, long long* best) {
  __shared__ int p[65];
  __shared__ unsigned cost[64][65];
  const int t = threadIdx.x;
  for (int k = t; k < 65; k += 64) p[k] = sizes[65 * blockIdx.x + k];
  cost[t][t] = 0;
  for (int length = 2; length <= 64; ++length) {
    __syncthreads();
    const int last = t + length - 1;
    if (last < 64) {
      unsigned least = 0xffffffffu;
      const int outer = p[t] * p[last + 1];
      for (int k = t; k < last; ++k) least = min(least, cost[t][k] + cost[k + 1][last] + outer * p[k + 1]);
      cost[t][last] = least;
    }
  }
  __syncthreads();
  if (t == 0) best[blockIdx.x] = cost[0][63];
}

// Games of four in a row are played at random to their ends: boards of 64 bits, lanes stop at different
// times.
__device__ bool aligned4(unsigned long long b) {
  for (int d : {1, 7, 6, 8}) {
    const unsigned long long pairs = b & b >> d;
    if (pairs & pairs >> 2 * d) return true;
  }
  return false;
}
// warpscope random_games: block = 64, games = 12672, grid = games / block, wins = zeros[3]
__global__ void random_games(unsigned* wins, int games) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= games) return;
  unsigned seed = scattered(id + 1);
  unsigned long long boards[2] = {0, 0};
  unsigned char heights[7] = {0, 0, 0, 0, 0, 0, 0};
  int result = 2;
  for (int move = 0; move < 42; ++move) {
    int column;
    do {
      seed = seed * 1103515245u + 12345u;
      column = (seed >> 16) % 7;
    } while (heights[column] == 6);
    unsigned long long& board = boards[move & 1];
    board |= 1ull << (7 * column + heights[column]++);
    if (aligned4(board)) {
      result = move & 1;
      break;
    }
  }
  const unsigned same = __match_any_sync(__activemask(), result);
  if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&wins[result], __popc(same));
}

// Tours are made shorter: a block tries all exchanges of two edges among 192 cities in shared memory, and
// takes the best.
// warpscope exchange_edges: block = 192 fixed, grid = 264, cities = f32 random[2 * 192 * 264], out = s32 zeros[2 * 264]
__global__ void exchange_edges(const float2* cities, int2* out) {
  __shared__ float2 c[193];
  __shared__ unsigned long long best;
  const int i = threadIdx.x;
  c[i] = cities[blockIdx.x * 192 + i];
  if (i == 0) best = ~0ull, c[192] = cities[blockIdx.x * 192];
  __syncthreads();
  auto apart = [](float2 a, float2 b) {
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
  };
  const float2 a = c[i], b = c[i + 1];
  const float mine = apart(a, b);
  float least = 0;
  int with = 0;
  for (int j = i + 2; j < 192; ++j) {
    const float2 u = c[j], v = c[j + 1];
    const float gain = apart(a, u) + apart(b, v) - mine - apart(u, v);
    if (gain < least) least = gain, with = j;
  }
  const unsigned bits = __float_as_uint(least + 8.f);
  atomicMin(&best, (unsigned long long)bits << 32 | unsigned(i << 16 | with));
  __syncthreads();
  if (i == 0) out[blockIdx.x] = make_int2(int(best) >> 16, int(best) & 0xffff);
}
