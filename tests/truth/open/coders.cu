// Images, video and sound: their coders and decoders.
#include <cstdint>

__device__ __forceinline__ int clamped(int v, int low, int high) {
  return max(low, min(high, v));
}

__device__ __forceinline__ unsigned bytesApart(uint32_t a, uint32_t b, unsigned sum) {
#pragma unroll
  for (int k = 0; k < 32; k += 8) sum = __usad(a >> k & 255, b >> k & 255, sum);
  return sum;
}

__constant__ unsigned char zigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                         12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                         35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                         58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// JPEG's inverse transform: eight threads for a block, a column and then a row each, integers.
__device__ void inverse8(int* v, int stride, int shift) {
  const int a0 = v[0], a1 = v[stride], a2 = v[2 * stride], a3 = v[3 * stride], a4 = v[4 * stride],
            a5 = v[5 * stride], a6 = v[6 * stride], a7 = v[7 * stride];
  const int z = (a2 + a6) * 4433, t2 = z - a6 * 15137, t3 = z + a2 * 6270;
  const int t0 = (a0 + a4) << 13, t1 = (a0 - a4) << 13;
  const int e0 = t0 + t3, e3 = t0 - t3, e1 = t1 + t2, e2 = t1 - t2;
  const int w = (a7 + a3 + a5 + a1) * 9633, z3 = w - (a7 + a3) * 16069, z4 = w - (a5 + a1) * 3196;
  const int z1 = -(a7 + a1) * 7373, z2 = -(a5 + a3) * 20995;
  const int o0 = a7 * 2446 + z1 + z3, o1 = a5 * 16819 + z2 + z4, o2 = a3 * 25172 + z2 + z3,
            o3 = a1 * 12299 + z1 + z4;
  const int half = 1 << (shift - 1);
  v[0] = (e0 + o3 + half) >> shift;
  v[7 * stride] = (e0 - o3 + half) >> shift;
  v[stride] = (e1 + o2 + half) >> shift;
  v[6 * stride] = (e1 - o2 + half) >> shift;
  v[2 * stride] = (e2 + o1 + half) >> shift;
  v[5 * stride] = (e2 - o1 + half) >> shift;
  v[3 * stride] = (e3 + o0 + half) >> shift;
  v[4 * stride] = (e3 - o0 + half) >> shift;
}
// warpscope inverse_cosine: block = 128 fixed, grid = 1000, steps_of = s32 random[64] in 1..60, coefficients = s16 random[1000 * 1024] in -20..20, pixels = zeros[1000 * 1024]
__global__ void inverse_cosine(const int* steps_of, const short* coefficients, unsigned char* pixels) {
  __shared__ int blocks[16][8 * 8 + 1];
  __shared__ int quantiser[64];
  if (threadIdx.x < 64) quantiser[threadIdx.x] = steps_of[threadIdx.x];
  __syncthreads();
  const int which = threadIdx.x / 8, lane = threadIdx.x % 8, base = (blockIdx.x * 16 + which) * 64;
  int* mine = blocks[which];
  for (int k = 0; k < 8; ++k) {
    const int at = lane * 8 + k;
    mine[zigzag[at]] = coefficients[base + at] * quantiser[at];
  }
  __syncwarp();
  inverse8(mine + lane, 8, 11);
  __syncwarp();
  inverse8(mine + lane * 8, 1, 18);
  __syncwarp();
  uint32_t words[2] = {0, 0};
  for (int k = 0; k < 8; ++k)
    words[k / 4] |= uint32_t(clamped(mine[lane * 8 + k] + 128, 0, 255)) << (8 * (k & 3));
  *reinterpret_cast<uint2*>(pixels + base + lane * 8) = make_uint2(words[0], words[1]);
}

