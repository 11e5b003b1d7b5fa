// Ways to read and write memory.

// warpscope: block = 256, n = 2^22, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void plain_copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void strided_read(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[static_cast<long long>(i) * 17 % n];
}
__global__ void gather(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned at = (i * 2654435761u) >> 7;
  out[i] = in[at % n];
}
__global__ void scatter(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[(i * 40503u) % n] = in[i];
}
__global__ void shifted(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 3 < n) out[i] = in[i + 3] + in[i + 1];
}
// warpscope wide_copy: block = 256, n = 2^20, grid = ceil(n / block), in = random[4 * n], out = zeros[4 * n]
__global__ void wide_copy(const float4* in, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
// warpscope grid_stride: block = 256, n = 2^22, grid = 528, in = random[n], out = zeros[n]
__global__ void grid_stride(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];
}
// warpscope reread: block = 256, n = 2^16, grid = 264, in = random[n], out = zeros[264 * 256]
__global__ void reread(const float* in, float* out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += in[(me + k * 2048) % n];
  out[me] = sum;
}
// warpscope chase: block = 32, grid = 132, steps = 64, next = iota[2^16], out = zeros[132 * 32]
__global__ void chase(const int* next, int* out, int steps) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int at = me;
  for (int k = 0; k < steps; ++k) at = (next[at] + 1031) % 65536;
  out[me] = at;
}
// What the last trip stored is loaded by the next.
// warpscope store_to_load: block = 128, n = 2^14, grid = ceil(n / block), data = random[n]
__global__ void store_to_load(volatile float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 16; ++k) data[i] = data[i] * 0.5f + 1;
}
// warpscope neighbour_store: block = 256, n = 2^16, grid = ceil(n / block), data = random[n]
__global__ void neighbour_store(float* data, int n) {
  const int base = blockIdx.x * blockDim.x, t = threadIdx.x;
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d && base + t + d < n) data[base + t] += data[base + t + d];
    __syncthreads();
  }
}
// warpscope bank_strides: block = 256 fixed, stride = 3, grid = 264, out = zeros[264 * 256]
__global__ void bank_strides(float* out, int stride) {
  __shared__ float table[4096];
  for (int k = threadIdx.x; k < 4096; k += 256) table[k] = k;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += table[(threadIdx.x * stride * (k % 4 + 1) + k) % 4096];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
__constant__ float weights[64] = {1, 2, 3, 4, 5, 6, 7, 8};
// warpscope constants: block = 256, n = 2^20, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void constants(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = in[i];
  for (int k = 0; k < 16; ++k) sum += weights[k] * sum + weights[(i / 32 + k) % 64];
  out[i] = sum;
}
// warpscope tile_transpose: block = (32, 8), side = 2048, grid = (side / 32, side / 32), in = random[side * side], out = zeros[side * side]
__global__ void tile_transpose(const float* in, float* out, int side) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += blockDim.y)
    tile[k][threadIdx.x] = in[(blockIdx.y * 32 + k) * side + x];
  __syncthreads();
  const int y = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += blockDim.y)
    out[(blockIdx.x * 32 + k) * side + y] = tile[threadIdx.x][k];
}
// warpscope large_sum: block = 256, n = 2^24, grid = 1056, in = random[n], out = zeros[1056 * 256]
__global__ void large_sum(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
