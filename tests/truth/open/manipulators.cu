// Robots: chains of joints, filters of states, maps, plans.

struct Pose {
  float r[9], p[3];
};
__device__ void turnAndMove(Pose& pose, float angle, float twist, float length, float offset) {
  float s, c, st, ct;
  sincosf(angle, &s, &c);
  sincosf(twist, &st, &ct);
  const float link[9] = {c, -s * ct, s * st, s, c * ct, -c * st, 0, st, ct},
              at[3] = {length * c, length * s, offset};
  Pose next;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
#pragma unroll
    for (int j = 0; j < 3; ++j)
      next.r[3 * i + j] =
          pose.r[3 * i] * link[j] + pose.r[3 * i + 1] * link[3 + j] + pose.r[3 * i + 2] * link[6 + j];
    next.p[i] = pose.p[i] + pose.r[3 * i] * at[0] + pose.r[3 * i + 1] * at[1] + pose.r[3 * i + 2] * at[2];
  }
  pose = next;
}
// Where the hand of an arm with seven joints is, for many settings of the joints.
// warpscope hand_of_seven_joints: block = 128, n = 2^14, grid = ceil(n / block), angles = random[7 * n] in -3..3, links = random[21], out = zeros[12 * n]
__global__ void hand_of_seven_joints(const float* angles, const float* links, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Pose pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  for (int joint = 0; joint < 7; ++joint)
    turnAndMove(pose, angles[joint * n + i], links[3 * joint], links[3 * joint + 1], links[3 * joint + 2]);
  for (int k = 0; k < 9; ++k) out[k * n + i] = pose.r[k];
  for (int k = 0; k < 3; ++k) out[(9 + k) * n + i] = pose.p[k];
}

// Flat arms reach for targets: each joint in turn points the hand at the target, until it is near enough.
// warpscope arms_that_reach: block = 64, n = 2^12, grid = ceil(n / block), target = random[2 * n] in -3..3, rounds = zeros[n]
__global__ void arms_that_reach(const float2* target, int* rounds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x[6], y[6];
  for (int k = 0; k < 6; ++k) x[k] = k, y[k] = 0.1f * (k & 1);
  const float2 goal = target[i];
  int round = 0;
  while (round < 12) {
    const float dx = x[5] - goal.x, dy = y[5] - goal.y;
    if (dx * dx + dy * dy < 0.01f) break;
    for (int joint = 4; joint >= 0; --joint) {
      const float ax = x[5] - x[joint], ay = y[5] - y[joint], bx = goal.x - x[joint], by = goal.y - y[joint];
      float c = ax * bx + ay * by, s = ax * by - ay * bx;
      const float inverse = rsqrtf(fmaxf(c * c + s * s, 1e-12f));
      c *= inverse, s *= inverse;
      for (int k = joint + 1; k < 6; ++k) {
        const float px = x[k] - x[joint], py = y[k] - y[joint];
        x[k] = x[joint] + c * px - s * py;
        y[k] = y[joint] + s * px + c * py;
      }
    }
    ++round;
  }
  rounds[i] = round;
}

// Particles weighed by what eight landmarks' distances say; then a block sums the weights and the mean place.
// warpscope weighed_by_landmarks: block = 256 fixed, n = 2^16, grid = ceil(n / 256), particles = random[4 * n] in 0..10, landmarks = random[24] in 0..10, sums = zeros[3 * grid.x]
__global__ void weighed_by_landmarks(float4* particles, const float* landmarks, float* sums, int n) {
  __shared__ float marks[24], parts[3][8];
  if (threadIdx.x < 24) marks[threadIdx.x] = landmarks[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  float4 p = i < n ? particles[i] : float4{};
  float off = 0;
#pragma unroll 4
  for (int k = 0; k < 8; ++k) {
    const float d = hypotf(p.x - marks[3 * k], p.y - marks[3 * k + 1]) - marks[3 * k + 2];
    off += d * d;
  }
  p.w = i < n ? expf(-0.02f * off) : 0;
  if (i < n) particles[i].w = p.w;
  float v[3] = {p.w, p.w * p.x, p.w * p.y};
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    for (int d = 16; d > 0; d /= 2) v[j] += __shfl_down_sync(~0u, v[j], d);
    if (threadIdx.x % 32 == 0) parts[j][threadIdx.x / 32] = v[j];
  }
  __syncthreads();
  if (threadIdx.x < 3) {
    float sum = 0;
    for (int w = 0; w < 8; ++w) sum += parts[threadIdx.x][w];
    sums[blockIdx.x * 3 + threadIdx.x] = sum;
  }
}

// Beams of a laser through a map of occupied squares: each thread steps along its beam until it hits.
// warpscope laser_in_map: block = 192, beams = 360, poses = 128, grid = (ceil(beams / block), poses), map = random[256 * 256], place = random[3 * poses] in 40..200, range = zeros[beams * poses]
__global__ void laser_in_map(const unsigned char* map, const float* place, float* range, int beams) {
  const int beam = blockIdx.x * blockDim.x + threadIdx.x;
  if (beam >= beams) return;
  const float* from = place + 3 * blockIdx.y;
  float s, c;
  sincospif(2.0f * beam / beams + from[2], &s, &c);
  const float x = from[0], y = from[1], ix = 1 / fmaxf(fabsf(c), 1e-6f), iy = 1 / fmaxf(fabsf(s), 1e-6f);
  int cx = (int)x, cy = (int)y;
  float tx = (c > 0 ? cx + 1 - x : x - cx) * ix, ty = (s > 0 ? cy + 1 - y : y - cy) * iy, far = 0;
  while (far < 100 && (unsigned)cx < 256u && (unsigned)cy < 256u && map[cy * 256 + cx] <= 248) {
    if (tx < ty) {
      far = tx;
      tx += ix;
      cx += c > 0 ? 1 : -1;
    } else {
      far = ty;
      ty += iy;
      cy += s > 0 ? 1 : -1;
    }
  }
  range[blockIdx.y * beams + beam] = far;
}

