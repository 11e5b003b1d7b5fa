// A kernel's source as the code view lists it: lines, the region of each, and where the function of the shown
// variant begins and ends. Pure text processing, done once per run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

// The lines of a run's source that its hazards are on. A pure function of the run.

// Line of Run::source, 1-based -> indices into Run::hazards, ascending. A race is listed at the lines of both
// accesses.
using HazardLines = std::map<uint32_t, std::vector<size_t>>;
HazardLines hazardLines(const Run& run);

// The line that is shown when the hazard is clicked; 0 if it is not in this source.
uint32_t lineOf(const Run& run, const Hazard& hazard);

}  // namespace warpscope
