// A program that a test starts and ends.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace warpscope::testing {

// Runs until the end of the object; killed then.
class Process {
 public:
  Process() = default;
  // `environment`: NAME=VALUE, over the present one.
  Process(const std::vector<std::string>& command, const std::vector<std::string>& environment,
          int pass_fd = -1);
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  bool running();
  // Asks it to end (SIGTERM) or waits for it to; its exit status, or minus the signal that ended it.
  int end(int signal);
  int wait();

 private:
  pid_t pid_ = 0;
  std::optional<int> status_;
};

}  // namespace warpscope::testing
