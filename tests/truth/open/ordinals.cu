// Numbers, partitions and ways to arrange things.
#include <cstdint>

// The sign function of Moebius for a stretch of 2048 numbers: a block sieves by the primes below 256.
// warpscope squarefree_signs: block = 256 fixed, n = 2^16, grid = n / 2048, out = s8 zeros[n]
__global__ void squarefree_signs(int8_t* out, int n) {
  __shared__ int product[2048];
  __shared__ uint8_t primes[54];
  __shared__ int known;
  const int t = threadIdx.x, start = blockIdx.x * 2048 + 1;
  for (int k = t; k < 2048; k += 256) product[k] = 1;
  if (t == 0) {
    known = 0;
    for (int v = 2; v < 256; ++v) {
      bool prime = true;
      for (int d = 2; d * d <= v && prime; ++d) prime = v % d != 0;
      if (prime) primes[known++] = v;
    }
  }
  __syncthreads();
  for (int k = 0; k < known; ++k) {
    const int p = primes[k], first = (p - start % p) % p;
    for (int j = first + t * p; j < 2048; j += 256 * p) product[j] *= -p;
    __syncthreads();
    const int square = p * p, next = (square - start % square) % square;
    for (int j = next + t * square; j < 2048; j += 256 * square) product[j] = 0;
    __syncthreads();
  }
  for (int k = t; k < 2048; k += 256) {
    const int v = product[k];
    const int sign = v > 0 ? 1 : v < 0 ? -1 : 0;
    if (start + k <= n) out[start + k - 1] = abs(v) == start + k ? sign : -sign;
  }
}

// The least solution of x^2 - d y^2 = 1, modulo 2^64, by the continued fraction of a square root: its period
// is the work.
// warpscope pell_periods: block = 128, n = 2^14, grid = ceil(n / block), out = u64 zeros[n], periods = u16 zeros[n]
__global__ void pell_periods(uint64_t* out, uint16_t* periods, int n) {
  const int d = blockIdx.x * blockDim.x + threadIdx.x;
  if (d >= n) return;
  int root = static_cast<int>(sqrtf(d));
  root -= root * root > d;
  root += (root + 1) * (root + 1) <= d;
  if (root * root == d) {
    out[d] = 0;
    return;
  }
  int m = 0, q = 1, a = root, period = 0;
  uint64_t x0 = 1, x1 = root;
  do {
    m = q * a - m;
    q = (d - m * m) / q;
    a = (root + m) / q;
    const uint64_t next = a * x1 + x0;
    x0 = x1;
    x1 = next;
    ++period;
  } while (a != 2 * root);
  out[d] = x0;
  periods[d] = period;
}

// In how many ways an even number is the sum of two primes, from a bitmap of the odd primes below 2^15 that
// each block builds.
// warpscope two_primes: block = 512 fixed, n = 2^12, grid = n / 64, out = s32 zeros[n]
__global__ void two_primes(int* out, int n) {
  __shared__ uint32_t composite[256];
  const int t = threadIdx.x;
  if (t < 256) composite[t] = t == 0;
  __syncthreads();
  for (int d = 3 + 2 * (t % 64); d < 128; d += 128)
    for (int k = d * d / 2 + d * (t / 64); k < 8192; k += 8 * d) atomicOr(&composite[k / 32], 1u << k % 32);
  __syncthreads();
  const int which = blockIdx.x * 64 + t / 8, even = 6 + 2 * which, lane = t % 8;
  int ways = 0;
  for (int p = 1 + lane; 2 * p + 1 <= even / 2; p += 8) {
    const int other = (even - 2 * p - 1) / 2;
    const bool both = !(composite[p / 32] >> p % 32 & 1) && !(composite[other / 32] >> other % 32 & 1);
    ways += both;
  }
  for (int s = 4; s > 0; s /= 2) ways += __shfl_down_sync(~0u, ways, s, 8);
  if (lane == 0 && which < n) out[which] = ways;
}

