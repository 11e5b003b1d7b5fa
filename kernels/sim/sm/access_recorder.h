// The hooks of a timed launch: they record what a group of segments does to memory (lines and sectors, or
// wavefronts), one record per memory instruction, until the group's operations are issued.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "kernels/access/coalescer.h"
#include "kernels/sim/simt/hooks.h"
#include "kernels/sim/sm/l2_cache.h"
#include "kernels/sim/sm/rare_cases.h"

namespace warpscope::sim {

class ModelledAddresses;

// What an atomic does to a sector of another block's shared memory.
struct RemoteSector {
  uint32_t number = 0;  // of the sector in that memory
  uint8_t rank = 0;     // that block's
  uint8_t serial = 0;   // the most operations on one of its words, which cannot be combined
};

inline constexpr uint32_t kConstantLineBytes = 64;

struct WarpAccess {
  enum class Kind : uint8_t {
    kNone,
    kShared,
    kGlobal,  // global, and local memory at its interleaved addresses
    kConstant,
    kTexture,
    kSurface,
  };
  static constexpr uint32_t kNoBytes = 0xFFFFFFFFU;
  uint32_t pc = 0;
  uint8_t trip = 0;         // which trip of its group, if the group holds several
  uint32_t first_line = 0;  // index in the log; for constants, the number of the first lane's line
  uint16_t line_count = 0;
  uint16_t wavefronts = 0;  // of shared memory, also for the second half of a cp.async; of images
  uint8_t minimum = 0;      // wavefronts without conflicts
  uint8_t requests = 1;     // a load or store of a matrix has several
  uint8_t same_word = 0;
  uint8_t word_count = 0;     // of an atomic on shared memory: its lanes' words
  uint8_t least_merged = 0;   // bytes that a store must write of a sector to wait for others
  uint16_t stored_bytes = 0;  // by a store to global or local memory: of all its lanes
  uint32_t first_word = 0;
  uint32_t first_written = kNoBytes;  // of a store of bytes or halves of words: which bytes of its lines
  uint32_t first_atomic = 0;          // of a global atomic: what it does to its lines
  uint32_t first_remote = 0;          // of one on other blocks' shared memory: what it does to its sectors
  uint16_t remote_count = 0;
  Kind kind = Kind::kNone;
  bool reads = false, writes = false, atomic = false;
  bool is_local = false;
  bool asynchronous = false;
  bool bypasses_l1 = false;
  uint16_t remote_wavefronts = 0;  // in the shared memory of other blocks of the cluster
  uint16_t remote_ranks = 0;       // of these blocks, a bit each
  // For which an instruction on an image takes the input of the texture units, and at least what follows.
  uint8_t input_cycles = 0, least_cycles = 0;
  uint64_t image = 0;  // its address
};

// A match.any, and how many different values its lanes have.
struct MatchedLanes {
  uint32_t pc = 0, values = 0;
};

// The bytes of a line that a store writes: by sector, bit i for byte i.
using StoredBytes = std::array<uint32_t, kSectorsPerLine>;

// The records of one warp; the storage is kept from group to group.
struct AccessLog {
  explicit AccessLog(std::pmr::memory_resource& storage)
      : records(&storage),
        lines(&storage),
        rare(&storage),
        written(&storage),
        atomics(&storage),
        words(&storage),
        remote(&storage),
        bulk(&storage),
        matched(&storage) {}

  std::pmr::vector<WarpAccess> records;  // in the order of execution: ascending pc in each trip
  std::pmr::vector<LineAccess> lines;
  uint32_t hint = 0;                // where find() looks first
  uint8_t trip = 0;                 // the one that is being executed
  bool has_others = false;          // something may be in the lists below, which most groups do not need
  std::pmr::vector<RareCase> rare;  // divisions and roots that took a subroutine
  std::pmr::vector<StoredBytes> written;
  std::pmr::vector<AtomicWork> atomics;
  std::pmr::vector<uint32_t> words;  // of shared memory, of atomics
  std::pmr::vector<RemoteSector> remote;
  std::pmr::vector<BulkCopy> bulk;  // copies that were started
  std::pmr::vector<MatchedLanes> matched;

  void clear() {
    records.clear();
    lines.clear();
    hint = 0;
    trip = 0;
    if (std::exchange(has_others, false)) clearOthers();
  }
  void clearOthers() {
    rare.clear();
    written.clear();
    atomics.clear();
    words.clear();
    remote.clear();
    bulk.clear();
    matched.clear();
  }
  const WarpAccess* find(uint32_t pc, uint8_t trip);
};

struct AccessRecorder : NoHooks {
  static constexpr bool kAccesses = true;
  AccessLog* log = nullptr;
  uint64_t local_base = 0;  // where the warp's interleaved local memory begins
  uint64_t clock_cycles = 0;
  double clock_ghz = 1;
  const ModelledAddresses* addresses = nullptr;  // nullptr: the caches see the real ones
  std::span<const uint8_t> reductions;           // LaunchModel::reductions

  void access(const Warp& warp, const MemoryAccess& access);
  static constexpr bool kImages = true;
  void imageAccess(const Warp& warp, const MemoryAccess& access, const ImageAccess& image);
  static constexpr bool kReduces = true;
  bool reducesNow(uint32_t pc) const { return reductions[pc] != 0; }
  static constexpr bool kRareCases = true;
  void rounded(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask) {
    RareCase rare = rareCaseOf(in, registers, mask);
    rare.pc = pc;
    rare.trip = log->trip;
    if (rare.lanes == 0) return;
    log->has_others = true;
    log->rare.push_back(rare);
  }
  static constexpr bool kTogether = true;
  void doneTogether(const Warp& /*warp*/, const CrossLane& now) {
    if (now.instruction.op == ptx::Op::kMatch) noteMatch(now);
  }
  void noteMatch(const CrossLane& now);
  static constexpr bool kTimesBulk = true;
  void bulkStarted(const Warp& /*warp*/, const BulkCopy& copy) {
    log->has_others = true;
    log->bulk.push_back(copy);
  }
  uint64_t clockCycles() const { return clock_cycles; }
  uint64_t globaltimerNs() const {
    return static_cast<uint64_t>(static_cast<double>(clock_cycles) / clock_ghz);
  }
};

}  // namespace warpscope::sim
