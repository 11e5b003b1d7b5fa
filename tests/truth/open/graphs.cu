// Graphs and sparse matrices.

// Edges of random ends: the shorter way goes to the far end.
// warpscope relax_edges: block = 256, edges = 2^19, nodes = 2^15, grid = ceil(edges / block), ends = random[edges], lengths = random[edges] in 1..100, now = random[nodes]:3 in 0..1000, next = random[nodes]:3 in 0..1000
__global__ void relax_edges(const uint2* ends, const int* lengths, const int* now, int* next, int edges,
                            int nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  const uint2 edge = ends[i];
  const int from = edge.x % nodes, to = edge.y % nodes, length = now[from] + lengths[i];
  if (length < now[to]) atomicMin(&next[to], length);
}

// Triangles of a graph whose node k has the neighbours k + 1, k + 1 + (k % 5), ...: sorted lists are merged.
// warpscope triangles: block = 128, nodes = 60000, grid = ceil(nodes / block), count = zeros[1]
__global__ void triangles(unsigned long long* count, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned found = 0;
  if (node < nodes) {
    const int degree = 4 + node % 13, step = 1 + node % 5;
    for (int k = 0; k < degree; ++k) {
      const int other = node + 1 + k * step, other_degree = 4 + other % 13, other_step = 1 + other % 5;
      int a = k + 1, b = 0;
      while (a < degree && b < other_degree) {
        const int x = node + 1 + a * step, y = other + 1 + b * other_step;
        found += x == y;
        a += x <= y;
        b += y <= x;
      }
    }
  }
  found = __reduce_add_sync(0xFFFFFFFF, found);
  if (threadIdx.x % 32 == 0) atomicAdd(count, static_cast<unsigned long long>(found));
}

// Each node takes the label that most of its twelve neighbours have.
// warpscope common_label: block = 192, nodes = 50000, grid = ceil(nodes / block), neighbours = random[12 * nodes], labels = random[nodes] in 0..15, out = zeros[nodes]
__global__ void common_label(const unsigned* neighbours, const unsigned char* labels, unsigned char* out,
                             int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  unsigned char counts[16];
  for (int k = 0; k < 16; ++k) counts[k] = 0;
  for (int k = 0; k < 12; ++k) ++counts[labels[neighbours[node * 12 + k] % nodes]];
  int best = 0;
  for (int k = 1; k < 16; ++k) {
    if (counts[k] > counts[best]) best = k;
  }
  out[node] = best;
}

// Roots of both ends of an edge, by a walk along the parents; the larger is hooked below the smaller.
// warpscope hook_edges: block = 128, edges = 100000, nodes = 2^16, grid = ceil(edges / block), ends = random[edges], parents = random[nodes] in 0..65535, roots = iota[nodes]
__global__ void hook_edges(const uint2* ends, const unsigned* parents, unsigned* roots, int edges,
                           int nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  unsigned a = ends[i].x % nodes, b = ends[i].y % nodes;
  for (unsigned up = parents[a]; up < a; up = parents[a]) a = up;
  for (unsigned up = parents[b]; up < b; up = parents[b]) b = up;
  if (a != b) atomicMin(&roots[max(a, b)], min(a, b));
}

// A step of a breadth-first search: a frontier's nodes append the neighbours that are new.
// warpscope expand_frontier: block = 256, frontier = 40000, nodes = 2^18, grid = ceil(frontier / block), queue = random[frontier], seen = zeros[nodes], next = zeros[8 * frontier], count = zeros[1], unordered = next
__global__ void expand_frontier(const unsigned* queue, unsigned* seen, unsigned* next, unsigned* count,
                                int frontier, int nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frontier) return;
  const unsigned node = queue[i] % nodes;
  for (int k = 0; k < 8; ++k) {
    const unsigned neighbour = (node * 8 + k * k * 977 + 13) % nodes;
    if (atomicExch(&seen[neighbour], 1u) == 0) next[atomicAdd(count, 1u)] = neighbour;
  }
}

