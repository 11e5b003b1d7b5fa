// Number theory and counting.
#include <cstdint>

__device__ __forceinline__ uint64_t product_modulo(uint64_t a, uint64_t b, uint64_t m, uint64_t inverse) {
  const uint64_t low = a * b, high = __umul64hi(a, b), q = low * inverse;
  const uint64_t back = __umul64hi(q, m);
  return high >= back ? high - back : high - back + m;
}

// Miller and Rabin's test with two bases on odd numbers of 62 bits, products after Montgomery.
// warpscope probable_primes: block = 128, n = 2^12, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void probable_primes(const uint64_t* in, uint8_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint64_t m = in[i] >> 2 | 1ull << 61 | 1;
  uint64_t inverse = m;
  for (int k = 0; k < 5; ++k) inverse *= 2 - m * inverse;
  const uint64_t one = (~0ull % m + 1) % m;
  uint64_t square = one;
  for (int k = 0; k < 64; ++k) {
    square <<= 1;
    if (square >= m) square -= m;
  }
  const int twos = __ffsll(m - 1) - 1;
  const uint64_t odd = (m - 1) >> twos;
  bool prime = true;
  for (int base = 2; base <= 3 && prime; ++base) {
    const uint64_t start = product_modulo(base, square, m, inverse);
    uint64_t x = one;
    for (int bit = 63 - __clzll(odd); bit >= 0; --bit) {
      x = product_modulo(x, x, m, inverse);
      if (odd >> bit & 1) x = product_modulo(x, start, m, inverse);
    }
    if (x == one || x == m - one) continue;
    prime = false;
    for (int k = 1; k < twos; ++k) {
      x = product_modulo(x, x, m, inverse);
      if (x == m - one) {
        prime = true;
        break;
      }
    }
  }
  out[i] = prime;
}

// Euler's function by division through a table of small primes.
// warpscope totients: block = 256, n = 2^14, grid = ceil(n / block), in = random[n] in 2..65535, out = zeros[n]
__global__ void totients(const uint32_t* in, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t rest = in[i], phi = rest;
  for (uint32_t p = 2; p * p <= rest; p += 1 + (p > 2)) {
    if (rest % p) continue;
    while (rest % p == 0) rest /= p;
    phi -= phi / p;
  }
  if (rest > 1) phi -= phi / rest;
  out[i] = phi;
}

__device__ uint32_t raised(uint32_t base, uint32_t exponent, uint32_t p) {
  uint32_t r = 1;
  while (exponent) {
    if (exponent & 1) r = uint64_t(r) * base % p;
    base = uint64_t(base) * base % p;
    exponent >>= 1;
  }
  return r;
}

// Square roots modulo a prime near 2^31 after Tonelli and Shanks; numbers without a root give zero.
// warpscope modular_square_roots: block = 64, n = 2^13, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void modular_square_roots(const uint32_t* in, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t p = 998244353, odd = 119, a = in[i] % (p - 1) + 1;
  if (raised(a, (p - 1) / 2, p) != 1) {
    out[i] = 0;
    return;
  }
  uint32_t c = raised(3, odd, p), x = raised(a, (odd + 1) / 2, p), t = raised(a, odd, p);
  int m = 23;
  while (t != 1) {
    int k = 0;
    for (uint32_t s = t; s != 1; s = uint64_t(s) * s % p) ++k;
    for (int j = 0; j < m - k - 1; ++j) c = uint64_t(c) * c % p;
    x = uint64_t(x) * c % p;
    c = uint64_t(c) * c % p;
    t = uint64_t(t) * c % p;
    m = k;
  }
  out[i] = x;
}

