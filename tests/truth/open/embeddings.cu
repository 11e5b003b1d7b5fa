// What language models do around their matrix products: norms, embeddings, gates of experts, sampling, narrow
// weights.
#include <cuda_fp16.h>

#include <cstdint>

// Scales each row of halves by its root mean square and multiplies it with a sigmoid gate.
// warpscope rms_gate_halves: block = 128 fixed, rows = 1024, width = 1024, grid = rows, x = random[rows * width], gate = random[rows * width], weight = random[width], out = zeros[rows * width]
__global__ void rms_gate_halves(const __half* __restrict__ x, const __half* __restrict__ gate,
                                const __half* __restrict__ weight, __half* __restrict__ out, int width) {
  __shared__ float parts[4];
  const __half2* row = reinterpret_cast<const __half2*>(x + (size_t)blockIdx.x * width);
  const __half2* gates = reinterpret_cast<const __half2*>(gate + (size_t)blockIdx.x * width);
  const __half2* weights = reinterpret_cast<const __half2*>(weight);
  __half2* to = reinterpret_cast<__half2*>(out + (size_t)blockIdx.x * width);
  float squares = 0;
  for (int i = threadIdx.x; i < width / 2; i += 128) {
    const float2 v = __half22float2(row[i]);
    squares += v.x * v.x + v.y * v.y;
  }
  for (int d = 16; d > 0; d >>= 1) squares += __shfl_down_sync(~0u, squares, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = squares;
  __syncthreads();
  const float scale = rsqrtf((parts[0] + parts[1] + parts[2] + parts[3]) / width + 1e-5f);
  for (int i = threadIdx.x; i < width / 2; i += 128) {
    const float2 v = __half22float2(row[i]), g = __half22float2(gates[i]), w = __half22float2(weights[i]);
    to[i] = __floats2half2_rn(v.x * scale * w.x / (1 + __expf(-g.x)), v.y * scale * w.y / (1 + __expf(-g.y)));
  }
}

// Rotates pairs of a head's elements by angles that depend on the position; the pair's halves stand apart.
// warpscope rotate_heads_apart: block = (32, 8), tokens = 512, heads = 8, grid = (heads, ceil(tokens / block.y)), q = random[tokens * heads * 64] in -1..1, positions = random[tokens] in 0..2048
__global__ void rotate_heads_apart(float* q, const int* __restrict__ positions, int tokens, int heads) {
  const int token = blockIdx.y * blockDim.y + threadIdx.y, pair = threadIdx.x;
  if (token >= tokens) return;
  float* head = q + ((size_t)token * heads + blockIdx.x) * 64;
  const float angle = (positions[token] & 2047) * exp2f(-pair * (13.28771f / 32));
  float s, c;
  sincosf(angle, &s, &c);
  const float a = head[pair], b = head[pair + 32];
  head[pair] = a * c - b * s;
  head[pair + 32] = a * s + b * c;
}

// Each token picks the two best of 16 experts, weighs them by a softmax of the two, and takes a place in each
// one's list.
// warpscope two_experts_of_sixteen: block = 128, tokens = 2^14, grid = ceil(tokens / block), logits = random[tokens * 16], chosen = zeros[2 * tokens], weights = zeros[2 * tokens], fill = zeros[16], places = zeros[2 * tokens]
__global__ void two_experts_of_sixteen(const float4* __restrict__ logits, int2* chosen, float2* weights,
                                       unsigned* fill, uint2* places, int tokens) {
  __shared__ unsigned counts[16], bases[16];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  int first = 0, second = 1;
  unsigned at0 = 0, at1 = 0;
  if (t < tokens) {
    float l[16];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float4 v = logits[t * 4 + k];
      l[4 * k] = v.x, l[4 * k + 1] = v.y, l[4 * k + 2] = v.z, l[4 * k + 3] = v.w;
    }
    float best = -1e30f, next = -1e30f;
#pragma unroll
    for (int k = 0; k < 16; ++k)
      if (l[k] > best) {
        next = best, second = first;
        best = l[k], first = k;
      } else if (l[k] > next) {
        next = l[k], second = k;
      }
    const float e = __expf(next - best);
    chosen[t] = {first, second};
    weights[t] = {1 / (1 + e), e / (1 + e)};
    at0 = atomicAdd(&counts[first], 1u);
    at1 = atomicAdd(&counts[second], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 16) bases[threadIdx.x] = atomicAdd(&fill[threadIdx.x], counts[threadIdx.x]);
  __syncthreads();
  if (t < tokens) places[t] = {bases[first] + at0, bases[second] + at1};
}

// A warp samples from each row of logits: it bisects for the threshold above which lies the wanted
// probability, then walks to the drawn one.
// warpscope nucleus_of_row: block = 128, rows = 1024, grid = ceil(rows * 32 / block), logits = random[rows * 256] in -4..4, draws = random[rows], tokens = zeros[rows]
__global__ void nucleus_of_row(const float* logits, const float* draws, int* tokens, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float p[8], most = -1e30f, total = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) most = fmaxf(most, p[k] = logits[row * 256 + k * 32 + lane]);
  for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
#pragma unroll
  for (int k = 0; k < 8; ++k) total += p[k] = __expf(p[k] - most);
  for (int d = 16; d; d /= 2) total += __shfl_xor_sync(~0u, total, d);
  float low = 0, high = 1, kept = total;
  for (int step = 0; step < 12; ++step) {
    const float middle = 0.5f * (low + high);
    float above = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) above += p[k] >= middle ? p[k] : 0;
    for (int d = 16; d; d /= 2) above += __shfl_xor_sync(~0u, above, d);
    if (above >= 0.9f * total) {
      low = middle;
      kept = above;
    } else {
      high = middle;
    }
  }
  float left = draws[row] * kept;
  int found = 0;
  for (int k = 0; k < 8; ++k) {
    float sum = p[k] >= low ? p[k] : 0;
    for (int d = 1; d < 32; d *= 2) {
      const float other = __shfl_up_sync(~0u, sum, d);
      if (lane >= d) sum += other;
    }
    const unsigned past = __ballot_sync(~0u, sum > left);
    if (past) {
      found = k * 32 + __ffs(past) - 1;
      break;
    }
    left -= __shfl_sync(~0u, sum, 31);
  }
  if (lane == 0) tokens[row] = found;
}

