// Elements of one and two bytes.

// warpscope: block = 256, n = 2^22, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void byte_copy(const unsigned char* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void byte_saturate(const unsigned char* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<unsigned char>(min(255, in[i] * 3 / 2 + 10));
}
__global__ void short_average(const short* in, short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) out[i] = static_cast<short>((in[i] + in[i + 1]) / 2);
}
__global__ void short_filter(const short* in, short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 8 > n) return;
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += in[i + k] * (k * 3 - 7);
  out[i] = static_cast<short>(sum >> 5);
}
__global__ void byte_threshold(const unsigned char* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] > 128 ? 255 : 0;
}
// warpscope byte_store_loop: block = 128, rows = 2^13, grid = ceil(rows / block), out = zeros[rows * 64]
__global__ void byte_store_loop(unsigned char* out, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  for (int k = 0; k < 64; ++k) out[r * 64 + k] = static_cast<unsigned char>(r + k);
}
// warpscope gray: block = 256, pixels = 2^21, grid = ceil(pixels / block), in = random[3 * pixels], out = zeros[pixels]
__global__ void gray(const unsigned char* in, unsigned char* out, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) out[i] = (77 * in[3 * i] + 150 * in[3 * i + 1] + 29 * in[3 * i + 2]) >> 8;
}
// warpscope byte_transpose: block = (32, 8), side = 2048, grid = (side / 32, side / 32), in = random[side * side], out = zeros[side * side]
__global__ void byte_transpose(const unsigned char* in, unsigned char* out, int side) {
  __shared__ unsigned char tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += blockDim.y)
    tile[k][threadIdx.x] = in[(blockIdx.y * 32 + k) * side + x];
  __syncthreads();
  const int y = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += blockDim.y)
    out[(blockIdx.x * 32 + k) * side + y] = tile[threadIdx.x][k];
}
// warpscope nibbles: block = 256, n = 2^21, grid = ceil(n / block), in = random[n], out = zeros[2 * n]
__global__ void nibbles(const unsigned char* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[2 * i] = in[i] & 15;
  out[2 * i + 1] = in[i] >> 4;
}
// warpscope byte_vectors: block = 256, n = 2^20, grid = ceil(n / block), in = random[4 * n], out = zeros[4 * n]
__global__ void byte_vectors(const uchar4* in, uchar4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 v = in[i];
  out[i] = make_uchar4(v.w, v.z, v.y, v.x);
}
