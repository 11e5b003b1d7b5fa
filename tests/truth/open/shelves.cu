// Sorts, scans and structures that keep data in order.
#include <cstdint>

// A wavelet matrix of 8 levels over 2048 bytes is built by one block, and the k-th smallest of ranges is
// asked of it.
// warpscope quantile_levels: block = 256 fixed, parts = 96, grid = parts, values = u8 random[parts * 2048], queries = u32 random[parts * 256], out = u8 zeros[parts * 256]
__global__ void quantile_levels(const uint8_t* values, const uint32_t* queries, uint8_t* out) {
  __shared__ uint32_t bits[8][64];
  __shared__ uint16_t ranks[8][65];
  __shared__ uint8_t line[2][2048];
  const int t = threadIdx.x, lane = t % 32;
  *reinterpret_cast<uint2*>(&line[0][t * 8]) = reinterpret_cast<const uint2*>(values + blockIdx.x * 2048)[t];
  __syncthreads();
  for (int level = 0; level < 8; ++level) {
    const uint8_t* from = line[level % 2];
    uint8_t* to = line[1 - level % 2];
    for (int k = t; k < 2048; k += 256) {
      const uint32_t word = __ballot_sync(~0u, from[k] >> (7 - level) & 1);
      if (lane == 0) bits[level][k / 32] = word;
    }
    __syncthreads();
    if (t < 32) {
      const int low = __popc(bits[level][2 * lane]), pair = low + __popc(bits[level][2 * lane + 1]);
      int sum = pair;
      for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += other;
      }
      ranks[level][2 * lane] = sum - pair;
      ranks[level][2 * lane + 1] = sum - pair + low;
      if (lane == 31) ranks[level][64] = sum;
    }
    __syncthreads();
    const int zeros = 2048 - ranks[level][64];
    for (int k = t; k < 2048; k += 256) {
      const int ones = ranks[level][k / 32] + __popc(bits[level][k / 32] & ((1u << lane) - 1));
      to[bits[level][k / 32] >> lane & 1 ? zeros + ones : k - ones] = from[k];
    }
    __syncthreads();
  }
  const uint32_t q = queries[blockIdx.x * 256 + t];
  int from = q & 1023, to = from + 1 + (q >> 10 & 1023), rank = (q >> 20) % (to - from), value = 0;
  for (int level = 0; level < 8; ++level) {
    auto onesBefore = [&](int k) {
      return k >= 2048 ? ranks[level][64]
                       : ranks[level][k / 32] + __popc(bits[level][k / 32] & ((1u << k % 32) - 1));
    };
    const int a = onesBefore(from), b = onesBefore(to), nulls = to - from - (b - a);
    if (rank < nulls) {
      from -= a;
      to -= b;
    } else {
      rank -= nulls;
      value |= 128 >> level;
      const int zeros = 2048 - ranks[level][64];
      from = zeros + a;
      to = zeros + b;
    }
  }
  out[blockIdx.x * 256 + t] = value;
}

// Eight sorted runs of 24 become one by a tree of losers, a thread for each group of runs; keys are made by
// sums of gaps.
// warpscope losers_tree: block = 64, groups = 2048, grid = groups / block, gaps = u8 random[groups * 8 * 24], out = u16 zeros[groups * 192]
__global__ void losers_tree(const uint8_t* __restrict__ gaps, uint16_t* __restrict__ out, int groups) {
  constexpr int Ways = 8, Length = 24;
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  uint16_t key[Ways];
  uint8_t place[Ways], loser[Ways];
  for (int w = 0; w < Ways; ++w) {
    key[w] = gaps[w * Length * groups + g];
    place[w] = 0;
  }
  uint8_t winners[2 * Ways];
  for (int w = 0; w < Ways; ++w) winners[Ways + w] = w;
  for (int k = Ways - 1; k > 0; --k) {
    const int a = winners[2 * k], b = winners[2 * k + 1];
    const bool left = key[a] <= key[b];
    winners[k] = left ? a : b;
    loser[k] = left ? b : a;
  }
  int best = winners[1];
  for (int k = 0; k < Ways * Length; ++k) {
    out[k * groups + g] = key[best];
    if (++place[best] < Length)
      key[best] += gaps[(best * Length + place[best]) * groups + g];
    else
      key[best] = 0xFFFF;
    for (int node = (best + Ways) / 2; node > 0; node /= 2)
      if (key[loser[node]] < key[best]) {
        const int other = loser[node];
        loser[node] = best;
        best = other;
      }
  }
}

