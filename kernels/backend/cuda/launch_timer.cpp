#include "kernels/backend/cuda/launch_timer.h"

namespace warpscope::cuda {

void LaunchTimer::release() {
  for (const Event event : events_) session_.api().eventDestroy(event);
  events_.clear();
}

Expected<Event> LaunchTimer::event(size_t i) {
  while (events_.size() <= i) {
    Event created = nullptr;
    auto done = session_.check(session_.api().eventCreate(&created, kEventDefault), "creating an event");
    if (!done) return tl::unexpected(done.error());
    events_.push_back(created);
  }
  return events_[i];
}

Expected<void> LaunchTimer::record(size_t i) {
  const auto which = event(i);
  if (!which) return tl::unexpected(which.error());
  return session_.check(session_.api().eventRecord(*which, session_.stream()), "recording an event");
}

Expected<void> LaunchTimer::read(uint32_t pairs, const std::string& doing, std::vector<double>& times_us) {
  for (size_t i = 0; i < pairs; ++i) {
    float ms = 0;
    auto done =
        session_.check(session_.api().eventElapsedTime(&ms, events_[2 * i], events_[2 * i + 1]), "{}", doing);
    if (!done) return done;
    times_us.push_back(double{ms} * 1000);
  }
  return {};
}

}  // namespace warpscope::cuda
