// A kernel's source as the code view lists it: lines, the region of each, and where the function of the shown
// variant begins and ends. Pure text processing, done once per run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct SourceLine {
  std::string_view text;         // a view into SourceLines::text
  std::optional<size_t> region;  // index into Run::regions; the shortest one that contains the line
  bool in_function = false;      // part of the shown variant, or of a function in which it marks regions
  bool comment = false;          // nothing but a comment
};

struct SourceLines {
  std::shared_ptr<const std::string> text;
  std::vector<SourceLine> lines;  // lines[0] is line 1
  uint32_t function_line = 1;     // 1-based: where the shown variant's function begins, including its comment
};

// Accepts regions outside the text and a source without such a function.
SourceLines sourceLines(const Run& run);

}  // namespace warpscope
