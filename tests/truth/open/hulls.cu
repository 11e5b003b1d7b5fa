// One block or few, recursion, large blocks, wide integers: less usual shapes of launches.
#include <cooperative_groups.h>

#include <cstdint>
namespace groups = cooperative_groups;

// Farthest point sampling of one cloud a block of 1024 threads; each round needs the whole block.
// warpscope farthest_points: block = 1024 fixed, clouds = 8, chosen = 24, grid = clouds, cloud = random[clouds * 2048 * 3], picks = zeros[clouds * chosen]
__global__ void __launch_bounds__(1024) farthest_points(const float* cloud, int* picks, int chosen) {
  __shared__ unsigned long long best[32];
  const float* own = cloud + blockIdx.x * 2048 * 3;
  float3 p[2];
  float least[2] = {1e30f, 1e30f};
  for (int k = 0; k < 2; ++k) {
    const float* at = own + (threadIdx.x + 1024 * k) * 3;
    p[k] = make_float3(at[0], at[1], at[2]);
  }
  int last = 0;
  for (int round = 0; round < chosen; ++round) {
    if (threadIdx.x == 0) picks[blockIdx.x * chosen + round] = last;
    const float3 q = make_float3(own[last * 3], own[last * 3 + 1], own[last * 3 + 2]);
    unsigned long long mine = 0;
    for (int k = 0; k < 2; ++k) {
      const float dx = p[k].x - q.x, dy = p[k].y - q.y, dz = p[k].z - q.z;
      least[k] = fminf(least[k], dx * dx + dy * dy + dz * dz);
      mine = max(mine, (unsigned long long)__float_as_uint(least[k]) << 32 | (threadIdx.x + 1024 * k));
    }
    for (int d = 16; d; d /= 2) mine = max(mine, __shfl_xor_sync(~0u, mine, d));
    if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = best[threadIdx.x % 32];
    for (int d = 16; d; d /= 2) mine = max(mine, __shfl_xor_sync(~0u, mine, d));
    last = (int)(mine & 2047);
    __syncthreads();
  }
}

// Adaptive quadrature by Simpson's rule, which calls itself where the halves disagree.
__device__ float bump(float x, float peak) {
  return 1 / (0.01f + (x - peak) * (x - peak));
}
__device__ __noinline__ float simpson(float a, float fa, float b, float fb, float middle, float peak,
                                      int depth) {
  const float h = 0.5f * (b - a), m = a + h;
  const float left = bump(a + 0.5f * h, peak), right = bump(m + 0.5f * h, peak);
  const float whole = h * (fa + 4 * middle + fb) / 3;
  const float halves = h * (fa + 4 * left + 2 * middle + 4 * right + fb) / 6;
  if (depth == 0 || fabsf(halves - whole) < 0.02f) return halves;
  return simpson(a, fa, m, middle, left, peak, depth - 1) + simpson(m, middle, b, fb, right, peak, depth - 1);
}
// warpscope halved_simpson: block = 64, n = 2112, grid = ceil(n / block), peaks = random[n], out = zeros[n]
__global__ void halved_simpson(const float* peaks, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float p = peaks[i];
  out[i] = simpson(0, bump(0, p), 1, bump(1, p), bump(0.5f, p), p, 6);
}

// A self-organising map: tiles of 16 threads find the node that is nearest to a sample of 16 numbers.
// warpscope nearest_map_node: block = 128, samples = 2048, nodes = 100, grid = ceil(samples * 16 / block), data = random[samples * 16], map = random[nodes * 16]:3, winners = zeros[samples], wins = zeros[nodes]
__global__ void nearest_map_node(const float* data, const float* map, int* winners, int* wins, int samples,
                                 int nodes) {
  const auto tile = groups::tiled_partition<16>(groups::this_thread_block());
  const int sample = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  if (sample >= samples) return;
  float own[16];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    *reinterpret_cast<float4*>(own + 4 * k) = reinterpret_cast<const float4*>(data)[sample * 4 + k];
  float least = 1e30f;
  int winner = 0;
  for (int node = tile.thread_rank(); node < nodes; node += 16) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float d = own[k] - map[node * 16 + k];
      sum += d * d;
    }
    if (sum < least) {
      least = sum;
      winner = node;
    }
  }
  for (int d = 8; d; d /= 2) {
    const float other = tile.shfl_xor(least, d);
    const int whose = tile.shfl_xor(winner, d);
    if (other < least || (other == least && whose < winner)) {
      least = other;
      winner = whose;
    }
  }
  if (tile.thread_rank() == 0) {
    winners[sample] = winner;
    atomicAdd(&wins[winner], 1);
  }
}

