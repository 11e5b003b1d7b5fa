// A run as the command line's JSON contract has it (docs: README, "JSON"). What is not known is absent, never
// zero.
#pragma once

#include "kernels/run/run.h"

namespace warpscope {

class Json;

Json runReport(const Run& run);                      // of `run` and `show`
Json deviceReport(const DeviceDescription& device);  // of `devices`

}  // namespace warpscope
