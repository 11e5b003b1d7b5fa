// {fmt} formats as data: what stands between the placeholders, and which placeholder comes where. For
// checking translations of formats, and for taking finished sentences apart again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

struct TextFormat {
  std::vector<std::string> texts;           // one more than placeholders; "{{" is "{" here
  std::vector<size_t> numbers;              // of each placeholder its argument
  std::vector<std::string> specifications;  // ":.1f"; a placeholder inside of it is "{}"
  std::vector<size_t> nested;               // the arguments of those inside
};

// Nullopt: no format ("{" alone, or numbered and unnumbered ones mixed).
std::optional<TextFormat> parseFormat(std::string_view format);

// Each with its number and specification ("0:.1f"), sorted. Nullopt: no format.
std::optional<std::vector<std::string>> placeholders(std::string_view format);

// Of a sentence that was made with a format: what stood for each of its placeholders, in their order.
std::optional<std::vector<std::string_view>> partsOf(std::string_view sentence, const TextFormat& format);

}  // namespace warpscope
