// Micro-kernels of `warpscope calibrate` that need compute capability 9.0: shared memory of another block,
// barriers of a cluster, bulk copies. Parameters and loops are those of calibration.cu; clusters.cpp says
// what follows from the times.
#include <cstdint>

#include "kernels/calibrate/stamps.cuh"

namespace warpscope {
namespace {

constexpr int kAccesses = 16;
constexpr int kShort = 8, kLong = 32;  // barriers in a round
constexpr uint32_t kRingWords = 1024, kRingStep = 32;

__device__ __forceinline__ uint32_t sharedAddress(const void* at) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}
__device__ __forceinline__ uint32_t rankInCluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// The address in the cluster's window of what lies at `address` in that block's shared memory.
__device__ __forceinline__ uint32_t mapped(uint32_t address, uint32_t rank) {
  uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
__device__ __forceinline__ void clusterBarrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// Orders no memory.
__device__ __forceinline__ void relaxedClusterBarrier() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

}  // namespace

// Clusters of two blocks. The first block follows pointers through the second one's shared memory.
extern "C" __global__ void __launch_bounds__(1024)
    remote_latency(uint64_t* stamps, uint32_t* sink, uint32_t rounds) {
  __shared__ uint32_t ring[kRingWords];
  const uint32_t rank = rankInCluster(), base = sharedAddress(ring);
  for (uint32_t i = threadIdx.x; i < kRingWords; i += blockDim.x)
    ring[i] = mapped(base + (i + kRingStep) % kRingWords * sizeof(uint32_t), rank);
  clusterBarrier();
  uint32_t at = mapped(base + threadIdx.x % kRingStep * sizeof(uint32_t), rank ^ 1);
  uint64_t begin = 0, end = 0;
  if (rank == 0) {
#pragma unroll 1
    for (uint32_t pass = 0; pass < 2; ++pass) {
      const uint32_t count = pass == 0 ? 1 : rounds;
      begin = clockNow();
#pragma unroll 1
      for (uint32_t i = 0; i < count; ++i) {
#pragma unroll
        for (int step = 0; step < kAccesses; ++step)
          asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at)::"memory");
      }
      end = clockNow();
    }
  }
  clusterBarrier();
  finish(stamps, sink, begin, end, at);
}

// Clusters of two blocks, each of which reads the other's shared memory with all its threads: a dynamic
// allocation of 2^k vectors of 16 bytes.
extern "C" __global__ void __launch_bounds__(1024)
    remote_interval(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t vectors) {
  extern __shared__ uint4 data[];
  for (uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) data[i] = make_uint4(i, i, i, i);
  clusterBarrier();
  const uint32_t other = mapped(sharedAddress(data), rankInCluster() ^ 1);
  uint32_t result = 0;
  uint64_t begin = 0, end = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < 2; ++pass) {
    const uint32_t count = pass == 0 ? 1 : rounds;
    clusterBarrier();
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < count; ++i) {
#pragma unroll
      for (uint32_t k = 0; k < kAccesses; ++k) {
        uint4 v;
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(other + 16 * ((threadIdx.x + k * blockDim.x + i) & (vectors - 1)))
                     : "memory");
        result ^= v.x ^ v.y ^ v.z ^ v.w;
      }
    }
    end = clockNow();
  }
  clusterBarrier();
  finish(stamps, sink, begin, end, result);
}

