#include "kernels/core/utf8.h"

#include <algorithm>

namespace warpscope {
namespace {

struct Character {
  size_t bytes;  // at least 1
  bool valid;
};

// The character at the beginning of a text that is not empty, or as much of one as there is. The ranges of
// the second byte exclude overlong forms, surrogates and what is beyond U+10FFFF (the Unicode standard, table
// 3-7).
Character firstCharacter(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size() || byte(i) < least || byte(i) > most) return {i, false};
    least = 0x80;
    most = 0xBF;
  }
  return {length, true};
}

}  // namespace

size_t validUtf8Bytes(std::string_view text) {
  size_t bytes = 0;
  while (bytes < text.size()) {
    const Character character = firstCharacter(text.substr(bytes));
    if (!character.valid) break;
    bytes += character.bytes;
  }
  return bytes;
}

std::string repairedUtf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (true) {
    const size_t valid = validUtf8Bytes(text);
    repaired += text.substr(0, valid);
    text.remove_prefix(valid);
    if (text.empty()) return repaired;
    repaired += "\uFFFD";
    text.remove_prefix(firstCharacter(text).bytes);
  }
}

}  // namespace warpscope
