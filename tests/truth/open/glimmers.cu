// Rendering: rays against shapes and voxels, splats, noise, light on surfaces.

__device__ inline float distanceToScene(float3 p) {
  const float ball = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z) - 1;
  const float qx = fabsf(p.x - 1.5f) - 0.5f, qy = fabsf(p.y) - 0.7f, qz = fabsf(p.z) - 0.5f;
  const float ox = fmaxf(qx, 0), oy = fmaxf(qy, 0), oz = fmaxf(qz, 0);
  const float box = sqrtf(ox * ox + oy * oy + oz * oz) + fminf(fmaxf(qx, fmaxf(qy, qz)), 0);
  const float h = fminf(fmaxf(0.5f + (box - ball), 0), 1);
  return fminf(p.y + 1, box + (ball - box) * h - 0.5f * h * (1 - h));
}
// Rays that step by the distance to a ball melted with a box above a floor; the slope at the hit is the
// light.
// warpscope melted_ball_and_box: block = (8, 8), width = 256, height = 128, grid = (ceil(width / block.x), ceil(height / block.y)), out = zeros[width * height]
__global__ void melted_ball_and_box(float* out, int width, int height) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float3 way{(px - width * 0.5f) / height, (height * 0.5f - py) / height, 1.2f};
  const float inverse = rsqrtf(way.x * way.x + way.y * way.y + way.z * way.z);
  way = {way.x * inverse, way.y * inverse, way.z * inverse};
  float t = 0, light = 0;
  for (int k = 0; k < 64; ++k) {
    const float3 p{t * way.x, t * way.y + 0.3f, t * way.z - 4};
    const float d = distanceToScene(p);
    if (d < 1e-3f * t) {
      const float x = distanceToScene({p.x + 1e-3f, p.y, p.z}) - d,
                  y = distanceToScene({p.x, p.y + 1e-3f, p.z}) - d,
                  z = distanceToScene({p.x, p.y, p.z + 1e-3f}) - d;
      light = fmaxf(0, (0.5f * x + 0.7f * y - 0.5f * z) * rsqrtf(x * x + y * y + z * z + 1e-12f)) + 0.1f;
      break;
    }
    t += d;
    if (t > 20) break;
  }
  out[py * width + px] = light;
}

// Rays through a world of bits: 64 by 64 by 64 voxels, a bit each; each ray goes on to the next border.
// warpscope rays_in_voxel_bits: block = 128, rays = 2^15, grid = ceil(rays / block), bits = random[8192], way = random[3 * rays] in -1..1, out = zeros[rays]
__global__ void rays_in_voxel_bits(const unsigned* bits, const float* way, int* out, int rays) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rays) return;
  const float x = way[3 * i], y = way[3 * i + 1], z = way[3 * i + 2];
  const int sx = x < 0 ? -1 : 1, sy = y < 0 ? -1 : 1, sz = z < 0 ? -1 : 1;
  const float ix = 1 / fmaxf(fabsf(x), 1e-5f), iy = 1 / fmaxf(fabsf(y), 1e-5f),
              iz = 1 / fmaxf(fabsf(z), 1e-5f);
  float tx = 0.5f * ix, ty = 0.5f * iy, tz = 0.5f * iz;
  int cx = 32, cy = 32, cz = 32, side = 0;
  while (((cx | cy | cz) & ~63) == 0) {
    const int at = (cz * 64 + cy) * 64 + cx;
    if ((bits[at >> 5] & bits[(at >> 5) ^ 1] & bits[(at >> 5) ^ 2] & bits[(at >> 5) ^ 4]) >> (at & 31) & 1)
      break;
    if (tx < ty && tx < tz) {
      cx += sx, tx += ix, side = 0;
    } else if (ty < tz) {
      cy += sy, ty += iy, side = 1;
    } else {
      cz += sz, tz += iz, side = 2;
    }
  }
  out[i] = ((cz & 63) << 12 | (cy & 63) << 6 | (cx & 63)) * 3 + side;
}

struct Splat {
  float x, y, a, b, c, opacity, red, green;
};
// A tile of 16 by 16 pixels under sorted, see-through splats; the block ends when all pixels are opaque.
// warpscope splats_over_tile: block = 256 fixed, tiles = 256, each = 256, grid = tiles, splats = random[8 * tiles * each], out = zeros[2 * tiles * 256]
__global__ void splats_over_tile(const Splat* splats, float2* out, int each) {
  __shared__ Splat batch[64];
  const float px = (threadIdx.x % 16) / 16.f, py = threadIdx.x / 16 / 16.f;
  float left = 1;
  float2 colour{0, 0};
  bool done = false;
  for (int first = 0; first < each; first += 64) {
    if (__syncthreads_count(done) == 256) break;
    const float* from = reinterpret_cast<const float*>(splats + blockIdx.x * each + first);
    for (int k = threadIdx.x; k < 512; k += 256) reinterpret_cast<float*>(batch)[k] = from[k];
    __syncthreads();
    for (int k = 0; k < 64 && !done; ++k) {
      const Splat& s = batch[k];
      const float dx = px - s.x, dy = py - s.y;
      const float power = -20 * ((0.5f + s.a) * dx * dx + (0.5f + s.c) * dy * dy) - 8 * s.b * dx * dy;
      if (power > 0 || power < -6) continue;
      const float alpha = fminf(0.99f, s.opacity * __expf(power));
      if (alpha < 1 / 255.f) continue;
      colour.x += s.red * alpha * left;
      colour.y += s.green * alpha * left;
      left *= 1 - alpha;
      done = left < 1e-3f;
    }
  }
  out[blockIdx.x * 256 + threadIdx.x] = colour;
}