// Hulls of 32 points by wrapping: a warp for a set, the next corner chosen by shuffles until the first
// returns.
// warpscope wrapped_hulls: block = 96, sets = 3000, grid = ceil(sets * 32 / block), points = random[sets * 64], corners = zeros[sets]
__global__ void wrapped_hulls(const float2* points, int* corners, int sets) {
  const int set = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (set >= sets) return;
  const float2 own = points[set * 32 + lane];
  float low = own.x;
  int first = lane;
  for (int d = 16; d; d /= 2) {
    const float other = __shfl_xor_sync(~0u, low, d);
    const int whose = __shfl_xor_sync(~0u, first, d);
    if (other < low || (other == low && whose < first)) {
      low = other;
      first = whose;
    }
  }
  int at = first, count = 0;
  do {
    const float2 here{__shfl_sync(~0u, own.x, at), __shfl_sync(~0u, own.y, at)};
    float dx = own.x - here.x, dy = own.y - here.y;
    int next = lane == at ? -1 : lane;
    for (int d = 16; d; d /= 2) {
      const float ox = __shfl_xor_sync(~0u, dx, d), oy = __shfl_xor_sync(~0u, dy, d);
      const int who = __shfl_xor_sync(~0u, next, d);
      if (who >= 0 && (next < 0 || dx * oy - dy * ox < 0)) {
        dx = ox;
        dy = oy;
        next = who;
      }
    }
    at = __shfl_sync(~0u, next, 0);
    ++count;
  } while (at != first && count < 32);
  if (lane == 0) corners[set] = count;
}

// Fixed-point PID loops of motors in 64-bit integers, saturated, with a dead zone; a motor a thread.
// warpscope fixed_point_motors: block = 352, motors = 20000, ticks = 32, grid = ceil(motors / block), goals = random[motors], noise = s16 random[ticks * 64], out = zeros[motors]
__global__ void fixed_point_motors(const int* goals, const short* noise, int* out, int motors, int ticks) {
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= motors) return;
  const int64_t goal = (int64_t)goals[m] << 4;
  int64_t place = 0, speed = 0, sum = 0, before = goal;
  for (int t = 0; t < ticks; ++t) {
    int64_t error = goal - place + noise[t * 64 + (m & 63)];
    if (error < 4096 && error > -4096) error = 0;
    sum = min(max(sum + error, -((int64_t)1 << 40)), (int64_t)1 << 40);
    const int64_t drive = (error * 77 + sum * 5 + (error - before) * 31) >> 8;
    before = error;
    speed += min(max(drive, -((int64_t)1 << 33)), (int64_t)1 << 33) - (speed >> 3);
    place += speed / 10;
  }
  out[m] = (int)(place >> 4);
}

// Rows of a depth picture mended: holes take the nearest valid value to the left, by a scan of maxima in a
// block.
// warpscope mended_depth_rows: block = 640 fixed, rows = 1440, grid = rows, depth = u16 random[rows * 640] in 0..900, out = u16 zeros[rows * 640]
__global__ void mended_depth_rows(const uint16_t* depth, uint16_t* out) {
  __shared__ int last_of_warp[20];
  __shared__ uint16_t row[640];
  const int x = threadIdx.x, lane = x & 31, warp = x >> 5;
  row[x] = depth[blockIdx.x * 640 + x];
  int last = row[x] > 300 ? x : -1;
  for (int d = 1; d < 32; d <<= 1) {
    const int other = __shfl_up_sync(~0u, last, d);
    if (lane >= d) last = max(last, other);
  }
  if (lane == 31) last_of_warp[warp] = last;
  __syncthreads();
  for (int w = warp - 1; last < 0 && w >= 0; --w) last = last_of_warp[w];
  out[blockIdx.x * 640 + x] = last < 0 ? 0 : row[last];
}
