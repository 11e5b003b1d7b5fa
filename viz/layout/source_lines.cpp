#include "viz/layout/source_lines.h"

#include <algorithm>

#include "viz/layout/region_index.h"

namespace warpscope {
namespace {

std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool isComment(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line.substr(first).starts_with("//");
}

bool isBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

struct Lines {
  size_t first = 0, last = 0;  // zero-based, inclusive
};

// The text of a function in the style of these sources: from the comment above it to the closing brace in the
// first column.
Lines functionAround(const std::vector<SourceLine>& lines, size_t inside) {
  Lines found{inside, inside};
  while (found.last + 1 < lines.size() && !lines[found.last].text.starts_with("}")) ++found.last;
  // Go up to the blank line, or the end of another function, before it.
  while (found.first > 0 && !isBlank(lines[found.first - 1].text) &&
         !lines[found.first - 1].text.starts_with("}")) {
    --found.first;
  }
  // A blank line inside the body is not the beginning of the function: continue until something starts in the
  // first column.
  while (found.first > 0 && (lines[found.first].text.starts_with(" ") || isBlank(lines[found.first].text))) {
    --found.first;
    while (found.first > 0 && !isBlank(lines[found.first - 1].text) &&
           !lines[found.first - 1].text.starts_with("}")) {
      --found.first;
    }
  }
  return found;
}

}  // namespace

SourceLines sourceLines(const Run& run) {
  SourceLines result;
  result.text = run.source;
  if (result.text == nullptr) return result;
  for (const std::string_view text : splitLines(*result.text)) {
    SourceLine line{.text = text, .comment = isComment(text)};
    const RegionIndex region = regionOfLine(run.regions, static_cast<uint32_t>(result.lines.size() + 1));
    if (region != kNoRegion) line.region = region;
    result.lines.push_back(line);
  }
  if (result.lines.empty()) return result;
  bool first = true;
  for (const Region& region : run.regions) {
    if (region.first_line == 0 || region.first_line > result.lines.size()) continue;
    const Lines function = functionAround(result.lines, region.first_line - 1);
    for (size_t line = function.first; line <= function.last; ++line) result.lines[line].in_function = true;
    // Regions are in the order of the kernel's text: the first one is in the kernel itself.
    if (first) result.function_line = static_cast<uint32_t>(function.first + 1);
    first = false;
  }
  return result;
}

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
