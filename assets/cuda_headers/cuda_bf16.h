// bfloat16: __nv_bfloat16 and __nv_bfloat162.
#pragma once

#include "cuda_runtime.h"

#define WS_HALF __nv_bfloat16
#define WS_HALF2 __nv_bfloat162
#define WS_TYPE "bf16"
#define WS_IS_BFLOAT16
#include "warpscope/half.inc"
#undef WS_IS_BFLOAT16
#undef WS_TYPE
#undef WS_HALF2
#undef WS_HALF
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

WS_BOTH __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
WS_BOTH __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
WS_BOTH float __bfloat162float(__nv_bfloat16 v) { return (float)v; }
WS_DEVICE __nv_bfloat162 __float2bfloat162_rn(float v) { return __nv_bfloat162(__nv_bfloat16(v), __nv_bfloat16(v)); }
WS_DEVICE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
WS_DEVICE float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2((float)v.x, (float)v.y); }
WS_DEVICE float __low2float(__nv_bfloat162 v) { return (float)v.x; }
WS_DEVICE float __high2float(__nv_bfloat162 v) { return (float)v.y; }
WS_DEVICE __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
WS_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return __nv_bfloat162(v, v); }
WS_DEVICE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
WS_DEVICE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
WS_DEVICE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
WS_BOTH __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16((float)v); }
WS_DEVICE __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16((float)v); }
WS_DEVICE int __bfloat162int_rn(__nv_bfloat16 v) { return __float2int_rn((float)v); }
WS_DEVICE int __bfloat162int_rz(__nv_bfloat16 v) { return (int)(float)v; }
WS_DEVICE unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.bits; }
WS_DEVICE __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __nv_bfloat16::of(v); }
