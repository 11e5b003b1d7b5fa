// The Mandelbrot set: how many steps each point takes to leave a circle. Neighbours take different numbers of steps, so
// the lanes of a warp wait for the slowest.
//   warpscope run mandelbrot.cu --variant mandelbrot
#include <cstdio>

template <class Real>
__host__ __device__ unsigned int stepsOf(Real cx, Real cy, unsigned int limit) {
  Real x = 0, y = 0;
  unsigned int steps = 0;
  for (; steps < limit && x * x + y * y < 4; ++steps) {
    const Real next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  return steps;
}

// warpscope: block = (32, 8), width = 128, height = 64, limit = 100, grid = (ceil(width/block.x), ceil(height/block.y)), steps = zeros[width*height]
__global__ void mandelbrot(unsigned int* steps, int width, int height, unsigned int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cx = 3.0f * x / width - 2.2f, cy = 2.0f * y / height - 1.0f;
  steps[y * width + x] = stepsOf(cx, cy, limit);
}

// Points of the main body and of the disc to its left never leave; a formula finds them without a step.
// warpscope mandelbrotShortcut: reference = mandelbrot
__global__ void mandelbrotShortcut(unsigned int* steps, int width, int height, unsigned int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cx = 3.0f * x / width - 2.2f, cy = 2.0f * y / height - 1.0f;
  const float q = (cx - 0.25f) * (cx - 0.25f) + cy * cy;
  const bool inside = q * (q + cx - 0.25f) < 0.249f * cy * cy || (cx + 1) * (cx + 1) + cy * cy < 0.062f;
  steps[y * width + x] = inside ? limit : stepsOf(cx, cy, limit);
}

int main() {
  const int width = 128, height = 64;
  const unsigned int limit = 100;
  unsigned int *one, *two;
  cudaMallocManaged(&one, width * height * sizeof(unsigned int));
  cudaMallocManaged(&two, width * height * sizeof(unsigned int));
  const dim3 block(32, 8), grid(width / 32, height / 8);
  mandelbrot<<<grid, block>>>(one, width, height, limit);
  mandelbrotShortcut<<<grid, block>>>(two, width, height, limit);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int y = 0; y < height; y += 2) {
    for (int x = 0; x < width; ++x) {
      wrong += one[y * width + x] != two[y * width + x];
      std::putchar(" .:-=+*#%@"[one[y * width + x] * 9 / limit]);
    }
    std::putchar('\n');
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
