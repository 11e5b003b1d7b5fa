// Images and video.
#include <cstdint>

// Box filter of a row by a running sum; one thread walks one row of bytes.
// warpscope running_box_row: block = 32, width = 256, height = 2048, grid = ceil(height / block), in = u8 random[width * height], out = u8 zeros[width * height], radius = 5
__global__ void running_box_row(const uint8_t* in, uint8_t* out, int width, int height, int radius) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  const uint8_t* from = in + y * width;
  int sum = from[0] * (radius + 1);
  for (int k = 1; k <= radius; ++k) sum += from[k];
  for (int x = 0; x < width; ++x) {
    out[y * width + x] = sum / (2 * radius + 1);
    sum += from[min(x + radius + 1, width - 1)] - from[max(x - radius, 0)];
  }
}

// Contrast-limited equalisation: the histogram of a 32 x 32 tile, clipped, made into the tile's lookup table.
// warpscope clipped_tile_tables: block = 256 fixed, tiles = 40, grid = (tiles, tiles), picture = u8 random[tiles * tiles * 1024], tables = u8 zeros[tiles * tiles * 256], limit = 12
__global__ void clipped_tile_tables(const uint8_t* picture, uint8_t* tables, int limit) {
  __shared__ unsigned bins[256], over;
  __shared__ unsigned sums[8];
  const int t = threadIdx.x, width = gridDim.x * 32;
  bins[t] = 0;
  if (t == 0) over = 0;
  __syncthreads();
  const int row = blockIdx.y * 32 + t / 8, column = blockIdx.x * 32 + t % 8 * 4;
  const uchar4 p = *reinterpret_cast<const uchar4*>(picture + row * width + column);
  atomicAdd(&bins[p.x], 1u);
  atomicAdd(&bins[p.y], 1u);
  atomicAdd(&bins[p.z], 1u);
  atomicAdd(&bins[p.w], 1u);
  __syncthreads();
  unsigned count = bins[t];
  if (count > limit) {
    atomicAdd(&over, count - limit);
    count = limit;
  }
  __syncthreads();
  count += over / 256 + (t < over % 256);
  for (int d = 1; d < 32; d *= 2) {
    const unsigned o = __shfl_up_sync(~0u, count, d);
    if (t % 32 >= d) count += o;
  }
  if (t % 32 == 31) sums[t / 32] = count;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) count += sums[w];
  tables[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + t] = min(255u, count * 255 / 1024);
}

// NV12 video to packed colours, two by two pixels a thread.
__device__ __forceinline__ unsigned colour(int y, int d, int e) {
  const int c = 298 * (y - 16);
  const int r = __vimax3_s32_relu(min((c + 409 * e + 128) >> 8, 255), -1, 0);
  const int g = max(0, min((c - 100 * d - 208 * e + 128) >> 8, 255));
  const int b = max(0, min((c + 516 * d + 128) >> 8, 255));
  return 0xFF000000u | r << 16 | g << 8 | b;
}
// warpscope chroma_upsampled: block = (32, 4), width = 1280, height = 720, grid = (ceil(width / 2 / block.x), ceil(height / 2 / block.y)), luma = u8 random[width * height] in 16..235, chroma = u8 random[width * height / 2] in 16..240, out = zeros[width * height]
__global__ void chroma_upsampled(const uint8_t* __restrict__ luma, const uchar2* __restrict__ chroma,
                                 uint2* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width / 2 || y >= height / 2) return;
  const uchar2 uv = chroma[y * (width / 2) + x];
  const int d = uv.x - 128, e = uv.y - 128;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const uchar2 pair = *reinterpret_cast<const uchar2*>(luma + (2 * y + k) * width + 2 * x);
    out[(2 * y + k) * (width / 2) + x] = make_uint2(colour(pair.x, d, e), colour(pair.y, d, e));
  }
}

// Lucas and Kanade: the motion at each pixel from gradients in a 7 x 7 window kept in shared memory.
// warpscope window_flow: block = (16, 16) fixed, width = 256, height = 192, grid = (width / 16, height / 16), first = random[width * height], second = random[width * height]:2, flow = zeros[width * height * 2]
__global__ void window_flow(const float* first, const float* second, float2* flow, int width, int height) {
  __shared__ float gx[22][23], gy[22][23], gt[22][23];
  const int left = blockIdx.x * 16 - 3, top = blockIdx.y * 16 - 3;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 22 * 22; k += 256) {
    const int tx = k % 22, ty = k / 22;
    const int x = min(max(left + tx, 1), width - 2), y = min(max(top + ty, 1), height - 2);
    const int at = y * width + x;
    gx[ty][tx] = 0.5f * (first[at + 1] - first[at - 1]);
    gy[ty][tx] = 0.5f * (first[at + width] - first[at - width]);
    gt[ty][tx] = second[at] - first[at];
  }
  __syncthreads();
  float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
