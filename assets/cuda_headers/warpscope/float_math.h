// Mathematics in single precision. Results are within a few units in the last place; they are not bit for bit those of
// NVIDIA's library.
#pragma once

#include "warpscope/double_math.h"

#define WS_ROUGH(name, instruction)                                  \
  WS_DEVICE float name(float x) {                                    \
    float r;                                                         \
    asm(instruction ".f32 %0, %1;" : "=f"(r) : "f"(x));              \
    return r;                                                        \
  }
WS_ROUGH(ws_ex2, "ex2.approx")
WS_ROUGH(ws_lg2, "lg2.approx")
WS_ROUGH(__sinf, "sin.approx")
WS_ROUGH(__cosf, "cos.approx")
WS_ROUGH(__frsqrt_rn, "rsqrt.approx")
WS_ROUGH(rsqrtf, "rsqrt.approx")
WS_ROUGH(__frcp_rn, "rcp.rn")
WS_ROUGH(__frcp_rz, "rcp.rz")
WS_ROUGH(__fsqrt_rn, "sqrt.rn")
WS_ROUGH(__fsqrt_rz, "sqrt.rz")
WS_ROUGH(__saturatef, "cvt.sat.f32")
#undef WS_ROUGH
WS_DEVICE float __expf(float x) { return ws_ex2(x * 1.4426950408889634f); }
WS_DEVICE float __exp10f(float x) { return ws_ex2(x * 3.3219280948873623f); }
WS_DEVICE float __log2f(float x) { return ws_lg2(x); }
WS_DEVICE float __logf(float x) { return ws_lg2(x) * 0.69314718055994531f; }
WS_DEVICE float __log10f(float x) { return ws_lg2(x) * 0.30102999566398120f; }
WS_DEVICE float __powf(float x, float y) { return ws_ex2(y * ws_lg2(x)); }
WS_DEVICE float __tanf(float x) { return __sinf(x) / __cosf(x); }
WS_DEVICE void __sincosf(float x, float* s, float* c) { *s = __sinf(x), *c = __cosf(x); }
WS_DEVICE float __fdividef(float a, float b) {
  float r;
  asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
#define WS_ROUNDED(name, instruction, rounding, suffix)                                   \
  WS_DEVICE float name##suffix(float a, float b) {                                        \
    float r;                                                                              \
    asm(instruction "." rounding ".f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));          \
    return r;                                                                             \
  }
#define WS_ROUNDED_ALL(name, instruction)           \
  WS_ROUNDED(name, instruction, "rn", _rn)          \
  WS_ROUNDED(name, instruction, "rz", _rz)          \
  WS_ROUNDED(name, instruction, "rp", _ru)          \
  WS_ROUNDED(name, instruction, "rm", _rd)
WS_ROUNDED_ALL(__fadd, "add")
WS_ROUNDED_ALL(__fsub, "sub")
WS_ROUNDED_ALL(__fmul, "mul")
WS_ROUNDED_ALL(__fdiv, "div")
#undef WS_ROUNDED_ALL
#undef WS_ROUNDED
WS_DEVICE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

WS_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
WS_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
WS_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WS_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
WS_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
WS_DEVICE float floorf(float x) { return __builtin_floorf(x); }
WS_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
WS_DEVICE float truncf(float x) { return __builtin_truncf(x); }
WS_DEVICE float rintf(float x) { return __builtin_rintf(x); }
WS_DEVICE float nearbyintf(float x) { return __builtin_rintf(x); }
WS_DEVICE float roundf(float x) { return truncf(x + __builtin_copysignf(0.49999997f, x)); }
WS_DEVICE int lrintf(float x) { return (int)rintf(x); }
WS_DEVICE int lroundf(float x) { return (int)roundf(x); }
WS_DEVICE float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
WS_DEVICE float fdimf(float a, float b) { return a > b ? a - b : a <= b ? 0.0f : a + b; }
WS_DEVICE float fdividef(float a, float b) { return a / b; }
WS_DEVICE float rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
WS_DEVICE float ldexpf(float x, int e) { return (float)ldexp((double)x, e); }
WS_DEVICE float scalbnf(float x, int e) { return ldexpf(x, e); }
WS_DEVICE float modff(float x, float* whole) {
  *whole = truncf(x);
  return copysignf(x - *whole, x);
}
WS_DEVICE float frexpf(float x, int* e) { return (float)frexp((double)x, e); }

// exp: 2^k times 2^f with the fraction f in [-1/2, 1/2], computed from what is left after whole powers of two.
WS_DEVICE float expf(float x) {
  if (x != x) return x;
  x = fminf(fmaxf(x, -110.0f), 100.0f);
  const float k = rintf(x * 1.4426950408889634f);
  const float r = fmaf(-k, 1.9082149292705877e-10f, fmaf(-k, 0.69314718036912382f, x));
  const float half = truncf(k * 0.5f);
  return ws_ex2(r * 1.4426950408889634f) * ws_ex2(half) * ws_ex2(k - half);
}
WS_DEVICE float exp2f(float x) { return ws_ex2(x); }
WS_DEVICE float exp10f(float x) { return (float)exp((double)x * 2.302585092994045684); }
WS_DEVICE float expm1f(float x) { return (float)expm1((double)x); }
// log: of the mantissa in [sqrt(1/2), sqrt(2)) by the series of the area tangent, plus the exponent's part.
WS_DEVICE float logf(float x) {
  int e = 0;
  if (x < 1.17549435e-38f) x *= 8388608.0f, e = -23;
  const unsigned int bits = __float_as_uint(x);
  if (!(x > 0.0f) || bits >= 0x7f800000u) {
    return x == 0.0f ? -__builtin_inff() : x > 0.0f ? x : __builtin_nanf("");
  }
  const unsigned int from = bits - 0x3f3504f3u;
  e += (int)from >> 23;
  const float m = __uint_as_float((from & 0x7fffffu) + 0x3f3504f3u);
  const float s = (m - 1.0f) / (m + 1.0f), z = s * s;
  const float p = fmaf(fmaf(fmaf(z, 1.0f / 9, 1.0f / 7), z, 1.0f / 5), z, 1.0f / 3);
  return fmaf((float)e, 0.69314718055994531f, fmaf(2.0f * s * z, p, 2.0f * s));
}
WS_DEVICE float log2f(float x) { return (float)log2((double)x); }
WS_DEVICE float log10f(float x) { return (float)log10((double)x); }
WS_DEVICE float log1pf(float x) { return (float)log1p((double)x); }
WS_DEVICE float powf(float x, float y) { return (float)pow((double)x, (double)y); }
WS_DEVICE float powif(float x, int y) { return powf(x, (float)y); }

// The angle minus the nearest multiple of pi/2, and that multiple.
WS_DEVICE float ws_quarter(float x, int* q) {
  if (fabsf(x) > 30000.0f) return (float)ws_quarter((double)x, q);
  const float k = rintf(x * 0.63661977236758134f);
  *q = (int)k;
  return fmaf(-k, -1.7151245100058819e-15f, fmaf(-k, 7.549790126404332e-08f, fmaf(-k, 1.570796251296997f, x)));
}
WS_DEVICE float ws_sine(float r) {
  const float z = r * r;
  return fmaf(r * z, fmaf(fmaf(fmaf(z, 2.7557319e-6f, -1.9841270e-4f), z, 8.3333333e-3f), z, -1.6666667e-1f), r);
}
WS_DEVICE float ws_cosine(float r) {
  const float z = r * r;
  return fmaf(z, fmaf(fmaf(fmaf(fmaf(z, -2.7557319e-7f, 2.4801587e-5f), z, -1.3888889e-3f), z, 4.1666667e-2f), z, -0.5f), 1.0f);
}
WS_DEVICE void sincosf(float x, float* s, float* c) {
  int q;
  const float r = ws_quarter(x, &q), sine = ws_sine(r), cosine = ws_cosine(r);
  const float a = q & 1 ? cosine : sine, b = q & 1 ? sine : cosine;
  *s = q & 2 ? -a : a;
  *c = (q + 1) & 2 ? -b : b;
}
WS_DEVICE float sinf(float x) {
  float s, c;
  sincosf(x, &s, &c);
  return s;
}
WS_DEVICE float cosf(float x) {
  float s, c;
  sincosf(x, &s, &c);
  return c;
}
WS_DEVICE float tanf(float x) {
  float s, c;
  sincosf(x, &s, &c);
  return s / c;
}
WS_DEVICE float sinpif(float x) { return (float)sinpi((double)x); }
WS_DEVICE float cospif(float x) { return (float)cospi((double)x); }
WS_DEVICE void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }

// The rest is rounded from double precision.
#define WS_FROM_DOUBLE(name) \
  WS_DEVICE float name##f(float x) { return (float)name((double)x); }
WS_FROM_DOUBLE(atan)
WS_FROM_DOUBLE(asin)
WS_FROM_DOUBLE(acos)
WS_FROM_DOUBLE(sinh)
WS_FROM_DOUBLE(cosh)
WS_FROM_DOUBLE(tanh)
WS_FROM_DOUBLE(asinh)
WS_FROM_DOUBLE(acosh)
WS_FROM_DOUBLE(atanh)
WS_FROM_DOUBLE(cbrt)
WS_FROM_DOUBLE(erf)
WS_FROM_DOUBLE(erfc)
WS_FROM_DOUBLE(normcdf)
#undef WS_FROM_DOUBLE
WS_DEVICE float atan2f(float y, float x) { return (float)atan2((double)y, (double)x); }
WS_DEVICE float fmodf(float a, float b) { return (float)fmod((double)a, (double)b); }
WS_DEVICE float remainderf(float a, float b) { return (float)remainder((double)a, (double)b); }
WS_DEVICE float hypotf(float a, float b) { return (float)hypot((double)a, (double)b); }
WS_DEVICE float rhypotf(float a, float b) { return (float)(1.0 / hypot((double)a, (double)b)); }
WS_DEVICE float norm3df(float a, float b, float c) { return (float)norm3d((double)a, (double)b, (double)c); }

// The names without ending take floats, too, as <cmath> has it.
#define WS_OVERLOAD(name) \
  WS_DEVICE float name(float x) { return name##f(x); }
WS_OVERLOAD(sqrt) WS_OVERLOAD(rsqrt) WS_OVERLOAD(fabs) WS_OVERLOAD(floor) WS_OVERLOAD(ceil) WS_OVERLOAD(trunc)
WS_OVERLOAD(rint) WS_OVERLOAD(nearbyint) WS_OVERLOAD(round) WS_OVERLOAD(exp) WS_OVERLOAD(exp2) WS_OVERLOAD(expm1)
WS_OVERLOAD(log) WS_OVERLOAD(log2) WS_OVERLOAD(log10) WS_OVERLOAD(log1p) WS_OVERLOAD(sin) WS_OVERLOAD(cos)
WS_OVERLOAD(tan) WS_OVERLOAD(atan) WS_OVERLOAD(asin) WS_OVERLOAD(acos) WS_OVERLOAD(sinh) WS_OVERLOAD(cosh)
WS_OVERLOAD(tanh) WS_OVERLOAD(asinh) WS_OVERLOAD(acosh) WS_OVERLOAD(atanh) WS_OVERLOAD(cbrt) WS_OVERLOAD(erf)
WS_OVERLOAD(erfc)
#undef WS_OVERLOAD
WS_DEVICE float abs(float x) { return fabsf(x); }
WS_DEVICE float pow(float x, float y) { return powf(x, y); }
WS_DEVICE float pow(float x, int y) { return powf(x, (float)y); }
WS_DEVICE float atan2(float y, float x) { return atan2f(y, x); }
WS_DEVICE float fmod(float a, float b) { return fmodf(a, b); }
WS_DEVICE float hypot(float a, float b) { return hypotf(a, b); }
WS_DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }
WS_DEVICE float fmin(float a, float b) { return fminf(a, b); }
WS_DEVICE float fmax(float a, float b) { return fmaxf(a, b); }
WS_DEVICE float copysign(float a, float b) { return copysignf(a, b); }
