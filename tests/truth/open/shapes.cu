// How programs are written: structures, templates, inlined functions, loops of every kind, local arrays,
// switches.

struct Ray {
  float3 from, along;
};
struct Hit {
  float distance;
  int what;
};
__device__ inline Hit nearer(Hit a, Hit b) {
  return a.distance < b.distance ? a : b;
}
__device__ Hit hitBox(const Ray& ray, float3 low, float3 high, int what) {
  const float x0 = (low.x - ray.from.x) / ray.along.x, x1 = (high.x - ray.from.x) / ray.along.x;
  const float y0 = (low.y - ray.from.y) / ray.along.y, y1 = (high.y - ray.from.y) / ray.along.y;
  const float z0 = (low.z - ray.from.z) / ray.along.z, z1 = (high.z - ray.from.z) / ray.along.z;
  const float enter = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1));
  const float leave = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
  return {enter <= leave && leave > 0 ? enter : 1e30f, what};
}
// warpscope ray_boxes: block = 128, n = 2^14, grid = ceil(n / block), rays = random[6 * n] in 0.1..1, boxes = random[6 * 16] in 1..3, out = zeros[n]
__global__ void ray_boxes(const float* rays, const float* boxes, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* r = rays + 6 * i;
  const Ray ray{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
  Hit best{1e29f, -1};
  for (int k = 0; k < 16; ++k) {
    const float* b = boxes + 6 * k;
    best = nearer(best, hitBox(ray, {b[0], b[1], b[2]}, {b[0] + b[3], b[1] + b[4], b[2] + b[5]}, k));
  }
  out[i] = best.what;
}

struct Complex {
  double re, im;
  __device__ Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __device__ Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
};
// warpscope complex_horner: block = 128, n = 2^15, grid = ceil(n / block), in = random[2 * n] in -1..1, coefficients = random[32], out = zeros[2 * n]
__global__ void complex_horner(const double* in, const double* coefficients, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Complex x{in[2 * i], in[2 * i + 1]};
  Complex sum{0, 0};
  for (int k = 0; k < 16; ++k) sum = sum * x + Complex{coefficients[2 * k], coefficients[2 * k + 1]};
  out[2 * i] = sum.re;
  out[2 * i + 1] = sum.im;
}

// A function that is not inlined and returns a structure.
struct Sums {
  float first, second, third;
};
__device__ __noinline__ Sums moments(const float* in, int count) {
  Sums s{0, 0, 0};
  for (int k = 0; k < count; ++k) {
    const float v = in[k];
    s.first += v;
    s.second += v * v;
    s.third += v * v * v;
  }
  return s;
}
// warpscope struct_returns: block = 128, n = 2^15, grid = ceil(n / block), in = random[n + 64], out = zeros[n]
__global__ void struct_returns(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Sums a = moments(in + i, 4 + i % 8), b = moments(in + i + 16, 8);
  out[i] = a.first * b.third - a.second * b.second;
}

// One of 24 formulas, chosen by the data, the same for a warp.
template <class Pick>
__device__ unsigned formula(unsigned which, unsigned v, Pick pick) {
  switch (which) {
    case 0:
      return v + 1;
    case 1:
      return v * 3;
    case 2:
      return v ^ 0x5555;
    case 3:
      return v >> 3;
    case 4:
      return v << 2 | 1;
    case 5:
      return __popc(v);
    case 6:
      return __clz(v);
    case 7:
      return __brev(v);
    case 8:
      return v * v;
    case 9:
      return ~v;
    case 10:
      return v % 17;
    case 11:
      return v / 5;
    case 12:
      return pick(v);
    case 13:
      return pick(v + 7);
    case 14:
      return min(v, 1000u);
    case 15:
      return max(v, 77u);
    case 16:
      return v - (v >> 1);
    case 17:
      return __byte_perm(v, 0, 0x0123);
    case 18:
      return v & (v - 1);
    case 19:
      return v | v >> 8;
    case 20:
      return __umulhi(v, 0xCCCCCCCD);
    case 21:
      return v + pick(v ^ 3);
    case 22:
      return v * 0x01000193;
    default:
      return 0;
  }
}
// warpscope formulas_warp: block = 128, n = 2^16, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void formulas_warp(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  for (int k = 0; k < 8; ++k)
    v = formula((i / 32 * 7 + k * 5) % 24, v, [=](unsigned x) { return in[x % n]; });
  out[i] = v;
}
// warpscope formulas_lane: block = 128, n = 2^15, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void formulas_lane(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  for (int k = 0; k < 4; ++k) v = formula(v % 24, v + 3, [=](unsigned x) { return in[x % n]; });
  out[i] = v;
}
// A machine of states: words of letters, digits and spaces.
// warpscope tokens: block = 64, n = 2^13, grid = ceil(n / block), in = random[n * 32] in 32..100, out = zeros[n]
__global__ void tokens(const unsigned char* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int state = 0, count = 0;
  for (int k = 0; k < 32; ++k) {
    const char c = static_cast<char>(in[32 * i + k]);
    switch (state) {
      case 0:
        if (c >= '0' && c <= '9')
          state = 1;
        else if (c >= 'A')
          state = 2;
        else if (c == '"')
          state = 3;
        break;
      case 1:
        if (c == '.')
          state = 4;
        else if (c < '0' || c > '9') {
          ++count;
          state = 0;
        }
        break;
      case 2:
        if (c < 'A') {
          count += 2;
          state = c == '(' ? 5 : 0;
        }
        break;
      case 3:
        if (c == '"') {
          count += 3;
          state = 0;
        }
        break;
      case 4:
        if (c < '0' || c > '9') {
          count += 4;
          state = 0;
        }
        break;
      default:
        if (c == ')') state = 0;
    }
  }
  out[i] = count;
}
// Loops: known and unknown trip counts, nested, with a step, with break and continue.
// warpscope loops: block = 128, n = 2^15, grid = ceil(n / block), trips = 11, in = random[n + 64], out = zeros[n]
__global__ void loops(const float* in, float* out, int n, int trips) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* at = in + i;
  float sum = 0;
  for (int k = 0; k < trips; ++k) sum += at[k];
