// Makes Ctrl+C and SIGTERM close the window as its user would: settings are saved, devices are closed.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace warpscope {

// Watches from construction to destruction; there can be one at a time. A second signal ends the program at
// once.
class TerminationWatch {
 public:
  // `asked` is called from another thread, once.
  explicit TerminationWatch(std::function<void()> asked);
  ~TerminationWatch();
  TerminationWatch(const TerminationWatch&) = delete;
  TerminationWatch& operator=(const TerminationWatch&) = delete;

  bool requested() const { return requested_; }

 private:
  std::function<void()> asked_;
  std::atomic<bool> requested_{false};
  std::array<int, 2> pipe_{-1, -1};  // the handler may only write; the thread notifies the window
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
  std::jthread reader_;
};

}  // namespace warpscope
