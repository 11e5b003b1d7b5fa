#include "viz/layout/row_choice.h"

#include <fmt/format.h>

#include <charconv>

namespace warpscope {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> parseNumber(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<NumberRange> parseNumberRange(std::string_view text) {
  text = trimmed(text);
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    const auto number = parseNumber<uint32_t>(text);
    return number ? std::optional(NumberRange{*number, *number}) : std::nullopt;
  }
  const std::string_view from = text.substr(0, dash), to = text.substr(dash + 1);
  const auto first = from.empty() ? std::optional<uint32_t>(0) : parseNumber<uint32_t>(from);
  const auto last = to.empty() ? std::optional(NumberRange().last) : parseNumber<uint32_t>(to);
  if (!first || !last || *first > *last || (from.empty() && to.empty())) return std::nullopt;
  return NumberRange{*first, *last};
}

std::string numberRangeText(const std::optional<NumberRange>& range) {
  if (!range) return {};
  if (range->first == range->last) return fmt::format("{}", range->first);
  const std::string last = range->last == NumberRange().last ? "" : fmt::format("{}", range->last);
  return range->first == 0 && !last.empty() ? fmt::format("0-{}", last)
                                            : fmt::format("{}-{}", range->first, last);
}

std::optional<int64_t> parseCycles(std::string_view text) {
  std::string digits;
  for (const char c : trimmed(text)) {
    if (c != ',' && c != ' ') digits += c;
  }
  const auto cycles = parseNumber<int64_t>(digits);
  return cycles && *cycles >= 0 ? cycles : std::nullopt;
}

}  // namespace warpscope
