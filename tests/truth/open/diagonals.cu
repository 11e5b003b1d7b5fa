// Linear algebra, dense and sparse: factors, eigenvalues, products of special matrices.
#include <cooperative_groups.h>

// Eigenvalues of symmetric 16 x 16 matrices by Jacobi's turns, eight at once in a round robin of the rows; a
// block of 64 threads for a matrix.
// warpscope round_robin_turns: block = 64 fixed, count = 512, sweeps = 4, grid = count, matrices = random[256 * count] in -1..1, values = zeros[16 * count]
__global__ void round_robin_turns(const float* __restrict__ matrices, float* __restrict__ values,
                                  int sweeps) {
  __shared__ float a[16][17], cosines[8], sines[8];
  __shared__ int first[8], second[8];
  const int t = threadIdx.x;
  for (int k = t; k < 256; k += 64) {
    const int r = k / 16, c = k % 16;
    a[r][c] = 0.5f * (matrices[blockIdx.x * 256 + r * 16 + c] + matrices[blockIdx.x * 256 + c * 16 + r]);
  }
  __syncthreads();
  for (int round = 0; round < sweeps * 15; ++round) {
    if (t < 8) {
      const int p = t == 0 ? 15 : (round + t) % 15, q = (round + 15 - t) % 15;
      first[t] = min(p, q), second[t] = max(p, q);
      const float app = a[first[t]][first[t]], aqq = a[second[t]][second[t]], apq = a[first[t]][second[t]];
      float c = 1, s = 0;
      if (fabsf(apq) > 1e-9f) {
        const float theta = (aqq - app) / (2 * apq),
                    u = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1));
        c = rsqrtf(u * u + 1);
        s = u * c;
      }
      cosines[t] = c, sines[t] = s;
    }
    __syncthreads();
    for (int k = t; k < 128; k += 64) {
      const int pair = k / 16, c = k % 16, p = first[pair], q = second[pair];
      const float x = a[p][c], y = a[q][c];
      a[p][c] = cosines[pair] * x - sines[pair] * y;
      a[q][c] = sines[pair] * x + cosines[pair] * y;
    }
    __syncthreads();
    for (int k = t; k < 128; k += 64) {
      const int pair = k / 16, r = k % 16, p = first[pair], q = second[pair];
      const float x = a[r][p], y = a[r][q];
      a[r][p] = cosines[pair] * x - sines[pair] * y;
      a[r][q] = sines[pair] * x + cosines[pair] * y;
    }
    __syncthreads();
  }
  if (t < 16) values[blockIdx.x * 16 + t] = a[t][t];
}

// A tall panel of eight columns is made orthogonal, column by column; the panel of a block stays in
// registers, four rows to a thread.
__device__ float summed(float v, float* room) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = v;
  __syncthreads();
  float all = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) all += room[k];
  return all;
}
// warpscope tall_panel_columns: block = 256 fixed, panels = 96, grid = panels, panel = random[8192 * panels] in -1..1, q = zeros[8192 * panels], r = zeros[64 * panels]
__global__ void tall_panel_columns(const float* panel, float* q, float* r) {
  __shared__ float room[8];
  float v[8][4];
#pragma unroll
  for (int c = 0; c < 8; ++c) {
    const float4 four = reinterpret_cast<const float4*>(panel + (blockIdx.x * 8 + c) * 1024)[threadIdx.x];
    v[c][0] = four.x, v[c][1] = four.y, v[c][2] = four.z, v[c][3] = four.w;
  }
#pragma unroll
  for (int c = 0; c < 8; ++c) {
    const float length =
        sqrtf(summed(v[c][0] * v[c][0] + v[c][1] * v[c][1] + v[c][2] * v[c][2] + v[c][3] * v[c][3], room));
    const float inverse = 1.0f / length;
#pragma unroll
    for (int k = 0; k < 4; ++k) v[c][k] *= inverse;
    if (threadIdx.x == 0) r[blockIdx.x * 64 + c * 8 + c] = length;
#pragma unroll
    for (int o = c + 1; o < 8; ++o) {
      const float part =
          summed(v[c][0] * v[o][0] + v[c][1] * v[o][1] + v[c][2] * v[o][2] + v[c][3] * v[o][3], room);
#pragma unroll
      for (int k = 0; k < 4; ++k) v[o][k] -= part * v[c][k];
      if (threadIdx.x == 0) r[blockIdx.x * 64 + c * 8 + o] = part;
    }
    reinterpret_cast<float4*>(q + (blockIdx.x * 8 + c) * 1024)[threadIdx.x] =
        make_float4(v[c][0], v[c][1], v[c][2], v[c][3]);
  }
}

