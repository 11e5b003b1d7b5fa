#include "kernels/lesson/markdown.h"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <functional>

#include "kernels/core/utf8.h"

namespace warpscope {
namespace {

constexpr size_t kDeepestList = 6;

using Kind = MarkdownBlock::Kind;

// What md4c calls for each part of the text, in order.
class MarkdownReader {
 public:
  explicit MarkdownReader(std::string_view text) : text_(text) {}

  Expected<std::vector<MarkdownBlock>> read() {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<MarkdownReader*>(self)->enterBlock(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<MarkdownReader*>(self)->leaveBlock(type);
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<MarkdownReader*>(self)->enterSpan(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<MarkdownReader*>(self)->leaveSpan(type);
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<MarkdownReader*>(self)->takeText(type, std::string_view(text, size));
    };
    // md_parse() may return 0 although enterBlock() ended it.
    if (md_parse(text_.data(), static_cast<MD_SIZE>(text_.size()), &parser, this) != 0 || too_deep_)
      return fail(ErrorKind::kDamagedFile, "line {}: lists are nested more than {} deep", line_,
                  kDeepestList);
    // Where a block has no text, its line is known to be at or after that of the block before.
    uint32_t line = 1;
    for (MarkdownBlock& block : blocks_) line = block.line = std::max(block.line, line);
    return std::move(blocks_);
  }

 private:
  struct List {
    bool ordered = false;
    unsigned next = 1;
  };

  void begin(Kind kind, uint32_t level = 0) {
    blocks_.push_back({.kind = kind, .level = level, .spans = {}});
    open_ = true;
  }
  void beginText() {
    if (lists_.empty()) return begin(Kind::kParagraph);
    begin(Kind::kListItem, static_cast<uint32_t>(lists_.size()));
  }
  // Text directly inside a list item (a "tight" list has no paragraphs) belongs to the item's block.
  int enterBlock(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        too_deep_ = lists_.size() == kDeepestList;
        if (too_deep_) return 1;
        lists_.push_back(
            {type == MD_BLOCK_OL, type == MD_BLOCK_OL ? static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start : 1});
        break;
      case MD_BLOCK_LI: {
        List& list = lists_.back();
        begin(Kind::kListItem, static_cast<uint32_t>(lists_.size()));
        blocks_.back().marker = list.ordered ? fmt::format("{}.", list.next++) : "•";
        break;
      }
      case MD_BLOCK_P:
        if (lists_.empty() || !open_) beginText();
        break;
      case MD_BLOCK_H:
        begin(Kind::kHeading, static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        break;
      case MD_BLOCK_CODE: {
        const MD_ATTRIBUTE& info = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info;
        begin(Kind::kCode);
        blocks_.back().info = std::string(info.text == nullptr ? "" : info.text, info.size);
        if (info.size > 0) noteLine(info.text);
        blocks_.back().line = line_ + 1;
        break;
      }
      default:
        break;
    }
    return 0;
  }
  int leaveBlock(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) lists_.pop_back();
    open_ = false;
    return 0;
  }
  int enterSpan(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_EM) ++emphasis_;
    if (type == MD_SPAN_STRONG) ++strong_;
    if (type == MD_SPAN_CODE) ++code_;
    if (type == MD_SPAN_A) {
      const MD_ATTRIBUTE& address = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
      link_ = std::string(address.text == nullptr ? "" : address.text, address.size);
    }
    return 0;
  }
  int leaveSpan(MD_SPANTYPE type) {
    if (type == MD_SPAN_EM) --emphasis_;
    if (type == MD_SPAN_STRONG) --strong_;
    if (type == MD_SPAN_CODE) --code_;
    if (type == MD_SPAN_A) link_.clear();
    return 0;
  }

  int takeText(MD_TEXTTYPE type, std::string_view text) {
    if (!open_) beginText();
    MarkdownBlock& block = blocks_.back();
    if (type == MD_TEXT_BR || (type == MD_TEXT_SOFTBR)) {
      append(block, type == MD_TEXT_BR ? "\n" : " ");
      return 0;
    }
    noteLine(text.data());
    if (block.line == 0) block.line = line_;
    append(block, type == MD_TEXT_NULLCHAR ? std::string_view("\uFFFD") : text);
    return 0;
  }
  void append(MarkdownBlock& block, std::string_view text) {
    MarkdownSpan span{.strong = strong_ > 0, .emphasis = emphasis_ > 0, .code = code_ > 0, .link = link_};
    if (!block.spans.empty()) {
      MarkdownSpan last = block.spans.back();
      last.text.clear();
      if (last == span) {
        block.spans.back().text += text;
        return;
      }
    }
    span.text = text;
    block.spans.push_back(std::move(span));
  }
  // Texts that md4c passes on are pieces of the file, apart from a few of its own (line ends of code).
  void noteLine(const char* at) {
    const char* const begin = text_.data();
    if (std::less<>{}(at, begin) || !std::less<>{}(at, begin + text_.size())) return;
    const auto offset = static_cast<size_t>(at - begin);
    if (offset < noted_) return;
    line_ += static_cast<uint32_t>(std::count(begin + noted_, at, '\n'));
    noted_ = offset;
  }

  std::string_view text_;
  std::vector<MarkdownBlock> blocks_;
  std::vector<List> lists_;
  bool open_ = false, too_deep_ = false;
  int strong_ = 0, emphasis_ = 0, code_ = 0;
  std::string link_;
  uint32_t line_ = 1;
  size_t noted_ = 0;  // up to where line_ has been counted
};

}  // namespace

Expected<std::vector<MarkdownBlock>> readMarkdown(std::string_view text) {
  if (const size_t valid = validUtf8Bytes(text); valid < text.size())
    return fail(ErrorKind::kDamagedFile, "line {}: the text is not UTF-8",
                1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(valid), '\n'));
  return MarkdownReader(text).read();
}

std::string plainText(const MarkdownBlock& block) {
  std::string text;
  for (const MarkdownSpan& span : block.spans) text += span.text;
  return text;
}

}  // namespace warpscope
