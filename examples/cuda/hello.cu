// Each warp's first lane says where it is, and how many lanes take the branch with it.
//   warpscope exec hello.cu --grid 2 --block 64
#include <stdio.h>

// warpscope: block = 64, grid = 2
__global__ void hello() {
  const unsigned int lane = threadIdx.x % warpSize;
  if (lane % 4 == 0) {
    const int together = __popc(__activemask());
    if (lane == 0) printf("block %u, warp %u: %d lanes\n", blockIdx.x, threadIdx.x / warpSize, together);
  }
}

int main() {
  hello<<<2, 64>>>();
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
