// Texts, formats and compression.

// Lines of twelve characters to numbers: some that are skipped, a sign (here a 5), digits.
// warpscope parse_numbers: block = 128, lines = 80000, grid = ceil(lines / block), text = random[12 * lines] in 46..57, out = zeros[lines]
__global__ void parse_numbers(const char* text, int* out, int lines) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines) return;
  const char* line = text + 12 * i;
  int at = 0, value = 0;
  while (at < 12 && line[at] < '2') ++at;
  const bool negative = at < 12 && line[at] == '5';
  for (; at < 12 && line[at] >= '0' && value < 100000000; ++at) value = value * 10 + (line[at] - '0');
  out[i] = negative ? -value : value;
}

// How deep brackets are nested at each character of a block's text.
// warpscope bracket_depth: block = 512, n = 600000, grid = ceil(n / block), text = random[n] in 88..97, out = zeros[n]
__global__ void bracket_depth(const char* text, short* out, int n) {
  __shared__ int of_warp[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const char here = i < n ? text[i] : ' ';
  const unsigned opened = __ballot_sync(0xFFFFFFFF, here == '['),
                 closed = __ballot_sync(0xFFFFFFFF, here == ']');
  if (lane == 0) of_warp[warp] = __popc(opened) - __popc(closed);
  __syncthreads();
  int depth = 0;
  for (int w = 0; w < warp; ++w) depth += of_warp[w];
  const unsigned up_to_here = 0xFFFFFFFFu >> (31 - lane);
  depth += __popc(opened & up_to_here) - __popc(closed & up_to_here);
  if (i < n) out[i] = depth;
}

// The longest match of what follows with something in the 64 bytes before.
// warpscope longest_match: block = 256 fixed, n = 2^16, grid = n / 256, data = random[n + 320] in 0..3, out = zeros[n]
__global__ void longest_match(const unsigned char* data, uchar2* out) {
  __shared__ unsigned char window[64 + 256 + 16];
  const int first = blockIdx.x * 256;
  for (int k = threadIdx.x; k < 336; k += 256) window[k] = k < 320 ? data[first + k] : 255;
  __syncthreads();
  const int here = 64 + threadIdx.x;
  int best = 0, distance = 0;
  for (int back = 1; back <= 64; ++back) {
    int length = 0;
    while (length < 15 && window[here + length] == window[here - back + length]) ++length;
    if (length > best) best = length, distance = back;
  }
  out[first + threadIdx.x] = make_uchar2(best, distance);
}

// Prefix codes of two to eight bits: a thread decodes its own 32 bytes by a table.
// warpscope prefix_codes: block = 64, streams = 8000, grid = ceil(streams / block), table = random[256], in = random[8 * streams], out = zeros[128 * streams]
__global__ void prefix_codes(const unsigned char* table, const unsigned* in, unsigned char* out,
                             int streams) {
  __shared__ unsigned char local[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) local[k] = table[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= streams) return;
  unsigned long long bits = 0;
  int held = 0, word = 0, written = 0;
  for (;;) {
    if (held < 8) {
      if (word == 8) break;
      bits |= static_cast<unsigned long long>(in[8 * i + word++]) << held;
      held += 32;
    }
    const unsigned char symbol = local[bits & 255];
    const int length = 2 + symbol % 7;
    bits >>= length;
    held -= length;
    out[128 * i + written++] = symbol;
  }
}

// Each thread writes the runs that fall to it: their lengths differ.
// warpscope expand_runs: block = 192 fixed, runs = 60000, grid = ceil(runs / block), lengths = random[runs] in 1..8, values = random[runs], out = zeros[9 * runs]
__global__ void expand_runs(const unsigned char* lengths, const unsigned char* values, unsigned char* out,
                            int runs) {
  __shared__ int sums[2][192];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  const int length = i < runs ? lengths[i] : 0;
  int from = 0;
  sums[0][t] = length;
  __syncthreads();
  for (int d = 1; d < 192; d *= 2) {
    sums[1 - from][t] = sums[from][t] + (t >= d ? sums[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  unsigned char* to = out + blockIdx.x * blockDim.x * 9 + sums[from][t] - length;
  for (int k = 0; k < length; ++k) to[k] = values[i];
}

// Search that skips ahead by a table: each thread has 256 characters.
// warpscope skip_search: block = 96, pieces = 6000, grid = ceil(pieces / block), text = random[256 * pieces + 8] in 97..104, word = random[8]:4 in 97..104, out = zeros[pieces]
__global__ void skip_search(const char* text, const char* word, int* out, int pieces) {
  __shared__ int skip[256];
  __shared__ char letters[8];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) skip[k] = 8;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 0; k < 8; ++k) letters[k] = word[k];
    for (int k = 0; k < 7; ++k) skip[static_cast<unsigned char>(word[k])] = 7 - k;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pieces) return;
  int found = 0;
  for (int at = 0; at < 256;) {
    const char* here = text + 256 * i + at;
    int k = 7;
    while (k >= 0 && here[k] == letters[k]) --k;
    found += k < 0;
    at += skip[static_cast<unsigned char>(here[7])];
  }
  out[i] = found;
}

// An automaton of 64 states in shared memory, over pieces of the text.
// warpscope automaton: block = 128, pieces = 10000, grid = ceil(pieces / block), table = random[64 * 16] in 0..63, text = random[pieces * 16], out = zeros[pieces]
__global__ void automaton(const unsigned char* table, const unsigned* text, int* out, int pieces) {
  __shared__ unsigned char next[64 * 16];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) next[k] = table[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pieces) return;
  int state = 0, accepted = 0;
  for (int k = 0; k < 16; ++k) {
    unsigned word = text[k * pieces + i];
    for (int j = 0; j < 8; ++j) {
      state = next[state * 16 + (word & 15)];
      accepted += state > 60;
      word >>= 4;
    }
  }
  out[i] = accepted;
}