__device__ unsigned scrambled(int x, int y) {
  unsigned h = x * 374761393u + y * 668265263u;
  h = (h ^ h >> 13) * 1274126177u;
  return h ^ h >> 16;
}
// Noise of cells: how far the nearest and the second nearest of scattered points are, in three octaves.
// warpscope two_nearest_noise: block = (32, 4), width = 256, height = 256, grid = (ceil(width / block.x), ceil(height / block.y)), out = zeros[width * height]
__global__ void two_nearest_noise(float* out, int width, int height) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float sum = 0, scale = 1 / 32.f, weight = 0.5f;
  for (int octave = 0; octave < 3; ++octave, scale *= 2, weight *= 0.5f) {
    const float x = px * scale, y = py * scale;
    const int cx = (int)floorf(x), cy = (int)floorf(y);
    float first = 9, second = 9;
    for (int oy = -1; oy <= 1; ++oy)
      for (int ox = -1; ox <= 1; ++ox) {
        const unsigned h = scrambled(cx + ox, cy + oy);
        const float dx = cx + ox + (h & 0xffff) / 65536.f - x, dy = cy + oy + (h >> 16) / 65536.f - y,
                    d = dx * dx + dy * dy;
        second = fminf(second, fmaxf(first, d));
        first = fminf(first, d);
      }
    sum += weight * (sqrtf(second) - sqrtf(first));
  }
  out[py * width + px] = sum;
}

// Rays against triangles in a tree of boxes, laid out as a heap of 255 nodes; a stack of nodes in local
// memory.
// warpscope boxes_in_heap: block = 64, rays = 2^13, grid = ceil(rays / block), centres = random[3 * 128], way = random[3 * rays] in -0.5..0.5, out = zeros[rays]
__global__ void boxes_in_heap(const float* centres, const float* way, float* out, int rays) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rays) return;
  const float3 d{way[3 * i], way[3 * i + 1], 1};
  int stack[16], top = 0;
  stack[top++] = 1;
  float best = 1e9f;
  while (top > 0) {
    const int node = stack[--top];
    const int level = 31 - __clz(node), leaf = (node << (7 - level)) & 127;
    const float size = level == 7 ? 0.12f : exp2f(-0.35f * level), *c = centres + 3 * leaf;
    const float sx = level < 3 ? 0.5f : c[0], sy = level < 3 ? 0.5f : c[1],
                sz = 1 + (level < 3 ? 0.5f : c[2]);
    float near = 0, far = best;
    const float ix = 1 / d.x, iy = 1 / d.y;
    const float x0 = (sx - 0.5f - size) * ix, x1 = (sx - 0.5f + size) * ix, y0 = (sy - 0.5f - size) * iy,
                y1 = (sy - 0.5f + size) * iy;
    near = fmaxf(fmaxf(near, sz - size), fmaxf(fminf(x0, x1), fminf(y0, y1)));
    far = fminf(fminf(far, sz + size), fminf(fmaxf(x0, x1), fmaxf(y0, y1)));
    if (near > far) continue;
    if (level == 7) {
      best = near;
    } else {
      const bool swap = d.x < 0;
      stack[top++] = 2 * node + !swap;
      stack[top++] = 2 * node + swap;
    }
  }
  out[i] = best;
}

// Light from all sides in nine coefficients and three colours, for each direction of a surface.
// warpscope light_from_all_sides: block = 256, n = 2^17, grid = ceil(n / block), normals = random[2 * n] in -1..1, coefficients = random[27], out = zeros[n]
__global__ void light_from_all_sides(const float2* normals, const float* __restrict__ coefficients,
                                     uchar4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = normals[i].x, y = normals[i].y, z = 1 - fabsf(x) - fabsf(y);
  const float fold = fmaxf(-z, 0);
  x += x >= 0 ? -fold : fold;
  y += y >= 0 ? -fold : fold;
  const float inverse = rsqrtf(x * x + y * y + z * z);
  x *= inverse, y *= inverse, z *= inverse;
  const float basis[9] = {0.282f,
                          0.489f * y,
                          0.489f * z,
                          0.489f * x,
                          1.093f * x * y,
                          1.093f * y * z,
                          0.315f * (3 * z * z - 1),
                          1.093f * x * z,
                          0.546f * (x * x - y * y)};
  float colour[3] = {};
#pragma unroll
  for (int k = 0; k < 9; ++k)
#pragma unroll
    for (int j = 0; j < 3; ++j) colour[j] += basis[k] * coefficients[3 * k + j];
  auto byte = [](float v) { return (unsigned char)(255 * __powf(__saturatef(v), 1 / 2.2f)); };
  out[i] = make_uchar4(byte(colour[0]), byte(colour[1]), byte(colour[2]), 255);
}

// Soft shadows: sixteen turned samples of a map of depths around each pixel.
// warpscope sixteen_shadow_samples: block = (16, 8), width = 512, height = 256, grid = (width / block.x, height / block.y), depths = random[512 * 512], place = random[4 * width * height], out = zeros[width * height]
__global__ void sixteen_shadow_samples(const float* __restrict__ depths, const float4* __restrict__ place,
                                       float* out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float4 p = place[y * width + x];
  const float base = scrambled(x, y) * (6.2831853f / 4294967296.f);
  const float sx = x * (511.f / width), sy = p.y * 7 + y;
  int lit = 0;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    float s, c;
    __sincosf(base + 2.4f * k, &s, &c);
    const float r = 6 * sqrtf((k + 0.5f) / 16);
    const int tx = min(max(__float2int_rd(sx + r * c), 0), 511),
              ty = min(max(__float2int_rd(sy + r * s), 0), 511);
    lit += depths[ty * 512 + tx] > p.z;
  }
  out[y * width + x] = lit / 16.f * p.w;
}
