#include "kernels/sim/simt/table_operands.h"

#include "kernels/sim/ptx/types.h"

namespace warpscope::sim {

namespace {

using ptx::Type;

Type typeByName(std::string_view name) {
  for (auto type = static_cast<int>(Type::kPred); type <= static_cast<int>(Type::kF64); ++type) {
    if (name == ptx::typeName(static_cast<Type>(type))) return static_cast<Type>(type);
  }
  return Type::kNone;
}

}  // namespace

Type bitsOf(uint32_t bytes) {
  return bytes >= 16 ? Type::kB128 : bytes == 8 ? Type::kB64 : bytes == 4 ? Type::kB32 : Type::kB16;
}

std::vector<TableOperand> tableOperands(const char* operands) {
  std::vector<TableOperand> patterns;
  std::string_view rest = operands;
  bool second = false;
  while (!rest.empty()) {
    const size_t end = rest.find_first_of(",|");
    std::string_view text = rest.substr(0, end);
    while (!text.empty() && std::string_view("~*_#&%[{<(").find(text.front()) != std::string_view::npos)
      text.remove_prefix(1);
    while (!text.empty() && std::string_view("]}?>)").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    const std::string_view name = text.substr(0, text.find_first_of("]}):"));
    TableOperand pattern{text};
    pattern.is_predicate_destination = name == "p" || name == "q";
    pattern.is_destination = pattern.is_predicate_destination || name == "d" || second;
    patterns.push_back(pattern);
    if (end == std::string_view::npos) break;
    second = rest[end] == '|';
    rest.remove_prefix(end + 1);
  }
  return patterns;
}

Type typeOf(const TableOperand& pattern, const ptx::Instruction& of) {
  const size_t colon = pattern.text.find(':');
  if (colon == std::string_view::npos) return of.types[0];
  const std::string_view name = pattern.text.substr(colon + 1);
  if (name == "U") return of.types[1];
  if (name == "V") return of.types[2];
  if (name == "wide") return bitsOf(2 * ptx::bytesOf(of.types[0]));
  if (name == "address") return Type::kB64;
  return typeByName(name);
}

}  // namespace warpscope::sim
