// Neural layers, forward and backward, as in the training loops of language and vision models.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <int kWidth, class Op>
__device__ __forceinline__ float warpReduce(float v, Op op) {
#pragma unroll
  for (int offset = kWidth / 2; offset > 0; offset >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, offset));
  return v;
}
struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// RMS norm of bfloat16 rows after a residual was added; both results are kept.
// warpscope rms_residual: block = 160, width = 1280, rows = 1600, grid = rows, x = u16 random[width * rows] in 15000..16256, skip = u16 random[width * rows]:3 in 15000..16256, gain = f32 random[width], out = u16 zeros[width * rows], sums = u16 zeros[width * rows]
__global__ void rms_residual(const __nv_bfloat162* __restrict__ x, const __nv_bfloat162* __restrict__ skip,
                             const float2* __restrict__ gain, __nv_bfloat162* __restrict__ out,
                             __nv_bfloat162* __restrict__ sums, int width) {
  __shared__ float partial[32];
  const int half_width = width / 2;
  const size_t base = size_t(blockIdx.x) * half_width;
  float squares = 0.f;
  float2 kept[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int c = threadIdx.x + j * blockDim.x;
    kept[j] = make_float2(0.f, 0.f);
    if (c < half_width) {
      const float2 a = __bfloat1622float2(x[base + c]), b = __bfloat1622float2(skip[base + c]);
      kept[j] = make_float2(a.x + b.x, a.y + b.y);
      sums[base + c] = __floats2bfloat162_rn(kept[j].x, kept[j].y);
      squares += kept[j].x * kept[j].x + kept[j].y * kept[j].y;
    }
  }
  squares = warpReduce<32>(squares, Plus());
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = squares;
  __syncthreads();
  if (threadIdx.x < 32) {
    float v = threadIdx.x < (blockDim.x + 31) / 32 ? partial[threadIdx.x] : 0.f;
    v = warpReduce<32>(v, Plus());
    if (threadIdx.x == 0) partial[0] = rsqrtf(v / width + 1e-5f);
  }
  __syncthreads();
  const float scale = partial[0];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int c = threadIdx.x + j * blockDim.x;
    if (c < half_width) {
      const float2 g = gain[c];
      out[base + c] = __floats2bfloat162_rn(kept[j].x * scale * g.x, kept[j].y * scale * g.y);
    }
  }
}

// Cross entropy and its gradient in one pass over the logits, in place.
// warpscope entropy_in_place: block = 384, vocabulary = 6001, rows = 300, grid = rows, logits = random[vocabulary * rows] in -4..4, targets = random[rows], losses = zeros[rows]
__global__ void entropy_in_place(float* logits, const unsigned* targets, float* losses, int vocabulary) {
  __shared__ float tops[32], totals[32];
  float* row = logits + size_t(blockIdx.x) * vocabulary;
  const int target = targets[blockIdx.x] % vocabulary;
  float top = -INFINITY, total = 0.f;
  for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) {
    const float v = row[i];
    if (v > top) {
      total *= expf(top - v);
      top = v;
    }
    total += expf(v - top);
  }
  const float warp_top = warpReduce<32>(top, Larger());
  total = warpReduce<32>(total * expf(top - warp_top), Plus());
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  if (threadIdx.x % 32 == 0) {
    tops[warp] = warp_top;
    totals[warp] = total;
  }
  __syncthreads();
  top = tops[0];
  for (int w = 1; w < warps; ++w) top = fmaxf(top, tops[w]);
  total = 0.f;
  for (int w = 0; w < warps; ++w) total += totals[w] * expf(tops[w] - top);
  if (threadIdx.x == 0) losses[blockIdx.x] = logf(total) + top - row[target];
  __syncthreads();
  const float inverse = 1.f / total;
  for (int i = threadIdx.x; i < vocabulary; i += blockDim.x)
    row[i] = expf(row[i] - top) * inverse - (i == target ? 1.f : 0.f);
}

// Group normalisation of images whose channels come last, one block for each image and group.
// warpscope group_norm: block = 256, groups = 8, channels = 64, pixels = 784, grid = (groups, 24), x = random[24 * channels * pixels], gain = random[channels], bias = random[channels]:5, y = zeros[24 * channels * pixels]
__global__ void group_norm(const float* __restrict__ x, const float* __restrict__ gain,
                           const float* __restrict__ bias, float* __restrict__ y, int groups, int channels,
                           int pixels) {
  __shared__ float2 shares[32];
  const int size = channels / groups, first = blockIdx.x * size;
  const float* image = x + size_t(blockIdx.y) * channels * pixels;
  float mean = 0, square = 0;
  for (int i = threadIdx.x; i < size * pixels; i += blockDim.x) {
    const float v = image[(i / size) * channels + first + i % size];
    mean += v;
    square += v * v;
  }
  mean = warpReduce<32>(mean, Plus());
  square = warpReduce<32>(square, Plus());
  if (threadIdx.x % 32 == 0) shares[threadIdx.x / 32] = make_float2(mean, square);
  __syncthreads();
  mean = square = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) {
    mean += shares[w].x;
    square += shares[w].y;
  }
  const float n = size * pixels;
  mean /= n;
  const float inverse = rsqrtf(square / n - mean * mean + 1e-6f);
  for (int i = threadIdx.x; i < size * pixels; i += blockDim.x) {
    const int c = first + i % size, at = (i / size) * channels + c;
    y[size_t(blockIdx.y) * channels * pixels + at] = (image[at] - mean) * inverse * gain[c] + bias[c];
  }
}

