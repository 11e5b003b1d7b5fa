// Mathematics in double precision: series on reduced arguments, within a few units in the last place.
#pragma once

#include "warpscope/integers.h"

WS_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }
WS_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
WS_DEVICE double fabs(double x) { return __builtin_fabs(x); }
WS_DEVICE double abs(double x) { return __builtin_fabs(x); }
WS_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WS_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
WS_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
WS_DEVICE double floor(double x) { return __builtin_floor(x); }
WS_DEVICE double ceil(double x) { return __builtin_ceil(x); }
WS_DEVICE double trunc(double x) { return __builtin_trunc(x); }
WS_DEVICE double rint(double x) { return __builtin_rint(x); }
WS_DEVICE double nearbyint(double x) { return __builtin_rint(x); }
WS_DEVICE double copysign(double a, double b) { return __builtin_copysign(a, b); }
WS_DEVICE double round(double x) { return trunc(x + copysign(0.49999999999999994, x)); }
WS_DEVICE long lrint(double x) { return (long)rint(x); }
WS_DEVICE long lround(double x) { return (long)round(x); }
WS_DEVICE double fdim(double a, double b) { return a > b ? a - b : a <= b ? 0.0 : a + b; }

// Rounded as the ending says, and never made part of a fused multiplication and addition.
#define WS_ROUNDED(suffix, rounding)                                                                                  \
  WS_DEVICE double __dadd##suffix(double a, double b) { double r; asm("add." rounding ".f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b)); return r; } \
  WS_DEVICE double __dsub##suffix(double a, double b) { double r; asm("sub." rounding ".f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b)); return r; } \
  WS_DEVICE double __dmul##suffix(double a, double b) { double r; asm("mul." rounding ".f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b)); return r; } \
  WS_DEVICE double __ddiv##suffix(double a, double b) { double r; asm("div." rounding ".f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b)); return r; } \
  WS_DEVICE double __drcp##suffix(double a) { double r; asm("rcp." rounding ".f64 %0, %1;" : "=d"(r) : "d"(a)); return r; }   \
  WS_DEVICE double __dsqrt##suffix(double a) { double r; asm("sqrt." rounding ".f64 %0, %1;" : "=d"(r) : "d"(a)); return r; }
WS_ROUNDED(_rn, "rn")
WS_ROUNDED(_rz, "rz")
WS_ROUNDED(_ru, "rp")
WS_ROUNDED(_rd, "rm")
#undef WS_ROUNDED
WS_DEVICE double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

