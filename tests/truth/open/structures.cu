// Trees, lists, tables of hashes; functions that call themselves or are found at run time.

// Keys go into a table with open addresses, at the first place that is free.
// warpscope hash_insert: block = 128, n = 60000, bits = 17, grid = ceil(n / block), keys = random[n], table = zeros[2^bits], unordered = table
__global__ void hash_insert(const unsigned* keys, unsigned* table, int n, int bits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i] | 1, mask = (1u << bits) - 1;
  unsigned at = key * 0x9E3779B1u >> (32 - bits);
  for (;;) {
    const unsigned found = atomicCAS(&table[at], 0u, key);
    if (found == 0 || found == key) break;
    at = (at + 1) & mask;
  }
}

// Looks keys up in buckets of four that hold what their number tells.
// warpscope hash_find: block = 256, n = 300000, buckets = 2^15, grid = ceil(n / block), keys = random[n], table = random[buckets]:2, out = zeros[n]
__global__ void hash_find(const unsigned* keys, const uint4* table, int* out, int n, int buckets) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i];
  unsigned bucket = key * 2654435769u % buckets;
  int steps = 0;
  for (; steps < 6; ++steps) {
    const uint4 four = table[bucket];
    const unsigned short wanted = key >> 3;
    if ((four.x & 15) == (wanted & 15) || (four.y & 15) == (wanted & 15)) break;
    if (four.w % 4 == 0) break;
    bucket = (bucket + four.z) % buckets;
  }
  out[i] = steps;
}

// A search tree whose nodes have 15 keys; the levels lie one behind the other.
// warpscope wide_tree: block = 192, n = 200000, grid = ceil(n / block), keys = random[n], nodes = random[16 * 4369], out = zeros[n]
__global__ void wide_tree(const unsigned* keys, const unsigned* nodes, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i];
  unsigned node = 0, first = 0, count = 1;
  for (int level = 0; level < 4; ++level) {
    int below = 0;
    for (int k = 0; k < 15; ++k) below += nodes[(first + node) * 16 + k] < key;
    first += count;
    count *= 16;
    node = node * 16 + below;
  }
  out[i] = node;
}

// Lists whose elements are scattered over an array.
// warpscope list_sums: block = 64, lists = 6000, elements = 2^18, grid = ceil(lists / block), next = random[elements], values = random[elements]:2, out = zeros[lists]
__global__ void list_sums(const unsigned* next, const float* values, float* out, int lists, int elements) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lists) return;
  float sum = 0;
  unsigned at = i * 43;
  for (int k = 0; k < 8 + i % 24; ++k) {
    sum += values[at];
    at = next[at] % elements;
  }
  out[i] = sum;
}

// A tree of letters: children by a mask and the number of bits below.
// warpscope letter_tree: block = 128, words = 60000, nodes = 40000, grid = ceil(words / block), masks = random[nodes], first = random[nodes], text = random[12 * words] in 0..31, out = zeros[words]
__global__ void letter_tree(const unsigned* masks, const unsigned* first, const unsigned char* text, int* out,
                            int words, int nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  unsigned node = 0;
  int depth = 0;
  for (; depth < 12; ++depth) {
    const unsigned letter = text[12 * i + depth], mask = masks[node] | masks[(node + 1) % nodes];
    if ((mask >> letter & 1) == 0) break;
    node = (first[node] + __popc(mask & ((1u << letter) - 1))) % nodes;
  }
  out[i] = depth;
}

__device__ int placements(unsigned columns, unsigned left, unsigned right, int row, int size) {
  if (row == size) return 1;
  int count = 0;
  for (unsigned free = ~(columns | left | right) & ((1u << size) - 1); free != 0; free &= free - 1) {
    const unsigned at = free & -free;
    count += placements(columns | at, (left | at) << 1, (right | at) >> 1, row + 1, size);
  }
  return count;
}
// Queens on a board, after the first two of them are placed: a function that calls itself.
// warpscope queens: block = 32, size = 8, grid = ceil(size * size / block), out = zeros[size * size]
__global__ void queens(int* out, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size * size) return;
  const unsigned first = 1u << i / size, second = 1u << i % size;
  const bool possible = (second & (first | first << 1 | first >> 1)) == 0;
  out[i] = possible
               ? placements(first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1, 2, size)
               : 0;
}

