// Pictures, films and archives: coders and decoders.

// warpscope dct8x8_quantise: block = (8, 8, 4) fixed, width = 640, height = 384, grid = (width / 32, height / 8), img = random[width * height] in 0..255, quant = random[64] in 1..99, coef = zeros[width * height]
__global__ void dct8x8_quantise(const unsigned char* img, const unsigned short* quant, short* coef,
                                int width) {
  __shared__ float blk[4][8][9], mid[4][8][9];
  __shared__ float basis[8][8];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const int px = (blockIdx.x * 4 + z) * 8 + x, py = blockIdx.y * 8 + y;
  if (z == 0) basis[y][x] = (y == 0 ? 0.35355339f : 0.5f) * cosf((2 * x + 1) * y * 0.19634954f);
  blk[z][y][x] = img[py * width + px] - 128.0f;
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 8; k++) s += blk[z][y][k] * basis[x][k];
  mid[z][y][x] = s;
  __syncthreads();
  s = 0;
  for (int k = 0; k < 8; k++) s += mid[z][k][x] * basis[y][k];
  coef[py * width + px] = (short)rintf(s / quant[y * 8 + x]);
}

// Luma and halved chroma to colours: a thread has two by two pixels.
__device__ __forceinline__ unsigned char clip255(int v) {
  return v < 0 ? 0 : v > 255 ? 255 : v;
}
// warpscope nv12_to_rgba: block = (32, 8), width = 1280, height = 720, grid = (ceil(width / 2 / block.x), ceil(height / 2 / block.y)), luma = random[width * height] in 16..235, chroma = random[width * height / 4] in 16..240, rgba = zeros[width * height]
__global__ void nv12_to_rgba(const unsigned char* __restrict__ luma, const uchar2* __restrict__ chroma,
                             uchar4* __restrict__ rgba, int width, int height) {
  const int cx = blockIdx.x * blockDim.x + threadIdx.x, cy = blockIdx.y * blockDim.y + threadIdx.y;
  if (cx * 2 >= width || cy * 2 >= height) return;
  const uchar2 uv = chroma[cy * (width / 2) + cx];
  const int u = uv.x - 128, v = uv.y - 128;
  const int r = 409 * v + 128, g = -100 * u - 208 * v + 128, b = 516 * u + 128;
#pragma unroll
  for (int dy = 0; dy < 2; ++dy) {
#pragma unroll
    for (int dx = 0; dx < 2; ++dx) {
      const int at = (cy * 2 + dy) * width + cx * 2 + dx, l = 298 * (luma[at] - 16);
      rgba[at] = make_uchar4(clip255((l + r) >> 8), clip255((l + g) >> 8), clip255((l + b) >> 8), 255);
    }
  }
}

// Motion search: a block for 16 x 16 pixels, a thread for a displacement; window and block in shared memory.
// warpscope sad_search_16x16: block = (16, 16) fixed, width = 480, height = 288, grid = (width / 16 - 2, height / 16 - 2), cur = random[width * height], ref = random[width * height]:9, best = zeros[(width / 16 - 2) * (height / 16 - 2)]
__global__ void sad_search_16x16(const unsigned char* cur, const unsigned char* ref, unsigned* best,
                                 int width) {
  __shared__ unsigned char c[16][16], window[32][32];
  __shared__ unsigned least;
  const int tx = threadIdx.x, ty = threadIdx.y, x0 = (blockIdx.x + 1) * 16, y0 = (blockIdx.y + 1) * 16;
  c[ty][tx] = cur[(y0 + ty) * width + x0 + tx];
  for (int dy = 0; dy < 32; dy += 16)
    for (int dx = 0; dx < 32; dx += 16)
      window[ty + dy][tx + dx] = ref[(y0 - 8 + ty + dy) * width + x0 - 8 + tx + dx];
  if (tx == 0 && ty == 0) least = 0xffffffff;
  __syncthreads();
  unsigned sad = 0;
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 16; x++) sad += abs((int)c[y][x] - (int)window[ty + y][tx + x]);
  atomicMin(&least, sad << 8 | ty << 4 | tx);
  __syncthreads();
  if (tx == 0 && ty == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = least;
}