// The least sum of absolute differences: a block of 16 by 16 pixels against 17 by 17 places, four bytes at
// once.
// warpscope motion_search: block = 289 fixed, wide = 30, grid = (wide, 17), now = u32 random[(16 * wide + 16) * 4 * 18], past = u32 random[(16 * wide + 20) * 4 * 20]:2, vectors = s32 zeros[2 * wide * 17]
__global__ void motion_search(const uint32_t* now, const uint32_t* past, int2* vectors, int wide) {
  __shared__ uint32_t block[16][4];
  __shared__ uint32_t window[32][10];
  __shared__ unsigned best;
  const int pitch = 4 * wide + 4, t = threadIdx.x;
  if (t == 0) best = ~0u;
  if (t < 64) block[t / 4][t % 4] = now[(blockIdx.y * 16 + t / 4) * pitch + blockIdx.x * 4 + t % 4];
  for (int k = t; k < 32 * 9; k += 289) {
    window[k / 9][k % 9] = past[(blockIdx.y * 16 + k / 9) * (pitch + 4) + blockIdx.x * 4 + k % 9];
  }
  __syncthreads();
  const int dx = t % 17, dy = t / 17, shift = (dx & 3) * 8;
  unsigned sum = 0;
  for (int y = 0; y < 16; ++y) {
    const uint32_t* row = &window[min(y + dy, 31)][dx >> 2];
#pragma unroll
    for (int x = 0; x < 4; ++x)
      sum = bytesApart(block[y][x], __funnelshift_r(row[x], row[x + 1], shift), sum);
  }
  atomicMin(&best, sum << 10 | t);
  __syncthreads();
  if (t == 0)
    vectors[blockIdx.y * wide + blockIdx.x] = make_int2(int(best & 1023) % 17 - 8, int(best & 1023) / 17 - 8);
}

// PNG's filters are undone along rows (left) by warps: the sum of bytes before, four bytes a pixel.
// warpscope undo_left: block = 128, rows = 600, width = 768, grid = ceil(rows / 4), data = random[rows * width]
__global__ void undo_left(uint32_t* data, int rows, int width) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  uint32_t carry = 0;
  for (int x = lane; x < width; x += 32) {
    uint32_t v = data[row * width + x];
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      const uint32_t other = __shfl_up_sync(0xffffffffu, v, d);
      if (lane >= d) v = __vadd4(v, other);
    }
    v = __vadd4(v, carry);
    data[row * width + x] = v;
    carry = __shfl_sync(0xffffffffu, v, 31);
  }
}

// Video's planes to colours: a thread makes 2 by 2 pixels from four of luma and one of each chroma.
// warpscope planes_to_colours: block = (32, 5), width = 1280, height = 720, grid = (width / 64, height / 10), luma = random[width * height], chroma = u8 random[width * height / 2], out = u8 zeros[4 * width * height]
__global__ void planes_to_colours(const uint8_t* __restrict__ luma, const uchar2* __restrict__ chroma,
                                  uchar4* __restrict__ out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (2 * x >= width || 2 * y >= height) return;
  const uchar2 c = chroma[y * (width / 2) + x];
  const float u = c.x - 128.f, v = c.y - 128.f;
  const float r = 1.596f * v, g = -0.391f * u - 0.813f * v, b = 2.018f * u;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int at = (2 * y + k / 2) * width + 2 * x + k % 2;
    const float l = 1.164f * (luma[at] - 16);
    out[at] = make_uchar4(__saturatef((l + r) / 255) * 255, __saturatef((l + g) / 255) * 255,
                          __saturatef((l + b) / 255) * 255, 255);
  }
}

// LZ4-like blocks: a warp decodes tokens one after the other and copies literals and matches together.
// warpscope lz_warps: block = 64, streams = 1056, grid = streams / 2, in = random[512 * streams], out = zeros[2048 * streams]
__global__ void lz_warps(const uint8_t* in, uint8_t* out, int streams) {
  const int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (s >= streams) return;
  in += 512 * s;
  out += 2048 * s;
  int from = 0, to = 0;
  while (from < 480 && to < 2000) {
    const int token = in[from++], literals = token >> 4;
    if (lane < literals) out[to + lane] = in[from + lane];
    from += literals;
    to += literals;
    __syncwarp();
    const int length = 4 + (token & 15);
    const int distance = 1 + (in[from] | in[from + 1] << 8) % max(1, min(to, 600));
    from += 2;
    if (to > 0 && distance <= to) {
      if (lane < length) out[to + lane] = out[to - distance + lane % distance];
      to += length;
    }
    __syncwarp();
  }
}

