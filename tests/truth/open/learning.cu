// Layers of neural networks and steps of their training.
#include <cuda_fp16.h>

// warpscope softmax_block: block = 256, rows = 1500, width = 1000, grid = rows, in = random[rows * width] in -4..4, out = zeros[rows * width]
__global__ void softmax_block(const float* in, float* out, int rows, int width) {
  __shared__ float shared[32];
  const float* row = in + blockIdx.x * width;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  if (blockIdx.x >= rows) return;
  float most = -1e30f;
  for (int k = threadIdx.x; k < width; k += blockDim.x) most = fmaxf(most, row[k]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFF, most, d));
  if (lane == 0) shared[warp] = most;
  __syncthreads();
  for (int w = 0; w < warps; ++w) most = fmaxf(most, shared[w]);
  __syncthreads();
  float sum = 0;
  for (int k = threadIdx.x; k < width; k += blockDim.x) sum += __expf(row[k] - most);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, d);
  if (lane == 0) shared[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < warps; ++w) sum += shared[w];
  const float scale = 1 / sum;
  for (int k = threadIdx.x; k < width; k += blockDim.x)
    out[blockIdx.x * width + k] = __expf(row[k] - most) * scale;
}

// Each warp normalises a row of 256 halves, which it keeps in registers.
// warpscope layer_norm_half: block = 128, rows = 12000, grid = ceil(32 * rows / block), in = random[128 * rows], gain = random[128]:2, out = zeros[128 * rows]
__global__ void layer_norm_half(const half2* in, const half2* gain, half2* out, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float2 values[4];
  float sum = 0, squares = 0;
  for (int k = 0; k < 4; ++k) {
    values[k] = __half22float2(in[row * 128 + k * 32 + lane]);
    sum += values[k].x + values[k].y;
    squares += values[k].x * values[k].x + values[k].y * values[k].y;
  }
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFF, sum, d);
    squares += __shfl_xor_sync(0xFFFFFFFF, squares, d);
  }
  const float mean = sum / 256, scale = rsqrtf(squares / 256 - mean * mean + 1e-5f);
  for (int k = 0; k < 4; ++k) {
    const half2 normal = __floats2half2_rn((values[k].x - mean) * scale, (values[k].y - mean) * scale);
    out[row * 128 + k * 32 + lane] = __hmul2(normal, gain[k * 32 + lane]);
  }
}

// Attention of 64 queries a block, with a softmax that goes along the keys.
// warpscope attention: block = 64 fixed, queries = 2048, keys = 128, grid = queries / 64, q = random[32 * queries], k = random[32 * keys]:2, v = random[32 * keys]:3, out = zeros[32 * queries]
__global__ void attention(const float* q, const float* k, const float* v, float* out, int queries, int keys) {
  __shared__ float key_tile[16][32], value_tile[16][32];
  const int query = blockIdx.x * 64 + threadIdx.x;
  float mine[32], sums[32], most = -1e30f, weights = 0;
  for (int c = 0; c < 32; ++c) {
    mine[c] = q[query * 32 + c] * 0.1767767f;
    sums[c] = 0;
  }
  for (int first = 0; first < keys; first += 16) {
    __syncthreads();
    for (int e = threadIdx.x; e < 16 * 32; e += 64) {
      key_tile[e / 32][e % 32] = k[first * 32 + e];
      value_tile[e / 32][e % 32] = v[first * 32 + e];
    }
    __syncthreads();
    for (int r = 0; r < 16; ++r) {
      float score = 0;
      for (int c = 0; c < 32; ++c) score += mine[c] * key_tile[r][c];
      const float highest = fmaxf(most, score), old = __expf(most - highest),
                  weight = __expf(score - highest);
      weights = weights * old + weight;
      for (int c = 0; c < 32; ++c) sums[c] = sums[c] * old + weight * value_tile[r][c];
      most = highest;
    }
  }
  for (int c = 0; c < 32; ++c) out[query * 32 + c] = sums[c] / weights;
}