// Filters of place and speed for many tracked things, each with a covariance of four by four, kept symmetric.
// warpscope tracked_states: block = 128, n = 2^14, grid = ceil(n / block), state = random[4 * n], covariance = random[10 * n] in 0.1..0.2, measured = random[2 * n], dt = 0.1
__global__ void tracked_states(float* state, float* covariance, const float* measured, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x[4], p[4][4];
#pragma unroll
  for (int k = 0; k < 4; ++k) x[k] = state[k * n + i];
  int at = 0;
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int c = r; c < 4; ++c) p[r][c] = p[c][r] = covariance[at++ * n + i] + (r == c);
  x[0] += dt * x[2], x[1] += dt * x[3];
#pragma unroll
  for (int c = 0; c < 4; ++c) p[0][c] += dt * p[2][c], p[1][c] += dt * p[3][c];
#pragma unroll
  for (int r = 0; r < 4; ++r) p[r][0] += dt * p[r][2], p[r][1] += dt * p[r][3], p[r][r] += 0.01f;
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    const float inverse = 1 / (p[m][m] + 0.5f), error = measured[m * n + i] - x[m];
    float gain[4], row[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) gain[r] = p[r][m] * inverse, row[r] = p[m][r];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      x[r] += gain[r] * error;
#pragma unroll
      for (int c = 0; c < 4; ++c) p[r][c] -= gain[r] * row[c];
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) state[k * n + i] = x[k];
  at = 0;
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int c = r; c < 4; ++c) covariance[at++ * n + i] = fminf(p[r][c] - (r == c), 10.0f);
}

// Tries many drives of a car: random steering, costs from a field of obstacles; the block keeps its cheapest.
// warpscope cheapest_drive: block = 512, drives = 2^14, grid = ceil(drives / block), obstacles = random[64 * 64] in 0..4, best = zeros[2 * grid.x]
__global__ void cheapest_drive(const float* obstacles, unsigned* best, int drives) {
  __shared__ unsigned long long least;
  if (threadIdx.x == 0) least = ~0ull;
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 2, y = 2, heading = 0.78f, steer = 0, cost = 0;
  unsigned seed = i * 747796405u + 2891336453u;
  for (int k = 0; k < 40; ++k) {
    seed = seed * 1664525u + 1013904223u;
    steer = 0.8f * steer + 0.3f * ((seed >> 8) * (1 / 16777216.f) - 0.5f);
    heading += steer;
    x += __cosf(heading), y += __sinf(heading);
    const int cx = min(max((int)x, 0), 63), cy = min(max((int)y, 0), 63);
    cost += __ldg(&obstacles[cy * 64 + cx]) + steer * steer;
  }
  cost += hypotf(x - 40, y - 40);
  if (i < drives) atomicMin(&least, (unsigned long long)__float_as_uint(cost) << 32 | i);
  __syncthreads();
  if (threadIdx.x == 0) {
    best[2 * blockIdx.x] = least >> 32;
    best[2 * blockIdx.x + 1] = (unsigned)least;
  }
}

// Attitudes from gyroscopes, mended by the direction of gravity: quaternions over a series of samples.
// warpscope mended_attitudes: block = 32, units = 4096, samples = 24, grid = ceil(units / block), gyro = random[4 * units * samples] in -1..1, down = random[4 * units * samples] in -1..1, out = zeros[4 * units]
__global__ void mended_attitudes(const float4* __restrict__ gyro, const float4* __restrict__ down,
                                 float4* out, int units, int samples) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= units) return;
  float4 q{0, 0, 0, 1};
  for (int k = 0; k < samples; ++k) {
    const float4 g = gyro[k * units + u];
    float4 a = down[k * units + u];
    const float inverse = rsqrtf(a.x * a.x + a.y * a.y + a.z * a.z + 1e-6f);
    a.x *= inverse, a.y *= inverse, a.z *= inverse;
    const float vx = 2 * (q.x * q.z - q.w * q.y), vy = 2 * (q.w * q.x + q.y * q.z),
                vz = q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z;
    const float wx = 0.005f * (g.x + 2 * (a.y * vz - a.z * vy)),
                wy = 0.005f * (g.y + 2 * (a.z * vx - a.x * vz)),
                wz = 0.005f * (g.z + 2 * (a.x * vy - a.y * vx));
    const float4 r{q.x + q.w * wx + q.y * wz - q.z * wy, q.y + q.w * wy - q.x * wz + q.z * wx,
                   q.z + q.w * wz + q.x * wy - q.y * wx, q.w - q.x * wx - q.y * wy - q.z * wz};
    const float norm = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    q = {r.x * norm, r.y * norm, r.z * norm, r.w * norm};
  }
  out[u] = q;
}
