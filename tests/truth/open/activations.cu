// Layers of neural networks between the large products: normalisation, gates, rescaling.
#include <cuda_fp16.h>

__device__ inline float blockTotal(float v, float* room) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xFFFFFFFFu, v, d);
  if ((threadIdx.x & 31) == 0) room[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < (blockDim.x >> 5) ? room[threadIdx.x] : 0.0f;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xFFFFFFFFu, v, d);
    if (threadIdx.x == 0) room[0] = v;
  }
  __syncthreads();
  const float total = room[0];
  __syncthreads();
  return total;
}

// Instance normalisation of one plane of a picture per block, followed by a leaky rectifier.
// warpscope instance_norm_leaky: block = 256, planes = 512, pixels = 1024, channels = 64, grid = planes, x = random[planes * pixels] in -2..2, gain = random[channels], shift = random[channels], y = zeros[planes * pixels]
__global__ void instance_norm_leaky(const float* __restrict__ x, const float* __restrict__ gain,
                                    const float* __restrict__ shift, float* __restrict__ y, int pixels,
                                    int channels) {
  __shared__ float room[32];
  const int plane = blockIdx.x, c = plane % channels;
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)plane * pixels);
  float4* out = reinterpret_cast<float4*>(y + (size_t)plane * pixels);
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < pixels / 4; i += blockDim.x) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  const float mean = blockTotal(sum, room) / pixels;
  const float variance = blockTotal(squares, room) / pixels - mean * mean;
  const float scale = gain[c] * rsqrtf(variance + 1e-5f), offset = shift[c] - mean * scale;
  for (int i = threadIdx.x; i < pixels / 4; i += blockDim.x) {
    float4 v = in[i];
    v.x = v.x * scale + offset, v.y = v.y * scale + offset, v.z = v.z * scale + offset,
    v.w = v.w * scale + offset;
    out[i] = make_float4(v.x > 0 ? v.x : 0.2f * v.x, v.y > 0 ? v.y : 0.2f * v.y, v.z > 0 ? v.z : 0.2f * v.z,
                         v.w > 0 ? v.w : 0.2f * v.w);
  }
}

// Gradient of x * tanh(softplus(x)).
// warpscope mish_backward: block = 512, n = 2^19, grid = ceil(n / block), x = random[n] in -6..6, up = random[n] in -1..1, dx = zeros[n]
__global__ void mish_backward(const float* x, const float* up, float* dx, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  const float soft = v > 20.0f ? v : log1pf(expf(v));
  const float t = tanhf(soft), s = 1.0f / (1.0f + expf(-v));
  dx[i] = up[i] * (t + v * s * (1.0f - t * t));
}

// Responses divided by the energy of five neighbouring channels; the window slides along the channels of a
// pixel.
// warpscope response_norm_channels: block = 128, pixels = 4096, images = 4, channels = 48, grid = (ceil(pixels / 128), images), in = random[pixels * images * channels], out = zeros[pixels * images * channels]
__global__ void response_norm_channels(const float* __restrict__ in, float* __restrict__ out, int pixels,
                                       int channels) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pixels) return;
  const size_t base = (size_t)blockIdx.y * channels * pixels + p;
  float window[5] = {0, 0, 0, 0, 0};
  float energy = 0;
  for (int c = 0; c < channels + 2; ++c) {
    const float fresh = c < channels ? in[base + (size_t)c * pixels] : 0.0f;
    energy += fresh * fresh - window[0] * window[0];
#pragma unroll
    for (int k = 0; k < 4; ++k) window[k] = window[k + 1];
    window[4] = fresh;
    if (c >= 2)
      out[base + (size_t)(c - 2) * pixels] = window[2] * __powf(1.0f + 1e-4f * fmaxf(energy, 0.0f), -0.75f);
  }
}

// Squeeze and excitation: channel means, two small dense layers, a gate for each channel. One block per
// image.
// warpscope squeeze_excite_gates: block = 256, images = 128, channels = 64, hidden = 16, pixels = 196, grid = images, x = random[images * channels * pixels] in -1..1, w1 = random[hidden * channels] in -1..1, w2 = random[channels * hidden] in -1..1, y = zeros[images * channels * pixels]
__global__ void squeeze_excite_gates(const float* __restrict__ x, const float* __restrict__ w1,
                                     const float* __restrict__ w2, float* __restrict__ y, int channels,
                                     int hidden, int pixels) {
  __shared__ float means[64], middle[16], gates[64];
  const float* mine = x + (size_t)blockIdx.x * channels * pixels;
  float* to = y + (size_t)blockIdx.x * channels * pixels;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int c = warp; c < channels; c += warps) {
    float sum = 0;
    for (int p = lane; p < pixels; p += 32) sum += mine[c * pixels + p];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) means[c] = sum / pixels;
  }
  __syncthreads();
  if (threadIdx.x < hidden) {
    float sum = 0;
    for (int c = 0; c < channels; ++c) sum += w1[threadIdx.x * channels + c] * means[c];
    middle[threadIdx.x] = fmaxf(sum, 0.0f);
  }
  __syncthreads();
  if (threadIdx.x < channels) {
    float sum = 0;
    for (int h = 0; h < hidden; ++h) sum += w2[threadIdx.x * hidden + h] * middle[h];
    gates[threadIdx.x] = 1.0f / (1.0f + __expf(-sum));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < channels * pixels; i += blockDim.x) to[i] = mine[i] * gates[i / pixels];
}

