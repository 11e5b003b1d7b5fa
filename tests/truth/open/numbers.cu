// Number theory and combinatorics.

#include <cstdint>

// The Jacobi symbol (a / m) of many pairs; m is made odd.
// warpscope jacobi_symbols: block = 128, n = 2^16, grid = ceil(n / block), upper = random[n], lower = random[n], out = zeros[n]
__global__ void jacobi_symbols(const uint32_t* __restrict__ upper, const uint32_t* __restrict__ lower,
                               int8_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t m = lower[i] | 1u, a = upper[i] % m;
  int sign = 1;
  while (a != 0) {
    int twos = __ffs(a) - 1;
    a >>= twos;
    if ((twos & 1) && ((m & 7) == 3 || (m & 7) == 5)) sign = -sign;
    if ((a & 3) == 3 && (m & 3) == 3) sign = -sign;
    uint32_t t = m % a;
    m = a;
    a = t;
  }
  out[i] = m == 1 ? sign : 0;
}

struct Montgomery {
  uint64_t modulus, inverse;
  __device__ explicit Montgomery(uint64_t m) : modulus(m), inverse(m) {
#pragma unroll
    for (int k = 0; k < 5; ++k) inverse *= 2 - m * inverse;
  }
  __device__ uint64_t times(uint64_t a, uint64_t b) const {
    uint64_t low = a * b, high = __umul64hi(a, b);
    uint64_t q = __umul64hi(low * inverse, modulus);
    return high >= q ? high - q : high + modulus - q;
  }
};
// Fermat tests with base 2: modular powers with 64-bit Montgomery products.
// warpscope fermat_base_two: block = 64, n = 2^14, grid = ceil(n / block), candidates = random[n], verdict = zeros[n]
__global__ void fermat_base_two(const unsigned long long* candidates, unsigned char* verdict, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint64_t m = (candidates[i] >> 16) | 1 | 1ull << 40;
  const Montgomery field(m);
  const uint64_t one = (0 - m) % m;
  uint64_t result = one, base = (one + one) % m;
  for (uint64_t e = m - 1; e != 0; e >>= 1) {
    if (e & 1) result = field.times(result, base);
    base = field.times(base, base);
  }
  verdict[i] = result == one;
}

// Each block sieves its own stretch of odd numbers in shared memory with small primes found beforehand.
// warpscope sieve_stretch: block = 256, grid = 264, counts = zeros[264]
__global__ void sieve_stretch(unsigned* counts) {
  __shared__ unsigned char crossed[8192];
  __shared__ unsigned total;
  for (int k = threadIdx.x; k < 8192 / 4; k += blockDim.x) reinterpret_cast<unsigned*>(crossed)[k] = 0;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const unsigned first = 1000001u + blockIdx.x * 16384u;
  for (unsigned p = 3 + 2 * threadIdx.x; p < 2400; p += 2 * blockDim.x) {
    bool composite = false;
    for (unsigned d = 3; d * d <= p && !composite; d += 2) composite = p % d == 0;
    if (composite) continue;
    unsigned start = (p - first % p) % p;
    if (start & 1) start += p;
    for (unsigned k = start / 2; k < 8192; k += p) crossed[k] = 1;
  }
  __syncthreads();
  unsigned mine = 0;
  for (int k = threadIdx.x; k < 8192; k += blockDim.x) mine += !crossed[k];
  mine = __reduce_add_sync(0xffffffffu, mine);
  if ((threadIdx.x & 31) == 0) atomicAdd(&total, mine);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

// Pollard's rho with a bounded number of steps and a gcd every 16 of them.
// warpscope rho_factor: block = 96, n = 12000, grid = ceil(n / block), numbers = random[n] in 1000000..2000000000, factor = zeros[n]
__global__ void rho_factor(const unsigned* numbers, unsigned* factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned m = numbers[i] | 1;
  unsigned slow = 2, fast = 2, found = 1;
  for (int round = 0; round < 8 && found == 1; ++round) {
    unsigned product = 1;
    for (int k = 0; k < 16; ++k) {
      slow = ((unsigned long long)slow * slow + 1) % m;
      fast = ((unsigned long long)fast * fast + 1) % m;
      fast = ((unsigned long long)fast * fast + 1) % m;
      unsigned gap = slow > fast ? slow - fast : fast - slow;
      if (gap) product = (unsigned long long)product * gap % m;
    }
    unsigned a = product, b = m;
    while (a) {
      unsigned t = b % a;
      b = a;
      a = t;
    }
    found = b;
  }
  factor[i] = found;
}

// Counts placements of nine queens; a thread has the first three columns, and an explicit stack of masks.
// warpscope queens_by_masks: block = 64, grid = 12, solutions = zeros[1]
__global__ void queens_by_masks(unsigned* solutions) {
  const int N = 9;
  const unsigned full = (1u << N) - 1;
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= N * N * N) return;
  unsigned columns = 0, left = 0, right = 0;
  for (int k = 0, rest = t; k < 3; ++k, rest /= N) {
    unsigned bit = 1u << rest % N;
    if (bit & (columns | left | right)) return;
    columns |= bit;
    left = (left | bit) << 1;
    right = (right | bit) >> 1;
  }
  unsigned free[N], c[N], l[N], r[N], found = 0;
  int depth = 3;
  c[3] = columns, l[3] = left, r[3] = right;
  free[3] = full & ~(columns | left | right);
  while (depth >= 3) {
    if (free[depth] == 0) {
      --depth;
      continue;
    }
    unsigned bit = free[depth] & -free[depth];
    free[depth] ^= bit;
    if (depth == N - 1) {
      ++found;
      continue;
    }
    unsigned nc = c[depth] | bit, nl = (l[depth] | bit) << 1, nr = (r[depth] | bit) >> 1;
    ++depth;
    c[depth] = nc, l[depth] = nl, r[depth] = nr;
    free[depth] = full & ~(nc | nl | nr);
  }
  if (found) atomicAdd(solutions, found);
}