// A matrix of dense 4 x 4 blocks, ten in a row; four threads for a row of blocks.
// warpscope block_rows: block = 128, rows = 8192, grid = ceil(4 * rows / block), columns = random[10 * rows], values = random[40 * rows], x = random[rows], y = zeros[4 * rows]
__global__ void block_rows(const unsigned* columns, const float4* values, const float4* x, float* y,
                           int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 4, part = i % 4;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < 10; ++k) {
    const float4 v = values[(row * 10 + k) * 4 + part], at = x[columns[row * 10 + k] % rows];
    sum += v.x * at.x + v.y * at.y + v.z * at.z + v.w * at.w;
  }
  y[i] = sum;
}

// Slices of 32 rows, each as wide as its widest row.
// warpscope sliced_rows: block = 224, slices = 2100, grid = ceil(32 * slices / block), columns = random[32 * 24 * slices], values = random[32 * 24 * slices], x = random[32 * slices], y = zeros[32 * slices]
__global__ void sliced_rows(const unsigned* columns, const float* values, const float* x, float* y,
                            int slices) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, slice = row / 32, lane = row % 32;
  if (slice >= slices) return;
  const int width = 4 + slice * 7 % 21;
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    const int at = (slice * 24 + k) * 32 + lane;
    sum += values[at] * x[columns[at] % (32 * slices)];
  }
  y[row] = sum;
}

// A sparse matrix times a dense one of 32 columns: a warp for each row.
// warpscope sparse_dense: block = (32, 6), rows = 9000, grid = ceil(rows / block.y), columns = random[16 * rows], values = random[16 * rows], dense = random[32 * rows], out = zeros[32 * rows]
__global__ void sparse_dense(const unsigned* columns, const float* values, const float* dense, float* out,
                             int rows) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;
  const int length = 3 + row * 5 % 14;
  float sum = 0;
  for (int k = 0; k < length; ++k)
    sum += values[row * 16 + k] * dense[columns[row * 16 + k] % rows * 32 + lane];
  out[row * 32 + lane] = sum;
}

// One level of a triangular solve: rows that depend on rows of earlier levels only.
// warpscope solve_level: block = 64, rows = 24000, first = 16000, grid = ceil((rows - first) / block), columns = random[6 * rows], values = random[6 * rows], right = random[rows], x = random[rows]:5
__global__ void solve_level(const unsigned* columns, const double* values, const double* right, double* x,
                            int first, int rows) {
  const int row = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = right[row];
  for (int k = 0; k < 5; ++k) sum -= values[row * 6 + k] * x[columns[row * 6 + k] % first];
  x[row] = sum / (values[row * 6 + 5] + 1);
}

// Nodes of few neighbours go away, and take themselves off the degrees of these.
// warpscope peel: block = 320, nodes = 80000, limit = 3, grid = ceil(nodes / block), old = random[nodes] in 0..8, degrees = random[nodes] in 0..8, removed = zeros[1]
__global__ void peel(const int* old, int* degrees, int* removed, int nodes, int limit) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  const bool goes = node < nodes && old[node] < limit;
  if (goes) {
    for (int k = 0; k < old[node]; ++k) atomicSub(&degrees[(node * 17 + k * 1009 + 5) % nodes], 1);
  }
  const int count = __syncthreads_count(goes);
  if (threadIdx.x == 0 && count > 0) atomicAdd(removed, count);
}

// The least colour that no neighbour of a smaller number has.
// warpscope free_colour: block = 128, nodes = 70000, grid = ceil(nodes / block), neighbours = random[nodes * 9], colours = random[nodes] in 0..11, out = zeros[nodes]
__global__ void free_colour(const unsigned* neighbours, const int* colours, int* out, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  unsigned taken = 0;
  for (int k = 0; k < 9; ++k) {
    const int other = neighbours[k * nodes + node] % nodes;
    if (other < node) taken |= 1u << colours[other];
  }
  out[node] = __ffs(~taken) - 1;
}

// The lightest edge of each component: weight and number in one word of 64 bits.
// warpscope lightest_edge: block = 256, edges = 300000, components = 5000, grid = ceil(edges / block), weights = random[edges], from = random[edges], best = iota[components]
__global__ void lightest_edge(const unsigned* weights, const unsigned* from, unsigned long long* best,
                              int edges, int components) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  const unsigned a = from[i] % components, b = from[i] / components % components;
  if (a == b) return;
  const unsigned long long key = static_cast<unsigned long long>(~weights[i]) << 32 | i;
  atomicMax(&best[a], key);
  atomicMax(&best[b], key);
}
