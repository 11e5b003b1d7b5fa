// Training of networks: losses, gradients, steps of optimisers.
#include <cuda_fp16.h>

// warpscope sgd_momentum_update: block = 512, n = 900000, grid = 528, param = random[n], grad = random[n] in -1..1, momentum_buf = random[n] in -1..1, lr = 0.01, momentum = 0.9, weight_decay = 0.0001
__global__ void sgd_momentum_update(float* __restrict__ param, const float* __restrict__ grad,
                                    float* __restrict__ momentum_buf, size_t n, float lr, float momentum,
                                    float weight_decay) {
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float g = grad[i] + weight_decay * param[i];
    float v = momentum * momentum_buf[i] + g;
    momentum_buf[i] = v;
    param[i] -= lr * (g + momentum * v);
  }
}

// Loss and gradient of a softmax with a label: a warp for a row.
// warpscope cross_entropy_fused: block = 128, rows = 6000, classes = 100, grid = ceil(rows * 32 / block), logits = random[rows * classes] in -5..5, targets = random[rows] in 0..99, losses = zeros[rows], dlogits = zeros[rows * classes]
__global__ void cross_entropy_fused(const float* logits, const int* targets, float* losses, float* dlogits,
                                    int rows, int classes) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* x = logits + row * classes;
  float maxval = -INFINITY, sum = 0.0f;
  for (int i = lane; i < classes; i += 32) {
    float v = x[i];
    if (v > maxval) {
      sum *= expf(maxval - v);
      maxval = v;
    }
    sum += expf(v - maxval);
  }
  for (int o = 16; o > 0; o /= 2) {
    float other_max = __shfl_xor_sync(0xFFFFFFFF, maxval, o), other_sum = __shfl_xor_sync(0xFFFFFFFF, sum, o);
    float m = fmaxf(maxval, other_max);
    sum = sum * expf(maxval - m) + other_sum * expf(other_max - m);
    maxval = m;
  }
  int target = targets[row];
  if (lane == 0) losses[row] = logf(sum) + maxval - x[target];
  for (int i = lane; i < classes; i += 32) {
    float p = expf(x[i] - maxval) / sum;
    dlogits[row * classes + i] = (p - (i == target ? 1.0f : 0.0f)) / rows;
  }
}

// Gradients of the rows that tokens took from an embedding.
// warpscope embedding_backward: block = (64, 4), tokens = 3000, dim = 192, vocab = 2000, grid = (ceil(dim / block.x), ceil(tokens / block.y)), ids = random[tokens] in 0..1999, dout = random[tokens * dim], dwte = zeros[vocab * dim], tolerance = 1e-3
__global__ void embedding_backward(float* dwte, const float* dout, const int* ids, int tokens, int dim) {
  int d = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y * blockDim.y + threadIdx.y;
  if (d >= dim || t >= tokens) return;
  atomicAdd(&dwte[ids[t] * dim + d], dout[t * dim + d]);
}

// Sums over rows, a block for 32 columns: the gradient of a bias.
// warpscope bias_grad_columns: block = (32, 16) fixed, rows = 1200, cols = 1024, grid = ceil(cols / 32), dout = random[rows * cols] in -1..1, dbias = zeros[cols]
__global__ void bias_grad_columns(const __half* dout, float* dbias, int rows, int cols) {
  __shared__ float smem[16][32];
  const int col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  if (col < cols)
    for (int r = threadIdx.y; r < rows; r += blockDim.y) sum += __half2float(dout[(size_t)r * cols + col]);
  smem[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  for (int half_rows = 8; half_rows > 0; half_rows >>= 1) {
    if (threadIdx.y < half_rows) smem[threadIdx.y][threadIdx.x] += smem[threadIdx.y + half_rows][threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.y == 0 && col < cols) dbias[col] = smem[0][threadIdx.x];
}

// Looks for gradients that are no numbers while it takes the loss's scale off.
// warpscope unscale_check_inf: block = 256, n = 2^22, grid = ceil(n / 4 / block), grads = random[n], found = zeros[1], inv_scale = 0.00390625
__global__ void unscale_check_inf(__half* grads, float* found, float inv_scale, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 >= n) return;
  uint2 packed = *reinterpret_cast<uint2*>(grads + i);
  __half2* h = reinterpret_cast<__half2*>(&packed);
  bool bad = false;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    float2 f = __half22float2(h[k]);
    f.x *= inv_scale;
    f.y *= inv_scale;
    bad |= !isfinite(f.x) || !isfinite(f.y);
    h[k] = __float22half2_rn(f);
  }
  *reinterpret_cast<uint2*>(grads + i) = packed;
  if (bad) atomicExch(found, 1.0f);
}

// The first stage of a norm over all gradients.
// warpscope global_norm_squared: block = 512 fixed, n = 2000000, grid = 264, data = random[n] in -1..1, partial = zeros[264]
template <class T>
__global__ void global_norm_squared(const T* data, size_t n, double* partial) {
  __shared__ float warps[16];
  float acc = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    const float v = (float)data[i];
    acc += v * v;
  }
  for (int mask = 16; mask; mask >>= 1) acc += __shfl_xor_sync(~0u, acc, mask);
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = acc;
  __syncthreads();
  if (threadIdx.x < 32) {
    acc = threadIdx.x < 16 ? warps[threadIdx.x] : 0.f;
    for (int mask = 8; mask; mask >>= 1) acc += __shfl_xor_sync(~0u, acc, mask);
    if (threadIdx.x == 0) partial[blockIdx.x] = acc;
  }
}
template __global__ void global_norm_squared<float>(const float*, size_t, double*);

