// Ciphers, digests and the arithmetic behind signatures.

// A block header is hashed for each nonce; what is constant over nonces comes as a midstate.
__constant__ unsigned sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ __forceinline__ unsigned rotr32(unsigned x, int n) {
  return __funnelshift_r(x, x, n);
}
// warpscope sha256_nonces: block = 256, nonces = 60000, grid = ceil(nonces / block), midstate = random[8], tail = random[3], found = zeros[nonces], target = 16777215
__global__ void sha256_nonces(const unsigned* midstate, const unsigned* tail, unsigned* found,
                              unsigned nonces, unsigned target) {
  const unsigned nonce = blockIdx.x * blockDim.x + threadIdx.x;
  if (nonce >= nonces) return;
  unsigned w[16], s[8];
  for (int i = 0; i < 16; ++i) w[i] = 0;
  w[0] = tail[0], w[1] = tail[1], w[2] = tail[2], w[3] = nonce, w[4] = 0x80000000, w[15] = 640;
  for (int i = 0; i < 8; ++i) s[i] = midstate[i];
#pragma unroll
  for (int r = 0; r < 64; ++r) {
    if (r >= 16) {
      const unsigned a = w[(r + 1) & 15], b = w[(r + 14) & 15];
      w[r & 15] += (rotr32(a, 7) ^ rotr32(a, 18) ^ a >> 3) + w[(r + 9) & 15] +
                   (rotr32(b, 17) ^ rotr32(b, 19) ^ b >> 10);
    }
    const unsigned t1 = s[7] + (rotr32(s[4], 6) ^ rotr32(s[4], 11) ^ rotr32(s[4], 25)) +
                        ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha_k[r] + w[r & 15];
    const unsigned t2 = (rotr32(s[0], 2) ^ rotr32(s[0], 13) ^ rotr32(s[0], 22)) +
                        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1;
    s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
  }
  const unsigned hash = s[0] + midstate[0];
  if (hash < target) found[nonce] = hash;
}

// ChaCha20 in counter mode: 64 bytes a thread, xored into the text.
#define QUARTER(a, b, c, d) \
  a += b;                   \
  d ^= a;                   \
  d = d << 16 | d >> 16;    \
  c += d;                   \
  b ^= c;                   \
  b = b << 12 | b >> 20;    \
  a += b;                   \
  d ^= a;                   \
  d = d << 8 | d >> 24;     \
  c += d;                   \
  b ^= c;                   \
  b = b << 7 | b >> 25;
// warpscope chacha20_xor: block = 128, blocks64 = 40000, grid = ceil(blocks64 / block), key = random[8], text = random[16 * blocks64], counter = 1
__global__ void chacha20_xor(const unsigned* __restrict__ key, unsigned* __restrict__ text, unsigned blocks64,
                             unsigned counter) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks64) return;
  unsigned x[16], in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
#pragma unroll
  for (int k = 0; k < 8; ++k) in[4 + k] = key[k];
  in[12] = counter + i, in[13] = 0, in[14] = 0x4a000000, in[15] = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) x[k] = in[k];
  for (int round = 0; round < 10; ++round) {
    QUARTER(x[0], x[4], x[8], x[12])
    QUARTER(x[1], x[5], x[9], x[13])
    QUARTER(x[2], x[6], x[10], x[14])
    QUARTER(x[3], x[7], x[11], x[15])
    QUARTER(x[0], x[5], x[10], x[15])
    QUARTER(x[1], x[6], x[11], x[12])
    QUARTER(x[2], x[7], x[8], x[13])
    QUARTER(x[3], x[4], x[9], x[14])
  }
  uint4* out = reinterpret_cast<uint4*>(text + 16 * i);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    uint4 t = out[k];
    t.x ^= x[4 * k] + in[4 * k];
    t.y ^= x[4 * k + 1] + in[4 * k + 1];
    t.z ^= x[4 * k + 2] + in[4 * k + 2];
    t.w ^= x[4 * k + 3] + in[4 * k + 3];
    out[k] = t;
  }
}

