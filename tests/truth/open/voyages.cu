// The earth, the sky above it, and goods on their way.
#include <cstdint>

// When the sun rises at a place on a day of the year, by the equations for declination and the equation of
// time.
// warpscope risen_suns: block = 128, n = 2^16, grid = ceil(n / block), places = f32 random[2 * n] in -1..1, days = u16 random[n], out = f32 zeros[n]
__global__ void risen_suns(const float2* places, const uint16_t* days, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float latitude = places[i].x * 1.3f, longitude = places[i].y * 180;
  const float turn = 6.2831853f * (days[i] % 365) / 365;
  float s1, c1, s2, c2;
  sincosf(turn, &s1, &c1);
  s2 = 2 * s1 * c1;
  c2 = 1 - 2 * s1 * s1;
  const float minutes =
      229.18f * (0.000075f + 0.001868f * c1 - 0.032077f * s1 - 0.014615f * c2 - 0.040849f * s2);
  const float tilt = 0.006918f - 0.399912f * c1 + 0.070257f * s1 - 0.006758f * c2 + 0.000907f * s2;
  const float angle = cosf(1.5853f) / (cosf(latitude) * cosf(tilt)) - tanf(latitude) * tanf(tilt);
  if (angle > 1)
    out[i] = -1;
  else if (angle < -1)
    out[i] = -2;
  else
    out[i] = 720 - 4 * (longitude + acosf(angle) * 57.29578f) - minutes;
}

// The way that water takes: the steepest of eight neighbours of each cell of a terrain, in tiles with a
// border.
// warpscope steepest_ways: block = (16, 16) fixed, width = 256, height = 256, grid = (width / 16, height / 16), heights = f32 random[width * height] in 0..100, way = u8 zeros[width * height]
__global__ void steepest_ways(const float* __restrict__ heights, uint8_t* way, int width, int height) {
  __shared__ float tile[18][19];
  const int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 16 + x, gy = blockIdx.y * 16 + y;
  for (int k = y * 16 + x; k < 18 * 18; k += 256) {
    const int px = min(max(static_cast<int>(blockIdx.x * 16) + k % 18 - 1, 0), width - 1),
              py = min(max(static_cast<int>(blockIdx.y * 16) + k / 18 - 1, 0), height - 1);
    tile[k / 18][k % 18] = heights[py * width + px] + 0.01f * (px + py);
  }
  __syncthreads();
  const float mine = tile[y + 1][x + 1];
  float steepest = 0;
  int best = 8;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int dx = k < 3    ? k - 1
                   : k == 3 ? 1
                   : k < 7  ? 5 - k
                            : -1,
              dy = k < 3    ? -1
                   : k == 3 ? 0
                   : k < 7  ? 1
                            : 0;
    const float slope = (mine - tile[y + 1 + dy][x + 1 + dx]) * (dx && dy ? 0.70710678f : 1.0f);
    if (slope > steepest) steepest = slope, best = k;
  }
  way[gy * width + gx] = best;
}

// Tracks are made simpler: a warp has a track of 64 points and drops those near the line between kept ones,
// ranges on a stack in shared memory.
// warpscope simpler_tracks: block = 128 fixed, tracks = 2^11, grid = tracks / 4, points = f32 random[tracks * 128], kept = u64 zeros[tracks], limit = 0.45
__global__ void simpler_tracks(const float2* points, uint64_t* kept, float limit) {
  __shared__ float2 track[4][64];
  __shared__ uchar2 stack[4][64];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, id = blockIdx.x * 4 + warp;
  for (int k = lane; k < 64; k += 32) {
    float2 p = points[id * 64 + k];
    p.x += 0.2f * k;
    track[warp][k] = p;
  }
  if (lane == 0) stack[warp][0] = make_uchar2(0, 63);
  __syncwarp();
  uint64_t mask = 1ull | 1ull << 63;
  int top = 1;
  while (top > 0) {
    const uchar2 range = stack[warp][--top];
    const float2 a = track[warp][range.x], b = track[warp][range.y];
    const float dx = b.x - a.x, dy = b.y - a.y, scale = rsqrtf(dx * dx + dy * dy + 1e-12f);
    float far = limit;
    int which = 0;
    for (int k = range.x + 1 + lane; k < range.y; k += 32) {
      const float2 p = track[warp][k];
      const float d = fabsf((p.x - a.x) * dy - (p.y - a.y) * dx) * scale;
      if (d > far) far = d, which = k;
    }
    const unsigned best = __reduce_max_sync(~0u, which ? __float_as_uint(far) : 0);
    if (best) {
      const unsigned those = __ballot_sync(~0u, which && __float_as_uint(far) == best);
      const int split = __shfl_sync(~0u, which, __ffs(those) - 1);
      mask |= 1ull << split;
      __syncwarp();
      if (lane == 0) {
        stack[warp][top] = make_uchar2(range.x, split);
        stack[warp][top + 1] = make_uchar2(split, range.y);
      }
      top += 2;
      __syncwarp();
    }
  }
  if (lane == 0) kept[id] = mask;
}