// Systems whose matrices have equal diagonals, solved by Levinson's recursion; a warp takes one of 32
// unknowns, an entry to each lane.
// warpscope equal_diagonal_systems: block = 128, systems = 4096, grid = systems / 4, first = random[32 * systems] in -0.02..0.02, right = random[32 * systems] in -1..1, x = zeros[32 * systems]
__global__ void equal_diagonal_systems(const float* first, const float* right, float* x, int systems) {
  const int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (s >= systems) return;
  const float row = lane == 0 ? 1.0f : first[s * 32 + lane], b = right[s * 32 + lane];
  float forward = lane == 0 ? 1.0f : 0.0f, answer = lane == 0 ? b : 0.0f;
  for (int n = 1; n < 32; ++n) {
    const float t = __shfl_sync(~0u, row, (n - lane) & 31);
    float error = lane < n ? t * forward : 0.0f, miss = lane < n ? t * answer : 0.0f;
    for (int d = 16; d; d >>= 1) {
      error += __shfl_xor_sync(~0u, error, d);
      miss += __shfl_xor_sync(~0u, miss, d);
    }
    const float flipped = __shfl_sync(~0u, forward, (n - lane) & 31);
    const float backward = lane >= 1 && lane <= n ? flipped : 0.0f;
    const float scale = 1.0f / (1.0f - error * error);
    forward = scale * (forward - error * backward);
    const float turned = __shfl_sync(~0u, forward, (n - lane) & 31);
    const float target = __shfl_sync(~0u, b, n);
    if (lane <= n) answer += (target - miss) * turned;
  }
  x[s * 32 + lane] = answer;
}

// Exponentials of 4 x 4 matrices: scaled down, a fraction of polynomials of third degree, squared up again.
struct Four {
  float m[4][4];
};
__device__ inline Four times(const Four& a, const Four& b) {
  Four r;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      r.m[i][j] =
          a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j] + a.m[i][3] * b.m[3][j];
  return r;
}
// warpscope exponentials_of_fours: block = 128, count = 2^14, grid = count / block, in = random[16 * count] in -1..1, out = zeros[16 * count]
__global__ void exponentials_of_fours(const float4* in, float4* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Four a;
  float norm = 0;
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const float4 v = in[4 * i + r];
    a.m[r][0] = v.x, a.m[r][1] = v.y, a.m[r][2] = v.z, a.m[r][3] = v.w;
    norm = fmaxf(norm, fabsf(v.x) + fabsf(v.y) + fabsf(v.z) + fabsf(v.w));
  }
  int halvings = max(ilogbf(norm + 1e-9f) + 2, 0);
  const float scale = ldexpf(1.0f, -halvings);
#pragma unroll
  for (int k = 0; k < 16; ++k) a.m[k / 4][k % 4] *= scale;
  const Four square = times(a, a), cube = times(square, a);
  Four top, bottom;
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const float even = (r == c ? 120.0f : 0.0f) + 12.0f * square.m[r][c],
                  odd = 60.0f * a.m[r][c] + cube.m[r][c];
      top.m[r][c] = even + odd, bottom.m[r][c] = even - odd;
    }
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    const float inverse = 1.0f / bottom.m[p][p];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      if (r == p) continue;
      const float f = bottom.m[r][p] * inverse;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        bottom.m[r][c] -= f * bottom.m[p][c];
        top.m[r][c] -= f * top.m[p][c];
      }
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) bottom.m[p][c] *= inverse, top.m[p][c] *= inverse;
  }
  for (; halvings > 0; --halvings) top = times(top, top);
#pragma unroll
  for (int r = 0; r < 4; ++r)
    out[4 * i + r] = make_float4(top.m[r][0], top.m[r][1], top.m[r][2], top.m[r][3]);
}

// One step of Lanczos' iteration on a grid's matrix of five points: a product, and the sums for both
// coefficients, in a single pass.
// warpscope lanczos_grid_step: block = 256, side = 512, grid = side * side / 1024, v = random[side * side] in -1..1, before = random[side * side] in -1..1, w = zeros[side * side], sums = zeros[2], beta = 0.7
__global__ void lanczos_grid_step(const double* __restrict__ v, const double* __restrict__ before,
                                  double* __restrict__ w, double* sums, double beta, int side) {
  namespace cg = cooperative_groups;
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ double parts[2][8];
  double along = 0, square = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x, x = i % side, y = i / side;
    const double here = v[i];
    double sum = 4.0 * here - beta * before[i];
    if (x > 0) sum -= v[i - 1];
    if (x < side - 1) sum -= v[i + 1];
    if (y > 0) sum -= v[i - side];
    if (y < side - 1) sum -= v[i + side];
    w[i] = sum;
    along += sum * here;
    square += sum * sum;
  }
  for (int d = 16; d; d >>= 1) along += warp.shfl_down(along, d), square += warp.shfl_down(square, d);
  if (warp.thread_rank() == 0) parts[0][threadIdx.x / 32] = along, parts[1][threadIdx.x / 32] = square;
  block.sync();
  if (threadIdx.x < 2) {
    double total = 0;
    for (int k = 0; k < 8; ++k) total += parts[threadIdx.x][k];
    atomicAdd(sums + threadIdx.x, total);
  }
}

