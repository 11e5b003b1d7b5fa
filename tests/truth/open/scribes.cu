// Programs that read and write characters.
#include <cstdint>

// Roman numerals of up to 15 letters to integers; those with a letter that is none give -1.
__device__ __forceinline__ int romanLetter(uint8_t c) {
  switch (c) {
    case 'I':
      return 1;
    case 'V':
      return 5;
    case 'X':
      return 10;
    case 'L':
      return 50;
    case 'C':
      return 100;
    case 'D':
      return 500;
    case 'M':
      return 1000;
    default:
      return 0;
  }
}
// warpscope roman_numerals: block = 128, n = 2^15, grid = ceil(n / block), seeds = u64 random[n], out = zeros[n]
__global__ void roman_numerals(const uint64_t* seeds, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t s = seeds[i];
  const int length = 3 + (s & 7);
  s >>= 3;
  int sum = 0, before = 0;
  for (int k = 0; k < length; ++k) {
    const uint8_t letter =
        static_cast<uint8_t>(0x4D44434C58564921ull >> ((s & 31) == 0 ? 0 : 8 * (1 + (s & 31) % 7)));
    s = s >> 5 | s << 59;
    const int v = romanLetter(letter);
    if (v == 0) {
      sum = -1;
      break;
    }
    sum += v > before ? v - 2 * before : v;
    before = v;
  }
  out[i] = sum;
}

// Which shift makes a secret text look most like English: the letters of each text are counted by a warp, and
// each lane tries a shift.
__constant__ float english[26] = {8.2f,  1.5f,  2.8f, 4.3f,  12.7f, 2.2f,  2.0f, 6.1f, 7.0f,
                                  0.15f, 0.77f, 4.0f, 2.4f,  6.7f,  7.5f,  1.9f, 0.1f, 6.0f,
                                  6.3f,  9.1f,  2.8f, 0.98f, 2.4f,  0.15f, 2.0f, 0.07f};
// warpscope caesar_shifts: block = 128 fixed, texts = 4096, grid = texts / 4, letters = u8 random[texts * 256], out = zeros[texts]
__global__ void caesar_shifts(const uint8_t* letters, int* out, int texts) {
  __shared__ int counts[4][32];
  __shared__ float usual[26];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, text = blockIdx.x * 4 + warp;
  if (threadIdx.x < 26) usual[threadIdx.x] = english[threadIdx.x] * 2.56f;
  counts[warp][lane] = 0;
  __syncthreads();
  if (text >= texts) return;
  const uchar4* words = reinterpret_cast<const uchar4*>(letters + text * 256);
  for (int k = lane; k < 64; k += 32) {
    const uchar4 w = words[k];
    atomicAdd(&counts[warp][w.x % 26], 1);
    atomicAdd(&counts[warp][w.y % 26], 1);
    atomicAdd(&counts[warp][w.z % 26], 1);
    atomicAdd(&counts[warp][w.w % 26], 1);
  }
  __syncwarp();
  float unlike = 1e30f;
  if (lane < 26) {
    unlike = 0;
    for (int c = 0, from = lane; c < 26; ++c, from = from == 25 ? 0 : from + 1) {
      const float d = counts[warp][from] - usual[c];
      unlike += d * d / usual[c];
    }
  }
  int shift = lane;
  for (int d = 16; d > 0; d /= 2) {
    const float other = __shfl_xor_sync(~0u, unlike, d);
    const int its = __shfl_xor_sync(~0u, shift, d);
    if (other < unlike || (other == unlike && its < shift)) unlike = other, shift = its;
  }
  if (lane == 0) out[text] = shift;
}

// Addresses like 192.168.7.1 printed to text of 16 bytes, without leading zeros.
__device__ inline int putOctet(char* to, unsigned v) {
  int length = 0;
  if (v >= 100) to[length++] = '0' + v / 100;
  if (v >= 10) to[length++] = '0' + v / 10 % 10;
  to[length++] = '0' + v % 10;
  return length;
}
// warpscope dotted_addresses: block = 256, n = 2^16, grid = ceil(n / block), addresses = random[n], out = u8 zeros[16 * n]
__global__ void dotted_addresses(const unsigned* addresses, uint4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned a = addresses[i];
  union {
    char text[16];
    uint4 words;
  } line;
  line.words = make_uint4(0, 0, 0, 0);
  int at = putOctet(line.text, a >> 24);
  for (int shift = 16; shift >= 0; shift -= 8) {
    line.text[at++] = '.';
    at += putOctet(line.text + at, a >> shift & 255);
  }
  out[i] = line.words;
}

// Percent-encoded text is decoded: a block counts with ballots which bytes remain, and writes them close
// together.
__device__ inline int hexDigit(int c) {
  return c <= '9' ? c - '0' : (c & 7) + 9;
}
// warpscope unescaped_addresses: block = 256 fixed, pages = 512, grid = pages, in = u8 random[pages * 256], out = u8 zeros[pages * 256], lengths = zeros[pages]
__global__ void unescaped_addresses(const uint8_t* in, uint8_t* out, int* lengths, int pages) {
  __shared__ uint8_t text[256 + 2];
  __shared__ int ends[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, page = blockIdx.x;
  if (page >= pages) return;
  const uint8_t raw = in[page * 256 + t];
  text[t + 2] = raw % 5 == 0 ? '%' : "0123456789ABCDEF"[raw / 5 % 16];
  if (t < 2) text[t] = ' ';
  __syncthreads();
  const uint8_t mine = text[t + 2];
  const bool escape = mine == '%' && t < 254 && text[t + 3] != '%' && text[min(t + 4, 257)] != '%';
  const bool swallowed = (text[t + 1] == '%' && mine != '%' && t < 255 && text[t + 3] != '%') ||
                         (text[t] == '%' && text[t + 1] != '%' && mine != '%' && t >= 2);
  const unsigned kept = __ballot_sync(~0u, !swallowed);
  if (lane == 0) ends[warp] = __popc(kept);
  __syncthreads();
  int before = 0, all = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) {
    before += w < warp ? ends[w] : 0;
    all += ends[w];
  }
  if (!swallowed)
    out[page * 256 + before + __popc(kept & ((1u << lane) - 1))] =
        escape ? hexDigit(text[t + 3]) * 16 + hexDigit(text[min(t + 4, 257)]) : mine;
  if (t == 0) lengths[page] = all;
}

