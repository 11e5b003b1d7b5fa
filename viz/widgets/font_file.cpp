#include "viz/widgets/font_file.h"

#include <algorithm>

// Offsets are from the OpenType specification: "Organization of an OpenType font", tables head, hhea and
// name.
namespace warpscope {
namespace {

class Bytes {
 public:
  explicit Bytes(std::span<const unsigned char> bytes) : bytes_(bytes) {}
  // A big-endian number; bytes past the end count as zero.
  uint32_t number(size_t at, size_t count) const {
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value << 8 | (at + i < bytes_.size() ? bytes_[at + i] : 0U);
    return value;
  }
  int signedNumber(size_t at) const { return static_cast<int16_t>(number(at, 2)); }

 private:
  std::span<const unsigned char> bytes_;
};

constexpr uint32_t tag(const char (&name)[5]) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(name[i]);
  return value;
}

// The offset of a table; 0 if there is none.
size_t tableOf(const Bytes& file, size_t font, uint32_t name) {
  const size_t count = file.number(font + 4, 2);
  for (size_t i = 0; i < count; ++i) {
    const size_t record = font + 12 + 16 * i;
    if (file.number(record, 4) == name) return file.number(record + 8, 4);
  }
  return 0;
}

float emShareOf(const Bytes& file, size_t font) {
  const size_t head = tableOf(file, font, tag("head")), hhea = tableOf(file, font, tag("hhea"));
  if (head == 0 || hhea == 0) return 0;
  const int line = file.signedNumber(hhea + 4) - file.signedNumber(hhea + 6);
  const uint32_t em = file.number(head + 18, 2);
  const float share = line > 0 ? static_cast<float>(em) / static_cast<float>(line) : 0;
  return share > 0.3F && share < 1.5F ? share : 0;
}

// The English family name in the form for Windows (platform 3, UTF-16), of which only ASCII is used.
std::string familyOf(const Bytes& file, size_t font) {
  const size_t table = tableOf(file, font, tag("name"));
  if (table == 0) return {};
  const size_t count = file.number(table + 2, 2), strings = table + file.number(table + 4, 2);
  std::string family;
  for (size_t i = 0; i < count; ++i) {
    const size_t record = table + 6 + 12 * i;
    const uint32_t what = file.number(record + 6, 2);
    const bool english = file.number(record, 2) == 3 && file.number(record + 4, 2) == 0x0409;
    // 1: the family of up to four styles; 16: the family of all styles, if there are more.
    if (!english || (what != 1 && what != 16)) continue;
    const size_t length = std::min<size_t>(file.number(record + 8, 2), 200);
    const size_t begin = strings + file.number(record + 10, 2);
    std::string text;
    for (size_t at = 0; at + 1 < length; at += 2) {
      const uint32_t character = file.number(begin + at, 2);
      if (character >= 0x20 && character < 0x7F) text += static_cast<char>(character);
    }
    if (family.empty() || what == 16) family = text;
  }
  return family;
}

}  // namespace

FontFile readFontFile(std::span<const unsigned char> bytes, uint32_t index) {
  const Bytes file(bytes);
  size_t font = 0;
  if (file.number(0, 4) == tag("ttcf")) {
    if (index >= file.number(8, 4)) return {};
    font = file.number(12 + 4 * size_t{index}, 4);
  }
  return {familyOf(file, font), emShareOf(file, font)};
}

}  // namespace warpscope
