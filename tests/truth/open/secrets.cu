// Ciphers, hashes and sums that protect.
#include <cstdint>

__device__ __forceinline__ uint32_t turned(uint32_t v, int by) {
  return __funnelshift_l(v, v, by);
}

#define SALSA(a, b, c, d) \
  b ^= turned(a + d, 7);  \
  c ^= turned(b + a, 9);  \
  d ^= turned(c + b, 13); \
  a ^= turned(d + c, 18)

// Salsa20's core: 20 rounds of quarter rounds on a state for each thread.
// warpscope salsa_keystream: block = 128, n = 2^14, grid = ceil(n / block), key = random[8], out = u32 zeros[n * 16], nonce = 77
__global__ void salsa_keystream(const uint32_t* key, uint4* out, uint32_t nonce, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t s[16] = {0x61707865,  key[0], key[1],     key[2], key[3], 0x3320646e, nonce,  nonce ^ 5,
                    uint32_t(i), 0,      0x79622d32, key[4], key[5], key[6],     key[7], 0x6b206574};
  uint32_t x[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) x[k] = s[k];
#pragma unroll 1
  for (int round = 0; round < 10; ++round) {
    SALSA(x[0], x[4], x[8], x[12]);
    SALSA(x[5], x[9], x[13], x[1]);
    SALSA(x[10], x[14], x[2], x[6]);
    SALSA(x[15], x[3], x[7], x[11]);
    SALSA(x[0], x[1], x[2], x[3]);
    SALSA(x[5], x[6], x[7], x[4]);
    SALSA(x[10], x[11], x[8], x[9]);
    SALSA(x[15], x[12], x[13], x[14]);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    out[i * 4 + k] = make_uint4(x[4 * k] + s[4 * k], x[4 * k + 1] + s[4 * k + 1], x[4 * k + 2] + s[4 * k + 2],
                                x[4 * k + 3] + s[4 * k + 3]);
}

// XXTEA on records of eight words, kept in registers by full unrolling.
// warpscope block_tea_records: block = 256, n = 2^14, grid = ceil(n / block), key = random[4], data = random[n * 8], out = zeros[n * 8]
__global__ void block_tea_records(const uint32_t* key, const uint32_t* data, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t v[8], k[4] = {key[0], key[1], key[2], key[3]};
  for (int w = 0; w < 8; ++w) v[w] = data[w * n + i];
  uint32_t sum = 0, z = v[7];
  for (int round = 0; round < 12; ++round) {
    sum += 0x9e3779b9;
    const uint32_t e = sum >> 2 & 3;
#pragma unroll
    for (int p = 0; p < 8; ++p) {
      const uint32_t y = v[(p + 1) % 8], which = (p & 3) ^ e;
      const uint32_t word = which == 0 ? k[0] : which == 1 ? k[1] : which == 2 ? k[2] : k[3];
      z = v[p] += ((z >> 5 ^ y << 2) + (y >> 3 ^ z << 4)) ^ ((sum ^ y) + (word ^ z));
    }
  }
  for (int w = 0; w < 8; ++w) out[w * n + i] = v[w];
}

// RC4: each thread has a permutation of 256 bytes in shared memory, interleaved; key schedule, then 64 bytes
// of stream.
// warpscope shuffled_permutations: block = 32 fixed, keys_of = 2112, grid = ceil(keys_of / block), keys = random[keys_of * 8], out = zeros[keys_of * 64]
__global__ void shuffled_permutations(const uint8_t* keys, uint8_t* out, int keys_of) {
  __shared__ uint8_t all[256 * 32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= keys_of) return;
  uint8_t* s = all + threadIdx.x;
  for (int k = 0; k < 256; ++k) s[k * 32] = k;
  int j = 0;
  for (int k = 0; k < 256; ++k) {
    const uint8_t held = s[k * 32];
    j = (j + held + keys[i * 8 + (k & 7)]) & 255;
    s[k * 32] = s[j * 32];
    s[j * 32] = held;
  }
  int a = 0, b = 0;
  for (int k = 0; k < 64; ++k) {
    a = (a + 1) & 255;
    const uint8_t x = s[a * 32];
    b = (b + x) & 255;
    const uint8_t y = s[b * 32];
    s[a * 32] = y;
    s[b * 32] = x;
    out[k * keys_of + i] = s[((x + y) & 255) * 32];
  }
}

// Poly1305 with limbs of 26 bits: tags of messages of four blocks.
// warpscope polynomial_tags: block = 64, n = 2^14, grid = ceil(n / block), key = random[4], text = u32 random[n * 16], tags = u32 zeros[n * 4]
__global__ void polynomial_tags(const uint32_t* key, const uint4* text, uint4* tags, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t r[5] = {key[0] & 0x3ffffff, (key[0] >> 26 | key[1] << 6) & 0x3ffff03,
                         (key[1] >> 20 | key[2] << 12) & 0x3ffc0ff, (key[2] >> 14 | key[3] << 18) & 0x3f03fff,
                         key[3] >> 8 & 0x00fffff};
  uint32_t h[5] = {};
  for (int part = 0; part < 4; ++part) {
    const uint4 m = text[i * 4 + part];
    h[0] += m.x & 0x3ffffff;
    h[1] += (m.x >> 26 | m.y << 6) & 0x3ffffff;
    h[2] += (m.y >> 20 | m.z << 12) & 0x3ffffff;
    h[3] += (m.z >> 14 | m.w << 18) & 0x3ffffff;
    h[4] += m.w >> 8 | 1u << 24;
    uint64_t d[5];
#pragma unroll
    for (int a = 0; a < 5; ++a) {
      d[a] = 0;
#pragma unroll
      for (int b = 0; b < 5; ++b) d[a] += uint64_t(h[b]) * (b <= a ? r[a - b] : 5 * r[a + 5 - b]);
    }
    uint64_t carry = 0;
#pragma unroll
    for (int a = 0; a < 5; ++a) {
      d[a] += carry;
      carry = d[a] >> 26;
      h[a] = uint32_t(d[a]) & 0x3ffffff;
    }
    h[0] += uint32_t(carry) * 5;
    h[1] += h[0] >> 26;
    h[0] &= 0x3ffffff;
  }
  tags[i] =
      make_uint4(h[0] | h[1] << 26, h[1] >> 6 | h[2] << 20, h[2] >> 12 | h[3] << 14, h[3] >> 18 | h[4] << 8);
}

// SHA-1 of one padded word, schedule in a ring of sixteen words.
// warpscope short_sha1: block = 192, n = 2^15, grid = ceil(n / block), in = random[n], out = zeros[n]
template <int kPhase>
__device__ __forceinline__ uint32_t mixed(uint32_t b, uint32_t c, uint32_t d) {
  if (kPhase == 0) return (b & c) | (~b & d);
  if (kPhase == 2) return (b & c) | (b & d) | (c & d);
  return b ^ c ^ d;
}
template <int kPhase>
__device__ __forceinline__ void twenty(uint32_t (&w)[16], uint32_t (&h)[5], uint32_t constant) {
#pragma unroll
  for (int k = kPhase * 20; k < kPhase * 20 + 20; ++k) {
    if (k >= 16) w[k & 15] = turned(w[(k + 13) & 15] ^ w[(k + 8) & 15] ^ w[(k + 2) & 15] ^ w[k & 15], 1);
    const uint32_t t = turned(h[0], 5) + mixed<kPhase>(h[1], h[2], h[3]) + h[4] + constant + w[k & 15];
    h[4] = h[3];
    h[3] = h[2];
    h[2] = turned(h[1], 30);
    h[1] = h[0];
    h[0] = t;
  }
}
__global__ void short_sha1(const uint32_t* in, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t w[16] = {in[i], 0x80000000u};
  w[15] = 32;
  uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  twenty<0>(w, h, 0x5A827999);
  twenty<1>(w, h, 0x6ED9EBA1);
  twenty<2>(w, h, 0x8F1BBCDC);
  twenty<3>(w, h, 0xCA62C1D6);
  out[i] = h[0] + 0x67452301;
}

// Serpent's substitution by gates: bits of four words pass eight boxes, with the linear mixing between; a
// state a thread.
// warpscope bitwise_boxes: block = 256, n = 2^16, grid = ceil(n / block), keys = u32 random[32 * 4], data = u32 random[n * 4], out = u32 zeros[n * 4]
__global__ void __launch_bounds__(256)
    bitwise_boxes(const uint4* keys, const uint4* data, uint4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 v = data[i];
#pragma unroll 2
  for (int round = 0; round < 32; ++round) {
    const uint4 k = __ldg(&keys[round]);
    v.x ^= k.x, v.y ^= k.y, v.z ^= k.z, v.w ^= k.w;
    switch (round & 3) {
      case 0:
        v.w ^= v.x & v.y, v.z ^= ~(v.w | v.x);
        break;
      case 1:
        v.x ^= v.z | v.w, v.y ^= v.x & ~v.z;
        break;
      case 2:
        v.y ^= v.w & v.x, v.w ^= v.z ^ v.y;
        break;
      default:
        v.z ^= ~v.y & v.w, v.x ^= v.z | v.y;
    }
    v.x = turned(v.x, 13), v.z = turned(v.z, 3);
    v.y ^= v.x ^ v.z, v.w ^= v.z ^ v.x << 3;
    v.y = turned(v.y, 1), v.w = turned(v.w, 7);
    v.x ^= v.y ^ v.w, v.z ^= v.w ^ v.y << 7;
  }
  out[i] = v;
}

// Murmur's 64-bit hash of strings of different lengths, offsets in a table of lengths; the tail by a switch.
// warpscope murmur_of_strings: block = 128, n = 2^15, grid = ceil(n / block), text = random[n * 32], lengths = random[n] in 3..31, out = zeros[n]
__global__ void murmur_of_strings(const uint8_t* text, const uint8_t* lengths, uint64_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint64_t m = 0xc6a4a7935bd1e995ull;
  const int length = lengths[i];
  const uint8_t* p = text + i * 32;
  uint64_t h = 1234 ^ length * m;
  int k = 0;
  for (; k + 8 <= length; k += 8) {
    uint64_t v = *reinterpret_cast<const uint64_t*>(p + k) * m;
    v ^= v >> 47;
    h = (h ^ v * m) * m;
  }
  switch (length & 7) {
    case 7:
      h ^= uint64_t(p[k + 6]) << 48;  // and so on with those below
    case 6:
      h ^= uint64_t(p[k + 5]) << 40;
    case 5:
      h ^= uint64_t(p[k + 4]) << 32;
    case 4:
      h ^= uint64_t(p[k + 3]) << 24;
    case 3:
      h ^= uint64_t(p[k + 2]) << 16;
    case 2:
      h ^= uint64_t(p[k + 1]) << 8;
    case 1:
      h = (h ^ p[k]) * m;
  }
  h = (h ^ h >> 47) * m;
  out[i] = h ^ h >> 47;
}

// Number-theoretic butterflies of lattice keys: 256 coefficients of 16 bits modulo 3329, a warp a polynomial,
// seven layers in shared memory.
// warpscope lattice_key_transform: block = 128 fixed, polynomials = 2^12, grid = polynomials / 4, roots = random[128] in 0..3328, data = random[polynomials * 256] in 0..3328, out = zeros[polynomials * 256]
__global__ void lattice_key_transform(const int16_t* roots, const int16_t* data, int16_t* out,
                                      int polynomials) {
  __shared__ int16_t rows[4][256], z[128];
  z[threadIdx.x] = roots[threadIdx.x];
  __syncthreads();
  const int lane = threadIdx.x % 32, which = blockIdx.x * 4 + threadIdx.x / 32;
  if (which >= polynomials) return;
  int16_t* p = rows[threadIdx.x / 32];
  for (int k = lane; k < 256; k += 32) p[k] = data[which * 256 + k];
  int first = 1;
  for (int length = 128; length >= 2; length >>= 1) {
    __syncwarp();
    for (int k = lane; k < 128; k += 32) {
      const int group = k / length, at = group * 2 * length + k % length;
      const int product = z[first + group] * p[at + length] % 3329;
      const int a = p[at], sum = a + product, difference = a - product;
      p[at] = sum >= 3329 ? sum - 3329 : sum;
      p[at + length] = difference < 0 ? difference + 3329 : difference;
    }
    first <<= 1;
  }
  __syncwarp();
  for (int k = lane; k < 256; k += 32) out[which * 256 + k] = p[k];
}
