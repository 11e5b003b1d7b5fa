// What texture units do, one thing at a time: layouts, formats, filters, loops, surfaces. The model was
// changed with these kernels; programs.cu judges it.
// warpscope: block = (32, 8), width = 512, height = 256, grid = (ceil(width / block.x), ceil(height / block.y)), n = 2^17
// Each thread's pixel, and its number.
#define XY                                                                                        \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; \
  if (x >= width || y >= height) return;                                                          \
  const int at = y * width + x;
// warpscope tx_plain: image = texture2d(random[width, height]:5, point), out = zeros[n]
extern "C" __global__ void tx_plain(cudaTextureObject_t image, float* out, int width, int height) {
  XY out[at] = tex2D<float>(image, x + 0.5f, y + 0.5f);
}
// warpscope tx_linear: image = texture2d(random[width, height]:5, linear), out = zeros[n]
extern "C" __global__ void tx_linear(cudaTextureObject_t image, float* out, int width, int height) {
  XY out[at] = tex2D<float>(image, x + 0.8f, y + 0.3f);
}
// warpscope tx_rotate: image = texture2d(random[width, height]:5, linear, border), out = zeros[n], angle = 0.5
extern "C" __global__ void tx_rotate(cudaTextureObject_t image, float* out, int width, int height,
                                     float angle) {
  XY const float c = cosf(angle), s = sinf(angle), dx = x - 0.5f * width, dy = y - 0.5f * height;
  out[at] = tex2D<float>(image, c * dx - s * dy + 0.5f * width, s * dx + c * dy + 0.5f * height);
}
// warpscope tx_box5: image = texture2d(random[width, height]:5, point, clamp), out = zeros[n]
extern "C" __global__ void tx_box5(cudaTextureObject_t image, float* out, int width, int height) {
  XY float sum = 0;
  for (int j = -5; j <= 5; ++j)
    for (int i = -5; i <= 5; ++i) sum += tex2D<float>(image, x + i + 0.5f, y + j + 0.5f);
  out[at] = sum / 121;
}
// warpscope tx_box5n: image = texture2d(random[width, height]:5, linear, clamp), out = zeros[n], r = 4
extern "C" __global__ void tx_box5n(cudaTextureObject_t image, float* out, int width, int height, int r) {
  XY float sum = 0;
  for (int j = -r; j <= r; ++j)
    for (int i = -r; i <= r; ++i) sum += tex2D<float>(image, x + i + 0.7f, y + j + 0.2f);
  out[at] = sum;
}
// warpscope tx_bytes4: image = texture2d(u8x4 random[width, height]:5, point), out = zeros[n]
extern "C" __global__ void tx_bytes4(cudaTextureObject_t image, unsigned* out, int width, int height) {
  XY const uchar4 v = tex2D<uchar4>(image, x + 0.5f, y + 0.5f);
  out[at] = v.x + v.y * 3 + v.z * 5 + v.w * 7;
}
// warpscope tx_bytes: image = texture2d(u8 random[width, height]:5, point), out = zeros[n]
extern "C" __global__ void tx_bytes(cudaTextureObject_t image, unsigned* out, int width, int height) {
  XY unsigned s = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) s += tex2D<unsigned char>(image, x + i + 0.5f, y + j + 0.5f);
  out[at] = s;
}
// warpscope tx_float4: image = texture2d(f32x4 random[width, height]:5, linear), out = zeros[n]
extern "C" __global__ void tx_float4(cudaTextureObject_t image, float4* out, int width, int height) {
  XY out[at] = tex2D<float4>(image, x + 0.8f, y + 0.3f);
}
// warpscope tx_scatter: image = texture2d(random[width, height]:5, point), out = zeros[n]
extern "C" __global__ void tx_scatter(cudaTextureObject_t image, float* out, int width, int height) {
  XY unsigned h = at * 2654435761u;
  h ^= h >> 15;
  h *= 2246822519u;
  h ^= h >> 13;
  out[at] = tex2D<float>(image, h % width + 0.5f, h / width % height + 0.5f);
}
// warpscope tx_scatter_linear: image = texture2d(random[width, height]:5, linear, wrap, normalized), out = zeros[n]
extern "C" __global__ void tx_scatter_linear(cudaTextureObject_t image, float* out, int width, int height) {
  XY float sum = 0;
  unsigned h = at * 2654435761u;
  for (int k = 0; k < 4; ++k) {
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    sum += tex2D<float>(image, (h & 0xFFFF) / 65536.0f, (h >> 16) / 65536.0f);
  }
  out[at] = sum;
}
// warpscope tx_column: image = texture2d(random[height, width]:5, point), out = zeros[n]
extern "C" __global__ void tx_column(cudaTextureObject_t image, float* out, int width, int height) {
  XY out[at] = tex2D<float>(image, y + 0.5f, x + 0.5f);
}
// warpscope tx_march: volume = texture3d(random[64, 64, 64]:7, linear, border), out = zeros[n]
extern "C" __global__ void tx_march(cudaTextureObject_t volume, float* out, int width, int height) {
  XY float sum = 0, t = 0;
  const float dx = (x - 256) / 512.0f, dy = (y - 128) / 512.0f;
  for (int k = 0; k < 60; ++k, t += 1) {
    const float v = tex3D<float>(volume, 32 + dx * t, 32 + dy * t, t);
    sum += v * (1 - sum) * 0.05f;
    if (sum > 0.7f) break;
  }
  out[at] = sum;
}
// warpscope tx_slices: volume = texture3d(random[64, 64, 32]:7, point), out = zeros[n]
extern "C" __global__ void tx_slices(cudaTextureObject_t volume, float* out, int width, int height) {
  XY out[at] = tex3D<float>(volume, (at & 63) + 0.5f, (at >> 6 & 63) + 0.5f, (at >> 12) + 0.5f);
}
// warpscope tx_palette: table = texture1d(random[256]:7, linear, normalized), out = zeros[n]
extern "C" __global__ void tx_palette(cudaTextureObject_t table, float* out, int width, int height) {
  XY float zx = 0, zy = 0;
  const float cx = x * 0.005f - 2, cy = y * 0.008f - 1;
  int k = 0;
  for (; k < 100 && zx * zx + zy * zy < 4; ++k) {
    const float t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = t;
  }
  out[at] = tex1D<float>(table, k / 100.0f);
}
// warpscope tx_walk: table = texture1d(random[1024]:7, linear), out = zeros[n], steps = 64
extern "C" __global__ void tx_walk(cudaTextureObject_t table, float* out, int width, int height, int steps) {
  XY float v = at * 0.0078125f;
  for (int k = 0; k < steps; ++k) v = tex1D<float>(table, v) * 1023.0f;
  out[at] = v;
}
// warpscope tx_buffer: list = buffer(f32 random[n]), out = zeros[n]
extern "C" __global__ void tx_buffer(cudaTextureObject_t list, float* out, int width, int height) {
  XY out[at] = tex1Dfetch<float>(list, at);
}
// warpscope tx_buffer_gather: list = buffer(f32 random[n]), index = random[n], out = zeros[n]
extern "C" __global__ void tx_buffer_gather(cudaTextureObject_t list, const unsigned* index, float* out,
                                            int width, int height, int n) {
  XY out[at] = tex1Dfetch<float>(list, index[at] % n);
}
// warpscope tx_buffer_reuse: list = buffer(f32x4 random[1024]), out = zeros[n]
extern "C" __global__ void tx_buffer_reuse(cudaTextureObject_t list, float* out, int width, int height) {
  XY float s = 0;
  for (int k = 0; k < 64; ++k) {
    const float4 p = tex1Dfetch<float4>(list, (k * 16 + (at & 15)) & 1023);
    s += p.x * p.y + p.z * p.w;
  }
  out[at] = s;
}
// warpscope tx_odd_lanes: image = texture2d(random[width, height]:5, point), out = zeros[n]
extern "C" __global__ void tx_odd_lanes(cudaTextureObject_t image, float* out, int width, int height) {
  XY float v = 1;
  if (x % 3 == 1) v = tex2D<float>(image, x + 0.5f, y + 0.5f);
  out[at] = v;
}
// warpscope tx_same: image = texture2d(random[width, height]:5, point), out = zeros[n]
extern "C" __global__ void tx_same(cudaTextureObject_t image, float* out, int width, int height) {
  XY float s = 0;
  for (int k = 0; k < height; ++k) s += tex2D<float>(image, k + 0.5f, y + 0.5f);
  out[at] = s;
}
// warpscope tx_sobel: image = texture2d(u8 random[width, height]:5, point, as_float), out = zeros[n]
extern "C" __global__ void tx_sobel(cudaTextureObject_t image, float* out, int width, int height) {
  XY auto p = [&](int i, int j) { return tex2D<float>(image, x + i + 0.5f, y + j + 0.5f); };
  const float gx = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1),
              gy = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
  out[at] = sqrtf(gx * gx + gy * gy);
}
// warpscope tx_both: image = texture2d(random[width, height]:5, linear), more = random[n], out = zeros[n]
extern "C" __global__ void tx_both(cudaTextureObject_t image, const float* more, float* out, int width,
                                   int height) {
  XY float s = 0;
  for (int k = 0; k < 8; ++k)
    s += more[(at + k * 32) % (width * height)] * tex2D<float>(image, x + k + 0.3f, y + 0.8f);
  out[at] = s;
}
// warpscope tx_half: image = texture2d(f16 random[width, height]:5, linear), out = zeros[n]
extern "C" __global__ void tx_half(cudaTextureObject_t image, float* out, int width, int height) {
  XY out[at] = tex2D<float>(image, x + 0.8f, y + 0.3f) + tex2D<float>(image, x + 1.8f, y + 1.3f);
}
// warpscope sf_read: image = surface2d(f32 random[width, height]), out = zeros[n]
extern "C" __global__ void sf_read(cudaSurfaceObject_t image, float* out, int width, int height) {
  XY out[at] = surf2Dread<float>(image, x * 4, y);
}
// warpscope sf_write: image = surface2d(f32 zeros[width, height]), in = random[n]
extern "C" __global__ void sf_write(cudaSurfaceObject_t image, const float* in, int width, int height) {
  XY surf2Dwrite(in[at] * 2, image, x * 4, y);
}
// warpscope sf_copy: from = surface2d(f32x4 random[width, height]), to = surface2d(f32x4 zeros[width, height])
extern "C" __global__ void sf_copy(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  XY surf2Dwrite(surf2Dread<float4>(from, x * 16, y), to, x * 16, y);
}
// warpscope sf_blur: from = surface2d(u8x4 random[width, height]), to = surface2d(u8x4 zeros[width, height])
extern "C" __global__ void sf_blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  XY int r = 0, g = 0, b = 0, a = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      const uchar4 c = surf2Dread<uchar4>(from, (x + i) * 4, y + j, cudaBoundaryModeClamp);
      r += c.x;
      g += c.y;
      b += c.z;
      a += c.w;
    }
  surf2Dwrite(make_uchar4(r / 9, g / 9, b / 9, a / 9), to, x * 4, y);
}
// warpscope sf_bytes: image = surface2d(u8 random[width, height]), out = u32 zeros[n]
extern "C" __global__ void sf_bytes(cudaSurfaceObject_t image, unsigned* out, int width, int height) {
  XY out[at] = surf2Dread<unsigned char>(image, x, y) + surf2Dread<unsigned char>(image, x, (y + 1) % height);
}
// warpscope sf_volume: from = surface3d(f32 random[64, 64, 32]), to = surface3d(f32 zeros[64, 64, 32])
extern "C" __global__ void sf_volume(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width,
                                     int height) {
  XY const int i = at & 63, j = at >> 6 & 63, k = at >> 12;
  const float v = surf3Dread<float>(from, i * 4, j, k) + surf3Dread<float>(from, i * 4, (j + 1) & 63, k) +
                  surf3Dread<float>(from, i * 4, j, (k + 1) & 31);
  surf3Dwrite(v, to, i * 4, j, k);
}
// warpscope sf_transposed: from = surface2d(f32 random[width, height]), to = surface2d(f32 zeros[height, width])
extern "C" __global__ void sf_transposed(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width,
                                         int height) {
  XY surf2Dwrite(surf2Dread<float>(from, x * 4, y), to, y * 4, x);
}
