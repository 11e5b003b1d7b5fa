// Layers of neural networks, filters, clusters, random numbers, collectives.

// warpscope row_softmax: block = 128, rows = 1056, grid = rows, in = random[rows * 512], out = zeros[rows * 512]
__global__ void row_softmax(const float* in, float* out, int rows) {
  __shared__ float of_warp[4];
  const int t = threadIdx.x;
  const float* mine = in + blockIdx.x % rows * 512;
  float v[4], best = -1e30f, sum = 0;
  for (int k = 0; k < 4; ++k) best = fmaxf(best, v[k] = mine[t + k * 128]);
  for (int d = 16; d > 0; d /= 2) best = fmaxf(best, __shfl_xor_sync(0xFFFFFFFF, best, d));
  if (t % 32 == 0) of_warp[t / 32] = best;
  __syncthreads();
  best = fmaxf(fmaxf(of_warp[0], of_warp[1]), fmaxf(of_warp[2], of_warp[3]));
  __syncthreads();
  for (int k = 0; k < 4; ++k) sum += v[k] = expf(v[k] - best);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, d);
  if (t % 32 == 0) of_warp[t / 32] = sum;
  __syncthreads();
  sum = of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
  for (int k = 0; k < 4; ++k) out[blockIdx.x * 512 + t + k * 128] = v[k] / sum;
}
// warpscope norm_rows: block = 256, rows = 4096, grid = ceil(32 * rows / block), in = random[rows * 256], scale = random[256], out = zeros[rows * 256]
__global__ void norm_rows(const float4* in, const float4* scale, float4* out, int rows) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  const float4 a = in[r * 64 + lane], b = in[r * 64 + 32 + lane];
  float sum = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
  float squares =
      a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w + b.x * b.x + b.y * b.y + b.z * b.z + b.w * b.w;
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFF, sum, d);
    squares += __shfl_xor_sync(0xFFFFFFFF, squares, d);
  }
  const float mean = sum / 256, f = rsqrtf(squares / 256 - mean * mean + 1e-5f);
  const float4 s = scale[lane], u = scale[32 + lane];
  out[r * 64 + lane] = {(a.x - mean) * f * s.x, (a.y - mean) * f * s.y, (a.z - mean) * f * s.z,
                        (a.w - mean) * f * s.w};
  out[r * 64 + 32 + lane] = {(b.x - mean) * f * u.x, (b.y - mean) * f * u.y, (b.z - mean) * f * u.z,
                             (b.w - mean) * f * u.w};
}
// Attention of 64 queries to 256 keys, 32 wide, with a running maximum.
// warpscope attend: block = 64, grid = 264, keys = 256, q = random[grid * 64 * 32], k = random[256 * 32], v = random[256 * 32]:2, out = zeros[grid * 64 * 32]
__global__ void attend(const float* q, const float* k, const float* v, float* out, int keys) {
  __shared__ float tile_k[32][32], tile_v[32][32];
  const int t = threadIdx.x;
  float mine[32], sum[32] = {}, most = -1e30f, total = 0;
  for (int d = 0; d < 32; ++d) mine[d] = q[(blockIdx.x * 64 + t) * 32 + d];
  for (int first = 0; first < keys; first += 32) {
    __syncthreads();
    for (int i = t; i < 1024; i += 64) {
      tile_k[i / 32][i % 32] = k[first * 32 + i];
      tile_v[i / 32][i % 32] = v[first * 32 + i];
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      float score = 0;
      for (int d = 0; d < 32; ++d) score += mine[d] * tile_k[j][d];
      const float next = fmaxf(most, score), old = __expf(most - next), weight = __expf(score - next);
      total = total * old + weight;
      for (int d = 0; d < 32; ++d) sum[d] = sum[d] * old + weight * tile_v[j][d];
      most = next;
    }
  }
  for (int d = 0; d < 32; ++d) out[(blockIdx.x * 64 + t) * 32 + d] = sum[d] / total;
}
// warpscope convolve3: block = (32, 8), side = 256, grid = (side / 32, side / 8, 4), in = random[side * side * 4], weights = random[4 * 4 * 9], out = zeros[side * side * 4]
__global__ void convolve3(const float* in, const float* weights, float* out, int side) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, o = blockIdx.z;
  float sum = 0;
  for (int c = 0; c < 4; ++c) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const int px = x + dx, py = y + dy;
        if (px >= 0 && px < side && py >= 0 && py < side)
          sum += in[(c * side + py) * side + px] * weights[((o * 4 + c) * 3 + dy + 1) * 3 + dx + 1];
      }
    }
  }
  out[(o * side + y) * side + x] = fmaxf(sum, 0);
}
// warpscope pool2: block = 128, side = 512, grid = ceil(side * side / 4 / block), in = random[side * side], out = zeros[side * side / 4], where = zeros[side * side / 4]
__global__ void pool2(const float* in, float* out, unsigned char* where, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= side * side / 4) return;
  const int x = i % (side / 2) * 2, y = i / (side / 2) * 2;
  float best = -1e30f;
  int from = 0;
  for (int k = 0; k < 4; ++k) {
    const float v = in[(y + k / 2) * side + x + k % 2];
    if (v > best) {
      best = v;
      from = k;
    }
  }
  out[i] = best;
  where[i] = static_cast<unsigned char>(from);
}
// warpscope edge_keeping: block = (16, 16), side = 256, grid = (side / 16, side / 16), in = random[side * side], out = zeros[side * side]
__global__ void edge_keeping(const float* in, float* out, int side) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const float centre = in[y * side + x];
  float sum = 0, weights = 0;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      const float v = in[min(max(y + dy, 0), side - 1) * side + min(max(x + dx, 0), side - 1)],
                  d = v - centre;
      const float w = __expf(-0.1f * (dx * dx + dy * dy) - 8 * d * d);
      sum += w * v;
      weights += w;
    }
  }
  out[y * side + x] = sum / weights;
}
// The nearest of 16 centres, and sums for each, in shared memory.
// warpscope nearest_centre: block = 256, n = 2^16, grid = 132, points = random[2 * n], centres = random[32], sums = zeros[48]
__global__ void nearest_centre(const float2* points, const float2* centres, float* sums, int n) {
  __shared__ float of_block[48];
  if (threadIdx.x < 48) of_block[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float2 p = points[i];
    float best = 1e30f;
    int which = 0;
    for (int c = 0; c < 16; ++c) {
      const float dx = p.x - centres[c].x, dy = p.y - centres[c].y, d = dx * dx + dy * dy;
      if (d < best) {
        best = d;
        which = c;
      }
    }
    atomicAdd(&of_block[3 * which], p.x);
    atomicAdd(&of_block[3 * which + 1], p.y);
    atomicAdd(&of_block[3 * which + 2], 1.0f);
  }
  __syncthreads();
  if (threadIdx.x < 48) atomicAdd(&sums[threadIdx.x], of_block[threadIdx.x]);
}
// Philox with 10 rounds.
// warpscope philox: block = 256, n = 2^17, grid = ceil(n / block), out = zeros[4 * n]
__global__ void philox(uint4* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 c = {i, 0, 1, 2};
  unsigned k0 = 12345, k1 = 67890;
  for (int r = 0; r < 10; ++r) {
    const unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z),
                   l1 = 0xCD9E8D57u * c.z;
    c = {h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[i] = c;
}
// Paths of a price: xorshift, pairs of normal values, exponentials.
// warpscope price_paths: block = 128, n = 2^14, grid = ceil(n / block), steps = 16, out = zeros[n]
__global__ void price_paths(float* out, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = i * 2654435761u + 1;
  auto uniform = [&] {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return (s + 0.5f) * 2.3283064e-10f;
  };
  float price = 100;
  for (int k = 0; k < steps; ++k) {
    const float radius = sqrtf(-2 * logf(uniform())), angle = 6.2831853f * uniform();
    price *= expf(0.0001f + 0.01f * radius * cosf(angle));
    price *= expf(0.0001f + 0.01f * radius * sinf(angle));
  }
  out[i] = fmaxf(price - 100, 0);
}
// Groups of lanes with one value are found and served one after another.
// warpscope serve_groups: block = 128, n = 2^15, grid = ceil(n / block), in = random[n] in 0..9, totals = zeros[10], out = zeros[n]
__global__ void serve_groups(const unsigned* in, unsigned* totals, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n) return;
  const unsigned v = in[i], mine = __match_any_sync(0xFFFFFFFF, v);
  const int leader = __ffs(mine) - 1;
  unsigned first = 0;
  if (lane == leader) first = atomicAdd(&totals[v], __popc(mine));
  out[i] = __shfl_sync(mine, first, leader) + __popc(mine & ((1u << lane) - 1));
}
// Reductions, votes and scans of warps with the newer instructions.
// warpscope warp_collectives: block = 256, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n / 32]
__global__ void warp_collectives(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = in[i];
  unsigned r = __reduce_max_sync(0xFFFFFFFF, v) ^ __reduce_min_sync(0xFFFFFFFF, v >> 3) ^
               __reduce_xor_sync(0xFFFFFFFF, v * 3);
  int same;
  r += __match_all_sync(0xFFFFFFFF, v & 1, &same) + same;
  r += __all_sync(0xFFFFFFFF, v != 0) + __popc(__ballot_sync(0xFFFFFFFF, v & 4));
  if (threadIdx.x % 32 == 0) out[i / 32] = r;
}
// A network that sorts 8 values in registers, for medians.
__device__ inline void order(float& a, float& b) {
  const float low = fminf(a, b);
  b = fmaxf(a, b);
  a = low;
}
// warpscope median9: block = (32, 8), side = 512, grid = (side / 32, side / 8), in = random[side * side], out = zeros[side * side]
__global__ void median9(const float* in, float* out, int side) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float v[9];
  for (int k = 0; k < 9; ++k)
    v[k] = in[min(max(y + k / 3 - 1, 0), side - 1) * side + min(max(x + k % 3 - 1, 0), side - 1)];
  for (int pass = 0; pass < 5; ++pass) {
    for (int k = pass; k + 1 < 9 - pass; ++k) order(v[k], v[k + 1]);
    for (int k = 7 - pass; k > pass; --k) order(v[k - 1], v[k]);
  }
  out[y * side + x] = v[4];
}
// One step of a radix sort: ranks of 4-bit digits within a block.
// warpscope radix_ranks: block = 128 fixed, n = 2^16, grid = ceil(n / block), shift = 8, in = random[n], out = zeros[n]
__global__ void radix_ranks(const unsigned* in, unsigned* out, int n, int shift) {
  __shared__ unsigned counts[4][16], starts[16];
  const int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x < 64) counts[threadIdx.x / 16][threadIdx.x % 16] = 0;
  __syncthreads();
  const unsigned v = in[i % n], digit = v >> shift & 15;
  unsigned same = 0xFFFFFFFF;
  for (int b = 0; b < 4; ++b) {
    const unsigned ones = __ballot_sync(0xFFFFFFFF, digit >> b & 1);
    same &= digit >> b & 1 ? ones : ~ones;
  }
  const unsigned before = __popc(same & ((1u << lane) - 1));
  if (before == 0) counts[warp][digit] = __popc(same);
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int w = 0; w < 4; ++w) {
      const unsigned c = counts[w][threadIdx.x];
      counts[w][threadIdx.x] = sum;
      sum += c;
    }
    unsigned scan = sum;
    for (int d = 1; d < 16; d *= 2) {
      const unsigned other = __shfl_up_sync(0xFFFF, scan, d);
      if (lane >= d) scan += other;
    }
    starts[threadIdx.x] = scan - sum;
  }
  __syncthreads();
  out[blockIdx.x * 128 + starts[digit] + counts[warp][digit] + before] = v;
}
// Smith-Waterman: a block's wave of diagonals over 128 by 128 letters.
// warpscope local_alignment: block = 128 fixed, grid = 132, a = random[grid * 128], b = random[grid * 128]:2, out = zeros[grid]
__global__ void local_alignment(const unsigned char* a, const unsigned char* b, int* out) {
  __shared__ short row[3][130];
  __shared__ unsigned char other[128];
  __shared__ int best;
  const int t = threadIdx.x;
  const unsigned char mine = a[blockIdx.x * 128 + t] % 4;
  other[t] = b[blockIdx.x * 128 + t] % 4;
  for (int k = t; k < 390; k += 128) row[k / 130][k % 130] = 0;
  if (t == 0) best = 0;
  __syncthreads();
  int most = 0;
  for (int d = 0; d < 255; ++d) {
    const int j = d - t;
    short* now = row[d % 3];
    const short *last = row[(d + 2) % 3], *before = row[(d + 1) % 3];
    if (j >= 0 && j < 128) {
      const int score = max(max(0, before[t] + (mine == other[j] ? 3 : -2)), max(last[t], last[t + 1]) - 1);
      now[t + 1] = static_cast<short>(score);
      most = max(most, score);
    }
    __syncthreads();
  }
  atomicMax(&best, most);
  __syncthreads();
  if (t == 0) out[blockIdx.x] = best;
}