// Matrix times vector with weights of four bits: 32 weights share a scale and an offset.
// warpscope nibble_weights_vector: block = 256, rows = 2048, width = 2048, grid = ceil(rows / (block / 32)), weights = random[rows * width / 8], scales = random[rows * width / 32] in 0.01..0.1, x = random[width] in -1..1, out = zeros[rows]
__global__ void nibble_weights_vector(const uint32_t* __restrict__ weights, const float* __restrict__ scales,
                                      const float* __restrict__ x, float* out, int rows, int width) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int word = lane * 4; word < width / 8; word += 128) {
    const uint4 four = *reinterpret_cast<const uint4*>(weights + (size_t)row * (width / 8) + word);
    const float scale = scales[row * (width / 32) + word / 4];
    const uint32_t w[4] = {four.x, four.y, four.z, four.w};
    float part = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int j = 0; j < 8; ++j) part += (int(w[k] >> (4 * j) & 15) - 8) * x[(word + k) * 8 + j];
    sum += part * scale;
  }
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) out[row] = sum;
}

// Bytes for floats: each row gets the scale of its largest magnitude. One row a warp, in registers.
// warpscope absmax_bytes_of_rows: block = 256, rows = 4096, grid = ceil(rows * 32 / block), in = random[rows * 256] in -3..3, out = zeros[rows * 256], scales = zeros[rows]
__global__ void absmax_bytes_of_rows(const float4* in, char4* out, float* scales, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4 a = in[row * 64 + lane], b = in[row * 64 + 32 + lane];
  float most = fmaxf(fmaxf(fmaxf(fabsf(a.x), fabsf(a.y)), fmaxf(fabsf(a.z), fabsf(a.w))),
                     fmaxf(fmaxf(fabsf(b.x), fabsf(b.y)), fmaxf(fabsf(b.z), fabsf(b.w))));
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  const float to = most > 0 ? 127 / most : 0;
  out[row * 64 + lane] = make_char4(__float2int_rn(a.x * to), __float2int_rn(a.y * to),
                                    __float2int_rn(a.z * to), __float2int_rn(a.w * to));
  out[row * 64 + 32 + lane] = make_char4(__float2int_rn(b.x * to), __float2int_rn(b.y * to),
                                         __float2int_rn(b.z * to), __float2int_rn(b.w * to));
  if (lane == 0) scales[row] = most / 127;
}

// Sums embeddings of bags of words of different sizes; a block has a bag, a thread a column.
// warpscope bag_of_embeddings: block = 64 fixed, bags = 1024, grid = bags, words = random[bags * 32] in 0..4095, sizes = random[bags] in 1..32, table = random[4096 * 64], out = zeros[bags * 64]
__global__ void bag_of_embeddings(const int* __restrict__ words, const int* __restrict__ sizes,
                                  const float* __restrict__ table, float* __restrict__ out) {
  const int size = min(max(sizes[blockIdx.x], 1), 32);
  float sum = 0;
  for (int k = 0; k < size; ++k) sum += __ldg(table + (words[blockIdx.x * 32 + k] & 4095) * 64 + threadIdx.x);
  out[blockIdx.x * 64 + threadIdx.x] = sum / size;
}

// One query attends to a cache of keys and values: a block for each head, each warp runs its own softmax over
// a part.
// warpscope cached_attention_step: block = 256 fixed, heads = 64, length = 512, grid = heads, q = random[heads * 64] in -1..1, k = random[heads * length * 64] in -1..1, v = random[heads * length * 64], out = zeros[heads * 64]
__global__ void cached_attention_step(const float2* q, const float2* k, const float2* v, float* out,
                                      int length) {
  __shared__ float most_of[8], sum_of[8];
  __shared__ float2 value_of[8][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float2 query = q[blockIdx.x * 32 + lane];
  float most = -1e30f, sum = 0;
  float2 value{0, 0};
  for (int at = warp; at < length; at += 8) {
    const size_t index = ((size_t)blockIdx.x * length + at) * 32 + lane;
    const float2 key = k[index];
    float score = query.x * key.x + query.y * key.y;
    for (int d = 16; d > 0; d >>= 1) score += __shfl_xor_sync(~0u, score, d);
    score *= 0.125f;
    const float now = fmaxf(most, score), old = __expf(most - now), e = __expf(score - now);
    const float2 mine = v[index];
    value = {value.x * old + e * mine.x, value.y * old + e * mine.y};
    sum = sum * old + e;
    most = now;
  }
  most_of[warp] = most;
  sum_of[warp] = sum;
  value_of[warp][lane] = value;
  __syncthreads();
  if (threadIdx.x < 64) {
    float top = most_of[0], all = 0, result = 0;
    for (int w = 1; w < 8; ++w) top = fmaxf(top, most_of[w]);
    for (int w = 0; w < 8; ++w) {
      const float e = expf(most_of[w] - top);
      all += e * sum_of[w];
      result += e * reinterpret_cast<const float*>(value_of[w])[threadIdx.x];
    }
    out[blockIdx.x * 64 + threadIdx.x] = result / all;
  }
}
