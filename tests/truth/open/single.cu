// Launches of one or few blocks, calls by address, recursion, sorts, bins: programs that do not fill a GPU.
#include <cuda_fp16.h>

#include <cstdint>

// A radix sort of 4096 keys by one block: eight passes of four bits, counters for each warp.
// warpscope radix_alone: block = 1024 fixed, grid = 1, keys = random[4096]
__global__ void __launch_bounds__(1024) radix_alone(unsigned* keys) {
  __shared__ unsigned moved[4096];
  __shared__ unsigned short counts[16][33];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  unsigned mine[4];
  for (int k = 0; k < 4; ++k) mine[k] = keys[warp * 128 + k * 32 + lane];
  for (int shift = 0; shift < 32; shift += 4) {
    unsigned short rank[4];
    if (lane < 16) counts[lane][warp] = 0;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned digit = mine[k] >> shift & 15, same = __match_any_sync(~0u, digit);
      const unsigned short before = counts[digit][warp];
      __syncwarp();
      rank[k] = before + __popc(same & ((1u << lane) - 1));
      if (lane == 31 - __clz(same)) counts[digit][warp] = before + __popc(same);
      __syncwarp();
    }
    __syncthreads();
    if (warp < 16) {
      const unsigned mine_count = counts[warp][lane];
      unsigned sum = mine_count;
      for (int d = 1; d < 32; d *= 2) {
        const unsigned other = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += other;
      }
      counts[warp][lane] = sum - mine_count;
      if (lane == 31) counts[warp][32] = sum;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned digit = mine[k] >> shift & 15;
      unsigned at = counts[digit][warp] + rank[k];
      for (int d = 0; d < digit; ++d) at += counts[d][32];
      moved[at] = mine[k];
    }
    __syncthreads();
    for (int k = 0; k < 4; ++k) mine[k] = moved[warp * 128 + k * 32 + lane];
    __syncthreads();
  }
  for (int k = 0; k < 4; ++k) keys[warp * 128 + k * 32 + lane] = mine[k];
}

// Merge sort of 2048 floats by one block; each thread finds its elements' places by bisection.
// warpscope merge_alone: block = 512 fixed, grid = 8, data = random[2048 * 8]
__global__ void merge_alone(float* data) {
  __shared__ float a[2048], b[2048];
  float *from = a, *to = b;
  for (int k = threadIdx.x; k < 2048; k += 512) from[k] = data[blockIdx.x * 2048 + k];
  for (int run = 1; run < 2048; run *= 2) {
    __syncthreads();
    for (int k = threadIdx.x; k < 2048; k += 512) {
      const float v = from[k];
      const int start = k & ~(2 * run - 1), within = k & (run - 1), right = k & run;
      int low = start + (right ? 0 : run), high = low + run;
      const int base = low;
      while (low < high) {
        const int middle = (low + high) / 2;
        if (right ? from[middle] <= v : from[middle] < v)
          low = middle + 1;
        else
          high = middle;
      }
      to[start + within + low - base] = v;
    }
    float* held = from;
    from = to;
    to = held;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 2048; k += 512) data[blockIdx.x * 2048 + k] = from[k];
}

// One block reduces an array of doubles by Kahan's sums: latency of a lone block.
// warpscope lone_kahan: block = 768, n = 60000, grid = 1, in = random[n], out = zeros[1]
__global__ void lone_kahan(const double* in, double* out, int n) {
  __shared__ double of_thread[1024];
  double sum = 0, error = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const double y = in[i] - error, t = sum + y;
    error = (t - sum) - y;
    sum = t;
  }
  of_thread[threadIdx.x] = sum;
  __syncthreads();
  for (int active = blockDim.x; active > 1;) {
    const int half = (active + 1) / 2;
    if (threadIdx.x + half < active) of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
    active = half;
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = of_thread[0];
}

// Integrals by Simpson's rule that halve intervals where they must: a function that calls itself.
__device__ float peaked(float x, float width) {
  return width / (width * width + (x - 0.3f) * (x - 0.3f));
}
__device__ __noinline__ float simpson(float a, float b, float fa, float fm, float fb, float width,
                                      int depth) {
  const float m = 0.5f * (a + b), whole = (b - a) / 6 * (fa + 4 * fm + fb);
  const float fl = peaked(0.5f * (a + m), width), fr = peaked(0.5f * (m + b), width);
  const float left = (m - a) / 6 * (fa + 4 * fl + fm), right = (b - m) / 6 * (fm + 4 * fr + fb);
  if (depth == 0 || fabsf(left + right - whole) < 1e-4f) return left + right;
  return simpson(a, m, fa, fl, fm, width, depth - 1) + simpson(m, b, fm, fr, fb, width, depth - 1);
}
// warpscope halved_intervals: block = 32, n = 4224, grid = ceil(n / block), widths = random[n] in 0.02..0.5, out = zeros[n]
__global__ void halved_intervals(const float* widths, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float w = widths[i];
  out[i] = simpson(0, 1, peaked(0, w), peaked(0.5f, w), peaked(1, w), w, 7);
}

