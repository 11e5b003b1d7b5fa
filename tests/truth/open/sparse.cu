// Sparse products and steps of graph algorithms. Row r has 4 + r % 13 entries; columns are hashes.

__device__ inline int rowBegin(int r) {
  const int rounds = r / 13, rest = r % 13;
  return 4 * r + rounds * 78 + rest * (rest - 1) / 2;
}
__device__ inline unsigned hashed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// warpscope: block = 128, rows = 2^17, grid = ceil(rows / block), x = random[rows], y = zeros[rows]
__global__ void csr_scalar(const float* x, float* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = rowBegin(r); k < rowBegin(r + 1); ++k) sum += 0.01f * (k % 17) * x[hashed(k) % rows];
  y[r] = sum;
}

// warpscope csr_values: block = 128, rows = 2^16, grid = ceil(rows / block), values = random[rows * 10], columns = random[rows * 10], x = random[rows], y = zeros[rows]
__global__ void csr_values(const float* values, const unsigned* columns, const float* x, float* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = 10 * r; k < 10 * r + 4 + r % 7; ++k) sum += values[k] * x[columns[k] % rows];
  y[r] = sum;
}

// warpscope csr_vector: block = 128, rows = 2^14, grid = ceil(32 * rows / block), values = random[rows * 64], columns = random[rows * 64], x = random[rows], y = zeros[rows]
__global__ void csr_vector(const float* values, const unsigned* columns, const float* x, float* y, int rows) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
  for (int k = 64 * r + lane; k < 64 * r + 64; k += 32) sum += values[k] * x[columns[k] % rows];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, d);
  if (lane == 0) y[r] = sum;
}

// warpscope ell: block = 256, rows = 2^17, grid = ceil(rows / block), values = random[rows * 8], columns = random[rows * 8], x = random[rows], y = zeros[rows]
__global__ void ell(const float* values, const unsigned* columns, const float* x, float* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += values[k * rows + r] * x[columns[k * rows + r] % rows];
  y[r] = sum;
}

// warpscope coo_atomic: block = 256, entries = 2^20, rows = 2^14, grid = ceil(entries / block), places = random[entries], values = random[entries], y = zeros[rows]
__global__ void coo_atomic(const unsigned* places, const float* values, float* y, int entries, int rows) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < entries) atomicAdd(&y[places[k] % rows], values[k]);
}

// warpscope bfs_step: block = 128, nodes = 2^19, grid = ceil(nodes / block), levels = random[nodes] in 0..9, changed = zeros[1]
__global__ void bfs_step(int* levels, int* changed, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || levels[node] != 3) return;
  for (int k = 0; k < 4 + node % 5; ++k) {
    const int to = hashed(node * 16 + k) % nodes;
    if (levels[to] > 4) {
      levels[to] = 4;
      *changed = 1;
    }
  }
}

// warpscope rank_pull: block = 128, nodes = 2^17, grid = ceil(nodes / block), ranks = random[nodes], out = zeros[nodes]
__global__ void rank_pull(const float* ranks, float* out, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += ranks[hashed(node * 8 + k) % nodes] * 0.125f;
  out[node] = 0.15f / nodes + 0.85f * sum;
}

// warpscope rank_push: block = 128, nodes = 2^17, grid = ceil(nodes / block), ranks = random[nodes], out = zeros[nodes]
__global__ void rank_push(const float* ranks, float* out, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const float share = ranks[node] * 0.25f;
  for (int k = 0; k < 4; ++k) atomicAdd(&out[hashed(node * 4 + k) % nodes], share);
}

// warpscope pointer_jumping: block = 256, nodes = 2^19, grid = ceil(nodes / block), parent = iota[nodes], out = zeros[nodes]
__global__ void pointer_jumping(const int* parent, int* out, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  int at = node;
  for (int jump = 0; jump < 6; ++jump) at = parent[at] / 2;
  out[node] = at;
}

// warpscope common_neighbours: block = 128, edges = 2^16, grid = ceil(edges / block), lists = iota[edges + 64], out = zeros[edges]
__global__ void common_neighbours(const int* lists, int* out, int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int *a = lists + e, *b = lists + hashed(e) % edges;
  const int a_size = 4 + e % 29, b_size = 4 + e % 23;
  int i = 0, j = 0, common = 0;
  while (i < a_size && j < b_size) {
    const int x = a[i] % 512, y = b[j] % 512;
    common += x == y;
    i += x <= y;
    j += y <= x;
  }
  out[e] = common;
}
