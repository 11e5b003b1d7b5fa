// Races between operations on streams: what is ordered, which bytes are touched, what is said of two that
// race, and whole runs on a simulated GPU.
#include "kernels/execute/stream_races.h"

#include <gtest/gtest.h>

#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/device/device.h"
#include "kernels/execute/executor.h"

namespace warpscope {
namespace {

using enum OperationKind;
using enum StreamKind;
using Touch = TouchedMemory::Touch;

std::vector<StreamInfo> streamsOf(const std::vector<StreamKind>& kinds) {
  std::vector<StreamInfo> streams;
  for (const StreamKind kind : kinds)
    streams.push_back({.name = fmt::format("stream {}", streams.size()), .kind = kind});
  return streams;
}

struct Enqueued {
  uint32_t stream = 0;
  OperationKind kind = kLaunch;
  uint32_t event = 0;
};

OperationOrder orderOf(const std::vector<StreamKind>& kinds, const std::vector<Enqueued>& operations) {
  StreamOrder waits(streamsOf(kinds));
  OperationOrder order;
  for (const Enqueued& each : operations) order.add(waits.add(each.kind, each.stream, each.event));
  return order;
}

TEST(OperationOrder, IsThatOfEachStream) {
  const auto order = orderOf({kBlocking, kBlocking}, {{0}, {1}, {0}, {0}, {1}});
  EXPECT_TRUE(order.ordered(0, 3)) << "with one between them";
  EXPECT_TRUE(order.ordered(4, 1)) << "asked either way round";
  EXPECT_TRUE(order.ordered(2, 2));
  for (const uint32_t of_first : {0U, 2U, 3U}) {
    for (const uint32_t of_second : {1U, 4U}) EXPECT_FALSE(order.ordered(of_first, of_second));
  }
}

TEST(OperationOrder, FollowsChainsOfEvents) {
  const auto order = orderOf({kNonBlocking, kNonBlocking, kNonBlocking}, {{0},
                                                                          {0, kEvent, 1},
                                                                          {0},  // behind the event
                                                                          {1, kWait, 1},
                                                                          {1},
                                                                          {1, kEvent, 2},
                                                                          {2},  // before the wait
                                                                          {2, kWait, 2},
                                                                          {2}});
  EXPECT_TRUE(order.ordered(0, 4));
  EXPECT_TRUE(order.ordered(0, 8)) << "through the second stream";
  EXPECT_TRUE(order.ordered(4, 8));
  EXPECT_FALSE(order.ordered(2, 4));
  EXPECT_FALSE(order.ordered(2, 8));
  EXPECT_FALSE(order.ordered(0, 6));
  EXPECT_TRUE(order.ordered(6, 8));
}

TEST(OperationOrder, TakesAnEventAsItWasRecordedLastBeforeTheWait) {
  const auto order =
      orderOf({kBlocking, kBlocking, kBlocking, kBlocking},
              {{0}, {0, kEvent, 5}, {1}, {2, kWait, 5}, {2}, {1, kEvent, 5}, {3, kWait, 5}, {3}, {2}});
  EXPECT_TRUE(order.ordered(0, 4)) << "recorded anew only later";
  EXPECT_FALSE(order.ordered(2, 4));
  EXPECT_TRUE(order.ordered(2, 7));
  EXPECT_FALSE(order.ordered(0, 7)) << "the event no longer stands for that";
  EXPECT_TRUE(order.ordered(0, 8));
  const auto never = orderOf({kBlocking, kBlocking}, {{0}, {1, kWait, 5}, {1}, {0, kEvent, 5}});
  EXPECT_FALSE(never.ordered(0, 2)) << "not recorded by then";
}

TEST(OperationOrder, TheLegacyDefaultStreamSynchronisesAllButNonBlockingOnes) {
  for (const StreamKind synchronised : {kBlocking, kPerThreadDefault}) {
    const auto order =
        orderOf({synchronised, kLegacyDefault, kBlocking, kNonBlocking}, {{0}, {3}, {1}, {2}, {3}, {0}});
    EXPECT_TRUE(order.ordered(0, 2));
    EXPECT_TRUE(order.ordered(2, 3));
    EXPECT_TRUE(order.ordered(0, 3)) << "through the default stream";
    EXPECT_TRUE(order.ordered(2, 5));
    EXPECT_FALSE(order.ordered(3, 5));
    for (const uint32_t other : {0U, 2U, 3U, 5U}) {
      EXPECT_FALSE(order.ordered(1, other));
      EXPECT_FALSE(order.ordered(4, other));
    }
  }
  // An event of the default stream stands for all that it waits for.
  const auto event =
      orderOf({kBlocking, kLegacyDefault, kNonBlocking}, {{0}, {1, kEvent, 0}, {2, kWait, 0}, {2}, {0}});
  EXPECT_TRUE(event.ordered(0, 3));
  EXPECT_FALSE(event.ordered(3, 4));
}

TEST(OperationOrder, PerThreadDefaultStreamsDoNotSynchroniseEachOther) {
  const auto order = orderOf({kPerThreadDefault, kPerThreadDefault, kBlocking}, {{0}, {1}, {2}});
  EXPECT_FALSE(order.ordered(0, 1));
  EXPECT_FALSE(order.ordered(0, 2));
}

// The first bytes that two memories have in common: {address, bytes}; {0, 0}: none.
std::pair<uint64_t, uint64_t> common(const TouchedMemory& first, const TouchedMemory& second) {
  const auto found = TouchedMemory::conflict(first, second);
  const auto turned = TouchedMemory::conflict(second, first);
  EXPECT_EQ(found.has_value(), turned.has_value());
  if (!found || !turned) return {0, 0};
  EXPECT_EQ(found->address, turned->address);
  EXPECT_EQ(found->bytes, turned->bytes);
  EXPECT_EQ(found->first.action, turned->second.action);
  return {found->address, found->bytes};
}

TouchedMemory touched(Touch touch, uint64_t address, uint64_t bytes) {
  TouchedMemory memory;
  memory.add(touch, address, bytes);
  return memory;
}

TEST(TouchedMemory, ConflictsAreExactToTheByte) {
  using Range = std::pair<uint64_t, uint64_t>;
  for (const uint64_t at : {4096ULL, 4097ULL, 8191ULL, 5000ULL, 4096ULL + 64}) {
    const auto written = touched(Touch::kWrite, at, 1);
    EXPECT_EQ(common(written, touched(Touch::kRead, at, 1)), (Range{at, 1}));
    EXPECT_EQ(common(written, touched(Touch::kRead, at - 1, 1)), (Range{}));
    EXPECT_EQ(common(written, touched(Touch::kRead, at + 1, 1)), (Range{}));
    EXPECT_EQ(common(written, touched(Touch::kRead, at - 100, 200)), (Range{at, 1}));
  }
  // Over several pages, whole ones and parts.
  const auto large = touched(Touch::kWrite, 10'000, 100'000);
  EXPECT_EQ(common(large, touched(Touch::kWrite, 0, 1 << 20)), (Range{10'000, 100'000}));
  EXPECT_EQ(common(large, touched(Touch::kRead, 50'001, 9000)), (Range{50'001, 9000}));
  EXPECT_EQ(common(large, touched(Touch::kRead, 109'999, 9000)), (Range{109'999, 1}));
  EXPECT_EQ(common(large, touched(Touch::kRead, 110'000, 9000)), (Range{}));
  EXPECT_EQ(common(large, TouchedMemory()), (Range{}));
  // Every other word; then from the third page on all of them.
  TouchedMemory words;
  for (uint64_t at = 4096; at < 8192; at += 8) words.add(Touch::kRead, at, 4);
  EXPECT_EQ(common(words, touched(Touch::kWrite, 4100, 4)), (Range{}));
  EXPECT_EQ(common(words, touched(Touch::kWrite, 4100, 8)), (Range{4104, 4}));
  words.add(Touch::kRead, 8188, 4100);
  EXPECT_EQ(common(words, touched(Touch::kWrite, 8186, 8192)), (Range{8186, 4102}))
      << "and the end of the word before";
  EXPECT_EQ(common(words, touched(Touch::kWrite, 8188, 8192)), (Range{8188, 4100}));
}

TEST(TouchedMemory, OneMustWriteAndAtomicsMayMeet) {
  using enum TouchedMemory::Touch;
  const auto conflict = [](Touch one, Touch other) {
    return common(touched(one, 640, 4), touched(other, 640, 4)).second != 0;
  };
  for (const Touch touch : {kRead, kWrite, kStrongRead, kStrongWrite}) {
    EXPECT_TRUE(conflict(kWrite, touch));
    EXPECT_EQ(conflict(kRead, touch), touch == kWrite || touch == kStrongWrite);
    EXPECT_EQ(conflict(kStrongRead, touch), touch == kWrite);
    EXPECT_EQ(conflict(kStrongWrite, touch), touch == kRead || touch == kWrite);
  }
  // Atomics by both, but one reads some of the bytes plainly, too.
  auto both = touched(kStrongWrite, 640, 64);
  both.add(kRead, 650, 2);
  const auto found = TouchedMemory::conflict(both, touched(kStrongWrite, 640, 64));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->address, 650U);
  EXPECT_EQ(found->bytes, 2U);
  EXPECT_EQ(found->second.action, "write");
}

TEST(TouchedMemory, APlaceIsToldOnlyWhereThereIsOne) {
  const auto describe = [](uint32_t place) {
    return HazardAccess{.source_file = "a.cu", .line = place, .ptx = {}};
  };
  TouchedMemory reads;
  reads.add(Touch::kRead, 4096, 8, 7);
  reads.add(Touch::kRead, 4200, 8, 7);
  reads.add(Touch::kWrite, 4300, 8, 9);
  reads.add(Touch::kRead, 8192, 8, 7);
  reads.add(Touch::kRead, 8200, 8, 8);
  reads.describePlaces(describe);
  const auto at = [&](uint64_t address) {
    return TouchedMemory::conflict(reads, touched(Touch::kWrite, address, 4)).value();
  };
  EXPECT_EQ(at(4096).first.line, 7U);
  EXPECT_EQ(at(4096).first.action, "read");
  EXPECT_EQ(at(4096).second.line, 0U);
  EXPECT_EQ(at(4300).first.line, 9U);
  EXPECT_EQ(at(8192).first.line, 0U) << "two lines read near there";
}

// A plan of two buffers of 1,000 bytes, at 4,096 and 8,192, on these streams; launches have kernels k0, k1
// ...
class Plan {
 public:
  explicit Plan(const std::vector<StreamKind>& kinds, HostMemory host = HostMemory::kPinned) {
    plan_.streams = streamsOf(kinds);
    plan_.buffers = {{.name = "a", .bytes = 1000, .host = host}, {.name = "b", .bytes = 1000, .host = host}};
    plan_.kernel = "k0";
  }
  Plan& add(PlannedOperation operation) {
    if (operation.kind == kLaunch) {
      operation.launch = launches_++;
      if (operation.launch > 0) plan_.following.push_back({.kernel = fmt::format("k{}", operation.launch)});
    }
    plan_.operations.push_back(std::move(operation));
    return *this;
  }
  // What launches touch: {launch, how, address, bytes}.
  struct Access {
    uint32_t launch = 0;
    Touch touch = Touch::kRead;
    uint64_t address = 0, bytes = 0;
  };
  std::vector<Hazard> races(const std::vector<Access>& accesses = {}) const {
    StreamRaces races(plan_, std::vector<DeviceAddress>{4096, 8192});
    for (const Access& each : accesses) {
      if (TouchedMemory* memory = races.touchedBy(each.launch))
        memory->add(each.touch, each.address, each.bytes);
    }
    return races.find();
  }
  bool mayRace(uint32_t launch) const {
    return StreamRaces(plan_, std::vector<DeviceAddress>{4096, 8192}).touchedBy(launch) != nullptr;
  }

 private:
  LaunchPlan plan_;
  uint32_t launches_ = 0;
};

TEST(StreamRaces, NameOperationsBufferBytesAndWhatToDo) {
  const auto found =
      Plan({kBlocking, kBlocking})
          .add({.kind = kCopyToDevice, .name = "part 1", .buffer = 0, .offset = 8, .bytes = 100})
          .add({.stream = 1, .name = "part 1"})
          .races({{0, Touch::kRead, 4096 + 50, 200}});
  ASSERT_EQ(found.size(), 1U);
  const Hazard& race = found[0];
  EXPECT_EQ(race.kind, HazardKind::kStreamRace);
  EXPECT_EQ(race.kernel, "k0");
  EXPECT_EQ(race.access.action, "read");
  ASSERT_TRUE(race.second);
  EXPECT_EQ(race.second->action, "write");
  EXPECT_EQ(race.operations, (std::vector<HazardOperation>{{1, "launch of part 1", "stream 1"},
                                                           {0, "copy to the device of part 1", "stream 0"}}));
  EXPECT_EQ(race.allocation, "'a' (1,000 bytes)");
  EXPECT_EQ(race.offset, 50);
  EXPECT_EQ(race.address, 4146U);
  EXPECT_EQ(
      race.message,
      "operation 0 (copy to the device of part 1 on stream 0) writes and operation 1 (launch of part 1 on "
      "stream 1) reads the same 58 bytes of 'a' (1,000 bytes), from byte 50 on, and nothing orders the "
      "two: record an event on stream 0 after operation 0 and let stream 1 wait for it before operation "
      "1");
  const auto back = hazardFromJson(toJson(race));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(formatHazard(*back), formatHazard(race));
  EXPECT_EQ(toJson(*back), toJson(race));
  EXPECT_EQ(toJson(race)["kind"], "stream_race");
  EXPECT_EQ(formatHazard(race).find("thread"), std::string::npos) << formatHazard(race);
}

TEST(StreamRaces, AreNoneWhereSomethingOrders) {
  const PlannedOperation copy{.kind = kCopyToDevice, .buffer = 0, .bytes = 1000};
  const std::vector<Plan::Access> reads{{0, Touch::kRead, 4096, 1000}};
  EXPECT_TRUE(Plan({kBlocking}).add(copy).add({}).races(reads).empty());
  EXPECT_TRUE(Plan({kBlocking, kLegacyDefault}).add(copy).add({.stream = 1}).races(reads).empty());
  EXPECT_EQ(Plan({kNonBlocking, kLegacyDefault}).add(copy).add({.stream = 1}).races(reads).size(), 1U);
  EXPECT_TRUE(Plan({kBlocking, kBlocking})
                  .add(copy)
                  .add({.kind = kEvent, .event = 3})
                  .add({.kind = kWait, .stream = 1, .event = 3})
                  .add({.stream = 1})
                  .races(reads)
                  .empty());
  EXPECT_EQ(Plan({kBlocking, kBlocking})
                .add({.kind = kEvent, .event = 3})  // before the copy
                .add(copy)
                .add({.kind = kWait, .stream = 1, .event = 3})
                .add({.stream = 1})
                .races(reads)
                .size(),
            1U);
  EXPECT_TRUE(Plan({kBlocking, kBlocking})
                  .add(copy)
                  .add({.stream = 1})
                  .races({{0, Touch::kWrite, 8192, 1000}})
                  .empty())
      << "another buffer";
}

TEST(StreamRaces, CopiesFillsAndHostFunctionsRaceToo) {
  const std::vector<StreamKind> two{kBlocking, kBlocking};
  const PlannedOperation to_device{.kind = kCopyToDevice, .buffer = 0, .bytes = 500};
  const PlannedOperation back{.kind = kCopyToHost, .stream = 1, .buffer = 0, .offset = 499, .bytes = 100};
  const auto copies = Plan(two).add(to_device).add(back).races();
  ASSERT_EQ(copies.size(), 2U) << "on the device and on the host";
  EXPECT_EQ(copies[0].space, "global");
  EXPECT_EQ(copies[0].access.action, "read");
  EXPECT_EQ(copies[1].space, "host");
  EXPECT_EQ(copies[1].access.action, "write");
  EXPECT_EQ(copies[1].offset, 499);
  EXPECT_NE(copies[1].message.find("the same 1 byte of 'a' (1,000 bytes) on the host"), std::string::npos)
      << copies[1].message;
  EXPECT_TRUE(copies[0].kernel.empty());
  EXPECT_TRUE(formatHazard(copies[0]).starts_with("stream_race: ")) << formatHazard(copies[0]);

  const PlannedOperation on_device{
      .kind = kCopyOnDevice, .stream = 1, .buffer = 1, .bytes = 10, .from = 0, .from_offset = 495};
  const auto from = Plan(two).add(to_device).add(on_device).races();
  ASSERT_EQ(from.size(), 1U);
  EXPECT_EQ(from[0].offset, 495);
  const PlannedOperation fill{.kind = kFill, .buffer = 1, .offset = 5, .bytes = 5};
  const auto filled = Plan(two).add(fill).add(on_device).races();
  ASSERT_EQ(filled.size(), 1U);
  EXPECT_EQ(filled[0].allocation, "'b' (1,000 bytes)");
  EXPECT_EQ(filled[0].offset, 5);

  PlannedOperation host{.kind = kHostFunction, .stream = 1, .buffer = 0, .bytes = 500, .work = {.add = 1}};
  ASSERT_EQ(Plan(two).add(to_device).add(host).races().size(), 1U);
  EXPECT_EQ(Plan(two).add(to_device).add(host).races()[0].space, "host");
  host.work.add = 0;
  EXPECT_TRUE(Plan(two).add(to_device).add(host).races().empty()) << "it changes nothing";
}

TEST(StreamRaces, HostFunctionsReachManagedMemoryItself) {
  const std::vector<StreamKind> two{kBlocking, kBlocking};
  const PlannedOperation fill{.kind = kFill, .buffer = 1, .offset = 5, .bytes = 5};
  PlannedOperation host{.kind = kHostFunction, .stream = 1, .buffer = 1, .bytes = 500};
  EXPECT_TRUE(Plan(two, HostMemory::kManaged).add(fill).add(host).races().empty()) << "it does nothing";
  host.work.touches = true;
  const auto races = Plan(two, HostMemory::kManaged).add(fill).add(host).races();
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].space, "global");
  EXPECT_EQ(races[0].access.action, "read");
  EXPECT_TRUE(Plan(two).add(fill).add(host).races().empty()) << "pinned memory is another";
  const PlannedOperation prefetch{.kind = kPrefetchToHost, .buffer = 1, .bytes = 500};
  EXPECT_TRUE(Plan(two, HostMemory::kManaged).add(prefetch).add(host).races().empty())
      << "pages that move stay what they are";
}

TEST(StreamRaces, PairsOfTheSameKindAreOneHazard) {
  Plan plan({kBlocking, kBlocking});
  for (uint64_t i = 0; i < 4; ++i)
    plan.add({.kind = kCopyToDevice, .buffer = 0, .offset = 100 * i, .bytes = 100});
  plan.add({.stream = 1}).add({.stream = 1});
  std::vector<Plan::Access> accesses{{0, Touch::kRead, 4096, 1000}};
  const auto found = plan.races(accesses);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].count, 4U);
  accesses.push_back({1, Touch::kRead, 4096, 1000});
  EXPECT_EQ(plan.races(accesses).size(), 2U) << "another kernel";
}

