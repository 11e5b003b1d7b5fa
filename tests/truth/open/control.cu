// Robots: filters, planners, kinematics, grids of occupancy.

// The predict and correct steps of a Kalman filter with four states and two measurements; a track a thread.
// warpscope track_corrections: block = 128, tracks = 2^16, grid = ceil(tracks / block), states = random[tracks * 4], spread = random[tracks * 16] in 0..0.1, seen = random[tracks * 2], out = zeros[tracks * 4], out_spread = zeros[tracks * 16], dt = 0.1
__global__ void track_corrections(const float* __restrict__ states, const float* __restrict__ spread,
                                  const float* __restrict__ seen, float* out, float* out_spread, int tracks,
                                  float dt) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tracks) return;
  float x[4], p[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = states[i * tracks + t];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      p[i][j] = spread[(min(i, j) * 4 + max(i, j)) * tracks + t] + (i == j ? 0.5f : 0);
  x[0] += dt * x[2];
  x[1] += dt * x[3];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    p[0][j] += dt * p[2][j];
    p[1][j] += dt * p[3][j];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    p[i][0] += dt * p[i][2];
    p[i][1] += dt * p[i][3];
    p[i][i] += 0.01f;
  }
  const float s00 = p[0][0] + 0.2f, s01 = p[0][1], s10 = p[1][0], s11 = p[1][1] + 0.2f;
  const float inverse = 1 / (s00 * s11 - s01 * s10);
  const float r0 = seen[t] - x[0], r1 = seen[tracks + t] - x[1];
  float gain[4][2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    gain[i][0] = (p[i][0] * s11 - p[i][1] * s10) * inverse;
    gain[i][1] = (p[i][1] * s00 - p[i][0] * s01) * inverse;
    out[i * tracks + t] = x[i] + gain[i][0] * r0 + gain[i][1] * r1;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      out_spread[(i * 4 + j) * tracks + t] = p[i][j] - gain[i][0] * p[0][j] - gain[i][1] * p[1][j];
}

// Rays of a range finder through a grid of occupancy bits, cell by cell, until a full cell is met.
// warpscope beams_in_grid: block = 64, poses = 256, beams = 64, grid = poses, cells = random[64 * 64 / 32 * 8], pose = random[poses * 3], ranges = zeros[poses * beams]
__global__ void beams_in_grid(const unsigned* cells, const float* pose, float* ranges, int beams) {
  const float* p = pose + blockIdx.x * 3;
  for (int beam = threadIdx.x; beam < beams; beam += blockDim.x) {
    float dx, dy;
    sincosf(6.2831853f * (p[2] + (float)beam / beams), &dy, &dx);
    float x = p[0] * 60 + 2, y = p[1] * 60 + 2;
    int cx = x, cy = y;
    const int sx = dx > 0 ? 1 : -1, sy = dy > 0 ? 1 : -1;
    const float px = fabsf(1 / dx), py = fabsf(1 / dy);
    float tx = (dx > 0 ? cx + 1 - x : x - cx) * px, ty = (dy > 0 ? cy + 1 - y : y - cy) * py, t = 0;
    while (true) {
      if (tx < ty) {
        t = tx;
        tx += px;
        cx += sx;
      } else {
        t = ty;
        ty += py;
        cy += sy;
      }
      if ((unsigned)cx >= 64 || (unsigned)cy >= 64) break;
      const int at = cy * 64 + cx;
      unsigned full = ~0u;
      for (int layer = 0; layer < 4; ++layer) full &= cells[layer * 128 + at / 32];
      if (full >> (at & 31) & 1) break;
    }
    ranges[blockIdx.x * beams + beam] = t;
  }
}

// Forward kinematics of arms with seven joints (Denavit and Hartenberg), and whether the links touch spheres.
struct Frame {
  float3 x, y, z, at;
};
__device__ Frame turned(const Frame& f, float angle, float offset, float length, float twist) {
  float s, c;
  __sincosf(angle, &s, &c);
  Frame r;
  r.x = {f.x.x * c + f.y.x * s, f.x.y * c + f.y.y * s, f.x.z * c + f.y.z * s};
  const float3 side{f.y.x * c - f.x.x * s, f.y.y * c - f.x.y * s, f.y.z * c - f.x.z * s};
  r.at = {f.at.x + f.z.x * offset + r.x.x * length, f.at.y + f.z.y * offset + r.x.y * length,
          f.at.z + f.z.z * offset + r.x.z * length};
  r.y = {f.z.x * twist, f.z.y * twist, f.z.z * twist};
  r.z = {-side.x * twist, -side.y * twist, -side.z * twist};
  return r;
}
// warpscope arm_touches: block = 128, arms = 2^14, grid = ceil(arms / block), angles = random[arms * 7] in -3..3, spheres = random[4 * 24], touches = zeros[arms]
__global__ void arm_touches(const float* __restrict__ angles, const float4* __restrict__ spheres,
                            int* touches, int arms) {
  __shared__ float4 near[24];
  if (threadIdx.x < 24) near[threadIdx.x] = spheres[threadIdx.x];
  __syncthreads();
  const int arm = blockIdx.x * blockDim.x + threadIdx.x;
  if (arm >= arms) return;
  Frame f{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
  int hit = -1;
  for (int joint = 0; joint < 7 && hit < 0; ++joint) {
    f = turned(f, angles[joint * arms + arm], 0.3f, 0.05f, joint & 1 ? -1.0f : 1.0f);
    for (int s = 0; s < 24; ++s) {
      const float dx = near[s].x + 0.3f - f.at.x, dy = near[s].y - f.at.y, dz = near[s].z - f.at.z;
      const float reach = near[s].w * 0.2f;
      if (dx * dx + dy * dy + dz * dz < reach * reach) {
        hit = joint * 24 + s;
        break;
      }
    }
  }
  touches[arm] = hit;
}

// Sampled control: each thread rolls out a noisy sequence of steering commands for a car and adds the costs.
// warpscope steering_rollouts: block = 64, samples = 4096, steps = 40, grid = ceil(samples / block), plan = random[steps] in -0.4..0.4, costs = zeros[samples], seed = 17
__global__ void steering_rollouts(const float* plan, float* costs, int samples, int steps, unsigned seed) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= samples) return;
  unsigned long long state = (seed + s) * 6364136223846793005ull + 1442695040888963407ull;
  float x = 0, y = 0, heading = 0, speed = 4, cost = 0;
  for (int k = 0; k < steps; ++k) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const unsigned r = (unsigned)(state >> 32) ^ (unsigned)(state >> 45);
    const float steer = plan[k] + ((r & 0xFFFF) + (r >> 16)) * (0.4f / 65536) - 0.4f;
    heading += 0.05f * speed * tanf(steer) / 2.5f;
    x += 0.05f * speed * cosf(heading);
    y += 0.05f * speed * sinf(heading);
    speed = fminf(speed + 0.02f, 6.0f);
    const float ring = sqrtf(x * x + (y - 5) * (y - 5)) - 5;
    cost += ring * ring + 0.1f * steer * steer;
    if (fabsf(ring) > 1.5f) cost += 100;
  }
  costs[s] = cost;
}

