// What kernels call to record themselves: a template policy. NoProbe compiles to nothing and is what gets
// timed; WarpProbe records into the memory that layout.h describes; ResidencyProbe records only when warps
// come and go. A kernel reads
//
//   template <class Probe>
//   __global__ void kernel(Probe probe, ...) {
//     auto log = probe.begin();      // at entry, while the warp's lanes are together
//     log.mark(kLoad);               // the lanes that pass here together enter region kLoad
//     ...
//   }                                // the log's destructor records the exit on every return path
//   WARPSCOPE_INSTANTIATE(kernel)    // makes nvcc emit an entry for each of the three
//
// A mark costs a recorded warp about 40 cycles and every other warp one test, so mark a loop rather than its
// trips where the loop is what is timed.
#pragma once

#include "kernels/probe/layout.h"

namespace warpscope {

struct NoProbe {
  struct Log {
    __device__ __forceinline__ void mark(uint32_t /*region*/) const {}
  };
  __device__ __forceinline__ Log begin() const { return {}; }
};

namespace probe_detail {

// All volatile, and so in the order written; the memory clobber keeps loads and stores in their region.
__device__ __forceinline__ uint32_t clockLow() {
  uint32_t clock;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory");
  return clock;
}

// The SM's clock and the GPU-wide timer, read by adjacent instructions: nothing may come between them, for
// what lies between is not known to the alignment of clocks (kernels/execute/clock_alignment.h).
struct ClockPair {
  uint64_t clock, globaltimer_ns;
};
__device__ __forceinline__ ClockPair timerThenClock() {
  ClockPair pair;
  asm volatile("mov.u64 %1, %%globaltimer;\n\tmov.u64 %0, %%clock64;"
               : "=l"(pair.clock), "=l"(pair.globaltimer_ns)::"memory");
  return pair;
}
__device__ __forceinline__ ClockPair clockThenTimer() {
  ClockPair pair;
  asm volatile("mov.u64 %0, %%clock64;\n\tmov.u64 %1, %%globaltimer;"
               : "=l"(pair.clock), "=l"(pair.globaltimer_ns)::"memory");
  return pair;
}

__device__ __forceinline__ uint32_t smId() {
  uint32_t sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}
__device__ __forceinline__ uint32_t hardwareWarpSlot() {
  uint32_t slot;
  asm("mov.u32 %0, %%warpid;" : "=r"(slot));
  return slot;
}
__device__ __forceinline__ uint32_t lowerLanes() {
  uint32_t mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

// Keeps a value in a register: the compiler would read it again at each mark, at a latency that a mark cannot
// hide.
__device__ __forceinline__ uint32_t keptInRegister(uint32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

__device__ __forceinline__ uint32_t linearBlock() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__device__ __forceinline__ uint32_t linearThread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ __forceinline__ void writeAnchor(ProbeAnchor* anchor) {
  const ClockPair now = clockThenTimer();
  anchor->clock = now.clock;
  anchor->globaltimer_ns = now.globaltimer_ns;
  anchor->sm = smId();
  anchor->valid = 1;
}

}  // namespace probe_detail

// One warp's log, held by each of its lanes. `recording_` is the same in all lanes.
class WarpLog {
 public:
  __device__ __forceinline__ explicit WarpLog(const ProbeParams& params) : params_(params) {
    using namespace probe_detail;
    const uint32_t block = linearBlock();
    if (block < params.anchor_blocks && linearThread() == 0) writeAnchor(&params.begin_anchors[block]);
    const uint32_t sm = smId();
    if (block < params.first_blocks || sm < params.sms) takeSlot(block, sm);
  }
  WarpLog(const WarpLog&) = delete;
  WarpLog& operator=(const WarpLog&) = delete;

  __device__ __forceinline__ ~WarpLog() {
    if (recording_) recordExit();
    // Written as the first thread leaves: one writer a block, so clock and timer are of one reading.
    using namespace probe_detail;
    const uint32_t from_last = gridDim.x * gridDim.y * gridDim.z - 1 - linearBlock();
    if (from_last < params_.anchor_blocks && linearThread() == 0) {
      writeAnchor(&params_.end_anchors[params_.anchor_blocks - 1 - from_last]);
    }
  }

  __device__ __forceinline__ void mark(uint32_t region) {
    if (!recording_) return;
    const uint32_t mask = __activemask();
    if ((mask & lower_lanes_) != 0) return;  // the leader speaks for all that are here
    if (written_ < records_per_lane_) {
      const uint32_t clock = (probe_detail::clockLow() >> clock_shift_) & 0xFFFFFFU;
      // One 8-byte store: a record is whole or absent.
      *reinterpret_cast<uint2*>(records_ + written_) = make_uint2(clock | region << kProbeClockBits, mask);
    }
    ++written_;
  }

 private:
  __device__ __forceinline__ void takeSlot(uint32_t block, uint32_t sm) {
    using namespace probe_detail;
    lower_lanes_ = keptInRegister(lowerLanes());
    records_per_lane_ = keptInRegister(params_.records_per_lane);
    clock_shift_ = keptInRegister(params_.clock_shift);
    const uint32_t live = __activemask();
    const bool leader = (live & lower_lanes_) == 0;
    uint32_t slot = 0;
    if (leader) slot = atomicAdd(params_.warps_seen, 1U);
    slot = __shfl_sync(live, slot, __ffs(static_cast<int>(live)) - 1);
    if (slot >= params_.max_warps) return;  // seen, and so counted as unrecorded
    recording_ = true;
    lane_index_ = slot * kProbeWarpSize + (linearThread() % kProbeWarpSize);
    records_ = params_.records + static_cast<uint64_t>(lane_index_) * params_.records_per_lane;
    if (!leader) return;
    ProbeWarpHeader& header = params_.headers[slot];
    header.block = block;
    header.warp_in_block = linearThread() / kProbeWarpSize;
    header.sm = sm;
    header.hardware_slot = hardwareWarpSlot();
    header.live_mask = live;
    header.reserved = 0;
    const ClockPair now = timerThenClock();  // last: what is above is not the kernel's time
    header.begin_globaltimer_ns = now.globaltimer_ns;
    header.begin_clock = now.clock;
  }

  __device__ __forceinline__ void recordExit() {
    using namespace probe_detail;
    const ClockPair now = clockThenTimer();  // first, for the same reason
    const uint32_t leaving = __activemask();
    ProbeLaneTail& tail = params_.tails[lane_index_];
    // The host cleared the tails: a lane that led nothing has nothing to say, and 32 lanes that write 4 bytes
    // 24 bytes apart are what costs most of an exit.
    if (written_ != 0) tail.written = written_;
    if ((leaving & lower_lanes_) != 0) return;
    tail.exit_clock = now.clock;
    tail.exit_globaltimer_ns = now.globaltimer_ns;
    tail.exit_mask = leaving;
  }

  const ProbeParams& params_;  // the kernel's parameter: read from constant memory where used
  ProbeRecord* records_ = nullptr;
  uint32_t lane_index_ = 0;  // slot * 32 + lane
  uint32_t written_ = 0;     // by this lane as leader, those past the log's end included
  uint32_t lower_lanes_ = 0, records_per_lane_ = 0, clock_shift_ = 0;
  bool recording_ = false;
};

struct WarpProbe {
  ProbeParams params;
  __device__ __forceinline__ WarpLog begin() const { return WarpLog(params); }
};

// Writes when warps come and go, and does nothing else: marks cost nothing, a warp reads one clock as it
// begins, and whatever else is needed comes behind its last instruction.
struct ResidencyProbe {
  class Log {
   public:
    __device__ __forceinline__ explicit Log(const ResidencyParams& params)
        : params_(params), begin_(probe_detail::clockLow()) {}
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;
    __device__ __forceinline__ void mark(uint32_t /*region*/) const {}
    // Lanes that leave apart write one after the other: what the last ones wrote stays.
    __device__ __forceinline__ ~Log() {
      const uint32_t end = probe_detail::clockLow();
      const uint32_t sm = probe_detail::smId();
      if ((sm & params_.sm_mask) == 0) write(end, sm);
    }

   private:
    // All lanes write the same, so that none has to be found that speaks for them. Reading a special register
    // holds up the shuffles and shared memory of other warps: as few as can be.
    __device__ __forceinline__ void write(uint32_t end, uint32_t sm) const {
      using namespace probe_detail;
      const uint32_t through = clockBehindLoadStoreUnit(end);
      const uint32_t threads = blockDim.x * blockDim.y * blockDim.z;
      const uint32_t thread = threads == blockDim.x ? threadIdx.x : linearThread();
      const uint32_t block = gridDim.y * gridDim.z == 1 ? blockIdx.x : linearBlock();
      const uint32_t warps = (threads + kProbeWarpSize - 1) / kProbeWarpSize;
      const uint32_t warp = keptInRegister(block * warps + thread / kProbeWarpSize);
      if (warp >= params_.warps) return;
      const uint32_t place = keptInRegister(kProbeStayWritten | sm << 8 | hardwareWarpSlot());
      const uint32_t wait = min(through - end, 0xFFFFU), probe = min(clockLow() - through, 0xFFFFU);
      *reinterpret_cast<uint4*>(params_.stays + warp) =
          make_uint4(begin_, through, wait | probe << 16, place);
    }

    // A warp's loads, stores and shuffles go through one queue in order, and it holds its place until they
    // are through: so the clock is read behind a shuffle, on whose result (each lane's own value) the reading
    // depends.
    __device__ __forceinline__ static uint32_t clockBehindLoadStoreUnit(uint32_t end) {
      const uint32_t shuffled = __shfl_xor_sync(__activemask(), end, 0);
      uint32_t clock;
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "setp.eq.u32 p, %1, %2;\n\t"
          "mov.u32 %0, %2;\n\t"
          "@p mov.u32 %0, %%clock;\n\t}"
          : "=&r"(clock)
          : "r"(shuffled), "r"(end)
          : "memory");
      return clock;
    }

    const ResidencyParams& params_;
    uint32_t begin_;
  };

  ResidencyParams params;
  __device__ __forceinline__ Log begin() const { return Log(params); }
};

static_assert(sizeof(NoProbe) == 1, "an empty first parameter is one byte");
static_assert(sizeof(WarpProbe) == sizeof(ProbeParams),
              "the host fills a probed kernel's first parameter as ProbeParams");

}  // namespace warpscope

// Behind each kernel, at namespace scope: has nvcc emit its three forms, which kernel_modules.h finds.
#define WARPSCOPE_INSTANTIATE(kernel)                                                                     \
  [[maybe_unused]] static const void* const kernel##_entries[] = {                                        \
      reinterpret_cast<const void*>(&kernel<NoProbe>), reinterpret_cast<const void*>(&kernel<WarpProbe>), \
      reinterpret_cast<const void*>(&kernel<ResidencyProbe>)}

// The same for a kernel whose template takes more than the probe: behind it, once for each list of further
// arguments. WARPSCOPE_INSTANTIATE_WITH(tree, float) makes what LaunchPlan::kernel calls "tree<float>".
#define WARPSCOPE_INSTANTIATE_WITH(kernel, ...)                                                         \
  [[maybe_unused]] static const void* const WARPSCOPE_UNIQUE_NAME(kernel##_entries_, __COUNTER__)[] = { \
      reinterpret_cast<const void*>(&kernel<NoProbe, __VA_ARGS__>),                                     \
      reinterpret_cast<const void*>(&kernel<WarpProbe, __VA_ARGS__>),                                   \
      reinterpret_cast<const void*>(&kernel<ResidencyProbe, __VA_ARGS__>)}
#define WARPSCOPE_UNIQUE_NAME(name, number) WARPSCOPE_JOINED(name, number)
#define WARPSCOPE_JOINED(name, number) name##number
