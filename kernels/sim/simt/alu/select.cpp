// Chooses, once, the handlers for the processor that the program runs on.
#include "kernels/sim/simt/alu/selectors.h"
#include "kernels/sim/simt/decode.h"

#ifdef WARPSCOPE_ALU_HAS_AVX2
#include <cpuid.h>
#endif

namespace warpscope::sim {

Handler selectPortableHandler(const ptx::Instruction& instruction) {
  return alu::portable::select(instruction);
}

#ifdef WARPSCOPE_ALU_HAS_AVX2
namespace {

// Clang 14's __builtin_cpu_supports() does not know F16C.
bool hasF16c() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

}  // namespace
#endif

bool hasAvx2Handlers() {
#ifdef WARPSCOPE_ALU_HAS_AVX2
  static const bool kSupported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && hasF16c();
  return kSupported;
#else
  return false;
#endif
}

Handler selectHandler(const ptx::Instruction& instruction) {
#ifdef WARPSCOPE_ALU_HAS_AVX2
  if (hasAvx2Handlers()) return alu::avx2::select(instruction);
#endif
  return selectPortableHandler(instruction);
}

}  // namespace warpscope::sim
