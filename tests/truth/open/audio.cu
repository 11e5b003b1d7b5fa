// Sound and other signals in time.
#include <cuda_fp16.h>

#include <cstdint>

// A pitch estimate by the difference function of YIN: one block for a frame, a thread for each lag.
// warpscope pitch_by_difference: block = 128 fixed, frames = 160, hop = 128, grid = frames, sound = random[frames * hop + 512] in -1..1, pitch = zeros[frames]
__global__ void pitch_by_difference(const float* sound, float* pitch, int hop) {
  __shared__ float frame[384], normal[128];
  const float* from = sound + blockIdx.x * hop;
  for (int k = threadIdx.x; k < 384; k += blockDim.x) frame[k] = from[k];
  __syncthreads();
  const int lag = threadIdx.x;
  float difference = 0;
  for (int k = 0; k < 256; ++k) {
    const float d = frame[k] - frame[k + lag];
    difference += d * d;
  }
  normal[lag] = difference;
  __syncthreads();
  float sum = 0;
  for (int k = 1; k <= lag; ++k) sum += normal[k];
  const float ratio = lag ? difference * lag / sum : 1.0f;
  __syncthreads();
  normal[lag] = ratio;
  __syncthreads();
  if (lag) return;
  int at = 8;
  while (at < 127 && normal[at] > 0.9f) ++at;
  while (at < 127 && normal[at + 1] < normal[at]) ++at;
  pitch[blockIdx.x] = 16000.0f / at;
}

// Mel bands of power spectra: triangles of growing width, one warp for a frame, a band for each lane.
// warpscope mel_triangles: block = 128, frames = 1024, grid = ceil(frames * 32 / block), power = random[frames * 257], logs = zeros[frames * 32]
__global__ void mel_triangles(const float* __restrict__ power, float* __restrict__ logs, int frames) {
  const int frame = (blockIdx.x * blockDim.x + threadIdx.x) / 32, band = threadIdx.x % 32;
  if (frame >= frames) return;
  const float* bins = power + frame * 257;
  const float centre = 3 + 0.24f * band * band, half = 1.5f + 0.24f * band;
  const int first = max(0, (int)ceilf(centre - half)), last = min(256, (int)floorf(centre + half));
  float sum = 0;
  for (int k = first; k <= last; ++k) sum += bins[k] * (1 - fabsf(k - centre) / half);
  logs[frame * 32 + band] = 10 * log10f(fmaxf(sum, 1e-10f));
}

// Mu-law bytes to 16 bits and back after a gain, eight samples a thread.
__device__ int expand_mu(unsigned code) {
  code = ~code & 255;
  const int size = ((code & 15) * 8 + 132 << (code >> 4 & 7)) - 132;
  return code & 128 ? -size : size;
}
__device__ unsigned compress_mu(int v) {
  const unsigned sign = v < 0 ? 128 : 0;
  const int size = min(abs(v), 32635) + 132;
  const int exponent = 24 - __clz(size);
  return ~(sign | exponent << 4 | (size >> (exponent + 3) & 15)) & 255;
}
// warpscope companded_gain: block = 256, n = 2^21, grid = ceil(n / 8 / block), in = u8 random[n], out = u8 zeros[n], gain = 0.7
__global__ void companded_gain(const uint2* in, uint2* out, int n, float gain) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * 8 >= n) return;
  const uint2 word = in[i];
  uint2 result = make_uint2(0, 0);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    result.x |= compress_mu(__float2int_rz(expand_mu(word.x >> 8 * k & 255) * gain)) << 8 * k;
    result.y |= compress_mu(__float2int_rz(expand_mu(word.y >> 8 * k & 255) * gain)) << 8 * k;
  }
  out[i] = result;
}

// A bank of resonators, one voice a thread: phases advance in 32 bits, a block adds its voices sample by
// sample.
// warpscope voices_mixed: block = 128 fixed, blocks_of_sound = 132, samples = 64, grid = blocks_of_sound, steps = random[blocks_of_sound * 128], loud = random[blocks_of_sound * 128], out = zeros[blocks_of_sound * samples]
__global__ void voices_mixed(const unsigned* steps, const float* loud, float* out, int samples) {
  __shared__ float mixed[4];
  const int voice = blockIdx.x * 128 + threadIdx.x;
  const unsigned step = steps[voice] >> 5;
  unsigned phase = step * 77;
  float level = loud[voice];
  for (int s = 0; s < samples; ++s) {
    float v = __sinf((int)phase * 1.4629180e-9f) * level;
    phase += step;
    level *= 0.9995f;
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if ((threadIdx.x & 31) == 0) mixed[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x * samples + s] = mixed[0] + mixed[1] + mixed[2] + mixed[3];
    __syncthreads();
  }
}

