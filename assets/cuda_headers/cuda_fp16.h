// Half precision: __half and __half2, computed by the GPU's own instructions.
#pragma once

#include "cuda_runtime.h"

#define WS_HALF __half
#define WS_HALF2 __half2
#define WS_TYPE "f16"
#include "warpscope/half.inc"
#undef WS_TYPE
#undef WS_HALF2
#undef WS_HALF
typedef __half half;
typedef __half2 half2;

WS_BOTH __half __float2half(float v) { return __half(v); }
WS_BOTH __half __float2half_rn(float v) { return __half(v); }
WS_BOTH __half __double2half(double v) { return __half((float)v); }
WS_BOTH float __half2float(__half v) { return (float)v; }
WS_DEVICE __half __int2half_rn(int v) { return __half((float)v); }
WS_DEVICE int __half2int_rn(__half v) { return __float2int_rn((float)v); }
WS_DEVICE int __half2int_rz(__half v) { return (int)(float)v; }
WS_DEVICE unsigned short __half_as_ushort(__half v) { return v.bits; }
WS_DEVICE __half __ushort_as_half(unsigned short v) { return __half::of(v); }
WS_DEVICE __half2 __float2half2_rn(float v) { return __half2(__half(v), __half(v)); }
WS_DEVICE __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
WS_DEVICE __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
WS_DEVICE float2 __half22float2(__half2 v) { return make_float2((float)v.x, (float)v.y); }
WS_DEVICE __half2 __half2half2(__half v) { return __half2(v, v); }
WS_DEVICE __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
WS_DEVICE __half2 make_half2(__half a, __half b) { return __half2(a, b); }
WS_DEVICE __half __low2half(__half2 v) { return v.x; }
WS_DEVICE __half __high2half(__half2 v) { return v.y; }
WS_DEVICE float __low2float(__half2 v) { return (float)v.x; }
WS_DEVICE float __high2float(__half2 v) { return (float)v.y; }
WS_DEVICE short __half_as_short(__half v) { return (short)v.bits; }
WS_DEVICE __half __short_as_half(short v) { return __half::of((unsigned short)v); }
WS_DEVICE __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
WS_DEVICE __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
WS_DEVICE __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
WS_DEVICE __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
WS_DEVICE __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
WS_DEVICE __half __uint2half_rn(unsigned int v) { return __half((float)v); }
WS_DEVICE unsigned int __half2uint_rn(__half v) { return __float2uint_rn((float)v); }
