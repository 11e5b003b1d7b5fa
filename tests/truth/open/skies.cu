// Geography and astronomy.

#include <cstdint>

// Nearest of a hundred cities by great-circle distance; the table of cities is in shared memory.
// warpscope nearest_city: block = 256, n = 2^14, grid = ceil(n / block), cities = random[200] in -1.5..1.5, places = random[2 * n] in -1.5..1.5, city = zeros[n], kilometres = zeros[n]
__global__ void nearest_city(const float2* cities, const float2* places, uint8_t* city, float* kilometres,
                             int n) {
  __shared__ float3 table[100];
  if (threadIdx.x < 100) {
    const float2 c = cities[threadIdx.x];
    table[threadIdx.x] = make_float3(c.x, 2 * c.y, cosf(c.x));
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = places[i];
  const float scale = cosf(p.x);
  float least = 10;
  int which = 0;
  for (int k = 0; k < 100; ++k) {
    const float3 c = table[k];
    const float a = __sinf((c.x - p.x) * 0.5f), b = __sinf((c.y - 2 * p.y) * 0.5f);
    const float h = a * a + scale * c.z * b * b;
    if (h < least) least = h, which = k;
  }
  city[i] = which;
  kilometres[i] = 12742 * asinf(sqrtf(fminf(least, 1.0f)));
}

// Places as text: longitude and latitude bits interleaved, five bits a letter.
__constant__ char placeLetters[33] = "0123456789bcdefghjkmnpqrstuvwxyz";
__device__ uint64_t spread(uint32_t v) {
  uint64_t x = v;
  x = (x | x << 16) & 0x0000ffff0000ffffull;
  x = (x | x << 8) & 0x00ff00ff00ff00ffull;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
  x = (x | x << 2) & 0x3333333333333333ull;
  return (x | x << 1) & 0x5555555555555555ull;
}
// warpscope place_to_text: block = 128, n = 2^16, grid = ceil(n / block), degrees = random[n * 2] in -90..90, text = zeros[n * 12]
__global__ void place_to_text(const double2* degrees, char* text, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double2 p = degrees[i];
  const uint32_t x = (uint32_t)((p.y * 2 + 180) / 360 * 4294967295.0),
                 y = (uint32_t)((p.x + 90) / 180 * 4294967295.0);
  uint64_t code = spread(x) << 1 | spread(y);
#pragma unroll
  for (int k = 0; k < 12; ++k) {
    text[i * 12 + k] = placeLetters[code >> 59];
    code <<= 5;
  }
}

// Kepler's equation for many orbits by Newton steps until they settle, then places in the plane, in double
// precision.
// warpscope orbit_places: block = 64, n = 2^14, grid = ceil(n / block), mean = random[n] in 0..6.28, eccentricity = random[n] in 0..0.95, places = zeros[2 * n]
__global__ void orbit_places(const double* __restrict__ mean, const double* __restrict__ eccentricity,
                             double2* places, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double m = mean[i], e = eccentricity[i];
  double anomaly = e < 0.8 ? m : 3.14159265358979, s, c;
  for (int k = 0; k < 12; ++k) {
    sincos(anomaly, &s, &c);
    const double step = (anomaly - e * s - m) / (1 - e * c);
    anomaly -= step;
    if (fabs(step) < 1e-10) break;
  }
  sincos(anomaly, &s, &c);
  places[i] = make_double2(c - e, sqrt(1 - e * e) * s);
}

// Finds what can be seen from a tower: each thread follows a ray outwards and keeps the steepest angle.
// warpscope seen_from_tower: block = 64, grid = 32, size = 256, height = random[size * size], seen = zeros[2048]
__global__ void seen_from_tower(const float* __restrict__ height, int* seen, int size) {
  const int ray = blockIdx.x * blockDim.x + threadIdx.x;
  float dx, dy;
  sincospif(ray * (1.0f / 1024), &dy, &dx);
  const float centre = size * 0.5f, eye = 2.0f + height[size / 2 * size + size / 2];
  float steepest = -1e9f;
  int count = 0;
  for (int k = 1;; ++k) {
    const float x = centre + dx * k, y = centre + dy * k;
    const int ix = __float2int_rd(x), iy = __float2int_rd(y);
    if (ix < 0 || iy < 0 || ix >= size - 1 || iy >= size - 1) break;
    const float fx = x - ix, fy = y - iy;
    const float* h = height + iy * size + ix;
    const float ground =
        (h[0] * (1 - fx) + h[1] * fx) * (1 - fy) + (h[size] * (1 - fx) + h[size + 1] * fx) * fy;
    const float slope = __fdividef(ground - eye, k);
    if (slope > steepest) steepest = slope, ++count;
  }
  seen[ray] = count;
}

// The way water flows from each cell: the steepest of eight neighbours, as an exponent of two.
// warpscope water_direction: block = (32, 8), width = 720, rows = 500, grid = (ceil(width / block.x), ceil(rows / block.y)), ground = random[width * rows], way = zeros[width * rows]
__global__ void water_direction(const short* __restrict__ ground, unsigned char* way, int width, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= rows) return;
  const int here = ground[y * width + x];
  float steepest = 0;
  int direction = 0;
  static constexpr int8_t dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int u = x + dx[k], v = y + dy[k];
    if (u < 0 || v < 0 || u >= width || v >= rows) continue;
    const float drop = (here - ground[v * width + u]) * (k & 1 ? 0.70710678f : 1.0f);
    if (drop > steepest) steepest = drop, direction = 1 << k;
  }
  way[y * width + x] = direction;
}

