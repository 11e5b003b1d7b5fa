// Ctrl-C as a stop token: the first one ends the work in an orderly way (a launch is cancelled, files stay
// complete), a second one ends the program.
#pragma once

#include <stop_token>
#include <thread>

namespace warpscope {

class InterruptSource {
 public:
  InterruptSource();  // create it before other threads are started, so that they inherit the blocked signal
  ~InterruptSource();
  InterruptSource(const InterruptSource&) = delete;
  InterruptSource& operator=(const InterruptSource&) = delete;
  std::stop_token token() const { return interrupted_.get_token(); }

 private:
  std::stop_source interrupted_;
  std::jthread listener_;
};

}  // namespace warpscope
