// Thirty kernels that use textures and surfaces as real programs do.
#include <cuda_fp16.h>

typedef unsigned int u32;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned long long u64;

#define PIXEL                                                                                     \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; \
  if (x >= width || y >= height) return;

// One direction of a Gaussian of 11 taps, with weights from global memory.
// warpscope gauss_row: block = (32, 8), width = 256, height = 256, grid = (ceil(width / block.x), ceil(height / block.y)), image = texture2d(f32 random[width, height]:1), weights = random[11]:2, out = zeros[width * height]
extern "C" __global__ void gauss_row(cudaTextureObject_t image, const float* weights, float* out, int width,
                                     int height) {
  PIXEL
  float sum = 0, total = 0;
#pragma unroll
  for (int i = 0; i < 11; ++i) {
    const float w = weights[i];
    sum += w * tex2D<float>(image, x + i - 5 + 0.5f, y + 0.5f);
    total += w;
  }
  out[y * width + x] = sum / total;
}

__device__ inline void order(int& a, int& b) {
  const int low = min(a, b);
  b = max(a, b);
  a = low;
}

// Median of nine bytes through a sorting network.
// warpscope median_nine: block = (32, 8), width = 320, height = 240, grid = (ceil(width / block.x), ceil(height / block.y)), image = texture2d(u8 random[width, height]:3), out = u8 zeros[width * height]
extern "C" __global__ void median_nine(cudaTextureObject_t image, u8* out, int width, int height) {
  PIXEL
  int p[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) p[i] = tex2D<u8>(image, x + i % 3 - 0.5f, y + i / 3 - 0.5f);
  order(p[1], p[2]);
  order(p[4], p[5]);
  order(p[7], p[8]);
  order(p[0], p[1]);
  order(p[3], p[4]);
  order(p[6], p[7]);
  order(p[1], p[2]);
  order(p[4], p[5]);
  order(p[7], p[8]);
  order(p[0], p[3]);
  order(p[5], p[8]);
  order(p[4], p[7]);
  order(p[3], p[6]);
  order(p[1], p[4]);
  order(p[2], p[5]);
  order(p[4], p[7]);
  order(p[4], p[2]);
  order(p[6], p[4]);
  order(p[4], p[2]);
  out[y * width + x] = (u8)p[4];
}

// Bilateral filter of a colour image.
// warpscope bilateral_rgba: block = (16, 16), width = 128, height = 128, grid = (ceil(width / block.x), ceil(height / block.y)), image = texture2d(u8x4 random[width, height]:4, as_float), out = zeros[width * height * 4], radius = 3, inv_space = 0.08, inv_range = 6.0
extern "C" __global__ void bilateral_rgba(cudaTextureObject_t image, float* out, int width, int height,
                                          int radius, float inv_space, float inv_range) {
  PIXEL
  const float4 centre = tex2D<float4>(image, x + 0.5f, y + 0.5f);
  float4 sum = make_float4(0, 0, 0, 0);
  float total = 0;
  for (int j = -radius; j <= radius; ++j) {
    for (int i = -radius; i <= radius; ++i) {
      const float4 p = tex2D<float4>(image, x + i + 0.5f, y + j + 0.5f);
      const float dr = p.x - centre.x, dg = p.y - centre.y, db = p.z - centre.z;
      const float w = __expf(-(i * i + j * j) * inv_space - (dr * dr + dg * dg + db * db) * inv_range);
      sum.x += w * p.x;
      sum.y += w * p.y;
      sum.z += w * p.z;
      total += w;
    }
  }
  const float inv = 1.0f / total;
  reinterpret_cast<float4*>(out)[y * width + x] =
      make_float4(sum.x * inv, sum.y * inv, sum.z * inv, centre.w);
}

// Sobel from a shared tile that the texture fills, halo and all.
// warpscope sobel_tile: block = (32, 8) fixed, width = 384, height = 256, grid = (ceil(width / block.x), ceil(height / block.y)), image = texture2d(u8 random[width, height]:5), out = u8 zeros[width * height]
extern "C" __global__ void sobel_tile(cudaTextureObject_t image, u8* out, int width, int height) {
  __shared__ short tile[10][34];
  const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256)
    tile[i / 34][i % 34] = tex2D<u8>(image, x0 + i % 34 + 0.5f, y0 + i / 34 + 0.5f);
  __syncthreads();
  PIXEL
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int gx = tile[ty][tx + 2] + 2 * tile[ty + 1][tx + 2] + tile[ty + 2][tx + 2] - tile[ty][tx] -
                 2 * tile[ty + 1][tx] - tile[ty + 2][tx];
  const int gy = tile[ty + 2][tx] + 2 * tile[ty + 2][tx + 1] + tile[ty + 2][tx + 2] - tile[ty][tx] -
                 2 * tile[ty][tx + 1] - tile[ty][tx + 2];
  out[y * width + x] = (u8)min(255, (abs(gx) + abs(gy)) / 4);
}