// Points in any of eight polygons of 24 corners, by crossings; a bit for each polygon.
// warpscope districts_of_points: block = 128, n = 2^15, grid = ceil(n / block), corners = random[8 * 24 * 2], points = random[2 * n], inside = zeros[n]
__global__ void districts_of_points(const float2* __restrict__ corners, const float2* __restrict__ points,
                                    uint8_t* inside, int n) {
  __shared__ float2 c[8 * 24];
  for (int k = threadIdx.x; k < 192; k += blockDim.x) c[k] = corners[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = points[i];
  unsigned bits = 0;
  for (int d = 0; d < 8; ++d) {
    bool in = false;
    float2 a = c[d * 24 + 23];
#pragma unroll 4
    for (int k = 0; k < 24; ++k) {
      const float2 b = c[d * 24 + k];
      if (a.y > p.y != b.y > p.y && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) in = !in;
      a = b;
    }
    bits |= (unsigned)in << d;
  }
  inside[i] = bits;
}

// Power of unevenly sampled light at trial frequencies, a block for each; sums by shuffles and shared memory.
// warpscope uneven_period: block = 128 fixed, grid = 1024, samples = 600, times = random[samples] in 0..100, light = random[samples] in -1..1, power = zeros[1024]
__global__ void uneven_period(const float* times, const float* light, float* power, int samples) {
  __shared__ float parts[4][4];
  const float frequency = 0.01f + blockIdx.x * 0.005f;
  float sums[4] = {0, 0, 0, 0};
  for (int k = threadIdx.x; k < samples; k += 128) {
    float s, c;
    __sincosf(6.2831853f * (frequency * times[k] - floorf(frequency * times[k])), &s, &c);
    sums[0] += light[k] * s;
    sums[1] += light[k] * c;
    sums[2] += s * s;
    sums[3] += s * c;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    for (int d = 16; d > 0; d /= 2) sums[j] += __shfl_down_sync(0xffffffffu, sums[j], d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32][j] = sums[j];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 4; ++w)
      for (int j = 0; j < 4; ++j) parts[0][j] += parts[w][j];
    const float ss = parts[0][2], cc = samples - ss, sc = parts[0][3], determinant = ss * cc - sc * sc;
    const float a = (parts[0][0] * cc - parts[0][1] * sc) / determinant,
                b = (parts[0][1] * ss - parts[0][0] * sc) / determinant;
    power[blockIdx.x] = a * parts[0][0] + b * parts[0][1];
  }
}
