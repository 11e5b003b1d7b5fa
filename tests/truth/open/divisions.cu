// Integers: division and remainders of every kind, wide products, carries, bits.

// warpscope quotients_signed: block = 256, n = 2^18, grid = ceil(n / block), in = random[n], by = random[n] in 1..99, out = zeros[n]
__global__ void quotients_signed(const int* in, const int* by, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] / by[i] + in[i] % by[i];
}
// Each remainder by another constant.
// warpscope constant_remainders: block = 256, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void constant_remainders(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = in[i];
  const unsigned u = v;
  out[i] = v % 7 + v / 10 + v % 64 + v / 16 + static_cast<int>(u % 10 + u / 1000 + u % 3600 + u / 7);
}
// warpscope long_constants: block = 256, n = 2^17, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void long_constants(const long long* in, long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long v = in[i];
  const unsigned long long u = v;
  out[i] = v / 1000000007 + v % 86400 + static_cast<long long>(u % 10 + u / 1000000000);
}
// warpscope long_signed: block = 128, n = 2^15, grid = ceil(n / block), in = random[n], by = random[n] in 3..1000, out = zeros[n]
__global__ void long_signed(const long long* in, const long long* by, long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] / by[i] * 3 + in[i] % by[i];
}
// Modular powers: 64-bit products, 32-bit modulus.
// warpscope modular_power: block = 128, n = 2^14, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void modular_power(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long base = in[i] % 998244353, result = 1;
  for (unsigned e = in[i] >> 20; e > 0; e /= 2) {
    if (e % 2) result = result * base % 998244353;
    base = base * base % 998244353;
  }
  out[i] = result;
}
// Products in Montgomery's form.
// warpscope montgomery: block = 256, n = 2^17, grid = ceil(n / block), a = random[n], b = random[n]:2, out = zeros[n]
__global__ void montgomery(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned p = 4293918721u;
  unsigned x = a[i] % p;
  const unsigned y = b[i] % p;
  for (int k = 0; k < 12; ++k) {
    const unsigned long long t = static_cast<unsigned long long>(x) * y;
    const unsigned q = static_cast<unsigned>(t) * 4293918719u, high = __umulhi(q, p), upper = t >> 32;
    x = upper >= high ? upper - high : upper - high + p;
  }
  out[i] = x;
}
// 64-bit mixing, as hashes do.
// warpscope mix64: block = 256, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void mix64(const unsigned long long* in, unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = in[i];
  for (int k = 0; k < 3; ++k) {
    v ^= v >> 33;
    v *= 0xff51afd7ed558ccdull;
    v = v << 29 | v >> 35;
    v += 0x9e3779b97f4a7c15ull;
  }
  out[i] = v ^ __umul64hi(v, in[i]);
}
// Numbers of 256 bits: sums and one product, with carries.
// warpscope wide_numbers: block = 128, n = 2^15, grid = ceil(n / block), a = random[8 * n], b = random[8 * n]:2, out = zeros[16 * n]
__global__ void wide_numbers(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x[8], y[8], product[16] = {};
  for (int k = 0; k < 8; ++k) {
    x[k] = a[i + k * n];
    y[k] = b[i + k * n];
  }
  for (int r = 0; r < 8; ++r) {
    unsigned carry = 0;
    for (int c = 0; c < 8; ++c) {
      const unsigned long long t = static_cast<unsigned long long>(x[r]) * y[c] + product[r + c] + carry;
      product[r + c] = t;
      carry = t >> 32;
    }
    product[r + 8] = carry;
  }
  for (int k = 0; k < 16; ++k) out[i + k * n] = product[k];
}
// warpscope carry_chain: block = 128, n = 2^16, grid = ceil(n / block), a = random[8 * n], b = random[8 * n]:2, out = zeros[8 * n]
__global__ void carry_chain(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s[8];
  asm("add.cc.u32 %0, %1, %2;" : "=r"(s[0]) : "r"(a[i]), "r"(b[i]));
  for (int k = 1; k < 7; ++k)
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(s[k]) : "r"(a[i + k * n]), "r"(b[i + k * n]));
  asm volatile("addc.u32 %0, %1, %2;" : "=r"(s[7]) : "r"(a[i + 7 * n]), "r"(b[i + 7 * n]));
  for (int k = 0; k < 8; ++k) out[i + k * n] = s[k];
}
// Greatest common divisors, by remainders.
// warpscope divisors: block = 128, n = 2^14, grid = ceil(n / block), a = random[n], b = random[n]:2, out = zeros[n]
__global__ void divisors(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  while (y != 0) {
    const unsigned r = x % y;
    x = y;
    y = r;
  }
  out[i] = x;
}
// Places of bits: Morton codes, Gray codes, counts, the next permutation.
// warpscope bit_places: block = 256, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void bit_places(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = in[i];
  unsigned x = v & 0xFFFF;
  x = (x | x << 8) & 0x00FF00FF;
  x = (x | x << 4) & 0x0F0F0F0F;
  x = (x | x << 2) & 0x33333333;
  x = (x | x << 1) & 0x55555555;
  const unsigned t = v | (v - 1), next = (t + 1) | (((~t & (t + 1)) - 1) >> (__ffs(v) & 31));
  out[i] = x ^ (v ^ v >> 1) ^ __popc(v) ^ __clz(v) << 8 ^ next ^ __brev(v) ^ __funnelshift_l(v, x, v & 31);
}
// Decimal digits of numbers, as a printer finds them.
// warpscope digits: block = 128, n = 2^15, grid = ceil(n / block), in = random[n], out = zeros[12 * n]
__global__ void digits(const unsigned* in, char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  int at = 11;
  do {
    out[12 * i + at--] = static_cast<char>('0' + v % 10);
    v /= 10;
  } while (v > 0);
}
