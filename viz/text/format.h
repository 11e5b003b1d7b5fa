// {fmt} formats as data: the text between the placeholders, and the order of the placeholders. For checking
// translations of formats, and for splitting finished sentences into their parts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

struct TextFormat {
  std::vector<std::string> texts;           // one more than placeholders; "{{" is "{" here
  std::vector<size_t> numbers;              // the argument of each placeholder
  std::vector<std::string> specifications;  // ":.1f"; a placeholder inside it is "{}"
  std::vector<size_t> nested;               // the arguments of those inside placeholders
};

// nullopt if it is not a valid format (an unmatched "{", or numbered and unnumbered placeholders mixed).
std::optional<TextFormat> parseFormat(std::string_view format);

// The placeholders, each with its number and specification ("0:.1f"), sorted. nullopt if it is not a valid
// format.
std::optional<std::vector<std::string>> placeholders(std::string_view format);

// The values of the placeholders in a sentence that was made with this format, in the order of the
// placeholders.
std::optional<std::vector<std::string_view>> partsOf(std::string_view sentence, const TextFormat& format);

}  // namespace warpscope
