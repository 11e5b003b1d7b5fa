#include "kernels/device/service/run_service.h"

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
    if (request.variant.starts_with("early")) {
      Run early;
      early.request = request;
      early.verification.pending = true;
      progress({0.7, "checking", 0, std::make_shared<const Run>(early)});
    }
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

RunResult asItIs(RunResult result) {
  return result;
}

class RunServiceTest : public ::testing::Test {
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
  std::vector<RunResult> waitFor(int count) {
    std::unique_lock lock(mutex_);
    seen_ += count;
    arrived_.wait(lock, [&] { return news_ >= seen_; });
    lock.unlock();
    return runs_.poll();
  }

  GatedDevice::Gate gate_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  int news_ = 0, seen_ = 0;
  RunService<RunResult> runs_{std::make_unique<GatedDevice>(gate_), asItIs, [this] { news(); }};
};

TEST_F(RunServiceTest, AnswersWithTicketAndRun) {
  const uint64_t ticket = runs_.submit(request("a"));
  gate_.allow(1);
  const auto results = waitFor(1);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].ticket, ticket);
  ASSERT_TRUE(results[0].run);
  EXPECT_EQ((*results[0].run)->request.variant, "a");
  EXPECT_GT(results[0].elapsed_ms, 0);
  EXPECT_TRUE(results[0].foreground);
  EXPECT_FALSE(runs_.busy());
  EXPECT_TRUE(runs_.poll().empty());
}

TEST_F(RunServiceTest, ARunThatCanBeShownEarlyArrivesTwice) {
  const uint64_t ticket = runs_.submit(request("early"));
  gate_.waitForStarts(1);
  const auto shown = waitFor(1);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_TRUE(shown[0].early);
  EXPECT_EQ(shown[0].ticket, ticket);
  EXPECT_TRUE((*shown[0].run)->verification.pending);
  EXPECT_TRUE(runs_.busy()) << "its result is being checked";
  gate_.allow(1);
  const auto checked = waitFor(1);
  ASSERT_EQ(checked.size(), 1U);
  EXPECT_FALSE(checked[0].early);
  EXPECT_EQ(checked[0].ticket, ticket);
  EXPECT_FALSE(runs_.busy());
}

TEST_F(RunServiceTest, ANewRequestEndsTheCheckOfTheOneBefore) {
  runs_.submit(request("early 1"));
  gate_.waitForStarts(1);
  waitFor(1);
  const uint64_t ticket = runs_.submit(request("early 2"));
  gate_.waitForStarts(2);  // without the first one having been let go
  gate_.allow(1);
  const auto results = waitFor(2);
  ASSERT_EQ(results.size(), 2U) << "the run whose check was given up does not arrive again";
  for (const RunResult& result : results) EXPECT_EQ(result.ticket, ticket);
}

TEST_F(RunServiceTest, BackgroundRunsAreNotShownEarly) {
  gate_.allow(1);
  runs_.submitBackground({request("early")});
  const auto results = waitFor(1);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_FALSE(results[0].early);
}

TEST_F(RunServiceTest, TheNewestRequestWins) {
  runs_.submit(request("running"));
  gate_.waitForStarts(1);
  runs_.submit(request("superseded 1"));
  runs_.submit(request("superseded 2"));
  runs_.submit(request("newest"));
  EXPECT_TRUE(runs_.busy());
  gate_.allow(2);
  waitFor(2);
  EXPECT_EQ(gate_.started, (std::vector<std::string>{"running", "newest"}));
  EXPECT_FALSE(runs_.busy());
}

TEST_F(RunServiceTest, BackgroundRunsInOrderAndYieldsToTheForeground) {
  runs_.submitBackground({request("b1"), request("b2"), request("b3")});
  gate_.waitForStarts(1);
  runs_.submit(request("front"));
  const auto stopped = waitFor(1);
  ASSERT_EQ(stopped.size(), 1U);
  EXPECT_EQ(stopped[0].request.variant, "b1");
  EXPECT_FALSE(stopped[0].foreground);
  ASSERT_FALSE(stopped[0].run);
  EXPECT_EQ(stopped[0].run.error().kind, ErrorKind::kCancelled);
  gate_.allow(3);
  waitFor(3);
  EXPECT_EQ(gate_.started, (std::vector<std::string>{"b1", "front", "b2", "b3"}));
}