// Depthwise convolution of 3 by 3 on half images, channels packed two by two.
// warpscope depthwise3: block = (16, 12), side = 96, pairs = 24, grid = (side / 16, side / 12, pairs), in = f16 random[2 * side * side * pairs], weights = f16 random[18 * pairs]:2, out = f16 zeros[2 * side * side * pairs]
__global__ void depthwise3(const half2* in, const half2* weights, half2* out, int side) {
  __shared__ half2 tile[14][18];
  const half2* plane = in + blockIdx.z * side * side;
  const int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 12 - 1;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 14 * 18; k += 192) {
    const int y = y0 + k / 18, x = x0 + k % 18;
    tile[k / 18][k % 18] =
        x >= 0 && y >= 0 && x < side && y < side ? plane[y * side + x] : __float2half2_rn(0.f);
  }
  half2 w[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) w[k] = weights[blockIdx.z * 9 + k];
  __syncthreads();
  half2 sum = __float2half2_rn(0.f);
#pragma unroll
  for (int dy = 0; dy < 3; ++dy)
#pragma unroll
    for (int dx = 0; dx < 3; ++dx)
      sum = __hfma2(tile[threadIdx.y + dy][threadIdx.x + dx], w[3 * dy + dx], sum);
  sum = __hmax2(sum, __float2half2_rn(0.f));
  out[(blockIdx.z * side + y0 + 1 + threadIdx.y) * side + x0 + 1 + threadIdx.x] = sum;
}

// A matrix of bytes times a vector of bytes, a warp for each row, four products an instruction.
// warpscope byte_rows: block = 128, columns = 1024, rows = 3000, grid = ceil(rows / 4), matrix = s32 random[columns / 4 * rows], x = s32 random[columns / 4]:7, scales = f32 random[rows], y = f32 zeros[rows]
__global__ void byte_rows(const int4* __restrict__ matrix, const int4* __restrict__ x,
                          const float* __restrict__ scales, float* __restrict__ y, int columns, int rows) {
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= rows) return;
  const int vectors = columns / 16;
  const int4* mine = matrix + size_t(row) * vectors;
  int sum = 0;
  for (int i = lane; i < vectors; i += 32) {
    const int4 a = mine[i], b = __ldg(&x[i]);
    sum = __dp4a(a.x, b.x, sum);
    sum = __dp4a(a.y, b.y, sum);
    sum = __dp4a(a.z, b.z, sum);
    sum = __dp4a(a.w, b.w, sum);
  }
  sum = __reduce_add_sync(0xffffffffu, sum);
  if (lane == 0) y[row] = sum * scales[row];
}

// Four-bit weights, 32 to a scale, times a float vector.
// warpscope nibble_rows: block = 64, columns = 2048, rows = 2048, grid = rows / 2, packed = u32 random[columns / 8 * rows], scales = f32 random[columns / 32 * rows], x = f32 random[columns], y = f32 zeros[rows]
__global__ void nibble_rows(const uint4* packed, const float* scales, const float* x, float* y, int columns) {
  const int row = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32, groups = columns / 32;
  float sum = 0;
  for (int g = lane; g < groups; g += 32) {
    const uint4 four = packed[row * groups + g];
    const unsigned words[4] = {four.x, four.y, four.z, four.w};
    float part = 0;
    for (int w = 0; w < 4; ++w) {
#pragma unroll
      for (int k = 0; k < 8; ++k) part += (int(words[w] >> (4 * k) & 15) - 8) * x[32 * g + 8 * w + k];
    }
    sum += part * scales[row * groups + g];
  }
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (!lane) y[row] = sum;
}