// Directions in the sky to the numbers of equal-area pixels in nested order, with 1024 pixels along the side
// of a base pixel.
__device__ __forceinline__ uint32_t spreadOut(uint32_t v) {
  v &= 0xFFFF;
  v = (v | v << 8) & 0x00FF00FF;
  v = (v | v << 4) & 0x0F0F0F0F;
  v = (v | v << 2) & 0x33333333;
  return (v | v << 1) & 0x55555555;
}
// warpscope equal_sky_pixels: block = 256, n = 2^15, grid = ceil(n / block), directions = f64 random[2 * n], out = u32 zeros[n]
__global__ void equal_sky_pixels(const double2* directions, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  constexpr int Side = 1024;
  const double z = 2 * directions[i].x - 1, turn = 4 * directions[i].y, height = fabs(z);
  int face, ix, iy;
  if (height <= 2.0 / 3) {
    const double a = Side * (0.5 + turn), b = Side * z * 0.75;
    const int up = static_cast<int>(a - b), down = static_cast<int>(a + b), fu = up / Side, fd = down / Side;
    face = fu == fd ? (fu & 3) + 4 : fu < fd ? fu & 3 : (fd & 3) + 8;
    ix = down & (Side - 1);
    iy = Side - 1 - (up & (Side - 1));
  } else {
    const int quarter = min(static_cast<int>(turn), 3);
    const double part = turn - quarter, scale = Side * sqrt(3 * (1 - height));
    const int p = min(static_cast<int>(part * scale), Side - 1),
              q = min(static_cast<int>((1 - part) * scale), Side - 1);
    if (z >= 0)
      face = quarter, ix = Side - 1 - q, iy = Side - 1 - p;
    else
      face = quarter + 8, ix = p, iy = q;
  }
  out[i] = static_cast<uint32_t>(face) * Side * Side + (spreadOut(ix) | spreadOut(iy) << 1);
}

// Where a satellite is above the ground each minute: mean elements with the drift of the node, Kepler's
// equation, the turning earth.
struct Elements {
  float axis, roundness, tilt, node, perigee, anomaly;
};
// warpscope ground_tracks: block = (32, 4) fixed, satellites = 1024, grid = (satellites / 32, 4), elements = f32 random[satellites * 6], out = f32 zeros[satellites * 32]
__global__ void ground_tracks(const Elements* elements, float2* out, int satellites) {
  const int s = blockIdx.x * 32 + threadIdx.x, minute = blockIdx.y * 4 + threadIdx.y;
  if (s >= satellites) return;
  const Elements e = elements[s];
  const float axis = 6800 + 1500 * e.axis, eccentricity = 0.3f * e.roundness,
              motion = sqrtf(398600.4f / (axis * axis * axis));
  const float time = 60.0f * minute, parameter = axis * (1 - eccentricity * eccentricity);
  const float drift = 1.5f * 1.08263e-3f * motion * (6378.14f / parameter) * (6378.14f / parameter);
  const float ct = cospif(e.tilt), node = 6.2831853f * e.node - drift * ct * time,
              perigee = 6.2831853f * e.perigee + drift * (2 - 2.5f * (1 - ct * ct)) * time;
  const float mean = fmodf(6.2831853f * e.anomaly + motion * time, 6.2831853f);
  float angle = mean;
  for (int k = 0; k < 10; ++k) {
    const float step = (angle - eccentricity * sinf(angle) - mean) / (1 - eccentricity * cosf(angle));
    angle -= step;
    if (fabsf(step) < 1e-6f) break;
  }
  const float real =
      2 * atan2f(sqrtf(1 + eccentricity) * sinf(angle / 2), sqrtf(1 - eccentricity) * cosf(angle / 2)) +
      perigee;
  const float latitude = asinf(sinf(real) * sinpif(e.tilt));
  float longitude = atan2f(ct * sinf(real), cosf(real)) + node - 7.292115e-5f * time;
  longitude -= 6.2831853f * floorf((longitude + 3.1415927f) / 6.2831853f);
  out[minute * satellites + s] = make_float2(latitude * 57.29578f, longitude * 57.29578f);
}

