#include "app/cli/interrupt.h"

#include <csignal>
#include <ctime>

namespace warpscope {
namespace {

sigset_t interruptSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

InterruptSource::InterruptSource() {
  const sigset_t signals = interruptSignal();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  listener_ = std::jthread([this, signals](const std::stop_token& closing) {
    const timespec wait{.tv_sec = 0, .tv_nsec = 50'000'000};
    while (!closing.stop_requested()) {
      if (sigtimedwait(&signals, nullptr, &wait) != SIGINT) continue;
      interrupted_.request_stop();
      pthread_sigmask(SIG_UNBLOCK, &signals,
                      nullptr);  // this thread takes the second one, with its default action
      return;
    }
  });
}

InterruptSource::~InterruptSource() {
  listener_.request_stop();
  listener_.join();
  const sigset_t signals = interruptSignal();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace warpscope