// A symmetric sparse matrix of which the lower half is stored: each entry serves twice, the mirrored part by
// atomics.
// warpscope half_stored_symmetric: block = 128, rows = 2^15, each = 8, grid = ceil(rows / block), columns = random[rows * each] in 0..32767, values = random[rows * each] in -1..1, diagonal = random[rows], x = random[rows], y = zeros[rows]
__global__ void half_stored_symmetric(const int* __restrict__ columns, const float* __restrict__ values,
                                      const float* __restrict__ diagonal, const float* __restrict__ x,
                                      float* y, int rows, int each) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float mine = x[r];
  float sum = diagonal[r] * mine;
  for (int k = 0; k < each; ++k) {
    const int c = columns[k * rows + r];
    if (c >= r) continue;
    const float a = values[k * rows + r];
    sum += a * x[c];
    atomicAdd(y + c, a * mine);
  }
  atomicAdd(y + r, sum);
}

// Packed symmetric 12 x 12 matrices are split into a lower factor, a diagonal, and the solution, without
// roots; one thread a system, in doubles.
// warpscope rootless_factors: block = 32, systems = 4096, grid = systems / block, packed = random[78 * systems] in -0.1..0.1, right = random[12 * systems], x = zeros[12 * systems]
__global__ void rootless_factors(const double* packed, const double* right, double* x, int systems) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  double l[78], b[12];
  for (int k = 0; k < 78; ++k) l[k] = packed[k * systems + s];
  for (int k = 0; k < 12; ++k) b[k] = right[k * systems + s], l[k * (k + 3) / 2] += 4.0;
  for (int j = 0; j < 12; ++j) {
    const int row = j * (j + 1) / 2;
    double d = l[row + j];
    for (int k = 0; k < j; ++k) d -= l[row + k] * l[row + k] * l[k * (k + 3) / 2];
    l[row + j] = d;
    for (int i = j + 1; i < 12; ++i) {
      const int lower = i * (i + 1) / 2;
      double v = l[lower + j];
      for (int k = 0; k < j; ++k) v -= l[lower + k] * l[row + k] * l[k * (k + 3) / 2];
      l[lower + j] = v / d;
    }
  }
  for (int i = 0; i < 12; ++i)
    for (int k = 0; k < i; ++k) b[i] -= l[i * (i + 1) / 2 + k] * b[k];
  for (int i = 11; i >= 0; --i) {
    b[i] /= l[i * (i + 3) / 2];
    for (int k = i + 1; k < 12; ++k) b[i] -= l[k * (k + 1) / 2 + i] * b[k];
  }
  for (int k = 0; k < 12; ++k) x[k * systems + s] = b[k];
}

// Rows of a sparse matrix times sixteen right sides: half a warp takes a row, each lane a side; entries are
// handed round by shuffles.
// warpscope sixteen_right_sides: block = 256, rows = 8192, grid = rows / 16, lengths = random[rows] in 4..40, columns = random[rows * 40] in 0..8191, values = random[rows * 40] in -1..1, x = random[rows * 16], y = zeros[rows * 16]
__global__ void sixteen_right_sides(const int* __restrict__ lengths, const int* __restrict__ columns,
                                    const float* __restrict__ values, const float* __restrict__ x,
                                    float* __restrict__ y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
  if (row >= rows) return;
  const unsigned mask = 0xFFFFu << (threadIdx.x & 16);
  const int length = lengths[row];
  float sum = 0;
  for (int base = 0; base < length; base += 16) {
    const bool mine = base + lane < length;
    const int c = mine ? columns[row * 40 + base + lane] : 0;
    const float v = mine ? values[row * 40 + base + lane] : 0.0f;
    const int here = min(16, length - base);
    for (int k = 0; k < here; ++k)
      sum += __shfl_sync(mask, v, k, 16) * x[__shfl_sync(mask, c, k, 16) * 16 + lane];
  }
  y[row * 16 + lane] = sum;
}
