// One thread that runs one task after the other, away from the thread that draws or reads requests.
// Everything that works in the background is built on it: RunService, the server's requests, the window's
// loaders.
//
// The thread contract of all of them:
//   - One thread owns such an object and calls its functions. None of them blocks, except the destructor,
//     which waits until the running task has ended.
//   - Tasks run on the worker's thread, never two at a time. A task owns what it captured, or captures what
//     is const or outlives the worker. State that both threads use is guarded by a mutex of its owner.
//   - A task gets a stop token and should return soon once a stop is requested; nothing else ends it.
//   - What a task has made goes into a Mailbox, which then calls `wake` on the worker's thread with no lock
//     held. The owner takes it with poll(). So a window only ever takes and draws finished values.
//   - No exception leaves the thread. A task that can fail turns an exception into an Error with guarded();
//     the worker discards any other exception.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

class Worker {
 public:
  using Task = std::function<void(const std::stop_token& stop)>;
  enum class AtEnd { kDropWaiting, kFinishWaiting };  // what the destructor does with tasks that wait

  explicit Worker(AtEnd at_end = AtEnd::kDropWaiting);  // the thread starts with the first task
  ~Worker();                                            // requests a stop of what runs, and joins
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The newest wish wins: it replaces one that waits, runs before everything that is queued, and stops a
  // queued task that runs. A wish that runs is not stopped: its result is useful while the next one is made.
  void wish(Task task);
  void queue(Task task);                       // after everything that is queued
  void replaceQueue(std::vector<Task> tasks);  // in place of all that is queued and does not run
  void dropWish();

  void stopRunning();
  void stopAll();  // requests a stop of what runs and of all that waits, which then still runs
  void cancel();   // requests a stop of what runs and drops what waits

  // For a running task that only has to deliver its result: busy() no longer counts it. The thread that the
  // result wakes then finds the worker idle.
  void settle();

  bool busy() const;       // something runs or waits
  size_t waiting() const;  // tasks that have not begun
  bool ending() const;     // the destructor has begun: no results are wanted any more
  void waitUntilIdle();
  bool waitUntilIdle(std::chrono::milliseconds limit);  // false: still busy after `limit`

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The results of a worker, until its owner takes them. Any thread may use it.
template <class News>
class Mailbox {
 public:
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void put(News news) {
    {
      const std::lock_guard lock(mutex_);
      news_.push_back(std::move(news));
    }
    if (wake_) wake_();
  }
  std::vector<News> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }

 private:
  std::function<void()> wake_;
  std::mutex mutex_;
  std::vector<News> news_;
};

// Calls `work`, which returns an Expected. An exception (out of memory, or a library's) becomes an Error that
// begins with `what`: "the run".
template <class Work>
auto guarded(const std::string& what, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& problem) {
    return tl::unexpected(
        Error{ErrorKind::kWorkFailed, what + " failed within the program: " + problem.what()});
  }
}

}  // namespace warpscope
