// The rows of a picture of a run's operations (kernels/run/stream_log.h): the host's calls, the streams, and
// what executes the operations; below, the slots of the recorded SMs with the warps of all launches. The
// window and exported files show the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct OperationBar {
  uint32_t operation = 0;  // index into StreamLog::operations
  double begin_ns = 0, end_ns = 0;
  // A launch that overlaps its primary, on their stream, and that one have half of the row each.
  enum class Part { kWhole, kUpper, kLower } part = Part::kWhole;
  // On kMigrations: into StreamLog::migrations. `operation` is the one whose accesses faulted.
  std::optional<uint32_t> migration{};
};

struct OperationRow {
  enum class Kind { kHost, kStream, kUnit, kMigrations } kind = Kind::kHost;
  uint32_t index = 0;              // kStream: into StreamLog::streams; kUnit: a StreamUnit
  uint32_t gpu = 0;                // whose stream or unit it is
  std::vector<OperationBar> bars;  // ascending begin; on kHost they are the calls: one of a graph
  // Where an operation of a stream waits although the host has enqueued it and the one before it has ended.
  std::vector<OperationBar> gaps;
};
// Only streams and units that have operations; the pages that moved after faults, if any did, come last.
std::vector<OperationRow> operationRows(const StreamLog& log);
// "host", "stream 1, priority -5", "GPU 1: HtoD copies"
std::string operationRowName(const StreamLog& log, const OperationRow& row);
std::string operationTitle(const StreamOperation& operation);  // "chunk 2: copy to the device"

// The colour of an operation, as an index of seriesColour(): of what moves in, of what moves out, of the
// rest, then one for each kind of launch.
inline constexpr size_t kMovesInSeries = 0, kMovesOutSeries = 1, kOtherSeries = 2;
size_t operationSeries(const StreamLog& log, const StreamOperation& operation);

// The life of a recorded warp, in a row of its slot.
struct SlotBar {
  uint32_t row = 0, warp = 0, operation = 0;  // warp: index into Trace::warps
};
struct OperationSlots {
  struct Row {
    SmId sm;
    uint32_t slot = 0;
  };
  std::vector<Row> rows;  // ascending (sm, slot)
  std::vector<SlotBar> bars;
};
// Of the first `most_sms` SMs of each GPU that have recorded warps.
OperationSlots operationSlots(const Run& run, size_t most_sms);

// The first recorded warp of an operation; nullopt: it has none.
std::optional<uint32_t> firstWarpOf(const Run& run, uint32_t operation);

}  // namespace warpscope
