#include "kernels/sim/sm/rare_cases.h"

#include <bit>
#include <cmath>

namespace warpscope::sim {
namespace {

using ptx::Op;

// Executions of each instruction on an H100 (580.159.04, ptxas 13.0, 2026-11-26), with the call and the moves
// around it: radix4_pass, fourier512, march_solid and mandelbrot of the truth suite divide zero in 32 to 34,
// tiny_quotients in 95 with a subnormal quotient and takes a small root in 25; all_roots and dmandelbrot
// divide doubles in 70 to 73. Roots of zero and reciprocals were counted in their SASS.
uint32_t issuesOf(const Instruction& in, bool is_subnormal) {
  if (in.op == Op::kDiv) {
    if (in.type == ptx::Type::kF64) return 72;
    return is_subnormal ? 95 : 33;
  }
  if (in.op == Op::kRcp) return 24;
  return is_subnormal ? 25 : 11;
}

// The root of a subnormal number is none: numbers below 2^-101, in double precision below 2^-969, are scaled.
double leastRoot(const Instruction& in) {
  return in.type == ptx::Type::kF64 ? 0x1p-484 : 0x1.6ap-51;
}

double resultOf(const Instruction& in, const Registers& registers, uint32_t lane) {
  const auto& row = in.destinations[0];
  if (in.type == ptx::Type::kF32) return std::bit_cast<float>(registers.in(row)[lane]);
  return std::bit_cast<double>(registers.in64(row)[lane]);
}

}  // namespace

RareCase rareCaseOf(const Instruction& in, const Registers& registers, uint32_t mask) {
  if (in.destination_count == 0 || in.destinations[0].index < 0) return {};
  const bool is_root = in.op == Op::kSqrt;
  RareCase rare;
  bool is_subnormal = false;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const double result = std::abs(resultOf(in, registers, lane));
    const double least = is_root ? leastRoot(in) : in.type == ptx::Type::kF32 ? 0x1p-126 : 0x1p-1022;
    const bool small = result < least;
    if (!small && std::isfinite(result)) continue;
    rare.lanes |= 1U << lane;
    is_subnormal = is_subnormal || (small && result != 0);
  }
  if (rare.lanes != 0) rare.issues = issuesOf(in, is_subnormal);
  rare.is_double = in.type == ptx::Type::kF64;
  return rare;
}

}  // namespace warpscope::sim
