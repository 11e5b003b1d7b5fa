// Robots: estimates of where they are, paths that they may take, arms, controllers.

// Predict and correct steps of a filter with six states and two measurements; all matrices in registers and
// local memory of a thread.
// warpscope six_state_filters: block = 64, robots = 8192, grid = robots / block, state = random[6 * robots] in -1..1, measured = random[2 * robots] in -1..1, spread = random[21 * robots] in 0.1..0.2, out = zeros[6 * robots]
__global__ void six_state_filters(const float* __restrict__ state, const float* __restrict__ measured,
                                  float* __restrict__ spread, float* __restrict__ out, int robots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x[6], p[6][6];
#pragma unroll
  for (int k = 0; k < 6; ++k) x[k] = state[k * robots + i];
  int at = 0;
#pragma unroll
  for (int r = 0; r < 6; ++r)
#pragma unroll
    for (int c = r; c < 6; ++c) p[r][c] = p[c][r] = spread[at++ * robots + i] + (r == c ? 1.0f : 0.0f);
  const float dt = 0.1f;
  for (int step = 0; step < 4; ++step) {
#pragma unroll
    for (int k = 0; k < 4; ++k) x[k] += dt * x[k + 2];
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
      for (int c = 0; c < 6; ++c) p[r][c] += dt * p[r + 2][c];
#pragma unroll
    for (int c = 0; c < 4; ++c)
#pragma unroll
      for (int r = 0; r < 6; ++r) p[r][c] += dt * p[r][c + 2];
#pragma unroll
    for (int k = 0; k < 6; ++k) p[k][k] += 0.01f;
    const float s00 = p[0][0] + 0.5f, s01 = p[0][1], s11 = p[1][1] + 0.5f,
                inverse = 1.0f / (s00 * s11 - s01 * s01);
    const float e0 = measured[i] - x[0], e1 = measured[robots + i] - x[1];
    float g[6][2];
#pragma unroll
    for (int k = 0; k < 6; ++k) {
      g[k][0] = (p[k][0] * s11 - p[k][1] * s01) * inverse;
      g[k][1] = (p[k][1] * s00 - p[k][0] * s01) * inverse;
      x[k] += g[k][0] * e0 + g[k][1] * e1;
    }
    float first[6], second[6];
#pragma unroll
    for (int c = 0; c < 6; ++c) first[c] = p[0][c], second[c] = p[1][c];
#pragma unroll
    for (int r = 0; r < 6; ++r)
#pragma unroll
      for (int c = 0; c < 6; ++c) p[r][c] -= g[r][0] * first[c] + g[r][1] * second[c];
  }
#pragma unroll
  for (int k = 0; k < 6; ++k) out[k * robots + i] = x[k];
}

