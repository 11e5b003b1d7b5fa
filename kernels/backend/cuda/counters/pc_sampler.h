// Samples what warps wait for, by the line of the PTX that each machine instruction came from, through
// CUPTI's PC sampling: every so many cycles each SM notes the next instruction of one of its warps, and its
// state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/counters/cupti_api.h"
#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

class PcSampler {
 public:
  explicit PcSampler(Session& session) : session_(session) {}
  PcSampler(const PcSampler&) = delete;
  PcSampler& operator=(const PcSampler&) = delete;

  // `launch` is called several times, with `restore` before each; a launch takes about `launch_us`. The PTX
  // that the kernel's module was loaded from tells the lines; what it does not know of is at line 0. Errors:
  // kNoDevice, there is no sampler here, with what to do; kWorkFailed.
  using Work = std::function<Expected<void>()>;
  Expected<WaitsByPtxLine> sample(const ModuleImage& module, double launch_us, const Work& restore,
                                  const Work& launch);

 private:
  // Room for records, to which `data` refers.
  struct Buffer {
    cupti::PcData data;
    std::vector<cupti::PcRecord> records;
    std::vector<cupti::PcReason> reasons;
    void makeRoom(size_t reasons_of_each);
  };

  // The intervals and launches that make enough samples of a short kernel, and not too many of a long one.
  struct Amount {
    uint32_t interval_log2 = 0, launches = 1;
  };
  Amount amountFor(double launch_us) const;

  Expected<void> prepare();
  Expected<void> learnLines(const ModuleImage& module);
  Expected<WaitsByPtxLine> sampleEnabled(const Amount& amount, const Work& restore, const Work& launch);
  Expected<void> findReasons();
  Expected<void> configure(const Amount& amount);
  Expected<void> collect(WaitsByPtxLine& waits, uint64_t& of_other_kernels);
  Expected<void> check(cupti::Result result, const char* doing) const;

  Session& session_;
  const cupti::Api* api_ = nullptr;       // null: not prepared yet
  std::set<std::string> known_modules_;   // whose lines are known
  std::map<uint32_t, WarpState> states_;  // by reason; kCount: it has no name here
  std::vector<uint32_t> reasons_;
  Buffer collected_, left_;  // left_: for CUPTI to write to when the sampler is given back
};

}  // namespace warpscope::cuda
