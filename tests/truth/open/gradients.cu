// Steps of training: optimizers, losses, gradients of norms and convolutions.
#include <cuda_bf16.h>

#include <cstdint>

__device__ inline float signOf(float v) {
  return v > 0 ? 1.0f : v < 0 ? -1.0f : 0.0f;
}
// An optimizer that steps by the sign of a blend of momentum and gradient; four elements a thread.
// warpscope sign_momentum_step: block = 256, n = 2^20, grid = ceil(n / 4 / block), weights = random[n], momentum = zeros[n], gradient = random[n] in -1..1, rate = 0.001
__global__ void sign_momentum_step(float4* __restrict__ weights, float4* __restrict__ momentum,
                                   const float4* __restrict__ gradient, float rate, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 w = weights[i], m = momentum[i];
  const float4 g = gradient[i];
  w.x -= rate * (signOf(0.9f * m.x + 0.1f * g.x) + 0.01f * w.x);
  w.y -= rate * (signOf(0.9f * m.y + 0.1f * g.y) + 0.01f * w.y);
  w.z -= rate * (signOf(0.9f * m.z + 0.1f * g.z) + 0.01f * w.z);
  w.w -= rate * (signOf(0.9f * m.w + 0.1f * g.w) + 0.01f * w.w);
  m = {0.99f * m.x + 0.01f * g.x, 0.99f * m.y + 0.01f * g.y, 0.99f * m.z + 0.01f * g.z,
       0.99f * m.w + 0.01f * g.w};
  weights[i] = w;
  momentum[i] = m;
}

// Second moments kept as a row and a column of a matrix only: the step divides by the root of their product.
// warpscope factored_moment_step: block = (32, 8), rows = 512, width = 512, grid = (width / 32, rows / 32), weights = random[rows * width], gradient = random[rows * width] in -1..1, row_moment = random[rows] in 0.1..1, column_moment = random[width] in 0.1..1, mean = 0.5
__global__ void factored_moment_step(float* weights, const float* gradient, const float* row_moment,
                                     const float* column_moment, float mean, int rows, int width) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  if (x >= width) return;
  const float column = column_moment[x];
  for (int y = blockIdx.y * 32 + threadIdx.y; y < min(rows, (int)(blockIdx.y + 1) * 32); y += blockDim.y) {
    const float second = row_moment[y] * column / mean;
    weights[y * width + x] -= 1e-3f * gradient[y * width + x] / (sqrtf(second) + 1e-8f);
  }
}

// The gradient of the focal loss of ten classes: a softmax in registers, the true class weighed by its
// difficulty.
// warpscope focal_gradient_ten: block = 128, n = 2^15, grid = ceil(n / block), logits = random[n * 10] in -3..3, labels = random[n], gradient = zeros[n * 10], loss = zeros[n]
__global__ void focal_gradient_ten(const float* logits, const uint8_t* labels, float* gradient, float* loss,
                                   int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int label = labels[i] % 10;
  float p[10], most = -1e30f, sum = 0, mine = 0;
  for (int k = 0; k < 10; ++k) {
    p[k] = logits[i * 10 + k];
    most = fmaxf(most, p[k]);
  }
  for (int k = 0; k < 10; ++k) sum += p[k] = expf(p[k] - most);
  for (int k = 0; k < 10; ++k) {
    p[k] /= sum;
    if (k == label) mine = p[k];
  }
  const float rest = 1 - mine, log_mine = logf(fmaxf(mine, 1e-7f));
  const float factor = rest * (2 * mine * log_mine - rest);
  loss[i] = -rest * rest * log_mine;
  for (int k = 0; k < 10; ++k) gradient[i * 10 + k] = factor * ((k == label) - p[k]);
}

// Gradients of a batch norm's scale and shift: a block sums over images and pixels of its channel.
// warpscope batch_norm_sums: block = 256 fixed, images = 8, channels = 64, pixels = 784, grid = channels, x = random[images * channels * pixels], dy = random[images * channels * pixels] in -1..1, mean = random[channels], inverse = random[channels] in 0.5..2, dscale = zeros[channels], dshift = zeros[channels]
__global__ void batch_norm_sums(const float* x, const float* dy, const float* mean, const float* inverse,
                                float* dscale, float* dshift, int images, int channels, int pixels) {
  __shared__ float2 sums[256];
  const int c = blockIdx.x;
  const float m = mean[c], s = inverse[c];
  float2 sum{0, 0};
  for (int image = 0; image < images; ++image) {
    const size_t base = ((size_t)image * channels + c) * pixels;
    for (int p = threadIdx.x; p < pixels; p += blockDim.x) {
      const float d = dy[base + p];
      sum.x += d * (x[base + p] - m) * s;
      sum.y += d;
    }
  }
  sums[threadIdx.x] = sum;
  for (int half = 128; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) {
      sums[threadIdx.x].x += sums[threadIdx.x + half].x;
      sums[threadIdx.x].y += sums[threadIdx.x + half].y;
    }
  }
  if (threadIdx.x == 0) {
    dscale[c] = sums[0].x;
    dshift[c] = sums[0].y;
  }
}

