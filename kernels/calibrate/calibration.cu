// Micro-kernels of `warpscope calibrate`: each takes the SM's clock around a loop of one kind of instruction.
// calibration.cpp says what follows from the times.
//
// Every timed instruction is a volatile asm whose result feeds the next one of its chain, and what comes out
// is stored, so that neither nvcc nor ptxas can drop, reorder or merge any. What a loop itself costs drops
// out of the difference between a short and a long body of the same number of rounds.
//
// Common parameters: `stamps`, two clock readings a warp of the grid; `sink`, one word a thread, which takes
// the results (finish, in stamps.cuh); `rounds` of the timed loop. One round goes before, untimed, to fill
// the instruction caches.
#include <cstdint>

#include "kernels/calibrate/stamps.cuh"

namespace warpscope {
namespace {

// Steps in a round: of one chain, of each of four, of memory accesses.
constexpr int kShort = 8, kLong = 32;
constexpr int kShortOfFour = 4, kLongOfFour = 16;
constexpr int kAccesses = 16;

__device__ __forceinline__ uint64_t nanosecondsNow() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

// Values that the compilers cannot know.
struct Words {
  uint32_t a, b, c, d;
};

struct OpFp32Add {
  using Value = float;
  static __device__ __forceinline__ void step(float& x, const Words& w) {
    asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(__uint_as_float(w.a)));
  }
};
struct OpFp32Fma {
  using Value = float;
  static __device__ __forceinline__ void step(float& x, const Words& w) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                 : "+f"(x)
                 : "f"(__uint_as_float(w.a)), "f"(__uint_as_float(w.b)));
  }
};
// Two adds in a row become one instruction (IADD3), an add and an exclusive or do not. Two instructions a
// step.
struct OpIntAddXor {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words& w) {
    asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(w.a));
    asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(w.b));
  }
};
// Five inputs, so that two cannot become one. Two instructions a step.
struct OpLogic {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words& w) {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0xE8;" : "+r"(x) : "r"(w.a), "r"(w.b));
    asm volatile("lop3.b32 %0, %0, %1, %2, 0xE8;" : "+r"(x) : "r"(w.c), "r"(w.d));
  }
};
struct OpShiftXor {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words& w) {
    asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(w.a), "r"(w.b));
    asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(w.c));
  }
};
struct OpIntMad {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words& w) {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(w.a), "r"(w.b));
  }
};
struct OpFp16Fma {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words& w) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(w.a), "r"(w.b));
  }
};
struct OpFp64Fma {
  using Value = double;
  static __device__ __forceinline__ void step(double& x, const Words& w) {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;"
                 : "+d"(x)
                 : "d"(__hiloint2double(static_cast<int>(w.a), 0)),
                   "d"(__hiloint2double(static_cast<int>(w.b), 0)));
  }
};
struct OpSpecial {
  using Value = float;
  static __device__ __forceinline__ void step(float& x, const Words&) {
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
  }
};
// To float and back. Two instructions a step.
struct OpConvert {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words&) {
    asm volatile("cvt.rn.f32.s32 %0, %0;" : "+r"(x));
    asm volatile("cvt.rzi.s32.f32 %0, %0;" : "+r"(x));
  }
};
struct OpShuffle {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words&) {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xFFFFFFFF;" : "+r"(x));
  }
};
// A compare and a ballot. Two instructions a step.
struct OpVote {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words& w) {
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %0, %1;\n\tvote.sync.ballot.b32 %0, p, 0xFFFFFFFF;\n\t}"
        : "+r"(x)
        : "r"(w.a));
  }
};
// Uses what the special register says, which waits for it.
struct OpSpecialRegister {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words&) {
    uint32_t read;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(read));
    asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(read));
  }
};
struct OpXor {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t& x, const Words& w) {
    asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(w.a));
  }
};
struct OpBarrier {
  using Value = uint32_t;
  static __device__ __forceinline__ void step(uint32_t&, const Words&) {
    asm volatile("bar.sync 0;" ::: "memory");
  }
};

