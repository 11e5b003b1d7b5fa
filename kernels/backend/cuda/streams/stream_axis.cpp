#include "kernels/backend/cuda/streams/stream_axis.h"

#include <algorithm>

#include "kernels/backend/stream_times.h"

namespace warpscope::cuda {

StreamAxis::StreamAxis(const StreamWork& work, std::span<const RunningGpu> gpus, const Intervals& calls,
                       const std::vector<HostCall*>& host_calls)
    : work_(work), gpus_(gpus), calls_(calls), host_calls_(host_calls), host_(gpus.front().ofHost()) {
  report_.globaltimer_ns =
      static_cast<uint64_t>(calls_.empty() ? gpus_.front().host_before.front().inner_begin_ns
                                           : host_.timerAt(calls_.front().begin_ns));
  report_.timing.host_uncertainty_ns = host_.uncertaintyNs();
  relateByHost();
}

Expected<std::vector<OperationTimes>> StreamAxis::place(StreamClock clock, const Intervals& measured) {
  const bool activity = clock == StreamClock::kActivity;
  std::vector<ClockRelation> devices;
  for (const RunningGpu& gpu : gpus_) {
    const auto relation = activity ? gpu.ofActivity() : gpu.ofEvents();
    if (!relation) return tl::unexpected(relation.error());
    devices.push_back(*relation);
  }
  // Timing events of two GPUs have nothing in common, CUPTI's records have one clock.
  if (activity && gpus_.size() > 1) relateTimers(devices, middleOf(measured));
  report_.timing.clock = clock;
  report_.timing.uncertainty_ns = 0;
  for (const ClockRelation& device : devices)
    report_.timing.uncertainty_ns = std::max(report_.timing.uncertainty_ns, device.uncertaintyNs());
  report_.timing.uncertainty_ns += activity ? 0 : kEventDelay_ns;

  std::vector<OperationTimes> times(measured.size());
  for (size_t i = 0; i < times.size(); ++i) {
    OperationTimes& of = times[i];
    const uint32_t gpu = gpuOfStream(work_.operations[i]);
    const auto of_device = [&](int64_t ns) { return onAxis(devices[gpu].timerAt(ns), gpu); };
    of.enqueue_ns = ofHost(calls_[i].begin_ns);
    of.enqueued_ns = ofHost(calls_[i].end_ns);
    if (isActivity(work_.operations[i])) {
      of.begin_ns = of_device(measured[i].begin_ns);
      of.end_ns = of_device(measured[i].end_ns);
    } else if (host_calls_[i] != nullptr) {
      of.begin_ns = ofHost(host_calls_[i]->begin_ns);
      of.end_ns = ofHost(host_calls_[i]->end_ns);
    }
  }
  explainMeasured(work_, times);
  return times;
}

// A stamp begins a little after what is before it on its stream has ended: on an H100 1.1 us after a launch,
// 2 to 9 us after a copy (calibrate; driver 580.159.04, 2026-11-26).
void StreamAxis::placeWhole() {
  for (size_t i = 0; i < work_.streams.size(); ++i) {
    const uint32_t gpu = work_.streams[i].gpu;
    report_.total_ns = std::max(report_.total_ns, onAxis(gpus_[gpu].stamps_after[i].inner_begin_ns, gpu));
  }
  for (size_t i = 0; i < calls_.size(); ++i) {
    OperationTimes& times = report_.operations.emplace_back();
    times.gpu = gpuOf(work_, work_.operations[i]);
    times.enqueue_ns = ofHost(calls_[i].begin_ns);
    times.enqueued_ns = ofHost(calls_[i].end_ns);
  }
}

void StreamAxis::relateByHost() {
  if (gpus_.size() < 2) return;
  std::vector<ClockRelation> relations{host_};
  for (size_t gpu = 1; gpu < gpus_.size(); ++gpu) relations.push_back(gpus_[gpu].ofHost());
  relateTimers(relations, calls_.empty() ? hostNowNs() : calls_.back().end_ns);
}

// How far ahead of the first GPU's timer the others are, at the time `at_ns` of the clock that all are
// related to.
void StreamAxis::relateTimers(const std::vector<ClockRelation>& relations, int64_t at_ns) {
  report_.timer_ahead_ns.assign(1, 0);
  report_.timing.gpu_uncertainty_ns = 0;
  for (size_t gpu = 1; gpu < relations.size(); ++gpu) {
    report_.timer_ahead_ns.push_back(relations[gpu].timerAt(at_ns) - relations.front().timerAt(at_ns));
    report_.timing.gpu_uncertainty_ns =
        std::max(report_.timing.gpu_uncertainty_ns,
                 relations[gpu].uncertaintyNs() + relations.front().uncertaintyNs());
  }
}

// The GPU's timer at `timer_ns`.
double StreamAxis::onAxis(int64_t timer_ns, uint32_t gpu) const {
  const int64_t ahead = gpu < report_.timer_ahead_ns.size() ? report_.timer_ahead_ns[gpu] : 0;
  return static_cast<double>(timer_ns - ahead - static_cast<int64_t>(*report_.globaltimer_ns));
}

// Between the first begin and the last end.
int64_t StreamAxis::middleOf(const Intervals& measured) const {
  int64_t first = gpus_.front().activity_before.back().end_ns, last = first;
  for (const Interval& each : measured) last = std::max(last, each.end_ns);
  return first + (last - first) / 2;
}

}  // namespace warpscope::cuda
