// Runs a whole grid on the SM model: cycles, warp states, counters. It is execution-driven: interpreter.h
// executes a segment when the model reaches it, and the model then issues the segment's machine operations
// (machine_code.h) with the addresses that the execution recorded. SMs are simulated in parallel in epochs
// shorter than the L2 latency; their requests to L2 are served at the end of an epoch in an order that does
// not depend on host threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/warp_state.h"
#include "kernels/sim/simt/functional_grid.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/sm/machine_code.h"
#include "kernels/sim/sm/profile.h"
#include "kernels/sim/sm/sampled_sms.h"

namespace warpscope::sim {

class ValueRecording;
class WorkerPools;

// One issued machine operation in the log.
struct IssuedInstruction {
  uint64_t cycle = 0;  // on the device's clock
  uint32_t block = 0;
  uint32_t warp_in_block = 0;
  uint32_t smid = 0;
  uint32_t pc = 0;  // the PTX instruction that it represents: index into Code::instructions
  uint32_t mask = 0;
  WarpState waited_for = WarpState::kSelected;  // the state that kept the warp longest before this
  uint32_t waited_cycles = 0;
};

// Where and when a block ran, in cycles since the launch's first.
struct BlockStay {
  uint32_t block = 0, sm = 0;
  uint64_t begin = 0, end = 0;
  // When one of its warps first executed griddepcontrol.launch_dependents, and each warp griddepcontrol.wait;
  // and when those that stood there went on (TimedOptions::dependent). 0, and empty: never.
  uint64_t triggered = 0;
  std::vector<uint64_t> waits{};  // by warp
  uint64_t went_on = 0;
  uint64_t first_load = 0;  // when a warp first loaded from global memory; 0: never
};

// Cache tags that outlive a launch; one instance per simulated device.
class ModelledAddresses;

class DeviceCaches {
 public:
  explicit DeviceCaches(const DeviceProfile& profile);
  ~DeviceCaches();
  void clear();  // makes the caches cold
  // As L2Cache's.
  void touchL2(uint64_t address, uint64_t bytes, bool written = false, double share = 1);
  bool hasLost() const;
  double usedShareOf(uint64_t address) const;
  void setPeerMemory(const std::vector<AddressRange>& ranges);  // as L2Cache's
  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

struct TimedOptions {
  uint32_t threads = 0;      // 0: as many as the host has
  uint64_t begin_cycle = 0;  // on the device's clock: what %clock64 shows first
  uint64_t step_limit = 0;   // warp-instructions; 0: no limit
  // No cache has the kernel's instructions: each SM waits for the first of them until they come from DRAM.
  bool code_is_cold = false;
  uint32_t blocks_per_sm = 1;  // how many fit, by resources (theoreticalOccupancy)
  // So many SMs are simulated, with the blocks that they have of the grid (sampledBlocks()); 0: all of them.
  // sampled_sms.h says what that needs and means.
  uint32_t sampled_sms = 0;
  // If not 0: the sampled SMs are the first ones, whose first blocks record, so many each. Other SMs do not,
  // and get the more blocks: the launch takes as long as if no block recorded, as far as rounds are left out.
  uint64_t recorded_rounds = 0;
  uint32_t plain_sms = 0;               // of the sampled SMs so many are the last ones in spite of that
  uint64_t most_rounds = 0;             // if not 0: the sampled SMs get no more than so many blocks each
  std::vector<AddressRange> recording;  // the memory into which these blocks record, as `addresses` has it
  const ModelledAddresses* addresses = nullptr;  // what the caches see; nullptr: the real ones
  // The warps to log: those of blocks below log_first_blocks, and of all blocks on SMs below log_sms; at most
  // log_limit entries are kept.
  uint32_t log_first_blocks = 0, log_sms = 0;
  uint64_t log_limit = 0;
  bool keep_stays = false;  // TimedResult::stays is wanted
  // SMs that have to do with nothing but themselves may simulate more than an epoch at a time (sm_ahead.cpp).
  // It makes no difference but for speed.
  bool run_ahead = true;
  bool count = true;             // TimedResult::counters are wanted
  WorkerPools* pools = nullptr;  // whose threads simulate; nullptr: threads of the launch's own
  // Warps stand at griddepcontrol.wait until none of the first blocks can go on before it: as they do where
  // they wait for another launch, so that nothing behind it is done among what is before it.
  bool dependent = false;
  ValueRecording* values = nullptr;      // records a block that is simulated, if there is one
  std::function<void(double)> progress;  // share of blocks done
};

// The PTX instructions that some blocks have executed: all, the most and the fewest of one block.
struct BlockWork {
  uint64_t instructions = 0, most = 0, fewest = ~uint64_t{0};
  BlockWork& operator+=(const BlockWork& other) {
    instructions += other.instructions;
    most = std::max(most, other.most);
    fewest = std::min(fewest, other.fewest);
    return *this;
  }
};

struct TimedResult {
  uint64_t cycles = 0;                     // from the beginning of the first block to the end of the last
  double time_us = 0;                      // including the launch overhead: what events would measure
  std::map<std::string, double> counters;  // under Nsight Compute's names; ptx.* for what exists only in PTX
  uint64_t warp_instructions = 0;          // PTX instructions, of the simulated blocks
  uint64_t blocks = 0;                     // simulated
  BlockWork work;                          // of these
  std::vector<BlockStay> stays;            // of these, by block; empty unless they are wanted
  // The share of an SM that one of these blocks needed while it ran, in the mean: of the issue slots, or of
  // the pipe that instructions took most. 0 unless the stays are wanted.
  double demand = 0;
  std::vector<IssuedInstruction> log;  // by cycle
  uint64_t log_dropped = 0;
};

// The blocks of a grid on so many SMs that a launch with these options simulates, if it samples SMs.
TimedBlocks timedBlocks(const TimedOptions& options, uint32_t sms_in_use, uint64_t blocks);

// Of all blocks of a grid of which these were simulated: the others stay as long as those that stand for them
// (representative()).
std::vector<BlockStay> staysOfAll(const std::vector<BlockStay>& simulated, const TimedBlocks& selection,
                                  uint64_t blocks, uint32_t recording);

// Errors: the same as runFunctional.
Expected<TimedResult> runTimed(const Launch& launch, const MachineCode& machine, const DeviceProfile& profile,
                               DeviceCaches& caches, const TimedOptions& options,
                               const std::stop_token& stop);

}  // namespace warpscope::sim
