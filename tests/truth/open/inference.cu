// Pieces of running neural networks: normalisations, gates, quantised layers, attention, choices of tokens.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

// Adds the residual, then scales each row by its root mean square; one block for a row, rows held in
// registers.
// warpscope residual_rms_rows: block = 256 fixed, rows = 2048, grid = rows, x = f16 random[rows * 1024] in -1..1, residual = f16 random[rows * 1024]:2 in -1..1, gain = f16 random[1024]:3, out = f16 zeros[rows * 1024], epsilon = 0.00001
__global__ void __launch_bounds__(256)
    residual_rms_rows(const __half2* __restrict__ x, const __half2* __restrict__ residual,
                      const __half2* __restrict__ gain, __half2* __restrict__ out, float epsilon) {
  __shared__ float partial[8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const size_t row = (size_t)blockIdx.x * 512;
  float2 held[2];
  float squares = 0;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const float2 a = __half22float2(x[row + k * 256 + threadIdx.x]);
    const float2 b = __half22float2(residual[row + k * 256 + threadIdx.x]);
    held[k] = make_float2(a.x + b.x, a.y + b.y);
    squares += held[k].x * held[k].x + held[k].y * held[k].y;
  }
  for (int d = 16; d; d >>= 1) squares += __shfl_xor_sync(~0u, squares, d);
  if (lane == 0) partial[warp] = squares;
  __syncthreads();
  float total = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) total += partial[w];
  const float scale = rsqrtf(total * (1.0f / 1024) + epsilon);
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const float2 g = __half22float2(gain[k * 256 + threadIdx.x]);
    out[row + k * 256 + threadIdx.x] = __floats2half2_rn(held[k].x * scale * g.x, held[k].y * scale * g.y);
  }
}

// The gate of a feed-forward layer: swish of one half of a row times the other half, eight values a thread.
// warpscope swish_gate_pairs: block = 192, tokens = 1536, width = 768, grid = ceil(tokens * width / 8 / block), both = u16 random[tokens * width * 2] in 16000..16500, out = u16 zeros[tokens * width]
__global__ void swish_gate_pairs(const __nv_bfloat16* both, __nv_bfloat16* out, int tokens, int width) {
  const int index = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (index >= tokens * width) return;
  const int token = index / width, column = index - token * width;
  const uint4 gates = *reinterpret_cast<const uint4*>(both + (size_t)token * 2 * width + column);
  const uint4 values = *reinterpret_cast<const uint4*>(both + (size_t)token * 2 * width + width + column);
  uint4 result;
  const unsigned* g = &gates.x;
  const unsigned* v = &values.x;
  unsigned* r = &result.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float g0 = __uint_as_float(g[k] << 16), g1 = __uint_as_float(g[k] & 0xFFFF0000u);
    const float v0 = __uint_as_float(v[k] << 16), v1 = __uint_as_float(v[k] & 0xFFFF0000u);
    const __nv_bfloat162 pair =
        __floats2bfloat162_rn(g0 / (1 + __expf(-g0)) * v0, g1 / (1 + __expf(-g1)) * v1);
    r[k] = *reinterpret_cast<const unsigned*>(&pair);
  }
  *reinterpret_cast<uint4*>(out + index) = result;
}

// Weights of four bits, a scale and a zero for each group of 64; one warp computes one output of a matrix
// times a vector.
// warpscope four_bit_rows: block = 128 fixed, rows = 4096, columns = 2048, grid = rows / 4, packed = random[rows * columns / 8], scales = random[rows * columns / 64], zeros = random[rows * columns / 64]:4 in 6..9, x = random[columns] in -1..1, y = zeros[rows]
__global__ void four_bit_rows(const uint32_t* __restrict__ packed, const float* __restrict__ scales,
                              const float* __restrict__ zeros, const float* __restrict__ x, float* y,
                              int rows, int columns) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int word = lane; word < columns / 8; word += 32) {
    const uint32_t bits = packed[row * (columns / 8) + word];
    const int group = row * (columns / 64) + word / 8;
    const float zero = zeros[group];
    const float4 low = reinterpret_cast<const float4*>(x)[word * 2];
    const float4 high = reinterpret_cast<const float4*>(x)[word * 2 + 1];
    float part = ((bits & 15) - zero) * low.x;
    part += ((bits >> 4 & 15) - zero) * low.y;
    part += ((bits >> 8 & 15) - zero) * low.z;
    part += ((bits >> 12 & 15) - zero) * low.w;
    part += ((bits >> 16 & 15) - zero) * high.x;
    part += ((bits >> 20 & 15) - zero) * high.y;
    part += ((bits >> 24 & 15) - zero) * high.z;
    part += ((bits >> 28) - zero) * high.w;
    sum = fmaf(part, scales[group], sum);
  }
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}

