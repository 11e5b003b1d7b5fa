// What each lane of a few warps did: which thread it is, which addresses it accessed, from which lane it got
// a value. Gathered by executing the kernel's PTX on the simulated GPU, for runs of any device (device/
// lane_recorder.h): no device tells the addresses of a launch that it has finished. A plain value, like Run.
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

// One memory instruction as lanes of a warp executed it together.
struct MemoryRequest {
  uint32_t instruction = 0;  // into LaneLog::listing
  uint32_t step = 0;         // place among all that its warp did: requests and exchanges
  AccessSpace space = AccessSpace::kGlobal;
  bool reads = false, writes = false, atomic = false;
  uint32_t bytes = 0;     // a lane
  uint32_t elements = 1;  // a lane's, of a vector: float4 is 4
  LaneMask mask;
  // Global: addresses of the simulated device. Shared: bytes from the block's first. Local: from the thread's
  // first. Lanes outside of `mask` have none.
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

// One instruction by which lanes look at each other, as lanes of a warp executed it together.
struct LaneExchange {
  uint32_t instruction = 0, step = 0;  // as of MemoryRequest
  ExchangeKind kind = ExchangeKind::kShuffleIndex;
  LaneMask mask;
  // Of a shuffle: the lane whose value each lane got, which is its own where `in_range` does not name it.
  std::array<uint8_t, kWarpSize> source{};
  LaneMask in_range;
  LaneMask predicate;                          // of a vote: the lanes that brought a true predicate
  std::array<uint64_t, kWarpSize> given{};     // shuffle, match, reduce: what each lane brought
  std::array<uint64_t, kWarpSize> received{};  // what each lane got: a value, a mask, 0 or 1
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
  std::array<ThreadIndex, kWarpSize> threads;  // of the lanes that exist
  std::vector<MemoryRequest> requests;         // by step
  std::vector<LaneExchange> exchanges;         // by step
  uint32_t steps = 0;                          // kept and dropped ones
  uint32_t dropped = 0;                        // steps beyond the limit
};

struct LaneLogBuffer {
  std::string name;  // as the plan calls it: "in"
  uint64_t address = 0, bytes = 0;
};

struct LaneLogOptions {
  uint32_t first_block = 0, blocks = 2;
  uint32_t limit = 65'536;  // of requests and exchanges, shared evenly by the warps
  bool operator==(const LaneLogOptions&) const = default;
};

struct LaneLog {
  RunRequest request;  // complete
  LaneLogOptions options;
  Dim3 grid, block;
  std::string kernel, source_file;
  std::shared_ptr<const Listing> listing;
  std::vector<LaneLogBuffer> buffers;  // by address
  std::vector<LoggedWarp> warps;       // by block, then by warp
  std::string ended_early;             // why the execution was stopped; empty: the blocks ran to their end

  const LoggedWarp* find(BlockId block_id, uint32_t warp_in_block) const;
  uint64_t dropped() const;  // of all warps
};

// The line of one of the log's instructions in the kernel's source; 0: none.
uint32_t lineOf(const LaneLog& log, uint32_t instruction);
const std::string& textOf(const LaneLog& log, uint32_t instruction);  // its PTX

// What lies at an address of a global request, counted in the elements that are accessed: "in[17]", "out + 6
// bytes" where an element does not begin there; "0x7f00" where no buffer is.
std::string placeOf(const LaneLog& log, const MemoryRequest& request, int lane);

}  // namespace warpscope
