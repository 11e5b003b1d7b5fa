// Where a source defines a kernel or a struct, and what stands there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

struct KernelDefinition {
  size_t begin = 0;                     // where its declaration begins: "template <class T> __global__ ..."
  uint32_t line = 0;                    // of its name, from 1
  std::vector<std::string> parameters;  // as written: "const float* in"
};
// `code`: the source as codeOnly() leaves it (kernels/compile/source_text.h).
std::optional<KernelDefinition> findKernelDefinition(std::string_view code, std::string_view name);

// The text between the braces of "struct NAME {...}".
std::optional<std::string> findStructBody(std::string_view code, std::string_view name);

}  // namespace warpscope