// Unsharp mask of an image of halves: five linear fetches stand for a 3x3 blur.
// warpscope unsharp_half: block = (64, 4), width = 320, height = 200, grid = (ceil(width / block.x), ceil(height / block.y)), image = texture2d(f16 random[width, height]:6, linear), out = surface2d(f32 zeros[width, height]), amount = 0.7, threshold = 0.02
extern "C" __global__ void unsharp_half(cudaTextureObject_t image, cudaSurfaceObject_t out, int width,
                                        int height, float amount, float threshold) {
  PIXEL
  const float fx = x + 0.5f, fy = y + 0.5f;
  const float c = tex2D<float>(image, fx, fy);
  const float blurred =
      0.25f * (tex2D<float>(image, fx - 0.6f, fy - 0.4f) + tex2D<float>(image, fx + 0.4f, fy - 0.6f) +
               tex2D<float>(image, fx + 0.6f, fy + 0.4f) + tex2D<float>(image, fx - 0.4f, fy + 0.6f));
  const float detail = c - blurred;
  surf2Dwrite(fabsf(detail) > threshold ? __saturatef(c + amount * detail) : c, out, x * 4, y);
}

// Barrel distortion with chromatic aberration: each colour from another radius.
// warpscope lens_chroma: block = (16, 16), width = 240, height = 160, grid = (ceil(width / block.x), ceil(height / block.y)), image = texture2d(u8x4 random[256, 192]:7, linear, border, normalized, as_float), out = u32 zeros[width * height], k1 = 0.22, k2 = 0.08
extern "C" __global__ void lens_chroma(cudaTextureObject_t image, u32* out, int width, int height, float k1,
                                       float k2) {
  PIXEL
  const float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
  const float r2 = u * u + v * v;
  u32 packed = 0xff000000u;
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const float scale = 1.0f + r2 * (k1 * (1.0f + 0.15f * c) + r2 * k2);
    const float4 p = tex2D<float4>(image, u * scale + 0.5f, v * scale + 0.5f);
    const float value = c == 0 ? p.x : c == 1 ? p.y : p.z;
    packed |= (u32)(value * 255.0f + 0.5f) << (8 * c);
  }
  out[y * width + x] = packed;
}

// Log-polar unwrapping, with columns that are angles.
// warpscope log_polar: block = (128, 1), angles = 512, radii = 90, grid = (ceil(angles / block.x), radii), image = texture2d(f32 random[300, 300]:8, linear, wrap, normalized), out = zeros[angles * radii]
extern "C" __global__ void log_polar(cudaTextureObject_t image, float* out, int angles, int radii) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (a >= angles) return;
  float s, c;
  __sincosf(a * 6.2831853f / angles, &s, &c);
  const float radius = 0.7f * exp2f((r - radii) * (6.0f / radii));
  out[r * angles + a] = tex2D<float>(image, 0.5f + radius * c, 0.5f + radius * s);
}

