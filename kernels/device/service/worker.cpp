#include "kernels/device/service/worker.h"

#include <condition_variable>
#include <deque>
#include <optional>
#include <thread>

namespace warpscope {

struct Worker::State {
  struct Item {
    Task task;
    std::stop_source stop{};
  };

  const AtEnd at_end;
  mutable std::mutex mutex;  // guards everything below, except the thread
  std::condition_variable changed;
  std::optional<Item> wished;
  std::deque<Item> queued;
  std::optional<std::stop_source> running;  // nullopt: nothing runs
  bool running_queued = false;              // what runs came from the queue
  bool ending = false;
  std::jthread thread;  // last: it uses everything above

  bool waiting() const { return wished || !queued.empty(); }
  bool busy() const { return running || waiting(); }

  Item take() {
    running_queued = !wished;
    if (wished) return *std::exchange(wished, std::nullopt);
    Item item = std::move(queued.front());
    queued.pop_front();
    return item;
  }

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return ending || waiting(); });
      if (ending && (at_end == AtEnd::kDropWaiting || !waiting())) return;
      Item item = take();
      running = item.stop;
      lock.unlock();
      try {
        item.task(item.stop.get_token());
      } catch (...) {  // see the thread contract
      }
      item.task = nullptr;  // what it captured is freed here, before it is reported that nothing runs
      lock.lock();
      running.reset();
      changed.notify_all();
    }
  }

  void start() {
    if (!thread.joinable()) thread = std::jthread([this] { work(); });
    changed.notify_all();
  }
};

Worker::Worker(AtEnd at_end) : state_(new State{.at_end = at_end}) {}

Worker::~Worker() {
  std::optional<std::stop_source> running;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
    running = state_->running;
  }
  state_->changed.notify_all();
  if (running) running->request_stop();  // without the lock: the stop callbacks of tasks run in here
  if (state_->thread.joinable()) state_->thread.join();
}

void Worker::wish(Task task) {
  std::optional<std::stop_source> in_the_way;
  {
    const std::lock_guard lock(state_->mutex);
    state_->wished = State::Item{std::move(task)};
    if (state_->running_queued) in_the_way = state_->running;
  }
  state_->start();
  if (in_the_way) in_the_way->request_stop();
}

void Worker::queue(Task task) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->queued.push_back({std::move(task)});
  }
  state_->start();
}

void Worker::replaceQueue(std::vector<Task> tasks) {
  std::deque<State::Item> replaced;
  {
    const std::lock_guard lock(state_->mutex);
    replaced.swap(state_->queued);
    for (Task& task : tasks) state_->queued.push_back({std::move(task)});
  }
  state_->start();
}

void Worker::dropWish() {
  const std::lock_guard lock(state_->mutex);
  state_->wished.reset();
}

void Worker::stopRunning() {
  std::optional<std::stop_source> running;
  {
    const std::lock_guard lock(state_->mutex);
    running = state_->running;
  }
  if (running) running->request_stop();
}

void Worker::stopAll() {
  std::vector<std::stop_source> all;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->running) all.push_back(*state_->running);
    if (state_->wished) all.push_back(state_->wished->stop);
    for (const State::Item& item : state_->queued) all.push_back(item.stop);
  }
  for (std::stop_source& each : all) each.request_stop();
}

void Worker::cancel() {
  std::optional<State::Item> wished;
  std::deque<State::Item> queued;
  {
    const std::lock_guard lock(state_->mutex);
    wished.swap(state_->wished);
    queued.swap(state_->queued);
  }
  stopRunning();
}

void Worker::settle() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->running.reset();
  }
  state_->changed.notify_all();
}

bool Worker::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->busy();
}

size_t Worker::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->queued.size() + (state_->wished ? 1 : 0);
}

bool Worker::ending() const {
  const std::lock_guard lock(state_->mutex);
  return state_->ending;
}

void Worker::waitUntilIdle() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return !state_->busy(); });
}

bool Worker::waitUntilIdle(std::chrono::milliseconds limit) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, limit, [this] { return !state_->busy(); });
}

}  // namespace warpscope
