// The results that an instruction form must give, computed from the text of the PTX ISA with integers and
// exact arithmetic.
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
    kAny,   // undefined
    kNear,  // each part of `format` must be within the bound around `value`
  };
  Value bits{};
  Rule rule = Rule::kExact;
  FloatFormat format = kF32;
  uint32_t parts = 1;
  std::array<long double, 2> value{};
  long double relative = 0, absolute = 0;
  bool flushes = false;  // .ftz: a result close to a subnormal number may be zero
};

// A lane's destinations in PTX order, the carry flag last if it is written.
using Results = std::vector<Result>;

// For all lanes; lanes that do not execute the instruction have no results.
std::array<Results, 32> reference(const Form& form, const std::array<Inputs, 32>& lanes);

bool isAcceptable(const Result& expected, const Value& found);

// By kind of instruction; empty if the form is not of this kind.
Results integerReference(const Form& form, const Inputs& in);
Results logicReference(const Form& form, const Inputs& in);
Results compareReference(const Form& form, const Inputs& in);
Results floatReference(const Form& form, const Inputs& in);
Results approximateReference(const Form& form, const Inputs& in);
Results convertReference(const Form& form, const Inputs& in);

// Helpers of the above.
FloatFormat formatOf(ptx::Type type);
Direction directionOf(const Form& form);
uint64_t lowBits(uint64_t value, uint32_t bits);
__extension__ __int128 integerOf(uint64_t value, ptx::Type type);
uint64_t flushedToZero(uint64_t bits, FloatFormat format);
// Whether .ftz flushes a value that is to be rounded: it does if the value, rounded to all bits of a normal
// number without a smallest exponent, is still below the smallest normal one.
bool isTiny(const Exact& value, FloatFormat format, Direction direction);
uint64_t canonicalNan(FloatFormat format);
Result exactly(uint64_t bits);
Result undefined();

}  // namespace warpscope::test
