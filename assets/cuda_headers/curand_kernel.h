// Random numbers in kernels, by cuRAND's names. Philox4_32_10 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
// 3", 2011) gives the bits and floats that cuRAND gives, but other doubles. XORWOW (Marsaglia, "Xorshift RNGs", 2003) is
// seeded in a way of its own, so its numbers are others. MRG32k3a, MTGP32 and the quasi-random ones are not offered.
#pragma once

#include "cuda_runtime.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  float spare;
  int has_spare;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState;
typedef struct curandStateXORWOW curandState_t;

struct curandStatePhilox4_32_10 {
  uint4 counter, output;
  uint2 key;
  unsigned int next;  // of `output`
  float spare;
  int has_spare;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

WS_DEVICE unsigned int curand(curandStateXORWOW* state) {
  const unsigned int t = state->v[0] ^ (state->v[0] >> 2);
  for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
  state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
  state->d += 362437;
  return state->v[4] + state->d;
}

// The finaliser of splitmix64: each sequence of each seed begins elsewhere.
WS_DEVICE unsigned long long ws_scramble(unsigned long long v) {
  v += 0x9e3779b97f4a7c15ull;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
  return v ^ (v >> 31);
}
WS_DEVICE void skipahead(unsigned long long n, curandStateXORWOW* state) {
  while (n-- > 0) curand(state);
}
WS_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW* state) {
  unsigned long long bits = ws_scramble(seed) ^ ws_scramble(~sequence);
  for (int i = 0; i < 5; ++i) {
    bits = ws_scramble(bits);
    state->v[i] = (unsigned int)bits | (i == 0);  // not all are zeros
  }
  state->d = (unsigned int)(bits >> 32);
  state->has_spare = 0;
  skipahead(offset, state);
}

WS_DEVICE uint4 ws_philox(uint4 c, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
    c = make_uint4((unsigned int)(b >> 32) ^ c.y ^ key.x, (unsigned int)b, (unsigned int)(a >> 32) ^ c.w ^ key.y, (unsigned int)a);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return c;
}
WS_DEVICE void ws_advance(curandStatePhilox4_32_10* state, unsigned long long blocks) {
  const unsigned long long low = ((unsigned long long)state->counter.y << 32 | state->counter.x) + blocks;
  if (low < blocks && ++state->counter.z == 0) ++state->counter.w;
  state->counter.x = (unsigned int)low;
  state->counter.y = (unsigned int)(low >> 32);
  state->output = ws_philox(state->counter, state->key);
}
WS_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  const unsigned long long next = state->next + (n & 3);
  ws_advance(state, n / 4 + next / 4);
  state->next = (unsigned int)(next & 3);
}
WS_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10* state) {
  state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  state->counter = make_uint4(0, 0, (unsigned int)sequence, (unsigned int)(sequence >> 32));
  state->next = 0;
  state->has_spare = 0;
  skipahead(offset, state);
}
WS_DEVICE unsigned int curand(curandStatePhilox4_32_10* state) {
  const uint4 all = state->output;
  const unsigned int at = state->next, value = at == 0 ? all.x : at == 1 ? all.y : at == 2 ? all.z : all.w;
  if (at == 3) ws_advance(state, 1);
  state->next = (at + 1) & 3;
  return value;
}
WS_DEVICE uint4 curand4(curandStatePhilox4_32_10* state) {
  const unsigned int x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return make_uint4(x, y, z, w);
}

// In (0, 1].
WS_DEVICE float ws_uniform(unsigned int bits) { return (float)bits * 0x1p-32f + 0x1p-33f; }
// Two numbers of the normal distribution, by Box and Muller.
WS_DEVICE float2 ws_normal2(unsigned int one, unsigned int two) {
  const float radius = sqrtf(-2.0f * logf(ws_uniform(one)));
  float2 v;
  sincosf(ws_uniform(two) * 6.283185307179586f, &v.x, &v.y);
  return make_float2(v.x * radius, v.y * radius);
}
WS_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  return make_float4(ws_uniform(bits.x), ws_uniform(bits.y), ws_uniform(bits.z), ws_uniform(bits.w));
}
WS_DEVICE float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  const float2 one = ws_normal2(bits.x, bits.y), two = ws_normal2(bits.z, bits.w);
  return make_float4(one.x, one.y, two.x, two.y);
}

template <class State> WS_DEVICE float curand_uniform(State* state) { return ws_uniform(curand(state)); }
template <class State> WS_DEVICE double curand_uniform_double(State* state) {
  const unsigned long long low = curand(state), high = curand(state);
  return (double)(low ^ (high << 21)) * 0x1p-53 + 0x1p-54;
}
template <class State> WS_DEVICE float2 curand_normal2(State* state) {
  const unsigned int one = curand(state), two = curand(state);
  return ws_normal2(one, two);
}
template <class State> WS_DEVICE float curand_normal(State* state) {
  if (state->has_spare) {
    state->has_spare = 0;
    return state->spare;
  }
  const float2 both = curand_normal2(state);
  state->spare = both.y;
  state->has_spare = 1;
  return both.x;
}
template <class State> WS_DEVICE double curand_normal_double(State* state) {
  const double radius = sqrt(-2.0 * log(curand_uniform_double(state)));
  return radius * sin(6.283185307179586 * curand_uniform_double(state));
}
template <class State> WS_DEVICE float curand_log_normal(State* state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
