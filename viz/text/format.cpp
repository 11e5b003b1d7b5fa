#include "viz/text/format.h"

#include <algorithm>

namespace warpscope {
namespace {

class FormatReader {
 public:
  explicit FormatReader(std::string_view format) : rest_(format) {}

  std::optional<TextFormat> all() {
    format_.texts.emplace_back();
    while (!rest_.empty()) {
      const char c = rest_.front();
      const bool twice = rest_.size() > 1 && rest_[1] == c;
      if ((c == '{' || c == '}') && twice) {
        rest_.remove_prefix(1);
        take(format_.texts.back());
      } else if (c == '{') {
        if (!placeholder()) return std::nullopt;
        format_.texts.emplace_back();
      } else if (c == '}') {
        return std::nullopt;
      } else {
        take(format_.texts.back());
      }
    }
    if (numbered_ && automatic_ > 0) return std::nullopt;
    return format_;
  }

 private:
  bool placeholder() {
    const auto argument = number();
    if (!argument) return false;
    std::string specification;
    if (!rest_.empty() && rest_.front() == ':') {
      while (!rest_.empty() && rest_.front() != '}') {
        if (rest_.front() != '{') {
          take(specification);
          continue;
        }
        const auto inner = number();
        if (!inner || rest_.empty() || rest_.front() != '}') return false;
        rest_.remove_prefix(1);
        specification += "{}";
        format_.nested.push_back(*inner);
      }
    }
    if (rest_.empty() || rest_.front() != '}') return false;
    rest_.remove_prefix(1);
    format_.numbers.push_back(*argument);
    format_.specifications.push_back(std::move(specification));
    return true;
  }
  // Parses the number after a "{"; if none is written, takes the next one.
  std::optional<size_t> number() {
    rest_.remove_prefix(1);
    std::string digits;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') take(digits);
    if (digits.empty()) return automatic_++;
    numbered_ = true;
    if (digits.size() > 3) return std::nullopt;
    return static_cast<size_t>(std::stoi(digits));
  }
  void take(std::string& to) {
    to += rest_.front();
    rest_.remove_prefix(1);
  }

  std::string_view rest_;
  TextFormat format_;
  size_t automatic_ = 0;
  bool numbered_ = false;
};

}  // namespace

std::optional<TextFormat> parseFormat(std::string_view format) {
  return FormatReader(format).all();
}

std::optional<std::vector<std::string>> placeholders(std::string_view format) {
  const auto parsed = parseFormat(format);
  if (!parsed) return std::nullopt;
  std::vector<std::string> found;
  for (size_t i = 0; i < parsed->numbers.size(); ++i)
    found.push_back(std::to_string(parsed->numbers[i]) + parsed->specifications[i]);
  for (const size_t number : parsed->nested) found.push_back(std::to_string(number));
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<std::vector<std::string_view>> partsOf(std::string_view sentence, const TextFormat& format) {
  if (!sentence.starts_with(format.texts.front())) return std::nullopt;
  sentence.remove_prefix(format.texts.front().size());
  std::vector<std::string_view> parts;
  for (size_t i = 1; i < format.texts.size(); ++i) {
    const std::string& behind = format.texts[i];
    const bool last = i + 1 == format.texts.size();
    // The last text ends the sentence; for the others the first occurrence counts.
    const size_t at =
        last ? sentence.size() - std::min(behind.size(), sentence.size()) : sentence.find(behind);
    if (at == std::string_view::npos || sentence.substr(at, behind.size()) != behind) return std::nullopt;
    parts.push_back(sentence.substr(0, at));
    sentence.remove_prefix(at + behind.size());
  }
  if (!sentence.empty()) return std::nullopt;
  return parts;
}

}  // namespace warpscope