// Two levels of a mip chain: the first by a linear fetch between four texels, the second by shuffles and
// shared memory.
// warpscope mip_two_levels: block = (32, 8) fixed, width = 256, height = 192, grid = (width / 32, height / 8), image = texture2d(f32x2 random[512, 384]:9, linear), level1 = surface2d(f32x2 zeros[width, height]), level2 = surface2d(f32x2 zeros[128, 96])
extern "C" __global__ void mip_two_levels(cudaTextureObject_t image, cudaSurfaceObject_t level1,
                                          cudaSurfaceObject_t level2, int width, int height) {
  __shared__ float2 rows[8][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
  float2 p = tex2D<float2>(image, 2 * x + 1.0f, 2 * y + 1.0f);
  if (x < width && y < height) surf2Dwrite(p, level1, x * 8, y);
  p.x += __shfl_down_sync(~0u, p.x, 1);
  p.y += __shfl_down_sync(~0u, p.y, 1);
  if (tx % 2 == 0) rows[ty][tx / 2] = p;
  __syncthreads();
  if (ty < 4 && tx < 16) {
    const float2 a = rows[2 * ty][tx], b = rows[2 * ty + 1][tx];
    surf2Dwrite(make_float2(0.25f * (a.x + b.x), 0.25f * (a.y + b.y)), level2, (blockIdx.x * 16 + tx) * 8,
                blockIdx.y * 4 + ty);
  }
}

// Cubic B-spline enlargement by 2.6 with four linear fetches a pixel.
// warpscope bicubic_up: block = (32, 4), width = 416, height = 100, grid = (ceil(width / block.x), ceil(height / block.y)), image = texture2d(f32 random[160, 40]:10, linear), out = zeros[width * height], step = 0.3846
extern "C" __global__ void bicubic_up(cudaTextureObject_t image, float* out, int width, int height,
                                      float step) {
  PIXEL
  const float sx = (x + 0.5f) * step - 0.5f, sy = (y + 0.5f) * step - 0.5f;
  const float ix = floorf(sx), iy = floorf(sy), a = sx - ix, b = sy - iy;
  const float a1 = 1 - a, b1 = 1 - b;
  const float wx0 = a1 * a1 * a1 / 6, wx1 = (4 - 6 * a * a + 3 * a * a * a) / 6, wx3 = a * a * a / 6,
              wx2 = 1 - wx0 - wx1 - wx3;
  const float wy0 = b1 * b1 * b1 / 6, wy1 = (4 - 6 * b * b + 3 * b * b * b) / 6, wy3 = b * b * b / 6,
              wy2 = 1 - wy0 - wy1 - wy3;
  const float gx0 = wx0 + wx1, gx1 = wx2 + wx3, gy0 = wy0 + wy1, gy1 = wy2 + wy3;
  const float px0 = ix - 0.5f + wx1 / gx0, px1 = ix + 1.5f + wx3 / gx1, py0 = iy - 0.5f + wy1 / gy0,
              py1 = iy + 1.5f + wy3 / gy1;
  out[y * width + x] = gy0 * (gx0 * tex2D<float>(image, px0, py0) + gx1 * tex2D<float>(image, px1, py0)) +
                       gy1 * (gx0 * tex2D<float>(image, px0, py1) + gx1 * tex2D<float>(image, px1, py1));
}

// Lucas-Kanade flow of sparse features, three iterations over a window of 5x5.
// warpscope flow_lucas_kanade: block = 64, n = 3072, grid = ceil(n / block), first = texture2d(f32 random[200, 150]:11, linear), second = texture2d(f32 random[200, 150]:12, linear), points = random[n * 2]:13 in 8..140, flow = zeros[n * 2]
extern "C" __global__ void flow_lucas_kanade(cudaTextureObject_t first, cudaTextureObject_t second,
                                             const float* points, float* flow, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float2 p = reinterpret_cast<const float2*>(points)[id];
  float xx = 0, xy = 0, yy = 0;
  for (int k = 0; k < 25; ++k) {
    const float qx = p.x + k % 5 - 2, qy = p.y + k / 5 - 2;
    const float gx = 0.5f * (tex2D<float>(first, qx + 1, qy) - tex2D<float>(first, qx - 1, qy));
    const float gy = 0.5f * (tex2D<float>(first, qx, qy + 1) - tex2D<float>(first, qx, qy - 1));
    xx += gx * gx;
    xy += gx * gy;
    yy += gy * gy;
  }
  const float det = xx * yy - xy * xy + 1e-3f;
  float u = 0, v = 0;
  for (int iteration = 0; iteration < 2; ++iteration) {
    float bx = 0, by = 0;
    for (int k = 0; k < 25; ++k) {
      const float qx = p.x + k % 5 - 2, qy = p.y + k / 5 - 2;
      const float d = tex2D<float>(first, qx, qy) - tex2D<float>(second, qx + u, qy + v);
      bx += d * (qx - p.x);
      by += d * (qy - p.y);
    }
    const float du = (yy * bx - xy * by) / det, dv = (xx * by - xy * bx) / det;
    if (du * du + dv * dv < 1e-4f) break;
    u = fminf(fmaxf(u + du, -6.0f), 6.0f);
    v = fminf(fmaxf(v + dv, -6.0f), 6.0f);
  }
  reinterpret_cast<float2*>(flow)[id] = make_float2(u, v);
}

// Sum of absolute differences with a template held in shared memory; the best place by an atomic maximum.
// warpscope template_sad: block = (32, 4), width = 160, height = 100, grid = (ceil(width / block.x), ceil(height / block.y)), image = texture2d(u8 random[width, height]:14), pattern = u8 random[64]:15, best = u64 zeros[1]
extern "C" __global__ void template_sad(cudaTextureObject_t image, const u8* pattern, u64* best, int width,
                                        int height) {
  __shared__ int tile[64];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  if (t < 64) tile[t] = pattern[t];
  __syncthreads();
  PIXEL
  u32 sad = 0;
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      sad = __sad(tex2D<u8>(image, x + i + 0.5f, y + j + 0.5f), tile[j * 8 + i], sad);
  u64 key = (u64)(65535u - sad) << 32 | (u32)(y * width + x);
  atomicMax(best, key);
}

// Haar-like features from an integral image, with windows that arrays place.
// warpscope haar_integral: block = 128, n = 20000, grid = ceil(n / block), integral = texture2d(u32 random[257, 193]:16), where = u32 random[n]:17, score = s32 zeros[n]
extern "C" __global__ void haar_integral(cudaTextureObject_t integral, const u32* where, int* score, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const u32 w = where[id];
  const int x = w % 232, y = (w >> 8) % 168, size = 4 + (w >> 16) % 8;
  auto at = [&](int i, int j) { return tex2D<u32>(integral, x + i + 0.5f, y + j + 0.5f); };
  int left = 0, right = 0;
  left = at(size, 2 * size) - at(0, 2 * size) - at(size, 0) + at(0, 0);
  right = at(2 * size, 2 * size) - at(size, 2 * size) - at(2 * size, 0) + at(size, 0);
  int total = left - right;
  if (total & 1)
    total -=
        at(size + 2, size + 2) - at(size - 2, size + 2) - at(size + 2, size - 2) + at(size - 2, size - 2);
  score[id] = total;
}

// Scalars classified through a transfer function.
// warpscope transfer_classify: block = 256, n = 65536, grid = ceil(n / block), table = texture1d(f32x4 random[256]:18, linear, normalized), scalars = random[n]:19 in -0.2..1.2, colours = zeros[n * 4]
extern "C" __global__ void transfer_classify(cudaTextureObject_t table, const float* scalars, float* colours,
                                             int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float s = scalars[id];
  const float4 c = tex1D<float4>(table, s);
  reinterpret_cast<float4*>(colours)[id] = make_float4(c.x * c.w, c.y * c.w, c.z * c.w, c.w);
}

// A volume rendered front to back, until a ray is opaque or leaves.
// warpscope volume_march: block = (16, 8), width = 112, height = 96, grid = (ceil(width / block.x), ceil(height / block.y)), volume = texture3d(u8 random[48, 48, 40]:20, linear, border, normalized, as_float), table = texture1d(f32x4 random[64]:21, linear, normalized), out = zeros[width * height * 4], density = 0.06, tilt = 0.35
extern "C" __global__ void volume_march(cudaTextureObject_t volume, cudaTextureObject_t table, float* out,
                                        int width, int height, float density, float tilt) {
  PIXEL
  const float u = (x + 0.5f) / width * 2 - 1, v = (y + 0.5f) / height * 2 - 1;
  float dx = u * 0.5f + tilt, dy = v * 0.5f, dz = 1;
  const float inv = rsqrtf(dx * dx + dy * dy + 1);
  dx *= inv;
  dy *= inv;
  dz *= inv;
  float px = 0.5f + 0.3f * u - tilt * 0.4f, py = 0.5f + 0.3f * v, pz = 0;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int step = 0; step < 44 && sum.w < 0.95f; ++step) {
    if (px < 0 || px > 1 || py < 0 || py > 1 || pz > 1) break;
    const float s = tex3D<float>(volume, px, py, pz);
    const float4 c = tex1D<float4>(table, s);
    const float a = c.w * density * (1 - sum.w);
    sum.x += a * c.x;
    sum.y += a * c.y;
    sum.z += a * c.z;
    sum.w += a;
    px += dx * 0.025f;
    py += dy * 0.025f;
    pz += dz * 0.025f;
  }
  reinterpret_cast<float4*>(out)[y * width + x] = sum;
}

