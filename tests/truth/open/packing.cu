// Compression and coding.

#include <cuda_fp16.h>

#include <cstdint>

// Differences of neighbouring integers packed 32 at a time: a warp writes the width and as many bit planes.
// warpscope delta_planes: block = 128, n = 2^18, grid = ceil(n / block), values = random[n] in 0..5000, planes = zeros[n], widths = zeros[n / 32]
__global__ void delta_planes(const int* __restrict__ values, uint32_t* planes, uint8_t* widths, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  if ((i & ~31) >= n) return;
  int v = values[i], before = __shfl_up_sync(0xffffffffu, v, 1);
  int difference = lane ? v - before : v;
  uint32_t zigzag = difference << 1 ^ difference >> 31;
  int width = 32 - __clz(__reduce_or_sync(0xffffffffu, zigzag));
  uint32_t mine = 0;
  for (int bit = 0; bit < width; ++bit) {
    uint32_t plane = __ballot_sync(0xffffffffu, zigzag >> bit & 1);
    if (lane == bit) mine = plane;
  }
  if (lane < width) planes[(i & ~31) + lane] = mine;
  if (lane == 0) widths[i >> 5] = width;
}

// Integers of one to five bytes, read from a stream of 64 bytes by each thread.
// warpscope continued_integers: block = 64, n = 2^14, grid = ceil(n / block), stream = random[n * 64], sums = zeros[n], counts = zeros[n]
__global__ void continued_integers(const unsigned char* stream, unsigned long long* sums, int* counts,
                                   int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char* at = stream + (size_t)i * 64;
  const unsigned char* end = at + 64;
  unsigned long long sum = 0;
  int count = 0;
  while (at < end) {
    unsigned value = 0;
    int shift = 0;
    while (at < end) {
      unsigned b = *at++;
      value |= (b & 127) << shift;
      if (b < 128) break;
      shift = min(shift + 7, 28);
    }
    sum += value;
    ++count;
  }
  sums[i] = sum;
  counts[i] = count;
}

// The longest earlier occurrence of what follows, for each place of a block's window of 512 bytes.
// warpscope matches_before: block = 256 fixed, grid = 132, text = random[132 * 512] in 97..99, match = zeros[132 * 512]
__global__ void matches_before(const unsigned char* text, ushort2* match) {
  __shared__ unsigned char window[512 + 16];
  for (int k = threadIdx.x; k < 528; k += 256) window[k] = k < 512 ? text[blockIdx.x * 512 + k] : 0;
  __syncthreads();
  for (int at = threadIdx.x; at < 512; at += 256) {
    int best = 2, where = 0;
    for (int from = max(0, at - 96); from < at; ++from) {
      if (window[from + best] != window[at + best] || window[from] != window[at]) continue;
      int length = 0;
      while (length < 15 && window[from + length] == window[at + length]) ++length;
      if (length > best) {
        best = length;
        where = at - from;
        if (length == 15) break;
      }
    }
    match[blockIdx.x * 512 + at] = make_ushort2(best, where);
  }
}

// Runs of equal bytes of 1024 samples a block: heads are found, numbered by a scan and written with their
// lengths.
// warpscope runs_of_samples: block = 1024 fixed, grid = 200, samples = random[200 * 1024] in 0..2, runs = zeros[200 * 1024], found = zeros[200]
__global__ void runs_of_samples(const int8_t* samples, short2* runs, int* found) {
  __shared__ short starts[1025];
  __shared__ int warps[32];
  const int t = threadIdx.x, lane = t % 32, at = blockIdx.x * 1024 + t;
  const int8_t mine = samples[at];
  const bool head = t == 0 || samples[at - 1] != mine;
  const unsigned heads = __ballot_sync(~0u, head);
  if (lane == 0) warps[t / 32] = __popc(heads);
  __syncthreads();
  if (t < 32) {
    int count = warps[t], sum = count;
    for (int d = 1; d < 32; d += d) {
      int other = __shfl_up_sync(~0u, sum, d);
      if (t >= d) sum += other;
    }
    warps[t] = sum - count;
    if (t == 31) {
      found[blockIdx.x] = sum;
      starts[sum] = 1024;
    }
  }
  __syncthreads();
  const int number = warps[t / 32] + __popc(heads & ((1u << lane) - 1));
  if (head) starts[number] = t;
  __syncthreads();
  if (head) runs[blockIdx.x * 1024 + number] = make_short2(mine, starts[number + 1] - t);
}