// Activities found by address: a table of functions, chosen by warps (one kind each) for a chain of four
// layers.
typedef float (*Activity)(float);
__device__ __noinline__ float swish(float x) {
  return x / (1 + expf(-x));
}
__device__ __noinline__ float softplus(float x) {
  return log1pf(expf(x));
}
__device__ __noinline__ float elu(float x) {
  return x > 0 ? x : expm1f(x);
}
__device__ __noinline__ float softsign(float x) {
  return x / (1 + fabsf(x));
}
__device__ Activity activities[4] = {swish, softplus, elu, softsign};
// warpscope called_activities: block = 160, n = 100000, grid = ceil(n / block), x = random[n] in -3..3, kinds = random[n / 32 + 1]
__global__ void called_activities(float* x, const unsigned* kinds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  unsigned kind = kinds[i / 32];
  for (int layer = 0; layer < 4; ++layer, kind >>= 2) v = activities[kind & 3](v) * 1.2f - 0.1f;
  x[i] = v;
}

// A histogram of 256 bins with a copy for each warp, bytes read four at once.
// warpscope warp_bins256: block = 192 fixed, n = 2^18, grid = 240, data = random[n], bins = zeros[256]
__global__ void warp_bins256(const unsigned* __restrict__ data, unsigned* bins, int n) {
  __shared__ unsigned local[6 * 256];
  for (int k = threadIdx.x; k < 6 * 256; k += 192) local[k] = 0;
  __syncthreads();
  unsigned* mine = local + threadIdx.x / 32 * 256;
  for (int i = blockIdx.x * 192 + threadIdx.x; i < n; i += 240 * 192) {
    const unsigned v = data[i];
    atomicAdd(mine + (v & 255), 1u);
    atomicAdd(mine + (v >> 8 & 255), 1u);
    atomicAdd(mine + (v >> 16 & 255), 1u);
    atomicAdd(mine + (v >> 24), 1u);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += 192) {
    unsigned sum = 0;
    for (int w = 0; w < 6; ++w) sum += local[w * 256 + k];
    if (sum) atomicAdd(&bins[k], sum);
  }
}

// Bands of a spectrum: each of 48 blocks transforms 1024 points, radix 4, with a table of angles that it
// makes first.
// warpscope spectrum1024: block = 256 fixed, grid = 48, in = f32 random[2 * 1024 * 48], out = f32 zeros[1024 * 48]
__global__ void spectrum1024(const float2* in, float* out) {
  __shared__ float2 v[1024], angles[768];
  const int t = threadIdx.x;
  for (int k = t; k < 768; k += 256) __sincosf(-6.2831853f * k / 1024, &angles[k].y, &angles[k].x);
  for (int k = t; k < 1024; k += 256) v[k] = in[blockIdx.x * 1024 + k];
  auto times = [](float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); };
#pragma unroll
  for (int quarter = 256; quarter >= 1; quarter /= 4) {
    __syncthreads();
    const int j = t % quarter, at = t / quarter * 4 * quarter + j, step = 256 / quarter * j;
    const float2 a = v[at], b = v[at + quarter], c = v[at + 2 * quarter], d = v[at + 3 * quarter];
    const float2 s = {a.x + c.x, a.y + c.y}, e = {a.x - c.x, a.y - c.y}, u = {b.x + d.x, b.y + d.y},
                 w = {b.y - d.y, d.x - b.x};
    v[at] = {s.x + u.x, s.y + u.y};
    v[at + quarter] = times({e.x + w.x, e.y + w.y}, angles[step]);
    v[at + 2 * quarter] = times({s.x - u.x, s.y - u.y}, angles[2 * step]);
    v[at + 3 * quarter] = times({e.x - w.x, e.y - w.y}, angles[3 * step]);
  }
  __syncthreads();
  for (int k = t; k < 1024; k += 256) out[blockIdx.x * 1024 + k] = hypotf(v[k].x, v[k].y);
}

