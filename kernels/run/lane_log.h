// A log of each lane of a few warps: which thread it is, which addresses it accessed, from which lane it
// received a value. Recorded by executing the kernel's PTX on the simulated GPU, for runs on any device
// (execute/lane_recorder.h), since no device can report the addresses of a launch that is over. A plain
// value, like Run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/run/listing.h"
#include "kernels/run/run.h"

namespace warpscope {

enum class AccessSpace : uint8_t { kGlobal, kShared, kLocal, kConstant };
const char* spaceName(AccessSpace space);  // "global"

// One memory instruction as the lanes of a warp executed it together.
struct MemoryRequest {
  uint32_t instruction = 0;  // index into LaneLog::listing
  uint32_t step = 0;         // position in the order of all of its warp's requests and exchanges
  AccessSpace space = AccessSpace::kGlobal;
  bool reads = false, writes = false, atomic = false;
  uint32_t bytes = 0;     // per lane
  uint32_t elements = 1;  // per lane, for vectors: 4 for float4
  LaneMask mask;
  // Global: addresses on the simulated device. Shared: byte offsets in the block's shared memory. Local: byte
  // offsets in the thread's. Meaningless for lanes outside `mask`.
  std::array<uint64_t, kWarpSize> addresses{};
};

enum class ExchangeKind : uint8_t {
  kShuffleIndex,
  kShuffleUp,
  kShuffleDown,
  kShuffleButterfly,
  kVoteAll,
  kVoteAny,
  kVoteUniform,
  kBallot,
  kMatchAny,
  kMatchAll,
  kReduce,
  kElect,
  kActiveMask,
};
const char* exchangeName(ExchangeKind kind);  // "shuffle down"
inline bool isShuffle(ExchangeKind kind) {
  return kind <= ExchangeKind::kShuffleButterfly;
}

// One instruction by which lanes exchange values, as the lanes of a warp executed it together.
struct LaneExchange {
  uint32_t instruction = 0, step = 0;  // as in MemoryRequest
  ExchangeKind kind = ExchangeKind::kShuffleIndex;
  LaneMask mask;
  // Shuffles: the lane whose value each lane received; it is the lane itself where `in_range` does not
  // include it.
  std::array<uint8_t, kWarpSize> source{};
  LaneMask in_range;
  LaneMask predicate;                          // votes: the lanes whose predicate was true
  std::array<uint64_t, kWarpSize> given{};     // shuffle, match, reduce: each lane's input
  std::array<uint64_t, kWarpSize> received{};  // each lane's result: a value, a mask, 0 or 1
};

struct ThreadIndex {
  uint32_t x = 0, y = 0, z = 0;
  bool operator==(const ThreadIndex&) const = default;
};

struct LoggedWarp {
  BlockId block;
  ThreadIndex block_index;
  uint32_t warp_in_block = 0;
  LaneMask live;                               // lanes that exist
  std::array<ThreadIndex, kWarpSize> threads;  // for the lanes that exist
  std::vector<MemoryRequest> requests;         // in the order of steps
  std::vector<LaneExchange> exchanges;         // in the order of steps
  uint32_t steps = 0;                          // including dropped ones
  uint32_t dropped = 0;                        // steps beyond the limit
};

struct LaneLogBuffer {
  std::string name;  // the name in the plan: "in"
  uint64_t address = 0, bytes = 0;
};

struct LaneLogOptions {
  uint32_t first_block = 0, blocks = 2;
  uint32_t limit = 65'536;  // requests and exchanges, divided evenly among the warps
  bool operator==(const LaneLogOptions&) const = default;
};

struct LaneLog {
  RunRequest request;  // with every parameter filled in
  LaneLogOptions options;
  Dim3 grid, block;
  std::string kernel, source_file;
  std::shared_ptr<const Listing> listing;
  std::vector<LaneLogBuffer> buffers;  // by address
  std::vector<LoggedWarp> warps;       // by block, then by warp
  std::string ended_early;             // why the execution was stopped; empty: the blocks ran to completion

  const LoggedWarp* find(BlockId block_id, uint32_t warp_in_block) const;
  uint64_t dropped() const;  // summed over all warps
};

// The line of one of the log's instructions in the kernel's source; 0 if there is none.
uint32_t lineOf(const LaneLog& log, uint32_t instruction);
const std::string& textOf(const LaneLog& log, uint32_t instruction);  // its PTX

// "in[17]": the element of that size at an address, as placeOf() has it.
std::string placeIn(const std::vector<LaneLogBuffer>& buffers, uint64_t address, uint64_t element_bytes);

// The location at an address of a global request, counted in elements of the accessed size: "in[17]", or "out
// + 6 bytes" if no element begins there; "0x7f00" if no buffer is there.
std::string placeOf(const LaneLog& log, const MemoryRequest& request, int lane);

}  // namespace warpscope
