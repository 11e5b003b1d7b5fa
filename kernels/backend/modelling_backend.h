// A backend that models a GPU instead of driving one. In addition to what every backend does, it can time a
// launch on its model, look for hazards, and record what individual lanes do. launch() executes a kernel as
// fast as the host can and models no time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/run/hazard.h"
#include "kernels/run/lane_log.h"
#include "kernels/run/listing.h"
#include "kernels/run/touched_memory.h"
#include "kernels/run/value_log.h"
#include "kernels/run/warp_state.h"

namespace warpscope {

// One issued instruction of a logged block. `cycle` is of the clock that the kernel reads with %clock64.
struct LoggedInstruction {
  uint64_t cycle = 0;
  BlockId block;
  uint32_t warp_in_block = 0;
  uint32_t instruction = 0;  // into ModelledReport::listing
  LaneMask mask;
  WarpState waited_for = WarpState::kSelected;
  uint32_t waited_cycles = 0;
};

// The modelled timing of a launch.
struct ModelledLaunch {
  enum class Caches { kAsLeft, kWarm, kCold };  // what they hold when the launch begins
  struct LogRequest {  // which blocks' instructions are logged, chosen as Sampling chooses blocks to record
    uint32_t first_blocks = 0, sms = 0;
    uint64_t limit = 1'000'000;  // entries kept
  };
  Caches caches = Caches::kAsLeft;
  std::optional<LogRequest> log;
  uint64_t step_limit = 0;  // warp instructions after which the launch ends with an error; 0: none
  // How many SMs are modelled (sampledSms() says how many suffice); 0: all of them. The blocks of the others
  // are executed without timing; unless the launch's outputs are wanted, only if the modelled ones depend on
  // what those did.
  uint32_t sampled_sms = 0;
  bool outputs = true;
  // Of a long launch some blocks in the middle are not modelled. If not 0, the modelled SMs are the first
  // ones, and each models at least so many blocks before these: those that are recorded.
  uint64_t recorded_rounds = 0;
  // The same launch by a form of the kernel with less to execute (without probes), for the other blocks.
  std::optional<LaunchSpec> plain;
  struct ValueRequest {
    uint32_t block = 0;
    uint64_t snapshot_after = 0;  // steps of the block; 0: no snapshot is wanted
    bool operator==(const ValueRequest&) const = default;
  };
  std::optional<ValueRequest> values;  // records the values of one block, if it is modelled
  // What tells the kernel's probes where to write (kernels/probe/layout.h), as bytes: only the blocks that
  // record use that memory.
  std::vector<std::byte> probe_params;
};

// The PTX instructions of a launch's modelled blocks: all, the most and the fewest of one block.
struct ModelledBlocks {
  uint64_t blocks = 0, instructions = 0, most = 0, fewest = 0;
};

// Whether the modelled blocks execute over 1 % more or fewer instructions than the other blocks do. One of
// them may do more, the last one's work for all, and one less, at the grid's end.
bool areUneven(const ModelledBlocks& modelled, uint64_t others_instructions, uint64_t others);

// The model's times do not scatter: a launch takes the same time whenever it is made in the same state, so
// the launch that is verified or traced is also the one that is timed.
struct ModelledReport : LaunchReport {
  uint64_t cycles = 0;
  double time_us = 0;
  std::map<std::string, double> counters;  // by Nsight Compute's names
  std::vector<LoggedInstruction> log;      // by cycle
  uint64_t log_dropped = 0;
  std::shared_ptr<const Listing> listing;
  std::optional<ValueLog> values;  // its cycles are of the device's clock
  // Of each launch of the spec: what its modelled blocks have executed.
  std::vector<ModelledBlocks> blocks;
  bool complete = true;  // all blocks have been executed: the launch's outputs are there
  bool uneven = false;   // if so: the modelled blocks stand for the others badly
};

namespace sim {
struct BareLaunch;
}
// By operation: the result of modelling its launch without probes; nullptr: the operation is not a launch, or
// the launch's blocks influence each other.
using BareLaunches = std::vector<std::shared_ptr<const sim::BareLaunch>>;

// The modelled timing of operations on streams.
struct ModelledStreams {
  // Where the blocks of a launch do not influence each other, only a few SMs are modelled, and the other
  // blocks run as long as the modelled ones. Among these are the blocks that record: the first
  // `recorded_rounds` of each of the first `recorded_sms` SMs.
  uint32_t recorded_sms = 0;
  uint64_t recorded_rounds = 1;
  // The results of an earlier run of the same operations without probes. A launch that is among them is not
  // modelled again. If this run has probes, only the launch's blocks that record are modelled, until
  // `warps_of_known` warps of it have been recorded (0: all of them).
  BareLaunches known;
  uint32_t warps_of_known = 0;
  // By operation: the launch by the form of its kernel that has least to execute (without probes), which
  // executes the blocks that are not modelled. If the operation's own kernel has probes, its first parameter
  // says where they write.
  std::vector<LaunchSpec> plain;
  // False: the blocks that are not modelled are not executed either.
  bool outputs = true;
};

struct ModelledStreamReport : StreamReport {
  BareLaunches bare;     // empty if the launches had probes
  bool uneven = false;   // the modelled blocks of a launch stand for the others badly
  bool complete = true;  // all blocks have been executed: the outputs are there
};

struct CheckedReport : LaunchReport {
  std::vector<Hazard> hazards;
};

class ModellingBackend : public Backend {
 public:
  // How many SMs stand for all of them in this launch, the first `at_least` among them; 0: they do not,
  // because its grid is small or its blocks influence each other.
  virtual uint32_t sampledSms(const LaunchSpec& spec, uint32_t at_least) const = 0;
  virtual Expected<ModelledReport> launchModelled(const LaunchSpec& spec, const ModelledLaunch& how,
                                                  const std::stop_token& stop = {},
                                                  const LaunchListener& listener = {}) = 0;
  // runStreams() models all blocks on all SMs.
  virtual Expected<ModelledStreamReport> runStreamsModelled(const StreamWork& work,
                                                            const ModelledStreams& how,
                                                            const std::stop_token& stop = {},
                                                            const LaunchListener& listener = {}) = 0;
  // Executes the launch looking for hazards. `step_limit`: as ModelledLaunch's; 0: a limit that only a kernel
  // that does not end reaches. `touched`: unless null, what the launch touches of global memory is added to
  // it, each access at its source line.
  virtual Expected<CheckedReport> launchChecked(const LaunchSpec& spec, uint64_t step_limit,
                                                const std::stop_token& stop = {},
                                                const LaunchListener& listener = {},
                                                TouchedMemory* touched = nullptr) = 0;
  // Blocks that the log does not need are not executed, so the launch's outputs are incomplete.
  virtual Expected<LaneLog> recordLanes(const LaunchSpec& spec, const LaneLogOptions& options,
                                        const std::stop_token& stop = {}) = 0;
};

}  // namespace warpscope