// One query over a cache of keys and values that lies in pages of 16 tokens; a block for each head of each
// sequence.
// warpscope paged_decode: block = 128 fixed, heads = 8, sequences = 24, grid = (heads, sequences), pages = 512, query = random[sequences * heads * 64] in -1..1, keys = random[pages * 16 * 64] in -1..1, values = random[pages * 16 * 64]:2 in -1..1, table = random[sequences * 16], lengths = random[sequences] in 120..255, out = zeros[sequences * heads * 64]
__global__ void paged_decode(const float* query, const float* keys, const float* values,
                             const unsigned* table, const int* lengths, float* out, unsigned pages) {
  __shared__ float scores[256];
  __shared__ float q[64];
  __shared__ float whole[4], biggest[4];
  const int head = blockIdx.x, sequence = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int length = min(lengths[sequence], 256);
  const int place = (sequence * gridDim.x + head) * 64;
  if (threadIdx.x < 64) q[threadIdx.x] = query[place + threadIdx.x] * 0.125f;
  __syncthreads();
  float most = -1e30f;
  for (int t = warp; t < length; t += 4) {
    const unsigned page = table[sequence * 16 + t / 16] % pages;
    const float2 k = *reinterpret_cast<const float2*>(keys + (page * 16 + t % 16) * 64 + lane * 2);
    float dot = k.x * q[lane * 2] + k.y * q[lane * 2 + 1];
    for (int d = 16; d; d /= 2) dot += __shfl_xor_sync(~0u, dot, d);
    most = fmaxf(most, dot);
    if (lane == 0) scores[t] = dot;
  }
  if (lane == 0) biggest[warp] = most;
  __syncthreads();
  most = fmaxf(fmaxf(biggest[0], biggest[1]), fmaxf(biggest[2], biggest[3]));
  float sum = 0;
  for (int t = threadIdx.x; t < length; t += 128) {
    const float e = expf(scores[t] - most);
    scores[t] = e;
    sum += e;
  }
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) whole[warp] = sum;
  __syncthreads();
  if (threadIdx.x >= 64) return;
  float mixed = 0;
  for (int t = 0; t < length; ++t) {
    const unsigned page = table[sequence * 16 + t / 16] % pages;
    mixed += scores[t] * values[(page * 16 + t % 16) * 64 + threadIdx.x];
  }
  out[place + threadIdx.x] = mixed / (whole[0] + whole[1] + whole[2] + whole[3]);
}

