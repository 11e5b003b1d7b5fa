#include "viz/text/catalogue.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "viz/text/words.h"

namespace warpscope {
namespace {

constexpr uint32_t kMagic = 0x950412de;
constexpr size_t kHeaderBytes = 20;
constexpr char kContextEnd = '\4';  // between a text's context and the text
constexpr std::string_view kMessageContext("message\4", 8);

// Reads the words of a .mo file, in the byte order of the machine that wrote it.
class MoReader {
 public:
  explicit MoReader(std::string_view bytes) : bytes_(bytes) {}

  Expected<uint32_t> begin() {
    if (bytes_.size() < kHeaderBytes) return damaged("is shorter than its header");
    if (const uint32_t magic = *word(0); magic == __builtin_bswap32(kMagic)) {
      swapped_ = true;
    } else if (magic != kMagic) {
      return damaged("is not a .mo file");
    }
    if (const uint32_t major = *word(4) >> 16; major > 1)
      return fail(ErrorKind::kDamagedFile, "the catalogue has version {}; this program knows 0 and 1", major);
    return *word(8);
  }

  // The index-th text of the table whose offset is at `table_at`; it ends before its first NUL, after which
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

bool placeholdersMatch(std::string_view english, std::string_view translated) {
  const auto wanted = placeholders(english);
  return !wanted || wanted == placeholders(translated);
}

// Fills in the values that the sentence had for its placeholders. A translation may omit those that only
// English grammar needs.
std::string filled(const TextFormat& format, const std::vector<std::string>& values) {
  std::string text = format.texts.front();
  for (size_t i = 0; i < format.numbers.size(); ++i) {
    if (format.numbers[i] < values.size()) text += values[format.numbers[i]];
    text += format.texts[i + 1];
  }
  return text;
}

}  // namespace

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
    if (!english->empty() && !translated->empty()) catalogue.add(*english, *translated);
  }
  std::stable_sort(catalogue.messages_.begin(), catalogue.messages_.end(),
                   [](const Message& a, const Message& b) { return a.letters > b.letters; });
  return catalogue;
}

void Catalogue::add(std::string_view english, std::string_view translated) {
  if (english.starts_with(kMessageContext)) {
    addMessage(english.substr(kMessageContext.size()), translated);
  } else if (placeholdersMatch(english, translated)) {
    entries_.emplace(english, translated);
  } else {
    mismatched_.emplace_back(english);
  }
}

void Catalogue::addMessage(std::string_view english, std::string_view translated) {
  auto from = parseFormat(english), to = parseFormat(translated);
  const size_t count = from ? from->numbers.size() : 0;
  const auto unknown = [count](size_t number) { return number >= count; };
  if (!from || !to || !from->nested.empty() || std::any_of(to->numbers.begin(), to->numbers.end(), unknown)) {
    mismatched_.emplace_back(english);
    return;
  }
  size_t letters = 0;
  for (const std::string& text : from->texts) letters += text.size();
  messages_.push_back({std::move(*from), std::move(*to), letters});
}

const char* Catalogue::find(std::string_view english) const {
  const auto found = entries_.find(english);
  return found == entries_.end() ? nullptr : found->second.c_str();
}

const char* Catalogue::find(std::string_view context, std::string_view english) const {
  return find(std::string(context) + kContextEnd + std::string(english));
}

std::optional<std::string> Catalogue::findMessage(std::string_view english) const {
  if (const char* exact = find(english); exact != nullptr) return exact;
  return takenApart(english);
}

std::optional<std::string> Catalogue::partOfMessage(std::string_view part) const {
  // A single word may be a name, "values"; several are a text of its own, such as what a state of warps
  // means.
  if (part.find(' ') != std::string_view::npos) {
    if (const char* state = find(kStateContext, part); state != nullptr) return state;
    if (const char* exact = find(part); exact != nullptr) return exact;
  }
  return takenApart(part);
}

std::optional<std::string> Catalogue::takenApart(std::string_view english) const {
  for (const Message& message : messages_) {
    const auto parts = partsOf(english, message.english);
    if (!parts) continue;
    std::vector<std::string> values(parts->size());
    for (size_t i = 0; i < parts->size(); ++i) {
      // A part may itself be a message; it is shorter than the whole, so this recursion ends.
      const bool whole = (*parts)[i].size() == english.size();
      auto inner = whole || (*parts)[i].empty() ? std::nullopt : partOfMessage((*parts)[i]);
      // "barrier (the other warps of its block, at a barrier)": followed by what it means, it is a state.
      if (!inner && i + 1 < parts->size() && find((*parts)[i + 1]) != nullptr) {
        if (const char* state = find(kStateContext, (*parts)[i])) inner = state;
      }
      values[std::min(message.english.numbers[i], values.size() - 1)] =
          inner.value_or(std::string((*parts)[i]));
    }
    return filled(message.translated, values);
  }
  return std::nullopt;
}

std::string Catalogue::allTexts() const {
  std::string all;
  for (const auto& entry : entries_) all += entry.second + '\n';
  for (const Message& message : messages_) {
    for (const std::string& text : message.translated.texts) all += text + '\n';
  }
  return all;
}

}  // namespace warpscope
