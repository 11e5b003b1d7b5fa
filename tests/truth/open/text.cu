// Texts and tables: bytes that are read one by one, and dynamic programming.

// warpscope: block = 128, n = 2^18, grid = ceil(n / block), text = random[n] in 97..101, out = zeros[n]
__global__ void find_word(const char* text, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 4 > n) return;
  const char word[4] = {'a', 'b', 'c', 'a'};
  int k = 0;
  while (k < 4 && text[i + k] == word[k]) ++k;
  out[i] = k == 4;
}

__global__ void rolling_hash(const char* text, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 16 > n) return;
  unsigned hash = 0;
  for (int k = 0; k < 16; ++k) hash = hash * 31 + text[i + k];
  out[i] = hash % 1009;
}

// warpscope count_letters: block = 256, n = 2^20, grid = 264, text = random[n] in 97..122, bins = zeros[32]
__global__ void count_letters(const char* text, unsigned* bins, int n) {
  __shared__ unsigned of_block[32];
  if (threadIdx.x < 32) of_block[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&of_block[(text[i] - 'a') & 31], 1u);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], of_block[threadIdx.x]);
}

// warpscope base64: block = 128, groups = 2^16, grid = ceil(groups / block), in = random[3 * groups], out = zeros[4 * groups]
__global__ void base64(const unsigned char* in, char* out, int groups) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  const unsigned bits = in[3 * g] << 16 | in[3 * g + 1] << 8 | in[3 * g + 2];
  for (int k = 0; k < 4; ++k) {
    const int v = bits >> (18 - 6 * k) & 63;
    out[4 * g + k] = v < 26 ? 'A' + v : v < 52 ? 'a' + v - 26 : v < 62 ? '0' + v - 52 : v == 62 ? '+' : '/';
  }
}

// warpscope crc32: block = 64, rows = 2^14, grid = ceil(rows / block), in = random[rows * 32], out = zeros[rows]
__global__ void crc32(const unsigned char* in, unsigned* out, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  unsigned crc = 0xFFFFFFFF;
  for (int k = 0; k < 32; ++k) {
    crc ^= in[32 * r + k];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
  }
  out[r] = ~crc;
}

// warpscope utf8_length: block = 128, n = 2^18, grid = ceil(n / block), text = random[n], out = zeros[n]
__global__ void utf8_length(const unsigned char* text, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char c = text[i];
  out[i] = c < 0x80 ? 1 : c < 0xC0 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

// The edit distance of two words of 24 letters, a pair for each thread, with a row in local memory.
// warpscope edit_distance: block = 64, pairs = 2^12, grid = ceil(pairs / block), a = random[24 * pairs] in 97..101, b = random[24 * pairs]:9 in 97..101, out = zeros[pairs]
__global__ void edit_distance(const char* a, const char* b, int* out, int pairs) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  int row[25];
  for (int j = 0; j <= 24; ++j) row[j] = j;
  for (int i = 1; i <= 24; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= 24; ++j) {
      const int above = row[j];
      row[j] = min(min(above, row[j - 1]) + 1, diagonal + (a[24 * p + i - 1] != b[24 * p + j - 1]));
      diagonal = above;
    }
  }
  out[p] = row[24];
}

// One pair for each block, along diagonals.
// warpscope align_diagonal: block = 128 fixed, pairs = 528, grid = pairs, a = random[128 * pairs] in 0..3, b = random[128 * pairs]:5 in 0..3, out = zeros[pairs]
__global__ void align_diagonal(const char* a, const char* b, int* out, int pairs) {
  __shared__ int score[3][129];
  const int t = threadIdx.x, base = 128 * blockIdx.x;
  for (int k = 0; k < 3; ++k) score[k][t + 1] = 0;
  if (t < 3) score[t][0] = 0;
  __syncthreads();
  int best = 0;
  for (int d = 0; d < 255; ++d) {
    const int j = d - t, now = d % 3, before = (d + 2) % 3, two = (d + 1) % 3;
    if (j >= 0 && j < 128) {
      const int match = score[two][t] + (a[base + t] == b[base + j] ? 2 : -1);
      const int value = max(0, max(match, max(score[before][t], score[before][t + 1]) - 1));
      score[now][t + 1] = value;
      best = max(best, value);
    }
    __syncthreads();
  }
  best = __reduce_max_sync(0xFFFFFFFF, best);
  if (t % 32 == 0) atomicMax(&out[blockIdx.x], best);
}

// warpscope knapsack: block = 256, capacity = 2^10, grid = 264, weights = random[32] in 1..60, values = random[32]:3 in 1..90, out = zeros[264 * 1024]
__global__ void knapsack(const int* weights, const int* values, int* out, int capacity) {
  __shared__ int best[2][1024];
  for (int c = threadIdx.x; c < capacity; c += blockDim.x) best[0][c] = 0;
  __syncthreads();
  int from = 0;
  for (int item = 0; item < 32; ++item) {
    const int w = weights[item], v = values[item] + blockIdx.x % 7;
    for (int c = threadIdx.x; c < capacity; c += blockDim.x) {
      const int without = best[from][c];
      best[1 - from][c] = c >= w ? max(without, best[from][c - w] + v) : without;
    }
    from = 1 - from;
    __syncthreads();
  }
  for (int c = threadIdx.x; c < capacity; c += blockDim.x) out[blockIdx.x * capacity + c] = best[from][c];
}

// warpscope run_lengths: block = 128, n = 2^18, grid = ceil(n / block), in = random[n] in 0..3, out = zeros[n]
__global__ void run_lengths(const unsigned char* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned short length = 0;
  for (int k = i; k < n && in[k] == in[i]; ++k) ++length;
  out[i] = length;
}