TEST(StreamRaces, LaunchesMayMeetInAtomicsOnly) {
  Plan plan({kBlocking, kBlocking});
  plan.add({}).add({.stream = 1});
  const Plan::Access adds{0, Touch::kStrongWrite, 4096, 4};
  EXPECT_TRUE(plan.races({adds, {1, Touch::kStrongWrite, 4096, 4}}).empty());
  EXPECT_EQ(plan.races({adds, {1, Touch::kRead, 4096, 4}}).size(), 1U);
  const auto outside = plan.races({{0, Touch::kWrite, 100, 4}, {1, Touch::kWrite, 100, 4}});
  ASSERT_EQ(outside.size(), 1U);
  EXPECT_EQ(outside[0].allocation, "memory outside the plan's buffers");
}

TEST(StreamRaces, NothingIsNotedWhereAllIsOrdered) {
  EXPECT_FALSE(Plan({kBlocking}).add({}).add({}).mayRace(0));
  Plan plan({kBlocking, kBlocking});
  plan.add({.name = "alone"}).add({.kind = kEvent, .event = 1}).add({.kind = kWait, .stream = 1, .event = 1});
  plan.add({.stream = 1}).add({});
  EXPECT_FALSE(plan.mayRace(0)) << "events and waits touch nothing";
  EXPECT_TRUE(plan.mayRace(1));
  EXPECT_TRUE(plan.mayRace(2));
}

