// Coders and decoders of bits.
#include <cstdint>

// A reader of bits, the most significant first, out of words of 32 bits.
struct BitSource {
  const uint32_t* words;
  uint64_t held = 0;
  int bits = 0;
  __device__ explicit BitSource(const uint32_t* from) : words(from) {}
  __device__ uint32_t peek32() {
    if (bits < 32) {
      held |= static_cast<uint64_t>(*words++) << (32 - bits);
      bits += 32;
    }
    return held >> 32;
  }
  __device__ void skip(int count) {
    held <<= count;
    bits -= count;
  }
};

// Rice codes with a parameter that follows the values, as in lossless sound: one stream a thread.
// warpscope rice_followed: block = 64, streams = 2^12, grid = ceil(streams / block), in = u32 random[streams * 40], out = s32 zeros[streams * 32]
__global__ void rice_followed(const uint32_t* in, int* out, int streams) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams) return;
  BitSource source(in + s * 40);
  int mean = 64, k = 3;
  for (int i = 0; i < 32; ++i) {
    const uint32_t ahead = source.peek32();
    const int unary = min(__clz(ahead), 15);
    source.skip(unary + 1);
    const uint32_t rest = source.peek32() >> (32 - k);
    source.skip(k);
    const uint32_t folded = unary << k | rest;
    out[i * streams + s] = (folded >> 1) ^ -(folded & 1);
    mean += (static_cast<int>(folded) * 16 - mean) >> 2;
    k = max(1, min(12, 27 - __clz(max(mean, 1))));
  }
}

// A range decoder of binary decisions whose chances adapt, 96 decisions a thread with 16 contexts in local
// memory.
// warpscope adaptive_decisions: block = 96, streams = 2^12, grid = ceil(streams / block), in = u8 random[streams * 96], out = u32 zeros[streams * 3]
__global__ void adaptive_decisions(const uint8_t* in, uint32_t* out, int streams) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams) return;
  uint16_t chance[16];
#pragma unroll
  for (int c = 0; c < 16; ++c) chance[c] = 1024;
  const uint8_t* at = in + s * 96;
  const uint8_t* const end = at + 96;
  uint32_t range = 0xFFFFFFFFu, code = 0, context = 0;
  for (int k = 0; k < 4; ++k) code = code << 8 | *at++;
  for (int w = 0; w < 3; ++w) {
    uint32_t bits = 0;
    for (int k = 0; k < 32; ++k) {
      const uint32_t p = chance[context & 15], bound = (range >> 11) * p;
      uint32_t bit;
      if (code < bound) {
        range = bound;
        chance[context & 15] = p + ((2048 - p) >> 5);
        bit = 0;
      } else {
        code -= bound;
        range -= bound;
        chance[context & 15] = p - (p >> 5);
        bit = 1;
      }
      if (range < 1u << 24) {
        range <<= 8;
        code = code << 8 | (at < end ? *at++ : 0);
      }
      context = context << 1 | bit;
      bits = bits << 1 | bit;
    }
    out[w * streams + s] = bits;
  }
}

// Asymmetric numeral systems: 32 interleaved states a warp, 12-bit frequencies, words drawn in the order of
// the lanes that need one.
// warpscope lane_numerals: block = 128 fixed, chunks = 1024, grid = chunks / 4, slots = u16 random[4096], words = u16 random[chunks * 2048], out = u8 zeros[chunks * 1024]
__global__ void lane_numerals(const uint16_t* slots, const uint16_t* words, uint8_t* out, int chunks) {
  __shared__ uint8_t symbols[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) symbols[k] = slots[k] & 15;
  __syncthreads();
  const int lane = threadIdx.x % 32, chunk = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (chunk >= chunks) return;
  const uint16_t* at = words + chunk * 2048;
  uint32_t state = 0x10000u | at[lane];
  at += 32;
  for (int k = 0; k < 32; ++k) {
    const uint32_t slot = state & 4095, symbol = symbols[slot];
    out[chunk * 1024 + k * 32 + lane] = symbol;
    state = 256 * (state >> 12) + (slot & 255);
    const bool hungry = state < 0x10000u;
    const unsigned those = __ballot_sync(~0u, hungry);
    if (hungry) state = state << 16 | at[__popc(those & ((1u << lane) - 1))];
    at += __popc(those);
  }
}

// Bytes moved to the front: each thread has its own list of 32 symbols in shared memory.
// warpscope front_places: block = 64 fixed, rows = 2^12, grid = rows / 64, in = u8 random[rows * 48], out = u8 zeros[rows * 48]
__global__ void front_places(const uint8_t* __restrict__ in, uint8_t* __restrict__ out, int rows) {
  __shared__ uint8_t list[32][68];
  const int t = threadIdx.x, r = blockIdx.x * 64 + t;
  for (int k = 0; k < 32; ++k) list[k][t] = k;
  if (r >= rows) return;
  for (int i = 0; i < 48; ++i) {
    const uint8_t c = in[i * rows + r] % 32 & in[i * rows + (r ^ 1)];
    uint8_t carried = list[0][t];
    int place = 0;
    while (carried != c) {
      ++place;
      const uint8_t next = list[place][t];
      list[place][t] = carried;
      carried = next;
    }
    list[0][t] = c;
    out[i * rows + r] = place;
  }
}

