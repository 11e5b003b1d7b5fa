#include "app/gui/background_work.h"

#include <utility>

namespace warpscope {

BackgroundWork::BackgroundWork(std::function<void()> wake, Failed failed)
    : failed_(std::move(failed)), done_(std::move(wake)) {}

void BackgroundWork::start(std::string label, std::function<Done(WorkProgress&)> work) {
  {
    const std::lock_guard lock(mutex_);
    labels_.push_back(std::move(label));
  }
  worker_.queue([this, work = std::move(work)](const std::stop_token& stop) {
    progress_.bytes = 0;
    progress_.stop = stop;
    auto done = guarded(this->label(), [&]() -> Expected<Done> { return work(progress_); });
    if (!done) done = Done([this, message = done.error().message] { failed_(message); });
    {
      const std::lock_guard lock(mutex_);
      labels_.pop_front();
    }
    done_.put(std::move(*done));
  });
}

bool BackgroundWork::poll() {
  const std::vector<Done> done = done_.take();
  for (const Done& each : done) {
    if (each) each();
  }
  return !done.empty();
}

bool BackgroundWork::busy() const {
  const std::lock_guard lock(mutex_);
  return !labels_.empty();
}

std::string BackgroundWork::label() const {
  const std::lock_guard lock(mutex_);
  return labels_.empty() ? "" : labels_.front();
}

}  // namespace warpscope
