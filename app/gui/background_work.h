// Reading and writing files on a thread of its own, one after the other, with what is to be done on the UI
// thread when each is through. The thread contract is worker.h's.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>

#include "kernels/device/service/worker.h"

namespace warpscope {

// What a task says while it runs, and is told.
struct WorkProgress {
  std::atomic<uint64_t> bytes{0};  // written so far
  std::stop_token stop;            // give up: the user, or the end of the program, wants so
};

class BackgroundWork {
 public:
  using Done = std::function<void()>;
  using Failed = std::function<void(const std::string& message)>;

  // `wake` is called from the worker when poll() has something; `failed` by poll(), for a task that threw.
  BackgroundWork(std::function<void()> wake, Failed failed);
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // `work` runs there; what it returns is called by poll(). When the program ends, what runs is asked to give
  // up if it can, and what waits is done still: a session must not be lost.
  void start(std::string label, std::function<Done(WorkProgress&)> work);
  bool poll();  // true: something was done
  bool busy() const;
  std::string label() const;  // of what is being done or waits first
  uint64_t bytes() const { return progress_.bytes; }
  void cancel() { worker_.stopRunning(); }

 private:
  Failed failed_;
  mutable std::mutex mutex_;
  std::deque<std::string> labels_;  // of all that is not done, under the mutex
  WorkProgress progress_;
  Mailbox<Done> done_;
  Worker worker_{Worker::AtEnd::kFinishWaiting};  // last: it uses the others
};

}  // namespace warpscope
