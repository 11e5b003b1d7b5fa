// A kernel's source as the code view lists it: lines, which region each belongs to, and where the function of
// the shown variant begins and ends. Pure text work, once a run.
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
  std::string_view text;         // into SourceLines::text
  std::optional<size_t> region;  // index into Run::regions; the shortest one that holds the line
  bool in_function = false;      // of the shown variant, or of a function that it marks regions in
  bool comment = false;          // nothing but a comment
};

struct SourceLines {
  std::shared_ptr<const std::string> text;
  std::vector<SourceLine> lines;  // lines[0] is line 1
  uint32_t function_line = 1;     // 1-based: where the shown variant's function begins, its comment included
};

// Tolerates regions outside the text and a source without such a function.
SourceLines sourceLines(const Run& run);

}  // namespace warpscope
