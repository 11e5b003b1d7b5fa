// Radio, radar and sound: what receivers, instruments and effects do with samples.

// Energy of the eight tones of a telephone keypad in each frame of samples, by a recurrence of two terms.
// warpscope keypad_tones: block = 64, frames = 4096, grid = ceil(frames * 8 / block), samples = random[frames * 160] in -1..1, energies = zeros[frames * 8]
__global__ void keypad_tones(const float* samples, float* energies, int frames) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int frame = i / 8, tone = i % 8;
  if (frame >= frames) return;
  const float hertz[8] = {697, 770, 852, 941, 1209, 1336, 1477, 1633};
  const float twice = 2.0f * cospif(2.0f * hertz[tone] / 8000.0f);
  float before = 0, last = 0;
  for (int k = 0; k < 160; ++k) {
    const float now = samples[frame * 160 + k] + twice * last - before;
    before = last;
    last = now;
  }
  energies[i] = last * last + before * before - twice * last * before;
}

// Constant false alarm rate: a cell of the range profile is a target if it stands above the mean of cells on
// both sides, without its guard cells.
// warpscope false_alarm_cells: block = 256, pulses = 256, cells = 1024, grid = (ceil(cells / 256), pulses), power = random[pulses * cells], hits = zeros[pulses * cells / 32]
__global__ void false_alarm_cells(const float* __restrict__ power, unsigned* __restrict__ hits, int cells) {
  constexpr int kGuard = 2, kTrain = 12, kReach = kGuard + kTrain;
  __shared__ float tile[256 + 2 * kReach];
  const int first = blockIdx.x * 256 - kReach;
  const float* row = power + (size_t)blockIdx.y * cells;
  for (int i = threadIdx.x; i < 256 + 2 * kReach; i += 256) {
    const int c = first + i;
    tile[i] = c >= 0 && c < cells ? row[c] : 0.0f;
  }
  __syncthreads();
  const int at = threadIdx.x + kReach;
  float left = 0, right = 0;
#pragma unroll
  for (int k = kGuard + 1; k <= kReach; ++k) left += tile[at - k], right += tile[at + k];
  const bool hit = tile[at] * kTrain > 1.6f * fmaxf(left, right);
  const unsigned bits = __ballot_sync(0xFFFFFFFFu, hit);
  if (threadIdx.x % 32 == 0) hits[(blockIdx.y * cells + blockIdx.x * 256 + threadIdx.x) / 32] = bits;
}

// Soft bits of 64-point symbols: for each of six bits, the distance to the nearest point with a one less that
// to the nearest with a zero.
__device__ inline void softAxis(float v, float noise, float* bits) {
  bits[0] = v * noise;
  bits[1] = (4.0f - fabsf(v)) * noise;
  bits[2] = (2.0f - fabsf(4.0f - fabsf(v))) * noise;
}
// warpscope soft_bits_of_64: block = 192, carriers = 1200, symbols = 140, grid = (ceil(carriers / 192), symbols), received = random[2 * carriers * symbols] in -8..8, channel = random[2 * carriers] in 0.2..1, soft = zeros[6 * carriers * symbols]
__global__ void soft_bits_of_64(const float2* __restrict__ received, const float2* __restrict__ channel,
                                signed char* __restrict__ soft, int carriers) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= carriers) return;
  const float2 h = __ldg(channel + c), r = received[(size_t)blockIdx.y * carriers + c];
  const float strength = h.x * h.x + h.y * h.y;
  const float re = (r.x * h.x + r.y * h.y) / strength, im = (r.y * h.x - r.x * h.y) / strength;
  float bits[6];
  softAxis(re, strength * 8.0f, bits);
  softAxis(im, strength * 8.0f, bits + 3);
  signed char* to = soft + 6 * ((size_t)blockIdx.y * carriers + c);
#pragma unroll
  for (int k = 0; k < 6; ++k) to[k] = (signed char)__float2int_rn(fminf(fmaxf(bits[k], -127.0f), 127.0f));
}

// Satellite search: a code of 1023 chips from two shift registers is correlated with bits of the signal at
// each delay.
// warpscope satellite_code_search: block = 128, satellites = 12, grid = (8, satellites), signal = random[2 * 1023] in -1..1, best = zeros[satellites * 1024]
__global__ void satellite_code_search(const float2* __restrict__ signal, float* __restrict__ best) {
  __shared__ unsigned char chips[1024];
  const int satellite = blockIdx.y;
  if (threadIdx.x == 0) {
    unsigned one = 0x3FF, two = 0x3FF;
    const int tapA = satellite % 9, tapB = (satellite * 5 + 3) % 10;
    for (int k = 0; k < 1023; ++k) {
      chips[k] = (one >> 9 ^ two >> tapA ^ two >> tapB) & 1;
      const unsigned backOne = (one >> 2 ^ one >> 9) & 1;
      const unsigned backTwo = __popc(two & 0x3A6) & 1;
      one = (one << 1 | backOne) & 0x3FF;
      two = (two << 1 | backTwo) & 0x3FF;
    }
  }
  __syncthreads();
  const int delay = blockIdx.x * blockDim.x + threadIdx.x;
  if (delay >= 1023) return;
  float re = 0, im = 0;
  int at = delay;
  for (int k = 0; k < 1023; ++k) {
    const float2 s = signal[k];
    const float sign = chips[at] ? -1.0f : 1.0f;
    re += sign * s.x;
    im += sign * s.y;
    at = at == 1022 ? 0 : at + 1;
  }
  best[satellite * 1024 + delay] = re * re + im * im;
}