// Maximum intensity projection along an oblique axis, nearest voxels of 16 bits.
// warpscope max_projection: block = (8, 8), width = 120, height = 120, grid = (ceil(width / block.x), ceil(height / block.y)), volume = texture3d(u16 random[64, 64, 64]:22), depth = 64, out = u16 zeros[width * height], shear = 0.25
extern "C" __global__ void max_projection(cudaTextureObject_t volume, u16* out, int width, int height,
                                          int depth, float shear) {
  PIXEL
  u32 most = 0;
#pragma unroll 4
  for (int z = 0; z < depth; ++z)
    most = max(most, (u32)tex3D<u16>(volume, x * 0.5f + shear * z, y * 0.5f + 0.1f * z, z + 0.5f));
  out[y * width + x] = (u16)most;
}

// Tone curve of bytes by a lookup table in linear memory, and the histogram of what results.
// warpscope tone_lut_histogram: block = 256, n = 20480, grid = ceil(n / block), curve = buffer(u8 random[1024]:23), pixels = u32 random[n]:24, out = u32 zeros[n], histogram = u32 zeros[256]
extern "C" __global__ void tone_lut_histogram(cudaTextureObject_t curve, const u32* pixels, u32* out,
                                              u32* histogram, int n) {
  __shared__ u32 bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) {
    const u32 p = pixels[id];
    const u32 r = tex1Dfetch<u8>(curve, p & 255), g = tex1Dfetch<u8>(curve, 256 + (p >> 8 & 255)),
              b = tex1Dfetch<u8>(curve, 512 + (p >> 16 & 255));
    out[id] = r | g << 8 | b << 16 | p & 0xff000000u;
    atomicAdd(&bins[(77 * r + 150 * g + 29 * b) >> 8], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (bins[i]) atomicAdd(&histogram[i], bins[i]);
}

// Soft shadows by marching through a signed distance field towards a light.
// warpscope distance_shadow: block = (16, 16), width = 160, height = 144, grid = (ceil(width / block.x), ceil(height / block.y)), field = texture2d(f32 random[80, 72]:25 in -0.3..4, linear), out = zeros[width * height], light_x = 61.5, light_y = 20.25
extern "C" __global__ void distance_shadow(cudaTextureObject_t field, float* out, int width, int height,
                                           float light_x, float light_y) {
  PIXEL
  const float px = x * 0.5f + 0.25f, py = y * 0.5f + 0.25f;
  const float dx = light_x - px, dy = light_y - py;
  const float far = sqrtf(dx * dx + dy * dy), inv = 1 / (far + 1e-6f);
  float t = 0.05f, light = 1;
  int steps = 0;
  while (t < far && light > 0.01f && steps < 40) {
    const float d = tex2D<float>(field, px + dx * inv * t, py + dy * inv * t);
    if (d < 0) {
      light = 0;
      break;
    }
    light = fminf(light, 12 * d / t);
    t += fmaxf(d, 0.1f);
    ++steps;
  }
  out[y * width + x] = light / (1 + 0.001f * far * far);
}

// Lattice Boltzmann, D2Q9: the nine directions are layers of a surface; pull, collide, write.
// warpscope lattice_boltzmann: block = (64, 2), width = 192, height = 160, grid = (ceil(width / block.x), ceil(height / block.y)), from = surface3d(f32 random[width, height, 9]:26 in 0.05..0.2), into = surface3d(f32 zeros[width, height, 9]), omega = 1.2
extern "C" __global__ void lattice_boltzmann(cudaSurfaceObject_t from, cudaSurfaceObject_t into, int width,
                                             int height, float omega) {
  PIXEL
  constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    int sx = x - cx[q], sy = y - cy[q];
    sx += sx < 0 ? width : sx >= width ? -width : 0;
    sy += sy < 0 ? height : sy >= height ? -height : 0;
    f[q] = surf3Dread<float>(from, sx * 4, sy, q);
    rho += f[q];
    ux += cx[q] * f[q];
    uy += cy[q] * f[q];
  }
  ux /= rho;
  uy /= rho;
  const float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    const float w = q == 0 ? 4 / 9.0f : q < 5 ? 1 / 9.0f : 1 / 36.0f, cu = 3 * (cx[q] * ux + cy[q] * uy);
    surf3Dwrite(f[q] + omega * (w * rho * (1 + cu + 0.5f * cu * cu - square) - f[q]), into, x * 4, y, q);
  }
}

