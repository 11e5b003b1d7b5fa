// Signals of receivers, telescopes and modems.

__device__ __forceinline__ float2 cmul(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Stockham's transform of 256 points, radix 2, between two halves of shared memory.
// warpscope fft256_stockham: block = 128 fixed, batch = 700, grid = batch, in = random[256 * batch] in -1..1, out = zeros[256 * batch]
__global__ void fft256_stockham(const float2* in, float2* out) {
  __shared__ float2 buf[2][256];
  const int t = threadIdx.x;
  buf[0][t] = in[blockIdx.x * 256 + t];
  buf[0][t + 128] = in[blockIdx.x * 256 + t + 128];
  int from = 0;
#pragma unroll 1
  for (int ns = 1; ns < 256; ns *= 2) {
    __syncthreads();
    const int k = t % ns;
    float s, c;
    __sincosf(-3.14159265f * k / ns, &s, &c);
    const float2 a = buf[from][t], b = cmul(buf[from][t + 128], make_float2(c, s));
    const int to = (t / ns) * ns * 2 + k;
    buf[from ^ 1][to] = make_float2(a.x + b.x, a.y + b.y);
    buf[from ^ 1][to + ns] = make_float2(a.x - b.x, a.y - b.y);
    from ^= 1;
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = buf[from][t];
  out[blockIdx.x * 256 + t + 128] = buf[from][t + 128];
}

// A channeliser's filter: eight taps for each of 512 channels, ahead of the transform.
// warpscope polyphase_taps: block = 256, channels = 512, spectra = 1500, grid = (channels / block, spectra), samples = random[channels * (spectra + 8)] in -128..127, window = random[8 * channels], out = zeros[channels * spectra]
__global__ void polyphase_taps(const signed char* __restrict__ samples, const float* __restrict__ window,
                               float* __restrict__ out, int channels) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, s = blockIdx.y;
  float sum = 0;
#pragma unroll
  for (int tap = 0; tap < 8; ++tap) sum += window[tap * channels + c] * samples[(s + tap) * channels + c];
  out[s * channels + c] = sum;
}

// Beams from antennas: weights times samples, complex, a tile of samples in shared memory.
// warpscope beamform: block = (32, 4) fixed, antennas = 64, beams = 32, times = 8192, grid = (times / 32, beams / 4), samples = random[antennas * times] in -1..1, weights = random[antennas * beams] in -1..1, power = zeros[beams * times]
__global__ void beamform(const float2* samples, const float2* weights, float* power, int antennas,
                         int times) {
  __shared__ float2 tile[16][32];
  __shared__ float2 w[16][4];
  const int time = blockIdx.x * 32 + threadIdx.x, beam = blockIdx.y * 4 + threadIdx.y,
            tid = threadIdx.y * 32 + threadIdx.x;
  float2 sum = make_float2(0, 0);
  for (int a0 = 0; a0 < antennas; a0 += 16) {
    for (int k = threadIdx.y; k < 16; k += 4) tile[k][threadIdx.x] = samples[(a0 + k) * times + time];
    if (tid < 64) w[tid / 4][tid % 4] = weights[(blockIdx.y * 4 + tid % 4) * antennas + a0 + tid / 4];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 16; ++k) {
      const float2 p = cmul(tile[k][threadIdx.x], w[k][threadIdx.y]);
      sum.x += p.x;
      sum.y += p.y;
    }
    __syncthreads();
  }
  power[beam * times + time] = sum.x * sum.x + sum.y * sum.y;
}

// Every pair of antennas, multiplied and summed over time: a correlator's triangle.
// warpscope correlate_pairs: block = 64, stations = 48, channels = 40, samples = 128, pairs = stations * (stations + 1) / 2, grid = (ceil(pairs / block), channels), data = random[channels * samples * stations] in -7..7, visibilities = zeros[pairs * channels]
__global__ void correlate_pairs(const char2* data, float2* visibilities, int stations, int samples,
                                int pairs) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x, channel = blockIdx.y;
  if (pair >= pairs) return;
  int row = (int)((sqrtf(8.0f * pair + 1) - 1) / 2);
  while ((row + 1) * (row + 2) / 2 <= pair) ++row;
  while (row * (row + 1) / 2 > pair) --row;
  const int col = pair - row * (row + 1) / 2;
  int re = 0, im = 0;
  const char2* at = data + (size_t)channel * samples * stations;
  for (int t = 0; t < samples; ++t, at += stations) {
    const char2 a = at[row], b = at[col];
    re += a.x * b.x + a.y * b.y;
    im += a.y * b.x - a.x * b.y;
  }
  visibilities[channel * pairs + pair] = make_float2(re, im);
}

