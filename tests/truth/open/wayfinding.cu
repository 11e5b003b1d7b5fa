// Graphs, routes and searches.
#include <cstdint>

// Roads of a city grid: blocks of 32 x 32 crossings relax their times together until nothing gets shorter;
// then the borders go out.
// warpscope district_relaxation: block = (32, 8), side = 512, grid = (side / 32, side / 32), cost = random[side * side] in 1..9, time = random[side * side] in 0..400
__global__ void district_relaxation(const uint8_t* cost, int* time, int side) {
  __shared__ int t[34][34];
  __shared__ int again;
  const int x = threadIdx.x, bx = blockIdx.x * 32, by = blockIdx.y * 32, far = 1 << 28;
  for (int k = threadIdx.y * 32 + x; k < 34 * 34; k += 256) {
    const int gx = bx + k % 34 - 1, gy = by + k / 34 - 1;
    const bool inside = k % 34 > 0 && k % 34 < 33 && k / 34 > 0 && k / 34 < 33;
    t[k / 34][k % 34] = inside ? time[gy * side + gx] | (gx * 7 + gy & 3) << 4 : far;
  }
  int mine[4];
  for (int r = 0; r < 4; ++r) mine[r] = cost[(by + threadIdx.y * 4 + r) * side + bx + x];
  for (int round = 0; round < 24; ++round) {
    __syncthreads();
    if (x == 0 && threadIdx.y == 0) again = 0;
    __syncthreads();
    bool changed = false;
    int next[4];
    for (int r = 0; r < 4; ++r) {
      const int y = threadIdx.y * 4 + r + 1;
      const int near = min(min(t[y - 1][x + 1], t[y + 1][x + 1]), min(t[y][x], t[y][x + 2])) + mine[r];
      next[r] = min(near, t[y][x + 1]);
      changed |= near < t[y][x + 1];
    }
    __syncthreads();
    for (int r = 0; r < 4; ++r) t[threadIdx.y * 4 + r + 1][x + 1] = next[r];
    if (__any_sync(~0u, changed) && x == 0) again = 1;
    __syncthreads();
    if (!again) break;
  }
  for (int r = 0; r < 4; ++r) {
    const int y = threadIdx.y * 4 + r;
    if (t[y + 1][x + 1] < 0) time[(by + y) * side + bx + x] = 0;
    if (x == 0 && t[y + 1][1] > 500) time[(by + y) * side + bx] = t[y + 1][1] & 511;
  }
}

// A frontier as a bitmap of 32 searches at once: each vertex takes on the searches of its neighbours that it
// has not seen.
// warpscope thirty_two_searches: block = 256, n = 2^15, grid = ceil(n / block), neighbours = random[n * 8], degrees = random[n] in 0..8, frontier = random[n], seen = random[n]:4, next = zeros[n]
__global__ void thirty_two_searches(const uint32_t* neighbours, const uint8_t* degrees,
                                    const uint32_t* frontier, const uint32_t* seen, uint32_t* next, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  uint32_t wanted = ~seen[v], found = 0;
  for (int e = 0; e < degrees[v] && found != wanted; ++e)
    found |= frontier[neighbours[v * 8 + e] & (n - 1)] & wanted;
  next[v] = found;
}

// The colours of a graph's vertices, after Jones and Plassmann: who has the largest number among uncoloured
// neighbours takes the least free colour.
// warpscope independent_colours: block = 128, n = 2^15, grid = ceil(n / block), edges = random[n * 6], old = random[n] in 0..20, colour = zeros[n]
__global__ void independent_colours(const uint32_t* edges, const uint8_t* old, uint8_t* colour, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const uint8_t mine = old[v];
  if (mine > 0 && mine < 12) {
    colour[v] = mine;
    return;
  }
  const uint32_t weight = v * 2654435761u;
  uint32_t taken = 1;
#pragma unroll
  for (int e = 0; e < 6; ++e) {
    const uint32_t u = edges[v * 6 + e] % n;
    const uint8_t other = __ldg(&old[u]);
    if (other > 0 && other < 12)
      taken |= 1u << other;
    else if (u * 2654435761u > weight)
      taken = ~0u;
  }
  colour[v] = taken == ~0u ? 0 : __ffs(~taken) - 1;
}

