// Puts the clocks of all SMs on one axis, the launch axis, and says how well that can be known.
//
// Each SM counts cycles from a start of its own, millions apart, but during a launch all run at one
// frequency. What ties them together is the GPU-wide globaltimer: a reading is a pair (clock, globaltimer)
// taken by one warp in two adjacent instructions. Two things blur it. The globaltimer ticks in steps (32 ns
// on an H100, about 1 us on other GPUs), so a value g means any time in [g, g + step). And the pair is not
// read at one instant: whichever is read second is read some cycles later, or much later when the warp had to
// wait in between. So a reading bounds the true relation from one side only, and that side is certain:
//
//   clock = frequency * time + phase of the SM
//   timer first (a warp's begin):        phase <= clock - frequency * g
//   clock first (an exit, an anchor):    phase >= clock - frequency * (g + step)
//
// The phase of an SM lies between the largest lower and the smallest upper bound of all its readings. Of an
// SM that has bounds on one side only, the other follows from the best reading having been taken within
// kReadingGapCycles. A read that the hardware itself delays by the same few cycles on every SM shifts all
// phases alike and cancels.
//
// Frequency: the phases found early and late on one SM must agree; this bounds the frequency, and what most
// SMs allow is kept. Where launches are too short to tell, the device's nominal clock is used within those
// bounds. The uncertainty of an SM is half the width that its bounds leave, plus what the uncertainty of the
// frequency does to readings taken at different times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/trace/trace.h"

namespace warpscope {

struct ClockReading {
  SmId sm;
  enum class Order { kTimerFirst, kClockFirst } order = Order::kClockFirst;
  uint64_t clock = 0;
  uint64_t globaltimer_ns = 0;  // 0: not read
};

inline constexpr double kReadingGapCycles = 128;

struct AlignedClocks {
  ClockAlignment clocks;        // the asked SMs, ascending; launch zero is the earliest reading of any SM
  int64_t duration_cycles = 0;  // to the latest
  uint32_t timer_step_ns = 0;   // as seen, or the fallback
  std::vector<TraceProblem> problems;
};

// `sms`: the SMs whose offsets are wanted, ascending; readings of others help to find frequency and duration.
// `nominal_cycles_per_ns` 0: unknown. `timer_resolution_ns` is used where there are too few readings to see
// it.
AlignedClocks alignClocks(std::span<const ClockReading> readings, std::span<const SmId> sms,
                          double nominal_cycles_per_ns, uint32_t timer_resolution_ns);

}  // namespace warpscope
