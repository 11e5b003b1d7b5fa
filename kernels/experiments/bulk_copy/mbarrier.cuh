// The mbarrier instructions that kernels with asynchronous copies use (PTX ISA 8.0, "mbarrier").
#pragma once

#include <cstdint>

namespace warpscope {

__device__ __forceinline__ uint32_t sharedAddress(const void* at) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

__device__ __forceinline__ void initBarrier(uint64_t* barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(arrivals)
               : "memory");
}
__device__ __forceinline__ void arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(barrier))
               : "memory");
}
__device__ __forceinline__ void arriveExpecting(uint64_t* barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)),
      "r"(bytes)
      : "memory");
}
__device__ __forceinline__ void waitFor(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      " .reg .pred over;\n"
      "WAIT:\n"
      " mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 over, [%0], %1;\n"
      " @!over bra WAIT;\n"
      "}\n" ::"r"(sharedAddress(barrier)),
      "r"(parity)
      : "memory");
}
// The same where blocks of the cluster have arrived, whose writes are then seen.
__device__ __forceinline__ void waitForCluster(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      " .reg .pred over;\n"
      "WAIT:\n"
      " mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%0], %1;\n"
      " @!over bra WAIT;\n"
      "}\n" ::"r"(sharedAddress(barrier)),
      "r"(parity)
      : "memory");
}

}  // namespace warpscope
