// The axis of a run of operations on streams, which is the %globaltimer of the first GPU, and where on it
// everything was: the host's calls, and what was measured by another clock. Needs the readings of all clocks
// (running_gpu.h), before and behind the operations; each error is one of reading timing events.
#pragma once

#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/streams/running_gpu.h"
#include "kernels/backend/cuda/streams/stream_set.h"

namespace warpscope::cuda {

// A timing event behind an operation is passed up to this much later than the operation ends by CUPTI's
// records (H100 80GB HBM3, driver 580.159.04, 2026-11-25: 2.3 to 10.3 us for copies and launches on four
// streams).
inline constexpr double kEventDelay_ns = 12'000;

class StreamAxis {
 public:
  // `calls`: the host's, by operation; `host_calls`: what the host's functions did, null for other
  // operations. All must outlive this object.
  StreamAxis(const StreamWork& work, std::span<const RunningGpu> gpus, const Intervals& calls,
             const std::vector<HostCall*>& host_calls);

  // `measured`: by this clock. report() then says how certain that was.
  Expected<std::vector<OperationTimes>> place(StreamClock clock, const Intervals& measured);
  // Places the host's calls only, and finds when the last operation ended, by the stamps behind the streams.
  void placeWhole();

  // Where the axis begins, what is known of the clocks, and what placeWhole() has found.
  StreamReport& report() { return report_; }

 private:
  uint32_t gpuOfStream(const EnqueuedOperation& operation) const {
    return work_.streams[operation.stream].gpu;
  }
  void relateByHost();
  void relateTimers(const std::vector<ClockRelation>& relations, int64_t at_ns);
  double onAxis(int64_t timer_ns, uint32_t gpu) const;
  double ofHost(int64_t host_ns) const { return onAxis(host_.timerAt(host_ns), 0); }
  int64_t middleOf(const Intervals& measured) const;

  const StreamWork& work_;
  std::span<const RunningGpu> gpus_;
  const Intervals& calls_;
  const std::vector<HostCall*>& host_calls_;
  ClockRelation host_;  // of the first GPU
  StreamReport report_;
};

}  // namespace warpscope::cuda
