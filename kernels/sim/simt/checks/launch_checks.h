// The state that the checks of one launch share: the shadow of global memory, the locations by which blocks
// are ordered, the log, and the descriptions of hazards.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/run/touched_memory.h"
#include "kernels/sim/simt/checks/allocation_index.h"
#include "kernels/sim/simt/checks/block_clocks.h"
#include "kernels/sim/simt/checks/grid_dependency.h"
#include "kernels/sim/simt/checks/hazard_log.h"
#include "kernels/sim/simt/checks/race_check.h"
#include "kernels/sim/simt/checks/shadow_memory.h"
#include "kernels/sim/simt/checks/written_memory.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

// A thread and the instruction that it executes.
struct Executor {
  uint32_t block = 0, thread = 0;  // linear
  uint32_t pc = 0;
  auto operator<=>(const Executor&) const = default;
};

// Reads of words that had not been written by then. They are reported once it is certain that they are not
// part of a race: a reader that came too early because a barrier is missing gets the report about the
// barrier.
class UnwrittenReads {
 public:
  void add(uint64_t address, uint32_t bytes, const Executor& reader);
  void forget(uint64_t address, uint32_t bytes);
  // Calls function(reader, address, bytes, count) for the lowest thread of each instruction.
  template <class Function>
  void take(Function&& function) {
    struct Total {
      uint64_t address = 0, count = 0;
      Read read;
    };
    std::map<uint32_t, Total> by_pc;
    for (const auto& [address, read] : reads_) {
      Total& total = by_pc[read.reader.pc];
      if (total.count++ == 0 || read.reader < total.read.reader) {
        total.address = address;
        total.read = read;
      }
    }
    reads_.clear();
    for (const auto& [pc, total] : by_pc) {
      function(total.read.reader, total.address, total.read.bytes, total.count);
    }
  }

 private:
  struct Read {
    Executor reader;
    uint32_t bytes = 0;
  };
  std::unordered_map<uint64_t, Read> reads_;  // by address
};

struct LaunchChecks {
  LaunchChecks(const Launch& of, WrittenMemory& written_memory, TouchedMemory* touched_memory);

  const Launch& launch;
  WrittenMemory& written;
  AllocationIndex allocations;
  ShadowMemory shadow;
  std::unordered_map<uint64_t, Published> published;  // by address
  UnwrittenReads unwritten;
  HazardLog log;
  TouchedMemory* touched = nullptr;     // null: nobody asks
  std::vector<uint32_t> first_of_line;  // by pc, if somebody asks: the first one on its source line
  PrimaryLaunch* primary = nullptr;     // of a programmatic dependent launch
  bool stop = false;                    // set when anything found later would only be a consequence

  HazardPlace placeOf(uint32_t pc) const;
  HazardAccess describe(const Executor& executor) const;
  // "thread (3,0,0) of block (0,0,0)"
  std::string who(const Executor& executor) const;
  // Fills in space, address, allocation and offset; returns the wording for a sentence: "4 bytes past the end
  // of buffer 1 (4,096 bytes)", "at offset 16 of shared memory (1,024 bytes)".
  std::string locate(Hazard& hazard, ptx::Space space, uint64_t address, uint32_t bytes,
                     uint64_t space_bytes) const;

  void reportRace(const Race& race, ptx::Space space, uint64_t space_bytes);
  void reportUnwritten(const Executor& reader, ptx::Space space, uint64_t address, uint32_t bytes,
                       uint64_t space_bytes, uint64_t count);
  // Of global memory.
  void touch(uint32_t pc, uint64_t address, uint64_t bytes, bool writes, Strength strength);
  // An access of a thread that has not waited for the primary, and the primary's to the same memory.
  void reportPrimary(const Executor& executor, const MemoryAccess& access, uint32_t lane,
                     const AccessRecord& before);
  // To be called at the end of the launch.
  void finish();
};

}  // namespace warpscope::sim
