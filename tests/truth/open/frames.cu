// Images and video: mosaics of colours, transforms of pixels' order, matching of pictures and motion.
#include <cstdint>

// Colours from a mosaic of red, green and blue pixels, by the mean of neighbours.
// warpscope colours_of_mosaic: block = (32, 8), width = 1024, height = 512, grid = (ceil(width / block.x), ceil(height / block.y)), raw = random[width * height], out = zeros[width * height]
__global__ void colours_of_mosaic(const uint8_t* __restrict__ raw, uchar4* __restrict__ out, int width,
                                  int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int l = max(x - 1, 0), r = min(x + 1, width - 1), u = max(y - 1, 0), d = min(y + 1, height - 1);
  const int centre = raw[y * width + x];
  const int across = (raw[y * width + l] + raw[y * width + r] + 1) / 2;
  const int down = (raw[u * width + x] + raw[d * width + x] + 1) / 2;
  const int corners =
      (raw[u * width + l] + raw[u * width + r] + raw[d * width + l] + raw[d * width + r] + 2) / 4;
  uchar4 colour;
  colour.w = 255;
  switch ((y & 1) * 2 + (x & 1)) {
    case 0:
      colour.x = centre, colour.y = (across + down) / 2, colour.z = corners;
      break;
    case 1:
      colour.x = across, colour.y = centre, colour.z = down;
      break;
    case 2:
      colour.x = down, colour.y = centre, colour.z = across;
      break;
    default:
      colour.x = corners, colour.y = (across + down) / 2, colour.z = centre;
      break;
  }
  out[y * width + x] = colour;
}

__device__ inline uint8_t clipped(int v) {
  return v < 0 ? 0 : v > 255 ? 255 : v;
}
// Planes of brightness and of halved colour differences become pixels of four bytes; each thread does a
// square of four.
// warpscope planes_to_pixels: block = (32, 4), width = 1024, height = 768, grid = (ceil(width / 2 / block.x), ceil(height / 2 / block.y)), luma = random[width * height], chroma = random[width * height / 4], out = zeros[width * height]
__global__ void planes_to_pixels(const uchar2* luma, const uchar2* chroma, uchar4* out, int width,
                                 int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width / 2 || y >= height / 2) return;
  const uchar2 c = chroma[y * (width / 2) + x];
  const int cb = c.x - 128, cr = c.y - 128;
  const int red = 1436 * cr, green = -352 * cb - 731 * cr, blue = 1815 * cb;
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const uchar2 two = luma[(2 * y + row) * (width / 2) + x];
    uchar4* to = out + (2 * y + row) * width + 2 * x;
    const int a = two.x << 10, b = two.y << 10;
    to[0] = make_uchar4(clipped((a + red) >> 10), clipped((a + green) >> 10), clipped((a + blue) >> 10), 255);
    to[1] = make_uchar4(clipped((b + red) >> 10), clipped((b + green) >> 10), clipped((b + blue) >> 10), 255);
  }
}

// For each pixel 62 bits: which of the neighbours in a window of 9 by 7 are darker.
// warpscope darker_neighbour_bits: block = (32, 8) fixed, width = 512, height = 256, grid = (width / 32, height / 8), in = random[width * height], out = zeros[width * height]
__global__ void darker_neighbour_bits(const uint8_t* in, unsigned long long* out, int width, int height) {
  __shared__ uint8_t tile[14][40];
  const int x0 = blockIdx.x * 32 - 4, y0 = blockIdx.y * 8 - 3;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 14 * 40; k += 256) {
    const int y = min(max(y0 + k / 40, 0), height - 1), x = min(max(x0 + k % 40, 0), width - 1);
    tile[k / 40][k % 40] = in[y * width + x];
  }
  __syncthreads();
  const uint8_t centre = tile[threadIdx.y + 3][threadIdx.x + 4];
  unsigned long long bits = 0;
#pragma unroll
  for (int dy = 0; dy < 7; ++dy)
#pragma unroll
    for (int dx = 0; dx < 9; ++dx)
      if (dy != 3 || dx != 4) bits = bits << 1 | (tile[threadIdx.y + dy][threadIdx.x + dx] < centre);
  out[(y0 + 3 + threadIdx.y) * width + x0 + 4 + threadIdx.x] = bits;
}

// Costs of disparities gathered along rows from left to right; a warp has a row, each lane two disparities.
// warpscope disparity_paths: block = 64, rows = 264, columns = 96, grid = ceil(rows * 32 / block), cost = random[rows * columns * 64], total = zeros[rows * columns * 64]
__global__ void disparity_paths(const uchar2* cost, ushort2* total, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  int a = 0, b = 0, least = 0;
  for (int x = 0; x < columns; ++x) {
    const uchar2 here = cost[(row * columns + x) * 32 + lane];
    int below = __shfl_up_sync(~0u, b, 1), above = __shfl_down_sync(~0u, a, 1);
    if (lane == 0) below = 1 << 14;
    if (lane == 31) above = 1 << 14;
    const int next_a = here.x + min(min(a, min(below, b) + 10), least + 120) - least;
    const int next_b = here.y + min(min(b, min(a, above) + 10), least + 120) - least;
    a = next_a, b = next_b;
    least = __reduce_min_sync(~0u, min(a, b));
    total[(row * columns + x) * 32 + lane] = make_ushort2(a, b);
  }
}

