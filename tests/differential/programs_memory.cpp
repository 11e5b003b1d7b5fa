#include "tests/differential/programs_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/differential/form.h"

namespace warpscope::test {

using ptx::Type;

std::string copiedIn(const std::string& store) {
  std::string text;
  for (uint32_t at = 0; at < kMemoryBytes; at += 8) {
    text += filled("  ld.global.b64 %x, [%in+$1];\n  $2.b64 [%y+$1], %x;\n", {std::to_string(at), store});
  }
  return text;
}
std::string zeroed(const std::string& store) {
  std::string text;
  for (uint32_t at = 0; at < kMemoryBytes; at += 8) text += fmt::format("  {}.b64 [%y+{}], 0;\n", store, at);
  return text;
}
std::string copiedOut(const std::string& load) {
  std::string text;
  for (uint32_t at = 0; at < kMemoryBytes; at += 8) {
    text += filled("  $2.b64 %x, [%y+$1];\n  st.global.b64 [%out+$1], %x;\n", {std::to_string(at), load});
  }
  return text;
}

uint32_t registerWidth(Type type) {
  return std::max(16U, bitsOf(type));
}

std::vector<uint32_t> registerWidths(Type type) {
  std::vector<uint32_t> widths{registerWidth(type)};
  if (ptx::isFloat(type)) return widths;
  while (widths.back() < 64) widths.push_back(widths.back() * 2);
  return widths;
}

std::string registersOf(uint32_t bits, uint32_t count) {
  std::string list;
  for (uint32_t i = 0; i < count; ++i) list += fmt::format("{}%e{}", i > 0 ? ", " : "", i);
  return fmt::format("  .reg .b{} {};\n", bits, list);
}
std::string operandOf(uint32_t count) {
  std::string list;
  for (uint32_t i = 0; i < count; ++i) list += fmt::format("{}%e{}", i > 0 ? ", " : "", i);
  return count > 1 ? "{" + list + "}" : list;
}
std::string vectorWord(uint32_t count) {
  return count > 1 ? fmt::format(".v{}", count) : "";
}

std::string labelOf(const std::string& opcode, const std::string& variant, Type type, uint32_t bits) {
  return opcode + (variant.empty() ? "" : ", " + variant) +
         (bits == registerWidth(type) ? "" : fmt::format(", {}-bit registers", bits));
}

void addMemoryPrograms(std::vector<Program>& programs) {
  addLoadPrograms(programs);
  addStorePrograms(programs);
}

}  // namespace warpscope::test
