#include "kernels/device/service/launch_queue.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

struct Item {
  uint64_t ticket = 0;
  RunRequest request;
  Clock::time_point submitted;
};

}  // namespace

struct LaunchQueue::State {
  std::unique_ptr<Device> device;
  std::function<void()> news;

  mutable std::mutex mutex;  // of all below
  std::condition_variable changed;
  uint64_t next_ticket = 1;
  std::optional<Item> foreground;
  std::deque<Item> background;
  std::vector<Result> results;
  bool running = false, running_background = false, closing = false;
  std::optional<Progress> progress;
  std::stop_source current;
  std::jthread worker;  // last: it uses everything above

  Item makeItem(RunRequest request) { return {next_ticket++, std::move(request), Clock::now()}; }

  // Drops what waits and stops what runs.
  void stop(bool for_good) {
    std::stop_source running_one;
    {
      const std::lock_guard lock(mutex);
      foreground.reset();
      background.clear();
      if (for_good) closing = true;
      running_one = current;
    }
    running_one.request_stop();  // without the lock: a device's stop callbacks run in here
  }

  // The next to run, if any; foreground first.
  std::optional<Item> take() {
    if (foreground) return std::exchange(foreground, std::nullopt);
    if (background.empty()) return std::nullopt;
    Item item = std::move(background.front());
    background.pop_front();
    return item;
  }

  Result execute(Item item, const std::stop_token& stop) {
    const auto report = [this](const Progress& step) {
      const std::lock_guard lock(mutex);
      progress = step;
    };
    Result result{item.ticket, std::move(item.request),
                  fail(ErrorKind::kWorkFailed, "the device did not answer"), 0};
    try {
      auto run = device->run(result.request, report, stop);
      if (run) {
        result.run = std::make_shared<const Run>(std::move(*run));
      } else {
        result.run = tl::unexpected(std::move(run.error()));
      }
    } catch (const std::exception& problem) {  // out of memory, or a library's exception
      result.run = fail(ErrorKind::kWorkFailed, "the run failed within the program: {}", problem.what());
    }
    result.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - item.submitted).count();
    return result;
  }

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return closing || foreground || !background.empty(); });
      if (closing) return;
      running_background = !foreground;
      Item item = *take();
      current = std::stop_source();
      const std::stop_token stop = current.get_token();
      running = true;
      progress.reset();
      lock.unlock();
      Result result = execute(std::move(item), stop);
      lock.lock();
      running = false;
      progress.reset();
      results.push_back(std::move(result));
      if (closing) return;
      lock.unlock();
      if (news) news();
      lock.lock();
    }
  }
};

LaunchQueue::LaunchQueue(std::unique_ptr<Device> device, std::function<void()> news)
    : state_(std::make_unique<State>()) {
  state_->device = std::move(device);
  state_->news = std::move(news);
  state_->worker = std::jthread([state = state_.get()] { state->work(); });
}

LaunchQueue::~LaunchQueue() {
  state_->stop(true);
  state_->changed.notify_all();
  state_->worker.join();
}

const Device& LaunchQueue::device() const {
  return *state_->device;
}

uint64_t LaunchQueue::submit(RunRequest request) {
  uint64_t ticket = 0;
  std::optional<std::stop_source> in_the_way;
  {
    const std::lock_guard lock(state_->mutex);
    state_->foreground = state_->makeItem(std::move(request));
    ticket = state_->foreground->ticket;
    if (state_->running && state_->running_background) in_the_way = state_->current;
  }
  state_->changed.notify_all();
  if (in_the_way) in_the_way->request_stop();  // without the lock, as in stop()
  return ticket;
}

void LaunchQueue::submitBackground(std::vector<RunRequest> requests) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->background.clear();
    for (RunRequest& request : requests) state_->background.push_back(state_->makeItem(std::move(request)));
  }
  state_->changed.notify_all();
}

void LaunchQueue::cancel() {
  state_->stop(false);
}

std::vector<LaunchQueue::Result> LaunchQueue::poll() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->results, {});
}

bool LaunchQueue::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running || state_->foreground || !state_->background.empty();
}

std::optional<Progress> LaunchQueue::progress() const {
  const std::lock_guard lock(state_->mutex);
  return state_->progress;
}

}  // namespace warpscope
