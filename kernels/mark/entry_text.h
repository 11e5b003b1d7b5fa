// PTX as lines of one statement each, so that something can be inserted before any of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

// The text with at most one statement or label a line, and without /* */ comments. Line comments stay: inline
// assembly leaves regions' names in them.
std::string oneStatementALine(std::string_view ptx);

std::vector<std::string_view> linesOf(std::string_view text);

// The lines of an entry, from 1, in a text of one statement a line.
struct EntryRange {
  uint32_t head = 0;   // ".visible .entry name("
  uint32_t open = 0;   // the line of its "{"
  uint32_t close = 0;  // the line of its "}"
};
// `near_line`: a line within the head. nullopt: the brackets do not match.
std::optional<EntryRange> findEntryRange(const std::vector<std::string_view>& lines, uint32_t near_line);

// The region that a line names by hand: "load" of "// warpscope mark: load".
std::optional<std::string> handMark(std::string_view line);

}  // namespace warpscope
