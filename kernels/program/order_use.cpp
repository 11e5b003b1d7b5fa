#include "kernels/program/order_use.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpscope {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

void countReads(const Operand& operand, std::vector<uint32_t>& reads) {
  const bool is_base = operand.kind == Operand::Kind::kAddress && operand.has_base;
  if (operand.kind == Operand::Kind::kRegister || is_base) ++reads.at(operand.index);
  for (const Operand& part : operand.parts) countReads(part, reads);
}

std::vector<uint32_t> readsOf(const ptx::Function& function) {
  std::vector<uint32_t> reads(function.registers.size());
  for (const Instruction& each : function.instructions) {
    countReads(each.guard, reads);
    for (size_t i = 0; i < each.operands.size(); ++i) {
      const bool is_destination = i == 0 && each.operands[i].kind == Operand::Kind::kRegister;
      if (!is_destination) countReads(each.operands[i], reads);
    }
  }
  return reads;
}

bool tellsPlaceOrTime(ptx::Special special) {
  using ptx::Special;
  constexpr Special kOnes[] = {Special::kSmid,          Special::kWarpid,       Special::kClock,
                               Special::kClockHi,       Special::kClock64,      Special::kGlobaltimer,
                               Special::kGlobaltimerLo, Special::kGlobaltimerHi};
  return std::ranges::find(kOnes, special) != std::end(kOnes);
}

std::string dependenceOf(const ptx::Function& function) {
  const std::vector<uint32_t> reads = readsOf(function);
  for (const Instruction& each : function.instructions) {
    const std::string line = each.source.at.line == 0 ? "" : fmt::format(" (line {})", each.source.at.line);
    if (each.op == Op::kAtom && each.space != ptx::Space::kShared && !each.operands.empty() &&
        each.operands[0].kind == Operand::Kind::kRegister && reads.at(each.operands[0].index) > 0) {
      return fmt::format("an atomic function{} returns what other threads have left", line);
    }
    const bool is_sum = (each.op == Op::kAtom || each.op == Op::kRed) &&
                        each.modifiers.atom_op == ptx::AtomOp::kAdd && ptx::isFloat(each.types[0]);
    if (is_sum) return fmt::format("an atomic addition of floats{} rounds in the order of its threads", line);
    if (each.op == Op::kReadSpecial && each.operands.size() > 1 && tellsPlaceOrTime(each.operands[1].special))
      return fmt::format("it reads a clock, or on which SM it runs{}", line);
  }
  return {};
}

}  // namespace

std::string orderDependence(const ptx::Module& module, const ptx::Function& entry) {
  std::string found = dependenceOf(entry);
  const bool calls =
      std::ranges::any_of(entry.instructions, [](const Instruction& each) { return each.op == Op::kCall; });
  if (!calls) return found;
  for (const ptx::Function& function : module.functions) {
    if (found.empty() && !function.is_entry) found = dependenceOf(function);
  }
  return found;
}

}  // namespace warpscope