// Huffman: each thread packs its 8 symbols at the place that a scan found; words at the ends are shared.
struct huff_code {
  unsigned short bits, length;
};
// warpscope huffman_pack: block = 256 fixed, n = 300000, grid = ceil(n / 8 / block), symbols = random[n], table = u16 random[512] in 1..16, out = zeros[ceil(n / 8 / block) * 1024]
__global__ void huffman_pack(const unsigned char* symbols, const huff_code* table, unsigned* out, int n) {
  __shared__ huff_code codes[256];
  __shared__ unsigned words[1024], warp_totals[8];
  const int t = threadIdx.x, lane = t & 31, first = (blockIdx.x * 256 + t) * 8;
  codes[t] = table[t];
  for (int i = t; i < 1024; i += 256) words[i] = 0;
  __syncthreads();
  unsigned length = 0;
  for (int i = 0; i < 8; ++i)
    if (first + i < n) length += codes[symbols[first + i]].length;
  unsigned sum = length;
  for (int d = 1; d < 32; d <<= 1) {
    const unsigned up = __shfl_up_sync(0xffffffff, sum, d);
    if (lane >= d) sum += up;
  }
  if (lane == 31) warp_totals[t >> 5] = sum;
  __syncthreads();
  unsigned pos = sum - length;
  for (int w = 0; w < t >> 5; ++w) pos += warp_totals[w];
  for (int i = 0; i < 8 && first + i < n; ++i) {
    const huff_code c = codes[symbols[first + i]];
    const unsigned value = c.bits & ((1u << c.length) - 1), at = pos >> 5, shift = pos & 31;
    atomicOr(&words[at], value << shift);
    if (shift + c.length > 32) atomicOr(&words[at + 1], value >> (32 - shift));
    pos += c.length;
  }
  __syncthreads();
  for (int i = t; i < 1024; i += 256) out[blockIdx.x * 1024 + i] = words[i];
}

// PNG's filters: the one whose bytes are smallest in sum, a block for a line.
__device__ int paeth(int a, int b, int c) {
  int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
  if (pa <= pb && pa <= pc) return a;
  return pb <= pc ? b : c;
}
// warpscope png_choose_filter: block = 128 fixed, stride = 1920, lines = 480, grid = lines, raw = random[stride * lines], filtered = zeros[stride * lines], kinds = zeros[lines]
__global__ void png_choose_filter(const unsigned char* raw, unsigned char* filtered, unsigned char* kinds,
                                  int stride) {
  __shared__ int sums[5];
  const int y = blockIdx.x, bpp = 3;
  const unsigned char *line = raw + y * stride, *above = line - stride;
  if (threadIdx.x < 5) sums[threadIdx.x] = 0;
  __syncthreads();
  int local[5] = {0, 0, 0, 0, 0};
  for (int x = threadIdx.x; x < stride; x += blockDim.x) {
    const int v = line[x], a = x >= bpp ? line[x - bpp] : 0, b = y > 0 ? above[x] : 0,
              c = y > 0 && x >= bpp ? above[x - bpp] : 0;
    const signed char f[5] = {(signed char)v, (signed char)(v - a), (signed char)(v - b),
                              (signed char)(v - (a + b) / 2), (signed char)(v - paeth(a, b, c))};
    for (int k = 0; k < 5; k++) local[k] += abs((int)f[k]);
  }
  for (int k = 0; k < 5; k++) atomicAdd(&sums[k], local[k]);
  __syncthreads();
  int kind = 0;
  for (int k = 1; k < 5; k++)
    if (sums[k] < sums[kind]) kind = k;
  for (int x = threadIdx.x; x < stride; x += blockDim.x) {
    const int v = line[x], a = x >= bpp ? line[x - bpp] : 0, b = y > 0 ? above[x] : 0,
              c = y > 0 && x >= bpp ? above[x - bpp] : 0;
    int out = v;
    switch (kind) {
      case 1:
        out = v - a;
        break;
      case 2:
        out = v - b;
        break;
      case 3:
        out = v - (a + b) / 2;
        break;
      case 4:
        out = v - paeth(a, b, c);
        break;
    }
    filtered[y * stride + x] = (unsigned char)out;
  }
  if (threadIdx.x == 0) kinds[y] = kind;
}

