// Trees, tables, heaps, graphs.

#include <cstdint>

// Look-ups in an implicit tree with 17 children a node, six nodes deep at most; half a warp compares with a
// node's keys.
// warpscope wide_node_lookup: block = 128, lookups = 2^14, grid = ceil(lookups * 16 / block), nodes = 5220, keys = iota[nodes * 16], wanted = random[lookups] in 0..83519, found = zeros[lookups]
__global__ void wide_node_lookup(const uint32_t* __restrict__ keys, const uint32_t* wanted, uint32_t* found,
                                 int nodes, int lookups) {
  const int query = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
  if (query >= lookups) return;
  const uint32_t want = wanted[query];
  const unsigned half = 0xffffu << (threadIdx.x & 16);
  int node = 0, path = 0;
  while (node < nodes) {
    const uint32_t key = keys[node * 16 + lane] * 2654435761u % 83521u;
    const unsigned smaller = __ballot_sync(half, key <= want) & half;
    path = path * 31 + node;
    node = node * 17 + 1 + __popc(smaller);
  }
  if (lane == 0) found[query] = path;
}

// The eight smallest of a stream, kept by each thread in a binary heap with its largest on top.
// warpscope heap_of_eight: block = 64, n = 8192, grid = ceil(n / block), length = 96, stream = random[n * length], out = zeros[n * 8]
__global__ void heap_of_eight(const float* stream, float* out, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float heap[8];
  for (int k = 0; k < 8; ++k) heap[k] = 2;
  for (int k = 0; k < length; ++k) {
    const float v = stream[k * n + i];
    if (v >= heap[0]) continue;
    int at = 0;
    while (true) {
      int child = 2 * at + 1;
      if (child >= 8) break;
      if (child + 1 < 8 && heap[child + 1] > heap[child]) ++child;
      if (heap[child] <= v) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = v;
  }
  for (int k = 0; k < 8; ++k) out[k * n + i] = heap[k];
}

// Inserts keys into a table with two places for each; who is thrown out moves to its other place.
// warpscope nest_insertion: block = 128, n = 2^15, grid = ceil(n / block), keys = iota[n], table = zeros[4 * n], lost = zeros[1]
__global__ void nest_insertion(const uint32_t* keys, uint32_t* table, uint32_t* lost, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t mask = 4 * n - 1;
  uint32_t key = keys[i] + 1, at = key * 0x9e3779b1u >> 3 & mask;
  const uint32_t other = (key ^ key >> 7) * 0x85ebca77u >> 5 & mask;
  volatile uint32_t* now = table;
  if (now[at] == key || now[other] == key) return;
  int tries = 0;
  for (; tries < 20; ++tries) {
    const uint32_t out = atomicExch(table + at, key);
    if (out == 0 || out == key) break;
    key = out;
    const uint32_t first = key * 0x9e3779b1u >> 3 & mask, second = (key ^ key >> 7) * 0x85ebca77u >> 5 & mask;
    at = at == first ? second : first;
  }
  if (tries == 20) atomicAdd(lost, 1u);
}

// Longest prefix of an address in a three-level table: 12, 8 and 8 bits.
// warpscope longest_prefix_hop: block = 256, packets = 2^17, grid = ceil(packets / block), top = random[4096], middle = random[2^16], leaf = random[2^16], addresses = random[packets], hops = zeros[packets]
__global__ void longest_prefix_hop(const uint32_t* __restrict__ top, const uint32_t* __restrict__ middle,
                                   const uint16_t* __restrict__ leaf, const uint32_t* addresses,
                                   uint16_t* hops, int packets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= packets) return;
  const uint32_t address = addresses[i];
  uint32_t entry = __ldg(top + (address >> 20));
  if (entry & 3) {
    entry = middle[(entry >> 8 & 255) << 8 | (address >> 12 & 255)];
    if (entry & 1) entry = leaf[(entry >> 8 & 255) << 8 | (address >> 4 & 255)];
  }
  hops[i] = entry >> 1 & 0x7fff;
}

