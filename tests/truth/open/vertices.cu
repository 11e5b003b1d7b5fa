// Graphs and trees, most of them made on the fly by a rule of hashing so that every launch does the same
// work.
#include <cstdint>

__device__ __forceinline__ uint32_t scattered(uint32_t v) {
  v ^= v >> 16;
  v *= 0x7FEB352Du;
  v ^= v >> 15;
  v *= 0x846CA68Bu;
  return v ^ v >> 16;
}

// Which vertices 64 sources reach in one more step: a word of bits for each vertex, neighbours pulled by four
// lanes.
// warpscope many_sources_step: block = 256 fixed, n = 2^15, grid = n / 64, edges = u32 random[n * 12], seen = u64 random[n], next = u64 zeros[n], fresh = s32 zeros[n]
__global__ void many_sources_step(const uint32_t* edges, const uint64_t* __restrict__ seen, uint64_t* next,
                                  int* fresh, int n) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 4, part = threadIdx.x % 4;
  if (v >= n) return;
  const uint64_t before = seen[v] & seen[v ^ 1];
  uint64_t reached = 0;
#pragma unroll
  for (int k = part; k < 12; k += 4) {
    const uint32_t u = edges[v * 12 + k] % n;
    reached |= seen[u] & seen[u ^ 1];
    if (reached == ~0ull) break;
  }
  reached |= __shfl_xor_sync(~0u, reached, 1);
  reached |= __shfl_xor_sync(~0u, reached, 2);
  if (part == 0) {
    next[v] = reached | before;
    fresh[v] = __popcll(reached & ~before);
  }
}

// Lowest common ancestors in a tree where the parent of v is (v - 1) / 3, by climbing to the same depth and
// then together.
struct Climber {
  int vertex, depth;
  __device__ void up(int steps) {
    depth -= steps;
    for (; steps > 0; --steps) vertex = (vertex - 1) / 3;
  }
};
__device__ int depthOf(int v) {
  int d = 0;
  for (; v > 0; v = (v - 1) / 3) ++d;
  return d;
}
// warpscope meeting_ancestors: block = 192, n = 2^16, grid = ceil(n / block), pairs = u32 random[2 * n], out = s32 zeros[n]
__global__ void meeting_ancestors(const uint2* pairs, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint2 p = pairs[i];
  Climber a{static_cast<int>(p.x & 0xFFFFF), 0}, b{static_cast<int>(p.y & 0xFFFFF), 0};
  a.depth = depthOf(a.vertex);
  b.depth = depthOf(b.vertex);
  if (a.depth > b.depth)
    a.up(a.depth - b.depth);
  else
    b.up(b.depth - a.depth);
  while (a.vertex != b.vertex) {
    a.up(1);
    b.up(1);
  }
  out[i] = a.vertex;
}

// The support of edges in trusses: common neighbours of both ends by merging two sorted lists of gaps.
// warpscope truss_support: block = 128, edges = 2^14, vertices = 4096, grid = ceil(edges / block), gaps = u8 random[vertices * 16], ends = u32 random[edges], out = s32 zeros[edges]
__global__ void truss_support(const uint8_t* __restrict__ gaps, const uint32_t* ends, int* out, int edges,
                              int vertices) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const uint32_t pair = ends[e];
  const uint8_t *a = gaps + pair % vertices * 16, *b = gaps + (pair >> 16) % vertices * 16;
  int i = 0, j = 0, x = a[0] & 15, y = b[0] & 15, common = 0;
  while (i < 16 && j < 16) {
    if (x == y) ++common;
    const bool left = x <= y, right = y <= x;
    if (left && ++i < 16) x += 1 + (a[i] & 15);
    if (right && ++j < 16) y += 1 + (b[j] & 15);
  }
  out[e] = common;
}

// A step of hubs and authorities: each warp gathers one vertex's neighbours and adds to the norm, warp sums
// in double precision.
// warpscope hubs_and_authorities: block = 256 fixed, n = 2^13, grid = n / 8, offsets = iota[n + 1], targets = u32 random[n * 48], hubs = f32 random[n], authorities = f32 zeros[n], norm = f64 zeros[1]
__global__ void hubs_and_authorities(const int* offsets, const uint32_t* targets,
                                     const float* __restrict__ hubs, float* authorities, double* norm,
                                     int n) {
  __shared__ double part[8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, v = blockIdx.x * 8 + warp;
  float sum = 0;
  if (v < n) {
    const int from = offsets[v] * 48, to = from + 8 + scattered(v) % 40;
    for (int e = from + lane; e < to; e += 32) sum += __ldg(&hubs[targets[e] % n]);
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) {
    if (v < n) authorities[v] = sum;
    part[warp] = static_cast<double>(sum) * sum;
  }
  __syncthreads();
  if (threadIdx.x < 8) {
    double all = part[threadIdx.x];
    for (int d = 4; d; d >>= 1) all += __shfl_down_sync(0xFF, all, d);
    if (threadIdx.x == 0) atomicAdd(norm, all);
  }
}

// The shortest way on a grid of 12 x 12 with weights by A*: each thread has a map of its own and a small
// binary heap.
// warpscope starred_grids: block = 32, maps = 1024, grid = maps / block, seeds = u32 random[maps], out = s32 zeros[maps]
__global__ void starred_grids(const uint32_t* seeds, int* out, int maps) {
  constexpr int Side = 12;
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= maps) return;
  uint16_t cost[Side * Side], heap[192];
  heap[0] = 0;
  const uint32_t seed = seeds[m];
  for (int k = 0; k < Side * Side; ++k) cost[k] = 255;
  int size = 0;
  auto push = [&](int place, int known) {
    if (size == 192) return;
    const int x = place % Side, y = place / Side;
    const uint16_t item = min(known + 2 * Side - 2 - x - y, 255) << 8 | place;
    int k = size++;
    for (; k > 0 && heap[(k - 1) / 2] > item; k = (k - 1) / 2) heap[k] = heap[(k - 1) / 2];
    heap[k] = item;
  };
  cost[0] = 0;
  push(0, 0);
  while (size > 0) {
    const int place = heap[0] & 255;
    const uint16_t moved = heap[--size];
    int k = 0;
    for (int child; (child = 2 * k + 1) < size; k = child) {
      if (child + 1 < size && heap[child + 1] < heap[child]) ++child;
      if (heap[child] >= moved) break;
      heap[k] = heap[child];
    }
    heap[k] = moved;
    if (place == Side * Side - 1) break;
    const int x = place % Side, y = place / Side;
    for (int way = 0; way < 4; ++way) {
      const int nx = x + (way == 0) - (way == 1), ny = y + (way == 2) - (way == 3);
      if (nx < 0 || ny < 0 || nx >= Side || ny >= Side) continue;
      const int to = ny * Side + nx, now = cost[place] + 1 + scattered(seed + to) % 5;
      if (now < cost[to]) {
        cost[to] = now;
        push(to, now);
      }
    }
  }
  out[m] = cost[Side * Side - 1];
}

