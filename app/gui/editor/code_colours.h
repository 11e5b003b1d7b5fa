// Which letters of a line of CUDA C++ or PTX are what, for its colours.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace warpscope {

enum class CodeKind { kPlain, kKeyword, kCuda, kNumber, kString, kComment, kDirective };

struct CodeSpan {
  size_t begin = 0, end = 0;  // bytes of the line
  CodeKind kind = CodeKind::kPlain;
  bool operator==(const CodeSpan&) const = default;
};

// All bytes of the line, in order. `in_comment`: whether the line begins within a /* comment, and afterwards
// whether the next one does.
std::vector<CodeSpan> colourLine(std::string_view line, bool& in_comment);

}  // namespace warpscope
