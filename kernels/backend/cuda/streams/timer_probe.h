// Reads the GPU's %globaltimer between readings of other clocks, with tiny kernels on the session's stream.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/backend/cuda/hold.h"
#include "kernels/backend/cuda/session.h"
#include "kernels/backend/cuda/streams/clock_relation.h"

namespace warpscope::cuda {

// The host's clock that all of this uses.
int64_t hostNowNs();

class TimerProbe {
 public:
  static Expected<std::unique_ptr<TimerProbe>> create(Session& session);
  ~TimerProbe();
  TimerProbe(const TimerProbe&) = delete;
  TimerProbe& operator=(const TimerProbe&) = delete;

  // A kernel answers the host's questions for the time, one after another. Waits for the stream before.
  Expected<std::vector<ClockSample>> askFromHost();

  // Kernels that read the timer when they begin and before they end. stamps() says what they read, with the
  // readings of the other clock still missing.
  static constexpr uint32_t kStamps = 8;
  // `around(i, after)` enqueues what reads the other clock before and after each.
  template <class Around>
  Expected<void> enqueueStamps(Hold& hold, const Around& around) {
    if (auto held = hold.begin(); !held) return held;
    Expected<void> done;
    for (uint32_t i = 0; i < kStamps && done; ++i) {
      done = around(i, false).and_then([&] { return enqueueStamp(i, session_.stream()); }).and_then([&] {
        return around(i, true);
      });
    }
    hold.release();
    return done;
  }
  Expected<std::vector<ClockSample>> stamps(uint32_t count = kStamps);

  // One such kernel behind all that is on `stream`: its stamp is number i, below kMostStamps.
  static constexpr uint32_t kMostStamps = 64;
  Expected<void> enqueueStamp(uint32_t i, Stream stream);

  // Copies four bytes in each direction on `stream`.
  Expected<void> enqueueCopies(Stream stream);

 private:
  static constexpr uint32_t kQuestions = 64;
  struct Mailbox {  // pinned
    uint32_t asked = 0, padding[31] = {};
    std::array<uint64_t, kQuestions> answers{};  // 0: none yet
  };
  explicit TimerProbe(Session& session) : session_(session) {}
  Expected<void> enqueueAnswers();
  // Less exact; where launches are made to block (CUDA_LAUNCH_BLOCKING, compute-sanitizer), nobody can ask a
  // kernel that runs.
  Expected<std::vector<ClockSample>> stampFromHost();

  Session& session_;
  Module module_ = nullptr;
  Function answer_ = nullptr, stamp_ = nullptr;
  Mailbox* mailbox_ = nullptr;
  Address mailbox_on_device_ = 0;
  Address stamps_ = 0;
  uint32_t asked_ = 0;
};

}  // namespace warpscope::cuda