// Rows of 1024 pairs are sorted by Batcher's odd-even merges in shared memory, keys in floats and their
// places beside them.
// warpscope merged_oddly: block = 512 fixed, rows = 64, grid = rows, keys = f32 random[rows * 1024], places = u16 zeros[rows * 1024]
__global__ void merged_oddly(float* keys, uint16_t* places) {
  __shared__ float key[1024];
  __shared__ uint16_t place[1024];
  float* mine = keys + blockIdx.x * 1024;
  for (int k = threadIdx.x; k < 1024; k += 512) key[k] = mine[k], place[k] = k;
  for (int size = 1; size < 1024; size *= 2)
    for (int stride = size; stride > 0; stride /= 2) {
      __syncthreads();
      const int offset = stride == size ? 0 : stride, t = threadIdx.x;
      const int low = t / stride * 2 * stride + t % stride + offset, high = low + stride;
      if (high < 1024 && low / (2 * size) == high / (2 * size) && key[high] < key[low]) {
        const float f = key[low];
        key[low] = key[high];
        key[high] = f;
        const uint16_t p = place[low];
        place[low] = place[high];
        place[high] = p;
      }
    }
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += 512) places[blockIdx.x * 1024 + k] = place[k];
}

// Which part of a sample sort each key belongs to: 63 splitters in a tree without branches, counts and places
// within the block in one pass.
// warpscope splitter_buckets: block = 256 fixed, n = 2^17, grid = n / 1024, keys = u32 random[n], splitters = u32 random[64], bucket = u8 zeros[n], counts = u32 zeros[64 * n / 1024]
__global__ void splitter_buckets(const uint32_t* keys, const uint32_t* splitters, uint8_t* bucket,
                                 uint32_t* counts, int n) {
  __shared__ uint32_t sorted[64], tree[64], sums[64];
  const int t = threadIdx.x;
  if (t < 64) {
    const uint32_t mine = splitters[t];
    int rank = 0;
    for (int k = 0; k < 64; ++k) {
      const uint32_t other = splitters[k];
      rank += other < mine || (other == mine && k < t);
    }
    sorted[rank] = mine;
    sums[t] = 0;
  }
  __syncthreads();
  if (t > 0 && t < 64) {
    const int depth = 31 - __clz(t), width = 64 >> depth;
    tree[t] = sorted[(t - (1 << depth)) * width + width / 2];
  }
  __syncthreads();
  const uint4 four = reinterpret_cast<const uint4*>(keys)[blockIdx.x * 256 + t];
  const uint32_t key[4] = {four.x, four.y, four.z, four.w};
  int at[4] = {1, 1, 1, 1};
#pragma unroll
  for (int level = 0; level < 6; ++level)
#pragma unroll
    for (int k = 0; k < 4; ++k) at[k] = 2 * at[k] + (key[k] >= tree[at[k]]);
#pragma unroll
  for (int k = 0; k < 4; ++k) atomicAdd(&sums[at[k] - 64], 1u);
  reinterpret_cast<uchar4*>(bucket)[blockIdx.x * 256 + t] =
      make_uchar4(at[0] - 64, at[1] - 64, at[2] - 64, at[3] - 64);
  __syncthreads();
  if (t < 64) counts[t * gridDim.x + blockIdx.x] = sums[t];
}

// A scan of 2 x 2 matrices modulo a prime: linear recurrences with changing terms, each thread four matrices,
// then warps, then the block.
struct Square {
  uint32_t a, b, c, d;
};
__device__ inline Square times(const Square& x, const Square& y) {
  constexpr uint32_t p = 65521;
  return {(x.a * y.a % p + x.b * y.c % p) % p, (x.a * y.b % p + x.b * y.d % p) % p,
          (x.c * y.a % p + x.d * y.c % p) % p, (x.c * y.b % p + x.d * y.d % p) % p};
}
__device__ inline Square from(const Square& s, int lane) {
  return {__shfl_sync(~0u, s.a, lane), __shfl_sync(~0u, s.b, lane), __shfl_sync(~0u, s.c, lane),
          __shfl_sync(~0u, s.d, lane)};
}
// warpscope scanned_squares: block = 128 fixed, n = 2^16, grid = n / 512, terms = u16 random[n], out = u32 zeros[n]
__global__ void scanned_squares(const uint16_t* terms, uint32_t* out) {
  __shared__ Square ends[4];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, base = blockIdx.x * 512 + t * 4;
  const ushort4 four = *reinterpret_cast<const ushort4*>(terms + base);
  Square local[4] = {{four.x % 65521u, 1, 1, 0},
                     {four.y % 65521u, 1, 1, 0},
                     {four.z % 65521u, 1, 1, 0},
                     {four.w % 65521u, 1, 1, 0}};
#pragma unroll
  for (int k = 1; k < 4; ++k) local[k] = times(local[k], local[k - 1]);
  Square sum = local[3];
  for (int d = 1; d < 32; d *= 2) {
    const Square other = from(sum, max(lane - d, 0));
    if (lane >= d) sum = times(sum, other);
  }
  if (lane == 31) ends[warp] = sum;
  __syncthreads();
  Square before = from(sum, max(lane - 1, 0));
  if (lane == 0) before = {1, 0, 0, 1};
  for (int w = warp - 1; w >= 0; --w) before = times(before, ends[w]);
  uint4 result;
  result.x = times(local[0], before).a;
  result.y = times(local[1], before).a;
  result.z = times(local[2], before).a;
  result.w = times(local[3], before).a;
  *reinterpret_cast<uint4*>(out + base) = result;
}

