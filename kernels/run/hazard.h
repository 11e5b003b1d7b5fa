// A fault that the checks found in a kernel, or between operations on streams: a plain value with everything
// that a message needs, and its two forms, text and JSON. Knows nothing of how hazards are found
// (sim/simt/checks, execute/stream_races.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/ids.h"

namespace warpscope {

class Fields;
class Json;

enum class HazardKind : uint8_t {
  kOutOfBounds,               // outside every allocation, beyond shared or local memory
  kUseAfterFree,              // in an allocation that was freed
  kMisaligned,                // address not a multiple of the access size
  kUninitialized,             // a read of memory that nothing has written
  kRace,                      // two accesses, at least one a write, that no barrier or atomic orders
  kStreamRace,                // the same of two operations, which neither a stream nor an event orders
  kTriggerWithoutVisibility,  // a dependent launch that relies on the trigger, and does not wait for the end
  kDivergentBarrier,          // a block-wide barrier that not all lanes of the warp reach together
  kIncompletePhase,  // a wait for an mbarrier that only its time limit ends: arrivals or bytes never come
  kDeadlock,         // every warp waits for something that cannot happen
  kEndlessLoop,      // a loop that provably never ends and reads no memory
  kStepLimit,        // still running after the allowed number of instructions
  kTrap,             // the kernel's own trap, or another fault
};
const char* hazardKindName(HazardKind kind);  // "race", "out_of_bounds": as in the JSON

// One of the accesses (or the barrier, the loop ...) that a hazard is about.
struct HazardAccess {
  std::string action;       // "read", "write", "atomic", "barrier"
  std::string source_file;  // "kernels/experiments/reduction/reduction.cu"; empty: the PTX has no lines
  uint32_t line = 0;
  std::string ptx;  // "ld.shared.f32 %f1, [%r2];"
  uint32_t bytes = 0;
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  uint32_t warp = 0, lane = 0;
};

// One of the operations on streams that a hazard is about.
struct HazardOperation {
  uint32_t index = 0;        // into StreamLog::operations
  std::string name, stream;  // "copy to the device of chunk 2", "stream 1"
  bool operator==(const HazardOperation&) const = default;
};

struct Hazard {
  HazardKind kind = HazardKind::kOutOfBounds;
  std::string kernel;
  HazardAccess access;                 // the one at which the check stopped
  std::optional<HazardAccess> second;  // of a race: the other access
  std::string space;                   // "global", "shared", "local", "host"; empty: no memory involved
  uint64_t address = 0;                // global: the full address; otherwise the offset
  std::string allocation;              // "buffer 1 (4,096 bytes)", "shared memory (1,024 bytes)"
  int64_t offset = 0;                  // within the allocation; negative or beyond its size if outside
  std::string message;                 // a sentence: what, where, which thread
  uint64_t count = 1;                  // number of occurrences; the fields describe the first
  // Races on the same memory that involve one of the same lines, too: pairs of source lines.
  std::vector<std::pair<uint32_t, uint32_t>> also_lines;
  // Of a race between operations: those of `access` and `second`, which then tell no threads, and places only
  // where all accesses of a launch to that memory are on one line.
  std::vector<HazardOperation> operations;
};

std::string formatDim(const Dim3& dim);  // "(1,0,0)"
// Several lines of text for the user: the message, then places and PTX.
std::string formatHazard(const Hazard& hazard);
// {kind, message, kernel, action, source_file, line, ptx, bytes, block, thread, warp, lane, second: {...},
// space, address, allocation, offset, count, also_lines, operations}; fields that do not apply are absent.
void describe(Fields& fields, Hazard& hazard);  // kernels/core/fields.h
Json toJson(const Hazard& hazard);
Expected<Hazard> hazardFromJson(const Json& json);

}  // namespace warpscope
