// Chooses, once, the handlers for the processor that the program runs on.
#include "kernels/sim/simt/alu/selectors.h"
#include "kernels/sim/simt/decode.h"

namespace warpscope::sim {

Handler selectPortableHandler(const ptx::Instruction& instruction) {
  return alu::portable::select(instruction);
}

bool hasAvx2Handlers() {
#ifdef WARPSCOPE_ALU_HAS_AVX2
  static const bool supported =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  return supported;
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
