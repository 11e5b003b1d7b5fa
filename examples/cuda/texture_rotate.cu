// An image rotated: each pixel fetches where it comes from, between texels, and the texture unit blends the four around.
//   warpscope run texture_rotate.cu --variant rotate
// The reference blends by hand, from fetches in the middle of texels, with weights of 8 bits as the texture
// unit has: four that add up to 256, of which the last is rounded.
//
// warpscope: block = (32, 8), width = 96, height = 64, grid = (ceil(width / block.x), ceil(height / block.y))
// warpscope: image = texture2d(random[width, height]:5, linear, border), out = zeros[width * height], angle = 0.5
// warpscope rotate: reference = rotateByHand, tolerance = 1e-4
#include <cmath>
#include <cstdio>
#include <vector>

struct Place {
  float x, y;
};

// Where the pixel's value lies in the image, in texels.
__device__ Place sourceOf(int x, int y, int width, int height, float angle) {
  const float dx = x + 0.5f - 0.5f * width, dy = y + 0.5f - 0.5f * height;
  const float c = cosf(angle), s = sinf(angle);
  return {c * dx - s * dy + 0.5f * width, s * dx + c * dy + 0.5f * height};
}

__global__ void rotate(cudaTextureObject_t image, float* out, int width, int height, float angle) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const Place from = sourceOf(x, y, width, height, angle);
  out[y * width + x] = tex2D<float>(image, from.x, from.y);
}

// In 1/256, to the nearest.
__device__ float weightOf(float fraction) {
  return floorf(fraction * 256.0f + 0.5f);
}

__global__ void rotateByHand(cudaTextureObject_t image, float* out, int width, int height, float angle) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const Place from = sourceOf(x, y, width, height, angle);
  const float left = floorf(from.x - 0.5f), top = floorf(from.y - 0.5f);
  const float a = weightOf(from.x - 0.5f - left), b = weightOf(from.y - 0.5f - top);
  const auto texel = [&](int i, int j) { return tex2D<float>(image, left + i + 0.5f, top + j + 0.5f); };
  const float both = weightOf(a / 256.0f * b / 256.0f);  // of the last of the four texels
  const float sum = (256.0f - a - b + both) * texel(0, 0) + (a - both) * texel(1, 0) + (b - both) * texel(0, 1) +
                    both * texel(1, 1);
  out[y * width + x] = sum / 256.0f;
}

int main() {
  const int width = 96, height = 64;
  std::vector<float> texels(width * height);
  for (int i = 0; i < width * height; ++i) texels[i] = i * 37 % 101 / 101.0f;
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, width, height);
  const size_t row = width * sizeof(float);
  cudaMemcpy2DToArray(array, 0, 0, texels.data(), row, row, height, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeBorder;
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t image;
  if (cudaCreateTextureObject(&image, &resource, &description, nullptr) != cudaSuccess) return 1;
  float *out, *expected;
  cudaMallocManaged(&out, width * height * sizeof(float));
  cudaMallocManaged(&expected, width * height * sizeof(float));
  const dim3 block(32, 8), grid(width / block.x, height / block.y);
  rotate<<<grid, block>>>(image, out, width, height, 0.5f);
  rotateByHand<<<grid, block>>>(image, expected, width, height, 0.5f);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int i = 0; i < width * height; ++i) wrong += !(std::fabs(out[i] - expected[i]) <= 1e-4f);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
