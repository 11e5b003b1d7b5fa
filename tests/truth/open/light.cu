// Pictures of scenes, games and volumes.
struct Vec {
  float x, y, z;
  __device__ Vec operator+(const Vec& o) const { return {x + o.x, y + o.y, z + o.z}; }
  __device__ Vec operator-(const Vec& o) const { return {x - o.x, y - o.y, z - o.z}; }
  __device__ Vec operator*(float s) const { return {x * s, y * s, z * s}; }
};
__device__ inline float dot(const Vec& a, const Vec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ inline Vec unit(const Vec& a) {
  return a * rsqrtf(dot(a, a));
}
__device__ inline Vec across(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__device__ inline unsigned stepped(unsigned& s) {
  s = s * 747796405u + 2891336453u;
  const unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
  return w >> 22 ^ w;
}
__device__ inline float fraction(unsigned& s) {
  return (stepped(s) >> 8) * 0x1p-24f;
}

__constant__ float4 balls[10] = {
    {0, -1000, 0, 1000}, {0, 1, 0, 1},        {-4, 1, 0, 1},       {4, 1, 0, 1},         {2, 0.3f, 2, 0.3f},
    {-2, 0.4f, 3, 0.4f}, {1, 0.2f, -2, 0.2f}, {3, 0.5f, -3, 0.5f}, {-1, 0.6f, -3, 0.6f}, {-3, 0.3f, 2, 0.3f}};
__constant__ float3 tints[10] = {{.5f, .5f, .5f}, {.9f, .9f, .9f}, {.4f, .2f, .1f}, {.7f, .6f, .5f},
                                 {.9f, .1f, .1f}, {.1f, .9f, .1f}, {.1f, .1f, .9f}, {.9f, .9f, .1f},
                                 {.1f, .9f, .9f}, {.9f, .1f, .9f}};

// Paths of light among ten balls in constant memory: mirrors, glass, matt.
// warpscope light_paths: block = (8, 8), width = 200, height = 120, grid = (width / 8, height / 8), samples = 2, out = f32 zeros[4 * width * height]
__global__ void light_paths(float4* out, int width, int height, int samples) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned seed = (y * width + x) * 9781u + 1;
  Vec light = {0, 0, 0};
  for (int s = 0; s < samples; ++s) {
    Vec from = {13, 2, 3},
        to = unit(Vec{-13, -1.5f, -3} + Vec{-0.23f, 0, 1} * (6 * ((x + fraction(seed)) / width - .5f)) +
                  Vec{0, 1, 0} * (4 * ((y + fraction(seed)) / height - .5f)));
    Vec through = {1, 1, 1};
    for (int bounce = 0; bounce < 6; ++bounce) {
      float nearest = 1e20f;
      int which = -1;
      for (int k = 0; k < 10; ++k) {
        const Vec oc = from - Vec{balls[k].x, balls[k].y, balls[k].z};
        const float b = dot(oc, to), disc = b * b - dot(oc, oc) + balls[k].w * balls[k].w;
        if (disc < 0) continue;
        const float root = sqrtf(disc);
        float t = -b - root;
        if (t < 1e-3f) t = -b + root;
        if (t > 1e-3f && t < nearest) nearest = t, which = k;
      }
      if (which < 0) {
        const float up = 0.5f * (to.y + 1);
        light = light + Vec{through.x * (1 - 0.5f * up), through.y * (1 - 0.3f * up), through.z};
        break;
      }
      from = from + to * nearest;
      Vec normal = (from - Vec{balls[which].x, balls[which].y, balls[which].z}) * (1 / balls[which].w);
      if (which % 3 == 1) {
        const bool inside = dot(to, normal) > 0;
        if (inside) normal = normal * -1.f;
        const float ratio = inside ? 1.5f : 1 / 1.5f, c = -dot(to, normal),
                    k = 1 - ratio * ratio * (1 - c * c);
        const float reflectance = 0.04f + 0.96f * powf(1 - c, 5);
        to = k < 0 || fraction(seed) < reflectance ? to + normal * (2 * c)
                                                   : to * ratio + normal * (ratio * c - sqrtf(k));
      } else if (which % 3 == 2) {
        to = to - normal * (2 * dot(to, normal));
      } else {
        const float z = 2 * fraction(seed) - 1, a = 6.2831853f * fraction(seed), r = sqrtf(1 - z * z);
        to = unit(normal + Vec{r * cosf(a), r * sinf(a), z} * 0.999f);
      }
      through = {through.x * tints[which].x, through.y * tints[which].y, through.z * tints[which].z};
    }
  }
  out[y * width + x] =
      make_float4(sqrtf(light.x / samples), sqrtf(light.y / samples), sqrtf(light.z / samples), 1);
}

__device__ inline float voxel(const unsigned char* v, int side, int x, int y, int z) {
  return v[(z * side + y) * side + x];
}
// Rays through a volume of bytes, three-linear, front to back, until hardly any light is left.
// warpscope volume_rays: block = (16, 8), side = 64, width = 256, height = 192, grid = (width / 16, height / 8), volume = random[side * side * side], transfer = f32 random[4 * 256], out = f32 zeros[4 * width * height]
__global__ void volume_rays(const unsigned char* __restrict__ volume, const float4* __restrict__ transfer,
                            float4* out, int side, int width, int height) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  float3 p = {float(px) * side / width, float(py) * side / height, 0.5f};
  const float3 d = {0.31f - p.x / side * 0.6f, 0.24f - p.y / side * 0.5f, 0.9f};
  float4 sum = {0, 0, 0, 0};
  for (int step = 0; step < 96 && sum.w < 0.95f; ++step) {
    const int x = int(p.x), y = int(p.y), z = int(p.z);
    if (p.x < 0 || p.y < 0 || x >= side - 1 || y >= side - 1 || z >= side - 1) break;
    const float fx = p.x - x, fy = p.y - y, fz = p.z - z;
    float face[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const float a = voxel(volume, side, x, y, z + k) * (1 - fx) + voxel(volume, side, x + 1, y, z + k) * fx;
      const float b =
          voxel(volume, side, x, y + 1, z + k) * (1 - fx) + voxel(volume, side, x + 1, y + 1, z + k) * fx;
      face[k] = a * (1 - fy) + b * fy;
    }
    const float4 c = transfer[int(face[0] * (1 - fz) + face[1] * fz)];
    const float alpha = c.w * 0.06f * (1 - sum.w);
    sum.x += c.x * alpha, sum.y += c.y * alpha, sum.z += c.z * alpha, sum.w += alpha;
    p.x += d.x, p.y += d.y, p.z += d.z;
  }
  out[py * width + px] = sum;
}

