// Runs as `run` and `show` print them with --json: each run's own report, and what theory predicts for it.
#pragma once

#include <span>

#include "kernels/run/run.h"

namespace warpscope {

class Json;

Json runsJson(std::span<const Run> runs);  // an array

}  // namespace warpscope
