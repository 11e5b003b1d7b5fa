// Ciphers, digests, codes that detect or mend errors.
#include <cstdint>

__device__ __forceinline__ uint32_t turn(uint32_t x, int n) {
  return __funnelshift_l(x, x, n);
}
__device__ __forceinline__ uint64_t turn64(uint64_t x, int n) {
  return x << n | x >> (64 - n);
}

// Keccak's permutation of 25 words of 64 bits, all in registers.
__device__ const uint64_t keccak_rounds[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull,
    0x000000000000808bull, 0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull,
    0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull,
    0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};

// warpscope sponge: block = 128, messages = 16896, grid = ceil(messages / block), in = random[8 * messages], out = zeros[4 * messages]
__global__ void sponge(const uint64_t* __restrict__ in, uint64_t* __restrict__ out, int messages) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= messages) return;
  uint64_t s[25];
#pragma unroll
  for (int i = 0; i < 25; ++i) s[i] = i < 8 ? in[i * messages + id] : i == 8 ? 6 : i == 16 ? 1ull << 63 : 0;
  for (int round = 0; round < 24; ++round) {
    uint64_t c[5];
#pragma unroll
    for (int x = 0; x < 5; ++x) c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      const uint64_t d = c[(x + 4) % 5] ^ turn64(c[(x + 1) % 5], 1);
#pragma unroll
      for (int y = 0; y < 25; y += 5) s[x + y] ^= d;
    }
    const int places[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                            15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};
    const int turns[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                           27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
    uint64_t t = s[1];
#pragma unroll
    for (int i = 0; i < 24; ++i) {
      const uint64_t held = s[places[i]];
      s[places[i]] = turn64(t, turns[i]);
      t = held;
    }
#pragma unroll
    for (int y = 0; y < 25; y += 5) {
      const uint64_t a = s[y], b = s[y + 1];
      s[y] ^= ~b & s[y + 2];
      s[y + 1] ^= ~s[y + 2] & s[y + 3];
      s[y + 2] ^= ~s[y + 3] & s[y + 4];
      s[y + 3] ^= ~s[y + 4] & a;
      s[y + 4] ^= ~a & b;
    }
    s[0] ^= keccak_rounds[round];
  }
  for (int i = 0; i < 4; ++i) out[i * messages + id] = s[i];
}

// MD5 of candidates for a password: a counter is the message, and only hits are written.
__constant__ int md5_turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
template <int kRound>
__device__ __forceinline__ void md5Steps(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d,
                                         const uint32_t (&m)[4], const uint32_t* sines) {
  for (int i = 0; i < 16; ++i) {
    uint32_t f;
    int g;
    if (kRound == 0) f = (b & c) | (~b & d), g = i;
    if (kRound == 1) f = (d & b) | (~d & c), g = (5 * i + 1) & 15;
    if (kRound == 2) f = b ^ c ^ d, g = (3 * i + 5) & 15;
    if (kRound == 3) f = c ^ (b | ~d), g = (7 * i) & 15;
    const uint32_t word = g == 0 ? m[0] : g == 1 ? m[1] : g == 2 ? m[2] : g == 14 ? m[3] : 0;
    const uint32_t next = b + turn(a + f + sines[16 * kRound + i] + word, md5_turns[4 * kRound + i % 4]);
    a = d;
    d = c;
    c = b;
    b = next;
  }
}
// warpscope guess_password: block = 256, tries = 270336, grid = ceil(tries / block), sines = random[64], target = 12345, hits = zeros[64], found = zeros[1], unordered = hits
__global__ void guess_password(const uint32_t* sines, uint32_t target, uint32_t* hits, unsigned* found,
                               int tries) {
  __shared__ uint32_t local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = sines[threadIdx.x];
  __syncthreads();
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= tries) return;
  const uint32_t m[4] = {0x61616161u + (id % 26) + (id / 26 % 26 << 8) + (id / 676 % 26 << 16),
                         0x61616161u + id / 17576, 0x80, 64};
  uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  md5Steps<0>(a, b, c, d, m, local);
  md5Steps<1>(a, b, c, d, m, local);
  md5Steps<2>(a, b, c, d, m, local);
  md5Steps<3>(a, b, c, d, m, local);
  if (((a ^ target) & 0xffff) == 0) hits[atomicAdd(found, 1) & 63] = id;
}