// Linear prediction: Levinson and Durbin's recursion of order 12 in double precision, a frame a thread.
// warpscope prediction_order12: block = 64, frames = 8192, grid = ceil(frames / block), r = random[frames * 13] in -0.07..0.07, out = zeros[frames * 12]
__global__ void prediction_order12(const double* __restrict__ r, double* __restrict__ out, int frames) {
  const int frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame >= frames) return;
  double a[13], old[13], error = 1.0;
#pragma unroll
  for (int k = 0; k < 13; ++k) a[k] = 0;
#pragma unroll
  for (int m = 1; m <= 12; ++m) {
    double sum = r[m * frames + frame];
#pragma unroll
    for (int k = 1; k < m; ++k) sum -= a[k] * r[(m - k) * frames + frame];
    const double reflection = sum / error;
#pragma unroll
    for (int k = 1; k < m; ++k) old[k] = a[k];
    a[m] = reflection;
#pragma unroll
    for (int k = 1; k < m; ++k) a[k] = old[k] - reflection * old[m - k];
    error *= 1 - reflection * reflection;
  }
#pragma unroll
  for (int k = 1; k <= 12; ++k) out[(k - 1) * frames + frame] = a[k];
}

// Dynamic compression of stereo 16-bit sound: envelope follower over a stretch, gain in decibels.
// warpscope follower_gain: block = 96, stretches = 6144, grid = ceil(stretches / block), sound = random[stretches * 64], out = zeros[stretches * 64]
__global__ void follower_gain(const short2* sound, short2* out, int stretches) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= stretches) return;
  float envelope = 0;
  for (int k = 0; k < 64; ++k) {
    const short2 v = sound[k * stretches + s];
    const float loud = fmaxf(abs(v.x), abs(v.y)) * (1.0f / 32768);
    envelope += (loud - envelope) * (loud > envelope ? 0.3f : 0.01f);
    float gain = 1;
    if (envelope > 0.5f) gain = exp2f(-0.75f * __log2f(envelope * 2));
    out[k * stretches + s] = make_short2(v.x * gain, v.y * gain);
  }
}

// Radix-4 transforms of 64 complex halves by 16 threads each, through shared memory.
// warpscope quarter_butterflies: block = (16, 8) fixed, frames = 16384, grid = frames / 8, data = f16 random[frames * 128] in -1..1, out = f16 zeros[frames * 128]
__global__ void quarter_butterflies(const __half2* data, __half2* out) {
  __shared__ float2 held[8][64];
  const int t = threadIdx.x, frame = blockIdx.x * 8 + threadIdx.y;
  float2* own = held[threadIdx.y];
  float2 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = __half22float2(data[frame * 64 + t + 16 * k]);
  for (int pass = 0; pass < 3; ++pass) {
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
                 b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
                 d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    v[0] = make_float2(a.x + c.x, a.y + c.y);
    v[1] = make_float2(b.x + d.x, b.y + d.y);
    v[2] = make_float2(a.x - c.x, a.y - c.y);
    v[3] = make_float2(b.x - d.x, b.y - d.y);
    if (pass == 2) break;
    const int span = 16 >> 2 * pass, within = t & (span - 1);
    const int base = (t / span) * span * 4 + within;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float s, co;
      __sincosf(-1.5707963f * k * within / span, &s, &co);
      own[base + k * span] = make_float2(v[k].x * co - v[k].y * s, v[k].x * s + v[k].y * co);
    }
    __syncthreads();
    const int next = span >> 2, from = (t / next) * next * 4 + (t & (next - 1));
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = own[from + k * next];
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int at = t * 4 + k;
    out[frame * 64 + ((at & 3) << 4 | (at & 12) | at >> 4)] = __floats2half2_rn(v[k].x, v[k].y);
  }
}