// warpscope gelu: block = 512, n = 1000000, grid = ceil(n / block), bias = random[64], in = random[n] in -3..3, out = zeros[n]
__global__ void gelu(const float4* bias, const float4* in, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 b = bias[i % 64];
  float4 x = in[i];
  float values[4] = {x.x + b.x, x.y + b.y, x.z + b.z, x.w + b.w};
  for (int k = 0; k < 4; ++k) {
    const float y = values[k];
    values[k] = 0.5f * y * (1 + tanhf(0.79788456f * (y + 0.044715f * y * y * y)));
  }
  out[i] = make_float4(values[0], values[1], values[2], values[3]);
}

// warpscope embed: block = (32, 4), tokens = 16384, words = 30000, grid = ceil(tokens / block.y), ids = random[tokens], table = random[32 * words], out = zeros[32 * tokens]
__global__ void embed(const unsigned* ids, const float4* table, float4* out, int tokens, int words) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= tokens) return;
  const unsigned word = ids[token] % words;
  out[token * 32 + threadIdx.x] = table[word * 32 + threadIdx.x];
}

// warpscope max_pool: block = (28, 8), side = 56, planes = 192, grid = (1, ceil(side / 2 / block.y), planes), in = random[side * side * planes], out = zeros[side * side * planes / 4], place = zeros[side * side * planes / 4]
__global__ void max_pool(const float* in, float* out, unsigned char* place, int side) {
  const int x = threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, half_side = side / 2;
  if (y >= half_side || x >= half_side) return;
  const float2* plane = reinterpret_cast<const float2*>(in + blockIdx.z * side * side);
  const float2 above = plane[2 * y * half_side + x], below = plane[(2 * y + 1) * half_side + x];
  float most = above.x;
  int at = 0;
  if (above.y > most) most = above.y, at = 1;
  if (below.x > most) most = below.x, at = 2;
  if (below.y > most) most = below.y, at = 3;
  const int to = blockIdx.z * half_side * half_side + y * half_side + x;
  out[to] = most;
  place[to] = at;
}

// A convolution of 3 x 3 from 8 channels to 8, all of a pixel's in one thread.
// warpscope convolve_channels: block = (32, 4), side = 128, grid = (side / block.x, side / block.y), weights = random[576] in -1..1, in = random[8 * side * side], out = zeros[8 * side * side]
__global__ void convolve_channels(const float* weights, const float* in, float* out, int side) {
  __shared__ float local[576];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < 576; k += blockDim.x * blockDim.y)
    local[k] = weights[k];
  __syncthreads();
  float sums[8] = {};
  for (int c = 0; c < 8; ++c) {
    for (int k = 0; k < 9; ++k) {
      const int sx = x + k % 3 - 1, sy = y + k / 3 - 1;
      const bool inside = sx >= 0 && sy >= 0 && sx < side && sy < side;
      const float value = inside ? in[(c * side + sy) * side + sx] : 0;
#pragma unroll
      for (int to = 0; to < 8; ++to) sums[to] += value * local[(c * 9 + k) * 8 + to];
    }
  }
  for (int to = 0; to < 8; ++to) out[(to * side + y) * side + x] = fmaxf(sums[to], 0);
}

// Mean and variance of each channel, by Welford's method.
// warpscope channel_statistics: block = 320 fixed, channels = 256, samples = 4000, grid = channels, in = random[channels * samples], out = zeros[channels]
__global__ void channel_statistics(const float* in, float2* out, int samples) {
  __shared__ float means[320], deviations[320];
  __shared__ int counts[320];
  const int t = threadIdx.x;
  float mean = 0, deviation = 0;
  int count = 0;
  for (int k = t; k < samples; k += 320) {
    const float value = in[blockIdx.x * samples + k], apart = value - mean;
    ++count;
    mean += apart / count;
    deviation += apart * (value - mean);
  }
  means[t] = mean;
  deviations[t] = deviation;
  counts[t] = count;
  for (int d = 160; d >= 5; d /= 2) {
    __syncthreads();
    if (t < d) {
      const int total = counts[t] + counts[t + d];
      const float apart = means[t + d] - means[t], share = static_cast<float>(counts[t + d]) / total;
      deviations[t] += deviations[t + d] + apart * apart * counts[t] * share;
      means[t] += apart * share;
      counts[t] = total;
    }
  }
  __syncthreads();
  if (t == 0) {
    float all = 0, spread = 0;
    for (int k = 0; k < 5; ++k) all += means[k] * counts[k] / samples;
    for (int k = 0; k < 5; ++k) spread += deviations[k] + (means[k] - all) * (means[k] - all) * counts[k];
    out[blockIdx.x] = make_float2(all, spread / samples);
  }
}

