// A launch whose blocks do not wait for each other can be timed on a few of the GPU's SMs: each of these gets
// the blocks that it would get among all, and the throughput of L2 and DRAM that falls to its blocks. The
// other blocks are executed without timing, so that results are complete; before the timed ones, if the order
// matters, so that the block that comes last is a timed one. Sums in the counters are scaled to the whole
// grid. Where the SMs get many blocks one after another, those in the middle of the launch are left out, too:
// once the SMs are filled, one round of blocks takes as long as the next. docs/simulated_gpu.md says how
// close that comes to simulating all.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/functional_grid.h"

namespace warpscope::sim {

// How blocks can influence each other: by what they read while others run.
enum class Influence {
  kNone,     // no block can tell when or where the others run
  kOrder,    // global atomics tell a block what others did before it, but none waits for another: blocks may
             // run one after another in any order
  kBarrier,  // one strong load besides, and no such atomic in a loop: as in a barrier of the grid, they may
             // wait, once, for words that the others' atomics change
  kAny,  // more strong (volatile, relaxed, acquire) loads, atomics in loops, prints, clocks, %smid, %warpid
};
Influence influenceOfBlocks(const Code& code);
// By instruction: the atomics through which blocks learn what others did.
std::vector<bool> atomicsThatOrder(const Code& code);

// The SMs that get blocks of a grid, a block each while there are more SMs than blocks.
uint32_t smsInUse(uint64_t blocks, uint32_t sm_count);

// How many SMs are simulated of those in use; 0: all of them, because they are few or the blocks influence
// each other. `at_least`: SMs below this must be among them.
uint32_t sampledSms(Influence influence, uint64_t blocks, uint32_t sm_count, uint32_t at_least);

// The blocks of `sampled` SMs: of the first SMs, which get a block more than others if the grid does not
// divide evenly, and of the last ones, whose blocks begin last. Of a long launch, rounds in the middle are
// left out (TimedGrid extrapolates). Before these come the SMs' first two fillings, or `recorded_rounds` and
// one filling if that is more, and some rounds that say how long one takes; behind them comes one last
// filling. Where rounds are recorded, all SMs but `plain` of them are of the first ones, which are those that
// record.
struct TimedBlocks : BlockSelection {
  uint64_t steady_from = 0;  // the rounds from here to skip_from stand for those that are left out
};
TimedBlocks sampledBlocks(uint32_t sampled, uint32_t sms_in_use, uint64_t blocks, uint32_t blocks_per_sm,
                          uint64_t recorded_rounds = 0, uint32_t plain = 0);
// The block of the selection that stands for `block`: itself; or one of the same round, or of a steady one in
// the place of those that are left out, on an SM that does not record, if there is one. The first `recording`
// SMs do, fewer than are selected.
uint64_t representative(const TimedBlocks& selection, uint64_t block, uint64_t blocks, uint32_t recording);

}  // namespace warpscope::sim
