// Conway's game of life on a torus: a cell lives with three neighbours, or with two if it lived before.
//   warpscope run life.cu --variant lifeShared
#include <cstdio>
#include <vector>

constexpr int kTile = 16;

// warpscope: block = (16, 16) fixed, width = 128, height = 128, grid = (ceil(width/16), ceil(height/16)), in = random[width*height] in 0..1, out = zeros[width*height]
__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  auto cell = [&](int cx, int cy) { return in[(cy + height) % height * width + (cx + width) % width]; };
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx != 0 || dy != 0) neighbours += cell(x + dx, y + dy);
    }
  }
  out[y * width + x] = neighbours == 3 || (neighbours == 2 && cell(x, y));
}

// The block's cells and a border of one are read into shared memory once.
// warpscope lifeShared: reference = life
__global__ void lifeShared(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ unsigned char cells[kTile + 2][kTile + 2];
  const int left = blockIdx.x * kTile - 1, top = blockIdx.y * kTile - 1;
  for (int i = threadIdx.y * kTile + threadIdx.x; i < (kTile + 2) * (kTile + 2); i += kTile * kTile) {
    const int cx = (left + i % (kTile + 2) + width) % width, cy = (top + i / (kTile + 2) + height) % height;
    cells[i / (kTile + 2)][i % (kTile + 2)] = in[cy * width + cx];
  }
  __syncthreads();
  const int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;
  if (x >= width || y >= height) return;
  const int cx = threadIdx.x + 1, cy = threadIdx.y + 1;
  const int neighbours = cells[cy - 1][cx - 1] + cells[cy - 1][cx] + cells[cy - 1][cx + 1] + cells[cy][cx - 1] +
                         cells[cy][cx + 1] + cells[cy + 1][cx - 1] + cells[cy + 1][cx] + cells[cy + 1][cx + 1];
  out[y * width + x] = neighbours == 3 || (neighbours == 2 && cells[cy][cx]);
}

int main() {
  // A glider moves one cell right and down in four generations.
  const int width = 128, height = 128;
  std::vector<unsigned char> world(width * height), expected(width * height);
  const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
  for (const auto& [x, y] : glider) {
    world[y * width + x] = 1;
    expected[(y + 1) * width + x + 1] = 1;
  }
  unsigned char *in, *out;
  cudaMalloc(&in, world.size());
  cudaMalloc(&out, world.size());
  cudaMemcpy(in, world.data(), world.size(), cudaMemcpyHostToDevice);
  const dim3 block(kTile, kTile), grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  for (int generation = 0; generation < 4; generation += 2) {
    life<<<grid, block>>>(in, out, width, height);
    lifeShared<<<grid, block>>>(out, in, width, height);
  }
  cudaMemcpy(world.data(), in, world.size(), cudaMemcpyDeviceToHost);
  std::printf("%s\n", world == expected ? "the glider has moved" : "WRONG");
  cudaFree(in);
  cudaFree(out);
  return world == expected ? 0 : 1;
}
