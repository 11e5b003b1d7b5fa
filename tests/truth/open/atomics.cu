// Atomic functions of every kind, in global and in shared memory.

// warpscope: block = 256, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[1024]
__global__ void add_one_address(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 16 == 0) atomicAdd(out, 1u);
}
__global__ void add_spread(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[in[i] % 1024], 1u);
}
__global__ void add_few(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[in[i] % 8], 1u);
}
__global__ void maxima(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&out[i % 64], in[i]);
}
__global__ void bits(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicOr(&out[in[i] % 256], 1u << (i % 32));
}
__global__ void wrap_around(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicInc(&out[in[i] % 512], 99u);
}
// warpscope compare_and_swap: block = 128, n = 2^14, grid = ceil(n / block), in = random[n], out = zeros[1024]
__global__ void compare_and_swap(const float* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned* at = &out[(i * 37) % 1024];
  unsigned seen = *at, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(at, assumed, __float_as_uint(__uint_as_float(assumed) + in[i]));
  } while (seen != assumed);
}
// warpscope float_sum: block = 256, n = 2^17, grid = ceil(n / block), in = random[n], out = zeros[256]
__global__ void float_sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[i % 256], in[i]);
}
// warpscope double_sum: block = 256, n = 2^16, grid = ceil(n / block), in = random[n], out = zeros[256]
__global__ void double_sum(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[i % 256], in[i]);
}
// warpscope long_sum: block = 256, n = 2^16, grid = ceil(n / block), in = random[n], out = zeros[64]
__global__ void long_sum(const unsigned* in, unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[in[i] % 64], static_cast<unsigned long long>(in[i]));
}
// warpscope returned: block = 256, n = 2^16, grid = ceil(n / block), counters = zeros[256], out = zeros[n]
__global__ void returned(unsigned* counters, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = atomicAdd(&counters[i % 256], 1u);
}
// warpscope shared_bins: block = 256, n = 2^20, bins = 256, grid = 264, in = random[n], out = zeros[bins]
__global__ void shared_bins(const unsigned* in, unsigned* out, int n, int bins) {
  __shared__ unsigned of_block[1024];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) of_block[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&of_block[in[i] % bins], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&out[b], of_block[b]);
}
// warpscope shared_few: block = 256, n = 2^18, grid = 264, in = random[n], out = zeros[4]
__global__ void shared_few(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned of_block[4];
  if (threadIdx.x < 4) of_block[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&of_block[in[i] % 4], 1u);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&out[threadIdx.x], of_block[threadIdx.x]);
}
// warpscope shared_floats: block = 256, n = 2^18, grid = 264, in = random[n], out = zeros[64]
__global__ void shared_floats(const float* in, float* out, int n) {
  __shared__ float of_block[64];
  if (threadIdx.x < 64) of_block[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&of_block[i * 7 % 64], in[i]);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], of_block[threadIdx.x]);
}
