#include "tests/gui/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace warpscope::testing {

Process::Process(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                 int pass_fd) {
  pid_ = fork();
  if (pid_ != 0) return;
  // Mesa's drivers leak and are unloaded before LeakSanitizer looks, so it can neither name nor suppress
  // them.
  setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
  for (const std::string& entry : environment) {
    const size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  const int quiet = ::open("/dev/null", O_WRONLY);
  if (pass_fd >= 0) dup2(quiet, STDERR_FILENO);  // the X server's chatter
  dup2(quiet, STDOUT_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  _exit(127);
}

Process::~Process() {
  if (pid_ > 0 && !status_) end(SIGKILL);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), status_(std::exchange(other.status_, std::nullopt)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  return *this;
}

bool Process::running() {
  if (pid_ <= 0 || status_) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return true;
  status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return false;
}

int Process::end(int signal) {
  if (running()) kill(pid_, signal);
  return wait();
}

int Process::wait() {
  if (!status_ && pid_ > 0) {
    int status = 0;
    waitpid(pid_, &status, 0);
    status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  return status_.value_or(-1);
}

}  // namespace warpscope::testing
