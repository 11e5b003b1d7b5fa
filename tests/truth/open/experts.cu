// Steps of training and of serving large models: routing, sampling, optimisers, losses, compressed weights.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Tokens find their seat with an expert: counts in a block by ballots, one atomic for each expert and block;
// who comes too late is dropped.
// warpscope seats_with_experts: block = 256, tokens = 2^16, experts = 16, seats = 4000, grid = tokens / block, choice = random[tokens] in 0..15, taken = zeros[experts], seat = zeros[tokens]
__global__ void seats_with_experts(const int* __restrict__ choice, unsigned* taken, int* __restrict__ seat,
                                   int experts, int seats) {
  __shared__ unsigned counts[8][16], bases[16];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int mine = choice[i];
  unsigned before = 0;
  for (int e = 0; e < experts; ++e) {
    const unsigned votes = __ballot_sync(~0u, mine == e);
    if (mine == e) before = __popc(votes & ((1u << lane) - 1));
    if (lane == 0) counts[warp][e] = __popc(votes);
  }
  __syncthreads();
  if (threadIdx.x < experts) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) {
      const unsigned c = counts[w][threadIdx.x];
      counts[w][threadIdx.x] = sum;
      sum += c;
    }
    bases[threadIdx.x] = atomicAdd(taken + threadIdx.x, sum);
  }
  __syncthreads();
  const unsigned at = bases[mine] + counts[warp][mine] + before;
  seat[i] = at < seats ? mine * seats + (int)at : -1;
}

// Draws the next token from each row: scores are cooled and get noise of a double exponential, the largest
// wins. A block takes a row.
// warpscope noisy_largest_token: block = 512, rows = 64, words = 8192, grid = rows, scores = random[rows * words] in -6..6, used = random[rows * words / 32], chosen = zeros[rows], heat = 0.8, penalty = 1.2, seed = 3
__global__ void noisy_largest_token(const float* __restrict__ scores, const unsigned* __restrict__ used,
                                    int* chosen, int words, float heat, float penalty, unsigned seed) {
  __shared__ float bests[16];
  __shared__ int places[16];
  const int row = blockIdx.x;
  float best = -1e30f;
  int place = 0;
  for (int w = threadIdx.x; w < words; w += blockDim.x) {
    float s = scores[(size_t)row * words + w];
    if (used[(row * words + w) >> 5] >> (w & 31) & 1) s = s > 0 ? s / penalty : s * penalty;
    unsigned h = (row * words + w) * 0x9E3779B9u + seed;
    h ^= h >> 16, h *= 0x85EBCA6Bu, h ^= h >> 13, h *= 0xC2B2AE35u, h ^= h >> 16;
    const float u = (h >> 8) * (1.0f / 16777216.0f) + 1e-8f;
    s = s / heat - __logf(-__logf(u) + 1e-8f);
    if (s > best) best = s, place = w;
  }
  for (int d = 16; d; d >>= 1) {
    const float b = __shfl_down_sync(~0u, best, d);
    const int p = __shfl_down_sync(~0u, place, d);
    if (b > best) best = b, place = p;
  }
  if (threadIdx.x % 32 == 0) bests[threadIdx.x / 32] = best, places[threadIdx.x / 32] = place;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x / 32; ++k)
      if (bests[k] > best) best = bests[k], place = places[k];
    chosen[row] = place;
  }
}

