// Puts the clocks of all SMs on one axis, the launch axis, and determines how exactly that is possible.
//
// Each SM counts cycles from a start of its own, millions apart, but during a launch all run at the
// same frequency. What ties them together is the GPU-wide globaltimer: a reading is a pair (clock,
// globaltimer) taken by one warp in two adjacent instructions. Two things blur it. The globaltimer ticks in
// steps (32 ns on an H100, about 1 us on other GPUs), so a value g means any time in [g, g + step). And the
// pair is not read at one instant: whichever is read second is read some cycles later, or much later when the
// warp had to wait in between. So a reading bounds the true relation from one side only, and that side is
// certain:
//
//   clock = frequency * time + phase of the SM
//   timer first (a warp's begin):        phase <= clock - frequency * g
//   clock first (an exit, an anchor):    phase >= clock - frequency * (g + step)
//
// Where an SM has bounds on one side only, the other side follows from an assumption: the best of several
// readings was taken within kReadingGapCycles. A delay of a read that the hardware itself causes, by the same
// few cycles on every SM, shifts all phases equally and cancels.
//
// The frequency is common to all SMs but not constant. Readings of an NVIDIA H100 80GB HBM3 (driver
// 580.159.04, 2026-11-21) show the clock of a 250 us launch about 1 % slow for the first 30 us and then
// steady at 1.98 cycles/ns, alike on all SMs within some 10 cycles. One frequency for the whole launch would
// make microseconds of doubt of that. So SMs are compared at equal times: the launch is cut into bins, and in
// each, an SM's phase interval minus that of the reference (the asked SM with most readings) bounds their
// offset, widened by how far the common clock may have drifted between the readings that bind. How far is
// detected by contradicting bounds in the bin itself, and by the reference's neighbouring bins where bins are
// narrow enough for the clock not to turn unseen; else by the highest clock the device has, a few percent
// below the mean, and twice what the reference saw of drift in the whole launch. All bins are intersected,
// from a few steps of the timer up to the whole launch, each 8 times wider than the last: narrow ones see
// least drift, wide ones hold most readings, and the widest holds SMs that were never read at the same time
// as the reference.
//
// An SM's uncertainty is half of what is left plus the jitter of reads; the reference's is 0. Where bins
// exclude each other, the uncertainty is as wide as their disagreement, which is reported if it is more than
// a step.
//
// Mean frequency, for the ns axis: the phases found early and late on one SM must agree; this bounds the
// frequency, and what most SMs allow is kept. Where launches are too short to tell, the device's nominal
// clock, which is its highest, is used within those bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/run/trace.h"

namespace warpscope {

struct ClockReading {
  SmId sm;
  enum class Order { kTimerFirst, kClockFirst } order = Order::kClockFirst;
  uint64_t clock = 0;
  uint64_t globaltimer_ns = 0;  // 0: not read
};

inline constexpr double kReadingGapCycles = 128;

struct AlignedClocks {
  ClockAlignment clocks;        // the requested SMs, ascending; launch zero is the earliest reading of any SM
  int64_t duration_cycles = 0;  // to the latest reading
  uint32_t timer_step_ns = 0;   // as observed, or the fallback
  // The globaltimer's time at launch zero; nullopt: unknown.
  std::optional<int64_t> zero_globaltimer_ns;
  std::vector<TraceProblem> problems;
};

// `sms`: the SMs whose offsets are wanted, ascending; readings of others help to find frequency and duration.
// `nominal_cycles_per_ns` 0: unknown. `timer_resolution_ns` is used where there are too few readings to
// determine it.
AlignedClocks alignClocks(std::span<const ClockReading> readings, std::span<const SmId> sms,
                          double nominal_cycles_per_ns, uint32_t timer_resolution_ns);

}  // namespace warpscope
