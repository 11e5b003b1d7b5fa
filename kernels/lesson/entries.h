// The `key: value` lines in a lesson's code blocks. A line that begins with a space continues the value
// before it, and one that begins with # is a comment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/compile/source_text.h"
#include "kernels/core/error.h"
#include "kernels/lesson/markdown.h"

namespace warpscope {

struct LessonEntry {
  std::string key, value;
  uint32_t line = 0;  // in the lesson, from 1
};

// Error kDamagedFile with "line N: ...": a line has no colon, or a value is missing.
Expected<std::vector<LessonEntry>> readEntries(const MarkdownBlock& code);

// An error in a line of a lesson: "line 12: ...". lesson_file.h puts the file's name before it.
template <class... Args>
tl::unexpected<Error> failAtLine(uint32_t line, fmt::format_string<Args...> format, const Args&... args) {
  return fail(ErrorKind::kDamagedFile, "line {}: {}", line,
              fmt::vformat(format, fmt::make_format_args(args...)));
}

// "a, b and c", for messages that list what there is.
std::string listed(const std::vector<std::string>& words);
std::vector<std::string> splitAtCommas(std::string_view text);  // trimmed; empty for an empty text

}  // namespace warpscope
