// Texts: fields, numbers, tags, words.
#include <cstdint>

// Lines of CSV, 64 bytes each: where the commas outside quotes stand, at most eight a line; one thread a
// line.
// warpscope csv_field_starts: block = 64, lines = 2^14, grid = ceil(lines / block), text = random[lines * 64] in 32..50, starts = zeros[lines * 8], fields = zeros[lines]
__global__ void csv_field_starts(const char* text, uint8_t* starts, uint8_t* fields, int lines) {
  const int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  const char* at = text + line * 64;
  bool quoted = false;
  int count = 0;
  for (int k = 0; k < 64 && count < 8; ++k) {
    switch (at[k]) {
      case '"':
        quoted = !quoted;
        break;
      case ',':
        if (!quoted) starts[line * 8 + count++] = k + 1;
        break;
      default:
        break;
    }
  }
  fields[line] = count;
}

// Decimal numbers with a fraction are read from records of 12 characters that may hold sign, digits, and one
// dot.
// warpscope read_decimals: block = 256, n = 2^16, grid = ceil(n / block), text = random[n * 12] in 44..57, out = zeros[n]
__global__ void read_decimals(const char* __restrict__ text, double* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char *p = text + i * 12, *end = p + 12;
  const bool minus = *p == '-';
  if (minus) ++p;
  long long digits = 0;
  int exponent = 0;
  bool fraction = false;
  while (p < end) {
    const char c = *p++;
    if (c >= '0' && c <= '9') {
      digits = digits * 10 + (c - '0');
      if (fraction) --exponent;
    } else if (c == '.' && !fraction) {
      fraction = true;
    } else {
      break;
    }
  }
  double scale = 1;
  for (; exponent < 0; ++exponent) scale *= 10;
  const double v = double(digits) / scale;
  out[i] = minus ? -v : v;
}

// Upper case for the first letter of each word, lower for others; four bytes a thread, the byte before from
// the neighbouring lane.
// warpscope title_case: block = 256, n = 2^20, grid = ceil(n / 4 / block), text = u8 random[n] in 60..127, out = u8 zeros[n]
__global__ void title_case(const uchar4* text, uchar4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool inside = i < n / 4;
  const uchar4 c = inside ? text[i] : make_uchar4(0, 0, 0, 0);
  unsigned before = __shfl_up_sync(~0u, unsigned(c.w), 1);
  if (threadIdx.x % 32 == 0) before = i > 0 && inside ? text[i - 1].w : 32;
  if (!inside) return;
  auto letter = [](unsigned v) { return (v | 32) - 'a' < 26u; };
  auto cased = [&](unsigned past, unsigned v) -> unsigned char {
    if (!letter(v)) return v;
    return letter(past) ? v | 32 : v & ~32u;
  };
  out[i] = make_uchar4(cased(before, c.x), cased(c.x, c.y), cased(c.y, c.z), cased(c.z, c.w));
}

// Trigrams of texts become a signature of 64 bits by votes (a simhash); a warp a text of 256 letters.
// warpscope trigram_simhash: block = 128, texts = 1024, grid = texts / 4, text = random[texts * 256 + 4] in 97..122, out = zeros[texts]
__global__ void trigram_simhash(const uint8_t* text, unsigned long long* out, int texts) {
  const int lane = threadIdx.x & 31, which = blockIdx.x * 4 + (threadIdx.x >> 5);
  if (which >= texts) return;
  const uint8_t* p = text + which * 256;
  int low = 0, high = 0;
  for (int start = 0; start < 256; start += 32) {
    const int k = start + lane;
    unsigned long long h = p[k] | p[k + 1] << 8 | p[k + 2] << 16;
    h *= 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9ull;
    h ^= h >> 32;
    const unsigned a = unsigned(h), b = unsigned(h >> 32);
#pragma unroll 8
    for (int bit = 0; bit < 32; ++bit) {
      const int in_low = __popc(__ballot_sync(~0u, a >> bit & 1)),
                in_high = __popc(__ballot_sync(~0u, b >> bit & 1));
      if (lane == bit) low += 2 * in_low - 32, high += 2 * in_high - 32;
    }
  }
  const unsigned l = __ballot_sync(~0u, low > 0), h = __ballot_sync(~0u, high > 0);
  if (lane == 0) out[which] = (unsigned long long)h << 32 | l;
}

