// A sparse matrix times a vector. Compressed sparse rows: the elements of row r are row_begin[r] to row_begin[r + 1] of
// `columns` and `values`.
//   warpscope run spmv.cu --variant spmvVector
#include <cmath>
#include <cstdio>

// A matrix to begin with: row r has 1 + r % 61 elements.
__host__ __device__ inline int rowBegin(int row) { return row / 61 * (61 * 62 / 2) + row % 61 + row % 61 * (row % 61 - 1) / 2; }
// warpscope: block = 128, n = 1024, most = n*32, grid = ceil(n/block), x = random[n], y = zeros[n]
// warpscope makeMatrix: row_begin = zeros[n+1], columns = zeros[most], values = zeros[most]
__global__ void makeMatrix(int* row_begin, int* columns, float* values, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row <= n) row_begin[row] = rowBegin(row);
  if (row == 0) row_begin[n] = rowBegin(n);
  if (row >= n) return;
  for (int i = rowBegin(row); i < rowBegin(row + 1); ++i) {
    columns[i] = (row * 31 + (i - rowBegin(row)) * 17) % n;
    values[i] = static_cast<float>(i % 13 - 6);
  }
}

// One thread a row: rows of different lengths keep lanes waiting, and their elements are far apart.
// warpscope spmvScalar: row_begin = makeMatrix.row_begin[n+1], columns = makeMatrix.columns[most], values = makeMatrix.values[most]
__global__ void spmvScalar(const int* row_begin, const int* columns, const float* values, const float* x, float* y, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int i = row_begin[row]; i < row_begin[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

// One warp a row.
// warpscope spmvVector: row_begin = makeMatrix.row_begin[n+1], columns = makeMatrix.columns[most], values = makeMatrix.values[most]
// warpscope spmvVector: grid = ceil(n*32/block), reference = spmvScalar, tolerance = 1e-4
__global__ void spmvVector(const int* row_begin, const int* columns, const float* values, const float* x, float* y, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= n) return;
  float sum = 0;
  for (int i = row_begin[row] + lane; i < row_begin[row + 1]; i += warpSize) sum += values[i] * __ldg(&x[columns[i]]);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = sum;
}

int main() {
  const int n = 1024, most = n * 32;
  int *row_begin, *columns;
  float *values, *x, *y;
  cudaMallocManaged(&row_begin, (n + 1) * sizeof(int));
  cudaMallocManaged(&columns, most * sizeof(int));
  for (float** p : {&values, &x, &y}) cudaMallocManaged(p, most * sizeof(float));
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i % 29);
  makeMatrix<<<n / 128, 128>>>(row_begin, columns, values, n);
  int wrong = 0;
  for (const bool by_warp : {false, true}) {
    if (by_warp) spmvVector<<<n * 32 / 128, 128>>>(row_begin, columns, values, x, y, n);
    else spmvScalar<<<n / 128, 128>>>(row_begin, columns, values, x, y, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int row = 0; row < n; ++row) {
      float sum = 0;  // of whole numbers: exact in any order
      for (int i = row_begin[row]; i < row_begin[row + 1]; ++i) sum += values[i] * x[columns[i]];
      wrong += y[row] != sum;
    }
  }
  std::printf("%d elements, %d wrong\n", row_begin[n], wrong);
  return wrong != 0;
}
