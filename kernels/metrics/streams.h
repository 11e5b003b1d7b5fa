// What the operations of a run add up to: how busy copy engines and SMs were, what overlapped, and the bound
// that no order of the same operations can beat. Computed from a StreamLog alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/run/stream_log.h"

namespace warpscope {

// In the order in which work passes through them.
inline constexpr std::array kBusyUnits{StreamUnit::kCopyToDevice, StreamUnit::kSms, StreamUnit::kCopyToHost};
const char* streamUnitName(StreamUnit unit);  // "HtoD copies"

// A unit of a GPU, and how long it worked on at least one operation.
struct BusyUnit {
  StreamUnit unit = StreamUnit::kNone;
  uint32_t gpu = 0;
  double busy_ns = 0;
};

struct StreamTimes {
  // kBusyUnits of each GPU, and of two GPUs the link into each.
  std::vector<BusyUnit> busy;
  bool several_gpus = false;
  double total_ns = 0;      // from the host's first call to the end of the last operation
  double working_ns = 0;    // in which at least one of the units was busy
  double most_at_once = 0;  // units that were busy at the same time, at most

  size_t unitsUsed() const;  // with one of them, nothing can overlap
  double sumNs() const;      // if nothing overlapped
  double boundNs() const;    // the busiest unit's time: all the others' may be behind it
  const BusyUnit& busiest() const;
  // "SMs"; with two GPUs "GPU 1: SMs".
  std::string nameOf(const BusyUnit& unit) const;
  // 0: nothing overlaps; 1: all that can is behind the busiest unit. Of the time with work.
  double overlap() const;
};
StreamTimes streamTimes(const StreamLog& log);

// What the GPU takes for a node of a graph, from the begin of the first to the end of the last that was
// executed; and for one that was skipped. 0: there was none, or nothing tells.
struct NodeTimes {
  double executed_ns = 0, skipped_ns = 0;
};
NodeTimes nodeTimes(const StreamLog& log, uint32_t graph);

}  // namespace warpscope
