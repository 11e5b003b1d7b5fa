#include "kernels/program/definitions.h"

#include <algorithm>

#include "kernels/compile/source_text.h"

namespace warpscope {
namespace {

constexpr const char* kSpace = " \t\r\n";

}  // namespace

std::optional<KernelDefinition> findKernelDefinition(std::string_view code, std::string_view name) {
  for (size_t global = findWord(code, "__global__"); global != std::string_view::npos;
       global = findWord(code, "__global__", global + 1)) {
    const size_t body = code.find_first_of("{;", global);
    const size_t at = findWord(code, name, global);
    if (at == std::string_view::npos || at > body) continue;
    const size_t open = code.find_first_not_of(kSpace, at + name.size());
    if (open == std::string_view::npos || code[open] != '(') continue;
    const size_t close = closingBracket(code, open);
    if (close == std::string_view::npos) continue;
    const size_t before = code.find_last_of(";{}", global);
    const size_t begin = code.find_first_not_of(kSpace, before == std::string_view::npos ? 0 : before + 1);
    return KernelDefinition{begin, 1 + static_cast<uint32_t>(std::ranges::count(code.substr(0, at), '\n')),
                            splitParameters(code.substr(open + 1, close - open - 1))};
  }
  return std::nullopt;
}

std::optional<std::string> findStructBody(std::string_view code, std::string_view name) {
  for (size_t at = findWord(code, name); at != std::string_view::npos; at = findWord(code, name, at + 1)) {
    const std::string_view before = trimmed(code.substr(0, at));
    const size_t open = code.find_first_not_of(kSpace, at + name.size());
    const bool defines = before.ends_with("struct") || before.ends_with(')');  // struct __align__(16) Body
    if (!defines || open == std::string_view::npos || code[open] != '{') continue;
    const size_t close = closingBracket(code, open);
    if (close == std::string_view::npos) return std::nullopt;
    return std::string(code.substr(open + 1, close - open - 1));
  }
  return std::nullopt;
}

}  // namespace warpscope
