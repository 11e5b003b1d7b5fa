#include "kernels/device/service/captured_stdout.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <utility>

namespace warpscope {
namespace {

void readToEnd(int fd, const std::function<void(std::string_view)>& sink) {
  std::array<char, 1 << 14> piece;
  while (true) {
    const ssize_t count = read(fd, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    try {
      sink({piece.data(), static_cast<size_t>(count)});
    } catch (const std::exception&) {
      // The text is lost; the pipe must be emptied all the same, or its writer waits forever.
    }
  }
  close(fd);
}

}  // namespace

CapturedStdout::CapturedStdout(std::function<void(std::string_view)> sink) {
  std::fflush(stdout);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  before_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (before_ < 0 || dup2(ends[1], STDOUT_FILENO) < 0) {
    close(ends[0]);
    close(ends[1]);
    if (before_ >= 0) close(std::exchange(before_, -1));
    return;
  }
  close(ends[1]);
  reader_ = std::jthread([fd = ends[0], to = std::move(sink)] { readToEnd(fd, to); });
}

CapturedStdout::~CapturedStdout() {
  if (before_ < 0) return;
  std::fflush(stdout);
  dup2(before_,
       STDOUT_FILENO);  // closes the last writing end of the pipe, so that the reader reaches its end
  close(before_);
  reader_.join();
}

}  // namespace warpscope