// Heat in a volume: each thread goes along z with the planes before and behind in registers.
// warpscope heat_volume: block = (32, 4), width = 128, height = 64, depth = 16, grid = (ceil(width / block.x), ceil(height / block.y)), from = surface3d(f32 random[width, height, depth]:27), into = surface3d(f32 zeros[width, height, depth]), rate = 0.1
extern "C" __global__ void heat_volume(cudaSurfaceObject_t from, cudaSurfaceObject_t into, int width,
                                       int height, int depth, float rate) {
  PIXEL
  float below = surf3Dread<float>(from, x * 4, y, 0), here = below;
  for (int z = 0; z < depth; ++z) {
    const float above = surf3Dread<float>(from, x * 4, y, z + 1, cudaBoundaryModeClamp);
    const float around = surf3Dread<float>(from, x * 4 - 4, y, z, cudaBoundaryModeClamp) +
                         surf3Dread<float>(from, x * 4 + 4, y, z, cudaBoundaryModeClamp) +
                         surf3Dread<float>(from, x * 4, y - 1, z, cudaBoundaryModeClamp) +
                         surf3Dread<float>(from, x * 4, y + 1, z, cudaBoundaryModeClamp);
    surf3Dwrite(here + rate * (around + above + below - 6 * here), into, x * 4, y, z);
    below = here;
    here = above;
  }
}

