// Cryptography and hashing.

#include <cstdint>

struct SipState {
  uint64_t a, b, c, d;
  __device__ static uint64_t turn(uint64_t x, int k) { return x << k | x >> (64 - k); }
  __device__ void round() {
    a += b;
    c += d;
    b = turn(b, 13) ^ a;
    d = turn(d, 16) ^ c;
    a = turn(a, 32);
    c += b;
    a += d;
    b = turn(b, 17) ^ c;
    d = turn(d, 21) ^ a;
    c = turn(c, 32);
  }
};
// Keyed hashes of messages of 40 bytes.
// warpscope keyed_short_hash: block = 256, n = 2^16, grid = ceil(n / block), messages = random[n * 5], key0 = 81985529216486895, key1 = 1311768467463790320, tags = zeros[n]
__global__ void keyed_short_hash(const uint64_t* messages, uint64_t* tags, uint64_t key0, uint64_t key1,
                                 int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  SipState s{key0 ^ 0x736f6d6570736575ull, key1 ^ 0x646f72616e646f6dull, key0 ^ 0x6c7967656e657261ull,
             key1 ^ 0x7465646279746573ull};
  for (int k = 0; k < 5; ++k) {
    uint64_t m = messages[i * 5 + k];
    s.d ^= m;
    s.round();
    s.round();
    s.a ^= m;
  }
  s.d ^= 40ull << 56;
  s.round(), s.round();
  s.a ^= 40ull << 56;
  s.c ^= 255;
#pragma unroll
  for (int k = 0; k < 4; ++k) s.round();
  tags[i] = s.a ^ s.b ^ s.c ^ s.d;
}

// A light block cipher of additions, rotations and exclusive ors in counter mode; each block expands its
// keys.
// warpscope counter_speck: block = 128, n = 2^16, grid = ceil(n / block), key = random[4], plain = random[n * 4], secret = zeros[n * 4]
__global__ void counter_speck(const uint64_t* key, const ulonglong2* plain, ulonglong2* secret, int n) {
  __shared__ uint64_t rounds[34];
  if (threadIdx.x == 0) {
    uint64_t k = key[0], l[3] = {key[1], key[2], key[3]};
#pragma unroll 3
    for (int r = 0; r < 33; ++r) {
      rounds[r] = k;
      uint64_t x = (l[r % 3] >> 8 | l[r % 3] << 56) + k ^ r;
      l[r % 3] = x;
      k = (k << 3 | k >> 61) ^ x;
    }
    rounds[33] = k;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 2 * n; i += gridDim.x * blockDim.x) {
    uint64_t x = i, y = 0x0123456789abcdefull;
#pragma unroll
    for (int r = 0; r < 34; ++r) {
      x = ((x >> 8 | x << 56) + y) ^ rounds[r];
      y = (y << 3 | y >> 61) ^ x;
    }
    ulonglong2 v = plain[i];
    v.x ^= x, v.y ^= y;
    secret[i] = v;
  }
}

// Check sums of records of 64 bytes with four tables of 256 words, which each block builds in shared memory.
// warpscope sliced_checksum: block = 256, n = 2^15, grid = ceil(n / block), records = random[n * 16], sums = zeros[n]
__global__ void sliced_checksum(const uint4* __restrict__ records, uint32_t* sums, int n) {
  __shared__ uint32_t table[4][256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    uint32_t c = b;
    for (int s = 0; s < 4; ++s) {
#pragma unroll
      for (int k = 0; k < 8; ++k) c = c >> 1 ^ (0x82f63b78u & (0u - (c & 1)));
      table[s][b] = c;
    }
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t crc = ~0u;
  for (int k = 0; k < 4; ++k) {
    const uint4 v = records[i * 4 + k];
    const uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      crc ^= words[j];
      crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^ table[1][crc >> 16 & 255] ^ table[0][crc >> 24];
    }
  }
  sums[i] = ~crc;
}

