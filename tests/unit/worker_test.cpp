#include "kernels/device/service/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>

namespace warpscope {
namespace {

using Log = std::vector<std::string>;

// Tasks that wait until they are released or told to stop, and record what becomes of them.
class WorkerTest : public ::testing::Test {
 protected:
  Worker::Task task(const std::string& name) {
    return [this, name](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      log_.push_back(name);
      changed_.notify_all();
      if (!changed_.wait(lock, stop, [this] { return allowed_ > 0; })) {
        log_.push_back(name + " stopped");
        return;
      }
      --allowed_;
    };
  }
  void allow(int count) {
    const std::lock_guard lock(mutex_);
    allowed_ += count;
    changed_.notify_all();
  }
  void waitForLog(size_t entries) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return log_.size() >= entries; });
  }
  Log log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  int allowed_ = 0;
  Log log_;
};

TEST_F(WorkerTest, TheWishGoesFirstAndTheQueueInOrder) {
  Worker worker;
  worker.queue(task("first"));
  waitForLog(1);
  worker.queue(task("a"));
  worker.queue(task("b"));
  EXPECT_EQ(worker.waiting(), 2U);
  allow(3);
  worker.waitUntilIdle();
  EXPECT_EQ(log(), (Log{"first", "a", "b"}));
  EXPECT_FALSE(worker.busy());
}

TEST_F(WorkerTest, AWishStopsAQueuedTaskAndNotAWish) {
  Worker worker;
  worker.queue(task("queued"));
  waitForLog(1);
  worker.queue(task("later"));
  worker.wish(task("wish"));
  waitForLog(3);
  worker.wish(task("superseded"));
  worker.wish(task("newest"));
  allow(3);
  worker.waitUntilIdle();
  EXPECT_EQ(log(), (Log{"queued", "queued stopped", "wish", "newest", "later"}));
}

TEST_F(WorkerTest, AllCanBeToldToStopAndStillRuns) {
  Worker worker;
  worker.queue(task("a"));
  waitForLog(1);
  worker.queue(task("b"));
  worker.stopAll();
  worker.waitUntilIdle();
  EXPECT_EQ(log(), (Log{"a", "a stopped", "b", "b stopped"}));
}

TEST_F(WorkerTest, CancelDropsWhatWaits) {
  Worker worker;
  worker.queue(task("a"));
  waitForLog(1);
  worker.queue(task("b"));
  worker.wish(task("c"));
  worker.cancel();
  worker.waitUntilIdle();
  const Log seen = log();
  EXPECT_EQ(std::ranges::count(seen, "b"), 0);
  EXPECT_EQ(seen.front(), "a");
}

TEST_F(WorkerTest, ATaskThatDoesNotEndIsStillBusyAfterTheLimit) {
  Worker worker;
  worker.queue(task("a"));
  waitForLog(1);
  EXPECT_FALSE(worker.waitUntilIdle(std::chrono::milliseconds(1)));
  allow(1);
  EXPECT_TRUE(worker.waitUntilIdle(std::chrono::minutes(1)));
}

TEST_F(WorkerTest, ASettledTaskIsNotBusyAnyMore) {
  for (const bool another_waits : {false, true}) {
    std::promise<void> begin;
    std::promise<bool> busy;
    std::future<void> begun = begin.get_future();
    Worker worker;
    worker.queue([&](const std::stop_token&) {
      begun.wait();
      worker.settle();
      busy.set_value(worker.busy());
    });
    if (another_waits) worker.queue([](const std::stop_token&) {});
    begin.set_value();
    EXPECT_EQ(busy.get_future().get(), another_waits);
  }
}

TEST_F(WorkerTest, TheEndStopsWhatRunsAndDropsWhatWaits) {
  {
    Worker worker;
    worker.queue(task("a"));
    waitForLog(1);
    worker.queue(task("b"));
  }
  EXPECT_EQ(log(), (Log{"a", "a stopped"}));
}

TEST_F(WorkerTest, TheEndFinishesWhatWaitsWhereThatIsWanted) {
  {
    Worker worker(Worker::AtEnd::kFinishWaiting);
    worker.queue(task("a"));
    waitForLog(1);
    worker.queue([this](const std::stop_token& stop) {
      const std::lock_guard lock(mutex_);
      log_.push_back(stop.stop_requested() ? "told to stop" : "saved");
    });
  }
  EXPECT_EQ(log(), (Log{"a", "a stopped", "saved"}));
}

TEST_F(WorkerTest, WhatIsThrownDoesNotLeaveTheThread) {
  Worker worker;
  worker.queue([](const std::stop_token&) { throw std::runtime_error("lost"); });
  worker.queue([](const std::stop_token&) { throw 7; });
  allow(1);
  worker.queue(task("after"));
  worker.waitUntilIdle();
  EXPECT_EQ(log(), Log{"after"});
}

TEST(Guarded, AnExceptionBecomesAnError) {
  const auto failed = guarded("the run", []() -> Expected<int> { throw std::runtime_error("no memory"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kWorkFailed);
  EXPECT_EQ(failed.error().message, "the run failed within the program: no memory");
  EXPECT_EQ(guarded("the run", []() -> Expected<int> { return 7; }), 7);
}

TEST(Mailbox, KeepsTheOrderAndWakesForEachPiece) {
  int woken = 0;
  Mailbox<int> box([&] { ++woken; });
  box.put(1);
  box.put(2);
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(box.take(), (std::vector<int>{1, 2}));
  EXPECT_TRUE(box.take().empty());
}

}  // namespace
}  // namespace warpscope
