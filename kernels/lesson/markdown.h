// Markdown (CommonMark, read by md4c) as a list of blocks, each with its line. It is what lessons need and no
// more: HTML is text like any other, and pictures are not shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

struct MarkdownSpan {
  std::string text;
  bool strong = false, emphasis = false, code = false;
  std::string link{};  // the address, where the text is a link
  bool operator==(const MarkdownSpan&) const = default;
};

struct MarkdownBlock {
  enum class Kind { kParagraph, kHeading, kListItem, kCode };
  Kind kind = Kind::kParagraph;
  uint32_t level = 0;               // of a heading, from 1; of a list item: how deep it is, from 1
  std::string marker{};             // of a list item: "•" or "3."; empty: it continues the item before
  std::string info{};               // of code: what follows its fence
  std::vector<MarkdownSpan> spans;  // of code: one, the text as it is
  uint32_t line = 0;                // where its text begins, from 1; of code: its first line inside the fence
};

// Error kDamagedFile: it is not UTF-8, or is nested too deeply.
Expected<std::vector<MarkdownBlock>> readMarkdown(std::string_view text);

// A block's text without its marks.
std::string plainText(const MarkdownBlock& block);

}  // namespace warpscope
