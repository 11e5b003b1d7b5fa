// Finds where a kernel marks its regions, by scanning the source text, so that the lines that a window shows
// cannot drift from the code. It knows just enough of CUDA C++ for the families' sources: functions that
// begin with __global__ or __device__, braces, comments, and `log.mark(kRegion)`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

struct MarkSite {
  std::string region;  // the constant's name: "kFirstPath"
  // 1-based: from the mark to the line before the function's next one.
  uint32_t first_line = 0, last_line = 0;
};

// The marks of `kernel` in the order of its text, then those of functions in this file that it calls. A
// region that is marked at several places is listed once, where it comes first. Fails if there is no such
// kernel.
Expected<std::vector<MarkSite>> findMarkSites(std::string_view source, std::string_view kernel);

}  // namespace warpscope
