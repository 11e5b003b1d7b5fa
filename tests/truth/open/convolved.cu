// Layers of networks for pictures and series: pools, grouped and spread convolutions, gates, resizing, wide
// tiles.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

// A depthwise convolution of 7 by 7 over a picture of 28 by 28, the picture with its border in shared memory.
// warpscope depthwise_seven: block = 196 fixed, planes = 528, grid = planes, in = random[planes * 784], weights = random[planes * 49] in -1..1, out = zeros[planes * 784]
__global__ void depthwise_seven(const float* __restrict__ in, const float* __restrict__ weights,
                                float* __restrict__ out) {
  __shared__ float tile[34][36];
  __shared__ float w[49];
  const int t = threadIdx.x;
  for (int k = t; k < 34 * 34; k += 196) {
    const int y = k / 34 - 3, x = k % 34 - 3;
    tile[k / 34][k % 34] = (unsigned)y < 28u && (unsigned)x < 28u ? in[blockIdx.x * 784 + y * 28 + x] : 0;
  }
  if (t < 49) w[t] = weights[blockIdx.x * 49 + t];
  __syncthreads();
  const int y = t / 7, x = t % 7 * 4;
  float sum[4] = {};
#pragma unroll
  for (int ky = 0; ky < 7; ++ky) {
    float row[10];
#pragma unroll
    for (int k = 0; k < 10; ++k) row[k] = tile[y + ky][x + k];
#pragma unroll
    for (int kx = 0; kx < 7; ++kx)
#pragma unroll
      for (int k = 0; k < 4; ++k) sum[k] += w[ky * 7 + kx] * row[kx + k];
  }
  *reinterpret_cast<float4*>(out + blockIdx.x * 784 + y * 28 + x) = {sum[0], sum[1], sum[2], sum[3]};
}

// A grouped convolution of 3 by 3, four channels in and out in each group, one output a thread.
// warpscope groups_of_four_channels: block = (32, 4), groups = 16, width = 64, height = 64, grid = (width / block.x, height / block.y, groups), in = random[groups * 4 * width * height], weights = random[groups * 144] in -1..1, out = zeros[groups * 4 * width * height]
__global__ void groups_of_four_channels(const float* __restrict__ in, const float* __restrict__ weights,
                                        float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            area = width * height;
  in += blockIdx.z * 4 * area;
  out += blockIdx.z * 4 * area;
  weights += blockIdx.z * 144;
  float sum[4] = {};
  for (int c = 0; c < 4; ++c)
    for (int ky = -1; ky <= 1; ++ky) {
      if (y + ky < 0 || y + ky >= height) continue;
      for (int kx = -1; kx <= 1; ++kx) {
        if (x + kx < 0 || x + kx >= width) continue;
        const float v = in[c * area + (y + ky) * width + x + kx];
#pragma unroll
        for (int o = 0; o < 4; ++o) sum[o] += v * weights[(o * 4 + c) * 9 + (ky + 1) * 3 + kx + 1];
      }
    }
#pragma unroll
  for (int o = 0; o < 4; ++o) out[o * area + y * width + x] = fmaxf(sum[o], 0);
}

// The largest of each window of 3 by 3 at every second pixel, of bytes in four channels, and where it stood.
// warpscope largest_of_nine_bytes: block = 128, side = 512, grid = (ceil(side / 2 / block), side / 2), in = random[4 * side * side], out = zeros[side * side], where = zeros[side * side / 4]
__global__ void largest_of_nine_bytes(const uchar4* in, uchar4* out, uint16_t* where, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, half = side / 2;
  if (x >= half) return;
  int best[4] = {-1, -1, -1, -1}, at[4] = {};
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int sy = 2 * y + k / 3 - 1, sx = 2 * x + k % 3 - 1;
    if (sy < 0 || sx < 0 || sy >= side || sx >= side) continue;
    const uchar4 v = in[sy * side + sx];
    const int c[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (c[j] > best[j]) best[j] = c[j], at[j] = k;
  }
  out[y * half + x] = make_uchar4(best[0], best[1], best[2], best[3]);
  where[y * half + x] = at[0] | at[1] << 4 | at[2] << 8 | at[3] << 12;
}

