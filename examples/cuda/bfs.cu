// One step of a breadth-first search: all places that are `now` steps from the first reach their neighbours.
//   warpscope run bfs.cu --variant step
#include <cstdio>
#include <vector>

constexpr int kNeighbours = 4, kFar = -1;

// A graph to begin with: place i leads to four others. Places below 32 are reached already.
// warpscope: n = 4096, block = 128, grid = ceil(n/block), now = 1 fixed
// warpscope makeGraph: neighbours = zeros[4*n], level = zeros[n]
__global__ void makeGraph(int* neighbours, int* level, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < kNeighbours; ++k) neighbours[i * kNeighbours + k] = (i * 5 + k * 977 + 1) % n;
  level[i] = i < 32 ? 1 : kFar;
}

// Of several places that lead to the same neighbour, one is the first, which an atomic exchange decides.
// warpscope step: neighbours = makeGraph.neighbours[4*n], level = makeGraph.level[n], reached = zeros[1], reference = stepSerial
__global__ void step(const int* neighbours, int* level, int* reached, int now, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || atomicAdd(&level[i], 0) != now) return;
  for (int k = 0; k < kNeighbours; ++k) {
    if (atomicCAS(&level[neighbours[i * kNeighbours + k]], kFar, now + 1) == kFar) atomicAdd(reached, 1);
  }
}

// warpscope stepSerial: neighbours = makeGraph.neighbours[4*n], level = makeGraph.level[n], reached = zeros[1], grid = 1
__global__ void stepSerial(const int* neighbours, int* level, int* reached, int now, int n) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < kNeighbours && level[i] == now; ++k) {
      int& other = level[neighbours[i * kNeighbours + k]];
      if (other == kFar) other = now + 1, ++*reached;
    }
  }
}

int main() {
  const int n = 4096, block = 128;
  int *neighbours, *level, *reached;
  cudaMallocManaged(&neighbours, n * kNeighbours * sizeof(int));
  cudaMallocManaged(&level, n * sizeof(int));
  cudaMallocManaged(&reached, sizeof(int));
  makeGraph<<<n / block, block>>>(neighbours, level, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::vector<int> expected(level, level + n), queue;
  for (int i = 0; i < 32; ++i) queue.push_back(i);
  for (size_t head = 0; head < queue.size(); ++head) {
    for (int k = 0; k < kNeighbours; ++k) {
      const int other = neighbours[queue[head] * kNeighbours + k];
      if (expected[other] != kFar) continue;
      expected[other] = expected[queue[head]] + 1;
      queue.push_back(other);
    }
  }
  int now = 1;
  do {
    *reached = 0;
    step<<<n / block, block>>>(neighbours, level, reached, now++, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  } while (*reached > 0);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += level[i] != expected[i];
  std::printf("%d steps, %d wrong\n", now - 1, wrong);
  return wrong != 0;
}
