// A picture of a ball above a floor, by ray marching: a ray goes on by its distance to the nearest surface, until it is
// there. Rays that graze a surface take the most steps, and their warps wait for them.
//   warpscope run ray_march.cu --variant rayMarch
#include <cmath>
#include <cstdio>

struct Scene {
  float3 centre;
  float radius, floor;

  // Distances to all surfaces; the least of them is a step that cannot go through any.
  __host__ __device__ float distance(float3 p) const {
    const float dx = p.x - centre.x, dy = p.y - centre.y, dz = p.z - centre.z;
    return fminf(sqrtf(dx * dx + dy * dy + dz * dz) - radius, p.y - floor);
  }
};

__host__ __device__ inline float3 along(float3 from, float3 direction, float far) {
  return make_float3(from.x + direction.x * far, from.y + direction.y * far, from.z + direction.z * far);
}

template <int Steps>
__host__ __device__ float march(const Scene& scene, float3 from, float3 direction, int* steps) {
  float far = 0;
  for (*steps = 0; *steps < Steps && far < 20.0f; ++*steps) {
    const float free = scene.distance(along(from, direction, far));
    if (free < 1e-3f) return far;
    far += free;
  }
  return INFINITY;
}

// depth: how far each ray goes. steps: how many steps it takes.
// warpscope: block = (8, 8), width = 96, height = 64, grid = (ceil(width/block.x), ceil(height/block.y)), depth = zeros[width*height], steps = zeros[width*height]
__global__ void rayMarch(float* depth, int* steps, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const Scene scene{make_float3(0, 0, 4), 1, -1};
  float3 direction = make_float3((x + 0.5f - width / 2) / height, (height / 2 - y - 0.5f) / height, 1);
  const float length = sqrtf(direction.x * direction.x + direction.y * direction.y + 1);
  direction = make_float3(direction.x / length, direction.y / length, 1 / length);
  depth[y * width + x] = march<128>(scene, make_float3(0, 0, 0), direction, &steps[y * width + x]);
}

int main() {
  const int width = 96, height = 64;
  float* depth;
  int* steps;
  cudaMallocManaged(&depth, width * height * sizeof(float));
  cudaMallocManaged(&steps, width * height * sizeof(int));
  rayMarch<<<dim3(width / 8, height / 8), dim3(8, 8)>>>(depth, steps, width, height);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int y = 0; y < height; y += 2) {
    for (int x = 0; x < width; ++x) {
      const float far = depth[y * width + x];
      std::putchar(std::isinf(far) ? ' ' : "@%#*+=-:."[far < 3 ? 0 : far < 10 ? static_cast<int>(far) - 2 : 8]);
    }
    std::putchar('\n');
  }
  const float middle = depth[height / 2 * width + width / 2];
  std::printf("the ball is %g away, expected about 3\n", middle);
  return !(std::fabs(middle - 3) < 0.01f) || !std::isinf(depth[0]);
}
