// Grids of physics: heat, waves, flows.

// Collision and streaming of a lattice Boltzmann method with nine directions, pull form, periodic borders.
// warpscope lbm_d2q9_step: block = (64, 2), nx = 256, ny = 256, grid = (nx / block.x, ny / block.y), f_in = random[9 * nx * ny] in 1..2, f_out = zeros[9 * nx * ny], omega = 1.7
__constant__ int lbm_ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int lbm_ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float lbm_w[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                               1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__global__ void lbm_d2q9_step(const float* __restrict__ f_in, float* __restrict__ f_out, int nx, int ny,
                              float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  float f[9], rho = 0, ux = 0, uy = 0;
  for (int i = 0; i < 9; i++) {
    int xs = (x - lbm_ex[i] + nx) % nx, ys = (y - lbm_ey[i] + ny) % ny;
    f[i] = f_in[(i * ny + ys) * nx + xs];
    rho += f[i];
    ux += f[i] * lbm_ex[i];
    uy += f[i] * lbm_ey[i];
  }
  ux /= rho;
  uy /= rho;
  float usq = 1.5f * (ux * ux + uy * uy);
  for (int i = 0; i < 9; i++) {
    float cu = 3.0f * (lbm_ex[i] * ux + lbm_ey[i] * uy);
    float feq = rho * lbm_w[i] * (1.0f + cu + 0.5f * cu * cu - usq);
    f_out[(i * ny + y) * nx + x] = f[i] + omega * (feq - f[i]);
  }
}

// Temperatures of a chip: several steps in shared memory on a block with a halo.
// warpscope hotspot_pyramid: block = (16, 16) fixed, cols = 480, rows = 480, small = 12, grid = (cols / small, rows / small), power = random[cols * rows], temp_src = random[cols * rows] in 320..340, temp_dst = zeros[cols * rows]
__global__ void hotspot_pyramid(const float* power, const float* temp_src, float* temp_dst, int cols,
                                int rows) {
  __shared__ float on_cuda[16][16], power_on_cuda[16][16], temp_t[16][16];
  const int iteration = 2, tx = threadIdx.x, ty = threadIdx.y;
  const float step_div_cap = 0.34f, rx1 = 0.1f, ry1 = 0.1f, rz1 = 0.0125f, amb = 80.0f;
  const int small = 16 - iteration * 2;
  const int x = small * blockIdx.x - iteration + tx, y = small * blockIdx.y - iteration + ty;
  const bool inside = x >= 0 && x < cols && y >= 0 && y < rows;
  on_cuda[ty][tx] = inside ? temp_src[y * cols + x] : 0.f;
  power_on_cuda[ty][tx] = inside ? power[y * cols + x] : 0.f;
  __syncthreads();
  const int valid_x_min = max(0, iteration - small * (int)blockIdx.x);
  const int valid_y_min = max(0, iteration - small * (int)blockIdx.y);
  const int valid_x_max = min(15, cols - 1 - (small * (int)blockIdx.x - iteration));
  const int valid_y_max = min(15, rows - 1 - (small * (int)blockIdx.y - iteration));
  const int n = max(ty - 1, valid_y_min), s = min(ty + 1, valid_y_max);
  const int w = max(tx - 1, valid_x_min), e = min(tx + 1, valid_x_max);
  bool computed = false;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (tx >= i + 1 && tx <= 14 - i && ty >= i + 1 && ty <= 14 - i && inside) {
      computed = true;
      temp_t[ty][tx] =
          on_cuda[ty][tx] + step_div_cap * (power_on_cuda[ty][tx] +
                                            (on_cuda[s][tx] + on_cuda[n][tx] - 2.0f * on_cuda[ty][tx]) * ry1 +
                                            (on_cuda[ty][e] + on_cuda[ty][w] - 2.0f * on_cuda[ty][tx]) * rx1 +
                                            (amb - on_cuda[ty][tx]) * rz1);
    }
    __syncthreads();
    if (i == iteration - 1) break;
    if (computed) on_cuda[ty][tx] = temp_t[ty][tx];
    __syncthreads();
  }
  if (computed) temp_dst[y * cols + x] = temp_t[ty][tx];
}

