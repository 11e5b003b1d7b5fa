// Reading and writing files on a thread of its own, one after the other, with what is to be done on the UI
// thread when each is through.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace warpscope {

// Of what is being done, from any thread.
struct WorkProgress {
  std::atomic<uint64_t> bytes{0};  // written so far
  std::stop_token stop;            // give up: the user, or the end of the program, wants so
};

class BackgroundWork {
 public:
  using Done = std::function<void()>;

  explicit BackgroundWork(std::function<void()> wake);  // called there when poll() has something
  // Asks what can be given up to do so; the rest is waited for, a session being saved for one.
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // `work` runs there; what it returns is called by poll().
  void start(std::string label, std::function<Done(WorkProgress&)> work);
  bool poll();  // true: something was done
  bool busy() const;
  std::string label() const;  // of what is being done or waits first
  uint64_t bytes() const { return progress_.bytes; }
  void cancel();  // what is being done

 private:
  struct Task {
    std::string label;
    std::function<Done(WorkProgress&)> work;
  };
  void run(const std::stop_token& end);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Task> tasks_;  // the first is being done
  std::vector<Done> done_;
  WorkProgress progress_;
  std::stop_source stop_;
  std::jthread worker_;  // last: it uses the others
};

}  // namespace warpscope
