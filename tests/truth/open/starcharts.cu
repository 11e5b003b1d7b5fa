// The earth and the sky.
#include <cstdint>

// Vincenty's inverse: distances on the ellipsoid, iterated until the longitude stands still.
// warpscope ellipsoid_distances: block = 64, n = 2^13, grid = ceil(n / block), pairs = f64 random[n * 4], out = zeros[n]
__global__ void ellipsoid_distances(const double2* pairs, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double f = 1 / 298.257223563, major = 6378137.0, minor = major * (1 - f);
  const double2 from = pairs[2 * i], to = pairs[2 * i + 1];
  const double u1 = atan((1 - f) * tan(from.x * 1.4)), u2 = atan((1 - f) * tan(to.x * 1.4)),
               l = (from.y - to.y) * 2;
  double s1, c1, s2, c2, lambda = l, sigma = 0, sine = 0, cosine = 1, square = 1, middle = 0;
  sincos(u1, &s1, &c1);
  sincos(u2, &s2, &c2);
  for (int k = 0; k < 8; ++k) {
    double sl, cl;
    sincos(lambda, &sl, &cl);
    const double a = c2 * sl, b = c1 * s2 - s1 * c2 * cl;
    sine = sqrt(a * a + b * b);
    if (sine == 0) break;
    cosine = s1 * s2 + c1 * c2 * cl;
    sigma = atan2(sine, cosine);
    const double alpha = c1 * c2 * sl / sine;
    square = 1 - alpha * alpha;
    middle = square > 1e-12 ? cosine - 2 * s1 * s2 / square : 0;
    const double c = f / 16 * square * (4 + f * (4 - 3 * square)), before = lambda;
    lambda = l + (1 - c) * f * alpha * (sigma + c * sine * (middle + c * cosine * (2 * middle * middle - 1)));
    if (fabs(lambda - before) < 1e-10) break;
  }
  const double w = square * (major * major - minor * minor) / (minor * minor);
  const double a = 1 + w / 16384 * (4096 + w * (-768 + w * (320 - 175 * w))),
               b = w / 1024 * (256 + w * (-128 + w * (74 - 47 * w)));
  out[i] = minor * a * (sigma - b * sine * (middle + b / 4 * cosine * (2 * middle * middle - 1)));
}

// Codes of places: longitude and latitude, 20 bits each, are interleaved and written as eight letters of
// base 32.
// warpscope geohash_letters: block = 256, n = 2^17, grid = ceil(n / block), places = f32 random[n * 2], out = u8 zeros[n * 8]
__global__ void geohash_letters(const float2* places, uint2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = places[i];
  auto spread = [](uint64_t v) {
    v = (v | v << 16) & 0x0000FFFF0000FFFFull;
    v = (v | v << 8) & 0x00FF00FF00FF00FFull;
    v = (v | v << 4) & 0x0F0F0F0F0F0F0F0Full;
    v = (v | v << 2) & 0x3333333333333333ull;
    return (v | v << 1) & 0x5555555555555555ull;
  };
  const uint64_t code = spread(uint32_t(p.x * 1048575)) << 1 | spread(uint32_t(p.y * 1048575));
  const char* letters = "0123456789bcdefghjkmnpqrstuvwxyz";
  uint32_t half[2] = {0, 0};
#pragma unroll
  for (int k = 0; k < 8; ++k) half[k / 4] |= uint32_t(letters[code >> (35 - 5 * k) & 31]) << k % 4 * 8;
  out[i] = make_uint2(half[0], half[1]);
}

// Light curves folded at trial periods: each warp a period, sums of 32 phases in shared memory.
// warpscope folded_light_curves: block = 128 fixed, periods = 1056, samples = 512, grid = periods / 4, times = random[samples], light = random[samples]:2, power = zeros[periods]
__global__ void folded_light_curves(const float* times, const float* light, float* power, int samples) {
  __shared__ float sums[4][32], counts[4][32];
  const int lane = threadIdx.x % 32, w = threadIdx.x / 32, which = blockIdx.x * 4 + w;
  sums[w][lane] = counts[w][lane] = 0;
  __syncwarp();
  const float frequency = 20 + which * 0.01f;
  for (int k = lane; k < samples; k += 32) {
    const float turns = times[k] * frequency;
    const int bin = int((turns - floorf(turns)) * 32) & 31;
    atomicAdd(&sums[w][bin], light[k]);
    atomicAdd(&counts[w][bin], 1.0f);
  }
  __syncwarp();
  const float c = counts[w][lane], mean = c > 0 ? sums[w][lane] / c : 0.5f;
  float v = (mean - 0.5f) * (mean - 0.5f) * c;
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (lane == 0) power[which] = v;
}

