// Whole numbers: ciphers, hashes, random numbers, large and modular arithmetic.

// Twenty rounds of a stream cipher, a block of 64 bytes each thread.
// warpscope stream_cipher: block = 128, n = 40000, grid = ceil(n / block), key = random[8], data = random[16 * n]
__global__ void stream_cipher(const unsigned* key, unsigned* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned start[16] = {0x61707865, 0x3320646E, 0x79622D32, 0x6B206574}, s[16];
  for (int k = 0; k < 8; ++k) start[4 + k] = key[k];
  start[12] = i;
  start[13] = start[14] = start[15] = 7;
  for (int k = 0; k < 16; ++k) s[k] = start[k];
  const auto quarter = [&s](int a, int b, int c, int d) {
    s[a] += s[b], s[d] = __funnelshift_l(s[d] ^ s[a], s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = __funnelshift_l(s[b] ^ s[c], s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = __funnelshift_l(s[d] ^ s[a], s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = __funnelshift_l(s[b] ^ s[c], s[b] ^ s[c], 7);
  };
  for (int round = 0; round < 10; ++round) {
    quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14);
  }
  uint4* to = reinterpret_cast<uint4*>(data + 16 * i);
  for (int k = 0; k < 4; ++k) {
    const uint4 x = to[k];
    to[k] = make_uint4(x.x ^ (s[4 * k] + start[4 * k]), x.y ^ (s[4 * k + 1] + start[4 * k + 1]),
                       x.z ^ (s[4 * k + 2] + start[4 * k + 2]), x.w ^ (s[4 * k + 3] + start[4 * k + 3]));
  }
}

// A digest in the manner of SHA-2, with round constants from a table.
// warpscope digest: block = 96, n = 20000, grid = ceil(n / block), constants_of = random[64], in = random[16 * n], out = zeros[8 * n]
__global__ void digest(const unsigned* constants_of, const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned table[64];
  for (int k = threadIdx.x; k < 64; k += blockDim.x) table[k] = constants_of[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const auto turn = [](unsigned x, int by) { return __funnelshift_r(x, x, by); };
  unsigned w[16], h[8];
#pragma unroll
  for (int k = 0; k < 16; ++k) w[k] = in[k * n + i];
#pragma unroll
  for (int k = 0; k < 8; ++k) h[k] = 0x6A09E667u * (k + 1);
#pragma unroll 16
  for (int round = 0; round < 64; ++round) {
    const unsigned word = w[round % 16];
    const unsigned first = h[7] + (turn(h[4], 6) ^ turn(h[4], 11) ^ turn(h[4], 25)) +
                           ((h[4] & h[5]) ^ (~h[4] & h[6])) + table[round] + word;
    const unsigned second =
        (turn(h[0], 2) ^ turn(h[0], 13) ^ turn(h[0], 22)) + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
#pragma unroll
    for (int k = 7; k > 0; --k) h[k] = h[k - 1];
    h[4] += first;
    h[0] = first + second;
    const unsigned a = w[(round + 1) % 16], b = w[(round + 14) % 16];
    w[round % 16] = word + w[(round + 9) % 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >> 3)) +
                    (turn(b, 17) ^ turn(b, 19) ^ (b >> 10));
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) out[k * n + i] = h[k];
}

// A block cipher by tables of words in shared memory, which lanes look up at random.
// warpscope table_cipher: block = 256, n = 150000, grid = 264, tables = random[1024], keys = random[40], data = random[n]
__global__ void table_cipher(const unsigned* tables, const unsigned* keys, uint4* data, int n) {
  __shared__ unsigned t[4][256], k[40];
  for (int e = threadIdx.x; e < 1024; e += blockDim.x) t[e / 256][e % 256] = tables[e];
  for (int e = threadIdx.x; e < 40; e += blockDim.x) k[e] = keys[e];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 s = data[i];
    for (int round = 0; round < 10; ++round) {
      const auto mix = [&](unsigned a, unsigned b, unsigned c, unsigned d, int at) {
        return t[0][a & 255] ^ t[1][b >> 8 & 255] ^ t[2][c >> 16 & 255] ^ t[3][d >> 24] ^ k[round * 4 + at];
      };
      s = make_uint4(mix(s.x, s.y, s.z, s.w, 0), mix(s.y, s.z, s.w, s.x, 1), mix(s.z, s.w, s.x, s.y, 2),
                     mix(s.w, s.x, s.y, s.z, 3));
    }
    data[i] = s;
  }
}

// Keyed hashes of 32 bytes with additions, rotations and exclusive ors of 64 bits.
// warpscope keyed_hash: block = 192, n = 120000, grid = ceil(n / block), in = random[4 * n], out = zeros[n]
__global__ void keyed_hash(const unsigned long long* in, unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long a = 0x736F6D6570736575, b = 0x646F72616E646F6D, c = 0x6C7967656E657261,
                     d = 0x7465646279746573;
  const auto turn = [](unsigned long long x, int by) { return x << by | x >> (64 - by); };
  const auto round = [&] {
    a += b, b = turn(b, 13) ^ a, a = turn(a, 32);
    c += d, d = turn(d, 16) ^ c;
    a += d, d = turn(d, 21) ^ a;
    c += b, b = turn(b, 17) ^ c, c = turn(c, 32);
  };
  for (int k = 0; k < 4; ++k) {
    const unsigned long long word = in[4 * i + k];
    d ^= word;
    round();
    round();
    a ^= word;
  }
  c ^= 0xFF;
  for (int k = 0; k < 4; ++k) round();
  out[i] = a ^ b ^ c ^ d;
}

// warpscope word_hash: block = 1024, n = 1500000, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void word_hash(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = in[i] * 0xCC9E2D51u;
  h = (h << 15 | h >> 17) * 0x1B873593u;
  h = (h << 13 | h >> 19) * 5 + 0xE6546B64u;
  h ^= h >> 16;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  h *= 0xC2B2AE35u;
  out[i] = h ^ h >> 16;
}

