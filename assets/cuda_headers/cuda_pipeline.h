// Asynchronous copies from global to shared memory.
#pragma once

#include "cuda_runtime.h"

// Copies 4, 8 or 16 bytes. The last `zeros` bytes are zeros instead.
WS_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  const unsigned int shared = (unsigned int)__cvta_generic_to_shared(to), read = (unsigned int)(bytes - zeros);
  if (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(read) : "memory");
  } else if (bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(from), "r"(read) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(read) : "memory");
  }
}
WS_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
#define __pipeline_wait_prior(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")
