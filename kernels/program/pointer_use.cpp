#include "kernels/program/pointer_use.h"

#include <algorithm>

namespace warpscope {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

// A bit for each parameter; those beyond the last bit share it.
using Origins = uint64_t;
constexpr size_t kMostOrigins = 64;

bool isAccess(Op op) {
  return op == Op::kLd || op == Op::kSt || op == Op::kAtom || op == Op::kRed;
}

bool isImageAccess(Op op) {
  return op == Op::kTex || op == Op::kSuld || op == Op::kSust;
}

class Follower {
 public:
  explicit Follower(const ptx::Function& entry)
      : entry_(entry), of_register_(entry.registers.size()), uses_(entry.parameters.size()) {}

  std::vector<PointerUse> follow() {
    for (bool grown = true; grown;) {
      grown = false;
      for (const Instruction& each : entry_.instructions) grown = passOn(each) || grown;
    }
    for (const Instruction& each : entry_.instructions) {
      if (each.op == Op::kCall) {
        passedToFunction(each);
      } else if (isAccess(each.op)) {
        access(each);
      } else if (isImageAccess(each.op)) {
        imageAccess(each);
      }
    }
    return std::move(uses_);
  }

 private:
  Origins originsOf(const Operand& operand) const {
    Origins origins = 0;
    const bool is_register = operand.kind == Operand::Kind::kRegister ||
                             (operand.kind == Operand::Kind::kAddress && operand.has_base);
    if (is_register && operand.index < of_register_.size()) origins = of_register_[operand.index];
    for (const Operand& part : operand.parts) origins |= originsOf(part);
    return origins;
  }

  // The parameter that `ld.param` reads.
  Origins loaded(const Instruction& each) {
    if (each.op != Op::kLd || each.space != ptx::Space::kParam || each.operands.size() < 2) return 0;
    const Operand& from = each.operands[1];
    if (from.has_base || from.absolute) return 0;
    const auto found = std::ranges::find(entry_.parameters, from.index);
    if (found == entry_.parameters.end()) return 0;
    const auto index = static_cast<size_t>(found - entry_.parameters.begin());
    uses_[index].is_float_value = uses_[index].is_float_value || ptx::isFloat(each.types[0]);
    return Origins{1} << std::min(index, kMostOrigins - 1);
  }

  bool passOn(const Instruction& each) {
    if (each.operands.empty() || each.op == Op::kSt || each.op == Op::kRed) return false;
    if (isImageAccess(each.op) || each.op == Op::kImageQuery) return false;
    Origins origins = loaded(each);
    // What is loaded from memory has no origin; what is computed has that of its operands.
    if (!isAccess(each.op)) {
      for (size_t i = 1; i < each.operands.size(); ++i) origins |= originsOf(each.operands[i]);
    }
    const Operand& to = each.operands[0];
    if (to.kind != Operand::Kind::kRegister || to.index >= of_register_.size()) return false;
    const bool grown = (of_register_[to.index] | origins) != of_register_[to.index];
    of_register_[to.index] |= origins;
    return grown;
  }

  void note(Origins origins, const Instruction& each, bool reads, bool writes) {
    for (size_t i = 0; i < uses_.size(); ++i) {
      if ((origins >> std::min(i, kMostOrigins - 1) & 1) == 0) continue;
      PointerUse& use = uses_[i];
      use.is_read = use.is_read || reads;
      use.is_written = use.is_written || writes;
      if (use.is_address) continue;
      use.is_address = true;
      use.is_float = ptx::isFloat(each.types[0]);
      use.access_bytes = ptx::bytesOf(each.types[0]);
    }
  }

  void access(const Instruction& each) {
    if (each.space != ptx::Space::kGlobal && each.space != ptx::Space::kGeneric) return;
    for (const Operand& operand : each.operands) {
      if (operand.kind != Operand::Kind::kAddress) continue;
      note(originsOf(operand), each, each.op != Op::kSt, each.op != Op::kLd);
      return;
    }
  }

  void imageAccess(const Instruction& each) {
    const auto at = std::ranges::find(each.operands, Operand::Kind::kAddress, &Operand::kind);
    if (at == each.operands.end() || !at->has_base || at->index >= of_register_.size()) return;
    const Origins origins = of_register_[at->index];  // not those of the coordinates
    note(origins, each, each.op != Op::kSust, each.op == Op::kSust);
    for (size_t i = 0; i < uses_.size(); ++i) {
      if ((origins >> std::min(i, kMostOrigins - 1) & 1) == 0) continue;
      PointerUse& use = uses_[i];
      const bool first = use.image_dimensions == 0;
      const bool by_index = each.op == Op::kTex && !ptx::isFloat(each.types[1]);
      use.image_dimensions = each.modifiers.dimensions;
      use.image_channels = each.op == Op::kTex ? 1 : each.modifiers.vector;
      use.is_surface = each.op != Op::kTex;
      use.is_signed = ptx::isSigned(each.types[0]);
      use.by_index = by_index && (first || use.by_index);
    }
  }

  // A function may do anything with its arguments; they were stored into .param variables before.
  void passedToFunction(const Instruction& call) {
    for (const Instruction& each : entry_.instructions) {
      if (each.op != Op::kSt || each.space != ptx::Space::kParam || each.operands.size() < 2) continue;
      if (std::ranges::count(call.call_arguments, each.operands[0].index) == 0) continue;
      if (ptx::bytesOf(each.types[0]) == 8) note(originsOf(each.operands[1]), each, true, true);
    }
  }

  const ptx::Function& entry_;
  std::vector<Origins> of_register_;
  std::vector<PointerUse> uses_;
};

}  // namespace

std::vector<PointerUse> pointerUses(const ptx::Function& entry) {
  return Follower(entry).follow();
}

}  // namespace warpscope
