// Pictures of scenes.

struct vec3 {
  float x, y, z;
  __device__ vec3(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
};
__device__ inline vec3 operator+(vec3 a, vec3 b) {
  return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ inline vec3 operator-(vec3 a, vec3 b) {
  return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ inline vec3 operator*(vec3 a, float s) {
  return vec3(a.x * s, a.y * s, a.z * s);
}
__device__ inline vec3 operator*(vec3 a, vec3 b) {
  return vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}
__device__ inline float dot(vec3 a, vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ inline vec3 unit(vec3 a) {
  return a * rsqrtf(dot(a, a));
}
__device__ inline vec3 cross(vec3 a, vec3 b) {
  return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// A path of up to four bounces among spheres, light from the sky: the weekend's ray tracer.
struct sphere_t {
  float x, y, z, r;
};
__device__ float hit_sphere(const sphere_t& s, vec3 o, vec3 d) {
  const vec3 oc = o - vec3(s.x, s.y, s.z);
  const float b = dot(oc, d), c = dot(oc, oc) - s.r * s.r, disc = b * b - c;
  if (disc <= 0) return -1;
  const float root = sqrtf(disc);
  if (-b - root > 0.001f) return -b - root;
  return -b + root;
}
// warpscope path_trace_spheres: block = (8, 8), w = 160, h = 120, count = 24, grid = (ceil(w / block.x), ceil(h / block.y)), spheres = f32 random[4 * count] in 0.2..2, image = zeros[3 * w * h]
__global__ void path_trace_spheres(const sphere_t* spheres, float* image, int w, int h, int count) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned seed = (y * w + x) * 9781u + 6271u;
  auto rnd = [&seed]() {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) * (1.0f / 16777216.0f);
  };
  vec3 o(1, 1, -3), d = unit(vec3((x - 0.5f * w) / h, (0.5f * h - y) / h, 1)), throughput(1, 1, 1), colour;
  for (int bounce = 0; bounce < 4; ++bounce) {
    float nearest = 1e30f;
    int who = -1;
    for (int i = 0; i < count; ++i) {
      const float t = hit_sphere(spheres[i], o, d);
      if (t > 0.001f && t < nearest) nearest = t, who = i;
    }
    if (who < 0) {
      const float t = 0.5f * (d.y + 1);
      colour = throughput * vec3(1 - 0.5f * t, 1 - 0.3f * t, 1);
      break;
    }
    o = o + d * nearest;
    const sphere_t s = spheres[who];
    const vec3 n = unit(o - vec3(s.x, s.y, s.z));
    throughput = throughput * vec3(0.8f, 0.5f + 0.02f * who, 0.4f);
    if (who % 3 == 0) {
      d = d - n * (2 * dot(d, n));
    } else {
      vec3 p;
      do {
        p = vec3(2 * rnd() - 1, 2 * rnd() - 1, 2 * rnd() - 1);
      } while (dot(p, p) >= 1);
      d = unit(n + p);
    }
  }
  float* out = image + 3 * (y * w + x);
  out[0] = sqrtf(colour.x);
  out[1] = sqrtf(colour.y);
  out[2] = sqrtf(colour.z);
}

// A distance field is marched: a box with a sphere cut off, repeated, and a normal by differences.
__device__ float scene_distance(vec3 p) {
  const vec3 q(fabsf(p.x - 2 * floorf(p.x * 0.5f + 0.5f)) - 0.4f, fabsf(p.y) - 0.4f,
               fabsf(p.z - 2 * floorf(p.z * 0.5f + 0.5f)) - 0.4f);
  const vec3 m(fmaxf(q.x, 0), fmaxf(q.y, 0), fmaxf(q.z, 0));
  const float box = sqrtf(dot(m, m)) + fminf(fmaxf(q.x, fmaxf(q.y, q.z)), 0.0f);
  const float ball = sqrtf(dot(q + vec3(.4f, .4f, .4f), q + vec3(.4f, .4f, .4f))) - 0.5f;
  return fminf(fmaxf(box, -ball), p.y + 1.0f);
}
// warpscope sdf_march: block = (16, 16), w = 256, h = 192, grid = (ceil(w / block.x), ceil(h / block.y)), out = zeros[w * h], time = 0.7
__global__ void sdf_march(uchar4* out, int w, int h, float time) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const vec3 o(time, 1.2f, -3 + time), d = unit(vec3((x - w / 2) * 2.0f / h, (h / 2 - y) * 2.0f / h, 1.5f));
  float t = 0;
  int i = 0;
  for (; i < 64 && t < 20; ++i) {
    const float s = scene_distance(o + d * t);
    if (s < 0.001f) break;
    t += s;
  }
  float shade = 0;
  if (t < 20 && i < 64) {
    const vec3 p = o + d * t;
    const float e = 0.001f, here = scene_distance(p);
    const vec3 n =
        unit(vec3(scene_distance(p + vec3(e, 0, 0)) - here, scene_distance(p + vec3(0, e, 0)) - here,
                  scene_distance(p + vec3(0, 0, e)) - here));
    shade = fmaxf(dot(n, unit(vec3(1, 2, -1))), 0.1f);
  }
  const unsigned char v = (unsigned char)(255 * shade);
  out[y * w + x] = make_uchar4(v, v, (unsigned char)(i * 4), 255);
}

// Small triangles are drawn by their edges' functions: depth and number in a word, the least stays.
struct screen_triangle {
  float x[3], y[3], z[3];
};
// warpscope raster_small_triangles: block = 128, triangles = 20000, side = 512, grid = ceil(triangles / block), corners = random[9 * triangles], frame = random[side * side]
__global__ void raster_small_triangles(const float* corners, unsigned long long* frame, int triangles,
                                       int side) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= triangles) return;
  screen_triangle t;
  const float ox = corners[9 * id] * (side - 8), oy = corners[9 * id + 1] * (side - 8);
  for (int k = 0; k < 3; ++k) {
    t.x[k] = ox + 7 * corners[9 * id + k * 3];
    t.y[k] = oy + 7 * corners[9 * id + k * 3 + 1];
    t.z[k] = corners[9 * id + k * 3 + 2];
  }
  const float area = (t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (t.x[2] - t.x[0]) * (t.y[1] - t.y[0]);
  if (fabsf(area) < 1e-3f) return;
  const int x0 = (int)fminf(t.x[0], fminf(t.x[1], t.x[2])), x1 = (int)fmaxf(t.x[0], fmaxf(t.x[1], t.x[2]));
  const int y0 = (int)fminf(t.y[0], fminf(t.y[1], t.y[2])), y1 = (int)fmaxf(t.y[0], fmaxf(t.y[1], t.y[2]));
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      float w[3];
      bool inside = true;
      for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        w[k] = ((t.x[a] - x) * (t.y[b] - y) - (t.x[b] - x) * (t.y[a] - y)) / area;
        inside = inside && w[k] >= 0;
      }
      if (!inside) continue;
      const float depth = w[0] * t.z[0] + w[1] * t.z[1] + w[2] * t.z[2];
      atomicMin(&frame[y * side + x], (unsigned long long)__float_as_uint(depth) << 32 | (unsigned)id);
    }
  }
}