#pragma unroll
  for (int j = 0; j < 7; ++j)
    for (int i = 0; i < 7; ++i) {
      const float a = gx[threadIdx.y + j][threadIdx.x + i], b = gy[threadIdx.y + j][threadIdx.x + i];
      const float c = gt[threadIdx.y + j][threadIdx.x + i];
      xx += a * a;
      xy += a * b;
      yy += b * b;
      xt += a * c;
      yt += b * c;
    }
  const float determinant = xx * yy - xy * xy;
  const float inverse = fabsf(determinant) > 1e-9f ? 1 / determinant : 0;
  flow[(top + 3 + threadIdx.y) * width + left + 3 + threadIdx.x] =
      make_float2((xy * yt - yy * xt) * inverse, (xy * xt - xx * yt) * inverse);
}

// Census transform: which of the 24 neighbours are darker, then the best of 32 disparities by Hamming
// distance.
// warpscope census_bits: block = (64, 4), width = 1024, height = 512, grid = (width / block.x, height / block.y), in = u8 random[width * height], out = zeros[width * height]
__global__ void census_bits(const uint8_t* in, unsigned* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
  const uint8_t centre = in[y * width + x];
  unsigned bits = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      if (dx == 0 && dy == 0) continue;
      bits = bits << 1 | (in[(y + dy) * width + x + dx] < centre);
    }
  out[y * width + x] = bits;
}
// warpscope best_disparity: block = 128, width = 1024, height = 256, grid = ceil(width * height / block), left = random[width * height], right = random[width * height]:7, out = u8 zeros[width * height]
__global__ void best_disparity(const unsigned* __restrict__ left, const unsigned* __restrict__ right,
                               uint8_t* out, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int x = i % width, reach = min(x, 31);
  const unsigned own = left[i];
  int least = 33, best = 0;
  for (int d = 0; d <= reach; ++d) {
    const int cost = __popc(own ^ right[i - d]);
    if (cost < least) {
      least = cost;
      best = d;
    }
  }
  out[i] = best;
}

// Edge corners by the segment test: nine neighbours in a row of sixteen on a circle, all brighter or darker.
__constant__ signed char circle[16][2] = {{0, -3}, {1, -3},  {2, -2},  {3, -1}, {3, 0},  {3, 1},
                                          {2, 2},  {1, 3},   {0, 3},   {-1, 3}, {-2, 2}, {-3, 1},
                                          {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};
// warpscope segment_corners: block = (32, 8), width = 384, height = 256, grid = (width / block.x, height / block.y), in = u8 random[width * height], corners = u8 zeros[width * height], count = zeros[1], threshold = 40
__global__ void segment_corners(const uint8_t* in, uint8_t* corners, int* count, int width, int height,
                                int threshold) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  bool corner = false;
  if (x >= 3 && y >= 3 && x < width - 3 && y < height - 3) {
    const int centre = in[y * width + x];
    unsigned brighter = 0, darker = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const int v = in[(y + circle[k][1]) * width + x + circle[k][0]];
      brighter |= (v > centre + threshold) << k;
      darker |= (v < centre - threshold) << k;
    }
    for (int side = 0; side < 2 && !corner; ++side) {
      unsigned ring = side ? darker : brighter;
      if (__popc(ring) < 9) continue;
      ring |= ring << 16;
      unsigned run = ring;
      for (int k = 1; k < 9; ++k) run &= ring >> k | ring << (32 - k);
      corner = run != 0;
    }
    corners[y * width + x] = corner ? 255 : 0;
  }
  const unsigned who = __ballot_sync(~0u, corner);
  if (threadIdx.x == 0 && who) atomicAdd(count, __popc(who));
}

// Bicubic enlargement by 3/2 of four-channel bytes.
__device__ __noinline__ float4 cubic_weights(float t) {
  const float u = 1 - t;
  return make_float4(-0.5f * t * u * u, 1 + t * t * (1.5f * t - 2.5f), 1 + u * u * (1.5f * u - 2.5f),
                     -0.5f * u * t * t);
}
// warpscope cubic_enlarged: block = (16, 8), from_width = 200, from_height = 150, grid = (ceil(from_width * 1.5 / block.x), ceil(from_height * 1.5 / block.y)), in = u8 random[from_width * from_height * 4], out = u8 zeros[from_width * from_height * 9]
__global__ void cubic_enlarged(const uchar4* in, uchar4* out, int from_width, int from_height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int width = from_width * 3 / 2, height = from_height * 3 / 2;
  if (x >= width || y >= height) return;
  const float fx = (x + 0.5f) / 1.5f - 0.5f, fy = (y + 0.5f) / 1.5f - 0.5f;
  const int x0 = floorf(fx), y0 = floorf(fy);
  const float4 wx4 = cubic_weights(fx - x0), wy4 = cubic_weights(fy - y0);
  const float wx[4] = {wx4.x, wx4.y, wx4.z, wx4.w}, wy[4] = {wy4.x, wy4.y, wy4.z, wy4.w};
  float r = 0, g = 0, b = 0, a = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uchar4 p =
          in[min(max(y0 + j - 1, 0), from_height - 1) * from_width + min(max(x0 + i - 1, 0), from_width - 1)];
      const float w = wx[i] * wy[j];
      r += w * p.x;
      g += w * p.y;
      b += w * p.z;
      a += w * p.w;
    }
  out[y * width + x] = make_uchar4(__saturatef(r / 255) * 255, __saturatef(g / 255) * 255,
                                   __saturatef(b / 255) * 255, __saturatef(a / 255) * 255);
}
