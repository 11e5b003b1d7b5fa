// What orders operations, and what each waited for, from times alone.
#include "kernels/run/stream_waits.h"

#include <gtest/gtest.h>

#include "kernels/backend/stream_times.h"
#include "kernels/run/host_work.h"

namespace warpscope {
namespace {

std::vector<StreamInfo> streamsOf(std::vector<StreamKind> kinds) {
  std::vector<StreamInfo> streams;
  for (const StreamKind kind : kinds) streams.push_back({.name = {}, .kind = kind});
  return streams;
}

std::vector<uint32_t> operationsOf(const std::vector<StreamDependency>& after) {
  std::vector<uint32_t> all;
  for (const StreamDependency& each : after) all.push_back(each.operation);
  return all;
}

TEST(StreamOrder, NamesWhatMustEndFirst) {
  using enum StreamKind;
  StreamOrder order(streamsOf({kBlocking, kLegacyDefault, kNonBlocking}));
  const auto add = [&](uint32_t stream, OperationKind kind = OperationKind::kLaunch, uint32_t event = 0) {
    return order.add(kind, stream, event);
  };
  EXPECT_TRUE(add(0).empty());
  EXPECT_TRUE(add(2).empty());
  const auto legacy = add(1);
  EXPECT_EQ(operationsOf(legacy), std::vector<uint32_t>{0}) << "not the non-blocking stream's";
  EXPECT_EQ(legacy[0].kind, StreamWait::kDefaultStream);
  EXPECT_EQ(operationsOf(add(0)), (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(operationsOf(add(2, OperationKind::kWait, 9)), std::vector<uint32_t>{1}) << "never recorded";
  add(0, OperationKind::kEvent, 9);
  const auto wait = add(2, OperationKind::kWait, 9);
  EXPECT_EQ(operationsOf(wait), (std::vector<uint32_t>{4, 5}));
  EXPECT_EQ(wait[1].kind, StreamWait::kEvent);
}

TEST(ExplainWaits, FindsTheLaunchThatHoldsTheSmsWithoutItsBlocks) {
  const std::vector<TimedOperation> operations{{.after = {}, .seen = 0, .begin = 0, .end = 500},
                                               {.after = {}, .seen = 10, .begin = 480, .end = 700},
                                               {.after = {}, .seen = 20, .begin = 24, .end = 40}};
  const auto causes = explainWaits(operations, {.any = 0, .launch = 5}, {});
  EXPECT_EQ(causes[1].kind, StreamWait::kSms);
  EXPECT_EQ(causes[1].operation, 0U) << "its last blocks left room";
  EXPECT_EQ(causes[2].kind, StreamWait::kNothing) << "it took no longer than a launch takes";
}

TEST(ExplainWaits, TakesNoDelayThatIsUsualForAWait) {
  const std::vector<TimedOperation> copies{
      {.kind = OperationKind::kCopyToDevice, .after = {}, .seen = 0, .begin = 0, .end = 100},
      {.kind = OperationKind::kCopyToDevice, .after = {}, .seen = 95, .begin = 103, .end = 200},
      {.kind = OperationKind::kCopyToDevice, .after = {}, .seen = 120, .begin = 205, .end = 300}};
  const auto causes = explainWaits(copies, {.any = 10, .launch = 0}, {});
  EXPECT_EQ(causes[1].kind, StreamWait::kNothing);
  EXPECT_EQ(causes[2].kind, StreamWait::kCopyEngine);
  EXPECT_EQ(causes[2].operation, 1U);
}

TEST(ExplainMeasured, DerivesWhatNothingRecords) {
  StreamWork work{.streams = streamsOf({StreamKind::kBlocking, StreamKind::kBlocking})};
  work.operations = {{.kind = OperationKind::kCopyToDevice, .bytes = 100},
                     {.kind = OperationKind::kEvent, .event = 4},
                     {.kind = OperationKind::kWait, .stream = 1, .event = 4},
                     {.kind = OperationKind::kLaunch, .stream = 1}};
  std::vector<OperationTimes> times(4);
  for (size_t i = 0; i < times.size(); ++i) {
    times[i].enqueue_ns = static_cast<double>(1000 * i);
    times[i].enqueued_ns = static_cast<double>(1000 * i + 900);
  }
  times[0].begin_ns = 2000;
  times[0].end_ns = 40'000;
  times[3].begin_ns = 41'500;
  times[3].end_ns = 50'000;
  explainMeasured(work, times);
  EXPECT_EQ(times[1].begin_ns, 40'000);
  EXPECT_EQ(times[2].end_ns, 40'000);
  EXPECT_EQ(times[3].after, std::vector<uint32_t>{2});
  EXPECT_EQ(times[3].waited_for, StreamWait::kEvent);
  EXPECT_EQ(times[3].waited_on, 0U);
}

TEST(ExplainMeasured, CountsACopyOfPageableMemoryFromTheBeginOfItsCall) {
  StreamWork work{.streams = streamsOf({StreamKind::kBlocking})};
  work.operations = {{.kind = OperationKind::kLaunch},
                     {.kind = OperationKind::kCopyToHost, .memory = HostMemory::kPageable, .bytes = 10}};
  std::vector<OperationTimes> times(2);
  times[0] = {.enqueue_ns = 0, .enqueued_ns = 10, .begin_ns = 20, .end_ns = 5000};
  times[1] = {.enqueue_ns = 10, .enqueued_ns = 6000, .begin_ns = 5500, .end_ns = 6000};
  explainMeasured(work, times);
  EXPECT_EQ(times[1].waited_for, StreamWait::kStream);
  EXPECT_EQ(times[1].waited_on, 0U);
}

TEST(HostWork, AddsToWholeWords) {
  std::vector<std::byte> bytes(10, std::byte{0xFF});
  HostWork{.add = 2}.doTo(bytes);
  EXPECT_EQ(bytes,
            (std::vector<std::byte>{
                std::byte{1}, {}, {}, {}, std::byte{1}, {}, {}, {}, std::byte{0xFF}, std::byte{0xFF}}));
}

}  // namespace
}  // namespace warpscope