__device__ __forceinline__ uint32_t bitsOf(float x) {
  return __float_as_uint(x);
}
__device__ __forceinline__ uint32_t bitsOf(double x) {
  return static_cast<uint32_t>(__double2hiint(x));
}
__device__ __forceinline__ uint32_t bitsOf(uint32_t x) {
  return x;
}
__device__ __forceinline__ void setBits(float& x, uint32_t bits) {
  x = __uint_as_float(bits);
}
__device__ __forceinline__ void setBits(double& x, uint32_t bits) {
  x = __hiloint2double(static_cast<int>(bits), 0);
}
__device__ __forceinline__ void setBits(uint32_t& x, uint32_t bits) {
  x = bits;
}

template <class Op, int kChains, int kSteps>
__device__ __forceinline__ void chains(uint64_t* stamps, uint32_t* sink, uint32_t rounds, Words words) {
  typename Op::Value values[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) setBits(values[chain], words.c + threadIdx.x + chain);
  uint64_t begin = 0, end = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < 2; ++pass) {
    const uint32_t count = pass == 0 ? 1 : rounds;
    __syncthreads();
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < count; ++i) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
#pragma unroll
        for (int chain = 0; chain < kChains; ++chain) Op::step(values[chain], words);
      }
    }
    end = clockNow();
  }
  uint32_t result = 0;
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) result ^= bitsOf(values[chain]);
  finish(stamps, sink, begin, end, result);
}

}  // namespace

// latency_NAME: one chain a warp; interval_NAME: four, so that several warps fill the pipe.
#define WARPSCOPE_CHAIN(kernel, op, chain_count, steps)                                                    \
  extern "C" __global__ void __launch_bounds__(1024) kernel(                                               \
      uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t a, uint32_t b, uint32_t c, uint32_t d) { \
    chains<op, chain_count, steps>(stamps, sink, rounds, Words{a, b, c, d});                               \
  }
