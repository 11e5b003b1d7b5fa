#include "kernels/device/sim/sm/sectored_tags.h"

#include <algorithm>

namespace warpscope::sim {

SectoredTags::SectoredTags(uint64_t bytes, uint32_t ways)
    : ways_(std::max(ways, 1U)), sets_(std::max<uint64_t>(bytes / kLineBytes / ways_, 1)) {
  lines_.resize(sets_ * ways_);
}

void SectoredTags::clear() {
  std::fill(lines_.begin(), lines_.end(), CacheLine{});
  clock_ = 0;
}

CacheLine* SectoredTags::setOf(uint64_t line) {
  const uint64_t hash = hashLine(line) & 0xFFFF'FFFFU;
  return lines_.data() + ((hash * sets_) >> 32) * ways_;
}

CacheLine* SectoredTags::find(uint64_t line) {
  CacheLine* set = setOf(line);
  for (uint32_t way = 0; way < ways_; ++way) {
    if (set[way].line == line) {
      set[way].used = ++clock_;
      return set + way;
    }
  }
  return nullptr;
}

CacheLine& SectoredTags::findOrReplace(uint64_t line, CacheLine& evicted) {
  CacheLine* set = setOf(line);
  CacheLine* oldest = set;
  for (uint32_t way = 0; way < ways_; ++way) {
    if (set[way].line == line) {
      set[way].used = ++clock_;
      return set[way];
    }
    // Unsigned distance, so that the order survives the counter's wrap.
    if (clock_ - set[way].used > clock_ - oldest->used) oldest = set + way;
  }
  evicted = *oldest;
  *oldest = CacheLine{};
  oldest->line = line;
  oldest->used = ++clock_;
  return *oldest;
}

}  // namespace warpscope::sim
