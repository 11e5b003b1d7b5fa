#include "viz/layout/region_index.h"

namespace warpscope {

RegionIndex regionOfLine(std::span<const Region> regions, uint32_t line) {
  RegionIndex found = kNoRegion;
  if (line == 0) return found;
  const auto length = [&](size_t i) { return regions[i].last_line - regions[i].first_line; };
  for (size_t i = 0; i < regions.size() && i < kUnknownRegion; ++i) {
    if (line < regions[i].first_line || line > regions[i].last_line) continue;
    if (found == kNoRegion || length(i) < length(found)) found = static_cast<RegionIndex>(i);
  }
  return found;
}

}  // namespace warpscope