// Rounds of AES by one table of 256 words, turned for the other three.
// warpscope aes_ecb_ttable: block = 256 fixed, n = 100000, grid = ceil(n / block), te0 = random[256], round_keys = random[44], data = random[n]
__global__ void aes_ecb_ttable(const unsigned* __restrict__ te0, const unsigned* __restrict__ round_keys,
                               uint4* data, int n) {
  __shared__ unsigned t[256], rk[44];
  t[threadIdx.x] = te0[threadIdx.x];
  if (threadIdx.x < 44) rk[threadIdx.x] = round_keys[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 s = data[i];
  s.x ^= rk[0], s.y ^= rk[1], s.z ^= rk[2], s.w ^= rk[3];
  auto column = [&](unsigned a, unsigned b, unsigned c, unsigned d, unsigned k) {
    return t[a & 255] ^ rotr32(t[b >> 8 & 255], 24) ^ rotr32(t[c >> 16 & 255], 16) ^ rotr32(t[d >> 24], 8) ^
           k;
  };
  for (int r = 1; r <= 10; ++r) {
    const uint4 o = s;
    s.x = column(o.x, o.y, o.z, o.w, rk[4 * r]);
    s.y = column(o.y, o.z, o.w, o.x, rk[4 * r + 1]);
    s.z = column(o.z, o.w, o.x, o.y, rk[4 * r + 2]);
    s.w = column(o.w, o.x, o.y, o.z, rk[4 * r + 3]);
  }
  data[i] = s;
}

// Keccak's permutation on many states, words of 64 bits.
__constant__ unsigned long long keccak_rc[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};
// warpscope keccak_f1600: block = 128, states = 20000, grid = ceil(states / block), data = random[25 * states]
__global__ void keccak_f1600(unsigned long long* data, int states) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= states) return;
  auto rotl = [](unsigned long long x, int n) { return x << n | x >> (64 - n); };
  const int turn[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                        27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
  const int lane[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                        15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};
  unsigned long long a[25], c[5];
#pragma unroll
  for (int k = 0; k < 25; ++k) a[k] = data[k * states + i];
#pragma unroll 1
  for (int round = 0; round < 24; ++round) {
#pragma unroll
    for (int x = 0; x < 5; ++x) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      const unsigned long long d = c[(x + 4) % 5] ^ rotl(c[(x + 1) % 5], 1);
#pragma unroll
      for (int y = 0; y < 25; y += 5) a[x + y] ^= d;
    }
    unsigned long long t = a[1];
#pragma unroll
    for (int k = 0; k < 24; ++k) {
      const unsigned long long keep = a[lane[k]];
      a[lane[k]] = rotl(t, turn[k]);
      t = keep;
    }
#pragma unroll
    for (int y = 0; y < 25; y += 5) {
#pragma unroll
      for (int x = 0; x < 5; ++x) c[x] = a[y + x];
#pragma unroll
      for (int x = 0; x < 5; ++x) a[y + x] = c[x] ^ (~c[(x + 1) % 5] & c[(x + 2) % 5]);
    }
    a[0] ^= keccak_rc[round];
  }
#pragma unroll
  for (int k = 0; k < 25; ++k) data[k * states + i] = a[k];
}

// A field of 256 bits: products of four words of 64 bits, reduced with 2^256 = 38.
// warpscope field25519_mul: block = 128, n = 40000, grid = ceil(n / block), a = random[4 * n], b = random[4 * n]:2, out = zeros[4 * n]
__global__ void field25519_mul(const unsigned long long* a, const unsigned long long* b,
                               unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long x[4], y[4], r[8] = {};
  for (int k = 0; k < 4; ++k) x[k] = a[k * n + i], y[k] = b[k * n + i];
  for (int j = 0; j < 4; ++j) {
    unsigned long long carry = 0;
    for (int k = 0; k < 4; ++k) {
      const unsigned long long low = x[j] * y[k], high = __umul64hi(x[j], y[k]);
      unsigned long long sum = r[j + k] + low, over = sum < low;
      sum += carry;
      over += sum < carry;
      r[j + k] = sum;
      carry = high + over;
    }
    r[j + 4] = carry;
  }
  unsigned long long carry = 0;
  for (int k = 0; k < 4; ++k) {
    const unsigned long long low = r[k + 4] * 38, high = __umul64hi(r[k + 4], 38);
    unsigned long long sum = r[k] + low, over = sum < low;
    sum += carry;
    over += sum < carry;
    r[k] = sum;
    carry = high + over;
  }
  carry *= 38;
  for (int k = 0; k < 4; ++k) {
    r[k] += carry;
    carry = r[k] < carry;
    out[k * n + i] = r[k];
  }
}

// A transform over the integers modulo a prime: 1024 points a block in shared memory.
__device__ __forceinline__ unsigned mul_mod(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b % 998244353u);
}
// warpscope ntt_1024: block = 512 fixed, polys = 300, grid = polys, data = random[1024 * polys] in 0..998244352, roots = random[1024] in 1..998244352
__global__ void ntt_1024(unsigned* data, const unsigned* roots) {
  __shared__ unsigned s[1024];
  unsigned* poly = data + blockIdx.x * 1024;
  const int t = threadIdx.x;
  s[__brev(t) >> 22] = poly[t];
  s[__brev(t + 512) >> 22] = poly[t + 512];
  for (int half = 1; half < 1024; half *= 2) {
    __syncthreads();
    const int k = t & (half - 1), at = (t - k) * 2 + k;
    const unsigned u = s[at], v = mul_mod(s[at + half], roots[half + k]);
    const unsigned sum = u + v, diff = u - v;
    s[at] = sum >= 998244353u ? sum - 998244353u : sum;
    s[at + half] = u >= v ? diff : diff + 998244353u;
  }
  __syncthreads();
  poly[t] = s[t];
  poly[t + 512] = s[t + 512];
}

