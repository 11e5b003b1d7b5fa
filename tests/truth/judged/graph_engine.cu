// Frameworks for graphs in compressed rows, whose degrees differ.

// How many edges begin at each node of a list; every eighth begins at one of the hubs.
// warpscope graph_degrees: block = 256, edges = 300000, nodes = 32768, grid = ceil(edges / block), sources = random[edges] in 0..32767, degrees = zeros[nodes]
__global__ void graph_degrees(const int* sources, int* degrees, int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int v = sources[e];
  atomicAdd(&degrees[e % 8 == 0 ? v & ~63 : v], 1);
}
// Offsets by one block that walks over all of them, 1024 at a time.
// warpscope degrees_to_offsets: block = 1024 fixed, nodes = 32768, grid = 1, degrees = graph_degrees.degrees[nodes], offsets = zeros[nodes + 1]
__global__ void degrees_to_offsets(const int* degrees, int* offsets, int nodes) {
  __shared__ int warps[32];
  __shared__ int running;
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  if (t == 0) running = 0;
  __syncthreads();
  for (int base = 0; base < nodes; base += 1024) {
    const int d = base + t < nodes ? degrees[base + t] : 0;
    int sum = d;
    for (int o = 1; o < 32; o <<= 1) {
      const int up = __shfl_up_sync(0xffffffffu, sum, o);
      if (lane >= o) sum += up;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
      int w = warps[lane];
      for (int o = 1; o < 32; o <<= 1) {
        const int up = __shfl_up_sync(0xffffffffu, w, o);
        if (lane >= o) w += up;
      }
      warps[lane] = w;
    }
    __syncthreads();
    const int before = running + (warp > 0 ? warps[warp - 1] : 0) + sum - d;
    if (base + t < nodes) offsets[base + t] = before;
    __syncthreads();
    if (t == 1023) running = before + d;
    __syncthreads();
  }
  if (t == 0) offsets[nodes] = running;
}

// Rank flows in along edges: a warp for a node, as some have many.
// warpscope pagerank_pull_warp: block = 256, nodes = 32768, room = 16 * nodes, grid = ceil(nodes * 32 / block), row_offsets = degrees_to_offsets.offsets[nodes + 1], col_indices = random[room] in 0..32767, rank = random[nodes], out_degree = random[nodes] in 1..30, next = zeros[nodes], damping = 0.85
__global__ void pagerank_pull_warp(const int* __restrict__ row_offsets, const int* __restrict__ col_indices,
                                   const float* __restrict__ rank, const int* __restrict__ out_degree,
                                   float* __restrict__ next, int nodes, float damping) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (v >= nodes) return;
  float sum = 0;
  for (int e = row_offsets[v] + lane; e < row_offsets[v + 1]; e += 32) {
    const int u = col_indices[e];
    sum += rank[u] / out_degree[u];
  }
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (lane == 0) next[v] = (1.0f - damping) / nodes + damping * sum;
}

// Bottom up: nodes that are not found look for a parent on the frontier, and stop at the first.
// warpscope bfs_bottom_up: block = 128, nodes = 32768, room = 16 * nodes, grid = ceil(nodes / block), row_offsets = degrees_to_offsets.offsets[nodes + 1], col_indices = random[room]:5 in 0..32767, frontier = random[nodes / 32]:6 in 0..255, level = random[nodes] in -1..3, next_frontier = zeros[nodes / 32], depth = 5
__global__ void bfs_bottom_up(const int* row_offsets, const int* col_indices, const unsigned* frontier,
                              int* level, unsigned* next_frontier, int nodes, int depth) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  if (v < nodes && level[v] < 0) {
    for (int e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
      const int u = col_indices[e];
      if (frontier[u >> 5] >> (u & 31) & 1) {
        found = true;
        break;
      }
    }
    if (found) level[v] = depth;
  }
  const unsigned mask = __ballot_sync(0xffffffff, found);
  if ((threadIdx.x & 31) == 0 && v < nodes) next_frontier[v >> 5] = mask;
}

// Shorter ways over edges of the active nodes; who gets one is marked.
// warpscope sssp_relax_csr: block = 192, nodes = 32768, room = 16 * nodes, grid = ceil(nodes / block), row_offsets = degrees_to_offsets.offsets[nodes + 1], col_indices = random[room]:7 in 0..32767, weights = random[room] in 1..50, active = random[nodes] in 0..3, dist = random[nodes] in 0..400, updated = random[nodes]:3 in 300..500, changed = zeros[nodes]
__global__ void sssp_relax_csr(const int* row_offsets, const int* col_indices, const int* weights,
                               const char* active, const int* dist, int* updated, unsigned* changed,
                               int nodes) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < nodes && active[tid] == 0) {
    for (int edge = row_offsets[tid]; edge < row_offsets[tid + 1]; edge++) {
      int nid = col_indices[edge];
      int alt = dist[tid] + weights[edge];
      if (atomicMin(&updated[nid], alt) > alt) atomicExch(&changed[nid], 1u);
    }
  }
}

