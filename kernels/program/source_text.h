// What can be read off CUDA C++ without compiling it: where a kernel is defined, and how its parameters are
// named. The compiler has accepted the text already, so guesses suffice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

// The text with comments and the content of string literals as spaces; lines stay where they are.
std::string withoutComments(std::string_view source);

struct KernelDefinition {
  uint32_t line = 0;                    // of its name, from 1
  std::vector<std::string> parameters;  // as written: "const float* in"
};
// `source` has no comments (withoutComments).
std::optional<KernelDefinition> findKernelDefinition(std::string_view source, std::string_view name);

// Between the braces of "struct NAME {...}".
std::optional<std::string> findStructBody(std::string_view source, std::string_view name);

bool isWordCharacter(char c);

}  // namespace warpscope
