// The product of two n x n matrices of halves on the tensor cores, which multiply whole tiles in one instruction.
//   warpscope run tensor_product.cu --variant productMma
#include <cstdio>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// One element a thread.
// warpscope: block = (16, 16) fixed, n = 64, grid = (n/16, n/16), a = random[n*n], b = random[n*n], c = zeros[n*n]
__global__ void productPlain(const half* a, const half* b, float* c, int n) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += __half2float(a[row * n + k]) * __half2float(b[k * n + column]);
  c[row * n + column] = sum;
}

// One tile of 16 x 16 elements a warp. How a fragment lies in the lanes' registers is the library's secret.
// warpscope productWmma: block = 32 fixed, reference = productPlain, tolerance = 1e-4
__global__ void productWmma(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + row * n + k, n);
    wmma::load_matrix_sync(right, b + k * n + column, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// The same by the instructions themselves: ldmatrix gives each lane the halves that mma wants from it. The rows in shared
// memory are 8 halves longer than they need to be, so that the 8 rows of a matrix lie in different banks.
// warpscope productMma: block = 32 fixed, reference = productPlain, tolerance = 1e-4
__global__ void productMma(const half* a, const half* b, float* c, int n) {
  __shared__ __align__(16) half left[16][24], right[16][24];
  const int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 16;
  float sum[2][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = lane; i < 256; i += 32) {
      left[i / 16][i % 16] = a[(row + i / 16) * n + k + i % 16];
      right[i / 16][i % 16] = b[(k + i / 16) * n + column + i % 16];
    }
    __syncwarp();
    unsigned int x[4], y[4];
    const unsigned int of_left = (unsigned int)__cvta_generic_to_shared(&left[lane % 16][lane / 16 * 8]);
    const unsigned int of_right = (unsigned int)__cvta_generic_to_shared(&right[lane % 16][lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(of_left) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3]) : "r"(of_right) : "memory");
    for (int half_tile = 0; half_tile < 2; ++half_tile) {
      float* d = sum[half_tile];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                   "{%0, %1, %2, %3};"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                   : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[2 * half_tile]), "r"(y[2 * half_tile + 1]));
    }
    __syncwarp();
  }
  for (int i = 0; i < 8; ++i) {
    const int down = lane / 4 + i % 4 / 2 * 8, across = lane % 4 * 2 + i % 2 + i / 4 * 8;
    c[(row + down) * n + column + across] = sum[i / 4][i % 4];
  }
}

// Fills the matrices, as conversions on the host differ between versions of CUDA.
// warpscope fill: block = (16, 16) fixed
__global__ void fill(half* a, half* b, float* c, int n) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  a[row * n + column] = __float2half((float)((row + column) % 7));
  b[row * n + column] = __float2half((float)((row + 2 * column) % 5));
  c[row * n + column] = -1;
}

int main() {
  const int n = 64;
  half *a, *b;
  float* c;
  cudaMallocManaged(&a, n * n * sizeof(half));
  cudaMallocManaged(&b, n * n * sizeof(half));
  cudaMallocManaged(&c, n * n * sizeof(float));
  const dim3 tile(16, 16), grid(n / 16, n / 16);
  int wrong = 0;
  for (int kernel = 0; kernel < 3; ++kernel) {
    fill<<<grid, tile>>>(a, b, c, n);
    if (kernel == 0) productPlain<<<grid, tile>>>(a, b, c, n);
    if (kernel == 1) productWmma<<<grid, 32>>>(a, b, c, n);
    if (kernel == 2) productMma<<<grid, 32>>>(a, b, c, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) {
        int sum = 0;  // exact in any order
        for (int k = 0; k < n; ++k) sum += (row + k) % 7 * ((k + 2 * column) % 5);
        wrong += c[row * n + column] != (float)sum;
      }
    }
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
