#include "kernels/sim/sm/warm_ranges.h"

#include <algorithm>

namespace warpscope::sim {

void WarmRanges::touch(uint64_t first, uint64_t last, bool written, double share) {
  std::vector<Range> kept;
  former_.clear();
  const auto keep = [&](uint64_t from, uint64_t until, size_t index) {
    Range part = ranges_[index];
    part.first = from;
    part.last = until;
    kept.push_back(part);
    former_.emplace_back(index);
  };
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const Range& range = ranges_[i];
    if (range.last < first || range.first > last) {
      keep(range.first, range.last, i);
      continue;
    }
    if (range.first < first) keep(range.first, first - 1, i);
    if (range.last > last) keep(last + 1, range.last, i);
  }
  kept.push_back({.first = first, .last = last, .written = written, .share = share});
  former_.emplace_back();
  double after = 0;
  for (size_t i = kept.size(); i-- > 0; after += kept[i].lines()) kept[i].after = after;
  // Ranges that the cache cannot hold any more are forgotten. Fresh ones stay, because a caller may ask how
  // much of them a launch uses.
  size_t gone = kept.size() > kMostRanges ? kept.size() - kMostRanges : 0;
  while (gone < kept.size() && !kept[gone].fresh && kept[gone].after >= static_cast<double>(capacity_lines_))
    ++gone;
  kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(gone));
  former_.erase(former_.begin(), former_.begin() + static_cast<std::ptrdiff_t>(gone));
  ranges_ = std::move(kept);
}

double WarmRanges::freshLines() const {
  double lines = 0;
  for (const Range& range : ranges_) lines += range.fresh ? range.lines() : 0;
  return lines;
}

void WarmRanges::settle() {
  for (Range& range : ranges_) range.fresh = false;
}

std::optional<size_t> WarmRanges::find(uint64_t line) const {
  for (size_t i = ranges_.size(); i-- > 0;) {
    if (line >= ranges_[i].first && line <= ranges_[i].last) return i;
  }
  return std::nullopt;
}

// Of the lines that were used since, those of its own range and of later ones may be among the lines that
// were touched after it: together they are not more than these ranges have.
double WarmRanges::usedSince(size_t index, uint64_t line, const Used& used, uint32_t slices) const {
  const Range& range = ranges_[index];
  double later = 0, others = used.back();
  for (size_t i = 0; i < index; ++i) others += used[i];
  for (size_t i = index; i < ranges_.size(); ++i) later += used[i];
  const double touched = (range.linesFrom(line) - range.share + range.after) / slices;
  const double most = (range.lines() + range.after) / slices;
  return (std::min(touched + later, most) + others) * slices / static_cast<double>(capacity_lines_);
}

}  // namespace warpscope::sim