TEST(StreamRaces, MemoryIsUsedBetweenItsAllocationAndItsFree) {
  const PlannedOperation allocation{.kind = kAllocate, .name = "part 1", .buffer = 0, .bytes = 1000};
  const PlannedOperation free{.kind = kFree, .name = "part 1", .buffer = 0, .bytes = 1000};
  const PlannedOperation event{.kind = kEvent, .event = 1}, wait{.kind = kWait, .stream = 1, .event = 1};
  const std::vector<Plan::Access> reads{{0, Touch::kRead, 4096, 100}};
  const std::vector<StreamKind> two{kBlocking, kBlocking};
  EXPECT_TRUE(Plan(two).add(allocation).add({}).add(free).races(reads).empty());
  EXPECT_TRUE(Plan(two).add(allocation).add(event).add(wait).add({.stream = 1}).races(reads).empty());

  const auto early = Plan(two).add(allocation).add({}).add({.kind = kFree, .stream = 1, .bytes = 1000});
  const auto unordered = early.races(reads);
  ASSERT_EQ(unordered.size(), 2U) << "with the allocation, and with the launch";
  const Hazard& use = unordered[1];
  EXPECT_EQ(use.kind, HazardKind::kUseAfterFree);
  EXPECT_EQ(use.kernel, "k0");
  EXPECT_EQ(use.access.action, "read");
  EXPECT_EQ(use.second->action, "free");
  EXPECT_EQ(use.operations,
            (std::vector<HazardOperation>{{1, "launch of k0", "stream 0"}, {2, "free", "stream 1"}}));
  EXPECT_EQ(
      use.message,
      "operation 1 (launch of k0 on stream 0) reads 100 bytes of 'a' (1,000 bytes), from byte 0 on, and "
      "nothing orders that with operation 2 (free on stream 1), which frees it, after which another "
      "allocation may get that memory: record an event on stream 0 after operation 1 and let stream 1 "
      "wait for it before operation 2");
  EXPECT_EQ(formatHazard(*hazardFromJson(toJson(use))), formatHazard(use));

  const auto late = Plan(two).add(allocation).add(free).add({}).races(reads);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(
      late[0].message,
      "operation 2 (launch of k0 on stream 0) reads 100 bytes of 'a' (1,000 bytes), from byte 0 on, "
      "which operation 1 (free of part 1 on stream 0) has freed before: another allocation may have got "
      "that memory");
  EXPECT_TRUE(Plan(two).add(allocation).add(free).add({}).races({{0, Touch::kRead, 8192, 100}}).empty())
      << "other memory";

  const auto before = Plan(two).add(allocation).add({.stream = 1}).races(reads);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(
      before[0].message,
      "operation 1 (launch of k0 on stream 1) reads 100 bytes of 'a' (1,000 bytes), from byte 0 on, and "
      "nothing orders that with operation 0 (allocation of part 1 on stream 0), which allocates it: "
      "record an event on stream 0 after operation 0 and let stream 1 wait for it before operation 1");
}

