// Whether what a kernel leaves can depend on the order in which its warps happen to run.
#pragma once

#include <string>

#include "kernels/sim/ptx/module.h"

namespace warpscope {

// Why two right launches may leave different results, for people: "its atom.global.add (line 12) returns
// ..."; empty: the instructions of the entry, and of the functions that it may call, show no reason. Data
// races are not looked for.
std::string orderDependence(const ptx::Module& module, const ptx::Function& entry);

}  // namespace warpscope
