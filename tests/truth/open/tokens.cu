// Text: parsing, printing, matching.

#include <cstdint>

// Nesting depth behind every character of lines of 512 bytes; a block scans a line, four characters a thread.
// warpscope nesting_of_lines: block = 128 fixed, grid = 600, text = random[600 * 512] in 88..126, depth = zeros[600 * 512], deepest = zeros[600]
__global__ void nesting_of_lines(const uchar4* __restrict__ text, char4* __restrict__ depth, int* deepest) {
  __shared__ int totals[4], most[4];
  auto step = [](unsigned char c) { return (c == '[' || c == '{') - (c == ']' || c == '}'); };
  const int at = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const uchar4 c = text[at];
  int a = step(c.x), b = a + step(c.y), d = b + step(c.z), e = d + step(c.w);
  int sum = e;
  for (int k = 1; k < 32; k <<= 1) {
    int other = __shfl_up_sync(0xffffffffu, sum, k);
    if (lane >= k) sum += other;
  }
  if (lane == 31) totals[warp] = sum;
  __syncthreads();
  int before = sum - e;
  for (int w = 0; w < warp; ++w) before += totals[w];
  a += before, b += before, d += before, e += before;
  depth[at] = make_char4(a, b, d, e);
  int top = __reduce_max_sync(0xffffffffu, max(max(a, b), max(d, e)));
  if (lane == 0) most[warp] = top;
  __syncthreads();
  if (threadIdx.x == 0) deepest[blockIdx.x] = max(max(most[0], most[1]), max(most[2], most[3]));
}

// The third comma-separated field of each row of 48 characters as a number.
// warpscope third_field: block = 64, rows = 20000, grid = ceil(rows / block), text = random[rows * 48] in 42..58, values = zeros[rows]
__global__ void third_field(const unsigned char* text, float* values, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const unsigned char* c = text + row * 48;
  const unsigned char* end = c + 48;
  int commas = 0;
  while (c < end && commas < 2) commas += *c++ == ',';
  bool negative = c < end && *c == '-';
  if (negative) ++c;
  float value = 0, scale = 1;
  bool fraction = false;
  for (; c < end && *c != ','; ++c) {
    if (*c == '.') {
      fraction = true;
    } else if (*c >= '0' && *c <= '9') {
      value = value * 10 + (*c - '0');
      if (fraction) scale *= 10;
    } else {
      break;
    }
  }
  values[row] = (negative ? -value : value) / scale;
}

// Checks strings of 32 bytes for being UTF-8, with a state machine of a switch.
// warpscope wellformed_utf8: block = 128, n = 2^15, grid = ceil(n / block), bytes = random[n * 32], lengths = zeros[n]
__global__ void wellformed_utf8(const uint4* __restrict__ bytes, unsigned char* lengths, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t words[8];
  *reinterpret_cast<uint4*>(words) = bytes[2 * i];
  *reinterpret_cast<uint4*>(words + 4) = bytes[2 * i + 1];
  int state = 0, characters = 0, bad = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    uint32_t c = words[k / 4] >> k % 4 * 8 & 255;
    switch (state) {
      case 0:
        if (c >= 0xf0)
          state = 3;
        else if (c >= 0xe0)
          state = 2;
        else if (c >= 0xc0)
          state = 1;
        else if (c >= 0x80)
          ++bad;
        ++characters;
        break;
      default:
        if ((c & 0xc0) == 0x80)
          --state;
        else
          ++bad, state = 0;
    }
  }
  lengths[i] = bad > 20 ? 255 : characters;
}