TEST_F(RunServiceTest, NewBackgroundReplacesTheOld) {
  runs_.submitBackground({request("old 1"), request("old 2")});
  gate_.waitForStarts(1);
  runs_.submitBackground({request("new 1")});
  gate_.allow(2);
  waitFor(2);
  EXPECT_EQ(gate_.started, (std::vector<std::string>{"old 1", "new 1"}));
}

TEST_F(RunServiceTest, CancelStopsWhatRunsAndDropsWhatWaits) {
  runs_.submit(request("running"));
  gate_.waitForStarts(1);
  runs_.submit(request("waiting"));
  runs_.submitBackground({request("behind")});
  runs_.cancel();
  const auto results = waitFor(1);
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results[0].run);
  EXPECT_EQ(results[0].run.error().kind, ErrorKind::kCancelled);
  EXPECT_FALSE(runs_.busy());
  EXPECT_EQ(gate_.started.size(), 1U);
}

TEST_F(RunServiceTest, ErrorsAndExceptionsAreResults) {
  gate_.allow(3);
  runs_.submitBackground({request("fail"), request("throw"), request("fine")});
  const auto results = waitFor(3);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].run.error().message, "as asked");
  EXPECT_NE(results[1].run.error().message.find("a library's exception"), std::string::npos);
  EXPECT_TRUE(results[2].run);
}

TEST_F(RunServiceTest, TellsProgressOfTheRunningOne) {
  EXPECT_FALSE(runs_.progress());
  runs_.submit(request("a"));
  gate_.waitForStarts(1);
  const auto progress = runs_.progress();
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->step, "half of a");
  gate_.allow(1);
  waitFor(1);
  EXPECT_FALSE(runs_.progress());
}

// The window's thread calls only const functions of a device during a run, and they do not wait for the run.
TEST_F(RunServiceTest, TheDeviceAnswersWhileARunGoesOn) {
  runs_.submit(request("running"));
  gate_.waitForStarts(1);
  EXPECT_FALSE(runs_.device().offeredValues(request("a"), "block"));
  EXPECT_EQ(runs_.device().nearestOffered(request("a")).variant, "a");
  EXPECT_TRUE(runs_.busy());
  gate_.allow(1);
  waitFor(1);
}

// The completion of a result on the worker may fail, too.
TEST(RunServiceCompletion, AResultThatCannotBeCompletedIsAFailure) {
  GatedDevice::Gate gate;
  gate.allow(1);
  std::mutex mutex;
  std::condition_variable arrived;
  bool news = false;
  RunService<RunResult> runs(
      std::make_unique<GatedDevice>(gate),
      [](RunResult result) {
        if (result.run) throw std::runtime_error("no layout");
        return result;
      },
      [&] {
        const std::lock_guard lock(mutex);
        news = true;
        arrived.notify_all();
      });
  runs.submit({});
  std::unique_lock lock(mutex);
  arrived.wait(lock, [&] { return news; });
  const auto results = runs.poll();
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results[0].run);
  EXPECT_NE(results[0].run.error().message.find("no layout"), std::string::npos);
}

TEST(RunServiceEnd, DestructionStopsWhatRuns) {
  GatedDevice::Gate gate;
  int news = 0;
  {
    RunService<RunResult> runs(std::make_unique<GatedDevice>(gate), asItIs, [&] { ++news; });
    RunRequest request;
    request.variant = "never let go";
    runs.submit(request);
    gate.waitForStarts(1);
    runs.submit(request);
  }
  EXPECT_EQ(gate.started.size(), 1U);
  EXPECT_EQ(news, 0);
}

}  // namespace
}  // namespace warpscope