// Two opt on tours of 128 towns: each block has a tour and finds the best exchange of two edges.
// warpscope best_exchange: block = 128 fixed, tours = 264, grid = tours, towns = f32 random[tours * 256], best = zeros[tours]
__global__ void best_exchange(const float2* towns, unsigned long long* best) {
  __shared__ float2 at[129];
  __shared__ unsigned long long least;
  const int i = threadIdx.x;
  at[i] = towns[blockIdx.x * 128 + i];
  if (i == 0) {
    at[128] = towns[blockIdx.x * 128];
    least = ~0ull;
  }
  __syncthreads();
  auto far = [](float2 a, float2 b) { return hypotf(a.x - b.x, a.y - b.y); };
  float gain = 0;
  int which = i;
  const float own = far(at[i], at[i + 1]);
  for (int j = i + 2; j < 128; ++j) {
    const float change = far(at[i], at[j]) + far(at[i + 1], at[j + 1]) - own - far(at[j], at[j + 1]);
    if (change < gain) {
      gain = change;
      which = j;
    }
  }
  atomicMin(&least, (unsigned long long)(~__float_as_uint(-gain)) << 32 | i << 16 | which);
  __syncthreads();
  if (i == 0) best[blockIdx.x] = least;
}

// Union-find with halving of paths: edges join trees by compare-and-swap of the larger root.
// warpscope join_forests: block = 256, n = 2^15, grid = ceil(n / block), edges = u32 random[2 * n], parent = zeros[n]
__global__ void join_forests(const uint2* edges, unsigned* parent, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // A parent is kept as the distance down, so that zeros are a forest of single trees.
  auto root = [&](unsigned v) {
    unsigned down = *(volatile unsigned*)&parent[v];
    while (down) {
      v -= down;
      down = *(volatile unsigned*)&parent[v];
    }
    return v;
  };
  unsigned a = root(edges[i].x % n), b = root(edges[i].y % n);
  while (a != b) {
    const unsigned low = min(a, b), high = max(a, b);
    if (atomicCAS(&parent[high], 0u, high - low) == 0) break;
    a = root(low);
    b = root(high);
  }
}

// Johnson's order of triangles: for each edge the common neighbours of two sorted lists of 16, by a merge.
// warpscope merged_triangles: block = 128, n = 2^13, grid = ceil(n * 4 / block), steps = random[n * 16] in 1..9, ends = random[n * 4], out = zeros[n * 4]
__global__ void merged_triangles(const uint8_t* steps, const uint32_t* ends, uint8_t* out, int n) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n * 4) return;
  const uint8_t *p = steps + e / 4 * 16, *q = steps + ends[e] % n * 16;
  int i = 0, j = 0, a = p[0], b = q[0], common = 0;
  while (true) {
    if (a <= b) {
      common += a == b;
      if (++i == 16) break;
      a += p[i];
    } else {
      if (++j == 16) break;
      b += q[j];
    }
  }
  out[e] = common;
}

// Betweenness by pushes: a warp takes the edges of a vertex on the frontier and adds shares to the next
// level's counts.
// warpscope pushed_path_counts: block = 256, n = 2^13, grid = n / 8, first = random[n] in 0..99999, degree = random[n] in 0..90, targets = random[2^17], level = random[n] in 3..5, paths = random[n] in 1..4, counts = zeros[n]
__global__ void pushed_path_counts(const int* first, const int* degree, const uint32_t* targets,
                                   const int* level, const int* paths, int* counts, int n) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (v >= n || level[v] != 3) return;
  const int start = first[v], end = start + degree[v], mine = paths[v];
  for (int e = start + lane; e < end; e += 32) {
    const int u = targets[e] % n;
    if (level[u] == 4) atomicAdd(&counts[u], mine);
  }
}

// Iterated deepening without a stack: the shortest knight's walks on a small board by masks of 64 squares.
// warpscope knight_distances: block = 64, grid = 66, pairs = 2^12, blocked = random[pairs], out = zeros[pairs]
__global__ void knight_distances(const uint64_t* blocked, uint8_t* out, int pairs) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
    const uint64_t closed = blocked[i] & blocked[i] >> 21, target = 1ull << (i * 13 & 63);
    uint64_t seen = 1ull << (i & 63);
    int steps = 0;
    while (!(seen & target) && steps < 20) {
      const uint64_t w = (seen & 0x7f7f7f7f7f7f7f7full) << 1, e = (seen & 0xfefefefefefefefeull) >> 1;
      const uint64_t ww = (seen & 0x3f3f3f3f3f3f3f3full) << 2, ee = (seen & 0xfcfcfcfcfcfcfcfcull) >> 2;
      const uint64_t one = w | e, two = ww | ee;
      const uint64_t next = seen | ((one << 16 | one >> 16 | two << 8 | two >> 8) & ~closed);
      if (next == seen) {
        steps = 99;
        break;
      }
      seen = next;
      ++steps;
    }
    out[i] = steps;
  }
}
