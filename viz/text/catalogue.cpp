#include "viz/text/catalogue.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace warpscope {
namespace {

constexpr uint32_t kMagic = 0x950412de;
constexpr size_t kHeaderBytes = 20;

// The words of a .mo file, in the byte order of the machine that wrote it.
class MoReader {
 public:
  explicit MoReader(std::string_view bytes) : bytes_(bytes) {}

  Expected<uint32_t> begin() {
    if (bytes_.size() < kHeaderBytes) return damaged("is shorter than its header");
    if (const uint32_t magic = *word(0); magic == __builtin_bswap32(kMagic)) {
      swapped_ = true;
    } else if (magic != kMagic) {
      return damaged("is no .mo file");
    }
    if (const uint32_t major = *word(4) >> 16; major > 1)
      return fail(ErrorKind::kDamagedFile, "the catalogue has version {}; this program knows 0 and 1", major);
    return *word(8);
  }

  // The index-th text of the table whose offset stands at `table_at`; it ends before its first NUL, where
  // plural forms begin.
  Expected<std::string_view> text(size_t table_at, uint32_t index) const {
    const uint64_t entry = uint64_t{*word(table_at)} + uint64_t{index} * 8;
    const auto length = word(entry), offset = word(entry + 4);
    if (!length || !offset) return damaged("is truncated");
    if (uint64_t{*offset} + *length >= bytes_.size() || bytes_[size_t{*offset} + *length] != '\0')
      return damaged("has a text that leads out of it");
    return bytes_.substr(*offset, std::strlen(bytes_.data() + *offset));
  }

 private:
  static tl::unexpected<Error> damaged(const char* what) {
    return fail(ErrorKind::kDamagedFile, "the catalogue of translations {}", what);
  }
  std::optional<uint32_t> word(uint64_t at) const {
    if (at + 4 > bytes_.size()) return std::nullopt;
    uint32_t value = 0;
    std::memcpy(&value, bytes_.data() + at, 4);
    return swapped_ ? __builtin_bswap32(value) : value;
  }

  std::string_view bytes_;
  bool swapped_ = false;
};

// Reads placeholders from left to right; those in a specification ("{:{}}") count too.
class PlaceholderReader {
 public:
  explicit PlaceholderReader(std::string_view format) : rest_(format) {}

  std::optional<std::vector<std::string>> all() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      const bool twice = rest_.size() > 1 && rest_[1] == c;
      if ((c == '{' || c == '}') && twice) {
        rest_.remove_prefix(2);
      } else if (c == '{') {
        if (!one()) return std::nullopt;
      } else if (c == '}') {
        return std::nullopt;
      } else {
        rest_.remove_prefix(1);
      }
    }
    if (numbered_ && automatic_ > 0) return std::nullopt;
    std::sort(found_.begin(), found_.end());
    return found_;
  }

 private:
  bool one() {
    rest_.remove_prefix(1);
    std::string number;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') take(number);
    if (number.empty()) {
      number = std::to_string(automatic_++);
    } else {
      numbered_ = true;
    }
    std::string specification;
    if (!rest_.empty() && rest_.front() == ':') {
      take(specification);
      while (!rest_.empty() && rest_.front() != '}') {
        if (rest_.front() != '{') {
          take(specification);
        } else {
          specification += "{}";
          if (!one()) return false;
        }
      }
    }
    if (rest_.empty() || rest_.front() != '}') return false;
    rest_.remove_prefix(1);
    found_.push_back(number + specification);
    return true;
  }
  void take(std::string& to) {
    to += rest_.front();
    rest_.remove_prefix(1);
  }

  std::string_view rest_;
  std::vector<std::string> found_;
  uint32_t automatic_ = 0;
  bool numbered_ = false;
};

bool placeholdersMatch(std::string_view english, std::string_view translated) {
  const auto wanted = placeholders(english);
  return !wanted || wanted == placeholders(translated);
}

}  // namespace

std::optional<std::vector<std::string>> placeholders(std::string_view format) {
  return PlaceholderReader(format).all();
}

Expected<Catalogue> Catalogue::read(std::string_view mo) {
  MoReader reader(mo);
  const auto count = reader.begin();
  if (!count) return tl::unexpected(count.error());
  Catalogue catalogue;
  for (uint32_t i = 0; i < *count; ++i) {
    const auto english = reader.text(12, i);
    if (!english) return tl::unexpected(english.error());
    const auto translated = reader.text(16, i);
    if (!translated) return tl::unexpected(translated.error());
    // The text of "" is the catalogue's header.
    if (english->empty() || translated->empty()) continue;
    if (placeholdersMatch(*english, *translated)) {
      catalogue.entries_.emplace(*english, *translated);
    } else {
      catalogue.mismatched_.emplace_back(*english);
    }
  }
  return catalogue;
}

const char* Catalogue::find(std::string_view english) const {
  const auto found = entries_.find(english);
  return found == entries_.end() ? nullptr : found->second.c_str();
}

}  // namespace warpscope
