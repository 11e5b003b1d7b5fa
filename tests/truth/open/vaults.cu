// Ciphers, digests and shared secrets.
#include <cstdint>

// BLAKE2s of one block of 64 bytes a thread, the schedule of words in constant memory.
__constant__ uint8_t schedule[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                         {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                         {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                         {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                         {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
__device__ __forceinline__ uint32_t turned(uint32_t v, int by) {
  return __funnelshift_r(v, v, by);
}
__device__ __forceinline__ void stir(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d, uint32_t x,
                                     uint32_t y) {
  a += b + x;
  d = turned(d ^ a, 16);
  c += d;
  b = turned(b ^ c, 12);
  a += b + y;
  d = turned(d ^ a, 8);
  c += d;
  b = turned(b ^ c, 7);
}
// warpscope small_blake: block = 128, n = 2^14, grid = ceil(n / block), in = u32 random[16 * n], out = u32 zeros[8 * n]
__global__ void small_blake(const uint32_t* in, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t start[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                             0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  uint32_t m[16], v[16];
  for (int k = 0; k < 16; ++k) m[k] = in[k * n + i];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = v[k + 8] = start[k];
  v[0] ^= 0x01010020u;
  v[12] ^= 64;
  v[14] = ~v[14];
  for (int r = 0; r < 10; ++r) {
    const uint8_t* s = schedule[r];
    stir(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
    stir(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
    stir(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
    stir(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
    stir(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
    stir(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
    stir(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
    stir(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) out[k * n + i] = start[k] ^ (k == 0 ? 0x01010020u : 0) ^ v[k] ^ v[k + 8];
}

// RC4 with a state of 256 bytes for each thread, interleaved in shared memory: the key schedule, then 64
// bytes of stream.
// warpscope permuted_stream: block = 32 fixed, keys = 2^12, grid = keys / 32, key = u8 random[keys * 16], out = u8 zeros[keys * 64]
__global__ void permuted_stream(const uint8_t* key, uint8_t* out, int keys) {
  __shared__ uint8_t state[256 * 32];
  const int t = threadIdx.x, id = blockIdx.x * 32 + t;
  if (id >= keys) return;
  uint8_t secret[16];
  *reinterpret_cast<uint4*>(secret) = reinterpret_cast<const uint4*>(key)[id];
  for (int k = 0; k < 256; ++k) state[k * 32 + t] = k;
  uint32_t j = 0;
  for (int k = 0; k < 256; ++k) {
    const uint8_t s = state[k * 32 + t];
    j = (j + s + secret[k & 15]) & 255;
    state[k * 32 + t] = state[j * 32 + t];
    state[j * 32 + t] = s;
  }
  uint32_t i = 0;
  j = 0;
  for (int k = 0; k < 64; ++k) {
    i = (i + 1) & 255;
    const uint8_t a = state[i * 32 + t];
    j = (j + a) & 255;
    const uint8_t b = state[j * 32 + t];
    state[i * 32 + t] = b;
    state[j * 32 + t] = a;
    out[k * keys + id] = state[((a + b) & 255) * 32 + t];
  }
}

// A one-time authenticator modulo 2^130 - 5 over four blocks of 16 bytes, limbs of 26 bits.
// warpscope one_time_tags: block = 128, n = 2^15, grid = ceil(n / block), message = u32 random[16 * n], keys = u32 random[8 * n], tags = u32 zeros[4 * n]
__global__ void one_time_tags(const uint4* message, const uint4* keys, uint4* tags, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 k = keys[2 * i], pad = keys[2 * i + 1];
  const uint32_t r[5] = {k.x & 0x3FFFFFF, (k.x >> 26 | k.y << 6) & 0x3FFFF03,
                         (k.y >> 20 | k.z << 12) & 0x3FFC0FF, (k.z >> 14 | k.w << 18) & 0x3F03FFF,
                         k.w >> 8 & 0x00FFFFF};
  uint32_t h[5] = {0, 0, 0, 0, 0};
  for (int b = 0; b < 4; ++b) {
    const uint4 m = message[b * n + i];
    h[0] += m.x & 0x3FFFFFF;
    h[1] += (m.x >> 26 | m.y << 6) & 0x3FFFFFF;
    h[2] += (m.y >> 20 | m.z << 12) & 0x3FFFFFF;
    h[3] += (m.z >> 14 | m.w << 18) & 0x3FFFFFF;
    h[4] += m.w >> 8 | 1u << 24;
    uint64_t d[5];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      d[x] = 0;
#pragma unroll
      for (int y = 0; y < 5; ++y)
        d[x] += static_cast<uint64_t>(h[y]) * (y <= x ? r[x - y] : 5 * r[5 + x - y]);
    }
    uint64_t carry = 0;
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      d[x] += carry;
      h[x] = d[x] & 0x3FFFFFF;
      carry = d[x] >> 26;
    }
    h[0] += static_cast<uint32_t>(carry) * 5;
    h[1] += h[0] >> 26;
    h[0] &= 0x3FFFFFF;
  }
  const uint64_t low = (h[0] | static_cast<uint64_t>(h[1]) << 26 | static_cast<uint64_t>(h[2]) << 52);
  const uint64_t high = h[2] >> 12 | static_cast<uint64_t>(h[3]) << 14 | static_cast<uint64_t>(h[4]) << 40;
  const uint64_t a = low + (static_cast<uint64_t>(pad.y) << 32 | pad.x);
  const uint64_t b = high + (static_cast<uint64_t>(pad.w) << 32 | pad.z) + (a < low);
  tags[i] = make_uint4(a, a >> 32, b, b >> 32);
}

// The cipher PRESENT on 64-bit blocks: a box of four bits and a permutation of single bits, 31 rounds with
// the key schedule on the fly.
// warpscope light_boxes: block = 96, n = 2^13, grid = ceil(n / block), blocks_in = u64 random[n], out = u64 zeros[n], key = 81985529216486895
__global__ void light_boxes(const uint64_t* blocks_in, uint64_t* out, unsigned long long key, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint64_t box = 0x21748FE3DA09B65Cull;
  uint64_t s = blocks_in[i], high = key;
  uint32_t low = i & 0xFFFF;
  for (int round = 1; round < 32; ++round) {
    s ^= high;
    uint64_t substituted = 0;
#pragma unroll
    for (int k = 0; k < 64; k += 4) substituted |= (box >> (4 * (s >> k & 15)) & 15) << k;
    s = 0;
#pragma unroll
    for (int k = 0; k < 64; ++k) s |= (substituted >> k & 1) << (k == 63 ? 63 : k * 16 % 63);
    const uint64_t before = high;
    high = before << 61 | static_cast<uint64_t>(low) << 45 | before >> 19;
    low = before >> 3 & 0xFFFF;
    high = (high & ~(15ull << 60)) | (box >> (4 * (high >> 60)) & 15) << 60;
    high ^= round >> 1;
    low ^= (round & 1) << 15;
  }
  out[i] = s ^ high;
}

// Three shift registers of 288 bits in all, 32 streams side by side in the bits of words: 288 steps to mix
// and 32 of output.
// warpscope sliced_registers: block = 64, n = 2^13, grid = ceil(n / block), keys = u32 random[4 * n], out = u32 zeros[32 * n]
__global__ void sliced_registers(const uint32_t* keys, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t a[93], b[84], c[111];
  for (int k = 0; k < 93; ++k) a[k] = k < 80 ? keys[(k & 3) * n + i] * (2 * k + 1) : 0;
  for (int k = 0; k < 84; ++k) b[k] = k < 80 ? keys[(k & 3) * n + i] + k : 0;
  for (int k = 0; k < 111; ++k) c[k] = k >= 108 ? ~0u : 0;
  int pa = 0, pb = 0, pc = 0;
  auto at = [](const uint32_t* ring, int head, int place, int size) {
    const int k = head + place;
    return ring[k >= size ? k - size : k];
  };
  for (int step = 0; step < 320; ++step) {
    uint32_t x = at(a, pa, 65, 93) ^ at(a, pa, 92, 93), y = at(b, pb, 68, 84) ^ at(b, pb, 83, 84),
             z = at(c, pc, 65, 111) ^ at(c, pc, 110, 111);
    if (step >= 288) out[(step - 288) * n + i] = x ^ y ^ z;
    x ^= (at(a, pa, 90, 93) & at(a, pa, 91, 93)) ^ at(b, pb, 77, 84);
    y ^= (at(b, pb, 81, 84) & at(b, pb, 82, 84)) ^ at(c, pc, 86, 111);
    z ^= (at(c, pc, 108, 111) & at(c, pc, 109, 111)) ^ at(a, pa, 68, 93);
    pa = pa == 0 ? 92 : pa - 1;
    pb = pb == 0 ? 83 : pb - 1;
    pc = pc == 0 ? 110 : pc - 1;
    a[pa] = z;
    b[pb] = x;
    c[pc] = y;
  }
}

// A secret put together again from five shares, at each byte: Lagrange's formula in the field of 256, by
// tables of logarithms.
// warpscope shares_to_secret: block = 256 fixed, n = 2^17, grid = n / 1024, shares = u32 random[5 * n / 4], out = u32 zeros[n / 4]
__global__ void shares_to_secret(const uint32_t* shares, uint32_t* out, int n) {
  __shared__ uint8_t power[512], logarithm[256], weight[5];
  const int t = threadIdx.x;
  if (t == 0) {
    int v = 1;
    for (int k = 0; k < 255; ++k) {
      power[k] = power[k + 255] = v;
      logarithm[v] = k;
      v = v << 1 ^ v ^ (v & 128 ? 0x11B : 0);
      v &= 255;
    }
    power[510] = power[511] = 1;
    logarithm[0] = 0;
  }
  __syncthreads();
  if (t < 5) {
    int sum = 0;
    for (int k = 1; k <= 5; ++k)
      if (k != t + 1) sum += logarithm[k] + 255 - logarithm[k ^ (t + 1)];
    weight[t] = sum % 255;
  }
  __syncthreads();
  const int i = blockIdx.x * 256 + t;
  if (i >= n / 4) return;
  uint32_t secret = 0;
#pragma unroll
  for (int s = 0; s < 5; ++s) {
    const uint32_t w = shares[s * (n / 4) + i];
#pragma unroll
    for (int b = 0; b < 32; b += 8) {
      const uint32_t y = w >> b & 255;
      if (y) secret ^= static_cast<uint32_t>(power[logarithm[y] + weight[s]]) << b;
    }
  }
  out[i] = secret;
}

// Filling a block of 1024 bytes as memory-hard hashes do: a warp permutes 8 rows and 8 columns of 16 words,
// added with products of halves.
__device__ __forceinline__ void hardMix(uint64_t& a, uint64_t& b, uint64_t& c, uint64_t& d) {
  auto add = [](uint64_t x, uint64_t y) {
    return x + y + 2 * static_cast<uint64_t>(static_cast<uint32_t>(x)) * static_cast<uint32_t>(y);
  };
  auto turn = [](uint64_t x, int by) { return x >> by | x << (64 - by); };
  a = add(a, b), d = turn(d ^ a, 32), c = add(c, d), b = turn(b ^ c, 24);
  a = add(a, b), d = turn(d ^ a, 16), c = add(c, d), b = turn(b ^ c, 63);
}
// warpscope hard_memory: block = 32 fixed, chains = 256, grid = chains, memory = u64 random[chains * 16 * 128]
__global__ void hard_memory(uint64_t* memory) {
  __shared__ uint64_t v[128];
  const int lane = threadIdx.x;
  uint64_t* mine = memory + blockIdx.x * 16 * 128;
  for (int step = 2; step < 18; ++step) {
    const int from = mine[(step - 1) % 16 * 128] % 16, to = step % 16;
    uint64_t kept[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      v[k * 32 + lane] = kept[k] =
          mine[(step - 1) % 16 * 128 + k * 32 + lane] ^ mine[from * 128 + k * 32 + lane];
    __syncwarp();
#pragma unroll
    for (int pass = 0; pass < 4; ++pass) {
      const int group = lane / 4, q = lane % 4, turn = pass % 2;
      int p[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int word = k * 4 + (q + (turn ? k : 0)) % 4;
        p[k] = pass < 2 ? group * 16 + word : word / 2 * 16 + group * 2 + word % 2;
      }
      hardMix(v[p[0]], v[p[1]], v[p[2]], v[p[3]]);
      __syncwarp();
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) mine[to * 128 + k * 32 + lane] = v[k * 32 + lane] ^ kept[k];
    __syncwarp();
  }
}

// The 64-bit hash of short strings by products folded in halves, as hash tables use it, lengths of 1 to 48
// bytes.
__device__ __noinline__ uint64_t folded(uint64_t a, uint64_t b) {
  return a * b ^ __umul64hi(a, b);
}
// warpscope folded_products: block = 256, n = 2^16, grid = ceil(n / block), text = u64 random[n + 8], lengths = u8 random[n], out = u64 zeros[n]
__global__ void folded_products(const uint64_t* text, const uint8_t* lengths, uint64_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int length = 1 + lengths[i] % 48;
  const uint64_t* p = text + i;
  uint64_t seed = 0xA0761D6478BD642Full, a, b;
  int left = length;
  if (left > 32) {
    uint64_t other = seed;
    seed = folded(p[0] ^ 0xE7037ED1A0B428DBull, p[1] ^ seed);
    other = folded(p[2] ^ 0x8EBC6AF09C88C6E3ull, p[3] ^ other);
    seed ^= other;
    p += 4;
    left -= 32;
  }
  while (left > 16) {
    seed = folded(p[0] ^ 0x589965CC75374CC3ull, p[1] ^ seed);
    p += 2;
    left -= 16;
  }
  if (left > 8) {
    a = p[0];
    b = p[1] & (~0ull >> (64 - 8 * (left - 8)));
  } else {
    a = p[0] & (~0ull >> (64 - 8 * left));
    b = 0;
  }
  out[i] = folded(0xE7037ED1A0B428DBull ^ length, folded(a ^ 0xE7037ED1A0B428DBull, b ^ seed));
}
