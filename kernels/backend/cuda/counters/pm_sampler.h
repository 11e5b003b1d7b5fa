// Samples how busy a GPU is over time, through CUPTI's PM sampling: its counters are read at a fixed interval
// while it runs. The samples' times are not those of the GPU's %globaltimer: on an H100 (driver 580.159.04,
// 2026-11-24) they were 0.8 ms ahead of it, and 20 us more each second.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/counters/cupti_api.h"
#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

class PmSampler {
 public:
  explicit PmSampler(Session& session) : session_(session) {}
  ~PmSampler();
  PmSampler(const PmSampler&) = delete;
  PmSampler& operator=(const PmSampler&) = delete;

  // Samples from shortly before `launch`, which takes about `launch_us`, to shortly after. Keeps the sampler
  // until it is given back. Errors: kNoDevice, there is none here, with what to do; those of `launch`.
  using Work = std::function<Expected<void>()>;
  Expected<TimedActivity> sample(double launch_us, const Work& launch);
  void giveBack();  // so that another profiler can have it

 private:
  Expected<void> prepare();
  Expected<void> chooseMetrics();
  Expected<void> take(uint64_t interval_ns, uint32_t most_samples);
  Expected<void> decode(TimedActivity& activity);
  Expected<void> check(cupti::Result result, const char* doing) const;

  Session& session_;
  const cupti::Api* api_ = nullptr;      // null: not prepared yet
  cupti::PmSampler* sampler_ = nullptr;  // null: it is not ours
  cupti::Host* host_ = nullptr;
  uint64_t interval_ns_ = 0;  // that it is set to
  std::string chip_;
  std::vector<const char*> metrics_;
  std::vector<uint8_t> availability_, config_, data_;
};

}  // namespace warpscope::cuda