Run runChecked(const std::string& device, const std::string& family, const std::string& variant,
               ParameterValues parameters) {
  const auto model = openModel(device).value();
  RunRequest request{
      .family = family, .variant = variant, .parameters = std::move(parameters), .checks = true};
  auto run = Executor(*model).run(request, {}, {});
  EXPECT_TRUE(run) << run.error().message;
  return run.value_or(Run{});
}

TEST(StreamRaceRuns, AMissingWaitIsFoundWhateverTheTime) {
  struct Case {
    const char* device = "";
    int64_t size = 0;
    bool passes = false;
  };
  // On a simulated H100 the copy of one element is over before the launch begins.
  for (const Case& each :
       {Case{"sim:h100", 1, true}, {"sim:h100", 1 << 18, false}, {"sim:teaching", 1000, false}}) {
    SCOPED_TRACE(fmt::format("{} elements on {}", each.size, each.device));
    const auto run = runChecked(each.device, "broken", "missing_stream_wait", {{"size", each.size}});
    EXPECT_EQ(run.verification.passed, each.passes) << run.verification.detail;
    ASSERT_TRUE(run.hazards);
    ASSERT_EQ(run.hazards->size(), 1U);
    const Hazard& race = run.hazards->front();
    EXPECT_EQ(race.kind, HazardKind::kStreamRace);
    EXPECT_EQ(race.offset, 0);
    EXPECT_EQ(race.count, 1U);
    EXPECT_EQ(race.operations,
              (std::vector<HazardOperation>{{1, "launch of the vector", "launch stream"},
                                            {0, "copy to the device of the vector", "copy stream"}}));
    const std::string bytes = formatCount(4 * each.size);
    EXPECT_NE(race.message.find(fmt::format("the same {0} bytes of 'in' ({0} bytes), from byte 0 on", bytes)),
              std::string::npos)
        << race.message;
    const auto twin = runChecked(each.device, "broken", "with_stream_wait", {{"size", each.size}});
    EXPECT_TRUE(twin.verification.passed) << twin.verification.detail;
    EXPECT_TRUE(twin.hazards && twin.hazards->empty());
  }
}

