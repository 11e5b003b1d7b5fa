// Samples what warps wait for, by the line of the PTX that each machine instruction came from, through
// CUPTI's PC sampling: every so many cycles each SM notes the next instruction of one of its warps, and its
// state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

  // `load` is called once, and must load the module that `launch` then launches a kernel of: CUPTI knows only
  // the code of modules that were loaded since its sampler was taken, and counts samples of all other code as
  // another's (H100, driver 580.159.04, 2026-11-25). `unload` follows in any case. `launch` is called several
  // times, with `restore` before each; a launch takes about `launch_us`. Lines are those of the PTX that the
  // module was compiled from; what the driver adds is at line 0. Errors: kNoDevice, there is no sampler here,
  // with what to do; kWorkFailed.
  using Work = std::function<Expected<void>()>;
  struct Works {
    Work load, restore, launch;
    std::function<void()> unload;
  };
  Expected<WaitsByPtxLine> sample(double launch_us, const Works& works);

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
  Expected<WaitsByPtxLine> sampleEnabled(const Amount& amount, const Works& works);
  Expected<void> findReasons();
  Expected<void> configure(const Amount& amount);
  Expected<void> collect(WaitsByPtxLine& waits, uint64_t& of_other_kernels);
  Expected<void> check(cupti::Result result, const char* doing) const;

  Session& session_;
  const cupti::Api* api_ = nullptr;       // null: not prepared yet
  std::map<uint32_t, WarpState> states_;  // by reason; kCount: it has no name here
  std::vector<uint32_t> reasons_;
  Buffer collected_, left_;  // left_: for CUPTI to write to when the sampler is given back
};

}  // namespace warpscope::cuda
