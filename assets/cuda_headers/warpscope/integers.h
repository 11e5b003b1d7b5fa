// Integer functions, bit patterns and conversions.
#pragma once

#include "warpscope/language.h"

WS_DEVICE int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned int)v); }
WS_DEVICE int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((unsigned long long)v); }
WS_DEVICE int __popc(unsigned int v) { return __builtin_popcount(v); }
WS_DEVICE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
WS_DEVICE int __ffs(int v) { return __builtin_ffs(v); }
WS_DEVICE int __ffsll(long long v) { return __builtin_ffsll(v); }
WS_DEVICE unsigned int __brev(unsigned int v) { return __builtin_bitreverse32(v); }
WS_DEVICE unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
WS_DEVICE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s) {
  unsigned int r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s));
  return r;
}
WS_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  unsigned int r;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
  return r;
}
WS_DEVICE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int n) {
  return (unsigned int)(((((unsigned long long)hi << 32) | lo) << (n & 31)) >> 32);
}
WS_DEVICE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int n) {
  return (unsigned int)((((unsigned long long)hi << 32) | lo) >> (n & 31));
}
WS_DEVICE int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
WS_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a * b) >> 32); }
WS_DEVICE long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
WS_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
WS_DEVICE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
WS_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
WS_DEVICE unsigned int __sad(int a, int b, unsigned int c) { return (a > b ? a - b : b - a) + c; }
WS_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return (a > b ? a - b : b - a) + c; }
WS_DEVICE int __dp4a(int a, int b, int c) {
  int r;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
WS_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int r;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}

WS_DEVICE int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
WS_DEVICE unsigned int __float_as_uint(float v) { return __builtin_bit_cast(unsigned int, v); }
WS_DEVICE float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
WS_DEVICE float __uint_as_float(unsigned int v) { return __builtin_bit_cast(float, v); }
WS_DEVICE long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
WS_DEVICE double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
WS_DEVICE int __double2hiint(double v) { return (int)(__double_as_longlong(v) >> 32); }
WS_DEVICE int __double2loint(double v) { return (int)__double_as_longlong(v); }
WS_DEVICE double __hiloint2double(int hi, int lo) {
  return __longlong_as_double(((long long)hi << 32) | (unsigned int)lo);
}

// NAME_rn, _rz, _ru and _rd convert with the rounding that their ending says.
#define WS_CONVERT(name, to, from, ptx_to, ptx_from, to_class, from_class, rounding, suffix) \
  WS_DEVICE to name##suffix(from v) {                                                        \
    to r;                                                                                    \
    asm("cvt." rounding "." ptx_to "." ptx_from " %0, %1;" : "=" to_class(r) : from_class(v)); \
    return r;                                                                                \
  }
#define WS_CONVERT_ALL(name, to, from, ptx_to, ptx_from, to_class, from_class, i)          \
  WS_CONVERT(name, to, from, ptx_to, ptx_from, to_class, from_class, "rn" i, _rn)          \
  WS_CONVERT(name, to, from, ptx_to, ptx_from, to_class, from_class, "rz" i, _rz)          \
  WS_CONVERT(name, to, from, ptx_to, ptx_from, to_class, from_class, "rp" i, _ru)          \
  WS_CONVERT(name, to, from, ptx_to, ptx_from, to_class, from_class, "rm" i, _rd)
WS_CONVERT_ALL(__float2int, int, float, "s32", "f32", "r", "f", "i")
WS_CONVERT_ALL(__float2uint, unsigned int, float, "u32", "f32", "r", "f", "i")
WS_CONVERT_ALL(__float2ll, long long, float, "s64", "f32", "l", "f", "i")
WS_CONVERT_ALL(__float2ull, unsigned long long, float, "u64", "f32", "l", "f", "i")
WS_CONVERT_ALL(__double2int, int, double, "s32", "f64", "r", "d", "i")
WS_CONVERT_ALL(__double2uint, unsigned int, double, "u32", "f64", "r", "d", "i")
WS_CONVERT_ALL(__double2ll, long long, double, "s64", "f64", "l", "d", "i")
WS_CONVERT_ALL(__double2ull, unsigned long long, double, "u64", "f64", "l", "d", "i")
WS_CONVERT_ALL(__ll2double, double, long long, "f64", "s64", "d", "l", "")
WS_CONVERT_ALL(__ull2double, double, unsigned long long, "f64", "u64", "d", "l", "")
WS_CONVERT_ALL(__double2float, float, double, "f32", "f64", "f", "d", "")
WS_CONVERT_ALL(__int2float, float, int, "f32", "s32", "f", "r", "")
WS_CONVERT_ALL(__uint2float, float, unsigned int, "f32", "u32", "f", "r", "")
WS_CONVERT_ALL(__ll2float, float, long long, "f32", "s64", "f", "l", "")
WS_CONVERT_ALL(__ull2float, float, unsigned long long, "f32", "u64", "f", "l", "")
#undef WS_CONVERT_ALL
#undef WS_CONVERT
WS_DEVICE double __int2double_rn(int v) { return v; }
WS_DEVICE double __uint2double_rn(unsigned int v) { return v; }

// min, max and abs of every type that mixes without a choice.
#define WS_MIN_MAX(type)                                              \
  WS_BOTH type min(type a, type b) { return b < a ? b : a; }          \
  WS_BOTH type max(type a, type b) { return a < b ? b : a; }
WS_MIN_MAX(int)
WS_MIN_MAX(unsigned int)
WS_MIN_MAX(long)
WS_MIN_MAX(unsigned long)
WS_MIN_MAX(long long)
WS_MIN_MAX(unsigned long long)
#undef WS_MIN_MAX
WS_BOTH unsigned int min(int a, unsigned int b) { return min((unsigned int)a, b); }
WS_BOTH unsigned int min(unsigned int a, int b) { return min(a, (unsigned int)b); }
WS_BOTH unsigned int max(int a, unsigned int b) { return max((unsigned int)a, b); }
WS_BOTH unsigned int max(unsigned int a, int b) { return max(a, (unsigned int)b); }
WS_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
WS_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
WS_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
WS_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
WS_BOTH double min(float a, double b) { return __builtin_fmin(a, b); }
WS_BOTH double min(double a, float b) { return __builtin_fmin(a, b); }
WS_BOTH double max(float a, double b) { return __builtin_fmax(a, b); }
WS_BOTH double max(double a, float b) { return __builtin_fmax(a, b); }
WS_DEVICE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
WS_DEVICE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
WS_DEVICE int abs(int v) { return v < 0 ? -v : v; }
WS_DEVICE long abs(long v) { return v < 0 ? -v : v; }
WS_DEVICE long long abs(long long v) { return v < 0 ? -v : v; }
WS_DEVICE long labs(long v) { return v < 0 ? -v : v; }
WS_DEVICE long long llabs(long long v) { return v < 0 ? -v : v; }
