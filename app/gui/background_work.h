// Reads and writes files one after the other on a thread of its own, and runs on the UI thread what is to be
// done when each is complete. The thread contract is worker.h's.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "kernels/device/service/worker.h"

namespace warpscope {

// A task's progress while it runs, and the way to stop it.
struct WorkProgress {
  std::atomic<uint64_t> bytes{0};           // written so far
  std::atomic<uint64_t> expected_bytes{0};  // an estimate of how many there will be; 0: unknown
  std::stop_token stop;                     // the user, or the end of the program, wants the task to give up
};

class BackgroundWork {
 public:
  using Done = std::function<void()>;
  using Failed = std::function<void(const std::string& message)>;

  // `wake` is called from the worker when poll() has something; `failed` by poll(), for a task that threw.
  BackgroundWork(std::function<void()> wake, Failed failed);
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // `work` runs on the worker; poll() calls what it returns. When the program ends, the running task is asked
  // to give up if it can, and waiting tasks are completed: a session must not be lost.
  void start(std::string label, std::function<Done(WorkProgress&)> work);
  bool poll();  // true: something was called
  bool busy() const;
  std::string label() const;  // of the running task, or of the first that waits
  uint64_t bytes() const { return progress_.bytes; }
  std::optional<double> fraction() const;     // nullopt: unknown
  std::optional<double> secondsLeft() const;  // estimated from what it has done so far
  void cancel() { worker_.stopRunning(); }

 private:
  Failed failed_;
  mutable std::mutex mutex_;
  std::deque<std::string> labels_;  // of all tasks that are not complete; guarded by the mutex
  WorkProgress progress_;
  std::atomic<std::chrono::steady_clock::time_point> began_{};
  Mailbox<Done> done_;
  Worker worker_{Worker::AtEnd::kFinishWaiting};  // last: it uses the others
};

}  // namespace warpscope
