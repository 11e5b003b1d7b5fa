// What the operations of a run did: launches, copies, fills, host functions, events and waits, each enqueued
// by the host on a stream, each with its begin and end on the GPU. Absent from the run of a single launch
// (Run::streams). A plain value; viz/layout and metrics/streams.h compute from it.
//
// Time: every *_ns is on the run's axis, which begins with the host's first call. The trace of such a run is
// on the same axis, in cycles (ClockAlignment::cycles_per_ns), and its blocks are numbered through all
// launches: those of an operation are first_block .. first_block + blocks - 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/run/managed_memory.h"
#include "kernels/run/stream_graph.h"

namespace warpscope {

enum class OperationKind {
  kLaunch,
  kCopyToDevice,
  kCopyToHost,
  kCopyOnDevice,
  kPeerCopy,  // from one GPU's memory to another's
  kFill,
  kPrefetchToDevice,  // of managed memory's pages
  kPrefetchToHost,
  kAllocate,  // memory, in the order of the stream (cudaMallocAsync)
  kFree,      // the same memory (cudaFreeAsync)
  kHostFunction,
  kEvent,  // is recorded
  kWait,   // for an event
};
const char* operationKindName(OperationKind kind);  // "copy to the device"

// How a stream synchronises with the legacy default stream, whose operations wait for what was enqueued
// before on all streams but non-blocking ones, as do these for the default stream's.
enum class StreamKind { kLegacyDefault, kPerThreadDefault, kBlocking, kNonBlocking };
const char* streamKindName(StreamKind kind);

// The host's memory that a copy reads or writes. Copies of pageable memory go through a staging buffer of the
// driver, and the host waits for them. Managed memory is the device's, too, and needs no copies.
enum class HostMemory { kPinned, kPageable, kManaged };
const char* hostMemoryName(HostMemory memory);

// What an operation had to wait for last, once the host had enqueued it.
enum class StreamWait {
  kNothing,
  kStream,         // the operation before it on its stream
  kEvent,          // an event
  kDefaultStream,  // the legacy default stream's synchronisation
  kCopyEngine,     // another copy in the same direction
  kSms,            // no SM had room for a block
  kGraph,          // a node before it in its graph
  kTrigger,        // the trigger of the launch before it, which need not end (StreamOperation::primary)
};
const char* streamWaitName(StreamWait wait);
// A sentence with places for what the other operation is and which part of the work it belongs to: "waits for
// the {0} of {1} ..."; empty for kNothing.
const char* streamWaitSentence(StreamWait wait);
// The same of a launch that began before its primary had ended, about its warps.
inline constexpr const char* kHeldSentence =
    "griddepcontrol.wait holds its warps until the {0} of {1} has ended";

// What executes an operation: each works on one operation at a time, but for the SMs. Each GPU has its own;
// the copies between GPUs are those of the GPU that they write to, since the link has a direction to each.
enum class StreamUnit { kNone, kCopyToDevice, kCopyToHost, kPeerCopy, kSms, kHost };
StreamUnit unitOf(OperationKind kind);

inline constexpr uint32_t kMostGpus = 2;  // in one run

struct StreamInfo {
  std::string name;  // "stream 1"
  StreamKind kind = StreamKind::kBlocking;
  int32_t priority = 0;  // as CUDA's: lower numbers come first
  uint32_t gpu = 0;      // that its operations run on (DeviceLimits::gpus)
  bool operator==(const StreamInfo&) const = default;
};

// What told when operations ran.
enum class StreamClock {
  kModel,
  kActivity,  // CUPTI's records of the GPU's activity
  kEvents,    // timing events before and after each operation, and the marks of kernels
};
const char* streamClockName(StreamClock clock);  // "CUPTI activity"

// How certain the times are. Half of the interval that the clocks allow each.
struct StreamTiming {
  StreamClock clock = StreamClock::kModel;
  double uncertainty_ns = 0;       // of begins and ends on the GPU against the warps' times
  double host_uncertainty_ns = 0;  // of the host's calls and functions against all of these
  std::string problem;             // why it is not CUPTI's activity, on a real GPU
  // Of two GPUs, how certain the times of GPU 1 are against those of GPU 0: each has a timer of its own.
  double gpu_uncertainty_ns = 0;
  bool operator==(const StreamTiming&) const = default;
};

struct StreamOperation {
  OperationKind kind = OperationKind::kLaunch;
  uint32_t stream = 0;                     // index into StreamLog::streams
  std::string name;                        // which part of the work it is: "chunk 2"
  std::string kernel;                      // of a launch
  uint64_t bytes = 0;                      // of a copy, fill or prefetch
  std::optional<HostMemory> memory;        // of a copy or prefetch from or to the host
  double enqueue_ns = 0, enqueued_ns = 0;  // the host's call: its begin and end
  double begin_ns = 0, end_ns = 0;         // on the GPU
  std::vector<uint32_t> after;             // the operations that had to end first, ascending
  StreamWait waited_for = StreamWait::kNothing;
  uint32_t waited_on = 0;  // the operation whose end, or trigger, it waited for; unless kNothing
  uint32_t first_block = 0, blocks = 0;  // of a launch
  // Index into StreamLog::graphs, if it is part of one. The host's call is then that of the graph's launch.
  std::optional<uint32_t> graph{};
  // A launch in a conditional node whose condition was 0: it was not executed. Its begin and end are the time
  // at which the GPU passed it by.
  bool skipped = false;
  // Of a programmatic dependent launch: the launch before it on its stream, whose end it need not wait for,
  // but for its warps at griddepcontrol.wait.
  std::optional<uint32_t> primary;
  // Whose unit executes it: its stream's GPU; of a copy between GPUs, the one that it writes to.
  uint32_t gpu = 0;

  double waitedNs() const { return begin_ns > enqueued_ns ? begin_ns - enqueued_ns : 0; }
  bool operator==(const StreamOperation&) const = default;
};

struct StreamLog {
  std::vector<StreamInfo> streams;
  std::vector<StreamOperation> operations;  // in the order in which the host enqueued them
  StreamTiming timing;
  std::vector<StreamGraph> graphs;
  // Those that page faults caused, by begin. What moves on a real GPU is not recorded.
  std::vector<PageMigration> migrations{};
  bool operator==(const StreamLog&) const = default;

  double endNs() const;   // of the last operation
  uint32_t gpus() const;  // that its streams are on
  // Whether `migrations` are all that there were.
  bool knowsMigrations() const { return timing.clock == StreamClock::kModel; }
  // The launches in a graph, and those of them that were skipped.
  uint32_t nodesOf(uint32_t graph) const;
  uint32_t skippedOf(uint32_t graph) const;
  // The calls with which the host launches: of a graph, one.
  uint32_t launchCalls() const;
  // The launch that a block belongs to; nullopt: none.
  std::optional<uint32_t> operationOf(BlockId block) const;
  // "no SM is free: waits for blocks of the launch of chunk 2"; empty: it waited for nothing. Of a launch
  // that overlaps its primary also what its warps wait for.
  std::string waitText(const StreamOperation& operation) const;
  // Whether it began while its primary still ran.
  bool overlapsPrimary(const StreamOperation& operation) const;
};

}  // namespace warpscope
