#include "viz/layout/hazard_lines.h"

#include <algorithm>

namespace warpscope {
namespace {

uint32_t lineOf(const Run& run, const HazardAccess& access) {
  return access.source_file == run.source_file ? access.line : 0;
}

}  // namespace

uint32_t lineOf(const Run& run, const Hazard& hazard) {
  const uint32_t line = lineOf(run, hazard.access);
  // For a race take the later line: as a rule it is the access that came too early.
  return hazard.second ? std::max(line, lineOf(run, *hazard.second)) : line;
}

HazardLines hazardLines(const Run& run) {
  HazardLines lines;
  if (!run.hazards) return lines;
  for (size_t i = 0; i < run.hazards->size(); ++i) {
    const Hazard& hazard = (*run.hazards)[i];
    std::vector<uint32_t> of_this = {lineOf(run, hazard.access)};
    if (hazard.second) of_this.push_back(lineOf(run, *hazard.second));
    if (of_this.front() > 0) {
      for (const auto& [first, second] : hazard.also_lines) of_this.insert(of_this.end(), {first, second});
    }
    for (const uint32_t line : of_this) {
      if (line == 0) continue;
      std::vector<size_t>& there = lines[line];
      if (there.empty() || there.back() != i) there.push_back(i);
    }
  }
  return lines;
}

}  // namespace warpscope