// Triangles are drawn into tiles of 16 by 16 pixels: a block's tile keeps the nearest depth of 96 triangles.
struct Triangle {
  float2 a, b, c;
  float3 depths;
  unsigned colour;
};
// warpscope raster_tiles: block = (16, 16) fixed, width = 480, height = 320, count = 96, grid = (width / 16, height / 16), triangles = f32 random[10 * count], frame = zeros[width * height]
__global__ void raster_tiles(const Triangle* triangles, unsigned* frame, int count, int width, int height) {
  __shared__ Triangle batch[32];
  __shared__ unsigned touched;
  const int lane = threadIdx.y * 16 + threadIdx.x;
  const float x = (blockIdx.x * 16 + threadIdx.x + 0.5f) / width,
              y = (blockIdx.y * 16 + threadIdx.y + 0.5f) / height;
  const float left = blockIdx.x * 16.f / width, right = left + 16.f / width, top = blockIdx.y * 16.f / height,
              bottom = top + 16.f / height;
  float nearest = 1e9f;
  unsigned colour = 0;
  for (int first = 0; first < count; first += 32) {
    __syncthreads();
    if (lane < 32) {
      const Triangle t = triangles[first + lane];
      batch[lane] = t;
      const bool over = fminf(t.a.x, fminf(t.b.x, t.c.x)) < right &&
                        fmaxf(t.a.x, fmaxf(t.b.x, t.c.x)) > left &&
                        fminf(t.a.y, fminf(t.b.y, t.c.y)) < bottom && fmaxf(t.a.y, fmaxf(t.b.y, t.c.y)) > top;
      const unsigned mask = __ballot_sync(~0u, over);
      if (lane == 0) touched = mask;
    }
    __syncthreads();
    for (unsigned left_over = touched; left_over; left_over &= left_over - 1) {
      const Triangle& t = batch[__ffs(left_over) - 1];
      const float area = (t.b.x - t.a.x) * (t.c.y - t.a.y) - (t.b.y - t.a.y) * (t.c.x - t.a.x);
      const float u = ((x - t.a.x) * (t.c.y - t.a.y) - (y - t.a.y) * (t.c.x - t.a.x)) / area;
      const float v = ((t.b.x - t.a.x) * (y - t.a.y) - (t.b.y - t.a.y) * (x - t.a.x)) / area;
      if (u < 0 || v < 0 || u + v > 1) continue;
      const float z = t.depths.x + u * (t.depths.y - t.depths.x) + v * (t.depths.z - t.depths.x);
      if (z < nearest) nearest = z, colour = t.colour;
    }
  }
  frame[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x] = colour;
}