// A generator whose state of 16 words a warp's lanes hold in shared memory.
// warpscope lagged_numbers: block = 128 fixed, grid = 396, rounds = 64, seeds = random[16 * 128], out = zeros[threads]
__global__ void lagged_numbers(const unsigned* seeds, unsigned* out, int rounds) {
  __shared__ unsigned state[16][128];
  const int t = threadIdx.x;
  for (int k = 0; k < 16; ++k) state[k][t] = seeds[k * 128 + t] + blockIdx.x;
  unsigned sum = 0;
  int at = 0;
  for (int k = 0; k < rounds; ++k) {
    unsigned z = state[(at + 15) % 16][t], v = state[(at + 13) % 16][t] ^ state[(at + 13) % 16][t] << 15;
    const unsigned old = state[at][t];
    const unsigned p = old ^ old << 16 ^ v;
    v = state[(at + 9) % 16][t];
    v ^= v >> 11;
    z ^= p ^ v ^ z << 2 ^ p << 18 ^ v << 28;
    at = (at + 15) % 16;
    state[at][t] = z;
    sum += z;
  }
  out[blockIdx.x * 128 + t] = sum;
}

// Products of numbers of 256 bits.
// warpscope big_products: block = 64, n = 50000, grid = ceil(n / block), a = random[8 * n], b = random[8 * n]:2, out = zeros[16 * n]
__global__ void big_products(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned right[8], sum[16] = {};
#pragma unroll
  for (int k = 0; k < 8; ++k) right[k] = b[k * n + i];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned left = a[k * n + i];
    unsigned long long carry = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      carry += static_cast<unsigned long long>(left) * right[j] + sum[k + j];
      sum[k + j] = static_cast<unsigned>(carry);
      carry >>= 32;
    }
    sum[k + 8] = static_cast<unsigned>(carry);
  }
#pragma unroll
  for (int k = 0; k < 16; ++k) out[k * n + i] = sum[k];
}

