// A launch whose blocks do not influence each other can be timed on a few of the GPU's SMs: each of these
// gets the blocks that it would get among all, and the throughput of L2 and DRAM that falls to it. The other
// blocks are executed without timing, so that results are complete. Sums in the counters are scaled to the
// whole grid. docs/simulated_gpu.md says how close that comes to simulating all SMs.
#pragma once

#include <cstdint>

#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/functional_grid.h"

namespace warpscope::sim {

// Whether no block of the kernel can tell when or where the others run: it has no global atomics that
// return a value, strong (volatile, relaxed, acquire) loads or prints, and reads neither clocks nor %smid or
// %warpid.
bool blocksAreIndependent(const Code& code);

// How many SMs are simulated of `sm_count`; 0: all of them, because the grid is small or its blocks are not
// independent. `at_least`: SMs below this must be among them.
uint32_t sampledSms(const Code& code, uint64_t blocks, uint32_t sm_count, uint32_t at_least);

// The blocks of `sampled` SMs: of the first SMs, which get a block more than others if the grid does not
// divide evenly, and of the last ones, whose blocks begin last.
BlockSelection sampledBlocks(uint32_t sampled, uint32_t sm_count);

}  // namespace warpscope::sim