// Speckle reducing diffusion, first half: derivatives and the coefficient; a thread for a pixel, divisions as
// they come.
// warpscope srad_coefficients: block = 256, rows = 300, cols = 400, grid = ceil(rows * cols / block), J = random[rows * cols] in 1..2, dN = zeros[rows * cols], dS = zeros[rows * cols], dW = zeros[rows * cols], dE = zeros[rows * cols], c = zeros[rows * cols], q0sqr = 0.053
__global__ void srad_coefficients(const float* J, float* dN, float* dS, float* dW, float* dE, float* c,
                                  int rows, int cols, float q0sqr) {
  int ei = blockIdx.x * blockDim.x + threadIdx.x;
  if (ei >= rows * cols) return;
  int row = ei % rows, col = ei / rows;
  float Jc = J[ei];
  float n = J[(row == 0 ? 0 : row - 1) + rows * col] - Jc;
  float s = J[(row == rows - 1 ? row : row + 1) + rows * col] - Jc;
  float w = J[row + rows * (col == 0 ? 0 : col - 1)] - Jc;
  float e = J[row + rows * (col == cols - 1 ? col : col + 1)] - Jc;
  float G2 = (n * n + s * s + w * w + e * e) / (Jc * Jc);
  float L = (n + s + w + e) / Jc;
  float num = (0.5f * G2) - ((1.0f / 16.0f) * (L * L));
  float den = 1 + (.25f * L);
  float qsqr = num / (den * den);
  den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
  float coeff = 1.0f / (1.0f + den);
  if (coeff < 0)
    coeff = 0;
  else if (coeff > 1)
    coeff = 1;
  dN[ei] = n;
  dS[ei] = s;
  dW[ei] = w;
  dE[ei] = e;
  c[ei] = coeff;
}

// Velocities carry themselves along: back along the path, then between four cells.
// warpscope advect_semi_lagrangian: block = (32, 4), w = 800, h = 600, grid = (ceil(w / block.x), ceil(h / block.y)), velocity = random[w * h] in -2..2, result = zeros[w * h], dt = 0.8
__device__ float2 lerp_cells(const float2* field, int w, int h, float x, float y) {
  x = fminf(fmaxf(x, 0.0f), w - 1.001f);
  y = fminf(fmaxf(y, 0.0f), h - 1.001f);
  const int i = (int)floorf(x), j = (int)floorf(y);
  const float s = x - i, t = y - j;
  const float2 a = field[j * w + i], b = field[j * w + i + 1], c = field[(j + 1) * w + i],
               d = field[(j + 1) * w + i + 1];
  return make_float2((1 - t) * ((1 - s) * a.x + s * b.x) + t * ((1 - s) * c.x + s * d.x),
                     (1 - t) * ((1 - s) * a.y + s * b.y) + t * ((1 - s) * c.y + s * d.y));
}
__global__ void advect_semi_lagrangian(const float2* velocity, float2* result, int w, int h, float dt) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float2 v = velocity[y * w + x];
  result[y * w + x] = lerp_cells(velocity, w, h, x - dt * v.x, y - dt * v.y);
}

