// f32 and f64 arithmetic rounded towards zero, minus or plus infinity: the processor's rounding mode is
// changed around the loop. This file is compiled with -frounding-math.
#include <cfenv>

#include "kernels/sim/simt/alu/float_operations.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

template <Handler handler>
void directed(const Instruction& i, const Registers& r, uint32_t mask) {
  const ptx::Rounding rounding = i.modifiers.rounding;
  const int before = fegetround();
  fesetround(rounding == ptx::Rounding::kRz   ? FE_TOWARDZERO
             : rounding == ptx::Rounding::kRm ? FE_DOWNWARD
                                              : FE_UPWARD);
  // The volatile pointer hides the callee from the compiler, so that no arithmetic is moved out from between
  // the two calls of fesetround.
  const Handler volatile inner = handler;
  inner(i, r, mask);
  fesetround(before);
}

template <template <class> class Operation>
Handler unaryDirected(const ptx::Modifiers& m) {
  using F = float;
  if (m.sat)
    return m.ftz ? &directed<&unary<Operation<FlushAndSaturate>, F, F>>
                 : &directed<&unary<Operation<Saturate>, F, F>>;
  return m.ftz ? &directed<&unary<Operation<Flush>, F, F>> : &directed<&unary<Operation<Plain>, F, F>>;
}
template <template <class> class Operation>
Handler binaryDirected(const ptx::Modifiers& m) {
  using F = float;
  if (m.sat)
    return m.ftz ? &directed<&binary<Operation<FlushAndSaturate>, F, F, F>>
                 : &directed<&binary<Operation<Saturate>, F, F, F>>;
  return m.ftz ? &directed<&binary<Operation<Flush>, F, F, F>>
               : &directed<&binary<Operation<Plain>, F, F, F>>;
}
template <template <class> class Operation>
Handler ternaryDirected(const ptx::Modifiers& m) {
  using F = float;
  if (m.sat) {
    return m.ftz ? &directed<&ternary<Operation<FlushAndSaturate>, F, F, F, F>>
                 : &directed<&ternary<Operation<Saturate>, F, F, F, F>>;
  }
  return m.ftz ? &directed<&ternary<Operation<Flush>, F, F, F, F>>
               : &directed<&ternary<Operation<Plain>, F, F, F, F>>;
}

Handler selectDirected32(const ptx::Instruction& instruction) {
  const ptx::Modifiers& m = instruction.modifiers;
  switch (instruction.op) {
    case ptx::Op::kAdd:
      return binaryDirected<AddFloat>(m);
    case ptx::Op::kSub:
      return binaryDirected<SubtractFloat>(m);
    case ptx::Op::kMul:
      return binaryDirected<MultiplyFloat>(m);
    case ptx::Op::kMad:
    case ptx::Op::kFma:
      return ternaryDirected<FusedFloat>(m);
    case ptx::Op::kDiv:
      return binaryDirected<DivideFloat>(m);
    case ptx::Op::kRcp:
      return unaryDirected<ReciprocalFloat>(m);
    case ptx::Op::kSqrt:
      return unaryDirected<RootFloat>(m);
    default:
      return nullptr;
  }
}

Handler selectDirected64(const ptx::Instruction& instruction) {
  using D = double;
  switch (instruction.op) {
    case ptx::Op::kAdd:
      return &directed<&binary<AddDouble, D, D, D>>;
    case ptx::Op::kSub:
      return &directed<&binary<SubtractDouble, D, D, D>>;
    case ptx::Op::kMul:
      return &directed<&binary<MultiplyDouble, D, D, D>>;
    case ptx::Op::kMad:
    case ptx::Op::kFma:
      return &directed<&ternary<FusedDouble, D, D, D, D>>;
    case ptx::Op::kDiv:
      return &directed<&binary<DivideDouble, D, D, D>>;
    case ptx::Op::kRcp:
      return &directed<&unary<ReciprocalDouble, D, D>>;
    case ptx::Op::kSqrt:
      return &directed<&unary<RootDouble, D, D>>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler selectDirected(const ptx::Instruction& instruction) {
  if (instruction.types[0] == ptx::Type::kF32) return selectDirected32(instruction);
  if (instruction.types[0] == ptx::Type::kF64) return selectDirected64(instruction);
  return nullptr;
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
