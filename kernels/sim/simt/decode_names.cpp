#include <algorithm>

#include "kernels/sim/ptx/types.h"
#include "kernels/sim/simt/decode_layout.h"

namespace warpscope::sim {
namespace {

constexpr uint32_t kNobody = 0xFFFFFFFFU;

class Naming {
 public:
  Naming(const FunctionLayout& layout, const CodeFunction& function, Code& code)
      : function_(function),
        code_(code),
        of_row_(layout.row_count, kNobody),
        of_predicate_(layout.predicate_count, kNobody) {
    for (size_t i = 0; i < layout.function->registers.size(); ++i) {
      const ptx::Register& declared = layout.function->registers[i];
      const auto index = static_cast<uint32_t>(code.registers.size());
      if (declared.type == ptx::Type::kPred) {
        if (layout.predicates[i] != kNoPredicate) of_predicate_[layout.predicates[i]] = index;
      } else if (layout.rows[i].index >= 0) {
        of_row_[static_cast<size_t>(layout.rows[i].index)] = index;
      }
      code.registers.push_back({declared.name, declared.type});
    }
  }

  void findTypes() {
    // A copy has the type of what it is a copy of, which may be found after it.
    constexpr int kPasses = 3;
    for (int pass = 0; pass < kPasses; ++pass) {
      for (uint32_t pc = function_.entry; pc < function_.end; ++pc) {
        const Instruction& in = code_.instructions[pc];
        if (in.op == ptx::Op::kMov || in.op == ptx::Op::kSelp) {
          for (uint32_t i = 0; i < std::min<uint32_t>(in.source_count, in.op == ptx::Op::kSelp ? 2 : 1);
               ++i) {
            tell(in.destinations[0], typeOf(in.sources[i]));
            tell(in.sources[i], typeOf(in.destinations[0]));
          }
          continue;
        }
        if (pass > 0) continue;
        for (uint32_t i = 0; i < in.destination_count; ++i) tell(in.destinations[i], in.type);
        const bool takes_address = in.kind == Kind::kLoad || in.kind == Kind::kStore ||
                                   in.kind == Kind::kAtomic || in.kind == Kind::kReduction;
        const ptx::Type of_sources = in.op == ptx::Op::kCvt ? in.type2 : in.type;
        for (uint32_t i = takes_address ? 1 : 0; i < in.source_count; ++i) tell(in.sources[i], of_sources);
      }
    }
  }

  void listWritten() {
    for (uint32_t pc = function_.entry; pc < function_.end; ++pc) {
      const Instruction& in = code_.instructions[pc];
      code_.written_begin.push_back(static_cast<uint32_t>(code_.written.size()));
      for (uint32_t i = 0; i < in.destination_count; ++i)
        code_.written.push_back(isRegister(in.destinations[i]) ? at(in.destinations[i]) : kNowhere);
      for (const PredicateIndex predicate : in.predicate_destinations)
        code_.written.push_back(predicate == kNoPredicate ? kNowhere : of_predicate_[predicate]);
    }
  }

 private:
  uint32_t at(Row row) const { return of_row_[static_cast<size_t>(row.index)]; }
  ptx::Type typeOf(Row row) const {
    return isRegister(row) && at(row) != kNobody ? code_.registers[at(row)].type : ptx::Type::kNone;
  }
  // A number's type in place of bits of the same size.
  void tell(Row row, ptx::Type type) {
    if (!isRegister(row) || at(row) == kNobody || !(ptx::isFloat(type) || ptx::isSigned(type))) return;
    ptx::Type& known = code_.registers[at(row)].type;
    if (ptx::isBits(known) && ptx::bytesOf(known) == ptx::bytesOf(type)) known = type;
  }

  const CodeFunction& function_;
  Code& code_;
  std::vector<uint32_t> of_row_, of_predicate_;  // indices into Code::registers
};

}  // namespace

void nameRegisters(const FunctionLayout& layout, uint32_t function, Code& code) {
  Naming naming(layout, code.functions[function], code);
  naming.findTypes();
  naming.listWritten();
}

}  // namespace warpscope::sim