__device__ __noinline__ unsigned odd_steps(unsigned x, int depth);
__device__ __noinline__ unsigned even_steps(unsigned x, int depth) {
  if (depth == 0) return x;
  return (x & 1 ? odd_steps(x * 3 + 1, depth - 1) : even_steps(x / 2 + 7, depth - 1)) ^ depth;
}
__device__ __noinline__ unsigned odd_steps(unsigned x, int depth) {
  if (depth == 0) return x + 1;
  return (x & 2 ? even_steps(x + 5, depth - 1) : odd_steps(x >> 1, depth - 1)) + depth;
}
// warpscope mutual_calls: block = 96, n = 30000, depth = 12, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void mutual_calls(const unsigned* in, unsigned* out, int n, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = even_steps(in[i], depth);
}

struct Shape {
  float a, b;
  __device__ Shape(float first, float second) : a(first), b(second) {}
  __device__ virtual float area() const = 0;
};
struct Ring : Shape {
  using Shape::Shape;
  __device__ float area() const override { return 3.1415927f * fabsf(a * a - b * b); }
};
struct Box : Shape {
  using Shape::Shape;
  __device__ float area() const override { return a * b; }
};
struct Wave : Shape {
  using Shape::Shape;
  __device__ float area() const override { return a * __sinf(b) * __sinf(b); }
};
// warpscope virtual_areas: block = 128, n = 120000, grid = ceil(n / block), kinds = random[n] in 0..2, sides = random[n], out = zeros[n]
__global__ void virtual_areas(const unsigned char* kinds, const float2* sides, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 s = sides[i];
  const Ring ring(s.x, s.y);
  const Box box(s.x, s.y);
  const Wave wave(s.x, s.y);
  const Shape* shapes[3] = {&ring, &box, &wave};
  out[i] = shapes[kinds[i]]->area();
}

// Sums of the numbers before each place, by a tree in an array of its own for each row.
// warpscope index_trees: block = 32, rows = 2400, grid = ceil(rows / block), in = random[64 * rows] in 0..63, out = zeros[rows], trees = zeros[65 * rows]
__global__ void index_trees(const unsigned char* in, int* out, int* trees, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int inversions = 0;
  for (int k = 0; k < 64; ++k) {
    const int key = in[64 * row + k] + 1;
    for (int at = 64; at > 0; at -= at & -at) inversions += trees[at * rows + row];
    for (int at = key; at > 0; at -= at & -at) inversions -= trees[at * rows + row];
    for (int at = key; at <= 64; at += at & -at) ++trees[at * rows + row];
  }
  out[row] = inversions;
}

// warpscope bloom: block = 256, n = 200000, words = 2^14, grid = ceil(n / block), keys = random[n], filter = zeros[words]
__global__ void bloom(const unsigned* keys, unsigned* filter, int n, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = keys[i];
  for (int k = 0; k < 4; ++k) {
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    atomicOr(&filter[h / 32 % words], 1u << h % 32);
  }
}

// The least value in a range, by a tree over a block's 512 values in shared memory.
// warpscope range_minima: block = 256 fixed, n = 2^18, grid = n / 512, in = random[n], ends = random[n / 2], out = zeros[n / 2]
__global__ void range_minima(const unsigned* in, const ushort2* ends, unsigned* out) {
  __shared__ unsigned tree[1024];
  const int t = threadIdx.x;
  tree[512 + t] = in[blockIdx.x * 512 + t];
  tree[768 + t] = in[blockIdx.x * 512 + 256 + t];
  for (int width = 256; width > 0; width /= 2) {
    __syncthreads();
    if (t < width) tree[width + t] = min(tree[2 * (width + t)], tree[2 * (width + t) + 1]);
  }
  __syncthreads();
  const ushort2 range = ends[blockIdx.x * 256 + t];
  int low = 512 + min(range.x % 512, range.y % 512), high = 513 + max(range.x % 512, range.y % 512);
  unsigned least = 0xFFFFFFFF;
  for (; low < high; low /= 2, high /= 2) {
    if (low & 1) least = min(least, tree[low++]);
    if (high & 1) least = min(least, tree[--high]);
  }
  out[blockIdx.x * 256 + t] = least;
}