// How far two tracks of 48 points lie apart at most (Hausdorff), in both directions, one pair a block of two
// warps.
// warpscope tracks_apart: block = 64 fixed, pairs = 2^11, grid = pairs, tracks = f32 random[pairs * 192], out = f32 zeros[pairs]
__global__ void tracks_apart(const float2* tracks, float* out) {
  __shared__ float2 both[2][48];
  __shared__ float worst[2];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  for (int k = t; k < 96; k += 64) both[k / 48][k % 48] = tracks[blockIdx.x * 96 + k];
  __syncthreads();
  float far = 0;
  for (int k = lane; k < 48; k += 32) {
    const float2 mine = both[warp][k];
    float near = 1e30f;
    for (int j = 0; j < 48; ++j) {
      const float2 o = both[1 - warp][j];
      const float dx = mine.x - o.x, dy = mine.y - o.y;
      near = fminf(near, dx * dx + dy * dy);
      if (near <= far) break;
    }
    far = fmaxf(far, near);
  }
  for (int d = 16; d > 0; d /= 2) far = fmaxf(far, __shfl_xor_sync(~0u, far, d));
  if (lane == 0) worst[warp] = far;
  __syncthreads();
  if (t == 0) out[blockIdx.x] = sqrtf(fmaxf(worst[0], worst[1]));
}

// When the last of twelve jobs leaves the last of five machines, for many orders of the jobs made by random
// swaps; the best of a block goes to memory.
// warpscope flow_of_jobs: block = 128, orders = 2^14, grid = ceil(orders / block), times = u8 random[60], best = u32 ones[1], seed = 99
__global__ void flow_of_jobs(const uint8_t* times, unsigned* best, unsigned seed, int orders) {
  __shared__ uint8_t duration[12][5];
  __shared__ unsigned least;
  if (threadIdx.x < 60) duration[threadIdx.x / 5][threadIdx.x % 5] = 1 + times[threadIdx.x] % 99;
  if (threadIdx.x == 0) least = ~0u;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t order = 0xBA9876543210ull;
  uint32_t luck = seed * 2654435761u + i * 40503u;
  for (int k = 11; k > 0; --k) {
    luck = luck * 1664525u + 1013904223u;
    const int j = __umulhi(luck, k + 1);
    const uint64_t differ = (order >> 4 * k ^ order >> 4 * j) & 15;
    order ^= differ << 4 * k;
    if (j != k)
      order ^= differ << 4 * j;
    else
      order ^= differ << 4 * k;
  }
  int ready[5] = {0, 0, 0, 0, 0};
  for (int k = 0; k < 12; ++k) {
    const uint8_t* d = duration[order >> 4 * k & 15];
    ready[0] += d[0];
#pragma unroll
    for (int m = 1; m < 5; ++m) ready[m] = max(ready[m], ready[m - 1]) + d[m];
  }
  const unsigned mine = __reduce_min_sync(~0u, i < orders ? ready[4] : 1 << 20);
  if (threadIdx.x % 32 == 0) atomicMin(&least, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(best, 0x10000u - least);
}

// Parcels go into trucks by first fit, heaviest first: 32 parcels of a depot sorted by a warp, then a lane is
// a truck and ballots find the first with room.
// warpscope trucks_filled: block = 256, depots = 2^13, grid = depots / 8, weights = u16 random[depots * 32], out = u8 zeros[depots]
__global__ void trucks_filled(const uint16_t* weights, uint8_t* out, int depots) {
  const int lane = threadIdx.x % 32, d = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (d >= depots) return;
  int weight = 5 + weights[d * 32 + lane] % 60;
  for (int size = 2; size <= 32; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int other = __shfl_xor_sync(~0u, weight, stride);
      const bool low = (lane & stride) == 0, falling = (lane & size) == 0;
      weight = low == falling ? max(weight, other) : min(weight, other);
    }
  int room = 100, used = 0;
  for (int k = 0; k < 32; ++k) {
    const int parcel = __shfl_sync(~0u, weight, k);
    const int truck = __ffs(__ballot_sync(~0u, room >= parcel)) - 1;
    if (lane == truck) room -= parcel;
    used = max(used, truck + 1);
  }
  if (lane == 0) out[d] = used;
}
