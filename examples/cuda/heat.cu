// Heat spreads through a plate: each place moves towards the mean of its four neighbours.
//   warpscope run heat.cu --variant spread
#include <cmath>
#include <cstdio>
#include <utility>

// warpscope: block = (32, 8), width = 128, height = 96, rate = 0.2, in = random[width*height], out = zeros[width*height]
// warpscope spread: grid = (ceil(width/block.x), ceil(height/block.y))
__global__ void spread(const float* in, float* out, int width, int height, float rate) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int i = y * width + x;
  const bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  out[i] = edge ? in[i] : in[i] + rate * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4 * in[i]);
}

// Each thread goes down a column, and keeps the three places that it needs of it in registers.
// warpscope spreadColumns: block = 64, grid = ceil(width/block), reference = spread, tolerance = 1e-5
__global__ void spreadColumns(const float* in, float* out, int width, int height, float rate) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  float above = in[x], here = in[x];
  for (int y = 0; y < height; ++y) {
    const int i = y * width + x;
    const float below = y + 1 < height ? in[i + width] : here;
    const bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    out[i] = edge ? here : here + rate * (in[i - 1] + in[i + 1] + above + below - 4 * here);
    above = here;
    here = below;
  }
}

int main() {
  const int width = 128, height = 96;
  float *one, *two;
  cudaMallocManaged(&one, width * height * sizeof(float));
  cudaMallocManaged(&two, width * height * sizeof(float));
  for (int i = 0; i < width * height; ++i) one[i] = two[i] = i % width == 0 ? 1.0f : 0.0f;  // one side is hot
  const dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
  for (int step = 0; step < 50; ++step) {
    spread<<<grid, block>>>(one, two, width, height, 0.2f);
    spreadColumns<<<(width + 63) / 64, 64>>>(two, one, width, height, 0.2f);
  }
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  // From the hot side on, a row is never warmer than before, and nothing is outside of what there was.
  int wrong = 0;
  for (int x = 1; x < width; ++x) {
    const float left = one[height / 2 * width + x - 1], right = one[height / 2 * width + x];
    wrong += !(right <= left && right >= 0 && left <= 1);
  }
  std::printf("%d wrong; %g beside the hot side\n", wrong, one[height / 2 * width + 1]);
  return wrong != 0 || !(one[height / 2 * width + 1] > 0.5f);
}