// Connected components of small graphs, one a block: edges hook roots of a forest in shared memory.
__device__ int rootOf(int* parent, int v) {
  int p = *(volatile int*)&parent[v];
  while (p != v) {
    int g = *(volatile int*)&parent[p];
    v = p;
    p = g;
  }
  return v;
}
// warpscope hooked_components: block = 256 fixed, grid = 264, edges = random[264 * 768 * 2] in 0..1023, components = zeros[264]
__global__ void hooked_components(const ushort2* edges, int* components) {
  __shared__ int parent[1024];
  for (int k = threadIdx.x; k < 1024; k += 256) parent[k] = k;
  __syncthreads();
  for (int e = threadIdx.x; e < 768; e += 256) {
    const ushort2 edge = edges[blockIdx.x * 768 + e];
    int a = rootOf(parent, edge.x & 1023), b = rootOf(parent, edge.y & 1023);
    while (a != b) {
      const int high = max(a, b), low = min(a, b);
      const int old = atomicCAS(&parent[high], high, low);
      if (old == high) break;
      a = rootOf(parent, old);
      b = rootOf(parent, low);
    }
  }
  __syncthreads();
  int roots = 0;
  for (int k = 0; k < 1024; k += 256)
    roots += __syncthreads_count(parent[k + threadIdx.x] == k + (int)threadIdx.x);
  if (threadIdx.x == 0) components[blockIdx.x] = roots;
}

// Nearest point by descent in a balanced implicit tree of 4095 points in the plane, with a stack of nodes to
// come back to.
// warpscope plane_tree_nearest: block = 128, n = 2^13, grid = ceil(n / block), points = random[8192], queries = random[n * 2], nearest = zeros[n]
__global__ void plane_tree_nearest(const float2* __restrict__ points, const float2* queries, int* nearest,
                                   int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 q = queries[i];
  struct {
    int node;
    float low, high;
  } stack[16];
  int depth = 1, best = -1, visited = 0;
  float distance = 1e30f;
  stack[0] = {0, 0, 0};
  while (depth > 0 && visited < 64) {
    --depth;
    int node = stack[depth].node;
    if (stack[depth].low >= distance) continue;
    while (node < 4095) {
      ++visited;
      const float2 p = points[node];
      const float dx = q.x - p.x, dy = q.y - p.y, d = dx * dx + dy * dy;
      if (d < distance) distance = d, best = node;
      const float side = (31 - __clz(node + 1)) & 1 ? dy : dx;
      const int near = 2 * node + (side < 0 ? 1 : 2), far = 4 * node + 3 - near;
      if (side * side < distance && far < 4095 && depth < 16) stack[depth++] = {far, side * side, distance};
      node = near;
    }
  }
  nearest[i] = best;
}

// Random walks over a graph with eight neighbours a vertex, with restarts, counting visits to marked
// vertices.
// warpscope restarting_walks: block = 192, walks = 20000, grid = ceil(walks / block), vertices = 2^14, neighbours = random[vertices * 8] in 0..16383, marks = random[vertices / 32], visits = zeros[walks]
__global__ void restarting_walks(const int* __restrict__ neighbours, const uint32_t* __restrict__ marks,
                                 uint8_t* visits, int vertices, int walks) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= walks) return;
  const int home = (unsigned)w * 7919u % vertices;
  uint32_t state = w * 747796405u + 2891336453u;
  int at = home, count = 0;
  for (int step = 0; step < 24; ++step) {
    state = state * 747796405u + 2891336453u;
    uint32_t r = (state >> ((state >> 28) + 4) ^ state) * 277803737u;
    r ^= r >> 22;
    at = r % 7 == 0 ? home : neighbours[at * 8 + (r >> 8 & 7)];
    count += marks[at >> 5] >> (at & 31) & 1;
  }
  visits[w] = count;
}

// Common neighbours of the ends of edges, by merging two sorted rows of the adjacency.
// warpscope merged_rows_common: block = 128, edges = 2^15, grid = ceil(edges / block), rows = random[4096 * 16] in 1..9, ends = random[edges * 2] in 0..4095, common = zeros[edges]
__global__ void merged_rows_common(const uint8_t* rows, const ushort2* ends, int* common, int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const uint8_t *a = rows + (ends[e].x & 4095) * 16, *b = rows + (ends[e].y & 4095) * 16;
  int i = 0, j = 0, count = 0, u = a[0], v = b[0];
  while (true) {
    if (u == v) ++count;
    const bool left = u <= v, right = v <= u;
    if (left) {
      if (++i == 16) break;
      u += a[i];
    }
    if (right) {
      if (++j == 16) break;
      v += b[j];
    }
  }
  common[e] = count;
}
