#include "tests/differential/refused_forms.h"

#include <algorithm>

namespace warpscope::test {
namespace {

using ptx::Op;
using ptx::Type;

bool isBits(Type type) {
  return type >= Type::kB8 && type <= Type::kB128;
}
bool isHalf(Type type) {
  return type == Type::kF16 || type == Type::kBf16;
}

bool isRefusedSaturation(Type to, Type from) {
  if (ptx::isFloat(to) || ptx::isFloat(from)) return to == Type::kBf16 || from == Type::kBf16;
  // On integers it must be able to change something.
  const bool same_sign = ptx::isSigned(to) == ptx::isSigned(from);
  if (same_sign) return bitsOf(to) >= bitsOf(from);
  return ptx::isSigned(to) && bitsOf(to) > bitsOf(from);
}

// bf16 converts from and to integers of 16 bits or more in registers of exactly their width.
bool isRefusedBfloatConversion(const Form& form) {
  for (const Slot& slot : form.slots) {
    if (!ptx::isFloat(slot.type) && slot.register_bits != bitsOf(slot.type)) return true;
  }
  return false;
}

bool isRefusedConversion(const Form& form) {
  const Type to = form.types[0], from = form.types[1];
  if (isBits(to) || isBits(from)) return true;
  if (form.has("sat") && isRefusedSaturation(to, from)) return true;
  const bool has_f32 = to == Type::kF32 || from == Type::kF32;
  if (form.has("ftz") && !has_f32) return true;
  if (form.has("rna") && to == Type::kBf16) return true;
  return (to == Type::kBf16 || from == Type::kBf16) && isRefusedBfloatConversion(form);
}

}  // namespace

bool isRefusedByPtxas(const Form& form) {
  const bool two = std::ranges::any_of(form.slots, &Slot::is_second);
  if (form.has("param::func")) return true;
  switch (form.entry->op) {
    case Op::kMin:
    case Op::kMax:
      return form.has("xorsign") != form.has("abs");
    case Op::kSetp:
      return two && isHalf(form.types[0]);
    case Op::kSet:
      return form.types[0] == Type::kF32 && isHalf(form.types[1]);
    case Op::kLop3:
      return (form.has("and") || form.has("or")) && !two;
    case Op::kElect:
      return !two;
    case Op::kCvt:
      return isRefusedConversion(form);
    default:
      return false;
  }
}

}  // namespace warpscope::test
