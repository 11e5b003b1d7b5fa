// Mathematical functions where they are slow: large arguments, special functions, powers, remainders.

// warpscope large_angles: block = 256, n = 2^16, grid = ceil(n / block), in = random[n] in 1..10000000, out = zeros[n]
__global__ void large_angles(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sinf(in[i]) + cosf(in[i] * 0.5f);
}
// Every fourth lane has an argument that the quick way cannot reduce.
// warpscope mixed_angles: block = 256, n = 2^17, grid = ceil(n / block), in = random[n] in 0..6, out = zeros[n]
__global__ void mixed_angles(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s, c;
  sincosf(i % 4 == 0 ? in[i] * 1e6f : in[i], &s, &c);
  out[i] = s * c;
}
// warpscope double_angles: block = 128, n = 2^14, grid = ceil(n / block), in = random[n] in 0..100, out = zeros[n]
__global__ void double_angles(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sin(in[i]) + cos(in[i]) * tan(in[i]);
}
// warpscope double_powers: block = 128, n = 2^14, grid = ceil(n / block), in = random[n] in 1..9, out = zeros[n]
__global__ void double_powers(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = pow(in[i], 2.7) + log(in[i]) + exp(-in[i]);
}
// warpscope double_special: block = 128, n = 2^13, grid = ceil(n / block), in = random[n] in 0..3, out = zeros[n]
__global__ void double_special(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = erf(in[i]) + cbrt(in[i]) + atan2(in[i], 0.7);
}
// warpscope general_powers: block = 256, n = 2^17, grid = ceil(n / block), x = random[n] in 0..8, y = random[n]:3 in -3..3, out = zeros[n]
__global__ void general_powers(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = powf(x[i], y[i]);
}
// warpscope float_remainders: block = 128, n = 2^15, grid = ceil(n / block), x = random[n] in 0..100000, y = random[n]:3 in 1..3, out = zeros[n]
__global__ void float_remainders(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmodf(x[i], y[i]) + remainderf(x[i], y[i]);
}
// warpscope normal_values: block = 256, n = 2^17, grid = ceil(n / block), in = random[n] in 0.01..0.99, out = zeros[n]
__global__ void normal_values(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = normcdfinvf(in[i]) + erff(in[i]) * erfcf(in[i]);
}
// warpscope lengths: block = 256, n = 2^18, grid = ceil(n / block), x = random[n] in -2..2, y = random[n]:5 in -2..2, out = zeros[n]
__global__ void lengths(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = hypotf(x[i], y[i]) * rsqrtf(1 + x[i] * x[i]) + atan2f(y[i], x[i]) + cbrtf(y[i]);
}
// warpscope gamma_logs: block = 128, n = 2^15, grid = ceil(n / block), in = random[n] in 0.1..12, out = zeros[n]
__global__ void gamma_logs(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = lgammaf(in[i]) + log1pf(in[i]) + expm1f(-in[i]);
}
// Rounding of every kind, and between types.
// warpscope roundings: block = 256, n = 2^18, grid = ceil(n / block), in = random[n] in -1000..1000, out = zeros[n]
__global__ void roundings(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = in[i];
  out[i] = floorf(v) + ceilf(v * 2) + truncf(v * 3) + rintf(v * 5) + roundf(v * 7) +
           static_cast<float>(static_cast<long long>(v * 11)) +
           static_cast<float>(static_cast<unsigned char>(v * v)) + copysignf(1, v) + fdimf(v, 3) +
           ldexpf(v, 3);
}
// Correctly rounded quotients and roots among numbers that are not normal.
// warpscope tiny_quotients: block = 256, n = 2^16, grid = ceil(n / block), in = random[n] in 0..1, out = zeros[n]
__global__ void tiny_quotients(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 1e-38f / (in[i] + 1e-3f) + sqrtf(in[i] * 1e-39f);
}
