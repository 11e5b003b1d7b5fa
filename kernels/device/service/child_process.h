// A child process with pipes to its standard input and output. Owns process and pipes: neither a running
// process nor a zombie nor a file descriptor outlives the object. Standard error is shared with this process.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

class ChildProcess {
 public:
  // arguments[0] is the program's path (or a name looked up in PATH). Error: kNoDevice, it cannot be started.
  static Expected<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& arguments);
  // Closes the pipes, whereupon a server exits by itself; kills it if it does not within a quarter of a
  // second.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int toChild() const { return to_child_; }
  int fromChild() const { return from_child_; }
  pid_t pid() const { return pid_; }

  void kill();  // at once, and waits for its end
  // Waits briefly for a child that has closed its output, then kills it. Returns "was killed (signal 9)" or
  // "ended with exit status 3".
  std::string describeEnd();

 private:
  ChildProcess() = default;
  bool reapWithin(int milliseconds);  // true: it has ended, status_ says how
  void closePipes();

  pid_t pid_ = -1;
  int to_child_ = -1, from_child_ = -1;
  bool reaped_ = false;
  int status_ = 0;
};

}  // namespace warpscope