#define WARPSCOPE_CHAINS(name, op)                              \
  WARPSCOPE_CHAIN(latency_##name##_short, op, 1, kShort)        \
  WARPSCOPE_CHAIN(latency_##name##_long, op, 1, kLong)          \
  WARPSCOPE_CHAIN(interval_##name##_short, op, 4, kShortOfFour) \
  WARPSCOPE_CHAIN(interval_##name##_long, op, 4, kLongOfFour)

WARPSCOPE_CHAINS(fp32_add, OpFp32Add)
WARPSCOPE_CHAINS(fp32_fma, OpFp32Fma)
WARPSCOPE_CHAINS(int_add_xor, OpIntAddXor)
WARPSCOPE_CHAINS(logic, OpLogic)
WARPSCOPE_CHAINS(shift_xor, OpShiftXor)
WARPSCOPE_CHAINS(int_mad, OpIntMad)
WARPSCOPE_CHAINS(fp16_fma, OpFp16Fma)
WARPSCOPE_CHAINS(fp64_fma, OpFp64Fma)
WARPSCOPE_CHAINS(special, OpSpecial)
WARPSCOPE_CHAINS(convert, OpConvert)
WARPSCOPE_CHAINS(shuffle, OpShuffle)
WARPSCOPE_CHAINS(vote, OpVote)
// One read a round, so that none overlaps the next.
WARPSCOPE_CHAIN(special_register_without, OpXor, 1, 1)
WARPSCOPE_CHAIN(special_register_with, OpSpecialRegister, 1, 1)
WARPSCOPE_CHAIN(barrier_short, OpBarrier, 1, kShort)
WARPSCOPE_CHAIN(barrier_long, OpBarrier, 1, kLong)

namespace {

// Branches over 16 multiply-adds, too many to become predication; each by its own flag, so that one jump
// cannot stand for several. `flags` all ones: all are taken.
template <int kBranches>
__device__ __forceinline__ void branches(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t flags,
                                         uint32_t a, uint32_t b) {
  float x = __uint_as_float(b);
  const float scale = __uint_as_float(a);
  uint64_t begin = 0, end = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < 2; ++pass) {
    const uint32_t count = pass == 0 ? 1 : rounds;
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < count; ++i) {
#pragma unroll
      for (int branch = 0; branch < kBranches; ++branch) {
        asm volatile(
            "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\t@p bra OVER;\n\t"
            "fma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\t"
            "fma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\t"
            "fma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\t"
            "fma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\t"
            "fma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\t"
            "fma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\t"
            "fma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\t"
            "fma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\t"
            "OVER:\n\t}"
            : "+f"(x)
            : "r"(flags & (1U << branch)), "f"(scale));
      }
    }
    end = clockNow();
  }
  finish(stamps, sink, begin, end, __float_as_uint(x));
}

}  // namespace

extern "C" __global__ void branch_short(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t flags,
                                        uint32_t a, uint32_t b) {
  branches<1>(stamps, sink, rounds, flags, a, b);
}
extern "C" __global__ void branch_long(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t flags,
                                       uint32_t a, uint32_t b) {
  branches<5>(stamps, sink, rounds, flags, a, b);
}
// As above where the compiler cannot know that all lanes agree: with what it does for reconvergence.
extern "C" __global__ void branch_lanes_short(uint64_t* stamps, uint32_t* sink, uint32_t rounds,
                                              const uint32_t* flags, uint32_t a, uint32_t b) {
  branches<1>(stamps, sink, rounds, flags[threadIdx.x % 32], a, b);
}
extern "C" __global__ void branch_lanes_long(uint64_t* stamps, uint32_t* sink, uint32_t rounds,
                                             const uint32_t* flags, uint32_t a, uint32_t b) {
  branches<5>(stamps, sink, rounds, flags[threadIdx.x % 32], a, b);
}

// Pointer chases. `first` is the address of a word that holds the next one's address, and so on in a ring;
// `warm` steps go before the timed ones. What the loop costs passes while a load is under way.
#define WARPSCOPE_CHASE(kernel, load)                                                                \
  extern "C" __global__ void kernel(uint64_t* stamps, uint32_t* sink, uint64_t first, uint32_t warm, \
                                    uint32_t rounds) {                                               \
    uint64_t at = first;                                                                             \
    _Pragma("unroll 1") for (uint32_t i = 0; i < warm; ++i) asm volatile(load : "+l"(at)::"memory"); \
    const uint64_t begin = clockNow();                                                               \
    _Pragma("unroll 1") for (uint32_t i = 0; i < rounds; ++i) {                                      \
      _Pragma("unroll") for (int step = 0; step < kAccesses;                                         \
                             ++step) asm volatile(load : "+l"(at)::"memory");                        \
    }                                                                                                \
    const uint64_t end = clockNow();                                                                 \
    finish(stamps, sink, begin, end, static_cast<uint32_t>(at));                                     \
  }
WARPSCOPE_CHASE(chase_l1, "ld.global.ca.u64 %0, [%0];")
WARPSCOPE_CHASE(chase_l2, "ld.global.cg.u64 %0, [%0];")

// Each lane reads the word at lane * stride of shared memory, which holds its own address: the access has
// min(stride, 32) wavefronts for powers of two.
template <int kChains>
__device__ __forceinline__ void sharedLoads(uint64_t* stamps, uint32_t* sink, uint32_t rounds,
                                            uint32_t stride) {
  __shared__ uint32_t words[1024];
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(words));
  for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = base + 4 * i;
  __syncthreads();
  uint32_t at[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) at[chain] = base + 4 * (threadIdx.x % 32 * stride);
  uint64_t begin = 0, end = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < 2; ++pass) {
    const uint32_t count = pass == 0 ? 1 : rounds;
    __syncthreads();
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < count; ++i) {
#pragma unroll
      for (int step = 0; step < kAccesses; ++step) {
#pragma unroll
        for (int chain = 0; chain < kChains; ++chain) {
          asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at[chain])::"memory");
        }
      }
    }
    end = clockNow();
  }
  uint32_t result = 0;
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) result ^= at[chain];
  finish(stamps, sink, begin, end, result);
}

extern "C" __global__ void __launch_bounds__(1024)
    shared_latency(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t stride) {
  sharedLoads<1>(stamps, sink, rounds, stride);
}
extern "C" __global__ void __launch_bounds__(1024)
    shared_interval(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t stride) {
  sharedLoads<4>(stamps, sink, rounds, stride);
}

namespace {

struct Vector {
  uint32_t x, y, z, w;
};
__device__ __forceinline__ uint32_t folded(const Vector& v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}

}  // namespace

