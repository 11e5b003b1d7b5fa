#include "kernels/sim/ptx/types.h"

#include <array>

namespace warpscope::ptx {
namespace {

enum class Class : uint8_t { kOther, kBits, kUnsigned, kSigned, kFloat };
struct TypeFacts {
  const char* name;
  uint32_t bytes;
  Class kind;
};

// In the order of Type.
constexpr std::array<TypeFacts, 21> kTypes{{
    {"", 0, Class::kOther},       {"pred", 0, Class::kOther},   {"b8", 1, Class::kBits},
    {"b16", 2, Class::kBits},     {"b32", 4, Class::kBits},     {"b64", 8, Class::kBits},
    {"b128", 16, Class::kBits},   {"u8", 1, Class::kUnsigned},  {"u16", 2, Class::kUnsigned},
    {"u32", 4, Class::kUnsigned}, {"u64", 8, Class::kUnsigned}, {"s8", 1, Class::kSigned},
    {"s16", 2, Class::kSigned},   {"s32", 4, Class::kSigned},   {"s64", 8, Class::kSigned},
    {"f16", 2, Class::kFloat},    {"f16x2", 4, Class::kFloat},  {"bf16", 2, Class::kFloat},
    {"bf16x2", 4, Class::kFloat}, {"f32", 4, Class::kFloat},    {"f64", 8, Class::kFloat},
}};
static_assert(kTypes.size() == static_cast<size_t>(Type::kF64) + 1);

const TypeFacts& facts(Type type) {
  return kTypes[static_cast<size_t>(type)];
}

}  // namespace

uint32_t bytesOf(Type type) {
  return facts(type).bytes;
}
bool isFloat(Type type) {
  return facts(type).kind == Class::kFloat;
}
bool isSigned(Type type) {
  return facts(type).kind == Class::kSigned;
}
bool isBits(Type type) {
  return facts(type).kind == Class::kBits;
}
const char* typeName(Type type) {
  return facts(type).name;
}

Type typeNamed(std::string_view name) {
  for (size_t i = 1; i < kTypes.size(); ++i) {
    if (name == kTypes[i].name) return static_cast<Type>(i);
  }
  return Type::kNone;
}

Type twiceAsWide(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kNone;
  }
}

bool registerFits(Type of_register, Type wanted, bool may_be_wider) {
  if (of_register == Type::kPred || wanted == Type::kPred) return of_register == wanted;
  const uint32_t has = bytesOf(of_register), needs = bytesOf(wanted);
  if (has == 0 || needs == 0 || has < needs || (has > needs && !may_be_wider)) return false;
  if (isBits(of_register)) return true;
  if (isBits(wanted)) return has == needs || !isFloat(of_register);
  if (isFloat(of_register) || isFloat(wanted)) return of_register == wanted;
  return true;
}

}  // namespace warpscope::ptx
