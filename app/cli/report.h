// A run as `run` and `show` print it with --json: the run's own report, and what theory says of it.
#pragma once

#include <span>

#include "kernels/run/run.h"

namespace warpscope {

class Json;

Json reportOf(std::span<const Run> runs);  // an array

}  // namespace warpscope