TEST(StreamRaceRuns, AFreeThatDoesNotWaitIsFound) {
  for (const int64_t size : {1, 1000, 1 << 16}) {
    const auto run = runChecked("sim:h100", "broken", "use_after_free", {{"size", size}});
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    ASSERT_TRUE(run.hazards);
    ASSERT_EQ(run.hazards->size(), 1U);
    const Hazard& hazard = run.hazards->front();
    EXPECT_EQ(hazard.kind, HazardKind::kUseAfterFree);
    EXPECT_EQ(hazard.count, 2U) << "the second vector's, too";
    EXPECT_EQ(hazard.operations, (std::vector<HazardOperation>{{4, "launch of vector 0", "stream 2"},
                                                               {5, "free of vector 0", "stream 1"}}));
    EXPECT_EQ(hazard.access.action, "read");
    EXPECT_TRUE(hazard.access.source_file.ends_with("broken_streams.cu")) << hazard.access.source_file;
    const std::string bytes = formatCount(4 * size);
    EXPECT_NE(hazard.message.find(fmt::format("reads {0} bytes of 'temporary memory of vector 0'", bytes)),
              std::string::npos)
        << hazard.message;
    const auto twin = runChecked("sim:h100", "broken", "free_after_use", {{"size", size}});
    EXPECT_TRUE(twin.verification.passed) << twin.verification.detail;
    EXPECT_TRUE(twin.hazards && twin.hazards->empty());
  }
}

TEST(StreamRaceRuns, FamiliesThatAreRightHaveNone) {
  for (const char* family : {"streams", "priorities", "clusters", "bulk_copy"}) {
    for (const VariantInfo& variant : findExperiment(family).value()->info().variants) {
      SCOPED_TRACE(fmt::format("{} {}", family, variant.name));
      for (const int64_t size : {1000, 1 << 14}) {
        const auto run = runChecked("sim:h100", family, variant.name, {{"size", size}});
        ASSERT_TRUE(run.hazards);
        for (const Hazard& hazard : *run.hazards) ADD_FAILURE() << formatHazard(hazard);
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
