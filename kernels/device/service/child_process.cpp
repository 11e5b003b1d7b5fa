#include "kernels/device/service/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

namespace warpscope {
namespace {

constexpr int kPipeBytes = 1 << 20;  // holds a run of the usual size at once
constexpr int kPoliteEndMs = 250;
constexpr int kExpectedEndMs = 1000;

struct Pipe {
  int read = -1, write = -1;
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (read >= 0) close(read);
    if (write >= 0) close(write);
  }

  // Uses descriptors above the standard streams, which the child's ends replace in the child only.
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = moveUp(ends[0]);
    write = moveUp(ends[1]);
    if (read < 0 || write < 0) return false;
    fcntl(write, F_SETPIPE_SZ, kPipeBytes);  // best effort: an unprivileged user may be limited
    return true;
  }

 private:
  static int moveUp(int fd) {
    if (fd > STDERR_FILENO) return fd;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return moved;
  }
};

// posix_spawn's settings: the two pipes in place of standard input and output, default signals.
struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnSettings(const Pipe& input, const Pipe& output) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

}  // namespace

Expected<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& arguments) {
  Pipe input;
  Pipe output;
  if (!input.open() || !output.open()) {
    return fail(ErrorKind::kNoDevice, "cannot make a pipe for {}: {}", arguments.at(0), std::strerror(errno));
  }
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  // posix_spawn promises not to change them.
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  const SpawnSettings settings(input, output);
  std::unique_ptr<ChildProcess> child(new ChildProcess);
  const int error =
      posix_spawnp(&child->pid_, argv[0], &settings.actions, &settings.attributes, argv.data(), environ);
  if (error != 0) {
    child->reaped_ = true;
    return fail(ErrorKind::kNoDevice, "cannot start {}: {}", arguments[0], std::strerror(error));
  }
  child->to_child_ = std::exchange(input.write, -1);
  child->from_child_ = std::exchange(output.read, -1);
  return child;
}

ChildProcess::~ChildProcess() {
  closePipes();
  if (!reapWithin(kPoliteEndMs)) kill();
}

void ChildProcess::closePipes() {
  if (to_child_ >= 0) close(std::exchange(to_child_, -1));
  if (from_child_ >= 0) close(std::exchange(from_child_, -1));
}

bool ChildProcess::reapWithin(int milliseconds) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!reaped_) {
    const pid_t ended = waitpid(pid_, &status_, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno == ECHILD)) {
      reaped_ = true;
    } else if (std::chrono::steady_clock::now() >= limit) {
      return false;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  return true;
}

void ChildProcess::kill() {
  if (reaped_) return;
  ::kill(pid_, SIGKILL);
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
}

std::string ChildProcess::describeEnd() {
  if (!reapWithin(kExpectedEndMs)) {
    kill();
    return "closed its output without ending";
  }
  if (WIFSIGNALED(status_)) {
    const int signal = WTERMSIG(status_);
    return fmt::format("{} (signal {})", signal == SIGKILL ? "was killed" : "crashed", signal);
  }
  return fmt::format("ended with exit status {}", WEXITSTATUS(status_));
}

}  // namespace warpscope
