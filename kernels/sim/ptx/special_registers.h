// Special registers by name (PTX ISA 10).
#pragma once

#include <string_view>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::ptx {

struct SpecialRegister {
  Special special = Special::kZero;
  Type type = Type::kU32;
  bool always_one = false;  // for the size of a cluster, which is constant where there are no clusters
};

// Returns false if there is no such special register.
bool findSpecialRegister(std::string_view name, SpecialRegister& found);

}  // namespace warpscope::ptx