// Sums along the curves on which waves of low frequency come late.
// warpscope dedisperse: block = 128, times = 3000, trials = 40, channels = 96, grid = (ceil(times / block), trials), spectra = random[channels * 3600], delays = random[channels] in 0..15, out = zeros[trials * times]
__global__ void dedisperse(const unsigned char* __restrict__ spectra, const float* __restrict__ delays,
                           unsigned* __restrict__ out, int times, int channels) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, trial = blockIdx.y;
  if (t >= times) return;
  unsigned sum = 0;
  for (int c = 0; c < channels; ++c) {
    const int shift = __float2int_rn(delays[c] * trial);
    sum += spectra[c * 3600 + t + min(shift, 599)];
  }
  out[trial * times + t] = sum;
}

// Frequency demodulation: the angle between neighbouring samples, then a filter of one pole's steady part.
// warpscope fm_discriminate: block = 512, n = 700000, grid = ceil(n / block), iq = random[n + 1] in -1..1, audio = zeros[n], gain = 0.3
__global__ void fm_discriminate(const float2* iq, float* audio, float gain, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 a = iq[i], b = iq[i + 1];
  audio[i] = gain * atan2f(b.y * a.x - b.x * a.y, b.x * a.x + b.y * a.y);
}

// Viterbi's decoder of a code with 64 states: two states a lane, decisions as bits, then the way back.
// warpscope viterbi_k7: block = 64 fixed, frames = 600, length = 96, grid = ceil(frames / 2), soft = random[2 * frames * length] in -127..127, decoded = zeros[frames * length / 32]
__global__ void viterbi_k7(const signed char* soft, unsigned* decoded, int frames, int length) {
  __shared__ unsigned decisions[2][96][2];
  __shared__ int metrics[2][64];
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, frame = blockIdx.x * 2 + w;
  if (frame >= frames) return;
  metrics[w][lane] = lane == 0 ? 0 : -10000;
  metrics[w][lane + 32] = -10000;
  __syncwarp();
  const signed char* in = soft + frame * length * 2;
  for (int t = 0; t < length; ++t) {
    const int s0 = in[2 * t], s1 = in[2 * t + 1];
    int best[2];
    for (int k = 0; k < 2; ++k) {
      const int state = lane + 32 * k, bit = state >> 5, p0 = state * 2 & 63, p1 = p0 | 1;
      auto branch = [&](int previous) {
        const int reg = bit << 6 | previous;
        return ((__popc(reg & 0x6d) & 1) ? s0 : -s0) + ((__popc(reg & 0x4f) & 1) ? s1 : -s1);
      };
      const int m0 = metrics[w][p0] + branch(p0), m1 = metrics[w][p1] + branch(p1);
      const unsigned choice = __ballot_sync(0xffffffff, m1 > m0);
      if (lane == 0) decisions[w][t][k] = choice;
      best[k] = max(m0, m1);
    }
    __syncwarp();
    metrics[w][lane] = best[0];
    metrics[w][lane + 32] = best[1];
    __syncwarp();
  }
  if (lane == 0) {
    int state = 0;
    unsigned word = 0;
    for (int t = length - 1; t >= 0; --t) {
      word |= (unsigned)(state >> 5) << (t & 31);
      state = (state * 2 & 63) | (decisions[w][t][state >> 5] >> (state & 31) & 1);
      if ((t & 31) == 0) {
        decoded[(frame * length + t) / 32] = word;
        word = 0;
      }
    }
  }
}

// A check node's messages: the least two magnitudes and the sign of all others.
// warpscope ldpc_min_sum: block = 128, checks = 60000, grid = ceil(checks / block), variables = random[7 * checks] in 0..99999, llr = random[100000] in -8..8, messages = random[7 * checks] in -2..2
__global__ void ldpc_min_sum(const int* variables, const float* llr, float* messages, int checks) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= checks) return;
  float q[7], min1 = 1e30f, min2 = 1e30f;
  int where = 0;
  unsigned sign = 0;
#pragma unroll
  for (int k = 0; k < 7; ++k) {
    q[k] = llr[variables[k * checks + c]] - messages[k * checks + c];
    const float m = fabsf(q[k]);
    sign ^= __float_as_uint(q[k]);
    if (m < min1) {
      min2 = min1;
      min1 = m;
      where = k;
    } else if (m < min2) {
      min2 = m;
    }
  }
#pragma unroll
  for (int k = 0; k < 7; ++k) {
    const float m = 0.75f * (k == where ? min2 : min1);
    const unsigned s = (sign ^ __float_as_uint(q[k])) & 0x80000000u;
    messages[k * checks + c] = __uint_as_float(__float_as_uint(m) | s);
  }
}