// Halves are diffused by a five-point stencil, two a thread, in dynamic shared memory, six steps inside a
// block.
// warpscope half_diffusion: block = 256 fixed, shared = 2 * 4 * 34 * 34, grid = 66, steps = 6, data = f16 random[66 * 2 * 32 * 32]
__global__ void half_diffusion(half2* data, int steps) {
  extern __shared__ half2 cells[];
  half2 *from = cells, *to = cells + 34 * 34;
  half2* mine = data + blockIdx.x * 1024;
  for (int k = threadIdx.x; k < 2 * 34 * 34; k += 256) cells[k] = __float2half2_rn(0.f);
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += 256) from[(k / 32 + 1) * 34 + k % 32 + 1] = mine[k];
  const half2 centre = __float2half2_rn(0.6f), side = __float2half2_rn(0.1f);
  for (int s = 0; s < steps; ++s) {
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += 256) {
      const int at = (k / 32 + 1) * 34 + k % 32 + 1;
      const half2 around =
          __hadd2(__hadd2(from[at - 1], from[at + 1]), __hadd2(from[at - 34], from[at + 34]));
      to[at] = __hfma2(around, side, __hmul2(from[at], centre));
    }
    half2* held = from;
    from = to;
    to = held;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += 256) mine[k] = from[(k / 32 + 1) * 34 + k % 32 + 1];
}

// A small classifier for one input: three layers in one block of 352 threads, weights read as they lie.
// warpscope lone_classifier: block = 352, inputs = 196, hidden = 320, grid = 1, x = random[inputs], w1 = random[inputs * hidden] in -0.1..0.1, w2 = random[hidden * 64]:2 in -0.1..0.1, scores = zeros[64]
__global__ void lone_classifier(const float* x, const float* w1, const float* w2, float* scores, int inputs,
                                int hidden) {
  __shared__ float in[256], between[384], result[64];
  for (int k = threadIdx.x; k < inputs; k += blockDim.x) in[k] = x[k];
  __syncthreads();
  if (threadIdx.x < hidden) {
    float sum = 0;
    for (int k = 0; k < inputs; ++k) sum += in[k] * w1[k * hidden + threadIdx.x];
    between[threadIdx.x] = fmaxf(sum, 0.f);
  }
  __syncthreads();
  for (int o = threadIdx.x / 32; o < 64; o += blockDim.x / 32) {
    float sum = 0;
    for (int k = threadIdx.x % 32; k < hidden; k += 32) sum += between[k] * w2[o * hidden + k];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) result[o] = sum;
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    float top = result[0], total = 0;
    for (int k = 1; k < 64; ++k) top = fmaxf(top, result[k]);
    for (int k = 0; k < 64; ++k) total += __expf(result[k] - top);
    scores[threadIdx.x] = __expf(result[threadIdx.x] - top) / total;
  }
}

// Keys go to their places of a pass of a sort: offsets of each block's digits were counted before; here by a
// formula.
// warpscope scatter_digits: block = 256 fixed, n = 2^18, grid = n / 256, in = random[n], out = zeros[n]
__global__ void scatter_digits(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
  __shared__ unsigned sorted[256];
  __shared__ int starts[8][9];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const unsigned key = in[blockIdx.x * 256 + t], digit = key & 7;
  unsigned same = ~0u;
#pragma unroll
  for (int b = 0; b < 3; ++b) {
    const unsigned votes = __ballot_sync(~0u, digit >> b & 1);
    same &= digit >> b & 1 ? votes : ~votes;
  }
  if (lane < 8) starts[lane][warp] = 0;
  __syncwarp();
  const int rank = __popc(same & ((1u << lane) - 1));
  if (rank == 0) starts[digit][warp] = __popc(same);
  __syncthreads();
  if (t < 32) {
    int held[2], sum = 0;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      held[k] = starts[(2 * t + k) / 8][(2 * t + k) % 8];
      sum += held[k];
    }
    int upto = sum;
    for (int d = 1; d < 32; d *= 2) {
      const int other = __shfl_up_sync(~0u, upto, d);
      if (t >= d) upto += other;
    }
    starts[2 * t / 8][2 * t % 8] = upto - sum;
    starts[2 * t / 8][2 * t % 8 + 1] = upto - held[1];
  }
  __syncthreads();
  sorted[starts[digit][warp] + rank] = key;
  __syncthreads();
  out[(t & 7) * (n / 8) + blockIdx.x * 32 + (t >> 3)] = sorted[t];
}