// Plucked strings: a delay line of noise, averaged as it goes round. A thread plays a string; its line is in
// local memory.
// warpscope plucked_strings: block = 32, strings = 4096, ticks = 400, grid = strings / block, seeds = random[strings], sound = zeros[strings]
__global__ void plucked_strings(const unsigned* seeds, float* sound, int ticks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float line[64];
  unsigned state = seeds[i] | 1u;
  const int length = 40 + i % 24;
  for (int k = 0; k < length; ++k) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    line[k] = (int)state * (1.0f / 2147483648.0f);
  }
  int head = 0;
  float energy = 0;
  for (int t = 0; t < ticks; ++t) {
    const int next = head + 1 == length ? 0 : head + 1;
    const float out = line[head];
    line[head] = 0.498f * (out + line[next]);
    energy += out * out;
    head = next;
  }
  sound[i] = energy;
}

// A chirp is undone by its conjugate spectrum and each pulse is weighed by a window before the transform
// across pulses: a transposing pass.
// warpscope dechirp_and_turn: block = (32, 8), ranges = 512, pulses = 512, grid = (ranges / 32, pulses / 32), spectra = random[2 * ranges * pulses] in -1..1, chirp = random[2 * ranges] in -1..1, window = random[pulses], turned = zeros[2 * ranges * pulses]
__global__ void dechirp_and_turn(const float2* __restrict__ spectra, const float2* __restrict__ chirp,
                                 const float* __restrict__ window, float2* __restrict__ turned, int ranges,
                                 int pulses) {
  __shared__ float2 tile[32][33];
  const int r = blockIdx.x * 32 + threadIdx.x;
  const float2 c = chirp[r];
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int p = blockIdx.y * 32 + k;
    const float2 s = spectra[(size_t)p * ranges + r];
    const float w = window[p];
    tile[k][threadIdx.x] = make_float2(w * (s.x * c.x + s.y * c.y), w * (s.y * c.x - s.x * c.y));
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8)
    turned[(size_t)(blockIdx.x * 32 + k) * pulses + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][k];
}

// Fading of a radio path as a sum of sixteen waves from all around a moving receiver.
// warpscope fading_paths: block = 256, steps = 2048, paths = 16, grid = (steps / block, paths), doppler = 0.013, phases = random[paths * 16] in 0..6.28, gains = zeros[2 * steps * paths]
__global__ void fading_paths(const float* phases, float2* gains, int steps, float doppler) {
  __shared__ float turn[16], from[16];
  if (threadIdx.x < 16) {
    turn[threadIdx.x] = doppler * cosf(6.2831853f * (threadIdx.x + 0.25f) / 16);
    from[threadIdx.x] = phases[blockIdx.y * 16 + threadIdx.x];
  }
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float2 sum = {0, 0};
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    float s, c;
    sincosf(6.2831853f * turn[k] * t + from[k], &s, &c);
    sum.x += c;
    sum.y += s;
  }
  gains[(size_t)blockIdx.y * steps + t] = make_float2(0.25f * sum.x, 0.25f * sum.y);
}

// Noise is taken out of a spectrum: the gain of each bin follows its signal-to-noise ratio, smoothed over
// time as frames pass.
// warpscope noise_gains_over_time: block = 64, bins = 513, channels = 16, frames = 60, grid = (ceil(bins / block), channels), magnitudes = random[bins * channels * frames], floor = random[bins] in 0.1..0.4, cleaned = zeros[bins * channels * frames]
__global__ void noise_gains_over_time(const float* __restrict__ magnitudes, const float* __restrict__ floor,
                                      float* __restrict__ cleaned, int bins, int channels, int frames) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= bins) return;
  float noise = floor[b], before = 0, minimum = 1e9f;
  for (int f = 0; f < frames; ++f) {
    const size_t at = ((size_t)f * channels + blockIdx.y) * bins + b;
    const float m = magnitudes[at];
    if (f % 20 == 0) minimum = m;
    minimum = fminf(minimum, m);
    if (m < 2.0f * noise) noise = 0.9f * noise + 0.1f * m;
    const float posterior = m * m / (noise * noise + 1e-6f);
    const float prior = 0.98f * before + 0.02f * fmaxf(posterior - 1.0f, 0.0f);
    const float gain = fmaxf(prior / (1.0f + prior), 0.05f);
    before = gain * gain * posterior;
    cleaned[at] = m * gain + 0.01f * minimum;
  }
}

// A cascade of three integrators, a drop in rate by sixteen and three combs, on integers that may wrap. One
// warp takes a stream: each lane sums its samples, and the prefix of the sums is by shuffles.
// warpscope integrators_and_combs: block = 128, streams = 512, samples = 1024, grid = streams / 4, in = random[streams * samples] in -2048..2047, out = zeros[streams * 64]
__global__ void integrators_and_combs(const short* in, int* out, int samples) {
  const int stream = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  int carry[3] = {0, 0, 0}, before[3] = {0, 0, 0};
  for (int base = 0; base < samples; base += 32) {
    int v = in[(size_t)stream * samples + base + lane];
#pragma unroll
    for (int stage = 0; stage < 3; ++stage) {
      for (int d = 1; d < 32; d <<= 1) {
        const int o = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += o;
      }
      v += carry[stage];
      carry[stage] = __shfl_sync(~0u, v, 31);
    }
    for (int half = 0; half < 2; ++half) {
      int w = __shfl_sync(~0u, v, half * 16 + 15);
#pragma unroll
      for (int stage = 0; stage < 3; ++stage) {
        const int keep = w;
        w -= before[stage];
        before[stage] = keep;
      }
      if (lane == 0) out[stream * 64 + base / 16 + half] = w >> 6;
    }
  }
}