// Layer-wise step: a block owns a layer's slice, finds the lengths of the weights and of the update, and
// scales the step by their ratio.
// warpscope trust_ratio_step: block = 1024, layers = 128, size = 4096, grid = layers, w = random[layers * size] in -1..1, g = random[layers * size] in -1..1, m = random[layers * size] in -0.1..0.1, v = random[layers * size] in 0.1..1, rate = 0.001
__global__ void trust_ratio_step(float* w, const float* g, float* m, float* v, float rate, int size) {
  __shared__ float weightParts[32], stepParts[32];
  __shared__ float ratio;
  const size_t base = (size_t)blockIdx.x * size + threadIdx.x * 4;
  float4 weight = *(float4*)(w + base), mean = *(float4*)(m + base), square = *(float4*)(v + base);
  const float4 slope = *(const float4*)(g + base);
  float4 step;
  auto one = [](float grad, float& mm, float& vv, float ww) {
    mm = 0.9f * mm + 0.1f * grad;
    vv = 0.999f * vv + 0.001f * grad * grad;
    return mm / (sqrtf(vv) + 1e-6f) + 0.01f * ww;
  };
  step.x = one(slope.x, mean.x, square.x, weight.x), step.y = one(slope.y, mean.y, square.y, weight.y);
  step.z = one(slope.z, mean.z, square.z, weight.z), step.w = one(slope.w, mean.w, square.w, weight.w);
  float a = weight.x * weight.x + weight.y * weight.y + weight.z * weight.z + weight.w * weight.w;
  float b = step.x * step.x + step.y * step.y + step.z * step.z + step.w * step.w;
  for (int d = 16; d; d >>= 1) a += __shfl_xor_sync(~0u, a, d), b += __shfl_xor_sync(~0u, b, d);
  if (threadIdx.x % 32 == 0) weightParts[threadIdx.x / 32] = a, stepParts[threadIdx.x / 32] = b;
  __syncthreads();
  if (threadIdx.x < 32) {
    a = weightParts[threadIdx.x], b = stepParts[threadIdx.x];
    for (int d = 16; d; d >>= 1) a += __shfl_xor_sync(~0u, a, d), b += __shfl_xor_sync(~0u, b, d);
    if (threadIdx.x == 0) ratio = a > 0 && b > 0 ? sqrtf(a / b) : 1.0f;
  }
  __syncthreads();
  const float scale = rate * fminf(ratio, 10.0f);
  weight.x -= scale * step.x, weight.y -= scale * step.y, weight.z -= scale * step.z,
      weight.w -= scale * step.w;
  *(float4*)(w + base) = weight, *(float4*)(m + base) = mean, *(float4*)(v + base) = square;
}

// A student learns from a teacher's softened chances: divergence and gradient of each row, by a warp, from
// bfloat scores.
// warpscope distilled_rows: block = 128, rows = 2048, classes = 256, grid = rows / 4, student = u16 random[rows * classes] in 15800..16500, teacher = u16 random[rows * classes]:4 in 15800..16500, gradient = zeros[rows * classes], loss = zeros[rows], heat = 2.0
__global__ void distilled_rows(const __nv_bfloat16* __restrict__ student,
                               const __nv_bfloat16* __restrict__ teacher, float* __restrict__ gradient,
                               float* __restrict__ loss, float heat) {
  constexpr int kEach = 8;
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float s[kEach], t[kEach], topS = -1e30f, topT = -1e30f, sumS = 0, sumT = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    s[k] = __bfloat162float(student[(size_t)row * 256 + k * 32 + lane]) / heat;
    t[k] = __bfloat162float(teacher[(size_t)row * 256 + k * 32 + lane]) / heat;
    topS = fmaxf(topS, s[k]), topT = fmaxf(topT, t[k]);
  }
  for (int d = 16; d; d >>= 1)
    topS = fmaxf(topS, __shfl_xor_sync(~0u, topS, d)), topT = fmaxf(topT, __shfl_xor_sync(~0u, topT, d));
#pragma unroll
  for (int k = 0; k < kEach; ++k) sumS += expf(s[k] - topS), sumT += expf(t[k] - topT);
  for (int d = 16; d; d >>= 1) sumS += __shfl_xor_sync(~0u, sumS, d), sumT += __shfl_xor_sync(~0u, sumT, d);
  const float logS = topS + logf(sumS), logT = topT + logf(sumT);
  float divergence = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const float pt = expf(t[k] - logT), ps = expf(s[k] - logS);
    divergence += pt * (t[k] - logT - s[k] + logS);
    gradient[(size_t)row * 256 + k * 32 + lane] = (ps - pt) * heat;
  }
  for (int d = 16; d; d >>= 1) divergence += __shfl_xor_sync(~0u, divergence, d);
  if (lane == 0) loss[row] = divergence * heat * heat;
}