// Rays down a tree of boxes that halves space: a stack in local memory, near child first.
// warpscope bvh_traverse: block = 64, rays = 16000, levels = 10, grid = ceil(rays / block), origins = random[rays], directions = random[rays]:2 in -1..1, hits = zeros[rays]
__global__ void bvh_traverse(const float4* origins, const float4* directions, int* hits, int rays,
                             int levels) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rays) return;
  const float4 of = origins[r], df = directions[r];
  const float o[3] = {of.x, of.y, of.z},
              inv[3] = {1 / (df.x + 1e-6f), 1 / (df.y + 1e-6f), 1 / (df.z + 1e-6f)};
  int stack[24], top = 0, leaves = 0;
  stack[top++] = 1;
  while (top > 0) {
    const int node = stack[--top];
    float low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    const int depth = 31 - __clz(node);
    for (int l = 0; l < depth; ++l) {
      const int axis = l % 3;
      const float mid = 0.5f * (low[axis] + high[axis]);
      if (node >> (depth - 1 - l) & 1)
        low[axis] = mid - 0.01f;
      else
        high[axis] = mid + 0.01f;
    }
    float near_t = 0, far_t = 1e30f;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      const float t0 = (low[a] - o[a]) * inv[a], t1 = (high[a] - o[a]) * inv[a];
      near_t = fmaxf(near_t, fminf(t0, t1));
      far_t = fminf(far_t, fmaxf(t0, t1));
    }
    if (near_t > far_t) continue;
    if (depth == levels) {
      ++leaves;
      continue;
    }
    const int first = inv[depth % 3] > 0 ? 0 : 1;
    stack[top++] = 2 * node + 1 - first;
    stack[top++] = 2 * node + first;
  }
  hits[r] = leaves;
}

// Exposure, a film's curve, gamma.
__device__ __forceinline__ float aces_curve(float x) {
  return __saturatef((x * (2.51f * x + 0.03f)) / (x * (2.43f * x + 0.59f) + 0.14f));
}
// warpscope tonemap_aces: block = 256, n = 640000, grid = ceil(n / block), hdr = random[n] in 0..8, ldr = zeros[n], exposure = 0.7
__global__ void tonemap_aces(const float4* hdr, uchar4* ldr, float exposure, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 c = hdr[i];
  const float g = 1.0f / 2.2f;
  ldr[i] = make_uchar4((unsigned char)(255.0f * powf(aces_curve(c.x * exposure), g) + 0.5f),
                       (unsigned char)(255.0f * powf(aces_curve(c.y * exposure), g) + 0.5f),
                       (unsigned char)(255.0f * powf(aces_curve(c.z * exposure), g) + 0.5f), 255);
}

