// Arrays of threads, calls, recursion and indirect calls.

// warpscope: block = 128, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void indexed_array(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned table[16];
  for (int k = 0; k < 16; ++k) table[k] = in[(i + k * 64) % n];
  unsigned sum = 0, at = in[i];
  for (int k = 0; k < 16; ++k) {
    sum += table[at % 16];
    at = at * 5 + sum;
  }
  out[i] = sum;
}
__global__ void insertion_sort(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v[12];
  for (int k = 0; k < 12; ++k) {
    const unsigned next = in[(i * 12 + k) % n];
    int at = k;
    while (at > 0 && v[at - 1] > next) {
      v[at] = v[at - 1];
      --at;
    }
    v[at] = next;
  }
  out[i] = v[i % 12];
}

__device__ __noinline__ int fibonacci(int k) {
  return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
}
// warpscope recursion: block = 64, n = 2^12, grid = ceil(n / block), out = zeros[n]
__global__ void recursion(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fibonacci(4 + i % 6);
}

__device__ __noinline__ unsigned deep(unsigned v, int depth) {
  if (depth == 0) return v;
  return deep(v * 3 + depth, depth - 1) ^ v;
}
// warpscope deep_recursion: block = 128, n = 2^14, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void deep_recursion(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = deep(in[i], 20);
}

__device__ __noinline__ float addOne(float x) {
  return x + 1;
}
__device__ __noinline__ float twice(float x) {
  return x * 2;
}
__device__ __noinline__ float square(float x) {
  return x * x;
}
__device__ __noinline__ float negate(float x) {
  return -x;
}
// warpscope indirect_calls: block = 128, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void indirect_calls(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float (*const table[4])(float) = {addOne, twice, square, negate};
  float v = in[i];
  for (int k = 0; k < 8; ++k) v = table[(i / 32 + k) % 4](v);
  out[i] = v;
}
// warpscope divergent_calls: block = 128, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void divergent_calls(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float (*const table[4])(float) = {addOne, twice, square, negate};
  float v = in[i];
  for (int k = 0; k < 4; ++k) v = table[(i + k) % 4](v);
  out[i] = v;
}

// A machine with a stack: each thread interprets 24 instructions.
// warpscope interpreter: block = 128, n = 2^14, grid = ceil(n / block), program = random[32], in = random[n], out = zeros[n]
__global__ void interpreter(const unsigned* program, const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned stack[8] = {in[i], 1, 2, 3, 4, 5, 6, 7};
  int top = 3;
  for (int pc = 0; pc < 24; ++pc) {
    const unsigned op = program[pc] % 6;
    switch (op) {
      case 0:
        stack[++top & 7] = pc;
        break;
      case 1:
        stack[(top - 1) & 7] += stack[top & 7];
        break;
      case 2:
        stack[(top - 1) & 7] *= stack[top & 7];
        break;
      case 3:
        stack[top & 7] ^= stack[(top - 2) & 7];
        break;
      case 4:
        --top;
        break;
      default:
        stack[top & 7] = ~stack[top & 7];
    }
  }
  out[i] = stack[top & 7];
}

// A walk over an implicit tree, with a stack of its own.
// warpscope tree_walk: block = 64, n = 2^13, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void tree_walk(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned stack[16], sum = 0;
  int top = 0;
  stack[top++] = 1;
  while (top > 0) {
    const unsigned node = stack[--top];
    sum += node * in[(i + node) % n];
    if (node < 32) {
      if ((in[i] >> (node % 32)) & 1) stack[top++] = 2 * node;
      stack[top++] = 2 * node + 1;
    }
  }
  out[i] = sum;
}

// warpscope many_registers: block = 128, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void many_registers(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[32];
  for (int k = 0; k < 32; ++k) v[k] = in[(i + k * 32) % n];
  for (int round = 0; round < 4; ++round) {
    for (int k = 0; k < 32; ++k) v[k] = v[k] * v[(k + 1) % 32] + v[(k + 7) % 32];
  }
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += v[k];
  out[i] = sum;
}

// warpscope determinant4: block = 128, count = 2^18, grid = ceil(count / block), m = random[16 * count], out = zeros[count]
__global__ void determinant4(const float* m, float* out, int count) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  float a[4][4];
  for (int i = 0; i < 16; ++i) a[i / 4][i % 4] = m[16 * k + i] + (i % 5 == 0 ? 2 : 0);
  float d = 1;
  for (int p = 0; p < 4; ++p) {
    d *= a[p][p];
    for (int r = p + 1; r < 4; ++r) {
      const float f = a[r][p] / a[p][p];
      for (int c = p; c < 4; ++c) a[r][c] -= f * a[p][c];
    }
  }
  out[k] = d;
}
