// Geometry and games.
#include <cstdint>

// Skins vertices with up to four bones each; bone matrices of three rows in shared memory.
// warpscope skinned_vertices: block = 128, n = 100000, grid = ceil(n / block), places = random[n * 4], bones = u8 random[n * 4], weights = random[n * 4], matrices = random[48 * 12] in -1..1, out = zeros[n * 4]
__global__ void skinned_vertices(const float4* __restrict__ places, const uchar4* __restrict__ bones,
                                 const float4* __restrict__ weights, const float4* __restrict__ matrices,
                                 float4* out, int n) {
  __shared__ float4 rows[48 * 3];
  for (int k = threadIdx.x; k < 48 * 3; k += blockDim.x) rows[k] = matrices[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = places[i], w = weights[i];
  const uchar4 b = bones[i];
  float4 sum = make_float4(0, 0, 0, w.x + w.y + w.z + w.w);
  auto add = [&](int bone, float weight) {
    if (weight < 0.05f) return;
    const float4 *m = rows + bone % 48 * 3, r0 = m[0], r1 = m[1], r2 = m[2];
    sum.x += weight * (r0.x * p.x + r0.y * p.y + r0.z * p.z + r0.w);
    sum.y += weight * (r1.x * p.x + r1.y * p.y + r1.z * p.z + r1.w);
    sum.z += weight * (r2.x * p.x + r2.y * p.y + r2.z * p.z + r2.w);
  };
  add(b.x, w.x);
  add(b.y, w.y);
  add(b.z, w.z);
  add(b.w, w.w);
  out[i] = sum;
}

// Boxes outside a view's six planes are dropped; the others' numbers are appended, one atomic addition a
// block.
// warpscope visible_boxes: block = 256 fixed, n = 2^19, grid = ceil(n / block), centres = random[n * 4] in -1..1, planes = random[24] in -1..1, visible = zeros[n], count = zeros[4096]
__global__ void visible_boxes(const float4* centres, const float4* planes, int* visible, int* count, int n) {
  __shared__ int base, found[8];
  const int i = blockIdx.x * 256 + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  bool seen = i < n;
  if (seen) {
    const float4 c = centres[i];
    for (int k = 0; k < 6; ++k) {
      const float4 p = planes[k];
      if (p.x * c.x + p.y * c.y + p.z * c.z + p.w + 0.5f < -fabsf(c.w)) {
        seen = false;
        break;
      }
    }
  }
  const unsigned votes = __ballot_sync(~0u, seen);
  if (lane == 0) found[warp] = __popc(votes);
  __syncthreads();
  int before = 0, all = 0;
  for (int w = 0; w < 8; ++w) {
    if (w < warp) before += found[w];
    all += found[w];
  }
  if (threadIdx.x == 0) base = atomicAdd(count + (blockIdx.x & 3) * 1024, all);
  __syncthreads();
  const int at = base + before + __popc(votes & ((1u << lane) - 1));
  if (seen) visible[((blockIdx.x & 3) * (n / 4) + at % (n / 4))] = i;
}

// Flocking: each bird looks at the birds of its block's share and steers by three rules.
// warpscope flocking_birds: block = 128 fixed, n = 1024, grid = n / block, birds = random[n * 4] in -1..1, out = zeros[n * 4]
__global__ void flocking_birds(const float4* birds, float4* out, int n) {
  __shared__ float4 others[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 me = birds[i];
  float2 apart{0, 0}, speed{0, 0}, middle{0, 0};
  int close = 0;
  for (int first = 0; first < n; first += 128) {
    others[threadIdx.x] = birds[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const float dx = others[k].x - me.x, dy = others[k].y - me.y, d2 = dx * dx + dy * dy;
      if (d2 > 0.01f || first + k == i) continue;
      ++close;
      middle.x += others[k].x;
      middle.y += others[k].y;
      speed.x += others[k].z;
      speed.y += others[k].w;
      if (d2 < 0.002f) {
        apart.x -= dx;
        apart.y -= dy;
      }
    }
    __syncthreads();
  }
  float vx = me.z + apart.x * 0.5f, vy = me.w + apart.y * 0.5f;
  if (close) {
    const float scale = 1.0f / close;
    vx += (speed.x * scale - me.z) * 0.1f + (middle.x * scale - me.x) * 0.05f;
    vy += (speed.y * scale - me.w) * 0.1f + (middle.y * scale - me.y) * 0.05f;
  }
  out[i] = make_float4(me.x + vx * 0.01f, me.y + vy * 0.01f, vx, vy);
}

// Reversi: the moves that are legal on boards of two 64-bit words, by shifts in eight directions.
// warpscope reversi_moves: block = 192, n = 2^18, grid = ceil(n / block), boards = random[n * 2], moves = zeros[n], counts = u8 zeros[n]
template <int SHIFT>
__device__ uint64_t shifted_by(uint64_t b) {
  return SHIFT > 0 ? b << SHIFT : b >> -SHIFT;
}
template <int SHIFT>
__device__ uint64_t toward(uint64_t own, uint64_t other, uint64_t empty) {
  const uint64_t inner = SHIFT % 8 ? other & 0x7E7E7E7E7E7E7E7Eull : other;
  uint64_t run = shifted_by<SHIFT>(own) & inner;
#pragma unroll
  for (int k = 0; k < 5; ++k) run |= shifted_by<SHIFT>(run) & inner;
  return shifted_by<SHIFT>(run) & empty;
}
__global__ void reversi_moves(const ulonglong2* boards, uint64_t* moves, uint8_t* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const ulonglong2 b = boards[i];
  const uint64_t own = b.x & b.y, other = b.x & ~b.y, empty = ~b.x;
  uint64_t m = toward<1>(own, other, empty) | toward<-1>(own, other, empty);
  m |= toward<8>(own, other, empty) | toward<-8>(own, other, empty);
  m |= toward<7>(own, other, empty) | toward<-7>(own, other, empty);
  m |= toward<9>(own, other, empty) | toward<-9>(own, other, empty);
  moves[i] = m;
  counts[i] = __popcll(m);
}

// Convex pieces tested by separating axes: two quadrilaterals a thread, with an early way out.
__device__ bool axis_parts(const float2* a, const float2* b) {
  for (int k = 0; k < 4; ++k) {
    const float2 p = a[k], q = a[(k + 1) & 3];
    const float nx = q.y - p.y, ny = p.x - q.x;
    float a0 = 1e30f, a1 = -1e30f, b0 = 1e30f, b1 = -1e30f;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float u = a[j].x * nx + a[j].y * ny, v = b[j].x * nx + b[j].y * ny;
      a0 = fminf(a0, u);
      a1 = fmaxf(a1, u);
      b0 = fminf(b0, v);
      b1 = fmaxf(b1, v);
    }
    if (a1 < b0 || b1 < a0) return true;
  }
  return false;
}
// warpscope separating_axes: block = 160, n = 30000, grid = ceil(n / block), corners = random[n * 16], touching = u8 zeros[n]
__global__ void separating_axes(const float2* corners, uint8_t* touching, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2* a = corners + i * 8;
  touching[i] = !axis_parts(a, a + 4) && !axis_parts(a + 4, a);
}

// Terrain: six octaves of value noise, and the normal of the surface by differences.
__device__ float lattice_value(int x, int y) {
  unsigned h = x * 374761393u + y * 668265263u;
  h = (h ^ h >> 13) * 1274126177u;
  return (h ^ h >> 16) * (1.0f / 4294967296.0f);
}
__device__ __noinline__ float height_at(float x, float y, float rough) {
  float sum = 0, size = 1;
  for (int octave = 0; octave < 6; ++octave) {
    const float fx = floorf(x), fy = floorf(y), u = x - fx, v = y - fy;
    const float su = u * u * (3 - 2 * u), sv = v * v * (3 - 2 * v);
    const int ix = fx, iy = fy;
    const float a = lattice_value(ix, iy), b = lattice_value(ix + 1, iy);
    const float c = lattice_value(ix, iy + 1), d = lattice_value(ix + 1, iy + 1);
    sum += size * (a + (b - a) * su + (c - a + (a - b - c + d) * su) * sv);
    size *= rough;
    x *= 2;
    y *= 2;
  }
  return sum;
}
// warpscope terrain_normals: block = (8, 8), side = 192, grid = (side / block.x, side / block.y), out = zeros[side * side * 4], rough = 0.5
__global__ void terrain_normals(float4* out, int side, float rough) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  const float h = height_at(x * 0.05f, y * 0.05f, rough);
  const float dx = height_at(x * 0.05f + 0.01f, y * 0.05f, rough) - h;
  const float dy = height_at(x * 0.05f, y * 0.05f + 0.01f, rough) - h;
  const float n = rsqrtf(dx * dx + dy * dy + 1e-4f);
  out[y * side + x] = make_float4(-dx * n, -dy * n, 0.01f * n, h);
}