// Prefix codes decoded with a table of eight bits; longer codes take a second look-up.
// warpscope prefix_decoder: block = 128, n = 2^14, grid = ceil(n / block), bits = random[n * 4], table = random[256], out = zeros[n * 32]
__global__ void prefix_decoder(const uint64_t* __restrict__ bits, const uint16_t* __restrict__ table,
                               uint8_t* out, int n) {
  __shared__ uint16_t quick[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) quick[k] = table[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t window = bits[i];
  int have = 64, next = 1, made = 0;
  while (made < 32) {
    if (have < 16) {
      if (next >= 4) break;
      uint32_t more = bits[(size_t)next * n + i] >> (next & 1 ? 0 : 32);
      window |= (uint64_t)more << have;
      have += 32;
      ++next;
    }
    uint32_t entry = quick[window & 255];
    int length = 2 + (entry >> 8 & 7);
    if (length == 9) {
      entry = quick[window >> 8 & 255];
      length = 12;
    }
    out[(size_t)made * n + i] = entry;
    window >>= length;
    have -= length;
    ++made;
  }
}

// Each symbol becomes its place in a list from which it then moves to the front; sixteen symbols in a 64-bit
// word.
// warpscope front_mover: block = 64, n = 2^14, grid = ceil(n / block), symbols = random[n * 32] in 0..15, places = zeros[n * 32]
__global__ void front_mover(const unsigned char* symbols, unsigned char* places, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char order[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) order[k] = k;
  for (int k = 0; k < 32; ++k) {
    const unsigned char s = symbols[k * n + i] & 15;
    int place = 0;
    unsigned char carried = order[0];
    while (carried != s) {
      ++place;
      unsigned char next = order[place];
      order[place] = carried;
      carried = next;
    }
    order[0] = s;
    places[k * n + i] = place;
  }
}

// Series of doubles coded by the exclusive or with the value before: how many bits each series takes.
// warpscope xor_coded_series: block = 32, n = 4096, grid = ceil(n / block), length = 64, values = random[n * length] in 20..21, sizes = zeros[n]
__global__ void xor_coded_series(const double* values, int* sizes, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long before = __double_as_longlong(values[i]);
  int size = 64, leading = 65, trailing = 0;
  for (int k = 1; k < length; ++k) {
    long long now = __double_as_longlong(rint(values[k * n + i] * 64) / 64), x = now ^ before;
    before = now;
    if (x == 0) {
      size += 1;
      continue;
    }
    int l = min(__clzll(x), 31), t = __ffsll(x) - 1;
    if (l >= leading && t >= trailing) {
      size += 2 + 64 - leading - trailing;
    } else {
      leading = l, trailing = t;
      size += 13 + 64 - l - t;
    }
  }
  sizes[i] = size;
}

// Blocks of 64 halves become bytes with a common scale; the error is summed for the block.
// warpscope scaled_bytes: block = 256, n = 2^18, grid = ceil(n / (block * 2)), in = random[n] in -3..3, out = zeros[n], scales = zeros[n / 64], error = zeros[1]
__global__ void scaled_bytes(const __half2* in, char2* out, float* scales, float* error, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * (i & ~31) >= n) return;
  const float2 v = __half22float2(in[i]);
  float top = fmaxf(fabsf(v.x), fabsf(v.y));
  for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  const float inverse = top > 0 ? 127.0f / top : 0.0f, scale = top / 127.0f;
  const int x = __float2int_rn(v.x * inverse), y = __float2int_rn(v.y * inverse);
  out[i] = make_char2(x, y);
  float miss = fabsf(x * scale - v.x) + fabsf(y * scale - v.y);
  for (int d = 16; d; d >>= 1) miss += __shfl_down_sync(0xffffffffu, miss, d);
  if ((threadIdx.x & 31) == 0) {
    scales[i >> 5] = scale;
    atomicAdd(error, miss);
  }
}