__constant__ short step_sizes[89] = {
    7,    8,     9,     10,    11,    12,    13,    14,    16,    17,    19,    21,    23,    25,   28,
    31,   34,    37,    41,    45,    50,    55,    60,    66,    73,    80,    88,    97,    107,  118,
    130,  143,   157,   173,   190,   209,   230,   253,   279,   307,   337,   371,   408,   449,  494,
    544,  598,   658,   724,   796,   876,   963,   1060,  1166,  1282,  1411,  1552,  1707,  1878, 2066,
    2272, 2499,  2749,  3024,  3327,  3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845, 8630,
    9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
// ADPCM: samples of four bits become 16 bits, each depending on the one before.
// warpscope adpcm_decode: block = 64, blocks_of = 6000, grid = ceil(blocks_of / block), in = u32 random[16 * blocks_of], out = s16 zeros[128 * blocks_of]
__global__ void adpcm_decode(const uint32_t* in, short* out, int blocks_of) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= blocks_of) return;
  int value = 0, index = 20;
  for (int w = 0; w < 16; ++w) {
    uint32_t word = in[w * blocks_of + b];
    for (int k = 0; k < 8; ++k, word >>= 4) {
      const int step = step_sizes[index], nibble = word & 15;
      int difference = step >> 3;
      if (nibble & 1) difference += step >> 2;
      if (nibble & 2) difference += step >> 1;
      if (nibble & 4) difference += step;
      value = clamped(nibble & 8 ? value - difference : value + difference, -32768, 32767);
      index = clamped(index + ((nibble & 7) < 4 ? -1 : 2 * (nibble & 7) - 6), 0, 88);
      out[(8 * w + k) * blocks_of + b] = value;
    }
  }
}

// Textures of 4 by 4 pixels become two colours of 16 bits and indices of two bits: one thread a pixel.
// warpscope two_colours: block = 256 fixed, width = 512, height = 512, grid = width * height / 256, pixels = u8 random[4 * width * height], out = u32 zeros[width * height / 8]
__global__ void two_colours(const uchar4* pixels, uint2* out, int width, int height) {
  const int t = threadIdx.x & 15, tile = (blockIdx.x * 256 + threadIdx.x) / 16, tiles = width / 4;
  const uchar4 p = pixels[(tile / tiles * 4 + t / 4) * width + tile % tiles * 4 + t % 4];
  float3 low = {float(p.x), float(p.y), float(p.z)}, high = low;
  for (int d = 8; d > 0; d /= 2) {
    low.x = fminf(low.x, __shfl_xor_sync(~0u, low.x, d)),
    high.x = fmaxf(high.x, __shfl_xor_sync(~0u, high.x, d));
    low.y = fminf(low.y, __shfl_xor_sync(~0u, low.y, d)),
    high.y = fmaxf(high.y, __shfl_xor_sync(~0u, high.y, d));
    low.z = fminf(low.z, __shfl_xor_sync(~0u, low.z, d)),
    high.z = fmaxf(high.z, __shfl_xor_sync(~0u, high.z, d));
  }
  const float3 axis = {high.x - low.x, high.y - low.y, high.z - low.z};
  const float length = axis.x * axis.x + axis.y * axis.y + axis.z * axis.z;
  float along =
      ((p.x - low.x) * axis.x + (p.y - low.y) * axis.y + (p.z - low.z) * axis.z) / fmaxf(length, 1.f);
  const int quarter = min(3, int(along * 3 + 0.5f));
  unsigned bits = unsigned(quarter == 0 ? 1 : quarter == 1 ? 3 : quarter == 2 ? 2 : 0) << (2 * t);
  for (int d = 8; d > 0; d /= 2) bits |= __shfl_xor_sync(~0u, bits, d);
  if (t == 0) {
    const unsigned a = unsigned(high.x) >> 3 << 11 | unsigned(high.y) >> 2 << 5 | unsigned(high.z) >> 3;
    const unsigned b = unsigned(low.x) >> 3 << 11 | unsigned(low.y) >> 2 << 5 | unsigned(low.z) >> 3;
    out[tile] = make_uint2(a | b << 16, bits);
  }
}