#undef isnan
#undef isinf
#undef isfinite
#undef signbit
WS_DEVICE bool isnan(float x) { return x != x; }
WS_DEVICE bool isnan(double x) { return x != x; }
WS_DEVICE bool isinf(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
WS_DEVICE bool isinf(double x) { return fabs(x) == __builtin_inf(); }
WS_DEVICE bool isfinite(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
WS_DEVICE bool isfinite(double x) { return fabs(x) < __builtin_inf(); }
WS_DEVICE bool signbit(float x) { return __float_as_int(x) < 0; }
WS_DEVICE bool signbit(double x) { return __double_as_longlong(x) < 0; }

// 2^e for e in [-1022, 1023].
WS_DEVICE double ws_power2(int e) { return __longlong_as_double((long long)(e + 1023) << 52); }
WS_DEVICE double ldexp(double x, int e) {
  e = e < -2200 ? -2200 : e > 2200 ? 2200 : e;
  const int a = e / 3, b = (e - a) / 2;
  return x * ws_power2(a) * ws_power2(b) * ws_power2(e - a - b);
}
WS_DEVICE double scalbn(double x, int e) { return ldexp(x, e); }
WS_DEVICE double frexp(double x, int* e) {
  *e = 0;
  if (x == 0.0 || !isfinite(x)) return x;
  int shift = 0;
  if (fabs(x) < 2.2250738585072014e-308) x *= 18014398509481984.0, shift = 54;
  const long long bits = __double_as_longlong(x);
  *e = (int)((bits >> 52) & 0x7ff) - 1022 - shift;
  return __longlong_as_double((bits & ~(0x7ffll << 52)) | (1022ll << 52));
}
WS_DEVICE double modf(double x, double* whole) {
  *whole = trunc(x);
  return copysign(x - *whole, x);
}

WS_DEVICE double exp(double x) {
  if (x != x) return x;
  if (x > 709.8) return __builtin_inf();
  if (x < -746.0) return 0.0;
  const double k = rint(x * 1.4426950408889634074);
  const double r = fma(-k, 1.90821492927058770002e-10, fma(-k, 6.93147180369123816490e-01, x));
  double sum = 1.0 / 6227020800.0;  // 1/13!
  double factorial = 1.0 / 6227020800.0;
#pragma unroll
  for (int i = 13; i > 0; --i) {
    factorial *= i;
    sum = fma(sum, r, factorial);
  }
  return ldexp(sum, (int)k);
}
WS_DEVICE double exp2(double x) { return rint(x) == x && fabs(x) < 1100.0 ? ldexp(1.0, (int)x) : exp(x * 0.69314718055994530942); }
WS_DEVICE double exp10(double x) { return exp(x * 2.302585092994045684); }
WS_DEVICE double log(double x) {
  if (!(x > 0.0) || x == __builtin_inf()) return x == 0.0 ? -__builtin_inf() : x > 0.0 ? x : __builtin_nan("");
  int e;
  double m = frexp(x, &e);
  if (m < 0.70710678118654752440) m *= 2.0, --e;
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double sum = 1.0 / 23;
#pragma unroll
  for (int i = 21; i >= 3; i -= 2) sum = fma(sum, z, 1.0 / i);
  return fma((double)e, 0.69314718055994530942, fma(2.0 * s * z, sum, 2.0 * s));
}
WS_DEVICE double log2(double x) {
  int e;
  const double m = frexp(x, &e);
  return m == 0.5 && x > 0.0 ? e - 1 : log(x) * 1.4426950408889634074;
}
WS_DEVICE double log10(double x) { return log(x) * 0.43429448190325182765; }
WS_DEVICE double log1p(double x) {
  const double u = 1.0 + x;
  return u == 1.0 ? x : log(u) * x / (u - 1.0);
}
WS_DEVICE double expm1(double x) {
  if (fabs(x) > 1e-5) return fabs(x) > 0.3 ? exp(x) - 1.0 : 2.0 * exp(x * 0.5) * (0.5 * (exp(x * 0.5) - exp(-x * 0.5)));
  return x + x * x * 0.5 + x * x * x / 6;
}
WS_DEVICE double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  const bool whole = trunc(y) == y, odd = whole && fabs(y) < 9007199254740992.0 && ((long long)y & 1);
  if (x == 0.0) return y > 0.0 ? (odd ? x : 0.0) : odd ? copysign(__builtin_inf(), x) : __builtin_inf();
  if (x < 0.0 && !whole) return __builtin_nan("");
  if (whole && fabs(y) <= 64.0) {
    double power = 1.0, base = x;
    for (int n = (int)fabs(y); n > 0; n >>= 1, base *= base) {
      if (n & 1) power *= base;
    }
    return y < 0.0 ? 1.0 / power : power;
  }
  const double r = exp(y * log(fabs(x)));
  return x < 0.0 && odd ? -r : r;
}
WS_DEVICE double pow(double x, int y) { return pow(x, (double)y); }
WS_DEVICE double cbrt(double x) {
  if (x == 0.0 || !isfinite(x)) return x;
  double r = copysign(exp(log(fabs(x)) / 3.0), x);
  return r - (r * r * r - x) / (3.0 * r * r);
}

// The angle minus the nearest multiple of pi/2, and that multiple.
WS_DEVICE double ws_quarter(double x, int* q) {
  const double k = rint(x * 0.63661977236758134308);
  *q = (int)(long long)k;
  return fma(-k, -1.4973849048591833e-33, fma(-k, 6.123233995736766036e-17, fma(-k, 1.57079632679489661923, x)));
}
WS_DEVICE double ws_sine(double r) {
  double sum = 1.0, z = r * r;
#pragma unroll
  for (int i = 18; i >= 2; i -= 2) sum = 1.0 - sum * z / (double)(i * (i + 1));
  return r * sum;
}
WS_DEVICE double ws_cosine(double r) {
  double sum = 1.0, z = r * r;
#pragma unroll
  for (int i = 17; i >= 1; i -= 2) sum = 1.0 - sum * z / (double)(i * (i + 1));
  return sum;
}
WS_DEVICE void sincos(double x, double* s, double* c) {
  int q;
  const double r = ws_quarter(x, &q), sine = ws_sine(r), cosine = ws_cosine(r);
  const double a = q & 1 ? cosine : sine, b = q & 1 ? sine : cosine;
  *s = q & 2 ? -a : a;
  *c = (q + 1) & 2 ? -b : b;
}
WS_DEVICE double sin(double x) {
  double s, c;
  sincos(x, &s, &c);
  return s;
}
WS_DEVICE double cos(double x) {
  double s, c;
  sincos(x, &s, &c);
  return c;
}
WS_DEVICE double tan(double x) {
  double s, c;
  sincos(x, &s, &c);
  return s / c;
}
WS_DEVICE double sinpi(double x) { return sin(3.14159265358979323846 * (x - 2.0 * rint(x * 0.5))); }
WS_DEVICE double cospi(double x) { return cos(3.14159265358979323846 * (x - 2.0 * rint(x * 0.5))); }

WS_DEVICE double atan(double x) {
  const double a = fabs(x);
  const bool inverse = a > 1.0;
  double t = inverse ? 1.0 / a : a;
  const bool shifted = t > 0.41421356237309504880;
  if (shifted) t = (t - 1.0) / (t + 1.0);
  const double z = t * t;
  double sum = 1.0 / 41;
#pragma unroll
  for (int i = 39; i >= 1; i -= 2) sum = 1.0 / i - z * sum;
  double r = t * sum + (shifted ? 0.78539816339744830962 : 0.0);
  if (inverse) r = 1.57079632679489661923 - r;
  return copysign(r, x);
}
WS_DEVICE double atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  const double pi = 3.14159265358979323846;
  if (y == 0.0) return signbit(x) ? copysign(pi, y) : y;
  if (isinf(x) && isinf(y)) return copysign(x > 0.0 ? pi / 4 : 3 * pi / 4, y);
  if (fabs(x) < fabs(y)) return copysign(pi / 2, y) - atan(x / y);
  const double r = atan(y / x);
  return x > 0.0 ? r : r + copysign(pi, y);
}
WS_DEVICE double asin(double x) { return atan2(x, sqrt((1.0 - x) * (1.0 + x))); }
WS_DEVICE double acos(double x) { return atan2(sqrt((1.0 - x) * (1.0 + x)), x); }
WS_DEVICE double sinh(double x) { return fabs(x) < 1e-2 ? x + x * x * x / 6 * (1 + x * x / 20 * (1 + x * x / 42)) : 0.5 * (exp(x) - exp(-x)); }
WS_DEVICE double cosh(double x) { return 0.5 * (exp(x) + exp(-x)); }
WS_DEVICE double tanh(double x) {
  const double e = expm1(-2.0 * fabs(x));
  return copysign(-e / (e + 2.0), x);
}
WS_DEVICE double asinh(double x) { return copysign(log1p(fabs(x) + x * x / (1.0 + sqrt(x * x + 1.0))), x); }
WS_DEVICE double acosh(double x) { return log(x + sqrt(x * x - 1.0)); }
WS_DEVICE double atanh(double x) { return 0.5 * log1p(2.0 * x / (1.0 - x)); }
WS_DEVICE double hypot(double a, double b) {
  a = fabs(a), b = fabs(b);
  const double large = fmax(a, b), small = fmin(a, b);
  if (large == 0.0 || isinf(large)) return large;
  return large * sqrt(1.0 + (small / large) * (small / large));
}
WS_DEVICE double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }

