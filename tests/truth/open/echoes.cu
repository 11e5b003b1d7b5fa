// Sound and radio: filters that adapt, loops that lock, decoders of convolutional and sparse codes.
#include <cstdint>

// A loop that locks on a carrier with four phases; each thread follows a channel of its own.
// warpscope four_phase_lock: block = 32, channels = 2048, length = 64, grid = ceil(channels / block), in = random[2 * channels * length] in -1..1, out = zeros[channels * length], state = zeros[2 * channels]
__global__ void four_phase_lock(const float2* in, unsigned char* out, float2* state, int channels,
                                int length) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float phase = state[c].x, speed = state[c].y;
  for (int k = 0; k < length; ++k) {
    const float2 v = in[k * channels + c];
    float s, co;
    __sincosf(phase, &s, &co);
    const float re = v.x * co + v.y * s, im = v.y * co - v.x * s;
    const float error = (re > 0 ? im : -im) - (im > 0 ? re : -re);
    speed += 0.001f * error;
    phase += speed + 0.05f * error;
    if (phase > 3.14159265f) phase -= 6.2831853f;
    if (phase < -3.14159265f) phase += 6.2831853f;
    out[k * channels + c] = (re > 0) | (im > 0) << 1;
  }
  state[c] = {phase, speed};
}

// Decodes a convolutional code of 64 states: a block of 64 threads a frame; metrics and decisions in shared
// memory.
// warpscope sixty_four_states: block = 64 fixed, frames = 528, grid = frames, soft = random[frames * 256] in -100..100, bits = zeros[frames * 4]
__global__ void sixty_four_states(const char2* soft, uint32_t* bits) {
  __shared__ int metric[2][64];
  __shared__ uint32_t survivor[128][2];
  __shared__ char2 symbols[128];
  const int t = threadIdx.x;
  symbols[t] = soft[blockIdx.x * 128 + t];
  symbols[t + 64] = soft[blockIdx.x * 128 + 64 + t];
  metric[0][t] = t == 0 ? 0 : -10000;
  const int a = __popc(t & 0x2d) & 1 ? -1 : 1, b = __popc(t & 0x39) & 1 ? -1 : 1;
  __syncthreads();
  for (int k = 0; k < 128; ++k) {
    const char2 v = symbols[k];
    const int branch = a * v.x + b * v.y;
    const int low = metric[k & 1][t >> 1] + branch, high = metric[k & 1][(t >> 1) + 32] - branch;
    const unsigned taken = __ballot_sync(~0u, high > low);
    if (t % 32 == 0) survivor[k][t / 32] = taken;
    metric[~k & 1][t] = max(low, high);
    __syncthreads();
  }
  if (t == 0) {
    int state = 0;
    for (int word = 3; word >= 0; --word) {
      uint32_t out = 0;
      for (int k = 31; k >= 0; --k) {
        out |= (uint32_t)(state & 1) << k;
        const int from = survivor[word * 32 + k][state >> 5] >> (state & 31) & 1;
        state = state >> 1 | from << 5;
      }
      bits[blockIdx.x * 4 + word] = out;
    }
  }
}

// The strength of eight tones in each stretch of sound, by the recursion of two values for each tone.
// warpscope eight_tone_strengths: block = 128, stretches = 4096, grid = ceil(stretches * 8 / block), in = random[stretches * 205] in -1..1, out = zeros[stretches * 8]
__global__ void eight_tone_strengths(const float* __restrict__ in, float* out, int stretches) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= stretches * 8) return;
  const float tones[8] = {697, 770, 852, 941, 1209, 1336, 1477, 1633};
  const float c = 2 * cosf(6.2831853f / 8000 * tones[i & 7]);
  float last = 0, before = 0;
  const float* x = in + (i >> 3) * 205;
#pragma unroll 5
  for (int k = 0; k < 205; ++k) {
    const float now = x[k] + c * last - before;
    before = last;
    last = now;
  }
  out[i] = last * last + before * before - c * last * before;
}

// Fewer samples: a filter of TAPS taps at every FACTORth sample, of interleaved shorts.
template <int TAPS, int FACTOR>
__device__ void thinned(const short2* in, const float* taps, float2* out, int n) {
  __shared__ short2 piece[128 * FACTOR + TAPS];
  const int base = blockIdx.x * 128 * FACTOR;
  for (int k = threadIdx.x; k < 128 * FACTOR + TAPS; k += blockDim.x)
    piece[k] = base + k < n ? in[base + k] : make_short2(0, 0);
  __syncthreads();
  float2 sum{0, 0};
#pragma unroll 8
  for (int k = 0; k < TAPS; ++k) {
    const short2 v = piece[threadIdx.x * FACTOR + k];
    sum.x += taps[k] * v.x;
    sum.y += taps[k] * v.y;
  }
  const int at = blockIdx.x * 128 + threadIdx.x;
  if (at * FACTOR < n) out[at] = sum;
}
// warpscope thinned_by_five: block = 128 fixed, n = 2^19, grid = ceil(n / 640), in = random[2 * n] in -3000..3000, taps = random[40] in -1..1, out = zeros[2 * grid.x * block.x]
__global__ void thinned_by_five(const short2* in, const float* taps, float2* out, int n) {
  thinned<40, 5>(in, taps, out, n);
}