// One level of a hash tree: each thread mixes two children of 32 bytes, eight words, into their parent.
__device__ __noinline__ void mixColumn(uint32_t* v, int a, int b, int c, int d, uint32_t x, uint32_t y) {
  v[a] += v[b] + x;
  v[d] = __funnelshift_r(v[d] ^ v[a], v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = __funnelshift_r(v[b] ^ v[c], v[b] ^ v[c], 12);
  v[a] += v[b] + y;
  v[d] = __funnelshift_r(v[d] ^ v[a], v[d] ^ v[a], 8);
  v[c] += v[d];
  v[b] = __funnelshift_r(v[b] ^ v[c], v[b] ^ v[c], 7);
}
// warpscope hash_tree_level: block = 96, n = 3000, grid = ceil(n / block), children = random[n * 16], parents = zeros[n * 8]
__global__ void hash_tree_level(const uint32_t* children, uint32_t* parents, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t v[16], m[16];
  for (int k = 0; k < 16; ++k) {
    m[k] = children[i * 16 + k];
    v[k] = 0x9e3779b9u * (k + 1);
  }
  for (int r = 0; r < 4; ++r) {
    mixColumn(v, 0, 4, 8, 12, m[0 + r], m[1]);
    mixColumn(v, 1, 5, 9, 13, m[2], m[3 + r]);
    mixColumn(v, 2, 6, 10, 14, m[4 + r], m[5]);
    mixColumn(v, 3, 7, 11, 15, m[6], m[7 + r]);
    mixColumn(v, 0, 5, 10, 15, m[8 + r], m[9]);
    mixColumn(v, 1, 6, 11, 12, m[10], m[11 + r]);
    mixColumn(v, 2, 7, 8, 13, m[12 + (r & 3)], m[13]);
    mixColumn(v, 3, 4, 9, 14, m[14], m[15 - r]);
  }
  for (int k = 0; k < 8; ++k) parents[i * 8 + k] = v[k] ^ v[k + 8];
}

// Products in the field of 2^255 - 19 with five limbs of 51 bits; each thread squares four times.
struct Limbs {
  uint64_t v[5];
};
__device__ Limbs fieldSquare(const Limbs& f) {
  unsigned __int128 h[5];
#pragma unroll
  for (int k = 0; k < 5; ++k) h[k] = 0;
#pragma unroll
  for (int i = 0; i < 5; ++i)
#pragma unroll
    for (int j = 0; j < 5; ++j)
      h[(i + j) % 5] += (unsigned __int128)f.v[i] * (i + j >= 5 ? 19 * f.v[j] : f.v[j]);
  Limbs out;
  uint64_t carry = 0;
#pragma unroll
  for (int k = 0; k < 5; ++k) {
    h[k] += carry;
    out.v[k] = (uint64_t)h[k] & 0x7ffffffffffffull;
    carry = (uint64_t)(h[k] >> 51);
  }
  out.v[0] += 19 * carry;
  return out;
}
// warpscope curve_field_squares: block = 64, n = 2^14, grid = ceil(n / block), in = random[n * 5], out = zeros[n * 5]
__global__ void curve_field_squares(const uint64_t* in, uint64_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Limbs x;
#pragma unroll
  for (int k = 0; k < 5; ++k) x.v[k] = in[k * n + i] & 0x7ffffffffffffull;
  for (int k = 0; k < 4; ++k) x = fieldSquare(x);
#pragma unroll
  for (int k = 0; k < 5; ++k) out[k * n + i] = x.v[k];
}

// The permutation of a sponge: 25 lanes of 64 bits by 25 threads of a warp, which trade lanes by shuffles.
// warpscope sponge_by_warps: block = 128, states = 4096, grid = ceil(states * 32 / block), in = random[states * 25], out = zeros[states * 25]
__global__ void sponge_by_warps(const unsigned long long* in, unsigned long long* out, int states) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= states) return;
  const int x = lane % 5, y = lane / 5 % 5, from = (x + 3 * y) % 5 + 5 * x,
            turn = (lane * lane + lane) / 2 % 64;
  unsigned long long a = lane < 25 ? in[warp * 25 + lane] : 0;
  for (int round = 0; round < 12; ++round) {
    unsigned long long column = a;
    for (int k = 1; k < 5; ++k) column ^= __shfl_sync(~0u, a, (x + 5 * (y + k)) % 25);
    const unsigned long long next = __shfl_sync(~0u, column, (x + 1) % 5),
                             last = __shfl_sync(~0u, column, (x + 4) % 5);
    a ^= last ^ (next << 1 | next >> 63);
    a = turn ? a << turn | a >> (64 - turn) : a;
    a = __shfl_sync(~0u, a, from);
    const unsigned long long one = __shfl_sync(~0u, a, (x + 1) % 5 + 5 * y),
                             two = __shfl_sync(~0u, a, (x + 2) % 5 + 5 * y);
    a ^= ~one & two;
    if (lane == 0) a ^= 0x8000000080008081ull >> round;
  }
  if (lane < 25) out[warp * 25 + lane] = a;
}

// The smallest hash over many nonces is sought; a quarter of the tries ends early.
// warpscope nonce_search: block = 256, grid = 264, header = random[8], best = u32 ones[1], tries = 12
__global__ void nonce_search(const uint32_t* __restrict__ header, unsigned* best, int tries) {
  uint32_t h[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) h[k] = __ldg(header + k);
  unsigned lowest = ~0u;
  const unsigned start = (blockIdx.x * blockDim.x + threadIdx.x) * tries;
  for (unsigned nonce = start; nonce < start + tries; ++nonce) {
    uint32_t a = h[0] ^ nonce, b = h[1] + nonce * 0x85ebca6bu, c = h[2], d = h[3];
    for (int r = 0; r < 16; ++r) {
      uint32_t f = (a & b) | (~a & c);
      uint32_t t = d + f + h[r & 7] + 0x5a827999u;
      d = c;
      c = b << 30 | b >> 2;
      b = a;
      a = t << 5 | t >> 27;
      if (r == 7 && (a & 3) == 0) break;
    }
    lowest = min(lowest, a ^ d);
  }
  lowest = __reduce_min_sync(0xffffffffu, lowest);
  if (threadIdx.x % 32 == 0) atomicMin(best, lowest);
}