// Texture blocks of 4 x 4 pixels: two colours of 16 bits and two bits a pixel.
__device__ unsigned to565(int3 c) {
  return (c.x >> 3) << 11 | (c.y >> 2) << 5 | c.z >> 3;
}
// warpscope bc1_compress: block = 64, width = 1024, height = 512, grid = ceil(width * height / 16 / block), pixels = random[width * height], blocks = zeros[width * height / 16]
__global__ void bc1_compress(const uchar4* __restrict__ pixels, uint2* __restrict__ blocks, int width,
                             int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, per_row = width / 4;
  if (i >= per_row * (height / 4)) return;
  const int x0 = i % per_row * 4, y0 = i / per_row * 4;
  int3 p[16], low = make_int3(255, 255, 255), high = make_int3(0, 0, 0);
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const uchar4 c = pixels[(y0 + k / 4) * width + x0 + k % 4];
    p[k] = make_int3(c.x, c.y, c.z);
    low = make_int3(min(low.x, p[k].x), min(low.y, p[k].y), min(low.z, p[k].z));
    high = make_int3(max(high.x, p[k].x), max(high.y, p[k].y), max(high.z, p[k].z));
  }
  const int3 axis = make_int3(high.x - low.x, high.y - low.y, high.z - low.z);
  const int length = axis.x * axis.x + axis.y * axis.y + axis.z * axis.z;
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const int dot = (p[k].x - low.x) * axis.x + (p[k].y - low.y) * axis.y + (p[k].z - low.z) * axis.z;
    const int level = length == 0 ? 0 : (3 * dot + length / 2) / length;
    const unsigned code = level == 0 ? 1 : level == 3 ? 0 : level == 2 ? 2 : 3;
    bits |= code << 2 * k;
  }
  blocks[i] = make_uint2(to565(high) | to565(low) << 16, bits);
}

// Steps at the edges of blocks are smoothed where they are small.
// warpscope deblock_vertical: block = (64, 4), width = 1280, height = 544, edges = width / 8 - 1, grid = (ceil(edges / block.x), ceil(height / block.y)), frame = random[width * height] in 100..130, alpha = 20, beta = 12
__global__ void deblock_vertical(unsigned char* frame, int width, int height, int edges, int alpha,
                                 int beta) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (e >= edges || y >= height) return;
  unsigned char* at = frame + y * width + (e + 1) * 8;
  const int p2 = at[-3], p1 = at[-2], p0 = at[-1], q0 = at[0], q1 = at[1], q2 = at[2];
  if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta) return;
  if (abs(p2 - p0) < beta) {
    at[-1] = (p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3;
    at[-2] = (p2 + p1 + p0 + q0 + 2) >> 2;
  } else {
    at[-1] = (2 * p1 + p0 + q1 + 2) >> 2;
  }
  if (abs(q2 - q0) < beta) {
    at[0] = (p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3;
    at[1] = (p0 + q0 + q1 + q2 + 2) >> 2;
  } else {
    at[0] = (2 * q1 + q0 + p1 + 2) >> 2;
  }
}

// Signed differences, folded to unsigned, and how many bits a group of 32 needs.
// warpscope delta_bitwidth: block = 256, n = 2^20, grid = ceil(n / block), values = random[n] in 0..100000, folded = zeros[n], widths = zeros[n / 32]
__global__ void delta_bitwidth(const int* values, unsigned* folded, unsigned char* widths, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int d = values[i] - (i > 0 ? values[i - 1] : 0);
  const unsigned zigzag = (unsigned)(d << 1) ^ (unsigned)(d >> 31);
  folded[i] = zigzag;
  const unsigned all = __reduce_or_sync(0xffffffff, zigzag);
  if (threadIdx.x % 32 == 0) widths[i / 32] = 32 - __clz(all);
}

// A lifting step of the 5/3 wavelet on lines in shared memory.
// warpscope dwt53_rows: block = 128 fixed, width = 512, lines = 700, grid = lines, in = random[width * lines] in -128..127, out = zeros[width * lines]
__global__ void dwt53_rows(const short* in, short* out, int width) {
  __shared__ int line[512];
  const int half = width / 2;
  for (int i = threadIdx.x; i < width; i += blockDim.x) line[i] = in[blockIdx.x * width + i];
  __syncthreads();
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    const int right = 2 * i + 2 < width ? line[2 * i + 2] : line[2 * i];
    line[2 * i + 1] -= (line[2 * i] + right) >> 1;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    const int left = i > 0 ? line[2 * i - 1] : line[1];
    const int low = line[2 * i] + ((left + line[2 * i + 1] + 2) >> 2);
    out[blockIdx.x * width + i] = (short)low;
    out[blockIdx.x * width + half + i] = (short)line[2 * i + 1];
  }
}