WS_DEVICE double fmod(double a, double b) {
  if (b == 0.0 || !isfinite(a) || b != b) return __builtin_nan("");
  if (isinf(b)) return a;
  const double divisor = fabs(b);
  double left = fabs(a);
  while (left >= divisor) {  // each step takes away the largest shifted divisor: exact
    int from, to;
    frexp(left, &from), frexp(divisor, &to);
    double part = ldexp(divisor, from - to);
    if (part > left) part *= 0.5;
    left -= part;
  }
  return copysign(left, a);
}
WS_DEVICE double remainder(double a, double b) {
  double r = fmod(a, b);
  const double half = 0.5 * fabs(b);
  const bool odd = fmod(trunc(fabs(a / b)), 2.0) != 0.0;
  if (fabs(r) > half || (fabs(r) == half && odd)) r -= copysign(fabs(b), r);
  return r;
}

// erfc by its continued fraction from 1.25 on, erf by its series up to 2.
WS_DEVICE double ws_erf_series(double x) {
  double term = x, sum = x;
  for (int i = 1; i < 60; ++i) {
    term *= -x * x / i;
    sum += term / (2 * i + 1);
  }
  return sum * 1.12837916709551257390;
}
WS_DEVICE double ws_erfc_fraction(double x) {
  double f = x;
  for (int i = 160; i > 0; --i) f = x + 0.5 * i / f;
  return exp(-x * x) / (f * 1.77245385090551602730);
}
WS_DEVICE double erf(double x) { return fabs(x) < 2.0 ? ws_erf_series(x) : x != x ? x : copysign(1.0 - ws_erfc_fraction(fabs(x)), x); }
WS_DEVICE double erfc(double x) { return x < 1.25 ? 1.0 - erf(x) : ws_erfc_fraction(x); }
WS_DEVICE double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