// BLAKE2s on single blocks, the schedule in constant memory, message words in a local array.
__constant__ unsigned char schedule[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                               {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                               {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                               {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                               {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                               {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                               {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                               {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                               {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                               {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
// warpscope scheduled_digest: block = 96, messages = 25000, grid = ceil(messages / block), in = u32 random[16 * messages], out = u32 zeros[8 * messages]
__global__ void scheduled_digest(const uint4* in, uint4* out, int messages) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= messages) return;
  uint32_t m[16], v[16];
  for (int i = 0; i < 4; ++i) {
    const uint4 four = in[4 * id + i];
    m[4 * i] = four.x, m[4 * i + 1] = four.y, m[4 * i + 2] = four.z, m[4 * i + 3] = four.w;
  }
  for (int i = 0; i < 16; ++i) v[i] = 0x6a09e667u * (i + 1);
  auto mix = [&](int a, int b, int c, int d, uint32_t x, uint32_t y) {
    v[a] += v[b] + x;
    v[d] = turn(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = turn(v[b] ^ v[c], 20);
    v[a] += v[b] + y;
    v[d] = turn(v[d] ^ v[a], 24);
    v[c] += v[d];
    v[b] = turn(v[b] ^ v[c], 25);
  };
#pragma unroll 1
  for (int r = 0; r < 10; ++r) {
    const unsigned char* s = schedule[r];
    mix(0, 4, 8, 12, m[s[0]], m[s[1]]);
    mix(1, 5, 9, 13, m[s[2]], m[s[3]]);
    mix(2, 6, 10, 14, m[s[4]], m[s[5]]);
    mix(3, 7, 11, 15, m[s[6]], m[s[7]]);
    mix(0, 5, 10, 15, m[s[8]], m[s[9]]);
    mix(1, 6, 11, 12, m[s[10]], m[s[11]]);
    mix(2, 7, 8, 13, m[s[12]], m[s[13]]);
    mix(3, 4, 9, 14, m[s[14]], m[s[15]]);
  }
  out[2 * id] = make_uint4(v[0] ^ v[8], v[1] ^ v[9], v[2] ^ v[10], v[3] ^ v[11]);
  out[2 * id + 1] = make_uint4(v[4] ^ v[12], v[5] ^ v[13], v[6] ^ v[14], v[7] ^ v[15]);
}

// AES in counter mode with one table of 1 KiB, kept four times in shared memory.
// warpscope counter_mode: block = 256, blocks_of = 90000, grid = 132, table = u32 random[256], keys = u32 random[44], data = u32 random[4 * blocks_of]
__global__ void counter_mode(const uint32_t* __restrict__ table, const uint32_t* __restrict__ keys,
                             uint4* data, int blocks_of) {
  __shared__ uint32_t t0[4][257];
  __shared__ uint32_t k[44];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) t0[i & 3][i >> 2] = table[i >> 2];
  if (threadIdx.x < 44) k[threadIdx.x] = keys[threadIdx.x];
  __syncthreads();
  const uint32_t* mine = t0[threadIdx.x & 3];
  for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < blocks_of; b += gridDim.x * blockDim.x) {
    uint32_t s0 = b ^ k[0], s1 = k[1], s2 = k[2], s3 = k[3];
#pragma unroll
    for (int r = 1; r < 10; ++r) {
      const uint32_t n0 = mine[s0 & 255] ^ turn(mine[s1 >> 8 & 255], 8) ^ turn(mine[s2 >> 16 & 255], 16) ^
                          turn(mine[s3 >> 24], 24) ^ k[4 * r];
      const uint32_t n1 = mine[s1 & 255] ^ turn(mine[s2 >> 8 & 255], 8) ^ turn(mine[s3 >> 16 & 255], 16) ^
                          turn(mine[s0 >> 24], 24) ^ k[4 * r + 1];
      const uint32_t n2 = mine[s2 & 255] ^ turn(mine[s3 >> 8 & 255], 8) ^ turn(mine[s0 >> 16 & 255], 16) ^
                          turn(mine[s1 >> 24], 24) ^ k[4 * r + 2];
      const uint32_t n3 = mine[s3 & 255] ^ turn(mine[s0 >> 8 & 255], 8) ^ turn(mine[s1 >> 16 & 255], 16) ^
                          turn(mine[s2 >> 24], 24) ^ k[4 * r + 3];
      s0 = n0, s1 = n1, s2 = n2, s3 = n3;
    }
    uint4 d = data[b];
    d.x ^= s0 ^ k[40], d.y ^= s1 ^ k[41], d.z ^= s2 ^ k[42], d.w ^= s3 ^ k[43];
    data[b] = d;
  }
}

// Reed-Solomon parity: 8 blocks of data, 3 of parity, a byte product by logarithms in shared memory.
// warpscope parity_blocks: block = 128, bytes = 60000, grid = ceil(bytes / block), logarithms = random[256] in 0..254, powers = random[512], factors = random[24], in = random[8 * bytes], out = zeros[3 * bytes]
__global__ void parity_blocks(const uint8_t* logarithms, const uint8_t* powers, const uint8_t* factors,
                              const uint8_t* in, uint8_t* out, int bytes) {
  __shared__ uint8_t logs[256], exps[512];
  for (int i = threadIdx.x; i < 512; i += blockDim.x) {
    exps[i] = powers[i];
    if (i < 256) logs[i] = logarithms[i];
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= bytes) return;
  uint8_t parity[3] = {0, 0, 0};
  for (int b = 0; b < 8; ++b) {
    const uint8_t byte = in[b * bytes + i];
    if (byte == 0) continue;
    const int l = logs[byte];
    for (int p = 0; p < 3; ++p) parity[p] ^= exps[l + logs[factors[3 * b + p]]];
  }
  for (int p = 0; p < 3; ++p) out[p * bytes + i] = parity[p];
}

// CRC of 64 bits by eight bytes a step from tables in global memory.
// warpscope sliced_crc: block = 64, rows = 12000, grid = ceil(rows / block), tables = u64 random[8 * 256], data = u64 random[32 * rows], out = u64 zeros[rows]
__global__ void sliced_crc(const unsigned long long* __restrict__ tables,
                           const unsigned long long* __restrict__ data, unsigned long long* out, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  unsigned long long crc = ~0ull;
  for (int w = 0; w < 32; ++w) {
    crc ^= data[r * 32 + w];
    unsigned long long next = 0;
#pragma unroll
    for (int b = 0; b < 8; ++b) next ^= __ldg(&tables[b * 256 + (crc >> (8 * b) & 255)]);
    crc = next;
  }
  out[r] = ~crc;
}

// A feistel cipher whose four boxes of 256 words are in shared memory; 16 rounds (as Blowfish).
// warpscope feistel: block = 512, n = 200000, grid = 66, boxes = random[1024], keys = random[18], data = u32 random[2 * n]
__global__ void feistel(const uint32_t* boxes, const uint32_t* keys, uint2* data, int n) {
  __shared__ uint32_t s[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = boxes[i];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint32_t l = data[i].x, r = data[i].y;
#pragma unroll 2
    for (int round = 0; round < 16; ++round) {
      l ^= keys[round];
      r ^= ((s[l >> 24] + s[256 + (l >> 16 & 255)]) ^ s[512 + (l >> 8 & 255)]) + s[768 + (l & 255)];
      const uint32_t held = l;
      l = r;
      r = held;
    }
    data[i] = make_uint2(r ^ keys[17], l ^ keys[16]);
  }
}

// Points of an elliptic curve are doubled: products of 128 bits modulo 2^127 - 1.
struct Wide {
  uint64_t low, high;
};
__device__ Wide multiplied(Wide a, Wide b) {
  const uint64_t ll = a.low * b.low, lh = __umul64hi(a.low, b.low);
  const uint64_t m1l = a.low * b.high, m1h = __umul64hi(a.low, b.high), m2l = a.high * b.low,
                 m2h = __umul64hi(a.high, b.low);
  const uint64_t hl = a.high * b.high, hh = __umul64hi(a.high, b.high);
  uint64_t r1 = lh + m1l, c1 = r1 < lh;
  r1 += m2l;
  c1 += r1 < m2l;
  uint64_t r2 = m1h + m2h, c2 = r2 < m1h;
  r2 += hl;
  c2 += r2 < hl;
  r2 += c1;
  c2 += r2 < c1;
  const uint64_t r3 = hh + c2;
  const uint64_t high_low = r2 << 1 | r1 >> 63, high_high = r3 << 1 | r2 >> 63;
  Wide out{ll + high_low, (r1 & ~(1ull << 63)) + high_high};
  out.high += out.low < ll;
  const uint64_t over = out.high >> 63;
  out.high &= ~(1ull << 63);
  out.low += over;
  out.high += out.low < over;
  return out;
}
// warpscope prime_ladder: block = 128, n = 16384, bits = 20, grid = ceil(n / block), in = u64 random[2 * n], out = u64 zeros[2 * n]
__global__ void prime_ladder(const Wide* in, Wide* out, int n, int bits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Wide base = in[i], power{1, 0};
  base.high &= ~(1ull << 63);
  unsigned exponent = i * 2654435761u;
  for (int b = 0; b < bits; ++b) {
    if (exponent & 1) power = multiplied(power, base);
    base = multiplied(base, base);
    exponent >>= 1;
  }
  out[i] = power;
}

// Memory-hard mixing: a thread walks a scratch pad of 2 KiB of its own (as scrypt does).
// warpscope scratch_pad: block = 32, threads_of = 2112, grid = threads_of / 32, seeds = random[threads_of], pads = u32 zeros[512 * threads_of], out = zeros[threads_of]
__global__ void scratch_pad(const uint32_t* seeds, uint4* pads, uint32_t* out, int threads_of) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t x = seeds[id];
  uint4 state = make_uint4(x, ~x, x * 3, x * 5);
  auto stir = [&] {
    state.x += state.w, state.w = turn(state.w ^ state.x, 7);
    state.y += state.x, state.z = turn(state.z ^ state.y, 13);
    state.x ^= state.z * 9, state.y = turn(state.y, 18) + state.w;
  };
  for (int i = 0; i < 128; ++i) {
    pads[i * threads_of + id] = state;
    stir();
  }
  for (int i = 0; i < 128; ++i) {
    const uint4 v = pads[(state.x & 127) * threads_of + id];
    state.x ^= v.x, state.y ^= v.y, state.z ^= v.z, state.w ^= v.w;
    stir();
  }
  out[id] = state.x ^ state.y ^ state.z ^ state.w;
}

// Bit-sliced Trivium-like registers: 32 streams in each thread's words, kept in shared memory rings.
// warpscope sliced_streams: block = 64 fixed, grid = 264, steps = 256, seeds = random[16896], out = zeros[16896 * 4]
__global__ void sliced_streams(const uint32_t* seeds, uint32_t* out, int steps) {
  __shared__ uint32_t a[64][64], b[64][64];
  const int t = threadIdx.x, id = blockIdx.x * 64 + t;
  uint32_t x = seeds[id] | 1;
  for (int k = 0; k < 64; ++k) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    a[k][t] = x;
    b[k][t] = turn(x, 11) * 5;
  }
  uint32_t held[4] = {0, 0, 0, 0};
  for (int s = 0; s < steps; ++s) {
    const int p = s & 63;
    const uint32_t t1 = a[p][t] ^ a[(p + 27) & 63][t], t2 = b[p][t] ^ b[(p + 15) & 63][t];
    held[s >> 2 & 3] ^= turn(t1 ^ t2, s & 31);
    a[p][t] = t2 ^ (b[(p + 1) & 63][t] & b[(p + 2) & 63][t]) ^ a[(p + 24) & 63][t];
    b[p][t] = t1 ^ (a[(p + 1) & 63][t] & a[(p + 2) & 63][t]) ^ b[(p + 6) & 63][t];
  }
  *reinterpret_cast<uint4*>(out + 4 * id) = make_uint4(held[0], held[1], held[2], held[3]);
}