// Flights of drones with four rotors, by the classical method of fourth order: attitude as a quaternion,
// thrusts from a simple controller.
struct Flight {
  float place[3], speed[3], q[4], spin[3];
};
__device__ __noinline__ Flight flightRates(const Flight& f, float lift, const float* torque) {
  Flight d;
  const float w = f.q[0], x = f.q[1], y = f.q[2], z = f.q[3];
  for (int k = 0; k < 3; ++k) d.place[k] = f.speed[k];
  d.speed[0] = lift * 2 * (x * z + w * y) - 0.1f * f.speed[0];
  d.speed[1] = lift * 2 * (y * z - w * x) - 0.1f * f.speed[1];
  d.speed[2] = lift * (1 - 2 * (x * x + y * y)) - 9.81f - 0.1f * f.speed[2];
  d.q[0] = 0.5f * (-x * f.spin[0] - y * f.spin[1] - z * f.spin[2]);
  d.q[1] = 0.5f * (w * f.spin[0] + y * f.spin[2] - z * f.spin[1]);
  d.q[2] = 0.5f * (w * f.spin[1] + z * f.spin[0] - x * f.spin[2]);
  d.q[3] = 0.5f * (w * f.spin[2] + x * f.spin[1] - y * f.spin[0]);
  d.spin[0] = torque[0] - 0.4f * f.spin[1] * f.spin[2];
  d.spin[1] = torque[1] + 0.4f * f.spin[0] * f.spin[2];
  d.spin[2] = torque[2];
  return d;
}
__device__ inline Flight along(const Flight& a, const Flight& d, float h) {
  Flight r;
  const float* from = a.place;
  const float* by = d.place;
  float* to = r.place;
#pragma unroll
  for (int k = 0; k < 13; ++k) to[k] = from[k] + h * by[k];
  return r;
}
// warpscope four_rotor_flights: block = 64, drones = 4096, steps = 12, grid = drones / block, start = random[13 * drones] in -0.3..0.3, end = zeros[13 * drones]
__global__ void four_rotor_flights(const float* start, float* end, int drones, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Flight f;
  for (int k = 0; k < 13; ++k) f.place[k] = start[k * drones + i];
  f.q[0] += 1.0f;
  for (int s = 0; s < steps; ++s) {
    const float lift = fminf(fmaxf(9.81f - 4.0f * f.place[2] - 2.0f * f.speed[2], 0.0f), 25.0f);
    const float torque[3] = {-8.0f * f.q[1] - 2.0f * f.spin[0], -8.0f * f.q[2] - 2.0f * f.spin[1],
                             -f.spin[2]};
    const Flight a = flightRates(f, lift, torque);
    const Flight b = flightRates(along(f, a, 0.01f), lift, torque);
    const Flight c = flightRates(along(f, b, 0.01f), lift, torque);
    const Flight d = flightRates(along(f, c, 0.02f), lift, torque);
    f = along(along(along(along(f, a, 0.02f / 6), b, 0.02f / 3), c, 0.02f / 3), d, 0.02f / 6);
    const float norm = rsqrtf(f.q[0] * f.q[0] + f.q[1] * f.q[1] + f.q[2] * f.q[2] + f.q[3] * f.q[3]);
    for (int k = 0; k < 4; ++k) f.q[k] *= norm;
  }
  for (int k = 0; k < 13; ++k) end[k * drones + i] = f.place[k];
}

// Sums of twenty-seven products for aligning two clouds of points plane by plane: each block reduces its
// share.
// warpscope aligning_cloud_sums: block = 256, n = 2^17, grid = 128, source = random[4 * n] in -1..1, target = random[4 * n] in -1..1, normals = random[4 * n] in -1..1, sums = zeros[27 * 128]
__global__ void aligning_cloud_sums(const float4* __restrict__ source, const float4* __restrict__ target,
                                    const float4* __restrict__ normals, float* __restrict__ sums, int n) {
  __shared__ float parts[8][27];
  float total[27];
#pragma unroll
  for (int k = 0; k < 27; ++k) total[k] = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 p = source[i], q = target[i];
    const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    if (dx * dx + dy * dy + dz * dz > 2.5f) continue;
    const float4 m = normals[i];
    const float row[7] = {
        p.y * m.z - p.z * m.y,         p.z * m.x - p.x * m.z, p.x * m.y - p.y * m.x, m.x, m.y, m.z,
        dx * m.x + dy * m.y + dz * m.z};
    int k = 0;
#pragma unroll
    for (int r = 0; r < 6; ++r)
#pragma unroll
      for (int c = r; c < 7; ++c) total[k++] += row[r] * row[c];
  }
#pragma unroll
  for (int k = 0; k < 27; ++k) {
    for (int d = 16; d; d >>= 1) total[k] += __shfl_down_sync(~0u, total[k], d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32][k] = total[k];
  }
  __syncthreads();
  if (threadIdx.x < 27) {
    float all = 0;
    for (int w = 0; w < 8; ++w) all += parts[w][threadIdx.x];
    sums[blockIdx.x * 27 + threadIdx.x] = all;
  }
}

