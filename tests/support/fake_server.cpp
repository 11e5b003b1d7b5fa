// A program that serves the fake device as `warpscope serve` serves a GPU, and misbehaves on demand: at the
// launch of certain variants, or from its start if the environment variable WARPSCOPE_FAKE_SERVER says so.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "kernels/device/service/frame.h"
#include "tests/support/fake_backend.h"

namespace {

void sendBytes(int fd, const std::string& bytes) {
  if (write(fd, bytes.data(), bytes.size()) < 0) _exit(9);
}

void misbehave(const std::string& entry, int out_fd) {
  if (entry == "hang") {
    while (true) pause();
  }
  if (entry == "kill") raise(SIGKILL);
  if (entry == "segfault") {
    signal(SIGSEGV, SIG_DFL);  // the default, without a sanitizer's handler
    raise(SIGSEGV);
  }
  if (entry == "exit") _exit(3);
  if (entry == "exit_later") {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      _exit(4);
    }).detach();
  }
  if (entry == "garbage") sendBytes(out_fd, "this is what a library prints to the wrong place");
  if (entry == "truncated") {
    std::string header(warpscope::kFrameHeaderBytes, '\0');
    header.replace(0, 4, "WSF1");
    header[4] = 9;    // a run
    header[8] = 100;  // of 100 bytes
    sendBytes(out_fd, header + "only this");
    _exit(0);
  }
  if (entry == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(100));
  if (entry == "say") std::printf("hello from the kernel\n");
  if (entry == "say_much") std::printf("%s\n", std::string(300'000, 'x').c_str());
  static bool printed = false;
  if (entry == "print" && !std::exchange(printed, true)) std::printf("printed by a library\n");
}

}  // namespace

int main() {
  const char* mode_text = std::getenv("WARPSCOPE_FAKE_SERVER");
  const std::string mode = mode_text == nullptr ? "" : mode_text;
  if (mode == "exit") return 5;
  if (mode == "garbage") {
    sendBytes(STDOUT_FILENO, "usage: something else entirely [options]\n");
    pause();
  }
  const int out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  auto parts = warpscope::testing::fakeServerParts([out_fd](warpscope::testing::FakeBackend& backend) {
    backend.runs_streams = true;
    backend.on_launch = [out_fd](const std::string& entry) { misbehave(entry, out_fd); };
  });
  parts.owns_stdout = true;
  return warpscope::serve(STDIN_FILENO, out_fd, parts);
}
