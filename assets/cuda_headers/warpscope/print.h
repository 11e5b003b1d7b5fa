// printf, assert and memory for kernels.
#pragma once

#include "warpscope/language.h"

extern "C" {
__device__ int vprintf(const char* format, const char* arguments);
__device__ int printf(const char* format, ...);
__attribute__((noreturn)) __device__ void __assertfail(const char* message, const char* file, unsigned int line, const char* function, size_t char_bytes);
__device__ void* malloc(size_t bytes);
__device__ void free(void* p);
}
// What <assert.h>'s macro calls on the host.
__attribute__((noreturn)) WS_DEVICE void __assert_fail(const char* message, const char* file, unsigned int line, const char* function) {
  __assertfail(message, file, line, function, 1);
}
