// What operations on streams wait for: what orders them, by the streams, events and synchronisation with
// which the host enqueues them; and from that and their times, modelled or measured, why each began when it
// did.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "kernels/run/stream_log.h"

namespace warpscope {

struct StreamDependency {
  uint32_t operation = 0;
  StreamWait kind = StreamWait::kStream;
};

class StreamOrder {
 public:
  explicit StreamOrder(std::span<const StreamInfo> streams);
  // The operations that must end before the one that is enqueued next; of kTrigger: that must have triggered
  // it. `event`: of kEvent and kWait. `programmatic`: a launch that a launch before it on its stream may
  // trigger; behind anything else it waits for the end like any other.
  std::vector<StreamDependency> add(OperationKind kind, uint32_t stream, uint32_t event,
                                    bool programmatic = false);
  // The next `count` operations are a graph, launched on `stream` as one: what those of them must wait for
  // that wait for nothing in it. What comes behind them on the stream waits for those in `last`.
  std::vector<StreamDependency> addGraph(uint32_t stream, uint32_t count, std::vector<uint32_t> last);

 private:
  std::vector<StreamDependency> waitsOf(uint32_t stream, bool programmatic) const;

  std::vector<StreamKind> kinds_;
  std::vector<std::vector<uint32_t>> last_of_;  // by stream: the operation enqueued last; of a graph, several
  std::map<uint32_t, uint32_t> recorded_;       // by event: the operation that recorded it last
  std::vector<OperationKind> operations_;       // that were enqueued
};
// The launch that triggers the one with these dependencies; nullopt: it waits for the ends of all.
std::optional<uint32_t> primaryAmong(std::span<const StreamDependency> after);
// The operations that must end, ascending.
std::vector<uint32_t> endsAwaited(std::span<const StreamDependency> after);

// All times are in one unit, whichever it is.
struct TimedOperation {
  OperationKind kind = OperationKind::kLaunch;
  std::vector<StreamDependency> after;
  double seen = 0;  // from when on the GPU could have begun it
  double begin = 0, end = 0;
  std::optional<double> delay{};  // in place of BeginDelays::any
  // When all blocks of a launch had triggered the next one; unless nothing depends on it.
  double triggered = 0;
  uint32_t gpu = 0;  // as StreamOperation's
};

// The end of one block of a launch.
struct BlockEnd {
  uint32_t operation = 0;
  double end = 0;
};

// An operation that waits for nothing begins after `any`; a launch, after `launch` more. One that was
// triggered, `trigger` after that.
struct BeginDelays {
  double any = 0, launch = 0, trigger = 0;
};

struct WaitCause {
  StreamWait kind = StreamWait::kNothing;
  uint32_t operation = 0;
};

// Returns what each operation waited for last once the GPU had seen it. `ends` holds the ends of all blocks,
// where these are known; otherwise launches are taken to hold the SMs from their begin to their end.
std::vector<WaitCause> explainWaits(std::span<const TimedOperation> operations, const BeginDelays& delays,
                                    std::span<const BlockEnd> ends);

}  // namespace warpscope