// Edges between blocks of eight pixels are smoothed where they are weak, in place; a thread for each line of
// an edge.
// warpscope smooth_edges: block = 200, width = 1600, height = 400, grid = ceil((width / 8 - 1) * height / block), strength = 24, image = random[width * height]
__global__ void smooth_edges(uint8_t* image, int width, int height, int strength) {
  const int edges = width / 8 - 1, id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= edges * height) return;
  uint8_t* p = image + id / edges * width + (id % edges + 1) * 8;
  const int p1 = p[-2], p0 = p[-1], q0 = p[0], q1 = p[1];
  if (abs(p0 - q0) * 2 + abs(p1 - q1) / 2 > strength * 4) return;
  const int delta = clamped(((q0 - p0) * 4 + (p1 - q1) + 4) >> 3, -strength, strength);
  p[-1] = clamped(p0 + delta, 0, 255);
  p[0] = clamped(q0 - delta, 0, 255);
  if (abs(p1 - p0) < strength) p[-2] = clamped(p1 + delta / 2, 0, 255);
  if (abs(q1 - q0) < strength) p[1] = clamped(q1 - delta / 2, 0, 255);
}

// Lengths of prefix codes, summed over a block, then bits are written into shared words by atomics.
// warpscope emit_codes: block = 192 fixed, grid = 800, codes = u32 random[2 * 256], symbols = u8 random[192 * 800 * 4], out = u32 zeros[800 * 400], lengths = zeros[800]
__global__ void emit_codes(const uint2* codes, const uchar4* symbols, uint32_t* out, int* lengths) {
  __shared__ uint32_t bits[400];
  __shared__ int of_warp[6];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  for (int k = t; k < 400; k += 192) bits[k] = 0;
  const uchar4 four = symbols[blockIdx.x * 192 + t];
  const uint2 c[4] = {codes[four.x], codes[four.y], codes[four.z], codes[four.w]};
  int size[4], total = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) total += size[k] = 2 + c[k].y % 14;
  int end = total;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, end, d);
    if (lane >= d) end += other;
  }
  if (lane == 31) of_warp[warp] = end;
  __syncthreads();
  int at = end - total;
  for (int w = 0; w < warp; ++w) at += of_warp[w];
  if (t == 191) lengths[blockIdx.x] = at + total;
  for (int k = 0; k < 4; ++k) {
    const unsigned long long code = (unsigned long long)(c[k].x & ((1u << size[k]) - 1)) << (at & 31);
    atomicOr(&bits[at >> 5], uint32_t(code));
    if (code >> 32) atomicOr(&bits[(at >> 5) + 1], uint32_t(code >> 32));
    at += size[k];
  }
  __syncthreads();
  for (int k = t; k < 400; k += 192) out[blockIdx.x * 400 + k] = bits[k];
}

// Layers of a painting are laid over each other; each run of 64 pixels has its own way to do so.
// warpscope blend_modes: block = 96, n = 500000, grid = ceil(n / block), below = u8 random[4 * n], above = u8 random[4 * n]:2, modes = random[n / 64 + 1], out = u8 zeros[4 * n]
__global__ void blend_modes(const uchar4* below, const uchar4* above, const unsigned* modes, uchar4* out,
                            int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 a = below[i], b = above[i];
  auto channel = [](int mode, int x, int y) {
    switch (mode) {
      case 0:
        return x * y / 255;
      case 1:
        return 255 - (255 - x) * (255 - y) / 255;
      case 2:
        return x < 128 ? 2 * x * y / 255 : 255 - 2 * (255 - x) * (255 - y) / 255;
      case 3:
        return abs(x - y);
      case 4:
        return y == 255 ? 255 : min(255, x * 255 / (255 - y));
      case 5:
        return y == 0 ? 0 : 255 - min(255, (255 - x) * 255 / y);
      case 6:
        return int(sqrtf(x * 255.f) * y / 255 + x * (255 - y) / 255);
      default:
        return min(255, x + y);
    }
  };
  const int mode = modes[i / 64] & 7;
  const int r = channel(mode, a.x, b.x), g = channel(mode, a.y, b.y), c = channel(mode, a.z, b.z);
  out[i] = make_uchar4((a.x * (255 - b.w) + r * b.w) / 255, (a.y * (255 - b.w) + g * b.w) / 255,
                       (a.z * (255 - b.w) + c * b.w) / 255, a.w);
}
