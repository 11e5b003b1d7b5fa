// The words of CUDA C++ that are no part of C++: attributes, and the variables that say where a thread is.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 5
#define CUDART_VERSION 11050
#define CUDA_VERSION 11050
#ifndef __CUDACC__
#define __CUDACC__
#endif

// Our own: a function of the device, one of both sides, and what a member has. They have no lines of their own (nodebug), so that
// what is inlined stands at the line that calls it.
#define WS_DEVICE static __inline__ __attribute__((always_inline, nodebug, device, unused))
#define WS_BOTH static __inline__ __attribute__((always_inline, nodebug, device, host, unused))
#define WS_CODE __attribute__((nodebug, device))

#include "warpscope/vectors.h"

// threadIdx.x and its kin read a special register each time that they are named.
#define WS_COORDINATE(member, builtin)                      \
  __declspec(property(get = ws_get_##member)) unsigned int member; \
  static __inline__ __attribute__((always_inline, nodebug, device)) unsigned int ws_get_##member() { return builtin(); }
#define WS_COORDINATES(type, converted, builtin)                                                   \
  struct type {                                                                                    \
    WS_COORDINATE(x, builtin##_x)                                                                  \
    WS_COORDINATE(y, builtin##_y)                                                                  \
    WS_COORDINATE(z, builtin##_z)                                                                  \
    __attribute__((device)) operator converted() const { return converted{x, y, z}; }              \
    __attribute__((device)) operator WS_OTHER_##converted() const { return WS_OTHER_##converted{x, y, z}; } \
  }
#define WS_OTHER_uint3 dim3
#define WS_OTHER_dim3 uint3
WS_COORDINATES(WsThreadIdx, uint3, __nvvm_read_ptx_sreg_tid);
WS_COORDINATES(WsBlockIdx, uint3, __nvvm_read_ptx_sreg_ctaid);
WS_COORDINATES(WsBlockDim, dim3, __nvvm_read_ptx_sreg_ntid);
WS_COORDINATES(WsGridDim, dim3, __nvvm_read_ptx_sreg_nctaid);
#undef WS_COORDINATES
#undef WS_COORDINATE
extern const __attribute__((device, weak)) WsThreadIdx threadIdx;
extern const __attribute__((device, weak)) WsBlockIdx blockIdx;
extern const __attribute__((device, weak)) WsBlockDim blockDim;
extern const __attribute__((device, weak)) WsGridDim gridDim;
static const int warpSize = 32;