// A block reads the same 2^k vectors of 16 bytes again and again, shifted by a line each time: what is read
// again from the same address ptxas would keep in registers.
extern "C" __global__ void __launch_bounds__(1024)
    read_l1(uint64_t* stamps, uint32_t* sink, uint32_t rounds, const void* from, uint32_t mask) {
  const char* base = static_cast<const char*>(from);
  uint32_t result = 0;
  uint64_t begin = 0, end = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < 2; ++pass) {
    const uint32_t count = pass == 0 ? 1 : rounds;
    __syncthreads();
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < count; ++i) {
      Vector v[4];
#pragma unroll
      for (uint32_t k = 0; k < 4; ++k) {
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
                     : "l"(base + size_t{16} * ((threadIdx.x + 256 * k + 8 * i) & mask))
                     : "memory");
      }
#pragma unroll
      for (uint32_t k = 0; k < 4; ++k) result ^= folded(v[k]);
    }
    end = clockNow();
  }
  finish(stamps, sink, begin, end, result);
}

// All blocks read `vectors` vectors (a multiple of four times the threads) together, `rounds` times, past L1.
extern "C" __global__ void __launch_bounds__(1024)
    read_stream(uint64_t* stamps, uint32_t* sink, uint32_t rounds, const void* from, uint64_t vectors) {
  const char* base = static_cast<const char*>(from);
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  uint32_t result = 0;
  const uint64_t begin = clockNow();
#pragma unroll 1
  for (uint32_t round = 0; round < rounds; ++round) {
#pragma unroll 1
    for (uint64_t i = threadInGrid(); i < vectors; i += 4 * stride) {
      Vector v[4];
#pragma unroll
      for (uint32_t k = 0; k < 4; ++k) {
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
                     : "l"(base + 16 * (i + k * stride))
                     : "memory");
      }
#pragma unroll
      for (uint32_t k = 0; k < 4; ++k) result ^= folded(v[k]);
    }
  }
  const uint64_t end = clockNow();
  finish(stamps, sink, begin, end, result);
}

// All threads together read words `stride` (a power of two) apart in a region of 2^log2_words words, past L1,
// beginning a word further at each wrap.
extern "C" __global__ void __launch_bounds__(1024)
    read_words(uint64_t* stamps, uint32_t* sink, uint32_t rounds, const uint32_t* from, uint32_t stride,
               uint32_t log2_words) {
  const uint32_t mask = (1U << log2_words) - 1;
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x * stride;
  uint64_t at = uint64_t{threadInGrid()} * stride;
  uint32_t result = 0;
  const uint64_t begin = clockNow();
#pragma unroll 1
  for (uint32_t round = 0; round < rounds; ++round) {
    uint32_t v[4];
#pragma unroll
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t word = static_cast<uint32_t>(at + ((at >> log2_words) & (stride - 1))) & mask;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(from + word) : "memory");
      at += step;
    }
#pragma unroll
    for (uint32_t k = 0; k < 4; ++k) result ^= v[k];
  }
  const uint64_t end = clockNow();
  finish(stamps, sink, begin, end, result);
}

// All threads together write words `stride` (a power of two) apart in a region of 2^log2_words words,
// beginning a word further at each wrap, as the columns of a matrix are written; then wait until all is
// written.
extern "C" __global__ void __launch_bounds__(1024)
    write_words(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t* to, uint32_t stride,
                uint32_t log2_words) {
  const uint32_t mask = (1U << log2_words) - 1;
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x * stride;
  uint64_t at = uint64_t{threadInGrid()} * stride;
  const uint64_t begin = clockNow();
#pragma unroll 1
  for (uint32_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t word = static_cast<uint32_t>(at + ((at >> log2_words) & (stride - 1))) & mask;
      asm volatile("st.global.u32 [%0], %1;" ::"l"(to + word), "r"(round) : "memory");
      at += step;
    }
  }
  __threadfence();
  const uint64_t end = clockNow();
  finish(stamps, sink, begin, end, 0);
}

// Atomic adds whose operand is what the one before gave back. Lanes below `lanes` take part, each at
// counters[places[lane]]: the compiler cannot know which share one.
extern "C" __global__ void __launch_bounds__(1024)
    atomic_global(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t* counters,
                  const uint32_t* places, uint32_t lanes) {
  const uint32_t lane = threadIdx.x % 32;
  uint32_t* at = counters + places[lane];
  uint32_t value = lane;
  uint64_t begin = clockNow();
  uint64_t end = begin;
  if (lane < lanes) {
    asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(value) : "l"(at) : "memory");
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < rounds; ++i) {
#pragma unroll
      for (int step = 0; step < kAccesses; ++step) {
        asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(value) : "l"(at) : "memory");
      }
    }
    end = clockNow();
  }
  finish(stamps, sink, begin, end, value);
}