// A cache of 16 sets and four ways with least recent use is fed a stream of addresses; the order of a set is
// four bytes of a word.
// warpscope recent_ways: block = 32 fixed, streams = 2^11, grid = streams / 32, addresses = u16 random[streams * 64], hits = s32 zeros[streams]
__global__ void recent_ways(const uint16_t* addresses, int* hits, int streams) {
  __shared__ uint32_t tags[16][33];
  const int t = threadIdx.x, s = blockIdx.x * 32 + t;
  for (int k = 0; k < 16; ++k) tags[k][t] = 0xFFFEFDFCu;
  int found = 0;
  uint32_t place = 0;
  for (int k = 0; k < 64; ++k) {
    const uint32_t jump = addresses[k * streams + s];
    place = jump & 0x300 ? place + (jump & 7) : jump & 1023;
    const uint32_t line = place >> (2 + s % 3) & 0xFF, set = line & 15, tag = line >> 4;
    const uint32_t ways = tags[set][t];
    uint32_t order;
    if ((ways & 255) == tag)
      order = ways, ++found;
    else if ((ways >> 8 & 255) == tag)
      order = (ways & 0xFFFF0000u) | (ways & 255) << 8 | tag, ++found;
    else if ((ways >> 16 & 255) == tag)
      order = (ways & 0xFF000000u) | (ways & 0xFFFF) << 8 | tag, ++found;
    else {
      found += ways >> 24 == tag;
      order = ways << 8 | tag;
    }
    tags[set][t] = order;
  }
  hits[s] = found;
}

// Segment trees of 32 leaves whose ranges are raised or asked for their maximum, marks stay at the nodes; one
// tree a thread, with a stack.
// warpscope late_marks: block = 64, trees = 512, grid = trees / block, orders = u32 random[trees * 24], tree = s32 zeros[trees * 128], out = s32 zeros[trees]
__global__ void late_marks(const uint32_t* orders, int2* tree, int* out, int trees) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= trees) return;
  auto node = [&](int k) -> int2& { return tree[k * trees + id]; };
  for (int k = 0; k < 64; ++k) node(k) = make_int2(0, 0);
  int sum = 0;
  for (int step = 0; step < 24; ++step) {
    const uint32_t o = orders[step * trees + id];
    int left = o & 31, right = o >> 8 & 31;
    if (left > right) left ^= right, right ^= left, left ^= right;
    const bool raise = o >> 31;
    const int by = o >> 16 & 255;
    int stack[12], top = 0, best = -1;
    stack[top++] = 1;
    while (top > 0) {
      const int k = stack[--top];
      if (k < 0) {
        node(-k).x = max(node(2 * -k).x, node(2 * -k + 1).x) + node(-k).y;
        continue;
      }
      const int depth = 31 - __clz(k), width = 32 >> depth, first = (k - (1 << depth)) * width;
      if (right < first || first + width <= left) continue;
      if (left <= first && first + width - 1 <= right) {
        if (raise) {
          node(k).x += by;
          node(k).y += by;
        } else {
          int above = 0;
          for (int a = k / 2; a > 0; a /= 2) above += node(a).y;
          best = max(best, node(k).x + above);
        }
        continue;
      }
      if (raise) stack[top++] = -k;
      stack[top++] = 2 * k;
      stack[top++] = 2 * k + 1;
    }
    sum += best;
  }
  out[id] = sum;
}

// Cartesian trees: the parent of each of 256 elements is the larger of the nearest smaller ones on both
// sides, found over a table of minima.
// warpscope smaller_sides: block = 256 fixed, rows = 256, grid = rows, values = u16 random[rows * 256], parent = s16 zeros[rows * 256]
__global__ void smaller_sides(const uint16_t* values, short* parent) {
  __shared__ uint32_t minima[9][256];
  const int t = threadIdx.x;
  const uint32_t mine = values[blockIdx.x * 256 + t] << 8 | t;
  minima[0][t] = mine;
  __syncthreads();
#pragma unroll
  for (int level = 1; level < 9; ++level) {
    const int other = t + (1 << (level - 1));
    minima[level][t] = min(minima[level - 1][t], other < 256 ? minima[level - 1][other] : ~0u);
    __syncthreads();
  }
  int right = t + 1, left = t;
  for (int level = 8; level >= 0; --level)
    if (right + (1 << level) <= 256 && minima[level][right] > mine) right += 1 << level;
  for (int level = 8; level >= 0; --level)
    if (left - (1 << level) >= 0 && minima[level][left - (1 << level)] > mine) left -= 1 << level;
  const int a = left - 1, b = right < 256 ? right : -1;
  const int up = a < 0 ? b : b < 0 ? a : minima[0][a] > minima[0][b] ? a : b;
  parent[blockIdx.x * 256 + t] = up;
}