__constant__ unsigned char shuffled[256] = {
    151, 160, 137, 91,  90,  15,  131, 13,  201, 95,  96, 53,  194, 233, 7,   225, 140, 36, 103, 30,
    69,  142, 8,   99,  37,  240, 21,  10,  23,  190, 6,  148, 247, 120, 234, 75,  0,   26, 197, 62,
    94,  252, 219, 203, 117, 35,  11,  32,  57,  177, 33, 88,  237, 149, 56,  87,  174, 20, 125, 136,
    171, 168, 68,  175, 74,  165, 71,  134, 139, 48,  27, 166, 77,  146, 158, 231, 83,  111};
// Noise of gradients in five octaves; a table in constant memory is copied to shared memory.
// warpscope gradient_noise: block = (64, 4), width = 512, height = 300, grid = (width / 64, height / 4), out = zeros[width * height]
__global__ void gradient_noise(float* out, int width, int height) {
  __shared__ unsigned char p[512];
  for (int k = threadIdx.y * 64 + threadIdx.x; k < 512; k += 256) p[k] = shuffled[k & 255] + k * 37;
  __syncthreads();
  const int px = blockIdx.x * 64 + threadIdx.x, py = blockIdx.y * 4 + threadIdx.y;
  float sum = 0, scale = 0.5f;
  float x = px * 0.013f, y = py * 0.017f;
  for (int octave = 0; octave < 5; ++octave, scale *= 0.5f, x *= 2.03f, y *= 1.97f) {
    const float fx0 = floorf(x), fy0 = floorf(y), fx = x - fx0, fy = y - fy0;
    const int ix = int(fx0) & 255, iy = int(fy0) & 255;
    const float u = fx * fx * fx * (fx * (fx * 6 - 15) + 10), v = fy * fy * fy * (fy * (fy * 6 - 15) + 10);
    auto slope = [&](int hash, float a, float b) {
      const float m = hash & 4 ? b : a, n = hash & 4 ? a : b;
      return (hash & 1 ? -m : m) + (hash & 2 ? -2 * n : 2 * n);
    };
    const int a = p[ix] + iy, b = p[ix + 1] + iy;
    const float n0 = slope(p[a & 511], fx, fy), n1 = slope(p[b & 511], fx - 1, fy);
    const float n2 = slope(p[(a + 1) & 511], fx, fy - 1), n3 = slope(p[(b + 1) & 511], fx - 1, fy - 1);
    const float low = n0 + u * (n1 - n0), high = n2 + u * (n3 - n2);
    sum += scale * (low + v * (high - low));
  }
  out[py * width + px] = sum;
}