// The same without results: nobody waits for one before all are sent.
extern "C" __global__ void __launch_bounds__(1024)
    reduction_global(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t* counters,
                     const uint32_t* places, uint32_t lanes) {
  const uint32_t lane = threadIdx.x % 32;
  uint32_t* at = counters + places[lane];
  const uint64_t begin = clockNow();
  if (lane < lanes) {
#pragma unroll 1
    for (uint32_t i = 0; i < rounds; ++i) {
#pragma unroll
      for (int step = 0; step < kAccesses; ++step) {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(lane) : "memory");
      }
    }
  }
  __threadfence();
  const uint64_t end = clockNow();
  finish(stamps, sink, begin, end, 0);
}

extern "C" __global__ void __launch_bounds__(1024)
    atomic_shared(uint64_t* stamps, uint32_t* sink, uint32_t rounds, const uint32_t* places, uint32_t lanes) {
  __shared__ uint32_t counters[32];
  const uint32_t lane = threadIdx.x % 32;
  if (threadIdx.x < 32) counters[lane] = 0;
  __syncthreads();
  const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(counters + places[lane]));
  uint32_t value = lane;
  uint64_t begin = clockNow();
  uint64_t end = begin;
  if (lane < lanes) {
    asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(value) : "r"(at) : "memory");
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < rounds; ++i) {
#pragma unroll
      for (int step = 0; step < kAccesses; ++step) {
        asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(value) : "r"(at) : "memory");
      }
    }
    end = clockNow();
  }
  finish(stamps, sink, begin, end, value);
}

// 32 KB of constants, all zero; each pass touches every line of 64 bytes once, one after the other.
__constant__ uint32_t constants[8192];

extern "C" __global__ void constant_touch(uint64_t* stamps, uint32_t* sink, uint32_t lines, uint32_t passes) {
  const uint64_t base = __cvta_generic_to_constant(constants);
  uint32_t value = 0;
  uint64_t begin = 0, end = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < passes; ++pass) {
    begin = clockNow();
#pragma unroll 1
    for (uint32_t i = 0; i < lines; ++i) {
      asm volatile("ld.const.u32 %0, [%1];" : "=r"(value) : "l"(base + 64 * i + value) : "memory");
    }
    end = clockNow();
  }
  finish(stamps, sink, begin, end, value);
}

extern "C" __global__ void empty() {}

// Each block: SM, clock at begin and end; some work between.
extern "C" __global__ void __launch_bounds__(1024)
    block_stamps(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t a) {
  const uint64_t begin = clockNow();
  float x = __uint_as_float(a);
#pragma unroll 1
  for (uint32_t i = 0; i < rounds; ++i) OpFp32Add::step(x, Words{a, a, a, a});
  uint32_t smid;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
  if (threadIdx.x == 0) {
    uint64_t* mine = stamps + 3 * blockIdx.x;
    mine[0] = smid;
    mine[1] = begin;
    mine[2] = clockNow();
  }
  if (__float_as_uint(x) == 1) sink[0] = 1;
}

// How fast the SM's clock runs: clock and nanoseconds around a chain of `rounds` x 16 adds.
extern "C" __global__ void clock_rate(uint64_t* stamps, uint32_t* sink, uint32_t rounds, uint32_t a) {
  float x = __uint_as_float(a);
  const uint64_t begin = clockNow();
  const uint64_t begin_ns = nanosecondsNow();
#pragma unroll 1
  for (uint32_t i = 0; i < rounds; ++i) {
#pragma unroll
    for (int step = 0; step < kAccesses; ++step) OpFp32Add::step(x, Words{a, a, a, a});
  }
  const uint64_t end = clockNow();
  const uint64_t end_ns = nanosecondsNow();
  finish(stamps, sink, begin, end, __float_as_uint(x));
  if (threadIdx.x == 0) {
    stamps[2] = begin_ns;
    stamps[3] = end_ns;
  }
}

}  // namespace warpscope
