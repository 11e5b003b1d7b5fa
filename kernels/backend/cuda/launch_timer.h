// Times work on the session's stream with pairs of events, in batches: all of a batch is enqueued while the
// stream is held back, so that the GPU never waits for the host between two events. Owns its events until
// release(). Errors: the driver's, and those of the work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/backend/cuda/hold.h"
#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

class LaunchTimer {
 public:
  explicit LaunchTimer(Session& session) : session_(session) {}
  void release();  // the session's context must be current

  // Returns microseconds, one for each repeat. Both enqueue and return Expected<void>: `before` what is done
  // before each time and not timed, `work` what is timed.
  template <class Before, class Work>
  Expected<std::vector<double>> time(Hold& hold, const Before& before, const Work& work, uint32_t warm_ups,
                                     uint32_t repeats, const std::string& doing) {
    for (uint32_t i = 0; i < warm_ups; ++i) {
      auto done = before().and_then(work);
      if (!done) return tl::unexpected(done.error());
    }
    std::vector<double> times_us;
    while (times_us.size() < repeats) {
      const auto batch = std::min(kTimingBatch, repeats - static_cast<uint32_t>(times_us.size()));
      // Without the hold the GPU would reach a start event before the host has sent the kernel after it, and
      // count the sending. Not before a first launch, which may make the driver wait for the stream.
      const bool held = warm_ups > 0 || !times_us.empty();
      Expected<void> done = held ? hold.begin() : Expected<void>{};
      for (uint32_t i = 0; i < batch && done; ++i) {
        done = before().and_then([&] { return record(2 * i); }).and_then(work).and_then([&] {
          return record(2 * i + 1);
        });
      }
      if (held) hold.release();
      if (done) done = session_.synchronize(doing).and_then([&] { return read(batch, doing, times_us); });
      if (!done) return tl::unexpected(done.error());
    }
    return times_us;
  }

 private:
  // The size of one measured batch: this many pairs of events are recorded before the first wait, which is
  // far below the number of commands that a stream accepts without blocking.
  static constexpr uint32_t kTimingBatch = 32;

  Expected<Event> event(size_t i);
  Expected<void> record(size_t i);
  // Appends the times between the events of each pair.
  Expected<void> read(uint32_t pairs, const std::string& doing, std::vector<double>& times_us);

  Session& session_;
  std::vector<Event> events_;
};

}  // namespace warpscope::cuda