// Integer sums of a quantised layer are rescaled by fixed-point multipliers of their channels, pass through a
// hard swish and become bytes.
// warpscope requantise_hard_swish: block = 128, n = 2^18, channels = 64, grid = ceil(n / block), sums = random[4 * n] in -60000..60000, multipliers = random[channels] in 1000000..900000000, shifts = random[channels] in 5..10, out = zeros[4 * n]
__global__ void requantise_hard_swish(const int* __restrict__ sums, const int* __restrict__ multipliers,
                                      const int* __restrict__ shifts, signed char* __restrict__ out, int n,
                                      int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int4 v = reinterpret_cast<const int4*>(sums)[i];
  const int parts[4] = {v.x, v.y, v.z, v.w};
  char4 packed;
  signed char* bytes = reinterpret_cast<signed char*>(&packed);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int c = (4 * i + k) % channels;
    const long long wide = (long long)parts[k] * multipliers[c] + (1LL << 30);
    const int high = (int)(wide >> 31);
    const int s = shifts[c];
    const int scaled = (high + (1 << (s - 1))) >> s;
    const int gate = min(max(scaled + 48, 0), 96);
    bytes[k] = (signed char)min(max(scaled * gate / 96, -128), 127);
  }
  reinterpret_cast<char4*>(out)[i] = packed;
}

// The largest of four linear pieces, and which of them it was.
template <int PIECES>
__device__ inline void largestPiece(const float* from, int stride, float& value, unsigned char& which) {
  value = from[0], which = 0;
#pragma unroll
  for (int k = 1; k < PIECES; ++k) {
    const float other = from[k * stride];
    if (other > value) value = other, which = (unsigned char)k;
  }
}
// warpscope maxout_of_four: block = (64, 4), width = 512, rows = 512, grid = (ceil(width / 64), ceil(rows / 4)), in = random[4 * width * rows] in -1..1, out = zeros[width * rows], winners = zeros[width * rows]
__global__ void maxout_of_four(const float* in, float* out, unsigned char* winners, int width, int rows) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (u >= width || r >= rows) return;
  largestPiece<4>(in + (size_t)r * 4 * width + u, width, out[r * width + u], winners[r * width + u]);
}

// Each filter of a layer is made to have mean zero and deviation one before it is used; a warp takes a filter
// of 3 x 3 x depth weights.
// warpscope standardised_filters: block = 128, filters = 1024, taps = 576, grid = ceil(filters / 4), weights = random[filters * taps] in -1..1, gains = random[filters], out = zeros[filters * taps]
__global__ void standardised_filters(const float* __restrict__ weights, const float* __restrict__ gains,
                                     __half* __restrict__ out, int filters, int taps) {
  const int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (f >= filters) return;
  const float* w = weights + (size_t)f * taps;
  float held[18], mean = 0;
#pragma unroll
  for (int k = 0; k < 18; ++k) mean += held[k] = lane + 32 * k < taps ? w[lane + 32 * k] : 0.0f;
  for (int d = 16; d; d >>= 1) mean += __shfl_xor_sync(~0u, mean, d);
  mean /= taps;
  float spread = 0;
#pragma unroll
  for (int k = 0; k < 18; ++k) {
    const float off = held[k] - mean;
    if (lane + 32 * k < taps) spread += off * off;
  }
  for (int d = 16; d; d >>= 1) spread += __shfl_xor_sync(~0u, spread, d);
  const float scale = gains[f] * rsqrtf(fmaxf(spread, 1e-4f));
#pragma unroll
  for (int k = 0; k < 18; ++k)
    if (lane + 32 * k < taps) out[(size_t)f * taps + lane + 32 * k] = __float2half((held[k] - mean) * scale);
}

// Attention scores of a head with a slope for distance in place of positions, made into weights; a warp takes
// a row.
// warpscope sloped_attention_weights: block = 256, heads = 16, length = 256, grid = heads * length / 8, scores = random[heads * length * length] in -4..4, weights = zeros[heads * length * length]
__global__ void sloped_attention_weights(const float* __restrict__ scores, float* __restrict__ weights,
                                         int heads, int length) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const int head = row / length, query = row % length;
  const float slope = exp2f(-8.0f * (head + 1) / heads);
  const float* s = scores + (size_t)row * length;
  float* w = weights + (size_t)row * length;
  float top = -1e30f, sum = 0;
  for (int k = lane; k <= query; k += 32) {
    const float v = s[k] - slope * (query - k);
    if (v > top) {
      sum = sum * __expf(top - v) + 1.0f;
      top = v;
    } else {
      sum += __expf(v - top);
    }
  }
  for (int d = 16; d; d >>= 1) {
    const float otherTop = __shfl_xor_sync(~0u, top, d), otherSum = __shfl_xor_sync(~0u, sum, d);
    const float both = fmaxf(top, otherTop);
    sum = sum * __expf(top - both) + otherSum * __expf(otherTop - both);
    top = both;
  }
  const float inverse = 1.0f / sum;
  for (int k = lane; k < length; k += 32)
    w[k] = k <= query ? __expf(s[k] - slope * (query - k) - top) * inverse : 0.0f;
}
