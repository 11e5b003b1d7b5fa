#include "app/gui/termination.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace warpscope {
namespace {

constexpr char kAsked = 't', kOver = 'q';
std::atomic<int> write_end{-1};

void onSignal(int /*signal*/) {
  const int saved = errno;
  const char byte = kAsked;
  [[maybe_unused]] const ssize_t written = ::write(write_end, &byte, 1);
  errno = saved;
}

}  // namespace

TerminationWatch::TerminationWatch(std::function<void()> asked) : asked_(std::move(asked)) {
  if (pipe2(pipe_.data(), O_CLOEXEC) != 0) return;  // signals then end the program as usual
  write_end = pipe_[1];
  struct sigaction action {};
  action.sa_handler = onSignal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
  reader_ = std::jthread([this] {
    char byte = 0;
    while (true) {
      const ssize_t got = ::read(pipe_[0], &byte, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got != 1 || byte == kOver) return;
      requested_ = true;
      asked_();
    }
  });
}

TerminationWatch::~TerminationWatch() {
  if (pipe_[1] < 0) return;
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
  write_end = -1;
  const char byte = kOver;
  [[maybe_unused]] const ssize_t written = ::write(pipe_[1], &byte, 1);
  reader_.join();
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

}  // namespace warpscope