// Conway's life on bytes, dead beyond the edges.
// warpscope life_bytes: block = (64, 4), width = 320, height = 232, grid = (ceil(width / block.x), ceil(height / block.y)), cells = surface2d(u8 random[width, height]:28 in 0..1), next = surface2d(u8 zeros[width, height]), alive = u32 zeros[1]
extern "C" __global__ void life_bytes(cudaSurfaceObject_t cells, cudaSurfaceObject_t next, u32* alive,
                                      int width, int height) {
  PIXEL
  int count = 0;
#pragma unroll
  for (int j = -1; j <= 1; ++j)
#pragma unroll
    for (int i = -1; i <= 1; ++i)
      if (i || j) count += surf2Dread<u8>(cells, x + i, y + j, cudaBoundaryModeZero) & 1;
  const bool was = surf2Dread<u8>(cells, x, y) & 1, lives = count == 3 || (was && count == 2);
  surf2Dwrite((u8)lives, next, x, y);
  const u32 mask = __activemask(), votes = __ballot_sync(mask, lives);
  if ((threadIdx.x & 31) == 0) atomicAdd(alive, __popc(votes));
}

// A transpose of pairs of floats from surface to surface through a padded tile.
// warpscope transpose_surface: block = (32, 8) fixed, width = 320, height = 224, grid = (width / 32, height / 32), from = surface2d(f32x2 random[width, height]:29), into = surface2d(f32x2 zeros[height, width])
extern "C" __global__ void transpose_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t into, int width,
                                             int height) {
  __shared__ float2 tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = surf2Dread<float2>(from, x * 8, y + j);
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8)
    if (tx < height && ty + j < width) surf2Dwrite(tile[threadIdx.x][threadIdx.y + j], into, tx * 8, ty + j);
}

// RGBA to NV12: each thread has 2x2 pixels, four bytes of luma and a pair of chroma.
// warpscope rgba_to_nv12: block = (32, 4), width = 512, height = 288, grid = (ceil(width / 2 / block.x), ceil(height / 2 / block.y)), image = surface2d(u8x4 random[width, height]:30), luma = surface2d(u8 zeros[width, height]), chroma = surface2d(u8x2 zeros[width / 2, height / 2])
extern "C" __global__ void rgba_to_nv12(cudaSurfaceObject_t image, cudaSurfaceObject_t luma,
                                        cudaSurfaceObject_t chroma, int width, int height) {
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  int r = 0, g = 0, b = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uchar4 p = surf2Dread<uchar4>(image, (x + k % 2) * 4, y + k / 2);
    surf2Dwrite((u8)(((66 * p.x + 129 * p.y + 25 * p.z + 128) >> 8) + 16), luma, x + k % 2, y + k / 2);
    r += p.x;
    g += p.y;
    b += p.z;
  }
  const u8 u = (u8)(((-38 * r - 74 * g + 112 * b + 512) >> 10) + 128),
           v = (u8)(((112 * r - 94 * g - 18 * b + 512) >> 10) + 128);
  surf2Dwrite(make_uchar2(u, v), chroma, x / 2 * 2, y / 2);
}