// Contrast-limited histograms of tiles: counted in shared memory, clipped, summed to a curve of grey values.
// warpscope limited_contrast_curves: block = 256 fixed, tiles = 256, grid = tiles, in = random[tiles * 4096], curves = zeros[tiles * 256], limit = 40
__global__ void limited_contrast_curves(const uint32_t* in, uint8_t* curves, int limit) {
  __shared__ int counts[256];
  __shared__ int excess, sums[8];
  const int t = threadIdx.x;
  counts[t] = 0;
  if (t == 0) excess = 0;
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    const uint32_t four = in[blockIdx.x * 1024 + k * 256 + t];
    atomicAdd(&counts[four & 255], 1);
    atomicAdd(&counts[four >> 8 & 255], 1);
    atomicAdd(&counts[four >> 16 & 255], 1);
    atomicAdd(&counts[four >> 24], 1);
  }
  __syncthreads();
  int mine = counts[t];
  if (mine > limit) {
    atomicAdd(&excess, mine - limit);
    mine = limit;
  }
  __syncthreads();
  mine += excess / 256 + (t < excess % 256);
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(~0u, mine, d);
    if (t % 32 >= d) mine += other;
  }
  if (t % 32 == 31) sums[t / 32] = mine;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) mine += sums[w];
  curves[blockIdx.x * 256 + t] = min(mine * 255 / 4096, 255);
}

// Lines missing in an interlaced field, by the direction in which the lines above and below differ least.
// warpscope edge_led_deinterlace: block = 128, width = 1024, lines = 270, grid = (ceil(width / block), lines - 1), field = random[width * lines], out = zeros[width * lines]
__global__ void edge_led_deinterlace(const uint8_t* __restrict__ field, uint8_t* __restrict__ out,
                                     int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  const uint8_t* up = field + blockIdx.y * width;
  const uint8_t* down = up + width;
  uint8_t* to = out + blockIdx.y * width;
  if (x < 4 || x >= width - 4) {
    to[x] = (up[x] + down[x]) / 2;
    return;
  }
  int best = abs(up[x] - down[x]) * 3 - 2, value = (up[x] + down[x]) / 2;
  for (int d = -3; d <= 3; ++d) {
    const int score = abs(up[x + d - 1] - down[x - d - 1]) + abs(up[x + d] - down[x - d]) +
                      abs(up[x + d + 1] - down[x - d + 1]);
    if (score < best) {
      best = score;
      value = (up[x + d] + down[x - d]) / 2;
    }
  }
  to[x] = value;
}

__constant__ const int8_t circle_x[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
__constant__ const int8_t circle_y[16] = {-3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3};
// Corners: nine pixels in a row on a circle that are all brighter, or all darker, than the centre.
// warpscope corners_on_circle: block = (16, 16), width = 640, height = 480, grid = (ceil(width / block.x), ceil(height / block.y)), in = random[width * height], out = zeros[width * height], margin = 50
__global__ void corners_on_circle(const uint8_t* in, uint8_t* out, int width, int height, int margin) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3) return;
  const int centre = in[y * width + x];
  unsigned brighter = 0, darker = 0;
  for (int k = 0; k < 16; ++k) {
    const int v = in[(y + circle_y[k]) * width + x + circle_x[k]];
    brighter |= (v > centre + margin) << k;
    darker |= (v < centre - margin) << k;
  }
  int corner = 0;
  if (__popc(brighter) >= 9 || __popc(darker) >= 9) {
    brighter |= brighter << 16;
    darker |= darker << 16;
    for (int k = 0; k < 16 && !corner; ++k)
      corner = (brighter >> k & 511) == 511 || (darker >> k & 511) == 511;
  }
  out[y * width + x] = corner ? 255 : 0;
}

// Motion of blocks of 8 by 8 pixels: a small diamond walks downhill in the sum of differences. One warp a
// block of pixels.
// warpscope diamond_motion: block = 128, across = 64, down = 32, grid = across * down / 4, now = random[across * 8 * down * 8] in 0..255, before = random[across * 8 * down * 8] in 0..255, motion = zeros[across * down]
__global__ void diamond_motion(const uint8_t* now, const uint8_t* before, char2* motion, int across,
                               int down) {
  const int id = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (id >= across * down) return;
  const int width = across * 8, height = down * 8;
  const int x = id % across * 8 + lane % 8, y = id / across * 8 + lane / 8;
  const int a = now[y * width + x], b = now[(y + 4) * width + x];
  auto cost = [&](int dx, int dy) {
    const int cx = min(max(x + dx, 0), width - 1), cy = min(max(y + dy, 0), height - 1),
              cy4 = min(max(y + 4 + dy, 0), height - 1);
    return __reduce_add_sync(~0u, abs(a - before[cy * width + cx]) + abs(b - before[cy4 * width + cx]));
  };
  int mx = 0, my = 0;
  unsigned best = cost(0, 0);
  for (int step = 0; step < 6; ++step) {
    int tx = 0, ty = 0;
    for (int k = 0; k < 4; ++k) {
      const int dx = k == 0 ? -1 : k == 1 ? 1 : 0, dy = k == 2 ? -1 : k == 3 ? 1 : 0;
      const unsigned c = cost(mx + dx, my + dy);
      if (c < best) best = c, tx = dx, ty = dy;
    }
    if (tx == 0 && ty == 0) break;
    mx += tx, my += ty;
  }
  if (lane == 0) motion[id] = make_char2(mx, my);
}
