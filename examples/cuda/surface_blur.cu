// An image of four bytes a pixel blurred from one surface into another: each result is the mean of 3 x 3 pixels.
//   warpscope run surface_blur.cu --variant blur
// At the edges the surface itself repeats the nearest pixel; the reference looks for it.
//
// warpscope: block = (16, 16), width = 80, height = 48, grid = (ceil(width / block.x), ceil(height / block.y))
// warpscope: image = surface2d(u8x4 random[width, height]:2), blurred = surface2d(u8x4 zeros[width, height])
// warpscope blur: reference = blurByHand
#include <cstdio>
#include <vector>

__device__ uchar4 meanOf(uint4 sum) {
  return make_uchar4((sum.x + 4) / 9, (sum.y + 4) / 9, (sum.z + 4) / 9, (sum.w + 4) / 9);
}

__device__ void add(uint4& sum, uchar4 pixel) {
  sum.x += pixel.x;
  sum.y += pixel.y;
  sum.z += pixel.z;
  sum.w += pixel.w;
}

__global__ void blur(cudaSurfaceObject_t image, cudaSurfaceObject_t blurred, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uint4 sum = make_uint4(0, 0, 0, 0);
  for (int j = y - 1; j <= y + 1; ++j) {
    for (int i = x - 1; i <= x + 1; ++i) {
      // The place in a row is in bytes.
      add(sum, surf2Dread<uchar4>(image, i * (int)sizeof(uchar4), j, cudaBoundaryModeClamp));
    }
  }
  surf2Dwrite(meanOf(sum), blurred, x * (int)sizeof(uchar4), y);
}

__global__ void blurByHand(cudaSurfaceObject_t image, cudaSurfaceObject_t blurred, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uint4 sum = make_uint4(0, 0, 0, 0);
  for (int j = y - 1; j <= y + 1; ++j) {
    for (int i = x - 1; i <= x + 1; ++i) {
      const int inside_x = min(max(i, 0), width - 1), inside_y = min(max(j, 0), height - 1);
      add(sum, surf2Dread<uchar4>(image, inside_x * (int)sizeof(uchar4), inside_y));
    }
  }
  surf2Dwrite(meanOf(sum), blurred, x * (int)sizeof(uchar4), y);
}

// A surface of an array of its own.
cudaSurfaceObject_t surfaceOf(cudaArray_t* array, int width, int height) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaMallocArray(array, &format, width, height, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = *array;
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  return surface;
}

int main() {
  const int width = 80, height = 48;
  const size_t row = width * sizeof(uchar4);
  std::vector<unsigned char> pixels(row * height), blurred(row * height), expected(row * height);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = i * 37 % 251;
  cudaArray_t from, to, by_hand;
  const cudaSurfaceObject_t image = surfaceOf(&from, width, height), out = surfaceOf(&to, width, height);
  const cudaSurfaceObject_t reference = surfaceOf(&by_hand, width, height);
  cudaMemcpy2DToArray(from, 0, 0, pixels.data(), row, row, height, cudaMemcpyHostToDevice);
  const dim3 block(16, 16), grid(width / block.x, height / block.y);
  blur<<<grid, block>>>(image, out, width, height);
  blurByHand<<<grid, block>>>(image, reference, width, height);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy2DFromArray(blurred.data(), row, to, 0, 0, row, height, cudaMemcpyDeviceToHost);
  cudaMemcpy2DFromArray(expected.data(), row, by_hand, 0, 0, row, height, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (size_t i = 0; i < blurred.size(); ++i) wrong += blurred[i] != expected[i];
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