// The nearest node of a growing tree for each sample, the step towards it, and whether the step is free of
// round obstacles.
// warpscope growing_tree_steps: block = 128, samples = 2048, nodes = 700, obstacles = 40, grid = samples / 16, tree = random[2 * nodes], goals = random[2 * samples], rounds = random[4 * obstacles] in 0.02..0.98, step = zeros[2 * samples], parent = zeros[samples]
__global__ void growing_tree_steps(const float2* tree, const float2* goals, const float4* rounds,
                                   float2* step, int* parent, int nodes, int obstacles) {
  const int sample = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  const float2 goal = goals[sample];
  float best = 1e9f;
  int who = -1;
  for (int k = lane; k < nodes; k += 8) {
    const float dx = tree[k].x - goal.x, dy = tree[k].y - goal.y, d = dx * dx + dy * dy;
    if (d < best) best = d, who = k;
  }
  for (int d = 4; d; d >>= 1) {
    const float b = __shfl_xor_sync(~0u, best, d, 8);
    const int w = __shfl_xor_sync(~0u, who, d, 8);
    if (b < best || (b == best && w < who)) best = b, who = w;
  }
  const float2 from = tree[who];
  const float shrink = fminf(1.0f, 0.05f * rsqrtf(best + 1e-12f));
  const float dx = (goal.x - from.x) * shrink, dy = (goal.y - from.y) * shrink,
              square = dx * dx + dy * dy + 1e-12f;
  bool hit = false;
  for (int k = lane; k < obstacles; k += 8) {
    const float4 o = rounds[k];
    const float t = fminf(fmaxf(((o.x - from.x) * dx + (o.y - from.y) * dy) / square, 0.0f), 1.0f);
    const float ex = from.x + t * dx - o.x, ey = from.y + t * dy - o.y, radius = 0.1f * o.z;
    hit |= ex * ex + ey * ey < radius * radius;
  }
  const unsigned votes = __ballot_sync(~0u, hit) >> (threadIdx.x & 24) & 0xFF;
  if (lane == 0) {
    parent[sample] = votes ? -1 : who;
    step[sample] = make_float2(from.x + dx, from.y + dy);
  }
}

// Best feedback for a system of four states and one motor: a recursion backwards in time over 4 x 4 matrices,
// sixteen lanes to a system.
// warpscope backward_feedback: block = 128, systems = 4096, horizon = 30, grid = systems / 8, a = random[16 * systems] in -0.4..0.4, b = random[4 * systems] in -1..1, gains = zeros[4 * systems]
__global__ void backward_feedback(const float* a, const float* b, float* gains, int horizon) {
  __shared__ float A[8][4][4], P[8][4][4], W[8][4][4], B[8][4];
  const int s = threadIdx.x / 16, r = threadIdx.x / 4 % 4, c = threadIdx.x % 4, system = blockIdx.x * 8 + s;
  A[s][r][c] = a[system * 16 + r * 4 + c] + (r == c ? 0.8f : 0.0f);
  P[s][r][c] = r == c ? 1.0f : 0.0f;
  if (r == 0) B[s][c] = b[system * 4 + c];
  __syncwarp();
  float gain = 0;
  for (int t = 0; t < horizon; ++t) {
    float w = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) w += P[s][r][k] * A[s][k][c];
    W[s][r][c] = w;
    __syncwarp();
    float bottom = 0.5f, top = 0, side = 0, q = r == c ? 1.0f : 0.0f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float pb = 0;
#pragma unroll
      for (int j = 0; j < 4; ++j) pb += P[s][k][j] * B[s][j];
      bottom += B[s][k] * pb;
      top += B[s][k] * W[s][k][c];
      side += B[s][k] * W[s][k][r];
      q += A[s][k][r] * W[s][k][c];
    }
    gain = top / bottom;
    __syncwarp();
    P[s][r][c] = q - side * gain;
    __syncwarp();
  }
  if (r == 0) gains[system * 4 + c] = gain;
}

// Arms reach for their goals by damped least squares: four joints in a plane, twelve rounds of Jacobian, 2 x
// 2 solve and update.
// warpscope damped_reaching_arms: block = 256, arms = 2^15, grid = arms / block, goals = random[2 * arms] in -2..2, joints = zeros[4 * arms]
__global__ void damped_reaching_arms(const float2* __restrict__ goals, float4* __restrict__ joints,
                                     int arms) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= arms) return;
  const float2 goal = goals[i];
  float q[4] = {0.1f, 0.2f, 0.3f, 0.2f};
  for (int round = 0; round < 12; ++round) {
    float x[5] = {0}, y[5] = {0}, angle = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      angle += q[k];
      float s, c;
      __sincosf(angle, &s, &c);
      x[k + 1] = x[k] + 0.8f * c;
      y[k + 1] = y[k] + 0.8f * s;
    }
    const float ex = goal.x - x[4], ey = goal.y - y[4];
    if (ex * ex + ey * ey < 1e-5f) break;
    float a = 0.05f, b = 0, d = 0.05f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float jx = y[k] - y[4], jy = x[4] - x[k];
      a += jx * jx, b += jx * jy, d += jy * jy;
    }
    const float inverse = 1.0f / (a * d - b * b), u = (d * ex - b * ey) * inverse,
                v = (a * ey - b * ex) * inverse;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      q[k] = fminf(fmaxf(q[k] + (y[k] - y[4]) * u + (x[4] - x[k]) * v, -2.6f), 2.6f);
  }
  joints[i] = make_float4(q[0], q[1], q[2], q[3]);
}