// Sparse matrix (ELLPACK with row lengths) times a vector that is a texture buffer; the result is a surface.
// warpscope spmv_ell: block = 128, rows = 16384, columns = 20000, grid = ceil(rows / block), x = buffer(f32 random[columns]:31), values = random[rows * 32]:32, index = u32 random[rows * 32]:33, length = u8 random[rows]:34, y = surface1d(f32 zeros[rows])
extern "C" __global__ void spmv_ell(cudaTextureObject_t x, const float* values, const u32* index,
                                    const u8* length, cudaSurfaceObject_t y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int count = length[row] & 31;
  float sum = 0;
  for (int k = 0; k < count; ++k)
    sum += values[k * rows + row] * tex1Dfetch<float>(x, index[k * rows + row] % (u32)columns);
  surf1Dwrite(sum, y, row * 4);
}

// Naive string search: places where a pattern of few letters begins, appended to a list.
// warpscope string_search: block = 256, n = 60000, length = 6, grid = ceil(n / block), text = buffer(u8 random[n]:35 in 0..3), pattern = u8 random[length]:36 in 0..3, found = u32 zeros[n], count = u32 zeros[1], unordered = found
extern "C" __global__ void string_search(cudaTextureObject_t text, const u8* pattern, u32* found, u32* count,
                                         int n, int length) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at > n - length) return;
  int i = 0;
  while (i < length && (tex1Dfetch<u8>(text, at + i) & 3) == (__ldg(pattern + i) & 3)) ++i;
  if (i == length) found[atomicAdd(count, 1u)] = at;
}

// A kaleidoscope of mirrored images, in samples of 2x2 a pixel.
// warpscope kaleidoscope: block = (8, 16), width = 200, height = 176, grid = (ceil(width / block.x), ceil(height / block.y)), image = texture2d(f32x4 random[96, 64]:37, linear, mirror, normalized), out = zeros[width * height * 4], sectors = 6, zoom = 2.3
extern "C" __global__ void kaleidoscope(cudaTextureObject_t image, float* out, int width, int height,
                                        int sectors, float zoom) {
  PIXEL
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < 4; ++k) {
    const float u = (x + 0.25f + 0.5f * (k & 1)) / width - 0.5f,
                v = (y + 0.25f + 0.5f * (k >> 1)) / height - 0.5f;
    const float wedge = 6.2831853f / sectors;
    float angle = atan2f(v, u);
    angle = fabsf(angle - wedge * rintf(angle / wedge));
    const float radius = zoom * sqrtf(u * u + v * v);
    const float4 p = tex2D<float4>(image, radius * cosf(angle), radius * sinf(angle));
    sum.x += p.x;
    sum.y += p.y;
    sum.z += p.z;
    sum.w += p.w;
  }
  reinterpret_cast<float4*>(out)[y * width + x] =
      make_float4(sum.x * 0.25f, sum.y * 0.25f, sum.z * 0.25f, sum.w * 0.25f);
}

// Line integral convolution: noise gathered along the stream line through each pixel, forward and back.
// warpscope stream_lines: block = (16, 16), width = 176, height = 128, grid = (ceil(width / block.x), ceil(height / block.y)), velocity = texture2d(f32x2 random[44, 32]:38 in -1..1, linear), noise = texture2d(u8 random[width, height]:39, as_float), out = zeros[width * height], steps = 9
extern "C" __global__ void stream_lines(cudaTextureObject_t velocity, cudaTextureObject_t noise, float* out,
                                        int width, int height, int steps) {
  PIXEL
  float sum = tex2D<float>(noise, x + 0.5f, y + 0.5f);
  int count = 1;
  for (int side = -1; side <= 1; side += 2) {
    float px = x + 0.5f, py = y + 0.5f;
    for (int s = 0; s < steps; ++s) {
      const float2 v = tex2D<float2>(velocity, px * 0.25f, py * 0.25f);
      const float inv = side * rsqrtf(v.x * v.x + v.y * v.y + 1e-5f);
      px += v.x * inv;
      py += v.y * inv;
      if (px < 0 || py < 0 || px >= width || py >= height) break;
      sum += tex2D<float>(noise, px, py);
      ++count;
    }
  }
  out[y * width + x] = sum / count;
}