// Dictionary codes of Lempel, Ziv and Welch decoded: the table of a stream is built in local memory, words
// are written from their ends.
// warpscope grown_dictionary: block = 32, streams = 1024, grid = streams / block, codes = u16 random[streams * 64], out = u8 zeros[streams * 1024], lengths = s32 zeros[streams]
__global__ void grown_dictionary(const uint16_t* codes, uint8_t* out, int* lengths, int streams) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams) return;
  uint8_t before[128], last[128], size[128];
  for (int k = 0; k < 16; ++k) before[k] = 255, last[k] = k, size[k] = 1;
  int known = 16, written = 0, previous = -1;
  uint8_t* to = out + s * 1024;
  for (int k = 0; k < 64; ++k) {
    const int code = codes[s * 64 + k] % known;
    const int length = size[code];
    if (written + length > 1024) break;
    int at = code;
    for (int p = length - 1; p >= 0; --p) {
      to[written + p] = last[at];
      at = before[at];
    }
    if (previous >= 0 && known < 128) {
      before[known] = previous;
      last[known] = to[written];
      size[known] = size[previous] + 1;
      ++known;
    }
    previous = code;
    written += length;
  }
  lengths[s] = written;
}

// Selectors of four bits say how 60 bits of a word are shared among integers; a warp unpacks 32 words, their
// places by a scan.
// warpscope selected_widths: block = 128, words = 2^15, grid = words / block, in = u64 random[words], out = u32 zeros[words * 60], counts = s32 zeros[words / 32]
__global__ void selected_widths(const uint64_t* in, uint32_t* out, int* counts, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= words) return;
  uint64_t v = in[i];
  int width;
  switch (v >> 61) {
    case 0:
      width = 30;
      break;
    case 1:
      width = 20;
      break;
    case 2:
      width = 15;
      break;
    case 3:
      width = 12;
      break;
    case 4:
      width = 10;
      break;
    case 5:
      width = 6;
      break;
    case 6:
      width = 5;
      break;
    default:
      width = 4;
      break;
  }
  const int count = 60 / width;
  int place = count;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(~0u, place, d);
    if (lane >= d) place += other;
  }
  if (lane == 31) counts[i / 32] = place;
  uint32_t* to = out + i / 32 * 32 * 60 + place - count;
  const uint64_t mask = (1ull << width) - 1;
  for (int k = 0; k < count; ++k, v >>= width) to[k] = v & mask;
}

// Seven bits with three of parity for each four: extended Hamming codes are corrected, double errors counted.
// warpscope corrected_nibbles: block = 256, n = 2^17, grid = n / (4 * block), in = u32 random[n / 4], out = u16 zeros[n / 4], doubles = zeros[1]
__global__ void corrected_nibbles(const uint32_t* in, uint16_t* out, int* doubles, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  const uint32_t four = in[i];
  uint16_t result = 0;
  int lost = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    uint32_t c = four >> 8 * k & 255;
    const uint32_t syndrome =
        (__popc(c & 0xAA) & 1) | (__popc(c & 0xCC) & 1) << 1 | (__popc(c & 0xF0) & 1) << 2;
    const bool odd = __popc(c) & 1;
    if (odd)
      c ^= 1u << syndrome;
    else if (syndrome)
      ++lost;
    result |= ((c >> 3 & 1) | (c >> 4 & 14)) << 4 * k;
  }
  out[i] = result;
  const int all = __reduce_add_sync(__activemask(), lost);
  if (threadIdx.x % 32 == 0 && all) atomicAdd(doubles, all);
}

// The word at a rank of an Elias-Fano list: a search over counts of blocks, then select in a word by halves.
// warpscope ranked_monotone: block = 128 fixed, queries = 2^15, words = 4096, grid = queries / block, upper = u32 random[words], lower = u8 random[words * 32], ranks = u32 random[queries], out = zeros[queries]
__global__ void ranked_monotone(const uint32_t* __restrict__ upper, const uint8_t* lower,
                                const uint32_t* ranks, uint32_t* out, int queries, int words) {
  __shared__ uint32_t sums[129];
  const int t = threadIdx.x, per = words / 128;
  if (t < 128) {
    uint32_t sum = 0;
    const uint4* four = reinterpret_cast<const uint4*>(upper + t * per);
    for (int k = 0; k < per / 4; ++k) {
      const uint4 w = four[k];
      sum += __popc(w.x) + __popc(w.y) + __popc(w.z) + __popc(w.w);
    }
    sums[t + 1] = sum;
  }
  if (t == 0) sums[0] = 0;
  __syncthreads();
  if (t == 0)
    for (int k = 1; k <= 128; ++k) sums[k] += sums[k - 1];
  __syncthreads();
  const int q = blockIdx.x * blockDim.x + t;
  if (q >= queries) return;
  const uint32_t rank = ranks[q] % sums[128];
  int low = 0;
#pragma unroll
  for (int step = 64; step > 0; step /= 2)
    if (sums[low + step] <= rank) low += step;
  int left = rank - sums[low], word = low * per;
  for (int c; left >= (c = __popc(upper[word])); ++word) left -= c;
  uint32_t bits = upper[word];
  while (left-- > 0) bits &= bits - 1;
  const uint32_t place = word * 32 + __ffs(bits) - 1;
  out[q] = (place - rank) << 8 | lower[rank];
}
