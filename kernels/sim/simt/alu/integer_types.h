// Chooses a handler by integer type.
#pragma once

#include "kernels/sim/ptx/instruction.h"
#include "kernels/sim/simt/alu/lanes.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

// Unsigned types for arithmetic modulo a power of two: overflow is defined, and nothing is promoted.
template <class T>
using Wide = typename WordOf<sizeof(T)>::Type;
template <class T>
[[gnu::always_inline]] inline T narrow(Wide<T> value) {
  return static_cast<T>(value);
}
template <class T>
inline constexpr bool kIsSigned = static_cast<T>(-1) < static_cast<T>(0);

// Handlers whose operands all have one type.
template <template <class> class Operation, class T>
struct Bind1 {
  static constexpr Handler kHandler = &unary<Operation<T>, T, T>;
};
template <template <class> class Operation, class T>
struct Bind2 {
  static constexpr Handler kHandler = &binary<Operation<T>, T, T, T>;
};
template <template <class> class Operation, class T>
struct Bind3 {
  static constexpr Handler kHandler = &ternary<Operation<T>, T, T, T, T>;
};

// For operations whose result does not depend on signedness.
inline ptx::Type unsignedOf(ptx::Type type) {
  switch (type) {
    case ptx::Type::kS8:
    case ptx::Type::kB8:
      return ptx::Type::kU8;
    case ptx::Type::kS16:
    case ptx::Type::kB16:
      return ptx::Type::kU16;
    case ptx::Type::kS32:
    case ptx::Type::kB32:
      return ptx::Type::kU32;
    case ptx::Type::kS64:
    case ptx::Type::kB64:
      return ptx::Type::kU64;
    default:
      return type;
  }
}

template <template <class> class Bound>
Handler bySignedType(ptx::Type type) {
  switch (type) {
    case ptx::Type::kS16:
      return Bound<int16_t>::kHandler;
    case ptx::Type::kS32:
      return Bound<int32_t>::kHandler;
    case ptx::Type::kS64:
      return Bound<int64_t>::kHandler;
    default:
      return nullptr;
  }
}
template <template <class> class Bound>
Handler byUnsignedType(ptx::Type type) {
  switch (type) {
    case ptx::Type::kU16:
      return Bound<uint16_t>::kHandler;
    case ptx::Type::kU32:
      return Bound<uint32_t>::kHandler;
    case ptx::Type::kU64:
      return Bound<uint64_t>::kHandler;
    default:
      return nullptr;
  }
}
template <template <class> class Bound>
Handler byIntegerType(ptx::Type type) {
  const Handler handler = byUnsignedType<Bound>(type);
  return handler != nullptr ? handler : bySignedType<Bound>(type);
}
// Only 32 and 64 bits.
template <template <class> class Bound>
Handler byWideType(ptx::Type type) {
  switch (type) {
    case ptx::Type::kU32:
      return Bound<uint32_t>::kHandler;
    case ptx::Type::kS32:
      return Bound<int32_t>::kHandler;
    case ptx::Type::kU64:
      return Bound<uint64_t>::kHandler;
    case ptx::Type::kS64:
      return Bound<int64_t>::kHandler;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
