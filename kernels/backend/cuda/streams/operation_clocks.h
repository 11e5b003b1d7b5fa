// The clocks that time the operations of a run: CUPTI's records, timing events, or both, or no more than
// stamps behind the streams; and the readings that relate them to the axis. Owns the recording of CUPTI and
// what it recorded, and which events are around which operation. Enqueues no operations.
//
// Errors: the driver's and CUPTI's; kWorkFailed: the records do not tell when an operation ran. That CUPTI is
// not there, or refuses, is none: events then time the operations, and the report says why.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/streams/activity_log.h"
#include "kernels/backend/cuda/streams/running_gpu.h"
#include "kernels/backend/cuda/streams/stream_axis.h"
#include "kernels/backend/cuda/streams/stream_set.h"

namespace warpscope::cuda {

class OperationClocks {
 public:
  OperationClocks(const StreamWork& work, std::span<RunningGpu> gpus, StreamSet& set);

  // In this order. Each enters the contexts that it needs, but for recordAround(), which finds that of the
  // operation's GPU.
  Expected<void> askHost(std::vector<ClockSample> RunningGpu::*samples);  // before all, and behind all
  Expected<void> choose();
  Expected<void> forgetRecords();  // of what is no operation: making graphs
  Expected<void> wakeStreams();
  Expected<void> recordAround(uint32_t operation, bool after);
  Expected<void> stampEnds();
  Expected<void> readAgain();  // when all has ended
  void end() { activity_.end(); }

  // `calls`, `host_calls`: as StreamAxis'. Any GPU's context is the thread's behind it.
  Expected<StreamReport> report(const Intervals& calls, const std::vector<HostCall*>& host_calls);

 private:
  bool timesWhole() const;
  // CUPTI does not record prefetches: events time these.
  bool usesEvents() const { return !timesWhole() && (timesAllByEvents() || prefetches_); }
  bool timesAllByEvents() const { return !activity_on_ || work_.clocks == StreamWork::Clocks::kBoth; }

  Expected<void> createPairs();
  Expected<void> createPair(EventPair& pair, uint32_t gpu);
  Expected<void> stampBefore();
  Expected<void> stamp(RunningGpu& gpu, std::vector<ClockSample>& samples, std::vector<EventPair>& pairs);
  Expected<void> recordTime(Event event, Stream stream);
  Expected<void> takeStampActivity(std::vector<Activity>& stamps);
  Expected<std::vector<OperationTimes>> placeActivity(StreamAxis& axis);
  void takePrefetches(const std::vector<OperationTimes>& by_events, std::vector<OperationTimes>& times) const;

  const StreamWork& work_;
  std::span<RunningGpu> gpus_;
  Session& session_;  // of the first
  StreamSet& set_;
  const bool prefetches_;
  ActivityLog activity_;
  bool activity_on_ = false;
  std::string problem_;           // why it is not, or does not tell all
  std::vector<EventPair> pairs_;  // by operation; null where none are needed
  std::vector<Activity> activity_of_operations_;
};

}  // namespace warpscope::cuda
