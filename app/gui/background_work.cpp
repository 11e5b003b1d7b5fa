#include "app/gui/background_work.h"

#include <utility>

namespace warpscope {

BackgroundWork::BackgroundWork(std::function<void()> wake)
    : wake_(std::move(wake)), worker_([this](const std::stop_token& end) { run(end); }) {}

BackgroundWork::~BackgroundWork() {
  cancel();
}

void BackgroundWork::run(const std::stop_token& end) {
  while (true) {
    std::function<Done(WorkProgress&)> work;
    {
      std::unique_lock lock(mutex_);
      // What waits when the program ends is done still: a session must not be lost.
      if (!changed_.wait(lock, end, [this] { return !tasks_.empty(); }) && tasks_.empty()) return;
      work = tasks_.front().work;
      progress_.bytes = 0;
      progress_.stop = stop_.get_token();
    }
    Done done = work(progress_);
    {
      const std::lock_guard lock(mutex_);
      tasks_.pop_front();
      stop_ = {};
      done_.push_back(std::move(done));
    }
    wake_();
  }
}

void BackgroundWork::start(std::string label, std::function<Done(WorkProgress&)> work) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({std::move(label), std::move(work)});
  }
  changed_.notify_one();
}

bool BackgroundWork::poll() {
  std::vector<Done> done;
  {
    const std::lock_guard lock(mutex_);
    done = std::exchange(done_, {});
  }
  for (const Done& each : done) {
    if (each) each();
  }
  return !done.empty();
}

bool BackgroundWork::busy() const {
  const std::lock_guard lock(mutex_);
  return !tasks_.empty();
}

std::string BackgroundWork::label() const {
  const std::lock_guard lock(mutex_);
  return tasks_.empty() ? "" : tasks_.front().label;
}

void BackgroundWork::cancel() {
  const std::lock_guard lock(mutex_);
  stop_.request_stop();
}

}  // namespace warpscope
