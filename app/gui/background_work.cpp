#include "app/gui/background_work.h"

#include <algorithm>
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
    progress_.expected_bytes = 0;
    began_ = std::chrono::steady_clock::now();
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

std::optional<double> BackgroundWork::fraction() const {
  const uint64_t expected = progress_.expected_bytes;
  if (expected == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(progress_.bytes) / static_cast<double>(expected));
}

std::optional<double> BackgroundWork::secondsLeft() const {
  constexpr double kEnough = 0.02;  // of the work, before an estimate is worth anything
  const std::optional<double> done = fraction();
  if (!done || *done < kEnough) return std::nullopt;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_.load();
  return took.count() * (1 - *done) / *done;
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