// Depth of tags at each character of a page: '<' opens, '>' closes, a scan over the block; sixteen characters
// a thread.
// warpscope tag_depths: block = 256 fixed, pages = 128, grid = pages, text = u8 random[pages * 4096] in 58..66, depth = zeros[pages * 4096]
__global__ void tag_depths(const uint4* text, int16_t* depth) {
  __shared__ int of_warp[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const uint4 quad = text[blockIdx.x * 256 + t];
  const uint32_t word[4] = {quad.x, quad.y, quad.z, quad.w};
  int running[16], sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const unsigned c = word[k / 4] >> k % 4 * 8 & 255;
    sum += (c == '<') - (c == '>');
    running[k] = sum;
  }
  int v = sum;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) of_warp[warp] = v;
  __syncthreads();
  int base = v - sum;
  for (int w = 0; w < warp; ++w) base += of_warp[w];
#pragma unroll
  for (int k = 0; k < 16; ++k) depth[blockIdx.x * 4096 + t * 16 + k] = base + running[k];
}

// Jaro's similarity of pairs of names of up to 16 letters, flags in bit masks.
// warpscope jaro_names: block = 128, n = 2^14, grid = ceil(n / block), a = random[n * 16] in 97..108, b = random[n * 16]:3 in 97..108, out = zeros[n]
__global__ void jaro_names(const char* a, const char* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char *s = a + i * 16, *t = b + i * 16;
  const int ls = 9 + (s[0] & 7), lt = 9 + (t[0] & 7), reach = max(ls, lt) / 2 - 1;
  unsigned used_s = 0, used_t = 0;
  for (int p = 0; p < ls; ++p) {
    const int from = max(0, p - reach), to = min(lt - 1, p + reach);
    for (int q = from; q <= to; ++q)
      if (!(used_t >> q & 1) && s[p] == t[q]) {
        used_t |= 1u << q;
        used_s |= 1u << p;
        break;
      }
  }
  const int m = __popc(used_s);
  if (m == 0) {
    out[i] = 0;
    return;
  }
  int swapped = 0;
  for (unsigned us = used_s, ut = used_t; us; us &= us - 1, ut &= ut - 1)
    swapped += s[__ffs(us) - 1] != t[__ffs(ut) - 1];
  out[i] = (float(m) / ls + float(m) / lt + (m - swapped * 0.5f) / m) / 3;
}

__device__ __noinline__ long long days_before(int year, int month, int day) {
  year -= month <= 2;
  const int era = year / 400, of_era = year - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097ll + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// Dates such as 2024-07-31T23:59:58 (here any digits) become seconds, or -1 where a field is out of its
// range.
// warpscope stamps_to_seconds: block = 256, n = 2^16, grid = ceil(n / block), text = u8 random[n * 20] in 48..50, out = zeros[n]
__global__ void stamps_to_seconds(const uint32_t* text, long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char c[20];
  for (int k = 0; k < 5; ++k) *reinterpret_cast<uint32_t*>(&c[4 * k]) = text[i * 5 + k];
  auto two = [&](int at) { return (c[at] - '0') * 10 + c[at + 1] - '0'; };
  const int year = two(0) * 100 + two(2), month = two(5), day = two(8), hour = two(11), minute = two(14),
            second = two(17);
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23) {
    out[i] = -1;
    return;
  }
  out[i] = days_before(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
}

// Several needles at once: an automaton with classes of letters, its table in shared memory; each thread
// walks a stretch that overlaps the next.
// warpscope needle_automaton: block = 128, n = 2^19, grid = ceil(n / 64 / block), text = random[n + 16], table = random[64 * 16] in 0..63, hits = zeros[n / 64]
__global__ void needle_automaton(const uint8_t* text, const uint8_t* table, uint16_t* hits, int n) {
  __shared__ uint8_t next[64 * 16];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) next[k] = table[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * 64 >= n) return;
  int state = 0, found = 0;
  for (int k = 0; k < 64 + 16; ++k) {
    state = next[state * 16 + (text[i * 64 + k] & 15)];
    found += state >= 60;
  }
  hits[i] = found;
}
