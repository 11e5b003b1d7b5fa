#include "kernels/sim/sm/sectored_tags.h"

#include <algorithm>

namespace warpscope::sim {

SectoredTags::SectoredTags(uint64_t bytes, uint32_t ways)
    : ways_(std::max(ways, 1U)), sets_(std::max<uint64_t>(bytes / kLineBytes / ways_, 1)) {
  generations_.assign(sets_, 0);
  ways_data_ = std::make_unique_for_overwrite<uint32_t[]>(sets_ * ways_ * 2);
  lines_ = std::make_unique_for_overwrite<CacheLine[]>(sets_ * ways_);
}

void SectoredTags::clear() {
  clock_ = 0;
  if (++generation_ != 0) return;
  // The numbers begin again, so that sets of old generations would seem to be current.
  std::ranges::fill(generations_, uint8_t{0});
  generation_ = 1;
}

CacheLine* SectoredTags::findWay(uint64_t line, uint32_t mark, uint64_t set) {
  if (generations_[set] != generation_) return nullptr;
  for (uint32_t way = wayOf(mark, set, 0); way < ways_; way = wayOf(mark, set, way + 1)) {
    CacheLine& found = lines_[set * ways_ + way];
    if (found.line != line) continue;
    ways_data_[(set * 2 + 1) * ways_ + way] = ++clock_;
    return &found;
  }
  return nullptr;
}

// The distance is unsigned, so that the order survives a wrap of the counter.
uint32_t SectoredTags::leastRecent(const uint32_t* used) const {
  uint32_t distance = 0;
  for (uint32_t way = 0; way < ways_; ++way) distance = std::max(distance, clock_ - used[way]);
  uint32_t oldest = 0;
  while (clock_ - used[oldest] != distance) ++oldest;
  return oldest;
}

CacheLine& SectoredTags::replace(uint64_t line, CacheLine& evicted) {
  const uint64_t hash = hashLine(line), set = setOf(hash);
  uint32_t* marks = ways_data_.get() + set * 2 * ways_;
  uint32_t* used = marks + ways_;
  if (generations_[set] != generation_) {
    std::fill(marks, marks + 2 * ways_, 0);
    generations_[set] = generation_;
  }
  const uint32_t oldest = leastRecent(used);
  CacheLine& replaced = lines_[set * ways_ + oldest];
  evicted = marks[oldest] != 0 ? replaced : CacheLine{};
  replaced = CacheLine{.line = line};
  marks[oldest] = markOf(hash);
  used[oldest] = ++clock_;
  return replaced;
}

}  // namespace warpscope::sim