// Passwords of five letters against a digest: a short MD5-like mix, the message in registers.
__device__ __forceinline__ unsigned md5_step(unsigned a, unsigned b, unsigned f, unsigned m, unsigned k,
                                             int s) {
  const unsigned x = a + f + m + k;
  return b + (x << s | x >> (32 - s));
}
// warpscope md5_bruteforce: block = 192, candidates = 120000, grid = ceil(candidates / block), target = random[2], hit = zeros[1], offset = 1000000
__global__ void md5_bruteforce(const unsigned* target, unsigned* hit, unsigned candidates, unsigned offset) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= candidates) return;
  unsigned word = 0, rest = offset + id, second = 0x80;
  for (int i = 0; i < 4; i++, rest /= 26) word |= ('a' + rest % 26) << 8 * i;
  second = ('a' + rest % 26) | 0x8000;
  unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll 4
  for (int r = 0; r < 64; r++) {
    unsigned f;
    int g;
    if (r < 16)
      f = (b & c) | (~b & d), g = r;
    else if (r < 32)
      f = (d & b) | (~d & c), g = (5 * r + 1) & 15;
    else if (r < 48)
      f = b ^ c ^ d, g = (3 * r + 5) & 15;
    else
      f = c ^ (b | ~d), g = (7 * r) & 15;
    const unsigned m = g == 0 ? word : g == 1 ? second : g == 14 ? 40u : 0u;
    const int s = (r & 3) == 0 ? 7 : (r & 3) == 1 ? 12 : (r & 3) == 2 ? 17 : 22;
    const unsigned next = md5_step(a, b, f, m, 0x9e3779b9u * (r + 1), s);
    a = d, d = c, c = b, b = next;
  }
  if (a == target[0] && b == target[1]) atomicExch(hit, id + 1);
}

// Scratch memory of a key derivation: each thread fills 64 blocks of 64 bytes, then reads them in an order of
// its data.
// warpscope romix_small: block = 32, threads_total = 4224, grid = ceil(threads_total / block), state = random[4 * threads_total], scratch = zeros[4 * 64 * threads_total]
__device__ __forceinline__ void salsa_mix(uint4& v) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v.y ^= __funnelshift_l(v.x + v.w, v.x + v.w, 7);
    v.z ^= __funnelshift_l(v.y + v.x, v.y + v.x, 9);
    v.w ^= __funnelshift_l(v.z + v.y, v.z + v.y, 13);
    v.x ^= __funnelshift_l(v.w + v.z, v.w + v.z, 18);
  }
}
__global__ void romix_small(uint4* state, uint4* scratch, int threads_total) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads_total) return;
  uint4 x[4];
  for (int k = 0; k < 4; ++k) x[k] = state[k * threads_total + t];
  for (int i = 0; i < 64; ++i) {
    for (int k = 0; k < 4; ++k) {
      scratch[(i * 4 + k) * threads_total + t] = x[k];
      salsa_mix(x[k]);
      x[(k + 1) & 3].x ^= x[k].w;
    }
  }
  for (int i = 0; i < 64; ++i) {
    const int j = x[3].x & 63;
    for (int k = 0; k < 4; ++k) {
      const uint4 v = scratch[(j * 4 + k) * threads_total + t];
      x[k].x ^= v.x, x[k].y ^= v.y, x[k].z ^= v.z, x[k].w ^= v.w;
      salsa_mix(x[k]);
      x[(k + 1) & 3].x ^= x[k].w;
    }
  }
  for (int k = 0; k < 4; ++k) state[k * threads_total + t] = x[k];
}

// Keyed hashes of records of various lengths, eight bytes a step.
#define SIPROUND            \
  v0 += v1;                 \
  v1 = v1 << 13 | v1 >> 51; \
  v1 ^= v0;                 \
  v0 = v0 << 32 | v0 >> 32; \
  v2 += v3;                 \
  v3 = v3 << 16 | v3 >> 48; \
  v3 ^= v2;                 \
  v0 += v3;                 \
  v3 = v3 << 21 | v3 >> 43; \
  v3 ^= v0;                 \
  v2 += v1;                 \
  v1 = v1 << 17 | v1 >> 47; \
  v1 ^= v2;                 \
  v2 = v2 << 32 | v2 >> 32;
// warpscope siphash_records: block = 256, records = 60000, grid = ceil(records / block), words = random[records * 12], lengths = random[records] in 1..12, out = zeros[records], k0 = 12345, k1 = 67890
__global__ void siphash_records(const unsigned long long* words, const unsigned char* lengths,
                                unsigned long long* out, int records, unsigned long long k0,
                                unsigned long long k1) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= records) return;
  unsigned long long v0 = k0 ^ 0x736f6d6570736575ULL, v1 = k1 ^ 0x646f72616e646f6dULL;
  unsigned long long v2 = k0 ^ 0x6c7967656e657261ULL, v3 = k1 ^ 0x7465646279746573ULL;
  const int length = lengths[r];
  for (int i = 0; i < length; ++i) {
    const unsigned long long m = words[(size_t)r * 12 + i];
    v3 ^= m;
    SIPROUND SIPROUND v0 ^= m;
  }
  v2 ^= 0xff;
  SIPROUND SIPROUND SIPROUND SIPROUND out[r] = v0 ^ v1 ^ v2 ^ v3;
}
