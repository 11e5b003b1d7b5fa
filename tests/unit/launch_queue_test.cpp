#include "kernels/device/service/launch_queue.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace warpscope {
namespace {

// Runs wait until they are released, so that the test determines the order of events.
class GatedDevice final : public Device {
 public:
  struct Gate {
    std::mutex mutex;
    std::condition_variable_any changed;
    int allowed = 0;
    std::vector<std::string> started;

    void allow(int count) {
      const std::lock_guard lock(mutex);
      allowed += count;
      changed.notify_all();
    }
    void waitForStarts(size_t count) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return started.size() >= count; });
    }
  };
  explicit GatedDevice(Gate& gate) : gate_(gate) {}

  const DeviceDescription& description() const override { return description_; }
  Expected<Run> run(const RunRequest& request, const ProgressSink& progress,
                    const std::stop_token& stop) override {
    progress({0.5, "half of " + request.variant});
    std::unique_lock lock(gate_.mutex);
    gate_.started.push_back(request.variant);
    gate_.changed.notify_all();
    if (!gate_.changed.wait(lock, stop, [this] { return gate_.allowed > 0; })) {
      return fail(ErrorKind::kCancelled, "stopped");
    }
    --gate_.allowed;
    if (request.variant == "throw") throw std::runtime_error("a library's exception");
    if (request.variant == "fail") return fail(ErrorKind::kWorkFailed, "as asked");
    Run run;
    run.request = request;
    return run;
  }

 private:
  Gate& gate_;
  DeviceDescription description_;
};

class LaunchQueueTest : public ::testing::Test {
 protected:
  static RunRequest request(const std::string& variant) {
    RunRequest request;
    request.variant = variant;
    return request;
  }
  void news() {
    const std::lock_guard lock(mutex_);
    ++news_;
    arrived_.notify_all();
  }
  // All results, once `count` more of them have arrived.
  std::vector<LaunchQueue::Result> waitFor(int count) {
    std::unique_lock lock(mutex_);
    seen_ += count;
    arrived_.wait(lock, [&] { return news_ >= seen_; });
    lock.unlock();
    return queue_.poll();
  }

  GatedDevice::Gate gate_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  int news_ = 0, seen_ = 0;
  LaunchQueue queue_{std::make_unique<GatedDevice>(gate_), [this] { news(); }};
};

TEST_F(LaunchQueueTest, AnswersWithTicketAndRun) {
  const uint64_t ticket = queue_.submit(request("a"));
  gate_.allow(1);
  const auto results = waitFor(1);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].ticket, ticket);
  ASSERT_TRUE(results[0].run);
  EXPECT_EQ((*results[0].run)->request.variant, "a");
  EXPECT_GE(results[0].elapsed_ms, 0);
  EXPECT_FALSE(queue_.busy());
  EXPECT_TRUE(queue_.poll().empty());
}

TEST_F(LaunchQueueTest, TheNewestRequestWins) {
  queue_.submit(request("running"));
  gate_.waitForStarts(1);
  queue_.submit(request("superseded 1"));
  queue_.submit(request("superseded 2"));
  queue_.submit(request("newest"));
  EXPECT_TRUE(queue_.busy());
  gate_.allow(2);
  waitFor(2);
  EXPECT_EQ(gate_.started, (std::vector<std::string>{"running", "newest"}));
  EXPECT_FALSE(queue_.busy());
}

TEST_F(LaunchQueueTest, BackgroundRunsInOrderAndYieldsToTheForeground) {
  queue_.submitBackground({request("b1"), request("b2"), request("b3")});
  gate_.waitForStarts(1);
  queue_.submit(request("front"));
  const auto stopped = waitFor(1);
  ASSERT_EQ(stopped.size(), 1U);
  EXPECT_EQ(stopped[0].request.variant, "b1");
  ASSERT_FALSE(stopped[0].run);
  EXPECT_EQ(stopped[0].run.error().kind, ErrorKind::kCancelled);
  gate_.allow(3);
  waitFor(3);
  EXPECT_EQ(gate_.started, (std::vector<std::string>{"b1", "front", "b2", "b3"}));
}

TEST_F(LaunchQueueTest, NewBackgroundReplacesTheOld) {
  queue_.submitBackground({request("old 1"), request("old 2")});
  gate_.waitForStarts(1);
  queue_.submitBackground({request("new 1")});
  gate_.allow(2);
  waitFor(2);
  EXPECT_EQ(gate_.started, (std::vector<std::string>{"old 1", "new 1"}));
}

TEST_F(LaunchQueueTest, CancelStopsWhatRunsAndDropsWhatWaits) {
  queue_.submit(request("running"));
  gate_.waitForStarts(1);
  queue_.submit(request("waiting"));
  queue_.submitBackground({request("behind")});
  queue_.cancel();
  const auto results = waitFor(1);
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results[0].run);
  EXPECT_EQ(results[0].run.error().kind, ErrorKind::kCancelled);
  EXPECT_FALSE(queue_.busy());
  EXPECT_EQ(gate_.started.size(), 1U);
}

TEST_F(LaunchQueueTest, ErrorsAndExceptionsAreResults) {
  gate_.allow(3);
  queue_.submitBackground({request("fail"), request("throw"), request("fine")});
  const auto results = waitFor(3);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].run.error().message, "as asked");
  EXPECT_NE(results[1].run.error().message.find("a library's exception"), std::string::npos);
  EXPECT_TRUE(results[2].run);
}

TEST_F(LaunchQueueTest, TellsProgressOfTheRunningOne) {
  EXPECT_FALSE(queue_.progress());
  queue_.submit(request("a"));
  gate_.waitForStarts(1);
  const auto progress = queue_.progress();
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->step, "half of a");
  gate_.allow(1);
  waitFor(1);
  EXPECT_FALSE(queue_.progress());
}

TEST(LaunchQueueEnd, DestructionStopsWhatRuns) {
  GatedDevice::Gate gate;
  int news = 0;
  {
    LaunchQueue queue(std::make_unique<GatedDevice>(gate), [&] { ++news; });
    RunRequest request;
    request.variant = "never let go";
    queue.submit(request);
    gate.waitForStarts(1);
    queue.submit(request);
  }
  EXPECT_EQ(gate.started.size(), 1U);
  EXPECT_EQ(news, 0);
}

}  // namespace
}  // namespace warpscope
