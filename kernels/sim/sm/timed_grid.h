// Runs a whole grid on the SM model: cycles, warp states, counters. Execution-driven: interpreter.h executes
// a segment when the model reaches it, the model then issues the segment's machine operations
// (machine_code.h) with the addresses the execution left. SMs are simulated in parallel in epochs shorter
// than the L2's latency; what they send to L2 in an epoch is served at its end in an order that does not
// depend on host threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/warp_state.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/sm/machine_code.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::sim {

// One issued machine operation, for the log.
struct IssuedInstruction {
  uint64_t cycle = 0;  // of the device's clock
  uint32_t block = 0;
  uint32_t warp_in_block = 0;
  uint32_t smid = 0;
  uint32_t pc = 0;  // the PTX instruction it stands for: index into Code::instructions
  uint32_t mask = 0;
  WarpState waited_for = WarpState::kSelected;  // what kept the warp longest before this
  uint32_t waited_cycles = 0;
};

// Tags that outlive a launch. Made once per simulated device.
class DeviceCaches {
 public:
  explicit DeviceCaches(const DeviceProfile& profile);
  ~DeviceCaches();
  void clear();  // cold
  // As if [address, address + bytes) had just been moved through L2.
  void touchL2(uint64_t address, uint64_t bytes);
  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

struct TimedOptions {
  uint32_t threads = 0;        // 0: as many as the host has
  uint64_t begin_cycle = 0;    // of the device's clock: what %clock64 shows first
  uint64_t step_limit = 0;     // warp-instructions; 0: none
  uint32_t blocks_per_sm = 1;  // how many fit, by resources (theoreticalOccupancy)
  // Whose instructions are logged: blocks below log_first_blocks and all on SMs below log_sms; at most
  // log_limit entries are kept.
  uint32_t log_first_blocks = 0, log_sms = 0;
  uint64_t log_limit = 0;
  std::function<void(double)> progress;  // share of blocks done
};

struct TimedResult {
  uint64_t cycles = 0;                     // from the first block's begin to the last's end
  double time_us = 0;                      // with the launch overhead: what events would measure
  std::map<std::string, double> counters;  // Nsight Compute's names; ptx.* for what only PTX has
  uint64_t warp_instructions = 0;          // PTX
  std::vector<IssuedInstruction> log;      // by cycle
  uint64_t log_dropped = 0;
};

// Errors: as runFunctional.
Expected<TimedResult> runTimed(const Launch& launch, const MachineCode& machine, const DeviceProfile& profile,
                               DeviceCaches& caches, const TimedOptions& options,
                               const std::stop_token& stop);

}  // namespace warpscope::sim