// Back through a layer norm: a block for a row.
// warpscope layernorm_backward_input: block = 192 fixed, rows = 1000, cols = 768, grid = rows, x = random[rows * cols], dy = random[rows * cols] in -1..1, gamma = random[cols], mean = random[rows], rstd = random[rows] in 1..2, dx = zeros[rows * cols]
__global__ void layernorm_backward_input(const float* __restrict__ x, const float* __restrict__ dy,
                                         const float* __restrict__ gamma, const float* __restrict__ mean,
                                         const float* __restrict__ rstd, float* __restrict__ dx, int cols) {
  __shared__ float2 shared_sums[6];
  const size_t base = (size_t)blockIdx.x * cols;
  const float mu = mean[blockIdx.x], rs = rstd[blockIdx.x];
  float a = 0, b = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const float g = dy[base + i] * gamma[i];
    a += g;
    b += g * (x[base + i] - mu) * rs;
  }
  for (int o = 16; o > 0; o >>= 1) {
    a += __shfl_down_sync(0xffffffffu, a, o);
    b += __shfl_down_sync(0xffffffffu, b, o);
  }
  if (threadIdx.x % 32 == 0) shared_sums[threadIdx.x / 32] = make_float2(a, b);
  __syncthreads();
  a = b = 0;
#pragma unroll
  for (int w = 0; w < 6; ++w) {
    a += shared_sums[w].x;
    b += shared_sums[w].y;
  }
  const float inv = 1.f / cols;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const float xhat = (x[base + i] - mu) * rs;
    dx[base + i] = rs * (dy[base + i] * gamma[i] - inv * (a + xhat * b));
  }
}

// Back through a batch's normalisation, in place, after the sums are known.
// warpscope batchnorm_backward_apply: block = 256, channels = 128, spatial = 196, batch = 24, n = channels * spatial * batch, grid = ceil(n / block), x = random[n], grad = random[n] in -1..1, mean = random[channels], invstd = random[channels], sum_dy = random[channels], sum_dy_xmu = random[channels], weight = random[channels]
__global__ void batchnorm_backward_apply(const float* x, float* grad, const float* mean, const float* invstd,
                                         const float* sum_dy, const float* sum_dy_xmu, const float* weight,
                                         int channels, int spatial, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int c = (i / spatial) % channels;
  const float norm = 1.0f / (n / channels);
  const float proj = sum_dy_xmu[c] * norm * invstd[c] * invstd[c];
  grad[i] = (grad[i] - (x[i] - mean[c]) * proj - sum_dy[c] * norm) * invstd[c] * weight[c];
}

// A focal loss on the logits of one class against the others.
__device__ __forceinline__ float sigmoid_of(float x) {
  return 1.0f / (1.0f + expf(-x));
}
// warpscope sigmoid_focal_loss: block = 320, n = 400000, classes = 20, grid = ceil(n / block), logits = random[n] in -4..4, labels = random[n / classes] in -1..20, losses = zeros[n], gamma = 2, alpha = 0.25
__global__ void sigmoid_focal_loss(const float* logits, const int* labels, float* losses, int n, int classes,
                                   float gamma, float alpha) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row = i / classes, d = i % classes, t = labels[row];
  float c1 = (t == d + 1), c2 = (t >= 0) && (t != d + 1);
  float p = sigmoid_of(logits[i]);
  float term1 = powf(1.f - p, gamma) * logf(fmaxf(p, 1.17549435e-38f));
  float term2 = powf(p, gamma) * (-1.f * logits[i] * (logits[i] >= 0) -
                                  logf(1.f + expf(logits[i] - 2.f * logits[i] * (logits[i] >= 0))));
  losses[i] = -c1 * term1 * alpha - c2 * term2 * (1.0f - alpha);
}

// Recurrent cells: the four gates of an LSTM, after the products.
// warpscope lstm_pointwise: block = 128, hidden = 512, batch = 96, grid = ceil(hidden * batch / block), gates_x = random[4 * hidden * batch] in -1..1, gates_h = random[4 * hidden * batch] in -1..1, bias = random[4 * hidden], c = random[hidden * batch], h = zeros[hidden * batch]
__global__ void lstm_pointwise(const float* gates_x, const float* gates_h, const float* bias, float* c,
                               float* h, int hidden, int batch) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= hidden * batch) return;
  int b = index / hidden, k = index % hidden, base = 4 * b * hidden + k;
  float g[4];
  for (int i = 0; i < 4; i++)
    g[i] = gates_x[i * hidden + base] + gates_h[i * hidden + base] + bias[i * hidden + k];
  float in_gate = sigmoid_of(g[0]), forget = sigmoid_of(g[1]), cell = tanhf(g[2]),
        out_gate = sigmoid_of(g[3]);
  float next = forget * c[index] + in_gate * cell;
  c[index] = next;
  h[index] = out_gate * tanhf(next);
}