// Draws a token: the sum of the probabilities of a row is scanned until it passes the row's random number.
// warpscope nucleus_draw: block = 256 fixed, rows = 128, vocabulary = 4096, grid = rows, odds = random[rows * vocabulary], luck = random[rows], chosen = zeros[rows]
__global__ void nucleus_draw(const float* odds, const float* luck, int* chosen, int vocabulary) {
  __shared__ float sums[8];
  __shared__ float before;
  const float* row = odds + (size_t)blockIdx.x * vocabulary;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float goal = luck[blockIdx.x] * vocabulary * 0.49f;
  if (threadIdx.x == 0) before = 0;
  __syncthreads();
  for (int first = 0; first < vocabulary; first += 256) {
    float v = first + threadIdx.x < vocabulary ? row[first + threadIdx.x] : 0;
    const float own = v;
    for (int d = 1; d < 32; d <<= 1) {
      const float o = __shfl_up_sync(~0u, v, d);
      if (lane >= d) v += o;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    const float start = before;
    float base = start;
    for (int w = 0; w < warp; ++w) base += sums[w];
    const bool here = base + v > goal && base + v - own <= goal;
    if (here) chosen[blockIdx.x] = first + threadIdx.x;
    if (__syncthreads_or(base + v > goal)) return;
    if (threadIdx.x == 255) before = base + v;
    __syncthreads();
  }
  if (threadIdx.x == 0) chosen[blockIdx.x] = vocabulary - 1;
}

// Chooses two experts of sixteen for each token; the scores of a token are in one thread's registers.
// warpscope two_experts: block = 64, tokens = 2^16, grid = ceil(tokens / block), scores = random[tokens * 16] in -4..4, picks = zeros[tokens * 2], weights = zeros[tokens * 2], load = zeros[16]
__global__ void two_experts(const float4* __restrict__ scores, int2* picks, float2* weights, int* load,
                            int tokens) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token < tokens) {
    float s[16];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float4 v = scores[token * 4 + k];
      s[4 * k] = v.x;
      s[4 * k + 1] = v.y;
      s[4 * k + 2] = v.z;
      s[4 * k + 3] = v.w;
    }
    int best = 0, next = -1;
    float high = s[0], second = -1e30f;
#pragma unroll
    for (int k = 1; k < 16; ++k) {
      if (s[k] > high) {
        second = high;
        next = best;
        high = s[k];
        best = k;
      } else if (s[k] > second) {
        second = s[k];
        next = k;
      }
    }
    const float share = 1 / (1 + expf(second - high));
    picks[token] = make_int2(best, next);
    weights[token] = make_float2(share, 1 - share);
    atomicAdd(&counts[best], 1);
    atomicAdd(&counts[next], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16 && counts[threadIdx.x]) atomicAdd(&load[threadIdx.x], counts[threadIdx.x]);
}

// Quantises rows to signed bytes with a scale for each row: one warp for a row of 256.
// warpscope row_scales_to_int8: block = 128, rows = 10000, grid = ceil(rows * 32 / block), in = random[rows * 256] in -3..3, out = s8 zeros[rows * 256], scales = zeros[rows]
__global__ void row_scales_to_int8(const float4* in, char4* out, float* scales, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  const float4 a = in[row * 64 + lane], b = in[row * 64 + 32 + lane];
  float most = fmaxf(fmaxf(fabsf(a.x), fabsf(a.y)), fmaxf(fabsf(a.z), fabsf(a.w)));
  most = fmaxf(most, fmaxf(fmaxf(fabsf(b.x), fabsf(b.y)), fmaxf(fabsf(b.z), fabsf(b.w))));
  most = __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(most)));
  const float to = most > 0 ? 127 / most : 0;
  out[row * 64 + lane] = make_char4(__float2int_rn(a.x * to), __float2int_rn(a.y * to),
                                    __float2int_rn(a.z * to), __float2int_rn(a.w * to));
  out[row * 64 + 32 + lane] = make_char4(__float2int_rn(b.x * to), __float2int_rn(b.y * to),
                                         __float2int_rn(b.z * to), __float2int_rn(b.w * to));
  if (lane == 0) scales[row] = most / 127;
}

// A linear recurrence with its own decay for each channel (state space layer): eight states in registers,
// time in a loop.
// warpscope selective_states: block = 64, channels = 2048, steps = 64, grid = ceil(channels / block), x = random[steps * channels] in -1..1, delta = random[steps * channels]:2, a = random[channels * 8], b = random[steps * 8] in -1..1, c = random[steps * 8]:3 in -1..1, y = zeros[steps * channels]
__global__ void selective_states(const float* __restrict__ x, const float* __restrict__ delta,
                                 const float* __restrict__ a, const float* __restrict__ b,
                                 const float* __restrict__ c, float* __restrict__ y, int channels,
                                 int steps) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float state[8] = {}, decay[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) decay[k] = -a[channel * 8 + k];
  for (int t = 0; t < steps; ++t) {
    const float step = delta[t * channels + channel], input = x[t * channels + channel] * step;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      state[k] = state[k] * __expf(step * decay[k]) + input * __ldg(b + t * 8 + k);
      sum += state[k] * __ldg(c + t * 8 + k);
    }
    y[t * channels + channel] = sum;
  }
}
