// Trees, tables, heaps and queues.
#include <cstdint>

// Cuckoo tables: a key is put into one of its two places and pushes out who is there, at most 24 times.
// warpscope cuckoo_insert: block = 128, n = 2^14, grid = ceil(n / block), keys = random[n], table = zeros[2^16], failed = zeros[1]
__global__ void cuckoo_insert(const uint32_t* keys, uint32_t* table, int* failed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t key = keys[i] | 1;
  auto place = [](uint32_t k, int which) {
    return which ? (k * 0x9E3779B1u >> 17) + 32768 : k * 0x85EBCA77u >> 17;
  };
  uint32_t at = place(key, 0);
  for (int turn = 0; turn < 24; ++turn) {
    const uint32_t out = atomicExch(&table[at], key);
    if (out == 0 || out == key) return;
    key = out;
    at = place(key, at == place(key, 0));
  }
  atomicAdd(failed, 1);
}

// Robin Hood's table is looked up: probing ends where the other's distance is smaller.
// warpscope robin_hood_lookup: block = 256, n = 2^16, grid = ceil(n / block), queries = random[n], slots = u32 random[2^15], found = zeros[n]
__global__ void robin_hood_lookup(const uint32_t* queries, const uint2* slots, uint8_t* found, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t q = queries[i], home = q * 2654435761u >> 18;
  uint32_t distance = 0;
  bool hit = false;
  while (distance < 16) {
    const uint2 s = slots[(home + distance) & 16383];
    if ((s.x & 1023) == (q & 1023)) {
      hit = true;
      break;
    }
    if ((s.y & 15) < distance) break;
    ++distance;
  }
  found[i] = hit ? distance + 1 : 0;
}

// A Fenwick tree: prefix sums of queries after the tree's own way down; bits decide the trips.
// warpscope fenwick_queries: block = 192, n = 2^16, grid = ceil(n / block), tree = random[2^14] in 0..100, queries = random[n], out = zeros[n]
__global__ void fenwick_queries(const int* tree, const uint16_t* queries, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int at = queries[i] & 16383; at > 0; at &= at - 1) sum += tree[at];
  out[i] = sum;
}

// A van Emde Boas order of a perfect tree of 2^15 - 1 keys, three subtrees of five levels.
// warpscope nested_layout_search: block = 256, n = 2^16, grid = ceil(n / block), keys = random[33825 * 31], queries = random[n], out = zeros[n]
__global__ void nested_layout_search(const float* keys, const float* queries, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float q = queries[i];
  int tree = 0, reached = 0;
  for (int level = 0; level < 3; ++level) {
    const float* node = keys + tree * 31;
    int at = 0;
#pragma unroll
    for (int step = 0; step < 5; ++step) at = 2 * at + 1 + (q > node[at]);
    const int leaf = at - 31;
    reached = reached << 5 | leaf;
    tree = tree * 32 + 1 + leaf;
  }
  out[i] = reached;
}

// A quadtree in an array, children's masks and offsets by population counts; points go down until there is no
// child.
// warpscope masked_quadtree: block = 128, n = 2^16, grid = ceil(n / block), nodes = random[8192], points = u16 random[2 * n], depth = zeros[n]
__global__ void masked_quadtree(const uint32_t* nodes, const ushort2* points, uint8_t* depth, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const ushort2 p = points[i];
  uint32_t at = 0;
  int level = 0;
  for (; level < 12; ++level) {
    const uint32_t node = __ldg(nodes + at), mask = node >> 28 | (level < 3 ? 15 : 0);
    const int child = (p.x >> (15 - level) & 1) | (p.y >> (15 - level) & 1) << 1;
    if (!(mask >> child & 1)) break;
    at = ((node & 0xFFFFFFF) + __popc(mask & ((1 << child) - 1))) & 8191;
  }
  depth[i] = level;
}

// A queue in shared memory: a flood of a 32 x 32 maze from its corner, breadth first.
// warpscope maze_flood_queue: block = 32 fixed, mazes = 264, grid = mazes, walls = random[mazes * 32], reached = zeros[mazes]
__global__ void maze_flood_queue(const uint32_t* walls, int* reached) {
  __shared__ uint32_t open[32];
  __shared__ uint16_t queue[1024];
  __shared__ int tail;
  const int lane = threadIdx.x;
  open[lane] = ~(walls[blockIdx.x * 32 + lane] & walls[blockIdx.x * 32 + (lane + 7) % 32]) | (lane == 0);
  if (lane == 0) {
    queue[0] = 0;
    tail = 1;
  }
  __syncwarp();
  if (lane == 0) open[0] &= ~1u;
  __syncwarp();
  int head = 0;
  while (true) {
    const int end = tail;
    __syncwarp();
    if (head == end) break;
    const int at = head + lane / 4;
    if (at < end) {
      const int cell = queue[at], direction = lane % 4;
      const int x = (cell & 31) + (direction == 0) - (direction == 1),
                y = (cell >> 5) + (direction == 2) - (direction == 3);
      if ((x | y) >= 0 && x < 32 && y < 32) {
        const uint32_t bit = 1u << x;
        if (atomicAnd(&open[y], ~bit) & bit) queue[atomicAdd(&tail, 1)] = y << 5 | x;
      }
    }
    head = min(head + 8, end);
    __syncwarp();
  }
  if (lane == 0) reached[blockIdx.x] = tail;
}

// A tree of segments is built over 2048 numbers by a block, least value and its place, level by level.
// warpscope least_place_tree: block = 512 fixed, trees = 132, grid = trees, in = random[trees * 2048], tree = zeros[trees * 4096]
__global__ void least_place_tree(const uint16_t* in, uint32_t* tree) {
  __shared__ uint32_t level[2048];
  uint32_t* mine = tree + blockIdx.x * 4096;
  for (int k = threadIdx.x; k < 2048; k += 512) {
    const uint32_t v = in[blockIdx.x * 2048 + k] << 11 | k;
    level[k] = v;
    mine[2048 + k] = v;
  }
  for (int width = 1024; width >= 1; width >>= 1) {
    __syncthreads();
    uint32_t a[2];
    int count = 0;
    for (int k = threadIdx.x; k < width; k += 512) a[count++] = min(level[2 * k], level[2 * k + 1]);
    __syncthreads();
    count = 0;
    for (int k = threadIdx.x; k < width; k += 512) {
      level[k] = a[count];
      mine[width + k] = a[count++];
    }
  }
}

// Two dimensions by a k-d tree without pointers, and a small stack: points in a rectangle are counted.
// warpscope rectangle_counts: block = 64, n = 2^13, grid = ceil(n / block), tree = f32 random[2 * 1023], boxes = f32 random[2 * n], out = zeros[n]
__global__ void rectangle_counts(const float2* tree, const float2* boxes, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 low = boxes[i], high = make_float2(low.x + 0.1f, low.y + 0.1f);
  short stack[12];
  int top = 0, count = 0;
  stack[top++] = 0;
  while (top > 0) {
    const int node = stack[--top];
    const float2 p = __ldg(&tree[node]);
    if (p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y) ++count;
    const int child = 2 * node + 1;
    if (child >= 1023) continue;
    const bool by_x = (31 - __clz(node + 1)) % 2 == 0;
    const float v = by_x ? p.x : p.y, a = by_x ? low.x : low.y, b = by_x ? high.x : high.y;
    if (b >= v) stack[top++] = child + 1;
    if (a <= v) stack[top++] = child;
  }
  out[i] = count;
}