// Sum over all alignments of a label with the frames of a sound: the forward pass in logarithms, a block for
// each utterance.
__device__ inline float logSum(float a, float b) {
  const float top = fmaxf(a, b);
  return top < -1e29f ? top : top + log1pf(__expf(fminf(a, b) - top));
}
// warpscope alignments_summed: block = 96, utterances = 64, frames = 120, symbols = 32, label = 40, grid = utterances, chances = random[utterances * frames * symbols] in -6..-0.1, labels = random[utterances * label] in 1..31, score = zeros[utterances]
__global__ void alignments_summed(const float* __restrict__ chances, const int* __restrict__ labels,
                                  float* score, int frames, int symbols, int label) {
  __shared__ float alpha[2][98];
  const int s = threadIdx.x, states = 2 * label + 1;
  const int symbol = s < states && s % 2 ? labels[blockIdx.x * label + s / 2] : 0;
  const bool skip = s >= 3 && s < states && s % 2 && symbol != labels[blockIdx.x * label + s / 2 - 1];
  const float* frame = chances + (size_t)blockIdx.x * frames * symbols;
  if (s < 2) alpha[0][s] = alpha[1][s] = -1e30f;
  alpha[0][s + 2] = s < 2 ? frame[symbol] : -1e30f;
  int now = 0;
  for (int t = 1; t < frames; ++t) {
    __syncthreads();
    frame += symbols;
    float sum = logSum(alpha[now][s + 2], alpha[now][s + 1]);
    if (skip) sum = logSum(sum, alpha[now][s]);
    alpha[now ^ 1][s + 2] = s < states ? sum + frame[symbol] : -1e30f;
    now ^= 1;
  }
  __syncthreads();
  if (s == 0) score[blockIdx.x] = logSum(alpha[now][states + 1], alpha[now][states]);
}

// Weights of three bits, ten to a word, with a scale and an offset for each thirty: a product with a vector,
// rows by warps.
// warpscope three_bit_product: block = 128, rows = 4096, groups = 64, grid = rows / 4, weights = random[rows * groups * 3], scales = random[rows * groups] in 0.01..0.1, offsets = random[rows * groups] in -0.4..0, x = random[groups * 30] in -1..1, y = zeros[rows]
__global__ void three_bit_product(const unsigned* __restrict__ weights, const float* __restrict__ scales,
                                  const float* __restrict__ offsets, const float* __restrict__ x,
                                  float* __restrict__ y, int rows, int groups) {
  __shared__ float held[1920];
  for (int k = threadIdx.x; k < groups * 30; k += blockDim.x) held[k] = x[k];
  __syncthreads();
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int g = lane; g < groups; g += 32) {
    const unsigned* words = weights + ((size_t)row * groups + g) * 3;
    float part = 0, plain = 0;
    for (int w = 0; w < 3; ++w) {
      unsigned bits = words[w];
#pragma unroll
      for (int k = 0; k < 10; ++k) {
        const float v = held[g * 30 + w * 10 + k];
        part += (bits & 7) * v;
        plain += v;
        bits >>= 3;
      }
    }
    sum += scales[row * groups + g] * part + offsets[row * groups + g] * plain;
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}

// Places in space are described by learned features at the corners of cells of twelve grids, found by a hash.
// warpscope hashed_grid_features: block = 256, points = 2^14, levels = 12, slots = 2^14, grid = (points / block, levels), where = random[3 * points], features = random[2 * levels * slots] in -1..1, out = zeros[2 * levels * points]
__global__ void hashed_grid_features(const float* __restrict__ where, const float2* __restrict__ features,
                                     float2* __restrict__ out, int points, int slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y;
  if (i >= points) return;
  const float scale = 16.0f * exp2f(0.5f * level);
  const unsigned side = (unsigned)ceilf(scale) + 1;
  unsigned base[3];
  float f[3];
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    const float p = where[3 * i + d] * scale;
    base[d] = (unsigned)p;
    f[d] = p - base[d];
  }
  const bool small = side * side * side <= (unsigned)slots;
  float2 sum = {0, 0};
