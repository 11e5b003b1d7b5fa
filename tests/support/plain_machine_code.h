// Machine code for tests of the timing model: one operation for each PTX instruction, in order, without
// folding, so that a model's results can be worked out by hand.
#pragma once

#include "kernels/sim/simt/code.h"
#include "kernels/sim/sm/machine_code.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::sim {

MachineCode plainMachineCode(const Code& code, const DeviceProfile& profile);

// A small GPU with round figures, so that tests need no file: `sm_count` multiprocessors with four
// sub-partitions each.
DeviceProfile testProfile(uint32_t sm_count);

}  // namespace warpscope::sim
