// Neighbours on lines, planes and volumes.

// warpscope: block = 256, n = 2^20, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void line3(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

__global__ void line9_shared(const float* in, float* out, int n) {
  __shared__ float tile[1024 + 8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 4;
  tile[t] = i < n ? in[i] : 0;
  if (threadIdx.x < 4) {
    tile[threadIdx.x] = i >= 4 ? in[i - 4] : 0;
    const int right = i + blockDim.x;
    tile[t + blockDim.x] = right < n ? in[right] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = -4; k <= 4; ++k) sum += tile[t + k];
  if (i < n) out[i] = sum / 9;
}

// warpscope plane5: block = (32, 8), width = 2048, height = 1024, grid = (ceil(width / block.x), ceil(height / block.y)), in = random[width * height], out = zeros[width * height]
__global__ void plane5(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

// warpscope plane5_shared: block = (32, 8) fixed, width = 2048, height = 1024, grid = (ceil(width / block.x), ceil(height / block.y)), in = random[width * height], out = zeros[width * height]
__global__ void plane5_shared(const float* in, float* out, int width, int height) {
  __shared__ float tile[10][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  for (int r = threadIdx.y; r < 10; r += 8) {
    for (int c = threadIdx.x; c < 34; c += 32) {
      const int gx = blockIdx.x * 32 + c - 1, gy = blockIdx.y * 8 + r - 1;
      tile[r][c] = gx >= 0 && gy >= 0 && gx < width && gy < height ? in[gy * width + gx] : 0;
    }
  }
  __syncthreads();
  if (x >= width || y >= height) return;
  const int r = threadIdx.y + 1, c = threadIdx.x + 1;
  out[y * width + x] =
      0.2f * (tile[r][c] + tile[r][c - 1] + tile[r][c + 1] + tile[r - 1][c] + tile[r + 1][c]);
}

// warpscope sobel: block = (32, 8), width = 1280, height = 960, grid = (ceil(width / block.x), ceil(height / block.y)), in = random[width * height], out = zeros[width * height]
__global__ void sobel(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const unsigned char* p = in + y * width + x;
  const int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
  const int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
  out[y * width + x] = static_cast<unsigned char>(min(255, abs(gx) + abs(gy)));
}

// warpscope median3: block = (16, 16), width = 1280, height = 720, grid = (ceil(width / block.x), ceil(height / block.y)), in = random[width * height], out = zeros[width * height]
__global__ void median3(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  unsigned char v[9];
  for (int k = 0; k < 9; ++k) v[k] = in[(y + k / 3 - 1) * width + x + k % 3 - 1];
  for (int i = 0; i < 5; ++i) {
    for (int j = i + 1; j < 9; ++j) {
      const unsigned char low = min(v[i], v[j]), high = max(v[i], v[j]);
      v[i] = low;
      v[j] = high;
    }
  }
  out[y * width + x] = v[4];
}

// warpscope life: block = (32, 8), width = 2048, height = 512, grid = (ceil(width / block.x), ceil(height / block.y)), in = random[width * height] in 0..1, out = zeros[width * height]
__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      alive += in[(y + dy + height) % height * width + (x + dx + width) % width] & 1;
    }
  }
  out[y * width + x] = alive == 3 || (alive == 2 && (in[y * width + x] & 1));
}

// warpscope volume7: block = (32, 4), side = 128, grid = (ceil(side / block.x), ceil(side / block.y)), in = random[side * side * side], out = zeros[side * side * side]
__global__ void volume7(const float* in, float* out, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
  const int layer = side * side;
  int i = layer + y * side + x;
  float below = in[i - layer], here = in[i];
  for (int z = 1; z < side - 1; ++z, i += layer) {
    const float above = in[i + layer];
    out[i] = below + above + in[i - 1] + in[i + 1] + in[i - side] + in[i + side] - 6 * here;
    below = here;
    here = above;
  }
}

// warpscope heat_block: block = 256, n = 2^18, grid = ceil(n / block), u = random[n]
__global__ void heat_block(float* u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool inside = threadIdx.x > 0 && threadIdx.x + 1 < blockDim.x && i + 1 < n;
  for (int step = 0; step < 16; ++step) {
    float next = 0;
    if (inside) next = 0.5f * u[i] + 0.25f * (u[i - 1] + u[i + 1]);
    __syncthreads();
    if (inside) u[i] = next;
    __syncthreads();
  }
}

// warpscope blur_separable: block = 128, width = 2048, height = 512, grid = (ceil(width / block), height), in = random[width * height], out = zeros[width * height]
__global__ void blur_separable(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width || blockIdx.y >= height) return;
  const float* row = in + blockIdx.y * width;
  float sum = 0, weight = 0;
  for (int k = -7; k <= 7; ++k) {
    const int at = min(max(x + k, 0), width - 1);
    const float w = 8 - abs(k);
    sum += w * row[at];
    weight += w;
  }
  out[blockIdx.y * width + x] = sum / weight;
}