// A tree of boxes is walked with a stack of each ray's own, near child first.
// warpscope stack_walk: block = 64, rays = 24000, grid = ceil(rays / block), boxes = f32 random[8 * 2047], directions = f32 random[3 * rays] in -1..1, out = zeros[rays]
__global__ void stack_walk(const float4* __restrict__ boxes, const float* __restrict__ directions, float* out,
                           int rays) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rays) return;
  const float ix = 1 / directions[3 * r], iy = 1 / directions[3 * r + 1], iz = 1 / directions[3 * r + 2];
  int stack[16], depth = 0, node = 0;
  float nearest = 1e9f;
  auto enter = [&](int n) {
    const float4 c = __ldg(&boxes[2 * n]), h = __ldg(&boxes[2 * n + 1]);
    const float size = 0.6f / (1 + __log2f(n + 1.f));
    const float x = (c.x - .5f) * ix, y = (c.y - .5f) * iy, z = (c.z - .5f) * iz;
    const float dx = size * (h.x + .3f) * fabsf(ix), dy = size * (h.y + .3f) * fabsf(iy),
                dz = size * (h.z + .3f) * fabsf(iz);
    const float low = fmaxf(fmaxf(x - dx, y - dy), z - dz), high = fminf(fminf(x + dx, y + dy), z + dz);
    return low <= high && high > 0 ? fmaxf(low, 0.f) : 1e10f;
  };
  while (true) {
    if (node >= 1023) {
      nearest = fminf(nearest, enter(node) + 0.01f);
    } else {
      const int left = 2 * node + 1;
      const float tl = enter(left), tr = enter(left + 1);
      const bool right_first = tr < tl;
      if (fmaxf(tl, tr) < nearest) stack[depth++] = right_first ? left : left + 1;
      if (fminf(tl, tr) < nearest) {
        node = right_first ? left + 1 : left;
        continue;
      }
    }
    if (depth == 0) break;
    node = stack[--depth];
  }
  out[r] = nearest;
}

// Shading of a buffer of points: twelve hidden-light samples around each, by depth.
// warpscope hidden_light: block = (32, 3), width = 480, height = 270, grid = (width / 32, height / 3), depth = random[width * height], kernel = f32 random[24] in -1..1, out = zeros[width * height]
__global__ void hidden_light(const float* depth, const float2* kernel, unsigned char* out, int width,
                             int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 3 + threadIdx.y;
  const float mine = depth[y * width + x];
  const unsigned turn = (x * 73856093u ^ y * 19349663u) & 7;
  float s, c;
  __sincosf(turn * 0.785f, &s, &c);
  float hidden = 0;
#pragma unroll 4
  for (int k = 0; k < 12; ++k) {
    const float2 o = kernel[k];
    const float reach = 14 / (0.4f + mine);
    const int sx = min(max(x + int(reach * (c * o.x - s * o.y)), 0), width - 1);
    const int sy = min(max(y + int(reach * (s * o.x + c * o.y)), 0), height - 1);
    const float other = depth[sy * width + sx], gap = mine - other;
    hidden += gap > 0.02f ? __expf(-3 * gap) : 0.f;
  }
  out[y * width + x] = 255 * __saturatef(1 - hidden / 12);
}

// A tunnel of a distance function, marched with normals by differences: a box, a torus, a floor, blended.
__device__ __noinline__ float distanceTo(float x, float y, float z) {
  const float qx = fabsf(x) - 0.7f, qy = fabsf(y) - 0.4f, qz = fabsf(z) - 0.5f;
  const float ox = fmaxf(qx, 0), oy = fmaxf(qy, 0), oz = fmaxf(qz, 0);
  const float box = sqrtf(ox * ox + oy * oy + oz * oz) + fminf(fmaxf(qx, fmaxf(qy, qz)), 0.f);
  const float ring = sqrtf(x * x + z * z) - 1.2f, torus = sqrtf(ring * ring + y * y) - 0.3f;
  const float h = __saturatef(0.5f + (torus - box) / 0.4f);
  return fminf(torus + (box - torus) * h - 0.2f * h * (1 - h), y + 1);
}
// warpscope march_blend: block = 160, width = 320, height = 160, grid = width * height / block, out = zeros[width * height]
__global__ void march_blend(float* out, int width, int height) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float u = (id % width - 0.5f * width) / height, v = (id / width - 0.5f * height) / height;
  const float inverse = rsqrtf(u * u + v * v + 2.25f), dx = u * inverse, dy = -v * inverse - 0.2f,
              dz = 1.5f * inverse;
  float x = 0, y = 1, z = -4, travelled = 0;
  int steps = 0;
  for (; steps < 48; ++steps) {
    const float d = distanceTo(x, y, z);
    if (d < 1e-3f || travelled > 12) break;
    travelled += d;
    x += d * dx, y += d * dy, z += d * dz;
  }
  float shade = 0;
  if (travelled <= 12) {
    const float e = 1e-3f, d = distanceTo(x, y, z);
    const float nx = distanceTo(x + e, y, z) - d, ny = distanceTo(x, y + e, z) - d,
                nz = distanceTo(x, y, z + e) - d;
    shade = fmaxf(0.f, (0.5f * nx + 0.8f * ny - 0.3f * nz) * rsqrtf(nx * nx + ny * ny + nz * nz + 1e-12f));
  }
  out[id] = shade + steps * 0.01f;
}