// Adds the gradients of tokens to the rows of an embedding table; frequent tokens collide.
// warpscope token_gradients_scattered: block = 256, tokens = 4096, width = 64, grid = ceil(tokens * width / block), ids = random[tokens], gradient = random[tokens * width], table = zeros[1024 * width]
__global__ void token_gradients_scattered(const unsigned* ids, const float* gradient, float* table,
                                          int tokens, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tokens * width) return;
  const int token = i / width, column = i % width;
  unsigned id = ids[token] & 1023;
  if (id > 700) id = id & 7;
  atomicAdd(&table[id * width + column], gradient[i]);
}

// The gradient of a layer norm's input; a warp a row of 128.
// warpscope layer_norm_input_gradient: block = 128, rows = 8192, grid = ceil(rows / (block / 32)), x = random[rows * 128], dy = random[rows * 128] in -1..1, scale = random[128], dx = zeros[rows * 128]
__global__ void layer_norm_input_gradient(const float4* __restrict__ x, const float4* __restrict__ dy,
                                          const float4* __restrict__ scale, float4* __restrict__ dx,
                                          int rows) {
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= rows) return;
  const float4 v = x[row * 32 + lane], g = dy[row * 32 + lane], s = scale[lane];
  auto all = [](float a) {
    for (int d = 16; d > 0; d >>= 1) a += __shfl_xor_sync(~0u, a, d);
    return a;
  };
  const float mean = all(v.x + v.y + v.z + v.w) / 128;
  const float4 c{v.x - mean, v.y - mean, v.z - mean, v.w - mean},
      h{g.x * s.x, g.y * s.y, g.z * s.z, g.w * s.w};
  const float inverse = rsqrtf(all(c.x * c.x + c.y * c.y + c.z * c.z + c.w * c.w) / 128 + 1e-5f);
  const float mean_h = all(h.x + h.y + h.z + h.w) / 128;
  const float slope = all(h.x * c.x + h.y * c.y + h.z * c.z + h.w * c.w) / 128 * inverse * inverse;
  dx[row * 32 + lane] = {inverse * (h.x - mean_h - c.x * slope), inverse * (h.y - mean_h - c.y * slope),
                         inverse * (h.z - mean_h - c.z * slope), inverse * (h.w - mean_h - c.w * slope)};
}

__device__ __forceinline__ unsigned mixed(unsigned v) {
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  return v ^ v >> 16;
}
// Rounds floats to bfloat16 up or down by chance.
// warpscope chance_rounded_bfloats: block = 512, n = 2^19, grid = 264, in = random[n], out = zeros[n], seed = 77
__global__ void chance_rounded_bfloats(const float* in, uint16_t* out, unsigned seed, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bits = __float_as_uint(in[i]);
    out[i] = (bits + (mixed(i ^ seed) & 0xffff)) >> 16;
  }
}

// The gradient of depthwise weights: one block sums over the image for nine taps at once.
// warpscope depthwise_weight_gradient: block = 128 fixed, channels = 256, side = 32, grid = channels, x = random[channels * side * side], dy = random[channels * side * side], dw = zeros[channels * 9]
__global__ void depthwise_weight_gradient(const float* __restrict__ x, const float* __restrict__ dy,
                                          float* __restrict__ dw, int side) {
  __shared__ float parts[4][9];
  const float* image = x + (size_t)blockIdx.x * side * side;
  const float* grad = dy + (size_t)blockIdx.x * side * side;
  float taps[9] = {};
  for (int p = threadIdx.x; p < side * side; p += 128) {
    const int row = p / side, column = p % side;
    const float g = grad[p];
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      const int y = row + k / 3 - 1, z = column + k % 3 - 1;
      if (y >= 0 && y < side && z >= 0 && z < side) taps[k] += g * image[y * side + z];
    }
  }
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    for (int d = 16; d > 0; d >>= 1) taps[k] += __shfl_down_sync(~0u, taps[k], d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32][k] = taps[k];
  }
  __syncthreads();
  if (threadIdx.x < 9)
    dw[blockIdx.x * 9 + threadIdx.x] =
        parts[0][threadIdx.x] + parts[1][threadIdx.x] + parts[2][threadIdx.x] + parts[3][threadIdx.x];
}
