// Signals that ask the window to close, without a window.
#include "app/gui/termination.h"

#include <gtest/gtest.h>

#include <csignal>
#include <semaphore>

namespace warpscope {
namespace {

TEST(Termination, ASignalIsPassedOnOutsideTheHandlerAndOnce) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::counting_semaphore<2> asked(0);
    const TerminationWatch watch([&] { asked.release(); });
    EXPECT_FALSE(watch.requested());
    ASSERT_EQ(raise(signal), 0);
    asked.acquire();
    EXPECT_TRUE(watch.requested());
    EXPECT_FALSE(asked.try_acquire());
  }
}

TEST(Termination, ASecondSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        std::binary_semaphore asked(0);
        const TerminationWatch watch([&] { asked.release(); });
        raise(SIGTERM);
        asked.acquire();
        raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(Termination, WithoutTheWatchSignalsDoWhatTheyDidBefore) {
  struct sigaction before {};
  struct sigaction after {};
  ASSERT_EQ(sigaction(SIGTERM, nullptr, &before), 0);
  {
    const TerminationWatch watch([] {});
  }
  ASSERT_EQ(sigaction(SIGTERM, nullptr, &after), 0);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace warpscope