// Neighbours that two ends of an edge share, by binary search of the shorter list's nodes in the longer.
// warpscope edges_intersect: block = 128, queries = 30000, nodes = 32768, room = 16 * nodes, grid = ceil(queries / block), pairs = random[queries] in 0..32767, row_offsets = degrees_to_offsets.offsets[nodes + 1], col_indices = iota[room], count = zeros[queries]
__global__ void edges_intersect(const int2* pairs, const int* row_offsets, const int* col_indices, int* count,
                                int queries) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queries) return;
  int a = pairs[q].x, b = pairs[q].y;
  int da = row_offsets[a + 1] - row_offsets[a], db = row_offsets[b + 1] - row_offsets[b];
  if (da > db) {
    int swap = a;
    a = b, b = swap;
    swap = da;
    da = db, db = swap;
  }
  const int *list = col_indices + row_offsets[a], *other = col_indices + row_offsets[b];
  int common = 0;
  for (int i = 0; i < da; i++) {
    const int key = list[i];
    int low = 0, high = db - 1;
    while (low <= high) {
      const int mid = (low + high) / 2, value = other[mid];
      if (value == key) {
        common++;
        break;
      }
      if (value < key)
        low = mid + 1;
      else
        high = mid - 1;
    }
  }
  count[q] = common;
}

// Independent sets by Luby: a node is in if its number beats all neighbours'.
__device__ __forceinline__ unsigned priority_of(unsigned v, unsigned round) {
  v = (v ^ round * 0x9e3779b9u) * 0x85ebca6bu;
  v ^= v >> 13;
  return v * 0xc2b2ae35u ^ v >> 16;
}
// warpscope mis_select: block = 256, nodes = 32768, room = 16 * nodes, grid = ceil(nodes / block), row_offsets = degrees_to_offsets.offsets[nodes + 1], col_indices = random[room]:9 in 0..32767, state = random[nodes] in 0..2, chosen = zeros[nodes], round = 3
__global__ void mis_select(const int* row_offsets, const int* col_indices, const unsigned char* state,
                           unsigned char* chosen, int nodes, unsigned round) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < nodes; v += gridDim.x * blockDim.x) {
    if (state[v] != 0) continue;
    const unsigned mine = priority_of(v, round);
    bool best = true;
    const int end = row_offsets[v + 1];
    for (int e = row_offsets[v]; best && e < end; ++e) {
      const int u = col_indices[e];
      if (u == v || state[u] == 1) continue;
      const unsigned theirs = priority_of(u, round);
      best = mine > theirs || (mine == theirs && v < u);
    }
    chosen[v] = best;
  }
}

// Paths of a random walk, as for embeddings of nodes.
// warpscope random_walks: block = 64, walks = 12000, length = 16, nodes = 32768, room = 16 * nodes, grid = ceil(walks / block), row_offsets = degrees_to_offsets.offsets[nodes + 1], col_indices = random[room]:2 in 0..32767, path = zeros[walks * length], seed = 77
__global__ void random_walks(const int* row_offsets, const int* col_indices, int* path, int walks, int length,
                             int nodes, unsigned long long seed) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= walks) return;
  unsigned long long s = seed + w * 0x9E3779B97F4A7C15ull;
  int at = (int)((s >> 20) % nodes);
  for (int step = 0; step < length; ++step) {
    path[w * length + step] = at;
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    const unsigned r = (unsigned)((s * 2685821657736338717ull) >> 32);
    const int begin = row_offsets[at], degree = row_offsets[at + 1] - begin;
    if (degree > 0) at = col_indices[begin + r % degree];
  }
}

// Components: labels are hooked along edges, then paths are shortened; here is the second.
// warpscope cc_shortcut: block = 512, nodes = 200000, grid = ceil(nodes / block), parent = random[nodes] in 0..199999, root = zeros[nodes]
__global__ void cc_shortcut(const int* parent, int* root, int nodes) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes) return;
  int p = min(parent[v], v), gp = min(parent[p], p);
  while (p != gp) {
    p = gp;
    gp = min(parent[p], p);
  }
  root[v] = p;
}

// Dependencies flow back a level: betweenness of nodes.
// warpscope bc_backward: block = 160, nodes = 32768, room = 16 * nodes, grid = ceil(nodes / block), row_offsets = degrees_to_offsets.offsets[nodes + 1], col_indices = random[room]:4 in 0..32767, dist = random[nodes] in 0..5, sigma = random[nodes] in 1..9, delta_in = random[nodes], delta_out = zeros[nodes], depth = 3
__global__ void bc_backward(const int* row_offsets, const int* col_indices, const int* dist,
                            const float* sigma, const float* delta_in, float* delta_out, int nodes,
                            int depth) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes || dist[v] != depth) return;
  float sum = 0;
  for (int e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
    const int u = col_indices[e];
    if (dist[u] == depth + 1) sum += sigma[v] / sigma[u] * (1.0f + delta_in[u]);
  }
  delta_out[v] = sum;
}