// Partitions of numbers below 256 modulo 2^32: one block, coins in turn, strides in shared memory, many
// seeds.
// warpscope partition_counts: block = 128 fixed, grid = 132, out = zeros[grid * 256]
__global__ void partition_counts(uint32_t* out) {
  __shared__ uint32_t ways[256];
  const int t = threadIdx.x;
  ways[t] = t == 0 ? blockIdx.x + 1 : 0;
  ways[t + 128] = 0;
  for (int part = 1; part < 128; ++part) {
    __syncthreads();
    if (t < part)
      for (int k = t + part; k < 256; k += part) ways[k] += ways[k - part];
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = ways[t];
  out[blockIdx.x * 256 + t + 128] = ways[t + 128];
}

// Combinations by rank: the subset of 8 of 40 that has a number in the order of the dictionary, as a mask;
// binomials in shared memory.
// warpscope subset_of_rank: block = 192, n = 2^15, grid = ceil(n / block), ranks = random[n], out = zeros[n]
__global__ void subset_of_rank(const uint32_t* ranks, uint64_t* out, int n) {
  __shared__ uint32_t choose[41][9];
  const int t = threadIdx.x;
  if (t < 9) {
    for (int row = 0; row < 41; ++row) {
      uint32_t v = t == 0;
      if (row > 0 && t > 0) v = choose[row - 1][t] + choose[row - 1][t - 1];
      __syncwarp(0x1FF);
      choose[row][t] = v;
      __syncwarp(0x1FF);
    }
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  uint32_t rank = ranks[i] % 76904685;
  uint64_t mask = 0;
  int left = 8;
  for (int at = 39; at >= 0 && left > 0; --at) {
    const uint32_t without = choose[at][left];
    if (rank >= without) {
      rank -= without;
      mask |= 1ull << at;
      --left;
    }
  }
  out[i] = mask;
}

__device__ unsigned long long divisor_by_halves(unsigned long long a, unsigned long long b) {
  const int shared = __ffsll(a | b) - 1;
  a >>= __ffsll(a) - 1;
  while (b) {
    b >>= __ffsll(b) - 1;
    if (a > b) {
      const unsigned long long held = a;
      a = b;
      b = held;
    }
    b -= a;
  }
  return a << shared;
}

// Fractions are reduced and added pairwise: a binary greatest common divisor.
// warpscope reduced_fractions: block = 256, n = 2^15, grid = ceil(n / block), fractions = s32 random[n * 4] in 1..30000, sums = s64 zeros[n * 2]
__global__ void reduced_fractions(const int4* fractions, longlong2* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int4 f = fractions[i];
  const long long top = (long long)f.x * f.w + (long long)f.z * f.y, bottom = (long long)f.y * f.w;
  const long long d = divisor_by_halves(top, bottom);
  sums[i] = make_longlong2(top / d, bottom / d);
}

// The sums of divisors' squares in a stretch, by adding each divisor to its multiples with atomics in shared
// memory.
// warpscope divisor_square_sums: block = 256 fixed, stretches = 528, grid = stretches, out = zeros[stretches * 256]
__global__ void divisor_square_sums(unsigned long long* out) {
  __shared__ unsigned long long sums[256];
  for (int k = threadIdx.x; k < 256; k += 256) sums[k] = 0;
  __syncthreads();
  const unsigned first = blockIdx.x * 256 + 1;
  for (unsigned d = threadIdx.x + 1; d * d < first + 256; d += 256) {
    unsigned k = (first + d - 1) / d;
    for (unsigned m = max(k, d); m * d < first + 256; ++m) {
      const unsigned long long add = (unsigned long long)d * d + (m != d ? (unsigned long long)m * m : 0);
      atomicAdd(&sums[m * d - first], add);
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += 256) out[first - 1 + k] = sums[k];
}

// Numbers in Zeckendorf's form: the greedy sum of Fibonacci numbers as a mask, which is multiplied digit by
// digit.
// warpscope fibonacci_digits: block = 512, n = 2^17, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void fibonacci_digits(const uint32_t* in, uint64_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t rest = in[i] >> 1, a = 1836311903u, b = 1134903170u;
  uint64_t mask = 0;
#pragma unroll 4
  for (int k = 44; k > 0; --k) {
    mask <<= 1;
    if (rest >= a) {
      rest -= a;
      mask |= 1;
    }
    const uint32_t c = a - b;
    a = b;
    b = c;
  }
  out[i] = mask;
}