// A state that decays at rates chosen by the input, along a sequence: one thread a channel, sixteen values of
// state.
// warpscope selective_decay: block = 64, channels = 2048, length = 24, grid = channels / block, x = random[length * channels], rate = random[length * channels] in 0.1..1, b = random[length * 16], c = random[length * 16], out = zeros[length * channels]
__global__ void selective_decay(const float* __restrict__ x, const float* __restrict__ rate,
                                const float4* __restrict__ b, const float4* __restrict__ c,
                                float* __restrict__ out, int channels, int length) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  float h[16] = {};
  for (int t = 0; t < length; ++t) {
    const float v = x[t * channels + channel], d = rate[t * channels + channel], slow = __expf(-d);
    float decay = slow, sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float4 bs = b[t * 4 + k], cs = c[t * 4 + k];
      h[4 * k] = h[4 * k] * decay + d * v * bs.x, sum += h[4 * k] * cs.x, decay *= slow;
      h[4 * k + 1] = h[4 * k + 1] * decay + d * v * bs.y, sum += h[4 * k + 1] * cs.y, decay *= slow;
      h[4 * k + 2] = h[4 * k + 2] * decay + d * v * bs.z, sum += h[4 * k + 2] * cs.z, decay *= slow;
      h[4 * k + 3] = h[4 * k + 3] * decay + d * v * bs.w, sum += h[4 * k + 3] * cs.w, decay *= slow;
    }
    out[t * channels + channel] = sum;
  }
}

// Weights of bytes times inputs of bytes, four products an instruction, with a scale for each output; tiles
// of 32 by 32.
// warpscope scaled_byte_tiles: block = (32, 8) fixed, m = 256, width = 512, depth = 256, grid = (width / 32, m / 32), a = random[m * depth / 4], b = random[width * depth / 4], scale = random[width] in 0.001..0.01, out = zeros[m * width]
__global__ void scaled_byte_tiles(const int* __restrict__ a, const int* __restrict__ b,
                                  const float* __restrict__ scale, __half* __restrict__ out, int width,
                                  int depth) {
  __shared__ int left[32][17], right[32][17];
  const int x = threadIdx.x, y = threadIdx.y, words = depth / 4;
  int sum[4] = {};
  for (int first = 0; first < words; first += 16) {
    for (int k = y * 32 + x; k < 512; k += 256) {
      left[k / 16][k % 16] = a[(blockIdx.y * 32 + k / 16) * words + first + k % 16];
      right[k / 16][k % 16] = b[(blockIdx.x * 32 + k / 16) * words + first + k % 16];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const int w = right[x][k];
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[j] = __dp4a(left[y + 8 * j][k], w, sum[j]);
    }
    __syncthreads();
  }
  const float s = scale[blockIdx.x * 32 + x];
#pragma unroll
  for (int j = 0; j < 4; ++j)
    out[(blockIdx.y * 32 + y + 8 * j) * width + blockIdx.x * 32 + x] =
        __float2half(fmaxf(-60000.0f, fminf(60000.0f, sum[j] * s)));
}

// A layer of a small network on the tensor cores with a smooth gate behind it: one warp has 16 rows, 64
// columns.
// warpscope gated_tensor_layer: block = 128 fixed, rows = 8192, grid = rows / 64, in = random[rows * 64] in -1..1, weights = random[64 * 64] in -0.5..0.5, out = zeros[rows * 64]
__global__ void gated_tensor_layer(const __half* in, const __half* weights, __half* out) {
  using namespace nvcuda;
  const int first = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sums[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) wmma::fill_fragment(sums[j], __float2half(0.0f));
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::load_matrix_sync(a, in + first * 64 + k * 16, 64);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
      wmma::load_matrix_sync(b, weights + k * 16 * 64 + j * 16, 64);
      wmma::mma_sync(sums[j], a, b, sums[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    for (int k = 0; k < sums[j].num_elements; ++k) {
      const float v = __half2float(sums[j].x[k]);
      sums[j].x[k] = __float2half(v / (1 + __expf(-1.702f * v)));
    }
    wmma::store_matrix_sync(out + first * 64 + j * 16, sums[j], 64, wmma::mem_row_major);
  }
}

// Regions of a picture, each pooled to 4 by 4 values by blends of four pixels at two by two places; a warp a
// region.
__device__ float blended(const float* plane, float x, float y, int side) {
  x = fminf(fmaxf(x, 0), side - 1.001f);
  y = fminf(fmaxf(y, 0), side - 1.001f);
  const int cx = (int)x, cy = (int)y;
  const float fx = x - cx, fy = y - cy, *p = plane + cy * side + cx;
  return (p[0] * (1 - fx) + p[1] * fx) * (1 - fy) + (p[side] * (1 - fx) + p[side + 1] * fx) * fy;
}
// warpscope regions_pooled: block = 128, regions = 256, channels = 32, side = 64, grid = regions * channels * 16 / block, planes = random[channels * side * side], boxes = random[4 * regions] in 4..30, out = zeros[regions * channels * 16]
__global__ void regions_pooled(const float* planes, const float4* boxes, float* out, int channels, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, bin = i & 15, channel = i / 16 % channels;
  const float4 box = boxes[i / 16 / channels];
  const float w = box.z * 0.25f, h = box.w * 0.25f;
  float sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += blended(planes + channel * side * side, box.x + (bin % 4 + 0.25f + 0.5f * (k & 1)) * w,
                   box.y + (bin / 4 + 0.25f + 0.5f * (k >> 1)) * h, side);
  out[i] = 0.25f * sum;
}
