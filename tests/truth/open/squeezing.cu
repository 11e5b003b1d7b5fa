// Compression: packing of bits, transforms, codes that correct errors.
#include <cstdint>

// Elias gamma codes: each warp writes those of 32 numbers into a stream of its own, by a scan of their
// lengths.
// warpscope elias_gamma_streams: block = 128, n = 2^18, grid = ceil(n / block), in = random[n], out = zeros[n], lengths = zeros[n / 32]
__global__ void elias_gamma_streams(const uint16_t* in, uint32_t* out, uint16_t* lengths, int n) {
  __shared__ uint32_t stream[4][33];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  stream[warp][lane] = 0;
  const unsigned v = (in[i] >> (in[i] & 15)) + 1;
  const int top = 31 - __clz(v), length = 2 * top + 1;
  int end = length;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(~0u, end, d);
    if (lane >= d) end += other;
  }
  __syncwarp();
  const int at = end - length;
  const uint64_t code = uint64_t(__brev(v) >> (31 - top)) << top << (at % 32);
  atomicOr(&stream[warp][min(at / 32, 31)], uint32_t(code));
  if (code >> 32) atomicOr(&stream[warp][min(at / 32 + 1, 32)], uint32_t(code >> 32));
  __syncwarp();
  out[i] = stream[warp][lane];
  if (lane == 31) lengths[i / 32] = end;
}

// The move-to-front transform of short stretches over an alphabet of sixteen; the list is nibbles of one
// word.
// warpscope nibbles_to_front: block = 64, stretches = 2^14, grid = ceil(stretches / block), in = random[stretches * 4], out = zeros[stretches * 4]
__global__ void nibbles_to_front(const uint64_t* in, uint64_t* out, int stretches) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= stretches) return;
  uint64_t list = 0xFEDCBA9876543210ull;
  for (int w = 0; w < 4; ++w) {
    uint64_t symbols = in[i * 4 + w], ranks = 0;
    for (int k = 0; k < 16; ++k) {
      const uint64_t symbol = symbols & 15;
      symbols >>= 4;
      int place = 0;
      while ((list >> place & 15) != symbol) place += 4;
      ranks = ranks >> 4 | uint64_t(place / 4) << 60;
      const uint64_t below = (1ull << place) - 1;
      list = (list & ~(below << 4 | 15)) | (list & below) << 4 | symbol;
    }
    out[i * 4 + w] = ranks;
  }
}

// Asymmetric numeral systems: a range decoder (rANS) with a table of 1024 slots; a thread a stream, states
// are renewed by 16 bits.
// warpscope numeral_states: block = 128, streams = 2^13, grid = ceil(streams / block), table = random[1024], states = random[streams], words = random[streams * 32], out = zeros[streams * 32]
__global__ void numeral_states(const uint32_t* table, const uint32_t* states, const uint16_t* words,
                               uint8_t* out, int streams) {
  __shared__ uint32_t slots[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) slots[k] = table[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= streams) return;
  uint32_t x = states[i] | 0x10000;
  int read = 0;
  for (int k = 0; k < 32; ++k) {
    const uint32_t slot = slots[x & 1023], symbol = slot & 255, frequency = (slot >> 8 & 511) + 1,
                   bias = slot >> 22;
    x = frequency * (x >> 10) + bias;
    if (x < 0x10000) x = x << 16 | words[(read++) * streams + i];
    out[k * streams + i] = symbol;
  }
}

// Reed and Solomon's syndromes of blocks of 64 bytes over GF(256), by tables of logarithms in shared memory;
// a warp a block of bytes.
// warpscope syndromes_of_bytes: block = 256, rows = 2^12, grid = ceil(rows / 8), data = random[rows * 64], out = zeros[rows * 32]
__global__ void syndromes_of_bytes(const uint8_t* data, uint8_t* out, int rows) {
  __shared__ uint8_t power[512], logarithm[256];
  if (threadIdx.x == 0) {
    int v = 1;
    for (int k = 0; k < 255; ++k) {
      power[k] = power[k + 255] = v;
      logarithm[v] = k;
      v = v << 1 ^ (v & 128 ? 0x11d : 0);
    }
  }
  __syncthreads();
  const int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const uint8_t* p = data + row * 64;
  int sum = 0;
  for (int k = 0; k < 64; ++k) {
    if (sum) sum = power[logarithm[sum] + lane];
    sum ^= p[k];
  }
  out[row * 32 + lane] = sum;
}

