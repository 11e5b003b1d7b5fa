// The edit distance of two texts (Levenshtein): insertions, deletions and changes that make one the other. Each cell of
// a table needs those left, above and before both, so that cells of one diagonal can be computed together.
//   warpscope run edit_distance.cu --variant distanceWavefront
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int kMost = 256;  // letters of a text

// Threads hold a letter of the first text each; three diagonals are in shared memory.
// warpscope: block = 256 fixed, grid = 1, n = 200 in 1..256, m = 180 in 1..256, a = random[n] in 97..100, b = random[m] in 97..100, distance = zeros[1]
// warpscope distanceWavefront: reference = distanceSerial
__global__ void distanceWavefront(const char* a, const char* b, int* distance, int n, int m) {
  __shared__ int diagonals[3][kMost + 1];
  for (int sum = 0; sum <= n + m; ++sum) {
    int* now = diagonals[sum % 3];
    const int *last = diagonals[(sum + 2) % 3], *before = diagonals[(sum + 1) % 3];
    for (int i = threadIdx.x; i <= n; i += blockDim.x) {
      const int j = sum - i;
      if (j < 0 || j > m) continue;
      if (i == 0 || j == 0) now[i] = i + j;
      else now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *distance = diagonals[(n + m) % 3][n];
}

// Row after row, by one thread.
__global__ void distanceSerial(const char* a, const char* b, int* distance, int n, int m) {
  __shared__ int row[kMost + 1];
  if (threadIdx.x != 0) return;
  for (int j = 0; j <= m; ++j) row[j] = j;
  for (int i = 1; i <= n; ++i) {
    int before = row[0];
    row[0] = i;
    for (int j = 1; j <= m; ++j) {
      const int changed = before + (a[i - 1] != b[j - 1]);
      before = row[j];
      row[j] = min(min(row[j], row[j - 1]) + 1, changed);
    }
  }
  *distance = row[m];
}

int main() {
  const char one[] = "kitten", two[] = "sitting";
  char *a, *b;
  int* distance;
  cudaMallocManaged(&a, kMost);
  cudaMallocManaged(&b, kMost);
  cudaMallocManaged(&distance, 2 * sizeof(int));
  std::copy(one, one + sizeof one, a);
  std::copy(two, two + sizeof two, b);
  distanceWavefront<<<1, kMost>>>(a, b, &distance[0], sizeof one - 1, sizeof two - 1);
  distanceSerial<<<1, kMost>>>(a, b, &distance[1], sizeof one - 1, sizeof two - 1);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("from %s to %s: %d and %d steps, expected 3\n", one, two, distance[0], distance[1]);
  return distance[0] != 3 || distance[1] != 3;
}