// Falling sand: cells move by two-by-two blocks, whose new state stands in a table of sixteen.
// warpscope falling_sand: block = (32, 8), width = 1536, height = 1024, grid = (width / 2 / block.x, height / 2 / block.y), cells = u8 random[width * height] in 0..1, next = u8 zeros[width * height], offset = 1
__global__ void falling_sand(const uint8_t* cells, uint8_t* next, int width, int height, int offset) {
  const int x = (2 * (blockIdx.x * blockDim.x + threadIdx.x) + offset) % width;
  const int y = (2 * (blockIdx.y * blockDim.y + threadIdx.y) + offset) % height;
  const int right = (x + 1) % width, below = (y + 1) % height;
  const unsigned bits = (cells[y * width + x] & 1) | (cells[y * width + right] & 1) << 1 |
                        (cells[below * width + x] & 1) << 2 | (cells[below * width + right] & 1) << 3;
  unsigned now;
  switch (bits) {
    case 1:
      now = 4;
      break;
    case 2:
      now = 8;
      break;
    case 3:
      now = 12;
      break;
    case 5:
      now = 12;
      break;
    case 7:
      now = 13;
      break;
    case 9:
      now = 12;
      break;
    case 10:
      now = 12;
      break;
    case 11:
      now = 14;
      break;
    default:
      now = bits;
  }
  if (below == 0) now = bits;
  next[y * width + x] = now & 1;
  next[y * width + right] = now >> 1 & 1;
  next[below * width + x] = now >> 2 & 1;
  next[below * width + right] = now >> 3;
}