// A seven-point Laplacian on a volume, a block walking along z with three planes in registers.
// warpscope laplacian7_walk: block = (32, 8) fixed, nx = 160, ny = 96, nz = 64, grid = (nx / 32, ny / 8), in = random[nx * ny * nz], out = zeros[nx * ny * nz]
__global__ void laplacian7_walk(const float* __restrict__ in, float* __restrict__ out, int nx, int ny,
                                int nz) {
  __shared__ float plane[10][34];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, stride = nx * ny;
  int at = y * nx + x;
  float behind = 0, here = in[at], front = in[at + stride];
  for (int z = 0; z < nz; ++z) {
    plane[ty][tx] = here;
    if (threadIdx.x == 0) plane[ty][0] = x > 0 ? in[at - 1] : 0.f;
    if (threadIdx.x == 31) plane[ty][33] = x < nx - 1 ? in[at + 1] : 0.f;
    if (threadIdx.y == 0) plane[0][tx] = y > 0 ? in[at - nx] : 0.f;
    if (threadIdx.y == 7) plane[9][tx] = y < ny - 1 ? in[at + nx] : 0.f;
    __syncthreads();
    out[at] = behind + front + plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] -
              6 * here;
    __syncthreads();
    behind = here;
    here = front;
    at += stride;
    front = z + 2 < nz ? in[at + stride] : 0.f;
  }
}

// Finite differences in time: the magnetic field from the electric, in double precision.
// warpscope fdtd_step3: block = (32, 8), nx = 500, ny = 600, grid = (ceil(ny / block.x), ceil(nx / block.y)), ex = random[nx * (ny + 1)], ey = random[(nx + 1) * ny], hz = random[nx * ny]
__global__ void fdtd_step3(int nx, int ny, const double* ex, const double* ey, double* hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if ((i < nx) && (j < ny)) {
    hz[i * ny + j] = hz[i * ny + j] - 0.7 * (ex[i * (ny + 1) + (j + 1)] - ex[i * (ny + 1) + j] +
                                             ey[(i + 1) * ny + j] - ey[i * ny + j]);
  }
}

// Fluxes of compressible flow between cells of an unstructured mesh with four faces each.
struct flow_state {
  float density, mx, my, mz, energy;
};
__device__ inline void flux_of(const flow_state& s, float nx, float ny, float nz, float out[5],
                               float& speed) {
  const float inv = 1.0f / s.density, vx = s.mx * inv, vy = s.my * inv, vz = s.mz * inv;
  const float v2 = vx * vx + vy * vy + vz * vz;
  const float pressure = 0.4f * (s.energy - 0.5f * s.density * v2);
  speed = sqrtf(v2) + sqrtf(1.4f * fabsf(pressure) * inv);
  const float vn = vx * nx + vy * ny + vz * nz;
  out[0] = s.density * vn;
  out[1] = s.mx * vn + pressure * nx;
  out[2] = s.my * vn + pressure * ny;
  out[3] = s.mz * vn + pressure * nz;
  out[4] = (s.energy + pressure) * vn;
}
// warpscope euler_compute_flux: block = 192, nelr = 40000, grid = ceil(nelr / block), surrounding = random[4 * nelr] in -1..39999, normals = random[12 * nelr] in -1..1, variables = random[5 * nelr] in 1..2, fluxes = zeros[5 * nelr]
__global__ void euler_compute_flux(int nelr, const int* surrounding, const float* normals,
                                   const float* variables, float* fluxes) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= nelr) return;
  const flow_state own = {variables[i], variables[i + nelr], variables[i + 2 * nelr], variables[i + 3 * nelr],
                          variables[i + 4 * nelr]};
  float sum[5] = {0, 0, 0, 0, 0};
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const int nb = surrounding[i + j * nelr];
    const float nx = normals[i + j * nelr], ny = normals[i + (j + 4) * nelr],
                nz = normals[i + (j + 8) * nelr];
    const float area = sqrtf(nx * nx + ny * ny + nz * nz);
    float mine[5], theirs[5], speed, other_speed;
    flux_of(own, nx, ny, nz, mine, speed);
    if (nb >= 0) {
      const flow_state other = {variables[nb], variables[nb + nelr], variables[nb + 2 * nelr],
                                variables[nb + 3 * nelr], variables[nb + 4 * nelr]};
      flux_of(other, nx, ny, nz, theirs, other_speed);
      const float factor = -area * 0.2f * 0.5f * (speed + other_speed);
      sum[0] += factor * (own.density - other.density) + 0.5f * (mine[0] + theirs[0]);
      sum[1] += factor * (own.mx - other.mx) + 0.5f * (mine[1] + theirs[1]);
      sum[2] += factor * (own.my - other.my) + 0.5f * (mine[2] + theirs[2]);
      sum[3] += factor * (own.mz - other.mz) + 0.5f * (mine[3] + theirs[3]);
      sum[4] += factor * (own.energy - other.energy) + 0.5f * (mine[4] + theirs[4]);
    } else {
      for (int k = 0; k < 5; k++) sum[k] += mine[k];
    }
  }
  for (int k = 0; k < 5; k++) fluxes[i + k * nelr] = sum[k];
}

