#include "kernels/sim/sm/sectored_tags.h"

#include <algorithm>

namespace warpscope::sim {

SectoredTags::SectoredTags(uint64_t bytes, uint32_t ways)
    : ways_(std::max(ways, 1U)), sets_(std::max<uint64_t>(bytes / kLineBytes / ways_, 1)) {
  lines_.resize(sets_ * ways_);
  ways_data_.resize(sets_ * ways_ * 2);
}

void SectoredTags::clear() {
  std::fill(ways_data_.begin(), ways_data_.end(), 0);  // whatever the lines hold
  clock_ = 0;
}

CacheLine* SectoredTags::findWay(uint64_t line, uint32_t mark, uint64_t set) {
  uint32_t* marks = ways_data_.data() + set * 2 * ways_;
  for (uint32_t way = 0; way < ways_; ++way) {
    if (marks[way] != mark) continue;
    CacheLine& found = lines_[set * ways_ + way];
    if (found.line != line) continue;
    marks[ways_ + way] = ++clock_;
    return &found;
  }
  return nullptr;
}

CacheLine* SectoredTags::find(uint64_t line) {
  const uint64_t hash = hashLine(line);
  return findWay(line, markOf(hash), setOf(hash));
}

CacheLine& SectoredTags::findOrReplace(uint64_t line, CacheLine& evicted) {
  const uint64_t hash = hashLine(line), set = setOf(hash);
  const uint32_t mark = markOf(hash);
  if (CacheLine* found = findWay(line, mark, set)) return *found;
  uint32_t* marks = ways_data_.data() + set * 2 * ways_;
  uint32_t* used = marks + ways_;
  uint32_t oldest = 0;
  // The distance is unsigned, so that the order survives a wrap of the counter.
  for (uint32_t way = 1; way < ways_; ++way) {
    if (clock_ - used[way] > clock_ - used[oldest]) oldest = way;
  }
  CacheLine& replaced = lines_[set * ways_ + oldest];
  evicted = marks[oldest] != 0 ? replaced : CacheLine{};
  replaced = CacheLine{};
  replaced.line = line;
  marks[oldest] = mark;
  used[oldest] = ++clock_;
  return replaced;
}

}  // namespace warpscope::sim
