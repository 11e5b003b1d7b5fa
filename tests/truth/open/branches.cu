// Branches, loops and searches that differ between lanes.

// warpscope: block = 128, n = 2^19, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void parity(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  if (v % 2) {
    for (int k = 0; k < 16; ++k) v = v * 3 + 1;
  } else {
    for (int k = 0; k < 16; ++k) v = v / 2 + 7;
  }
  out[i] = v;
}
__global__ void eight_ways(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  switch (v % 8) {
    case 0:
      v = v * 5 + __popc(v);
      break;
    case 1:
      v = v / 3;
      break;
    case 2:
      v ^= v << 7;
      break;
    case 3:
      v = __brev(v);
      break;
    case 4:
      v = v * v;
      break;
    case 5:
      v += in[(i + 1) % n];
      break;
    case 6:
      v = ~v;
      break;
    default:
      v = v % 1000;
  }
  out[i] = v;
}
__global__ void trips(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i], sum = 0;
  for (unsigned k = 0; k < v % 32; ++k) sum = sum * 7 + k;
  out[i] = sum;
}
__global__ void early_exit(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 4 != 0) return;
  unsigned v = in[i];
  for (int k = 0; k < 24; ++k) v = (v ^ (v >> 3)) * 5;
  out[i] = v;
}
// warpscope collatz: block = 128, n = 2^17, grid = ceil(n / block), out = zeros[n]
__global__ void collatz(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = i + 1;
  int steps = 0;
  while (v > 1 && steps < 200) {
    v = v % 2 ? 3 * v + 1 : v / 2;
    ++steps;
  }
  out[i] = steps;
}
// warpscope mandelbrot: block = (32, 4), width = 512, height = 256, grid = (ceil(width / block.x), ceil(height / block.y)), out = zeros[width * height]
__global__ void mandelbrot(int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cx = -2 + 3.0f * x / width, cy = -1 + 2.0f * y / height;
  float a = 0, b = 0;
  int k = 0;
  while (k < 100 && a * a + b * b < 4) {
    const float next = a * a - b * b + cx;
    b = 2 * a * b + cy;
    a = next;
    ++k;
  }
  out[y * width + x] = k;
}
// warpscope binary_search: block = 256, n = 2^19, grid = ceil(n / block), table = iota[2^16], keys = random[n], out = zeros[n]
__global__ void binary_search(const unsigned* table, const unsigned* keys, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i] % 65536;
  int low = 0, high = 65536;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (table[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[i] = low;
}
// warpscope random_walk: block = 128, n = 2^17, grid = ceil(n / block), out = zeros[n]
__global__ void random_walk(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned state = i * 2654435761u + 1;
  int x = 0, y = 0, steps = 0;
  while (x * x + y * y < 100 && steps < 200) {
    state = state * 1664525u + 1013904223u;
    switch (state >> 30) {
      case 0:
        ++x;
        break;
      case 1:
        --x;
        break;
      case 2:
        ++y;
        break;
      default:
        --y;
    }
    ++steps;
  }
  out[i] = steps;
}
// warpscope ray_sphere: block = (16, 8), width = 512, height = 256, grid = (ceil(width / block.x), ceil(height / block.y)), spheres = random[4 * 16], out = zeros[width * height]
__global__ void ray_sphere(const float4* spheres, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float dx = (x - width / 2) / 256.0f, dy = (y - height / 2) / 256.0f;
  float nearest = 1e9f;
  for (int k = 0; k < 16; ++k) {
    const float4 s = spheres[k];
    const float px = s.x * 2 - 1 - dx, py = s.y * 2 - 1 - dy, r2 = 0.02f + 0.05f * s.w,
                d2 = px * px + py * py;
    if (d2 < r2) {
      const float depth = s.z - sqrtf(r2 - d2);
      if (depth < nearest) nearest = depth;
    }
  }
  out[y * width + x] = nearest;
}
// warpscope sieve: block = 256, n = 2^16, grid = ceil(n / block), out = zeros[n]
__global__ void sieve(unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool prime = i > 1;
  for (int k = 2; k * k <= i && prime; ++k) prime = i % k != 0;
  out[i] = prime;
}