// Weights of the fifth-order scheme for shocks, along lines.
// warpscope weno5_line: block = 128, n = 262144, grid = ceil(n / block), u = random[n + 6] in -1..1, flux = zeros[n]
__device__ double weno5(double a, double b, double c, double d, double e) {
  const double s0 =
      13.0 / 12 * (a - 2 * b + c) * (a - 2 * b + c) + 0.25 * (a - 4 * b + 3 * c) * (a - 4 * b + 3 * c);
  const double s1 = 13.0 / 12 * (b - 2 * c + d) * (b - 2 * c + d) + 0.25 * (b - d) * (b - d);
  const double s2 =
      13.0 / 12 * (c - 2 * d + e) * (c - 2 * d + e) + 0.25 * (3 * c - 4 * d + e) * (3 * c - 4 * d + e);
  const double w0 = 0.1 / ((1e-6 + s0) * (1e-6 + s0)), w1 = 0.6 / ((1e-6 + s1) * (1e-6 + s1)),
               w2 = 0.3 / ((1e-6 + s2) * (1e-6 + s2));
  return (w0 * (2 * a - 7 * b + 11 * c) + w1 * (-b + 5 * c + 2 * d) + w2 * (2 * c + 5 * d - e)) /
         (6 * (w0 + w1 + w2));
}
__global__ void weno5_line(const double* u, double* flux, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) flux[i] = weno5(u[i], u[i + 1], u[i + 2], u[i + 3], u[i + 4]);
}

// Shallow water: heights and both momenta, a Lax-Friedrichs step.
// warpscope shallow_water_step: block = (16, 16), nx = 500, ny = 500, grid = (ceil(nx / block.x), ceil(ny / block.y)), q = f32 random[4 * nx * ny] in 1..2, qn = f32 zeros[4 * nx * ny], lambda = 0.1
__global__ void shallow_water_step(const float4* q, float4* qn, int nx, int ny, float lambda) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
  auto flux_x = [](float4 s) {
    float u = s.y / s.x;
    return make_float3(s.y, s.y * u + 4.905f * s.x * s.x, s.z * u);
  };
  auto flux_y = [](float4 s) {
    float v = s.z / s.x;
    return make_float3(s.z, s.y * v, s.z * v + 4.905f * s.x * s.x);
  };
  const float4 e = q[j * nx + i + 1], w = q[j * nx + i - 1], n = q[(j + 1) * nx + i], s = q[(j - 1) * nx + i];
  const float3 fe = flux_x(e), fw = flux_x(w), fn = flux_y(n), fs = flux_y(s);
  float4 out;
  out.x = 0.25f * (e.x + w.x + n.x + s.x) - lambda * (fe.x - fw.x + fn.x - fs.x);
  out.y = 0.25f * (e.y + w.y + n.y + s.y) - lambda * (fe.y - fw.y + fn.y - fs.y);
  out.z = 0.25f * (e.z + w.z + n.z + s.z) - lambda * (fe.z - fw.z + fn.z - fs.z);
  out.w = q[j * nx + i].w;
  qn[j * nx + i] = out;
}