// The k-th permutation of ten items, by its factorial digits, and how many items stay in place.
// warpscope permutation_of_rank: block = 192, n = 60000, grid = ceil(n / block), fixed_points = zeros[n], packed = zeros[n]
__global__ void permutation_of_rank(unsigned char* fixed_points, unsigned long long* packed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned rank = i * 60u + 17u;
  unsigned long long pool = 0x9876543210ull, word = 0;
  unsigned factorial = 362880, stay = 0;
#pragma unroll
  for (int place = 0; place < 10; ++place) {
    unsigned digit = rank / factorial;
    rank %= factorial;
    unsigned item = pool >> 4 * digit & 15;
    unsigned long long below = (1ull << 4 * digit) - 1;
    pool = (pool & below) | (pool >> 4 & ~below);
    word |= (unsigned long long)item << 4 * place;
    stay += item == place;
    if (place < 9) factorial /= 9 - place;
  }
  packed[i] = word;
  fixed_points[i] = stay;
}

__device__ __forceinline__ unsigned mulmod(unsigned a, unsigned b) {
  return (unsigned long long)a * b % 998244353u;
}
__device__ unsigned powmod(unsigned base, unsigned e) {
  unsigned r = 1;
  for (; e; e >>= 1, base = mulmod(base, base))
    if (e & 1) r = mulmod(r, base);
  return r;
}
// Number-theoretic transform of 1024 residues by each block, in shared memory.
// warpscope residue_transform: block = 512 fixed, grid = 128, in = random[128 * 1024] in 0..998244352, out = zeros[128 * 1024]
__global__ void residue_transform(const unsigned* in, unsigned* out) {
  __shared__ unsigned data[1024], roots[512];
  const unsigned t = threadIdx.x;
  for (int k = t; k < 1024; k += 512) data[__brev(k) >> 22] = in[blockIdx.x * 1024 + k];
  roots[t] = powmod(powmod(3, 998244352u / 1024), t);
  for (int half = 1; half < 1024; half <<= 1) {
    __syncthreads();
    unsigned j = t & (half - 1), at = (t - j) * 2 + j;
    unsigned u = data[at], v = mulmod(data[at + half], roots[j * (512 / half)]);
    unsigned sum = u + v, difference = u + 998244353u - v;
    data[at] = sum >= 998244353u ? sum - 998244353u : sum;
    data[at + half] = difference >= 998244353u ? difference - 998244353u : difference;
  }
  __syncthreads();
  for (int k = t; k < 1024; k += 512) out[blockIdx.x * 1024 + k] = data[k];
}

// Best fraction with a denominator up to a limit, from the continued fraction of a double.
// warpscope nearest_fraction: block = 256, n = 2^15, grid = ceil(n / block), values = random[n] in 0..10, limit = 10000, fractions = zeros[2 * n]
__global__ void nearest_fraction(const double* __restrict__ values, int2* __restrict__ fractions, int limit,
                                 int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = values[i];
  int p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  for (int k = 0; k < 12; ++k) {
    int a = (int)floor(x);
    long long q2 = (long long)a * q1 + q0;
    if (q2 > limit) break;
    int p2 = a * p1 + p0;
    p0 = p1, p1 = p2, q0 = q1, q1 = (int)q2;
    double rest = x - a;
    if (rest < 1e-9) break;
    x = fmin(1 / rest, 1e6);
  }
  fractions[i] = make_int2(p1, q1);
}
