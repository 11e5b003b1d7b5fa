// Divisions, roots and functions in single precision, and divisions of integers.

// warpscope: block = 256, n = 2^21, grid = ceil(n / block), x = random[n] in 1..4, y = random[n]:2 in 1..4, out = zeros[n]
__global__ void divide(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] / y[i];
}
__global__ void divide_chain(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 8; ++k) v = y[i] / (v + 1);
  out[i] = v;
}
__global__ void roots(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrtf(x[i]) + rsqrtf(x[i] + 1);
}
__global__ void trigonometry(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sinf(x[i]) * cosf(x[i]);
}
__global__ void exponents(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]) + logf(y[i]);
}
__global__ void powers(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = powf(x[i], y[i]);
}
__global__ void hyperbolic(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tanhf(x[i] - 2);
}
__global__ void fast_functions(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __expf(x[i]) * __sinf(y[i]) + __fdividef(x[i], y[i]);
}
__global__ void sigmoid(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1 / (1 + __expf(-x[i]));
}
__global__ void fused_chain(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i], b = y[i];
  for (int k = 0; k < 64; ++k) {
    a = a * 0.99f + b;
    b = b * 0.98f - a;
  }
  out[i] = a + b;
}

// warpscope int_divide: block = 256, n = 2^21, grid = ceil(n / block), x = random[n], y = random[n]:2 in 1..999, out = zeros[n]
__global__ void int_divide(const int* x, const int* y, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] / y[i] + x[i] % (y[i] + 1);
}
// warpscope int_divide_constant: block = 256, n = 2^21, grid = ceil(n / block), x = random[n], out = zeros[n]
__global__ void int_divide_constant(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] / 7 + x[i] % 1000;
}
// warpscope long_divide: block = 256, n = 2^19, grid = ceil(n / block), x = random[n], y = random[n]:2 in 1..99999, out = zeros[n]
__global__ void long_divide(const unsigned long long* x, const unsigned long long* y, unsigned long long* out,
                            int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] / y[i];
}
// warpscope integer_chain: block = 256, n = 2^21, grid = ceil(n / block), x = random[n], out = zeros[n]
__global__ void integer_chain(const unsigned* x, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i];
  for (int k = 0; k < 64; ++k) v = v * 1664525u + 1013904223u;
  out[i] = v;
}
// warpscope bit_tricks: block = 256, n = 2^21, grid = ceil(n / block), x = random[n], out = zeros[n]
__global__ void bit_tricks(const unsigned* x, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i];
  for (int k = 0; k < 8; ++k)
    v = __brev(v) ^ __popc(v) * 0x9E3779B9u ^ __clz(v) ^ __funnelshift_l(v, v, 5 + k);
  out[i] = v;
}