// Particles push each other apart, found through a grid of cells of eight places each.
// warpscope pushed_balls: block = 128, side = 32, cells = side * side, grid = ceil(8 * cells / block), places = f32 random[2 * 8 * cells], held = random[cells] in 0..8, out = f32 zeros[2 * 8 * cells]
__global__ void pushed_balls(const float2* places, const int* held, float2* out, int side) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, cell = id / 8, slot = id % 8;
  if (cell >= side * side || slot >= held[cell]) return;
  const int cx = cell % side, cy = cell / side;
  const float2 mine = places[id];
  float2 push = {0, 0};
  for (int y = max(cy - 1, 0); y <= min(cy + 1, side - 1); ++y) {
    for (int x = max(cx - 1, 0); x <= min(cx + 1, side - 1); ++x) {
      const int other = y * side + x, count = held[other];
      for (int k = 0; k < count; ++k) {
        if (other * 8 + k == id) continue;
        const float2 o = places[other * 8 + k];
        const float dx = mine.x - o.x - (x - cx), dy = mine.y - o.y - (y - cy), square = dx * dx + dy * dy;
        if (square < 0.25f && square > 0) {
          const float length = sqrtf(square), strength = (0.5f - length) / length;
          push.x += dx * strength;
          push.y += dy * strength;
        }
      }
    }
  }
  out[id] = make_float2(mine.x + 0.5f * push.x, mine.y + 0.5f * push.y);
}

// Bright parts of a picture glow: a quarter-size image by 13 taps, colours in halves of a register each.
// warpscope glow: block = (24, 8), width = 720, height = 400, grid = (width / 2 / 24, height / 2 / 8), in = f32 random[4 * width * height], out = f32 zeros[width * height]
__global__ void glow(const float4* __restrict__ in, float4* __restrict__ out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  auto at = [&](int dx, int dy) {
    const int sx = min(max(2 * x + dx, 0), width - 1), sy = min(max(2 * y + dy, 0), height - 1);
    return in[sy * width + sx];
  };
  float3 sum = {0, 0, 0};
  float weights = 0;
  const signed char taps[13][2] = {{-2, -2}, {0, -2}, {2, -2}, {-1, -1}, {1, -1}, {-2, 0}, {0, 0},
                                   {2, 0},   {-1, 1}, {1, 1},  {-2, 2},  {0, 2},  {2, 2}};
#pragma unroll
  for (int k = 0; k < 13; ++k) {
    const float4 c = at(taps[k][0], taps[k][1]);
    const float bright = fmaxf(c.x, fmaxf(c.y, c.z)),
                w = (k == 6 || k == 3 || k == 4 ? 0.125f : 0.06f) / (1 + bright);
    const float over = fmaxf(bright - 0.6f, 0.f) / fmaxf(bright, 1e-4f);
    sum.x += c.x * over * w, sum.y += c.y * over * w, sum.z += c.z * over * w;
    weights += w;
  }
  out[y * (width / 2) + x] = make_float4(sum.x / weights, sum.y / weights, sum.z / weights, 1);
}

// Newton's method for z^5 = 1 in double: colours are the root that each point finds.
// warpscope newton_basins: block = (16, 6), width = 160, height = 96, grid = (width / 16, height / 6), out = zeros[width * height]
__global__ void newton_basins(unsigned char* out, int width, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 6 + threadIdx.y;
  double re = 3.0 * x / width - 1.5, im = 2.0 * y / height - 1.01;
  int k = 0;
  for (; k < 24; ++k) {
    const double r2 = re * re - im * im, i2 = 2 * re * im, r4 = r2 * r2 - i2 * i2, i4 = 2 * r2 * i2;
    const double r5 = r4 * re - i4 * im - 1, i5 = r4 * im + i4 * re, size = 0.2 / (r4 * r4 + i4 * i4);
    const double dr = (r5 * r4 + i5 * i4) * size, di = (i5 * r4 - r5 * i4) * size;
    re -= dr;
    im -= di;
    if (dr * dr + di * di < 1e-12) break;
  }
  out[y * width + x] = 8 * k + (re > 0 ? 1 : 0) + (im > 0.3 ? 2 : im < -0.3 ? 4 : 0);
}
