// What an instruction form must give, computed by the text of the PTX ISA with integers and exact arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/differential/exact.h"
#include "tests/differential/form.h"

namespace warpscope::test {

// One operand of a lane, low cell first.
using Value = std::array<uint64_t, 2>;
// A lane's sources in PTX order without immediates, the carry flag last if it is read.
using Inputs = std::vector<Value>;

struct Result {
  enum class Rule : uint8_t {
    kExact,
    kAny,   // left undefined
    kNear,  // of each part of `format`: within the bound of `value`
  };
  Value bits{};
  Rule rule = Rule::kExact;
  FloatFormat format = kF32;
  uint32_t parts = 1;
  std::array<long double, 2> value{};
  long double relative = 0, absolute = 0;
  bool flushes = false;  // .ftz: what is close to a subnormal number may be zero
};

// A lane's destinations in PTX order, the carry flag last if it is written.
using Results = std::vector<Result>;

// Of all lanes; those that do not execute the instruction have no results.
std::array<Results, 32> reference(const Form& form, const std::array<Inputs, 32>& lanes);

bool isAcceptable(const Result& expected, const Value& found);

// By kind of instruction; empty: not of this kind.
Results integerReference(const Form& form, const Inputs& in);
Results logicReference(const Form& form, const Inputs& in);
Results compareReference(const Form& form, const Inputs& in);
Results floatReference(const Form& form, const Inputs& in);
Results approximateReference(const Form& form, const Inputs& in);
Results convertReference(const Form& form, const Inputs& in);

// Helpers of these.
FloatFormat formatOf(ptx::Type type);
Direction directionOf(const Form& form);
uint64_t lowBits(uint64_t value, uint32_t bits);
__extension__ __int128 integerOf(uint64_t value, ptx::Type type);
uint64_t flushedToZero(uint64_t bits, FloatFormat format);
// Whether .ftz flushes what is to be rounded: with all bits of a normal number and no smallest exponent it
// would still be below the smallest normal one.
bool isTiny(const Exact& value, FloatFormat format, Direction direction);
uint64_t canonicalNan(FloatFormat format);
Result exactly(uint64_t bits);
Result undefined();

}  // namespace warpscope::test