// Discrete logarithms modulo a small prime: baby steps in a hash table in shared memory, giant steps by each
// thread for its own number.
// warpscope baby_and_giant: block = 128, n = 2^12, grid = ceil(n / block), values = u32 random[n], out = zeros[n], prime = 65521
__global__ void baby_and_giant(const uint32_t* values, uint32_t* out, uint32_t prime, int n) {
  __shared__ uint32_t table[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) table[k] = ~0u;
  __syncthreads();
  auto product = [prime](uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(static_cast<uint64_t>(a) * b % prime);
  };
  auto power = [&](uint32_t base, uint32_t e) {
    uint32_t r = 1;
    for (; e; e >>= 1, base = product(base, base))
      if (e & 1) r = product(r, base);
    return r;
  };
  for (uint32_t k = threadIdx.x; k < 256; k += blockDim.x) {
    const uint32_t step = power(17, k);
    uint32_t slot = step * 40503u >> 6 & 1023;
    while (atomicCAS(&table[slot], ~0u, step << 8 | k) != ~0u) slot = (slot + 1) & 1023;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t giant = power(17, prime - 1 - 256);
  uint32_t at = 1 + values[i] % (prime - 1), result = ~0u;
  for (int g = 0; g < 256 && result == ~0u; ++g) {
    uint32_t slot = at * 40503u >> 6 & 1023;
    for (uint32_t e; (e = table[slot]) != ~0u; slot = (slot + 1) & 1023)
      if (e >> 8 == at) {
        result = g * 256 + (e & 255);
        break;
      }
    at = product(at, giant);
  }
  out[i] = result;
}

// The permanent of matrices of eight rows by Ryser's formula: Gray codes of the columns shared out among the
// lanes of a warp.
// warpscope ryser_permanents: block = 256 fixed, matrices = 2^12, grid = matrices / 8, in = f32 random[matrices * 64], out = f32 zeros[matrices]
__global__ void ryser_permanents(const float* in, float* out, int matrices) {
  const int lane = threadIdx.x % 32, m = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (m >= matrices) return;
  const float* a = in + m * 64;
  float sums[8], total = 0;
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    sums[r] = 0;
    for (int c = 0; c < 5; ++c)
      if (lane >> c & 1) sums[r] += a[r * 8 + c];
  }
  int gray = 0;
  for (int k = 0; k < 8; ++k) {
    if (k > 0) {
      const int column = __ffs(k) - 1;
      gray ^= 1 << column;
      const float sign = gray >> column & 1 ? 1.0f : -1.0f;
#pragma unroll
      for (int r = 0; r < 8; ++r) sums[r] += sign * a[r * 8 + 5 + column];
    }
    float product = 1;
#pragma unroll
    for (int r = 0; r < 8; ++r) product *= sums[r];
    total += (__popc(lane) + __popc(gray)) % 2 ? -product : product;
  }
  for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(~0u, total, d);
  if (lane == 0) out[m] = total;
}

// Chains of sums of proper divisors: how many steps until a number comes back, ends at one or grows too
// large.
__device__ int properDivisors(int v) {
  int sum = 1;
  for (int d = 2; d * d <= v; ++d)
    if (v % d == 0) sum += d * d == v ? d : d + v / d;
  return v > 1 ? sum : 0;
}
// warpscope aliquot_chains: block = 128, n = 2^12, grid = ceil(n / block), out = s16 zeros[n]
__global__ void aliquot_chains(short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = i + 2, steps = 0;
  while (steps < 12) {
    v = properDivisors(v);
    ++steps;
    if (v == i + 2) {
      steps = -steps;
      break;
    }
    if (v < 2 || v > 4 * n) break;
  }
  out[i] = steps;
}

// Five remainders to one number below their product, by mixed radix digits (Garner), and the number modulo
// another.
// warpscope joined_remainders: block = 256, n = 2^16, grid = ceil(n / block), in = u32 random[5 * n], out = u32 zeros[n], modulus = 998244353
__global__ void joined_remainders(const uint32_t* in, uint32_t* out, uint32_t modulus, int n) {
  constexpr uint32_t primes[5] = {32749, 32719, 32717, 32713, 32707};
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t digit[5];
#pragma unroll
  for (int k = 0; k < 5; ++k) {
    uint32_t v = in[k * n + i] % primes[k], scale = 1, value = 0;
#pragma unroll
    for (int j = 0; j < k; ++j) {
      value = (value + digit[j] * scale) % primes[k];
      scale = scale * (primes[j] % primes[k]) % primes[k];
    }
    v = (v + primes[k] - value) % primes[k];
    uint32_t inverse = 1, e = primes[k] - 2;
    for (; e; e >>= 1) {
      if (e & 1) inverse = inverse * scale % primes[k];
      scale = scale * scale % primes[k];
    }
    digit[k] = v * inverse % primes[k];
  }
  uint64_t sum = 0;
#pragma unroll
  for (int k = 4; k >= 0; --k) sum = (sum * primes[k] + digit[k]) % modulus;
  out[i] = static_cast<uint32_t>(sum);
}

// All sets of 9 of 18 weights whose sum is a target: each thread starts at a rank of the combinations and
// goes on by Gosper's rule.
__device__ uint32_t setOfRank(int rank, int size, int count) {
  uint32_t set = 0;
  for (int bit = size - 1; bit >= 0 && count > 0; --bit) {
    int ways = 1;
    for (int k = 1; k <= count; ++k) ways = ways * (bit - count + k) / k;
    if (bit < count) ways = 0;
    if (rank >= ways) {
      rank -= ways;
      set |= 1u << bit;
      --count;
    }
  }
  return set;
}
// warpscope nine_of_eighteen: block = 128, each = 8, grid = ceil(48620 / (each * block)), weights = random[18] in 1..100, found = zeros[1], target = 450
__global__ void nine_of_eighteen(const int* weights, int* found, int each, int target) {
  __shared__ int w[18];
  if (threadIdx.x < 18) w[threadIdx.x] = weights[threadIdx.x];
  __syncthreads();
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  int hits = 0;
  if (first < 48620) {
    uint32_t set = setOfRank(first, 18, 9);
    for (int k = 0; k < each && first + k < 48620; ++k) {
      int sum = 0;
      for (uint32_t rest = set; rest; rest &= rest - 1) sum += w[__ffs(rest) - 1];
      hits += sum == target;
      const uint32_t low = set & -set, carried = set + low;
      set = ((set ^ carried) >> 2) / low | carried;
    }
  }
  hits = __reduce_add_sync(~0u, hits);
  if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, hits);
}