// Edit distances by words of bits, of patterns of up to 32 letters.
// warpscope distance_bits: block = 160, n = 20000, grid = ceil(n / block), patterns = random[32 * n] in 0..3, texts = random[48 * n] in 0..3, out = zeros[n]
__global__ void distance_bits(const unsigned char* patterns, const unsigned char* texts, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned letters[4] = {};
  for (int k = 0; k < 32; ++k) {
    const unsigned char letter = patterns[32 * i + k];
#pragma unroll
    for (int j = 0; j < 4; ++j) letters[j] |= static_cast<unsigned>(letter == j) << k;
  }
  unsigned more = ~0u, less = 0;
  int distance = 32;
  for (int k = 0; k < 48; ++k) {
    const unsigned char letter = texts[48 * i + k];
    const unsigned equal =
        letter < 2 ? (letter == 0 ? letters[0] : letters[1]) : (letter == 2 ? letters[2] : letters[3]);
    const unsigned down = equal | less, across = (((equal & more) + more) ^ more) | equal;
    unsigned higher = less | ~(across | more), lower = more & across;
    distance += (higher >> 31) - (lower >> 31);
    higher = higher << 1 | 1;
    lower <<= 1;
    more = lower | ~(down | higher);
    less = higher & down;
  }
  out[i] = distance;
}

// Numbers of one to five bytes, of which seven bits each count.
// warpscope variable_bytes: block = 256, n = 100000, grid = ceil(n / block), in = random[8 * n], out = zeros[n]
__global__ void variable_bytes(const unsigned char* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned value = 0, byte = 128;
  for (int k = 0; k < 5 && byte >= 128; ++k) {
    byte = in[8 * i + k];
    value |= (byte & 127) << 7 * k;
  }
  out[i] = value >> 1 ^ (0 - (value & 1));
}

// Differences of 32 neighbours packed into as few bits as the widest needs.
// warpscope pack_differences: block = 128, groups = 12000, grid = ceil(32 * groups / block), in = random[32 * groups] in 0..5000, out = zeros[32 * groups], widths = zeros[groups]
__global__ void pack_differences(const int* in, unsigned* out, unsigned char* widths, int groups) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, group = i / 32, lane = i % 32;
  if (group >= groups) return;
  const int value = in[i], before = __shfl_up_sync(0xFFFFFFFF, value, 1);
  const int difference = lane == 0 ? 0 : value - before;
  const unsigned coded = difference << 1 ^ difference >> 31;
  const int width = 32 - __clz(__reduce_or_sync(0xFFFFFFFF, coded));
  for (int bit = 0; bit < width; ++bit) {
    const unsigned plane = __ballot_sync(0xFFFFFFFF, coded >> bit & 1);
    if (lane == bit) out[group * 32 + bit] = plane;
  }
  if (lane == 0) widths[group] = width;
}

// Patterns with stars, which try again where they failed.
// warpscope wildcards: block = 128, n = 15000, grid = ceil(n / block), patterns = random[8 * n] in 97..100, names = random[24 * n]:3 in 97..99, out = zeros[n]
__global__ void wildcards(const char* patterns, const char* names, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char *pattern = patterns + 8 * i, *name = names + 24 * i;
  int p = 0, s = 0, star = -1, again = 0;
  bool matches = true;
  while (s < 24) {
    if (p < 8 && pattern[p] == 'd') {
      star = p++;
      again = s;
    } else if (p < 8 && pattern[p] == name[s]) {
      ++p;
      ++s;
    } else if (star >= 0) {
      p = star + 1;
      s = ++again;
    } else {
      matches = false;
      break;
    }
  }
  out[i] = matches && p == 8;
}
