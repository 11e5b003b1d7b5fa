// mma, wmma.mma and movmatrix: what the tensor cores compute.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/sim/ptx/instruction.h"
#include "kernels/sim/simt/code.h"

namespace warpscope::sim {

// nullptr: not such an instruction. The handler needs all 32 lanes.
Handler selectMatrixHandler(const ptx::Instruction& instruction);

// A number as the tensor cores see it: +-magnitude * 2^exponent. `scale` is the power of two of the bit
// before the point, which a subnormal number leaves empty.
struct TensorNumber {
  bool is_nan = false, is_infinite = false, is_negative = false;
  int32_t exponent = 0, scale = 0;
  uint32_t magnitude = 0;
};
// From the bits of an f16, bf16, tf32 (as an f32, whose lowest 13 bits do not count) or f32.
TensorNumber tensorNumber(uint32_t bits, ptx::Type type);

// The same of an element of C. It is taken as an f32, in which no f16 is subnormal.
TensorNumber tensorAddend(uint32_t bits, ptx::Type type);

// The types of C and D: f32 or f16.
struct TensorSumTypes {
  ptx::Type addend, result;
};

// The sum of the products of two rows and of c, as bits of the result's type. Products are exact. A product's
// scale is the sum of its factors' (it may reach four times that, and is not normalized). All terms are cut
// to multiples of 2^-25 of the largest scale of a term that is not zero, and added exactly; an f32 result is
// cut (rounded towards zero), an f16 result rounded to nearest. Zeros are positive, every NaN is the same. An
// f16 result with an f32 addend is an f32 result that is rounded once more.
//
// The rule was found on an NVIDIA H100 80GB HBM3 (driver 580.159.04, 2026-11-23): of 524,288 elements of D
// for f16, bf16 and tf32 factors, of ordinary, huge, subnormal, cancelling and any bits, all are equal. Other
// numbers of bits would not do, nor would sums of 4 or 8 products at a time, which older GPUs form: Fasi,
// Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science 7:e330,
// 2021.
uint32_t tensorDot(std::span<const TensorNumber> a, std::span<const TensorNumber> b, const TensorNumber& c,
                   const TensorSumTypes& types);

}  // namespace warpscope::sim