// Does a name of 16 letters match a pattern with * and ?, with backtracking to the last star.
// warpscope glob_names: block = 256, n = 2^16, grid = ceil(n / block), names = random[n * 16] in 97..100, hits = zeros[n / 32 + 1]
__global__ void glob_names(const char* names, unsigned* hits, int n) {
  __shared__ char pattern[12];
  if (threadIdx.x < 12) pattern[threadIdx.x] = "*a?b*c*ad?*"[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool match = false;
  if (i < n) {
    const char* name = names + i * 16;
    int s = 0, p = 0, star = -1, mark = 0;
    while (s < 16) {
      char want = pattern[p];
      if (want == '*') {
        star = p++;
        mark = s;
      } else if (want == '?' || want == name[s]) {
        ++p, ++s;
      } else if (star >= 0) {
        p = star + 1;
        s = ++mark;
      } else {
        break;
      }
    }
    while (pattern[p] == '*') ++p;
    match = s == 16 && pattern[p] == 0;
  }
  unsigned ballot = __ballot_sync(0xffffffffu, match);
  if ((threadIdx.x & 31) == 0 && i < n) hits[i / 32] = ballot;
}

// Edit distances of a pattern of 32 letters to words, with bit-parallel columns.
// warpscope bitwise_edits: block = 128, n = 2^14, grid = ceil(n / block), pattern = random[32] in 0..7, words = random[n * 48] in 0..7, distance = zeros[n]
__global__ void bitwise_edits(const unsigned char* pattern, const unsigned char* words,
                              unsigned short* distance, int n) {
  __shared__ unsigned where[8];
  if (threadIdx.x < 8) {
    unsigned mask = 0;
    for (int k = 0; k < 32; ++k) mask |= (unsigned)((pattern[k] & 7) == threadIdx.x) << k;
    where[threadIdx.x] = mask;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned plus = ~0u, minus = 0;
  int score = 32;
  for (int k = 0; k < 48; ++k) {
    unsigned equal = where[words[k * n + i] & 7];
    unsigned vertical = equal | minus;
    unsigned horizontal = (((equal & plus) + plus) ^ plus) | equal;
    unsigned ph = minus | ~(horizontal | plus), mh = plus & horizontal;
    score += (int)(ph >> 31) - (int)(mh >> 31);
    ph = ph << 1 | 1;
    mh <<= 1;
    plus = mh | ~(vertical | ph);
    minus = ph & vertical;
  }
  distance[i] = score;
}

__constant__ char soundGroups[27] = "01230120022455012623010202";
// The sound code (a letter and three digits) of names.
// warpscope sound_codes: block = 192, n = 50000, grid = ceil(n / block), names = random[n * 12] in 97..122, codes = zeros[n]
__global__ void sound_codes(const unsigned char* __restrict__ names, char4* codes, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    char digits[3] = {'0', '0', '0'};
    unsigned first = names[12 * i] - 'a';
    char last = soundGroups[min(first, 25u)];
    int found = 0;
    for (int k = 1; k < 12 && found < 3; ++k) {
      unsigned c = names[12 * i + k] - 'a';
      char group = soundGroups[min(c, 25u)];
      if (group != '0' && group != last) digits[found++] = group;
      last = group;
    }
    codes[i] = make_char4('A' + first, digits[0], digits[1], digits[2]);
  }
}

// Numbers printed in decimal, right-aligned in eleven characters.
// warpscope printed_integers: block = 256, n = 2^16, grid = ceil(n / block), values = random[n], text = zeros[n * 11]
__global__ void printed_integers(const int* values, char* text, int n) {
  __shared__ char lines[256 * 11];
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    int v = values[i] >> (i & 15);
    unsigned rest = v < 0 ? 0u - v : v;
    int at = threadIdx.x * 11 + 10;
    do {
      lines[at--] = '0' + rest % 10;
      rest /= 10;
    } while (rest);
    if (v < 0) lines[at--] = '-';
    while (at >= (int)threadIdx.x * 11) lines[at--] = ' ';
  }
  __syncthreads();
  int count = min(256, n - (int)blockIdx.x * 256) * 11;
  for (int k = threadIdx.x; k < count; k += 256) text[blockIdx.x * 2816 + k] = lines[k];
}
