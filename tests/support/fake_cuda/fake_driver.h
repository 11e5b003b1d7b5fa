// A CUDA driver and a CUPTI without a GPU: shared libraries with the names and entries of the real ones, so
// that the whole CUDA backend runs on them. Device memory is the host's. What operations do to memory is done
// at once; when they begin and end is worked out from the host's clock, as a GPU with a copy engine for each
// direction would have it, but for kernels, which never wait for one another. A second GPU is there if a test
// says so; its timer and its copy engines are its own, and what belongs to one GPU is refused by the other.
// They keep account of calls and of what is not released yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpscope::testing::fake_driver {

inline constexpr int64_t kTimerAhead_ns = 1'600'000'000'000'000'000;  // %globaltimer less the host's clock
inline constexpr int64_t kPeerTimerAhead_ns = 1'600'000'000'005'000'000;  // that of the second GPU
inline constexpr int64_t kActivityAhead_ns = 900'000'000'000'000'000;     // CUPTI's clock less the host's
inline constexpr int64_t kKernel_ns = 30'000;                             // of kernels `add_one` and `decide`
// Of kernels `plug` and `clock_rate`, and of one that holds a stream back: what is enqueued meanwhile runs
// without waiting for the host, however busy the machine is.
inline constexpr int64_t kPlug_ns = 60'000'000, kHold_ns = 20'000'000;
inline constexpr int64_t kTrigger_ns = 9000;   // from a kernel's begin until it lets the next one begin
inline constexpr int64_t kStart_ns = 500;      // from when an operation may begin until it does
inline constexpr int64_t kNodeStart_ns = 300;  // the same of a graph's node that follows another
// What the body of a conditional node begins later, and what one takes that is skipped.
inline constexpr int64_t kCondition_ns = 1200, kSkip_ns = 800;
inline constexpr double kCopyBytesPerNs = 1, kCopyLatency_ns = 1000;

struct Call {
  std::string entry;    // "cuMemcpyHtoDAsync_v2"
  uint64_t stream = 0;  // 0: none, or the session's; 1 and 2 the default ones; then in the order of creation
  uint64_t event = 0;   // in the order of creation
  uint64_t bytes = 0;
  int32_t priority = 0;
  unsigned flags = 0;  // of cuLaunchKernelEx: the attributes' numbers as bits
  uint32_t gpu = 0;    // of the stream
};

struct Alive {
  int streams = 0, events = 0, pinned = 0, modules = 0, allocations = 0, graphs = 0, executable_graphs = 0,
      linkers = 0;
  bool operator==(const Alive&) const = default;
};

enum class Cupti {
  kWorks,
  kRefuses,         // to record activity
  kLosesAKernel,    // of each batch that it hands over
  kLosesALaterOne,  // the last record of the second batch, which is of the operations
  kHasNoTimes,
  kHasNoNodes,     // of graphs: the numbers are 0
  kMixesNodes,     // numbers that descend, though nodes were added one after the other
  kHasNoNodeTimes  // all nodes of a graph have the same
};

#pragma GCC visibility push(default)
// Calls since reset(), without those that only ask, and those that make and use the clocks' probes.
std::vector<Call> calls();
Alive alive();
// The `nth` call (1: the next) of the entry fails with this result.
void failAt(const std::string& entry, int nth, int result);
// Counts only calls on the streams of a plan: how often the clocks are compared depends on the load of the
// machine.
void failAtOfPlan(const std::string& entry, int nth, int result);
void setCupti(Cupti mode);
// How many GPUs there are, and whether they can access each other's memory. Copies between them go through
// the host if not, and CUPTI records them so.
void setGpus(int count, bool peer_access);
void setLaunchesBlock(bool block);  // until the kernel has ended
void reset();                       // forgets calls and failures; CUPTI works
void unload();  // as if the process began anew: a poisoned backend leaves everything as it is
#pragma GCC visibility pop

// What the two libraries share.
struct Record {
  int kind = 0;
  uint8_t copy_kind = 0;
  uint32_t correlation = 0;
  uint64_t bytes = 0;
  int64_t begin_ns = 0, end_ns = 0;  // the host's clock
  uint64_t node = 0;
  bool through_host = false;
};
#pragma GCC visibility push(default)
void setRecording(bool on);
std::vector<Record> takeRecords();
Cupti cuptiMode();
#pragma GCC visibility pop

}  // namespace warpscope::testing::fake_driver
