#include "app/cli/terminal_text.h"

#include <fmt/format.h>

#include <optional>

namespace warpscope {
namespace {

constexpr unsigned char kDelete = 0x7F;

struct Control {
  unsigned code;
  size_t bytes;
};

// The control character that begins at `at`: below U+0020, U+007F, or U+0080 to U+009F, which are two bytes
// in UTF-8.
std::optional<Control> controlAt(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x20 || first == kDelete) return Control{first, 1};
  const unsigned second = byte(at + 1);
  if (first == 0xC2 && second >= 0x80 && second < 0xA0) return Control{second, 2};
  return std::nullopt;
}

template <class Escape>
std::string escaped(std::string_view text, Escape&& escape) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const auto control = controlAt(text, at);
    if (control) {
      result += escape(control->code);
    } else {
      result += text[at];
    }
    at += control ? control->bytes : 1;
  }
  return result;
}

std::string visible(unsigned code) {
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

}  // namespace

std::string terminalText(std::string_view text) {
  return escaped(text, [](unsigned code) {
    return code == '\n' || code == '\t' ? std::string(1, static_cast<char>(code)) : visible(code);
  });
}

std::string terminalLine(std::string_view text) {
  return escaped(text, [](unsigned code) {
    return code == '\n' ? std::string("\\n") : code == '\t' ? std::string("\\t") : visible(code);
  });
}

std::string terminalJson(std::string json) {
  const bool has_others = json.find('\x7F') != std::string::npos || json.find('\xC2') != std::string::npos;
  if (!has_others) return json;
  return escaped(json, [](unsigned code) {
    return code < 0x20 ? std::string(1, static_cast<char>(code)) : fmt::format("\\u{:04x}", code);
  });
}

}  // namespace warpscope
