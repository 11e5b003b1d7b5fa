// Pieces of training: losses, gradients, optimisers, embeddings, augmentation.
#include <cuda_fp16.h>

// Cross entropy with smoothed labels: a block for a row, maximum and sum in one pass.
struct Running {
  float most, sum;
};
__device__ Running joined(Running a, Running b) {
  const float most = fmaxf(a.most, b.most);
  return {most, a.sum * __expf(a.most - most) + b.sum * __expf(b.most - most)};
}
// warpscope smoothed_entropy: block = 128 fixed, rows = 1024, classes = 1000, grid = rows, logits = random[rows * classes] in -5..5, labels = random[rows] in 0..999, loss = zeros[rows], smoothing = 0.1
__global__ void smoothed_entropy(const float* __restrict__ logits, const int* __restrict__ labels,
                                 float* loss, int classes, float smoothing) {
  __shared__ Running held[4];
  __shared__ float totals[4];
  const float* row = logits + (size_t)blockIdx.x * classes;
  Running mine{-1e30f, 0};
  float total = 0;
  for (int k = threadIdx.x; k < classes; k += 128) {
    const float v = row[k];
    mine = joined(mine, {v, 1});
    total += v;
  }
  for (int d = 16; d; d /= 2) {
    mine = joined(mine, {__shfl_xor_sync(~0u, mine.most, d), __shfl_xor_sync(~0u, mine.sum, d)});
    total += __shfl_xor_sync(~0u, total, d);
  }
  if (threadIdx.x % 32 == 0) {
    held[threadIdx.x / 32] = mine;
    totals[threadIdx.x / 32] = total;
  }
  __syncthreads();
  if (threadIdx.x) return;
  for (int w = 1; w < 4; ++w) {
    mine = joined(mine, held[w]);
    total += totals[w];
  }
  const float normal = mine.most + logf(mine.sum);
  loss[blockIdx.x] =
      (1 - smoothing) * (normal - row[labels[blockIdx.x]]) + smoothing * (normal - total / classes);
}

// Focal loss and its gradient for single outputs, grid-stride.
// warpscope focal_gradients: block = 256, n = 2^17, grid = 132, logits = random[n] in -6..6, truth = u8 random[n] in 0..1, gradient = zeros[n], sum = zeros[1], alpha = 0.25, gamma = 2
__global__ void focal_gradients(const float* logits, const unsigned char* truth, float* gradient, float* sum,
                                int n, float alpha, float gamma) {
  float loss = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const bool yes = truth[i] & 1;
    const float z = yes ? logits[i] : -logits[i];
    const float p = 1 / (1 + expf(-z)), weight = yes ? alpha : 1 - alpha;
    const float rest = 1 - p, log_p = fminf(0.0f, z) - log1pf(expf(-fabsf(z)));
    const float powered = powf(rest, gamma);
    loss -= weight * powered * log_p;
    const float slope = weight * powered * (gamma * p * log_p - rest);
    gradient[i] = yes ? slope : -slope;
  }
  for (int d = 16; d; d /= 2) loss += __shfl_down_sync(0xFFFFFFFFu, loss, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, loss);
}

// Lion, an optimiser that takes the sign of the momentum; the gradient is half precision.
// warpscope sign_momentum: block = 256, n = 2^20, grid = ceil(n / 4 / block), weights = random[n] in -1..1, momentum = random[n] in -1..1, gradient = f16 random[n] in -1..1, rate = 0.0001, decay = 0.01
__global__ void sign_momentum(float4* weights, float4* momentum, const uint2* gradient, int n, float rate,
                              float decay) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i >= n) return;
  float4 w = weights[i], m = momentum[i];
  const uint2 raw = gradient[i];
  const float2 g01 = __half22float2(*reinterpret_cast<const __half2*>(&raw.x));
  const float2 g23 = __half22float2(*reinterpret_cast<const __half2*>(&raw.y));
  auto step = [&](float& weight, float& moment, float g) {
    const float blended = 0.9f * moment + 0.1f * g;
    const float direction = blended > 0 ? 1.0f : blended < 0 ? -1.0f : 0.0f;
    weight -= rate * (direction + decay * weight);
    moment = 0.99f * moment + 0.01f * g;
  };
  step(w.x, m.x, g01.x);
  step(w.y, m.y, g01.y);
  step(w.z, m.z, g23.x);
  step(w.w, m.w, g23.y);
  weights[i] = w;
  momentum[i] = m;
}

// Bags of embeddings: means of a varying number of table rows; a warp for a bag, lanes for columns.
// warpscope embedding_bags: block = 256, bags = 4096, grid = ceil(bags * 32 / block), table = random[8192 * 64] in -1..1, items = random[bags * 16], sizes = random[bags] in 1..15, out = zeros[bags * 64]
__global__ void embedding_bags(const float2* __restrict__ table, const unsigned* __restrict__ items,
                               const int* __restrict__ sizes, float2* out, int bags) {
  const int bag = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (bag >= bags) return;
  const int size = sizes[bag];
  const unsigned mine = lane < size ? items[bag * 16 + lane] & 8191 : 0;
  float2 sum = make_float2(0, 0);
  for (int k = 0; k < size; ++k) {
    const unsigned row = __shfl_sync(~0u, mine, k);
    const float2 v = table[row * 32 + lane];
    sum.x += v.x;
    sum.y += v.y;
  }
  const float scale = 1.0f / size;
  out[bag * 32 + lane] = make_float2(sum.x * scale, sum.y * scale);
}