// Hamming codes with a parity bit: 64 bits and eight of check; single errors are mended, double errors are
// told.
// warpscope memory_check_bits: block = 256, n = 2^17, grid = ceil(n / block), words = random[n], checks = random[n], mended = zeros[n], verdict = zeros[n]
__global__ void memory_check_bits(const uint64_t* words, const uint8_t* checks, uint64_t* mended,
                                  uint8_t* verdict, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint64_t mask[6] = {0xAAAAAAAAAAAAAAAAull, 0xCCCCCCCCCCCCCCCCull, 0xF0F0F0F0F0F0F0F0ull,
                            0xFF00FF00FF00FF00ull, 0xFFFF0000FFFF0000ull, 0xFFFFFFFF00000000ull};
  const uint64_t w = words[i];
  unsigned syndrome = 0;
#pragma unroll
  for (int k = 0; k < 6; ++k) syndrome |= (__popcll(w & mask[k]) & 1) << k;
  syndrome ^= checks[i] & 63;
  const unsigned odd = (__popcll(w) ^ checks[i] >> 7) & 1;
  if (odd) {
    mended[i] = w ^ 1ull << syndrome;
    verdict[i] = 1;
  } else {
    mended[i] = w;
    verdict[i] = syndrome ? 2 : 0;
  }
}

// Floats are predicted from the last two of their lane's column, and the differences' leading zero bytes
// counted.
// warpscope predicted_floats: block = (32, 4), n = 2^19, grid = ceil(n / 2048), in = random[n], out = zeros[n], widths = zeros[n / 16]
__global__ void predicted_floats(const float* in, uint32_t* out, uint8_t* widths, int n) {
  const int base = (blockIdx.x * 4 + threadIdx.y) * 512 + threadIdx.x;
  if (base >= n) return;
  float last = 0, before = 0;
  int most = 0;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    const float v = in[base + k * 32];
    const uint32_t rest = __float_as_uint(v) ^ __float_as_uint(2 * last - before);
    out[base + k * 32] = rest;
    most = max(most, 4 - __clz(rest) / 8);
    before = last;
    last = v;
  }
  widths[(blockIdx.x * 4 + threadIdx.y) * 32 + threadIdx.x] = most;
}

// Canonical Huffman codes are decoded with a table of ten bits; each thread decodes from its own bit of a
// window, to see where it lands.
// warpscope landing_places: block = 128, n = 2^15, grid = ceil(n / block), bits = random[n / 16 + 8], table = random[1024], ends = zeros[n], symbols = zeros[n]
__global__ void landing_places(const uint32_t* bits, const uint8_t* table, uint8_t* ends, uint8_t* symbols,
                               int n) {
  __shared__ uint8_t lengths[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) lengths[k] = 1 + table[k] % 10;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = i * 2;
  const int border = (at / 128 + 1) * 128;
  int count = 0;
  while (at < border) {
    const uint32_t window = __funnelshift_r(bits[at >> 5], bits[(at >> 5) + 1], at & 31);
    at += lengths[window & 1023];
    ++count;
  }
  ends[i] = at - border;
  symbols[i] = count;
}

// A matcher for one kilobyte: each thread finds the nearest earlier place with the same four bytes, through a
// table of last places.
// warpscope earlier_four_bytes: block = 256 fixed, pages = 264, grid = pages, data = random[pages * 1024 + 4] in 0..3, distance = zeros[pages * 1024]
__global__ void earlier_four_bytes(const uint8_t* data, uint16_t* distance) {
  __shared__ uint8_t page[1028];
  __shared__ int last[256];
  const int t = threadIdx.x;
  for (int k = t; k < 1028; k += 256) page[k] = data[blockIdx.x * 1024 + k];
  last[t] = -1;
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    const int at = round * 256 + t;
    const int key = page[at] | page[at + 1] << 2 | page[at + 2] << 4 | page[at + 3] << 6;
    const int found = last[key];
    __syncthreads();
    atomicMax(&last[key], at);
    distance[blockIdx.x * 1024 + at] = found < 0 ? 0 : at - found;
    __syncthreads();
  }
}
