// A run's settings in the form in which users read them, for tables, reports and messages.
#pragma once

#include <map>
#include <string>

#include "kernels/run/run.h"

namespace warpscope {

// "256", "2^24", "32x8"; empty if the run has no such parameter.
std::string parameterText(const Run& run, const std::string& name);
// "block 256, size 2^24"
std::string parametersText(const Run& run);

// A region's name and first line by its id, in constant time: region ids in records have eight bits.
class RegionNames {
 public:
  explicit RegionNames(const Run& run);
  // For an id that Run::regions lacks: "region 7".
  const std::string& name(RegionId id) const { return names_[id.value & 0xFFU]; }
  uint32_t line(RegionId id) const { return lines_[id.value & 0xFFU]; }  // 0: unknown

 private:
  std::vector<std::string> names_;
  std::vector<uint32_t> lines_;
};

}  // namespace warpscope
