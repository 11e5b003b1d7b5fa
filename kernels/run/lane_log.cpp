#include "kernels/run/lane_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpscope {

const char* spaceName(AccessSpace space) {
  switch (space) {
    case AccessSpace::kGlobal:
      return "global";
    case AccessSpace::kShared:
      return "shared";
    case AccessSpace::kLocal:
      return "local";
    case AccessSpace::kConstant:
      return "constant";
  }
  return "";
}

const char* exchangeName(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::kShuffleIndex:
      return "shuffle";
    case ExchangeKind::kShuffleUp:
      return "shuffle up";
    case ExchangeKind::kShuffleDown:
      return "shuffle down";
    case ExchangeKind::kShuffleButterfly:
      return "shuffle xor";
    case ExchangeKind::kVoteAll:
      return "vote all";
    case ExchangeKind::kVoteAny:
      return "vote any";
    case ExchangeKind::kVoteUniform:
      return "vote uniform";
    case ExchangeKind::kBallot:
      return "ballot";
    case ExchangeKind::kMatchAny:
      return "match any";
    case ExchangeKind::kMatchAll:
      return "match all";
    case ExchangeKind::kReduce:
      return "reduce";
    case ExchangeKind::kElect:
      return "elect";
    case ExchangeKind::kActiveMask:
      return "active mask";
  }
  return "";
}

const LoggedWarp* LaneLog::find(BlockId block_id, uint32_t warp_in_block) const {
  const auto found = std::ranges::find_if(warps, [&](const LoggedWarp& warp) {
    return warp.block == block_id && warp.warp_in_block == warp_in_block;
  });
  return found == warps.end() ? nullptr : &*found;
}

uint64_t LaneLog::dropped() const {
  uint64_t sum = 0;
  for (const LoggedWarp& warp : warps) sum += warp.dropped;
  return sum;
}

uint32_t lineOf(const LaneLog& log, uint32_t instruction) {
  return lineIn(log.source_file, log.listing->at(instruction));
}

const std::string& textOf(const LaneLog& log, uint32_t instruction) {
  return log.listing->at(instruction).text;
}

std::string placeIn(const std::vector<LaneLogBuffer>& buffers, uint64_t address, uint64_t element_bytes) {
  auto after = std::ranges::upper_bound(buffers, address, {}, &LaneLogBuffer::address);
  if (after == buffers.begin()) return fmt::format("{:#x}", address);
  const LaneLogBuffer& buffer = *--after;
  const uint64_t offset = address - buffer.address;
  if (offset >= buffer.bytes) return fmt::format("{:#x}", address);
  if (offset % element_bytes != 0) return fmt::format("{} + {} bytes", buffer.name, offset);
  return fmt::format("{}[{}]", buffer.name, offset / element_bytes);
}

std::string placeOf(const LaneLog& log, const MemoryRequest& request, int lane) {
  const uint64_t element = std::max(1U, request.bytes / std::max(1U, request.elements));
  return placeIn(log.buffers, request.addresses[static_cast<size_t>(lane)], element);
}

}  // namespace warpscope
