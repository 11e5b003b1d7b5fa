// Narrow types: halves, bfloat16, products of bytes, permuted bytes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// warpscope half_axpy: block = 256, n = 2^19, grid = ceil(n / block), x = random[n], y = random[n]:2
__global__ void half_axpy(const half2* x, half2* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) y[i] = __hfma2(__float2half2_rn(1.5f), x[i], y[i]);
}
// warpscope half_functions: block = 256, n = 2^17, grid = ceil(n / block), x = random[n], out = zeros[n]
__global__ void half_functions(const half* x, half* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const half v = x[i];
  half sum = v * v + hexp(v) - hsin(v) + hrcp(v + half(1.0f));
  if (sum > half(2.0f)) sum = hsqrt(sum) / (v + half(0.5f));
  out[i] = sum;
}
// warpscope half_sum: block = 256, n = 2^19, grid = 264, x = random[n], out = zeros[264]
__global__ void half_sum(const half2* x, half* out, int n) {
  half2 sum = __float2half2_rn(0);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x)
    sum = __hadd2(sum, x[i]);
  half v = __hadd(__low2half(sum), __high2half(sum));
  for (int d = 16; d > 0; d /= 2) v = __hadd(v, __shfl_down_sync(0xFFFFFFFF, v, d));
  __shared__ half of_warp[8];
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) v = __hadd(v, of_warp[w]);
    out[blockIdx.x] = v;
  }
}
// Layers' activations in bfloat16: converted, computed in float, converted back.
// warpscope brain_gelu: block = 256, n = 2^18, grid = ceil(n / block), x = random[n] in 0..16000, out = zeros[n]
__global__ void brain_gelu(const unsigned short* x, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = __bfloat162float(__ushort_as_bfloat16(x[i]));
  const float y = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
  out[i] = __bfloat16_as_ushort(__float2bfloat16(y));
}
// warpscope brain_chain: block = 256, n = 2^18, grid = ceil(n / block), x = random[n] in 0..16000, out = zeros[n]
__global__ void brain_chain(const __nv_bfloat162* x, __nv_bfloat162* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  __nv_bfloat162 v = x[i];
  for (int k = 0; k < 16; ++k) v = __hfma2(v, v, __hadd2(v, x[i]));
  out[i] = v;
}
// Products of four bytes at a time, as quantised layers do.
// warpscope byte_products: block = 128, rows = 4096, grid = ceil(rows / block), a = random[rows * 32], b = random[32], out = zeros[rows]
__global__ void byte_products(const int* a, const int* b, int* out, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum = __dp4a(a[r + k * rows], b[k], sum);
  out[r] = sum;
}
// warpscope byte_shuffles: block = 256, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void byte_shuffles(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i], w = v * 3;
  for (int k = 0; k < 8; ++k) {
    const unsigned t = __byte_perm(v, w, 0x5140 + k);
    w = __byte_perm(v, w, v & 0x7777);
    v = t;
  }
  out[i] = v ^ w;
}
// Four bytes in a word: averages, maxima, differences.
// warpscope byte_lanes: block = 256, n = 2^18, grid = ceil(n / block), a = random[n], b = random[n]:2, out = zeros[n]
__global__ void byte_lanes(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __vadd4(a[i], b[i]) + __vsub4(a[i], b[i]) + __vhaddu4(a[i] >> 1, b[i]) + __vcmpeq4(a[i], b[i]);
}
// Sums of absolute differences of blocks of 8x8 bytes, as video encoders search.
// warpscope block_search: block = 64, width = 256, grid = 32 * 32, frame = random[width * width], before = random[width * width]:2, best = zeros[grid]
__global__ void block_search(const unsigned char* frame, const unsigned char* before, unsigned* best,
                             int width) {
  __shared__ unsigned least;
  const int bx = blockIdx.x % 32 * 8, by = blockIdx.x / 32 * 8;
  if (threadIdx.x == 0) least = 0xFFFFFFFF;
  __syncthreads();
  const int x = min(max(bx + static_cast<int>(threadIdx.x % 8) - 4, 0), width - 8);
  const int y = min(max(by + static_cast<int>(threadIdx.x / 8) - 4, 0), width - 8);
  unsigned sum = 0;
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c)
      sum += abs(frame[(by + r) * width + bx + c] - before[(y + r) * width + x + c]);
  }
  atomicMin(&least, sum << 8 | threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) best[blockIdx.x] = least;
}
// Pixels of 5, 6 and 5 bits are blended.
// warpscope blend565: block = 256, n = 2^19, grid = ceil(n / block), a = random[n], b = random[n]:2, out = zeros[n]
__global__ void blend565(const unsigned short* a, const unsigned short* b, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x = a[i], y = b[i], w = i % 33;
  const int red = (x >> 11) * w + (y >> 11) * (32 - w), green = (x >> 5 & 63) * w + (y >> 5 & 63) * (32 - w),
            blue = (x & 31) * w + (y & 31) * (32 - w);
  out[i] = static_cast<unsigned short>(red >> 5 << 11 | green >> 5 << 5 | blue >> 5);
}