// The gradient of a layer normalisation's gain and offset: column sums over a slice of rows, then atomics.
// warpscope norm_gain_gradient: block = (32, 8) fixed, columns = 512, rows = 2048, grid = (columns / 32, 8), dy = random[rows * columns] in -1..1, x = random[rows * columns]:2 in -2..2, mean = random[rows], inverse = random[rows]:3 in 0.5..1.5, dgain = zeros[columns], doffset = zeros[columns]
__global__ void norm_gain_gradient(const float* dy, const float* x, const float* mean, const float* inverse,
                                   float* dgain, float* doffset, int rows, int columns) {
  __shared__ float gains[8][33], offsets[8][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  const int share = rows / gridDim.y, first = blockIdx.y * share;
  float gain = 0, offset = 0;
  for (int r = first + threadIdx.y; r < first + share; r += 8) {
    const float g = dy[r * columns + column];
    gain += g * (x[r * columns + column] - mean[r]) * inverse[r];
    offset += g;
  }
  gains[threadIdx.y][threadIdx.x] = gain;
  offsets[threadIdx.y][threadIdx.x] = offset;
  __syncthreads();
  if (threadIdx.y < 2) {
    const float(*from)[33] = threadIdx.y ? offsets : gains;
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += from[k][threadIdx.x];
    atomicAdd((threadIdx.y ? doffset : dgain) + column, sum);
  }
}

// Overlaps of predicted and true boxes (generalised), with centres and sizes; one pair a thread.
struct Corners {
  float left, top, right, bottom;
  __device__ explicit Corners(float4 b)
      : left(b.x - b.z / 2), top(b.y - b.w / 2), right(b.x + b.z / 2), bottom(b.y + b.w / 2) {}
  __device__ float area() const { return (right - left) * (bottom - top); }
};
// warpscope box_overlap_losses: block = 96, n = 200000, grid = ceil(n / block), guess = random[n * 4] in 0.1..1, truth = random[n * 4]:9 in 0.1..1, loss = zeros[n]
__global__ void box_overlap_losses(const float4* guess, const float4* truth, float* loss, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Corners a(guess[i]), b(truth[i]);
  const float wide = fminf(a.right, b.right) - fmaxf(a.left, b.left);
  const float high = fminf(a.bottom, b.bottom) - fmaxf(a.top, b.top);
  const float shared = fmaxf(wide, 0.0f) * fmaxf(high, 0.0f);
  const float either = a.area() + b.area() - shared;
  const float hull =
      (fmaxf(a.right, b.right) - fminf(a.left, b.left)) * (fmaxf(a.bottom, b.bottom) - fminf(a.top, b.top));
  loss[i] = 1 - shared / either + (hull - either) / hull;
}

// Alignment loss of speech: the forward variables of one utterance, a thread for each state, a barrier for
// each frame.
__device__ float log_add(float a, float b) {
  const float high = fmaxf(a, b), low = fminf(a, b);
  return high <= -1e29f ? high : high + log1pf(__expf(low - high));
}
// warpscope frame_alignment: block = 64 fixed, frames = 80, symbols = 32, grid = 96, log_odds = random[96 * frames * symbols] in -6..-1, labels = random[96 * 32] in 1..31, loss = zeros[96]
__global__ void frame_alignment(const float* log_odds, const int* labels, float* loss, int frames,
                                int symbols) {
  __shared__ float alpha[2][66];
  const int s = threadIdx.x;
  const float* odds = log_odds + (size_t)blockIdx.x * frames * symbols;
  const int* own = labels + blockIdx.x * 32;
  const int symbol = s & 1 ? own[s / 2] : 0;
  const bool skips = (s & 1) && s > 2 && own[s / 2] != own[s / 2 - 1];
  if (s < 2) alpha[0][s] = alpha[1][s] = -1e30f;
  alpha[0][s + 2] = s < 2 ? odds[symbol] : -1e30f;
  __syncthreads();
  for (int t = 1; t < frames; ++t) {
    const float* from = alpha[(t - 1) & 1];
    float v = log_add(from[s + 2], from[s + 1]);
    if (skips) v = log_add(v, from[s]);
    alpha[t & 1][s + 2] = v + odds[t * symbols + symbol];
    __syncthreads();
  }
  if (s == 63) loss[blockIdx.x] = -log_add(alpha[(frames - 1) & 1][65], alpha[(frames - 1) & 1][64]);
}

// Contrastive learning: similarities of 16 x 16 tiles of normalised vectors, the row's exponentials summed.
// warpscope contrast_tiles: block = (16, 16) fixed, n = 512, depth = 64, grid = (n / 16, n / 16), left = random[n * depth] in -0.2..0.2, right = random[n * depth]:5 in -0.2..0.2, sums = zeros[n], positives = zeros[n]
__global__ void contrast_tiles(const float* left, const float* right, float* sums, float* positives,
                               int depth) {
  __shared__ float a[16][17], b[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float dot = 0;
  for (int k = 0; k < depth; k += 16) {
    a[threadIdx.y][threadIdx.x] = left[row * depth + k + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = right[(blockIdx.x * 16 + threadIdx.y) * depth + k + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j) dot += a[threadIdx.y][j] * b[threadIdx.x][j];
    __syncthreads();
  }
  const float similar = dot * 14.2857f;
  if (row == column) positives[row] = similar;
  float e = expf(similar);
  for (int d = 8; d; d /= 2) e += __shfl_down_sync(~0u, e, d, 16);
  if (threadIdx.x == 0) atomicAdd(&sums[row], e);
}
