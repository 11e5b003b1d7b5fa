// Passes what this process writes to its standard output to a function instead, as long as this object lives:
// CUDA's driver writes there what a kernel's printf wrote.
#pragma once

#include <functional>
#include <string_view>
#include <thread>

namespace warpscope {

class CapturedStdout {
 public:
  // `sink` is called from a thread that this object owns. Where no pipe can be made, nothing is captured.
  explicit CapturedStdout(std::function<void(std::string_view)> sink);
  // After destruction everything that was written while it lived has reached the sink.
  ~CapturedStdout();
  CapturedStdout(const CapturedStdout&) = delete;
  CapturedStdout& operator=(const CapturedStdout&) = delete;

 private:
  int before_ = -1;  // what standard output was
  std::jthread reader_;
};

}  // namespace warpscope