// Where a file is cut into chunks for deduplication: a rolling gear hash over 64 bytes, its table in shared
// memory.
// warpscope gear_cuts: block = 256 fixed, n = 2^18, grid = n / 2048, gears = u64 random[256], bytes = u8 random[n], cuts = u32 zeros[n / 32]
__global__ void gear_cuts(const uint64_t* gears, const uint8_t* bytes, uint32_t* cuts, int n) {
  __shared__ uint64_t table[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = gears[k];
  __syncthreads();
  const int word = blockIdx.x * 64 + threadIdx.x / 4, part = threadIdx.x % 4, from = word * 32 + part * 8;
  if (from >= n) return;
  uint64_t hash = 0;
  for (int k = max(from - 64, 0); k < from; ++k) hash = (hash << 1) + table[bytes[k]];
  uint32_t bits = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    hash = (hash << 1) + table[bytes[from + k]];
    bits |= static_cast<uint32_t>((hash >> 55 & 63) == 0) << (part * 8 + k);
  }
  bits |= __shfl_xor_sync(~0u, bits, 1);
  bits |= __shfl_xor_sync(~0u, bits, 2);
  if (part == 0) cuts[word] = bits;
}

// How long the palindromes around each letter and each gap are, in a text of two letters.
// warpscope mirrored_words: block = 128, n = 2^16, grid = ceil(n / block), text = u8 random[n], out = u16 zeros[n]
__global__ void mirrored_words(const uint8_t* __restrict__ text, uint16_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int odd = 0, even = 0;
  while (i - odd > 0 && i + odd + 1 < n && (text[i - odd - 1] & 1) == (text[i + odd + 1] & 1)) ++odd;
  while (i - even > 0 && i + even < n && (text[i - even - 1] & 1) == (text[i + even] & 1)) ++even;
  out[i] = max(2 * odd + 1, 2 * even);
}

// Lines of paragraphs are broken so that the sum of squares of the room left is least: dynamic programming
// over 40 words.
// warpscope justified_lines: block = 64, paragraphs = 2^12, grid = ceil(paragraphs / block), words = u8 random[paragraphs * 40], out = zeros[paragraphs], width = 30
__global__ void justified_lines(const uint8_t* words, int* out, int paragraphs, int width) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paragraphs) return;
  int best[41];
  uint8_t length[40];
  for (int k = 0; k < 40; ++k) length[k] = 1 + words[k * paragraphs + p] % 11;
  best[40] = 0;
  for (int first = 39; first >= 0; --first) {
    int used = -1, least = 1 << 30;
    for (int last = first; last < 40; ++last) {
      used += length[last] + 1;
      if (used > width) break;
      const int room = last == 39 ? 0 : width - used;
      least = min(least, room * room + best[last + 1]);
    }
    best[first] = least;
  }
  out[p] = best[0];
}

// English endings taken off words of 12 letters, as stemmers do: -sses, -ies, -ing, -ed, -ly, -ation.
// warpscope stemmed_words: block = 160, n = 2^15, grid = ceil(n / block), seeds = random[n], out = u8 zeros[n * 12]
__global__ void stemmed_words(const unsigned* seeds, uint8_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint8_t w[12];
  unsigned s = seeds[i];
  for (int k = 0; k < 12; ++k, s = s * 1103515245u + 12345u) w[k] = "etaoinsrhldc"[(s >> 16) % 12];
  int length = 7 + (s >> 8) % 6;
  const char* endings[6] = {"sses", "ies", "ing", "ed", "ly", "ation"};
  const int sizes[6] = {4, 3, 3, 2, 2, 5};
  const int which = (s >> 20) & 7;
  if (which < 6)
    for (int k = 0; k < sizes[which]; ++k) w[length - sizes[which] + k] = endings[which][k];
  if (w[length - 1] == 's') {
    if (w[length - 2] == 'e' && w[length - 3] == 's')
      length -= 2;
    else if (w[length - 2] == 'e' && w[length - 3] == 'i')
      length -= 2;
    else if (w[length - 2] != 's')
      --length;
  } else if (w[length - 1] == 'g' && w[length - 2] == 'n' && w[length - 3] == 'i') {
    length -= 3;
    if (length > 3 && w[length - 1] == w[length - 2]) --length;
  } else if (w[length - 1] == 'd' && w[length - 2] == 'e') {
    bool vowel = false;
    for (int k = 0; k < length - 2; ++k) vowel |= w[k] == 'a' || w[k] == 'e' || w[k] == 'i' || w[k] == 'o';
    if (vowel) length -= 2;
  } else if (w[length - 1] == 'y' && w[length - 2] == 'l')
    length -= 2;
  else if (length > 6 && w[length - 1] == 'n' && w[length - 2] == 'o' && w[length - 3] == 'i')
    length -= 3, w[length - 1] = 'e';
  for (int k = 0; k < 12; ++k) out[i * 12 + k] = k < length ? w[k] : 0;
}