// Eccentric anomalies by Halley's steps until they stand, then true anomaly and distance.
// warpscope eccentric_orbits: block = 128, n = 2^15, grid = ceil(n / block), orbits = f32 random[n * 2], places = f32 zeros[n * 2]
__global__ void eccentric_orbits(const float2* orbits, float2* places, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float e = orbits[i].x * 0.9f, mean = orbits[i].y * 6.2831853f;
  float anomaly = mean + e * sinf(mean);
  for (int k = 0; k < 10; ++k) {
    const float s = e * sinf(anomaly), c = e * cosf(anomaly), f = anomaly - s - mean, g = 1 - c;
    const float step = f * g / (g * g - 0.5f * f * s);
    anomaly -= step;
    if (fabsf(step) < 2e-6f) break;
  }
  const float half = 0.5f * anomaly;
  places[i] =
      make_float2(2 * atan2f(sqrtf(1 + e) * sinf(half), sqrtf(1 - e) * cosf(half)), 1 - e * cosf(anomaly));
}

// Stars of a catalogue are matched with a picture's by triangles: ratios of sides are quantised and looked
// up.
// warpscope star_triangles: block = 128, n = 2^14, stars = 256, grid = ceil(n / block), at = f32 random[stars * 2], which = random[n], table = random[4096], votes = zeros[stars]
__global__ void star_triangles(const float2* __restrict__ at, const uint32_t* __restrict__ which,
                               const uint16_t* __restrict__ table, int* __restrict__ votes, int n,
                               int stars) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t w = which[i];
  const float2 a = at[w & 255], b = at[w >> 8 & 255], c = at[w >> 16 & 255];
  float x = hypotf(a.x - b.x, a.y - b.y), y = hypotf(b.x - c.x, b.y - c.y), z = hypotf(c.x - a.x, c.y - a.y);
  if (x < y) {
    const float h = x;
    x = y;
    y = h;
  }
  if (y < z) {
    const float h = y;
    y = z;
    z = h;
  }
  if (x < y) {
    const float h = x;
    x = y;
    y = h;
  }
  if (x < 0.05f || z < 0.1f * x) return;
  const int key = int(y / x * 63) << 6 | int(z / x * 63);
  const uint16_t entry = table[key & 4095];
  if (entry & 0x300) atomicAdd(&votes[(entry & 255) % stars], 1);
}

// Where it rains, water is routed down the steepest of eight ways for some steps, and counted where it comes
// to rest.
// warpscope resting_drops: block = (16, 16), side = 512, grid = (side / 16, side / 16), height = random[side * side], rest = zeros[side * side]
__global__ void resting_drops(const float* height, unsigned* rest, int side) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= side || y >= side) return;
  float here = height[y * side + x];
  for (int step = 0; step < 16; ++step) {
    int bx = x, by = y;
    for (int k = 0; k < 9; ++k) {
      const int u = x + k % 3 - 1, v = y + k / 3 - 1;
      if (u < 0 || v < 0 || u >= side || v >= side) continue;
      const float h = __ldg(&height[v * side + u]);
      if (h < here) here = h, bx = u, by = v;
    }
    if (bx == x && by == y) break;
    x = bx, y = by;
  }
  atomicAdd(&rest[y * side + x], 1u);
}

// Visits of lorries to customers: savings of joining routes, the best for each customer, with capacities;
// tiles of customers.
// warpscope joined_deliveries: block = 128 fixed, n = 2^11, grid = (n / 128, 8), customers = f32 random[n * 4], best = zeros[n]
__global__ void joined_deliveries(const float4* customers, unsigned long long* best, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 mine = customers[i];
  const float home = sqrtf(mine.x * mine.x + mine.y * mine.y);
  float most = 0;
  int who = i;
  for (int start = blockIdx.y * 256; start < blockIdx.y * 256 + 256; start += 128) {
    __syncthreads();
    tile[threadIdx.x] = customers[start + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const float4 o = tile[k];
      if (mine.z + o.z > 1.2f || start + k == i) continue;
      if (fabsf(mine.w - o.w) > 0.5f) continue;
      const float dx = mine.x - o.x, dy = mine.y - o.y;
      const float saved = home + __fsqrt_rn(o.x * o.x + o.y * o.y) - __fsqrt_rn(dx * dx + dy * dy);
      if (saved > most) most = saved, who = start + k;
    }
  }
  atomicMax(&best[i], (unsigned long long)__float_as_uint(most) << 32 | who);
}