// Attention with a running maximum: 64 queries a block, keys and values by tiles of 32.
// warpscope running_attention: block = 64 fixed, tokens = 256, grid = (tokens / 64, 12), q = random[tokens * 32 * 12], k = random[tokens * 32 * 12]:2, v = random[tokens * 32 * 12]:3, out = zeros[tokens * 32 * 12]
__global__ void __launch_bounds__(64)
    running_attention(const float* q, const float* k, const float* v, float* out, int tokens) {
  __shared__ float4 keys[32][8], values[32][8];
  const int head = blockIdx.y * tokens, query = blockIdx.x * 64 + threadIdx.x;
  const float4* k4 = reinterpret_cast<const float4*>(k) + head * 8;
  const float4* v4 = reinterpret_cast<const float4*>(v) + head * 8;
  float4 mine[8], sum[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    mine[i] = reinterpret_cast<const float4*>(q)[(head + query) * 8 + i];
    sum[i] = make_float4(0, 0, 0, 0);
  }
  float top = -1e30f, total = 0;
  for (int first = 0; first <= blockIdx.x * 64 + 32; first += 32) {
    for (int j = threadIdx.x; j < 256; j += 64) {
      keys[j / 8][j % 8] = k4[first * 8 + j];
      values[j / 8][j % 8] = v4[first * 8 + j];
    }
    __syncthreads();
    const int last = min(31, query - first);
    for (int j = 0; j <= last; ++j) {
      float score = 0;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float4 key = keys[j][i];
        score += mine[i].x * key.x + mine[i].y * key.y + mine[i].z * key.z + mine[i].w * key.w;
      }
      score *= 0.17677f;
      const float new_top = fmaxf(top, score), keep = __expf(top - new_top), add = __expf(score - new_top);
      total = total * keep + add;
      top = new_top;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float4 value = values[j][i];
        sum[i].x = sum[i].x * keep + add * value.x;
        sum[i].y = sum[i].y * keep + add * value.y;
        sum[i].z = sum[i].z * keep + add * value.z;
        sum[i].w = sum[i].w * keep + add * value.w;
      }
    }
    __syncthreads();
  }
  const float inverse = 1 / total;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    reinterpret_cast<float4*>(out)[(head + query) * 8 + i] =
        make_float4(sum[i].x * inverse, sum[i].y * inverse, sum[i].z * inverse, sum[i].w * inverse);
}

// Gradients flow back into the rows of an embedding: tokens that share a word add up.
// warpscope embed_gradient: block = 96, tokens = 2048, width = 192, words = 512, grid = tokens, ids = random[tokens], gradient = random[width * tokens], table = zeros[width * words]
__global__ void embed_gradient(const unsigned* ids, const float* gradient, float* table, int width,
                               int words) {
  const unsigned word = ids[blockIdx.x] % words;
  for (int c = threadIdx.x; c < width; c += blockDim.x)
    atomicAdd(table + word * width + c, gradient[blockIdx.x * width + c]);
}

// AdamW on four parameters a thread, with moments in float and weights in bfloat16.
// warpscope adamw4: block = 512, n = 600000, grid = ceil(n / 4 / block), rate = 0.001, weights = u16 random[n] in 15000..16256, gradient = f32 random[n] in -1..1, first = f32 random[n], second = f32 random[n]:2
__global__ void adamw4(__nv_bfloat16* __restrict__ weights, const float4* __restrict__ gradient,
                       float4* __restrict__ first, float4* __restrict__ second, float rate, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i >= n) return;
  const float4 g4 = gradient[i];
  float4 m4 = first[i], v4 = second[i];
  uint2 raw = reinterpret_cast<const uint2*>(weights)[i];
  __nv_bfloat16* w = reinterpret_cast<__nv_bfloat16*>(&raw);
  float* m = &m4.x;
  float* v = &v4.x;
  const float* g = &g4.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    m[k] += 0.1f * (g[k] - m[k]);
    v[k] += 0.05f * (g[k] * g[k] - v[k]);
    float p = __bfloat162float(w[k]);
    p -= rate * (m[k] * 1.3f / (sqrtf(v[k] * 1.1f) + 1e-8f) + 0.01f * p);
    w[k] = __float2bfloat16(p);
  }
  first[i] = m4;
  second[i] = v4;
  reinterpret_cast<uint2*>(weights)[i] = raw;
}

// A gated recurrent unit's pointwise part, on rows of hidden states in place.
// warpscope recurrent_gate: block = 200, hidden = 400, batch = 512, grid = (ceil(hidden / block), batch), from_x = random[3 * hidden * batch] in -1..1, from_h = random[3 * hidden * batch]:2 in -1..1, state = random[hidden * batch]:3
__global__ void recurrent_gate(const float* from_x, const float* from_h, float* state, int hidden) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= hidden) return;
  const int row = blockIdx.y * 3 * hidden;
  const float reset = 1.f / (1.f + expf(-from_x[row + c] - from_h[row + c]));
  const float update = 1.f / (1.f + expf(-from_x[row + hidden + c] - from_h[row + hidden + c]));
  const float fresh = tanhf(from_x[row + 2 * hidden + c] + reset * from_h[row + 2 * hidden + c]);
  float* h = state + blockIdx.y * hidden + c;
  *h = (1.f - update) * fresh + update * *h;
}