// Sound of four bits a sample, each stream decoded by a thread; the step's size follows a table in constant
// memory.
__constant__ const signed char step_change[8] = {-1, -1, -1, -1, 2, 4, 6, 8};
// warpscope four_bit_sound: block = 64, streams = 2^13, words = 8, grid = ceil(streams / block), in = random[streams * words], out = zeros[streams * words * 8], sizes = random[89] in 7..32000
__global__ void four_bit_sound(const uint32_t* in, short* out, const int* sizes, int streams, int words) {
  __shared__ int steps[89];
  for (int k = threadIdx.x; k < 89; k += blockDim.x) steps[k] = sizes[k] & 32767;
  __syncthreads();
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams) return;
  int value = 0, index = 0;
  for (int w = 0; w < words; ++w) {
    uint32_t code = in[w * streams + s];
    for (int k = 0; k < 8; ++k, code >>= 4) {
      const int step = steps[index];
      int change = step >> 3;
      if (code & 4) change += step;
      if (code & 2) change += step >> 1;
      if (code & 1) change += step >> 2;
      value = min(max(value + (code & 8 ? -change : change), -32768), 32767);
      index = min(max(index + step_change[code & 7], 0), 88);
      out[(w * 8 + k) * streams + s] = (short)value;
    }
  }
}

// Checks of a sparse code: each check sends every bit the least of the others' magnitudes and the product of
// signs.
// warpscope least_of_the_others: block = 256, checks = 2^14, degree = 7, grid = ceil(checks / block), which = random[checks * degree], beliefs = random[2^15] in -8..8, messages = zeros[checks * degree]
__global__ void least_of_the_others(const uint16_t* which, const float* __restrict__ beliefs, float* messages,
                                    int checks, int degree) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= checks) return;
  float least = 1e9f, second = 1e9f;
  unsigned signs = 0, place = 0;
  for (int k = 0; k < degree; ++k) {
    const float v = beliefs[which[k * checks + c] & 32767];
    const float m = fabsf(v);
    signs |= (v < 0) << k;
    if (m < least) {
      second = least, least = m, place = k;
    } else {
      second = fminf(second, m);
    }
  }
  const unsigned odd = __popc(signs) & 1;
  for (int k = 0; k < degree; ++k) {
    const float m = 0.75f * (k == place ? second : least);
    messages[k * checks + c] = (signs >> k ^ odd) & 1 ? -m : m;
  }
}

// An echo canceller: a warp adapts 64 taps, two a lane, with a delay line that moves through the lanes.
// warpscope cancelled_echo: block = 128, lines = 528, length = 160, grid = ceil(lines * 32 / block), far = random[lines * length] in -1..1, near = random[lines * length] in -1..1, out = zeros[lines * length]
__global__ void cancelled_echo(const float* far, const float* near, float* out, int lines, int length) {
  const int line = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (line >= lines) return;
  float tap0 = 0, tap1 = 0, x0 = 0, x1 = 0;
  for (int k = 0; k < length; ++k) {
    const float passed = __shfl_up_sync(~0u, x1, 1);
    x1 = x0;
    x0 = lane == 0 ? far[line * length + k] : passed;
    float guess = tap0 * x0 + tap1 * x1, power = x0 * x0 + x1 * x1;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
      guess += __shfl_xor_sync(~0u, guess, d);
      power += __shfl_xor_sync(~0u, power, d);
    }
    const float error = near[line * length + k] - guess, step = 0.5f * error / (power + 0.01f);
    tap0 += step * x0;
    tap1 += step * x1;
    if (lane == 0) out[line * length + k] = error;
  }
}

// The pitch of a frame: the first lag at which the mean difference falls below a threshold and rises again.
// warpscope period_of_frames: block = 128 fixed, frames = 396, grid = frames, in = random[frames * 512] in -1..1, pitch = zeros[frames]
__global__ void period_of_frames(const float* in, int* pitch) {
  __shared__ float x[512], d[128];
  __shared__ int found;
  for (int k = threadIdx.x; k < 512; k += 128) x[k] = in[blockIdx.x * 512 + k];
  if (threadIdx.x == 0) found = 1000;
  __syncthreads();
  const int lag = threadIdx.x + 1;
  float sum = 0;
  for (int k = 0; k < 256; ++k) {
    const float e = x[k] - x[k + lag];
    sum += e * e;
  }
  d[threadIdx.x] = sum;
  __syncthreads();
  float mean = 0;
  for (int k = 0; k <= threadIdx.x; ++k) mean += d[k];
  const float scaled = sum * lag / fmaxf(mean, 1e-9f);
  if (scaled < 0.95f && threadIdx.x > 8 && (threadIdx.x == 127 || d[threadIdx.x + 1] > sum))
    atomicMin(&found, lag);
  __syncthreads();
  if (threadIdx.x == 0) pitch[blockIdx.x] = found;
}