// Walks that remember where they came from (return and stray weights), 24 steps on a graph of 8 neighbours a
// vertex.
// warpscope homesick_walks: block = 128, n = 2^13, grid = ceil(n / block), targets = u16 random[n * 8], out = u16 zeros[n * 24]
__global__ void homesick_walks(const uint16_t* targets, uint16_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = i, before = i;
  uint32_t luck = scattered(i + 1);
  for (int step = 0; step < 24; ++step) {
    const uint4 list = *reinterpret_cast<const uint4*>(targets + at * 8);
    const uint32_t words[4] = {list.x, list.y, list.z, list.w};
    float weights[8], sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const int to = (words[k / 2] >> 16 * (k % 2) & 0xFFFF) % n;
      weights[k] = to == before ? 4.0f : (to ^ before) & 3 ? 0.5f : 1.0f;
      sum += weights[k];
    }
    luck = luck * 1664525u + 1013904223u;
    float left = (luck >> 8) * (1.0f / 16777216) * sum;
    int pick = 0;
    while (pick < 7 && left >= weights[pick]) left -= weights[pick++];
    before = at;
    at = targets[at * 8 + pick] % n;
    out[step * n + i] = at;
  }
}

// Cuts of small dense graphs of 16 vertices: each lane contracts edges at random (Karger) until two groups
// are left, the warp keeps the least.
// warpscope contracted_cuts: block = 64 fixed, graphs = 1024, grid = graphs / 2, adjacency = u16 random[graphs * 16], out = s32 zeros[graphs]
__global__ void contracted_cuts(const uint16_t* adjacency, int* out, int graphs) {
  __shared__ uint16_t rows[2][16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = blockIdx.x * 2 + warp;
  if (lane < 16) rows[warp][lane] = adjacency[g * 16 + lane];
  __syncwarp();
  uint64_t leader = 0xFEDCBA9876543210ull;
  uint32_t luck = scattered(g * 32 + lane);
  int groups = 16;
  for (int tries = 0; groups > 2 && tries < 400; ++tries) {
    luck = luck * 747796405u + 2891336453u;
    const int a = luck >> 28, b = luck >> 20 & 15;
    if (!(rows[warp][a] >> b & 1)) continue;
    const int from = leader >> 4 * a & 15, to = leader >> 4 * b & 15;
    if (from == to) continue;
    for (int k = 0; k < 64; k += 4)
      if ((leader >> k & 15) == from) leader = (leader & ~(15ull << k)) | static_cast<uint64_t>(to) << k;
    --groups;
  }
  int cut = 0;
  for (int a = 0; a < 16; ++a)
    for (uint32_t rest = rows[warp][a]; rest; rest &= rest - 1)
      cut += (leader >> 4 * (__ffs(rest) - 1) & 15) != (leader >> 4 * a & 15);
  cut = __reduce_min_sync(~0u, groups == 2 ? cut : 1 << 20);
  if (lane == 0) out[g] = cut;
}

// Vertices that can lie in no cycle are trimmed until none is left to trim: those without edges into or out
// of what remains, one block for each part.
// warpscope trimmed_components: block = 512 fixed, parts = 64, grid = parts, targets = u16 random[parts * 512 * 2], out = u8 zeros[parts * 512]
__global__ void trimmed_components(const ushort2* targets, uint8_t* out, int parts) {
  __shared__ int into[512];
  __shared__ uint8_t alive[512];
  const int t = threadIdx.x;
  const ushort2 two = targets[blockIdx.x * 512 + t];
  const int first = two.x % 512, second = two.y % 512;
  alive[t] = (two.x ^ two.y) >> 9 & 3 ? 1 : 0;
  bool changed = true;
  int round = 0;
  while (changed && round < 40) {
    into[t] = 0;
    __syncthreads();
    const bool here = alive[t];
    if (here) {
      if (alive[first]) atomicAdd(&into[first], 1);
      if (alive[second]) atomicAdd(&into[second], 1);
    }
    const bool leads = here && (alive[first] || alive[second]);
    __syncthreads();
    const bool stays = leads && into[t] > 0;
    alive[t] = stays;
    changed = __syncthreads_or(here != stays);
    ++round;
  }
  out[blockIdx.x * 512 + t] = alive[t] ? round : 0;
}
