#include "kernels/export/text_writer.h"

#include "kernels/core/utf8.h"

namespace warpscope {

void TextWriter::flush() {
  if (buffer_.size() > 0) write_({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

std::string markupText(std::string_view text) {
  const std::string valid = repairedUtf8(text);
  std::string result;
  result.reserve(valid.size());
  for (const char c : valid) {
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        if (control) {
          result += "\uFFFD";
        } else {
          result += c;
        }
    }
  }
  return result;
}

}  // namespace warpscope
