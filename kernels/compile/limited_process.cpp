#include "kernels/compile/limited_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <thread>

#include "kernels/core/files.h"

namespace warpscope {
namespace {

constexpr rlim_t kMostOutputBytes = rlim_t{256} << 20;
constexpr uint64_t kMostShownBytes = uint64_t{16} << 20;

// posix_spawn's settings: no input, output into a file, and a process group of its own, which is killed as
// one.
struct Settings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  explicit Settings(const std::filesystem::path& output) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&signals, signal);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Settings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;
};

// What this process may still ask for.
rlim_t allowed(__rlimit_resource resource, rlim_t wanted) {
  rlimit present{};
  return getrlimit(resource, &present) == 0 ? std::min(wanted, present.rlim_max) : wanted;
}

// posix_spawn cannot set limits, and limits that are set from here come too late for what the program has
// already started. So a shell sets them for itself and then becomes the program.
std::vector<std::string> withLimits(const std::vector<std::string>& arguments, const ProcessLimits& limits) {
  std::string script = fmt::format("ulimit -c 0; ulimit -f {}; ulimit -t {}; ",  // 512 bytes, seconds, KiB
                                   allowed(RLIMIT_FSIZE, kMostOutputBytes) / 512,
                                   allowed(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.time_s)) + 1));
  if (limits.memory_bytes > 0)
    script += fmt::format("ulimit -v {}; ", allowed(RLIMIT_AS, limits.memory_bytes) >> 10);
  std::vector<std::string> all{"/bin/sh", "-c", script + R"(exec "$0" "$@")"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

}  // namespace

Expected<ProcessEnd> runLimited(const std::vector<std::string>& arguments, const ProcessLimits& limits,
                                const std::filesystem::path& scratch, const std::stop_token& stop) {
  const std::filesystem::path output = scratch / "output";
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  const std::vector<std::string> all = withLimits(arguments, limits);
  std::vector<char*> argv;
  argv.reserve(all.size() + 1);
  // posix_spawn promises not to change them.
  for (const std::string& argument : all) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  const Settings settings(output);
  pid_t child = -1;
  const auto begin = std::chrono::steady_clock::now();
  const int error =
      posix_spawn(&child, argv[0], &settings.actions, &settings.attributes, argv.data(), environ);
  if (error != 0) {
    return fail(ErrorKind::kNoDevice, "cannot start {}: {}", arguments.at(0), std::strerror(error));
  }

  ProcessEnd end;
  int status = 0;
  bool cancelled = false;
  auto nap = std::chrono::microseconds(500);
  while (waitpid(child, &status, WNOHANG) == 0) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    end.timed_out = elapsed.count() > limits.time_s;
    cancelled = stop.stop_requested();
    if (end.timed_out || cancelled) {
      ::kill(-child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      break;
    }
    std::this_thread::sleep_for(nap);
    nap = std::min(nap * 2, std::chrono::microseconds(10000));
  }
  if (cancelled) return fail(ErrorKind::kCancelled, "{} was cancelled", arguments.at(0));
  if (WIFEXITED(status)) end.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (auto text = readFile(output, kMostShownBytes)) end.output = std::move(*text);
  return end;
}

std::string usualSearchPath() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

std::filesystem::path findProgram(const std::vector<std::string>& names, const std::string& search_path) {
  for (const std::string& name : names) {
    for (size_t at = 0; at <= search_path.size();) {
      const size_t end = std::min(search_path.find(':', at), search_path.size());
      const std::string folder = search_path.substr(at, end - at);
      at = end + 1;
      if (folder.empty()) continue;
      std::filesystem::path program = std::filesystem::path(folder) / name;
      std::error_code error;
      if (std::filesystem::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0)
        return program;
    }
  }
  return {};
}

}  // namespace warpscope