// warpscope adam: block = 256, n = 900000, grid = ceil(n / block), gradient = random[n] in -1..1, first = random[n]:2, second = random[n]:3, weights = random[n]:4
__global__ void adam(const float* gradient, float* first, float* second, float* weights, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = gradient[i];
  const float m = 0.9f * first[i] + 0.1f * g, s = 0.999f * second[i] + 0.001f * g * g;
  first[i] = m;
  second[i] = s;
  weights[i] -= 0.001f * (m / 0.271f) / (sqrtf(s / 0.003f) + 1e-8f);
}

// warpscope dropout: block = 128, n = 400000, grid = ceil(n / block), seed = 1234, in = random[n], out = zeros[n], mask = zeros[n]
__global__ void dropout(const float4* in, float4* out, uchar4* mask, int n, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned counter[4] = {static_cast<unsigned>(i), 0, 0, 0}, key0 = seed, key1 = 0xCAFE;
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, counter[0]), low0 = 0xD2511F53u * counter[0];
    const unsigned high1 = __umulhi(0xCD9E8D57u, counter[2]), low1 = 0xCD9E8D57u * counter[2];
    counter[0] = high1 ^ counter[1] ^ key0;
    counter[1] = low1;
    counter[2] = high0 ^ counter[3] ^ key1;
    counter[3] = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  const unsigned limit = 0xE6666666u;  // 0.9
  const float4 x = in[i];
  out[i] = make_float4(counter[0] < limit ? x.x / 0.9f : 0, counter[1] < limit ? x.y / 0.9f : 0,
                       counter[2] < limit ? x.z / 0.9f : 0, counter[3] < limit ? x.w / 0.9f : 0);
  mask[i] = make_uchar4(counter[0] < limit, counter[1] < limit, counter[2] < limit, counter[3] < limit);
}

// Turns pairs of halves by an angle that their place tells.
// warpscope rotary: block = 192, tokens = 4096, pairs = 96, grid = ceil(tokens * pairs / block), data = random[tokens * pairs]
__global__ void rotary(half2* data, int tokens, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tokens * pairs) return;
  const int token = i / pairs, pair = i % pairs;
  const float angle = token * exp2f(-13.28771f * pair / pairs);
  float sine, cosine;
  sincosf(angle, &sine, &cosine);
  const float2 x = __half22float2(data[i]);
  data[i] = __floats2half2_rn(x.x * cosine - x.y * sine, x.x * sine + x.y * cosine);
}

// A row's values to bytes, by the largest of them.
// warpscope to_bytes: block = 96, rows = 6000, width = 384, grid = rows, in = random[rows * width] in -2..2, out = zeros[rows * width], scales = zeros[rows]
__global__ void to_bytes(const float* in, signed char* out, float* scales, int width) {
  __shared__ unsigned most_bits;
  const float* row = in + blockIdx.x * width;
  if (threadIdx.x == 0) most_bits = 0;
  __syncthreads();
  float most = 0;
  for (int k = threadIdx.x; k < width; k += blockDim.x) most = fmaxf(most, fabsf(row[k]));
  atomicMax(&most_bits, __float_as_uint(most));
  __syncthreads();
  const float scale = __uint_as_float(most_bits) / 127;
  for (int k = threadIdx.x; k < width; k += blockDim.x)
    out[blockIdx.x * width + k] = static_cast<signed char>(__float2int_rn(row[k] / scale));
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

// The four best of a row, of a thread each.
// warpscope best_four: block = 32, rows = 3000, width = 100, grid = ceil(rows / block), scores = random[rows * width], out = zeros[rows]
__global__ void best_four(const float* scores, int4* out, int rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best[4] = {-1, -1, -1, -1};
  int at[4] = {-1, -1, -1, -1};
  for (int k = 0; k < width; ++k) {
    float value = scores[row * width + k];
    int place = k;
    if (value <= best[3]) continue;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (value > best[j]) {
        const float other = best[j];
        const int other_place = at[j];
        best[j] = value;
        at[j] = place;
        value = other;
        place = other_place;
      }
    }
  }
  out[row] = make_int4(at[0], at[1], at[2], at[3]);
}
