// A GPU whose streams operations run on, and what relates its timer to other clocks: the readings before and
// behind the operations. Owns none of what it points to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend/cuda/hold.h"
#include "kernels/backend/cuda/session.h"
#include "kernels/backend/cuda/streams/activity_log.h"
#include "kernels/backend/cuda/streams/clock_relation.h"
#include "kernels/backend/cuda/streams/timer_probe.h"

namespace warpscope::cuda {

struct EventPair {
  Event before = nullptr, after = nullptr;
};
struct Interval {
  int64_t begin_ns = 0, end_ns = 0;
};
using Intervals = std::vector<Interval>;  // by operation; zeros for what is no activity

struct RunningGpu {
  Session* session = nullptr;
  Hold* hold = nullptr;
  TimerProbe* probe = nullptr;
  // Readings of its timer: those that the host asked for, and stamps. Each stamp lies between a pair of
  // timing events, or the begin and end of CUPTI's record of its kernel, or both.
  std::vector<ClockSample> host_before{}, host_after{}, stamps_before{}, stamps_after{};
  std::vector<EventPair> pairs_before{}, pairs_after{};
  std::vector<Activity> activity_before{}, activity_after{};

  int64_t step() const;  // of its timer, ns
  ClockRelation ofHost() const { return {host_before, host_after, step()}; }
  ClockRelation ofActivity() const;  // CUPTI's clock
  // By the clock of timing events: nanoseconds since the first one before the stamps. The GPU's context is
  // the thread's behind these. Errors: the driver's.
  Expected<ClockRelation> ofEvents() const;
  Expected<Interval> timeOf(const EventPair& pair) const;

 private:
  Expected<int64_t> timeOf(Event event) const;
  Expected<std::vector<ClockSample>> between(const std::vector<ClockSample>& stamps,
                                             const std::vector<EventPair>& pairs) const;
};

// `work(gpu)` for each GPU, whose context is current then; that of the first is behind it.
template <class Work>
Expected<void> onEach(std::span<RunningGpu> gpus, const Work& work) {
  Expected<void> done;
  for (RunningGpu& gpu : gpus) {
    if (done) done = gpu.session->enter().and_then([&] { return work(gpu); });
  }
  return done && gpus.size() > 1 ? gpus.front().session->enter() : done;
}

}  // namespace warpscope::cuda