// Clusters of two blocks. All lanes of all warps add to words of the other block's shared memory, each to one
// in a sector of its own in its warp; to its first `words` words, a multiple of 256 and at most kCounters.
constexpr uint32_t kCounters = 2048, kSectorWords = 8;
extern "C" __global__ void __launch_bounds__(1024)
    remote_atomics(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t words) {
  __shared__ uint32_t counters[kCounters];
  for (uint32_t i = threadIdx.x; i < kCounters; i += blockDim.x) counters[i] = 0;
  clusterBarrier();
  const uint32_t other = mapped(sharedAddress(counters), rankInCluster() ^ 1);
  const uint32_t own = threadIdx.x % 32 * kSectorWords + threadIdx.x / 32;
  uint64_t begin = 0, end = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < 2; ++pass) {
    const uint32_t count = pass == 0 ? 1 : rounds;
    clusterBarrier();
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < count; ++i) {
#pragma unroll
      for (uint32_t k = 0; k < kAccesses; ++k) {
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(
                         other + (own + 32 * kSectorWords * k) % words * 4),
                     "r"(i)
                     : "memory");
      }
    }
    clusterBarrier();  // a release: all of them have been done
    end = clockNow();
  }
  clusterBarrier();
  finish(stamps, sink, begin, end, counters[threadIdx.x % kCounters]);
}

namespace {

// The warps of a cluster meet `Steps` times a round.
template <int Steps, bool Relaxed>
__device__ __forceinline__ void meet(uint64_t* stamps, uint32_t* sink, uint32_t rounds) {
  uint64_t begin = 0, end = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < 2; ++pass) {
    const uint32_t count = pass == 0 ? 1 : rounds;
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < count; ++i) {
#pragma unroll
      for (int step = 0; step < Steps; ++step) {
        if (Relaxed) {
          relaxedClusterBarrier();
        } else {
          clusterBarrier();
        }
      }
    }
    end = clockNow();
  }
  finish(stamps, sink, begin, end, 0);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(1024)
    cluster_barrier_short(uint64_t* stamps, uint32_t* sink, uint32_t rounds) {
  meet<kShort, true>(stamps, sink, rounds);
}
extern "C" __global__ void __launch_bounds__(1024)
    cluster_barrier_long(uint64_t* stamps, uint32_t* sink, uint32_t rounds) {
  meet<kLong, true>(stamps, sink, rounds);
}
extern "C" __global__ void __launch_bounds__(1024)
    cluster_barrier_releasing_short(uint64_t* stamps, uint32_t* sink, uint32_t rounds) {
  meet<kShort, false>(stamps, sink, rounds);
}
extern "C" __global__ void __launch_bounds__(1024)
    cluster_barrier_releasing_long(uint64_t* stamps, uint32_t* sink, uint32_t rounds) {
  meet<kLong, false>(stamps, sink, rounds);
}

// One warp, whose first lane copies `bytes` (a multiple of 16) from `from` into the dynamic shared memory in
// `copies` equal parts, waits until all are there, and so on. With 0 copies it waits for its own arrival.
extern "C" __global__ void __launch_bounds__(32)
    bulk_copies(uint64_t* stamps, uint32_t* sink, uint32_t rounds, const char* from, uint32_t bytes,
                uint32_t copies) {
  extern __shared__ uint4 data[];
  __shared__ uint64_t barrier;
  const uint32_t place = sharedAddress(data), full = sharedAddress(&barrier);
  uint64_t begin = 0, end = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    uint32_t parity = 0;
#pragma unroll 1
    for (uint32_t pass = 0; pass < 2; ++pass) {
      const uint32_t count = pass == 0 ? 1 : rounds;
      begin = clockNow();
#pragma unroll 1
      for (uint32_t i = 0; i < count; ++i) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full), "r"(bytes * copies)
                     : "memory");
#pragma unroll 1
        for (uint32_t k = 0; k < copies; ++k) {
          asm volatile(
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                  place + k * bytes),
              "l"(from + size_t{k} * bytes), "r"(bytes), "r"(full)
              : "memory");
        }
        asm volatile(
            "{\n .reg .pred over;\nWAIT:\n"
            " mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n @!over bra WAIT;\n}\n" ::"r"(full),
            "r"(parity)
            : "memory");
        parity ^= 1;
      }
      end = clockNow();
    }
  }
  finish(stamps, sink, begin, end, 0);
}

}  // namespace warpscope