#pragma unroll
  for (int corner = 0; corner < 8; ++corner) {
    const unsigned x = base[0] + (corner & 1), y = base[1] + (corner >> 1 & 1), z = base[2] + (corner >> 2);
    const unsigned slot =
        small ? (z * side + y) * side + x : (x ^ y * 2654435761u ^ z * 805459861u) & (slots - 1);
    const float w =
        (corner & 1 ? f[0] : 1 - f[0]) * (corner & 2 ? f[1] : 1 - f[1]) * (corner & 4 ? f[2] : 1 - f[2]);
    const float2 v = __ldg(features + level * slots + min(slot, (unsigned)slots - 1));
    sum.x += w * v.x, sum.y += w * v.y;
  }
  out[(size_t)level * points + i] = sum;
}

// Mixes of sound samples far apart: a convolution in one dimension with gaps, gated by a sigmoid, as in
// models of speech. Half precision in.
// warpscope gapped_gated_sound: block = 128, steps = 4096, channels = 16, gap = 8, grid = (ceil(steps / block), channels), x = random[channels * steps], filters = random[channels * channels * 3] in -1..1, gates = random[channels * channels * 3] in -1..1, y = zeros[channels * steps]
__global__ void gapped_gated_sound(const __half* __restrict__ x, const float* __restrict__ filters,
                                   const float* __restrict__ gates, __half* __restrict__ y, int steps,
                                   int channels, int gap) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, to = blockIdx.y;
  if (t >= steps) return;
  float a = 0, b = 0;
  for (int c = 0; c < channels; ++c) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int from = t - gap * k;
      const float v = from >= 0 ? __half2float(x[c * steps + from]) : 0.0f;
      a += filters[(to * channels + c) * 3 + k] * v;
      b += gates[(to * channels + c) * 3 + k] * v;
    }
  }
  y[to * steps + t] = __float2half(tanhf(a) / (1.0f + __expf(-b)) + __half2float(x[to * steps + t]));
}

// Samples under moved taps: each tap of a 3 x 3 filter reads the picture at a learned offset; one thread for
// a pixel and a group of channels.
// warpscope taps_that_moved: block = 128, side = 64, channels = 32, grid = (side * side / block, 4), x = random[channels * side * side], offsets = random[18 * side * side] in -1.5..1.5, masks = random[9 * side * side], weights = random[channels * 9], y = zeros[channels * side * side]
__global__ void taps_that_moved(const float* __restrict__ x, const float* __restrict__ offsets,
                                const float* __restrict__ masks, const float* __restrict__ weights,
                                float* __restrict__ y, int side, int channels) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x, px = p % side, py = p / side, area = side * side;
  const int each = channels / gridDim.y, first = blockIdx.y * each;
  float sums[8] = {};
  for (int k = 0; k < 9; ++k) {
    const float fy = py + k / 3 - 1 + offsets[2 * k * area + p],
                fx = px + k % 3 - 1 + offsets[(2 * k + 1) * area + p];
    if (fx <= -1 || fy <= -1 || fx >= side || fy >= side) continue;
    const float m = masks[k * area + p];
    const int ix = (int)floorf(fx), iy = (int)floorf(fy);
    const float ax = fx - ix, ay = fy - iy;
    const bool l = ix >= 0, r = ix + 1 < side, u = iy >= 0, d = iy + 1 < side;
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      const float* plane = x + (first + c) * area + iy * side + ix;
      const float v = (u && l ? plane[0] * (1 - ax) * (1 - ay) : 0) +
                      (u && r ? plane[1] * ax * (1 - ay) : 0) + (d && l ? plane[side] * (1 - ax) * ay : 0) +
                      (d && r ? plane[side + 1] * ax * ay : 0);
      sums[c] += weights[(first + c) * 9 + k] * m * v;
    }
  }
#pragma unroll
  for (int c = 0; c < 8; ++c) y[(first + c) * area + p] = sums[c];
}