#pragma unroll 3
  for (int k = 0; k < trips; ++k) sum = sum * 0.5f + at[2 * k];
#pragma unroll 1
  for (int k = 0; k < 12; ++k) sum -= at[k * 3] * 0.25f;
  for (int r = 0; r < 5; ++r) {
    for (int c = r; c < 7; ++c) sum += at[r + c] * (r - c);
  }
  for (int k = trips; k > 0; k -= 3) {
    if (at[k] < 0.2f) continue;
    sum += 1 / at[k];
    if (sum > 20) break;
  }
  out[i] = sum;
}
// A small array at an index that is known only when the program runs, written and read.
// warpscope small_histogram: block = 128, n = 2^13, grid = ceil(n / block), in = random[n * 16], out = zeros[n]
__global__ void small_histogram(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned bins[32] = {};
  for (int k = 0; k < 16; ++k) ++bins[in[i + k * n] % 32];
  unsigned most = 0;
  for (int b = 0; b < 32; ++b) most = max(most, bins[b] << 8 | b);
  out[i] = most;
}
// Particles as structures in shared memory.
struct Particle {
  float x, y, z, mass;
  int kind;
};
// warpscope shared_structs: block = 64, n = 2^13, grid = ceil(n / block), in = random[4 * n], out = zeros[n]
__global__ void shared_structs(const float4* in, float* out, int n) {
  __shared__ Particle tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 mine = in[i % n];
  tile[threadIdx.x] = {mine.x, mine.y, mine.z, mine.w, i % 3};
  __syncthreads();
  float energy = 0;
  for (int k = 0; k < 64; ++k) {
    const Particle& p = tile[k];
    const float dx = p.x - mine.x, dy = p.y - mine.y, dz = p.z - mine.z;
    if (p.kind != i % 3) energy += p.mass * rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
  }
  if (i < n) out[i] = energy;
}
// Structures of 12 and 20 bytes, as they come from files.
struct Record {
  int key;
  float value;
  short a, b;
};
// warpscope odd_records: block = 256, n = 2^16, grid = ceil(n / block), in = random[12 * n], out = zeros[n]
__global__ void odd_records(const unsigned char* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Record r = reinterpret_cast<const Record*>(in)[i];
  out[i] = r.key % 2 ? static_cast<float>(r.a * r.b) : static_cast<float>(r.b - r.a);
}
// Vectors of 2, 3 and 4 words, at strides of their own.
// warpscope odd_vectors: block = 128, n = 2^15, grid = ceil(n / block), in = random[16 * n], out = zeros[3 * n]
__global__ void odd_vectors(const float* in, float3* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = *reinterpret_cast<const float4*>(in + 12 * i);
  const float2 b = *reinterpret_cast<const float2*>(in + 6 * i + 2);
  const float3 c = reinterpret_cast<const float3*>(in)[i];
  out[i] = {a.x * b.x + c.x, a.y * b.y + c.y, a.z * a.w + c.z};
}