// Terrain of four materials: neighbouring threads fetch from different textures, in different ways.
// warpscope material_splat: block = (32, 8), width = 288, height = 200, grid = (ceil(width / block.x), ceil(height / block.y)), ids = u8 random[width * height]:40, grass = texture2d(f32 random[64, 64]:41, linear, wrap, normalized), rock = texture2d(f32x4 random[128, 32]:42, linear, mirror, normalized), snow = texture2d(f16x2 random[48, 48]:43, wrap, normalized), ramp = texture1d(f32 random[100]:44, linear), out = zeros[width * height]
extern "C" __global__ void material_splat(const u8* ids, cudaTextureObject_t grass, cudaTextureObject_t rock,
                                          cudaTextureObject_t snow, cudaTextureObject_t ramp, float* out,
                                          int width, int height) {
  PIXEL
  const float u = x * 0.031f, v = y * 0.027f;
  float value;
  switch (ids[y * width + x] & 3) {
    case 0:
      value = tex2D<float>(grass, u, v) * 0.8f;
      break;
    case 1: {
      const float4 p = tex2D<float4>(rock, v, u);
      value = p.x * p.y + p.z * p.w;
      break;
    }
    case 2: {
      const float2 a = tex2D<float2>(snow, u * 2, v * 2), b = tex2D<float2>(snow, u * 5, v * 5);
      value = a.x * b.y + a.y;
      break;
    }
    default:
      value = tex1D<float>(ramp, fmodf(x * 3.7f + y * 1.3f, 100.0f));
  }
  out[y * width + x] = value;
}

// A forest of decision trees whose nodes are texels of a buffer; a walk ends where a node says so.
// warpscope forest_walk: block = 192, n = 9600, trees = 8, nodes = 1023, grid = ceil(n / block), forest = buffer(f32x4 random[trees * nodes]:45), features = random[n * 16]:46, votes = zeros[n]
extern "C" __global__ void forest_walk(cudaTextureObject_t forest, const float* features, float* votes, int n,
                                       int trees, int nodes) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float vote = 0;
  for (int t = 0; t < trees; ++t) {
    int node = 0;
    for (;;) {
      const float4 f = tex1Dfetch<float4>(forest, t * nodes + node);
      const int next = 2 * node + (features[((int)(f.x * 16) & 15) * n + id] < f.y ? 1 : 2);
      if (next >= nodes || f.w < 0.06f) {
        vote += f.z;
        break;
      }
      node = next;
    }
  }
  votes[id] = vote / trees;
}

// Caustics: light refracted by a water surface of signed 16-bit heights, counted where it falls.
// warpscope caustic_splat: block = (32, 16), width = 256, height = 224, grid = (ceil(width / block.x), ceil(height / block.y)), water = texture2d(s16 random[width, height]:47, linear, wrap, normalized, as_float), floor_light = u32 zeros[width * height], depth = 9.0
extern "C" __global__ void caustic_splat(cudaTextureObject_t water, u32* floor_light, int width, int height,
                                         float depth) {
  PIXEL
  const float iu = 1.0f / width, iv = 1.0f / height, u = (x + 0.5f) * iu, v = (y + 0.5f) * iv;
  const float nx = tex2D<float>(water, u + 1.5f * iu, v) - tex2D<float>(water, u - 1.5f * iu, v);
  const float ny = tex2D<float>(water, u, v + 1.5f * iv) - tex2D<float>(water, u, v - 1.5f * iv);
  const int tx = (int)floorf(x + 0.5f + nx * depth), ty = (int)floorf(y + 0.5f + ny * depth);
  if (tx >= 0 && ty >= 0 && tx < width && ty < height)
    atomicAdd(&floor_light[ty * width + tx], 16u + (u32)(8 * fabsf(nx)));
}

// Colour grading: a picture of halves tone-mapped, then looked up in a cube of colours, then written as
// bytes.
// warpscope grade_cube: block = (64, 2), width = 256, height = 180, grid = (ceil(width / block.x), ceil(height / block.y)), picture = texture2d(f16x4 random[width, height]:48 in 0..4), cube = texture3d(f32x4 random[17, 17, 17]:49, linear), out = surface2d(u8x4 zeros[width, height]), exposure = 0.9
extern "C" __global__ void grade_cube(cudaTextureObject_t picture, cudaTextureObject_t cube,
                                      cudaSurfaceObject_t out, int width, int height, float exposure) {
  PIXEL
  float4 p = tex2D<float4>(picture, x + 0.5f, y + 0.5f);
  p.x *= exposure;
  p.y *= exposure;
  p.z *= exposure;
  const float r = p.x / (1 + p.x), g = p.y / (1 + p.y), b = p.z / (1 + p.z);
  const float4 c = tex3D<float4>(cube, r * 16 + 0.5f, g * 16 + 0.5f, b * 16 + 0.5f);
  surf2Dwrite(make_uchar4((u8)(__saturatef(c.x) * 255), (u8)(__saturatef(c.y) * 255),
                          (u8)(__saturatef(c.z) * 255), 255),
              out, x * 4, y);
}
