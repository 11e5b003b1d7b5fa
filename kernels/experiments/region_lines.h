// Finds where a kernel marks its regions, by scanning the source text: so the lines that a window shows
// cannot drift from the code. Knows just enough of CUDA C++ for the families' sources: functions that begin
// with
// __global__ or __device__, braces, comments, and `log.mark(kRegion)`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

struct MarkSite {
  std::string region;  // the constant's name: "kFirstPath"
  uint32_t first_line = 0,
           last_line = 0;  // 1-based: from the mark to the line before the function's next one
};

// The marks of `kernel` in the order of its text, then those of the functions of this file that it calls. A
// region marked at several places is listed once, where it comes first. Error: no such kernel.
Expected<std::vector<MarkSite>> findMarkSites(std::string_view source, std::string_view kernel);

}  // namespace warpscope
