// Numbers whose unit is a word, in the current language.
#pragma once

#include <string>

#include "kernels/core/units.h"
#include "viz/text/translate.h"

namespace warpscope {

// formatCycles of kernels/core/units.h, translated.
inline std::string trCycles(int64_t cycles) {
  return cycles == 1 ? trf("{} cycle", formatCount(cycles)) : trf("{} cycles", formatCount(cycles));
}

}  // namespace warpscope
