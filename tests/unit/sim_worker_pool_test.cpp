// Threads that work through numbered items together.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels/sim/sm/worker_pool.h"

namespace warpscope::sim {
namespace {

TEST(WorkerPool, DoesEveryItemOnceInEveryRound) {
  WorkerPool pool(3);
  std::vector<std::atomic<uint32_t>> done(100);
  for (uint32_t round = 0; round < 500; ++round) {
    pool.forEach(100, [&](uint32_t i) { ++done[i]; });
  }
  for (const auto& count : done) EXPECT_EQ(count.load(), 500U);
}

// The first item waits until all others are done, so another thread must execute the rest of its share.
TEST(WorkerPool, WhoIsDoneHelpsOthers) {
  WorkerPool pool(2);
  std::atomic<uint32_t> done = 0;
  pool.forEach(8, [&](uint32_t i) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (i == 0 && done < 7 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_TRUE(i != 0 || done == 7);
    ++done;
  });
  EXPECT_EQ(done, 8U);
}

}  // namespace
}  // namespace warpscope::sim