// Powers modulo odd numbers of 64 bits, by Montgomery's products.
// warpscope modular_powers: block = 256, n = 60000, grid = ceil(n / block), bases = random[n], moduli = random[n]:8, out = zeros[n]
__global__ void modular_powers(const unsigned long long* bases, const unsigned long long* moduli,
                               unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long m = moduli[i] >> 1 | 1;
  unsigned long long inverse = m;
  for (int k = 0; k < 5; ++k) inverse *= 2 - m * inverse;
  const auto product = [=](unsigned long long x, unsigned long long y) {
    const unsigned long long low = x * y, high = __umul64hi(x, y), q = low * inverse,
                             reduced = __umul64hi(q, m);
    return high >= reduced ? high - reduced : high - reduced + m;
  };
  unsigned long long x = bases[i] % m, y = 1;
  for (unsigned power = 65537; power != 0; power >>= 1) {
    if (power & 1) y = product(y, x);
    x = product(x, x);
  }
  out[i] = y;
}

// Greatest common divisors without divisions.
// warpscope common_divisors: block = 128, n = 60000, grid = ceil(n / block), a = random[n], b = random[n]:2, out = zeros[n]
__global__ void common_divisors(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i] | 1, y = b[i];
  while (y != 0) {
    y >>= __ffs(y) - 1;
    if (x > y) {
      const unsigned swap = x;
      x = y;
      y = swap;
    }
    y -= x;
  }
  out[i] = x;
}

// The nearest of 512 fingerprints by the number of bits that differ.
// warpscope nearest_bits: block = 128, n = 16384, grid = ceil(n / block), queries = random[n], table = random[512]:6, out = zeros[n]
__global__ void nearest_bits(const ulonglong2* queries, const ulonglong2* table, int* out, int n) {
  __shared__ ulonglong2 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const ulonglong2 mine = queries[min(i, n - 1)];
  int best = 1000, at = 0;
  for (int first = 0; first < 512; first += 128) {
    for (int k = threadIdx.x; k < 128; k += blockDim.x) tile[k] = table[first + k];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const int apart = __popcll(mine.x ^ tile[k].x) + __popcll(mine.y ^ tile[k].y);
      if (apart < best) best = apart, at = first + k;
    }
    __syncthreads();
  }
  if (i < n) out[i] = at;
}

// Places in three dimensions to one number along a curve.
// warpscope morton: block = 256, n = 900000, grid = ceil(n / block), in = random[3 * n], out = zeros[n]
__global__ void morton(const unsigned short* in, unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long code = 0;
  for (int k = 0; k < 3; ++k) {
    unsigned long long x = in[3 * i + k];
    x = (x | x << 32) & 0x1F00000000FFFF;
    x = (x | x << 16) & 0x1F0000FF0000FF;
    x = (x | x << 8) & 0x100F00F00F00F00F;
    x = (x | x << 4) & 0x10C30C30C30C30C3;
    x = (x | x << 2) & 0x1249249249249249;
    code |= x << k;
  }
  out[i] = code;
}

// Parity bytes of a code over the field of 256 elements, whose logarithms are in shared memory.
// warpscope parity_bytes: block = 128, words = 12000, grid = ceil(words / block), in = random[16 * words], out = zeros[4 * words]
__global__ void parity_bytes(const unsigned char* in, unsigned char* out, int words) {
  __shared__ unsigned char power[512], logarithm[256];
  if (threadIdx.x == 0) {
    int x = 1;
    for (int k = 0; k < 255; ++k) {
      power[k] = power[k + 255] = x;
      logarithm[x] = k;
      x = x << 1 ^ (x & 128 ? 0x11D : 0);
    }
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  unsigned char rest[4] = {};
  const unsigned char generator[4] = {116, 231, 216, 30};
  for (int k = 0; k < 16; ++k) {
    const unsigned char factor = in[16 * i + k] ^ rest[0];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const unsigned char next = j < 3 ? rest[j + 1] : 0;
      rest[j] = factor == 0 ? next : next ^ power[logarithm[factor] + logarithm[generator[j]]];
    }
  }
  for (int j = 0; j < 4; ++j) out[4 * i + j] = rest[j];
}