// Errors of points seen by cameras, with weights that forgive outliers, and the gradient for each camera by
// atomics.
// warpscope camera_point_errors: block = 128, seen = 2^16, cameras = 64, points = 8192, grid = seen / block, pairs = random[2 * seen] in 0..8191, cameraData = random[6 * cameras] in -0.2..0.2, pointData = random[4 * points] in -1..1, pixels = random[2 * seen] in -0.4..0.4, gradient = zeros[6 * cameras], cost = zeros[seen]
__global__ void camera_point_errors(const int2* __restrict__ pairs, const float* __restrict__ cameraData,
                                    const float4* __restrict__ pointData, const float2* __restrict__ pixels,
                                    float* gradient, float* cost, int seen, int cameras) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= seen) return;
  const int2 pair = pairs[i];
  const int camera = pair.x % cameras;
  float c[6];
#pragma unroll
  for (int k = 0; k < 6; ++k) c[k] = __ldg(cameraData + 6 * camera + k);
  const float4 p = pointData[pair.y];
  const float x = p.x + c[1] * p.z - c[2] * p.y + c[3], y = p.y + c[2] * p.x - c[0] * p.z + c[4],
              z = p.z + c[0] * p.y - c[1] * p.x + c[5] + 3.0f;
  const float iz = 1.0f / z, u = x * iz, v = y * iz;
  const float2 pixel = pixels[i];
  const float eu = u - pixel.x, ev = v - pixel.y, error = eu * eu + ev * ev;
  const float weight = error > 0.01f ? 0.1f * rsqrtf(error) : 1.0f;
  cost[i] = weight * error;
  const float gu = weight * eu * iz, gv = weight * ev * iz, gz = -(gu * u + gv * v);
  float* g = gradient + 6 * camera;
  atomicAdd(g + 3, gu), atomicAdd(g + 4, gv), atomicAdd(g + 5, gz);
  atomicAdd(g, gz * p.y - gv * p.z), atomicAdd(g + 1, gu * p.z - gz * p.x),
      atomicAdd(g + 2, gv * p.x - gu * p.y);
}

// Costs of bent paths through a field of distances: smoothness, nearness to walls, length. One warp per path
// of 64 stations.
// warpscope bent_path_costs: block = 128, paths = 4096, side = 128, grid = paths / 4, stations = random[2 * 64 * paths] in 0..126, field = random[side * side] in -1..6, cost = zeros[paths], steer = zeros[2 * 64 * paths]
__global__ void bent_path_costs(const float2* __restrict__ stations, const float* __restrict__ field,
                                float* __restrict__ cost, float2* __restrict__ steer, int side) {
  const int path = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float total = 0;
  for (int half = 0; half < 2; ++half) {
    const int k = lane + 32 * half;
    const float2* s = stations + path * 64;
    const float2 here = s[k], before = s[max(k - 1, 0)], after = s[min(k + 1, 63)];
    const int x = (int)here.x, y = (int)here.y;
    const float* f = field + y * side + x;
    const float ax = here.x - x, ay = here.y - y;
    const float distance =
        (f[0] * (1 - ax) + f[1] * ax) * (1 - ay) + (f[side] * (1 - ax) + f[side + 1] * ax) * ay;
    float wall = 0, push = 0;
    if (distance < 0)
      wall = 1.5f - distance, push = -1.0f;
    else if (distance < 3.0f)
      wall = (distance - 3.0f) * (distance - 3.0f) / 6.0f, push = (distance - 3.0f) / 3.0f;
    const float bx = before.x + after.x - 2 * here.x, by = before.y + after.y - 2 * here.y;
    total += 0.01f * (bx * bx + by * by) + wall;
    steer[path * 64 + k] =
        make_float2(0.02f * bx - push * (f[1] - f[0]), 0.02f * by - push * (f[side] - f[0]));
  }
  for (int d = 16; d; d >>= 1) total += __shfl_xor_sync(~0u, total, d);
  if (lane == 0) cost[path] = total;
}