// Signed distances, fused into a volume of voxels from one depth picture; each thread walks a column of
// voxels.
// warpscope fuse_depth_column: block = (32, 8), side = 64, grid = (side / block.x, side / block.y), depth = random[128 * 96] in 0.8..2.2, distances = zeros[side * side * side], weights = u8 zeros[side * side * side]
__global__ void fuse_depth_column(const float* __restrict__ depth, float* distances, unsigned char* weights,
                                  int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  const float px = (x - side / 2) * (1.6f / side), py = (y - side / 2) * (1.6f / side);
  for (int z = 0; z < side; ++z) {
    const float pz = 0.7f + z * (1.6f / side), inverse = 1 / pz;
    const int u = __float2int_rn(110 * px * inverse + 64), v = __float2int_rn(110 * py * inverse + 48);
    if (u < 0 || v < 0 || u >= 128 || v >= 96) continue;
    const float seen = depth[v * 128 + u];
    const float distance = (seen - pz) * 8;
    if (distance < -1) continue;
    const int at = (z * side + y) * side + x;
    const int weight = weights[at];
    distances[at] = (distances[at] * weight + fminf(distance, 1.0f)) / (weight + 1);
    weights[at] = min(weight + 1, 64);
  }
}

// Sums for the alignment of point clouds: each point's nearest of a tile of model points, then six products
// reduced.
// warpscope nearest_point_sums: block = 128 fixed, points = 4096, model = 256, grid = points / block, cloud = random[points * 4], shape = random[model * 4]:2, sums = zeros[10]
__global__ void nearest_point_sums(const float4* cloud, const float4* shape, float* sums, int model) {
  __shared__ float4 tile[128];
  const float4 p = cloud[blockIdx.x * 128 + threadIdx.x];
  float least = 1e30f;
  float4 best = p;
  for (int first = 0; first < model; first += 128) {
    tile[threadIdx.x] = shape[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 128; ++k) {
      const float4 q = tile[k];
      const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, d = dx * dx + dy * dy + dz * dz;
      if (d < least) {
        least = d;
        best = q;
      }
    }
    __syncthreads();
  }
  const float terms[10] = {p.x * best.x, p.x * best.y, p.x * best.z, p.y * best.x, p.y * best.y,
                           p.y * best.z, p.z * best.x, p.z * best.y, p.z * best.z, least};
#pragma unroll
  for (int k = 0; k < 10; ++k) {
    float v = terms[k];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[k], v);
  }
}

// Quaternions of attitude from gyroscope and accelerometer: a complementary filter over 24 readings, one unit
// a thread.
// warpscope attitude_filters: block = 256, units = 2^14, readings = 24, grid = ceil(units / block), gyro = random[units * 24 * 4] in -1..1, gravity = random[units * 4] in -1..1, attitude = zeros[units * 4]
__global__ void attitude_filters(const float4* gyro, const float4* gravity, float4* attitude, int units,
                                 int readings) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= units) return;
  float4 q = make_float4(0, 0, 0, 1), g = gravity[u];
  const float n = rsqrtf(g.x * g.x + g.y * g.y + g.z * g.z + 1e-6f);
  g.x *= n;
  g.y *= n;
  g.z *= n;
  for (int k = 0; k < readings; ++k) {
    float4 w = gyro[k * units + u];
    const float vx = 2 * (q.x * q.z - q.w * q.y), vy = 2 * (q.w * q.x + q.y * q.z);
    const float vz = q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z;
    w.x += 0.5f * (g.y * vz - g.z * vy);
    w.y += 0.5f * (g.z * vx - g.x * vz);
    w.z += 0.5f * (g.x * vy - g.y * vx);
    const float h = 0.005f;
    const float4 r = make_float4(
        q.x + h * (q.w * w.x + q.y * w.z - q.z * w.y), q.y + h * (q.w * w.y + q.z * w.x - q.x * w.z),
        q.z + h * (q.w * w.z + q.x * w.y - q.y * w.x), q.w - h * (q.x * w.x + q.y * w.y + q.z * w.z));
    const float size = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    q = make_float4(r.x * size, r.y * size, r.z * size, r.w * size);
  }
  attitude[u] = q;
}