// Vertices follow four bones each.
// warpscope skin_vertices: block = 128, vertices = 150000, bones = 60, grid = ceil(vertices / block), matrices = f32 random[12 * bones], position = random[3 * vertices], joints = random[vertices] in 0..59, weights = random[vertices], out = zeros[3 * vertices]
__global__ void skin_vertices(const float4* __restrict__ matrices, const float* __restrict__ position,
                              const uchar4* __restrict__ joints, const float4* __restrict__ weights,
                              float* __restrict__ out, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  const float px = position[3 * v], py = position[3 * v + 1], pz = position[3 * v + 2];
  const uchar4 j = joints[v];
  const float4 w = weights[v];
  const int bone[4] = {j.x, j.y, j.z, j.w};
  const float weight[4] = {w.x, w.y, w.z, w.w};
  float r[3] = {0, 0, 0};
#pragma unroll
  for (int b = 0; b < 4; ++b)
#pragma unroll
    for (int row = 0; row < 3; ++row) {
      const float4 m = matrices[bone[b] * 3 + row];
      r[row] += weight[b] * (m.x * px + m.y * py + m.z * pz + m.w);
    }
  for (int k = 0; k < 3; ++k) out[3 * v + k] = r[k];
}

// Noise by gradients at lattice points, five octaves, a table of permutations in shared memory.
__device__ float gradient_noise(const unsigned char* perm, float x, float y) {
  const int xi = (int)floorf(x) & 255, yi = (int)floorf(y) & 255;
  const float xf = x - floorf(x), yf = y - floorf(y);
  const float u = xf * xf * xf * (xf * (xf * 6 - 15) + 10), v = yf * yf * yf * (yf * (yf * 6 - 15) + 10);
  auto grad = [](int hash, float gx, float gy) {
    switch (hash & 3) {
      case 0:
        return gx + gy;
      case 1:
        return -gx + gy;
      case 2:
        return gx - gy;
      default:
        return -gx - gy;
    }
  };
  const int a = perm[xi] + yi, b = perm[(xi + 1) & 255] + yi;
  const float n00 = grad(perm[a & 255], xf, yf), n10 = grad(perm[b & 255], xf - 1, yf);
  const float n01 = grad(perm[(a + 1) & 255], xf, yf - 1), n11 = grad(perm[(b + 1) & 255], xf - 1, yf - 1);
  const float low = n00 + u * (n10 - n00), high = n01 + u * (n11 - n01);
  return low + v * (high - low);
}
// warpscope perlin_fractal: block = (32, 8) fixed, w = 384, h = 256, grid = (ceil(w / 32), ceil(h / 8)), table = random[256], out = zeros[w * h]
__global__ void perlin_fractal(const unsigned char* table, float* out, int w, int h) {
  __shared__ unsigned char perm[256];
  perm[threadIdx.y * 32 + threadIdx.x] = table[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0, amplitude = 1, frequency = 0.02f;
  for (int octave = 0; octave < 5; ++octave) {
    sum += amplitude * gradient_noise(perm, x * frequency, y * frequency);
    amplitude *= 0.5f;
    frequency *= 2.0f;
  }
  out[y * w + x] = 0.5f + 0.5f * sum;
}

// Rays through a grid of bits, cell by cell, until one is filled.
// warpscope voxel_dda: block = (16, 8), w = 300, h = 200, grid = (ceil(w / block.x), ceil(h / block.y)), voxels = random[8192] in 0..15, steps_out = zeros[w * h]
__global__ void voxel_dda(const unsigned* __restrict__ voxels, unsigned char* steps_out, int w, int h) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  const vec3 o(32.5f, 20.3f, 0.7f),
      d = unit(vec3((px - 0.5f * w) / h + 1e-4f, (py - 0.5f * h) / h + 1e-4f, 1));
  int x = 32, y = 20, z = 0;
  const int sx = d.x > 0 ? 1 : -1, sy = d.y > 0 ? 1 : -1, sz = 1;
  const float dx = fabsf(1 / d.x), dy = fabsf(1 / d.y), dz = fabsf(1 / d.z);
  float tx = (d.x > 0 ? x + 1 - o.x : o.x - x) * dx, ty = (d.y > 0 ? y + 1 - o.y : o.y - y) * dy,
        tz = (z + 1 - o.z) * dz;
  int steps = 0;
  while (x >= 0 && y >= 0 && z >= 0 && x < 64 && y < 64 && z < 64) {
    const int cell = (z * 64 + y) * 64 + x;
    if (voxels[cell >> 5] >> (cell & 31) & 1) break;
    if (tx < ty && tx < tz)
      x += sx, tx += dx;
    else if (ty < tz)
      y += sy, ty += dy;
    else
      z += sz, tz += dz;
    ++steps;
  }
  steps_out[py * w + px] = steps;
}
