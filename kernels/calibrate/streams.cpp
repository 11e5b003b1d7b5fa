// Copies between host and device, and what operations on streams cost besides their work.
#include <algorithm>
#include <functional>
#include <numeric>

#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

constexpr uint64_t kFewBytes = 4096;

// Operations on one or two streams in some of the host's memory and two buffers of the device.
class StreamScript {
 public:
  static Expected<StreamScript> create(Bench& bench, uint64_t bytes) {
    auto first = bench.allocate(bytes);
    if (!first) return tl::unexpected(first.error());
    auto second = bench.allocate(bytes);
    if (!second) return tl::unexpected(second.error());
    const auto empty = bench.spec("empty", {}, {});
    if (!empty) return tl::unexpected(empty.error());
    return StreamScript(bench, bytes, std::move(*first), std::move(*second), *empty);
  }

  // Each returns the operation's number.
  size_t copyIn(uint64_t bytes, HostMemory memory = HostMemory::kPinned) {
    return add({.kind = OperationKind::kCopyToDevice,
                .device = first_.address(),
                .host = host_.data(),
                .memory = memory,
                .bytes = bytes});
  }
  size_t copyOut(uint64_t bytes, HostMemory memory = HostMemory::kPinned) {
    return add({.kind = OperationKind::kCopyToHost,
                .device = first_.address(),
                .host = host_.data(),
                .memory = memory,
                .bytes = bytes});
  }
  size_t copyOnDevice(uint64_t bytes) {
    return add({.kind = OperationKind::kCopyOnDevice,
                .device = second_.address(),
                .from = first_.address(),
                .bytes = bytes});
  }
  size_t fill(uint64_t bytes) {
    return add({.kind = OperationKind::kFill, .device = first_.address(), .bytes = bytes});
  }
  size_t launch(uint32_t stream = 0) { return add({.stream = stream, .launch = empty_}); }
  size_t call() { return add({.kind = OperationKind::kHostFunction}); }
  size_t event(OperationKind kind, uint32_t stream) {
    return add({.kind = kind, .stream = stream, .event = 1});
  }

  Expected<StreamReport> run(StreamWork::Clocks clocks = StreamWork::Clocks::kBest) {
    work_.clocks = clocks;
    const bool pinned = std::ranges::any_of(work_.operations, [](const EnqueuedOperation& operation) {
      return operation.host != nullptr && operation.memory == HostMemory::kPinned;
    });
    work_.pinned.clear();
    if (pinned) work_.pinned.emplace_back(host_);
    return bench_->backend().runStreams(work_, bench_->stop());
  }

 private:
  StreamScript(Bench& bench, uint64_t bytes, Buffer first, Buffer second, LaunchSpec empty)
      : bench_(&bench),
        host_(bytes),
        first_(std::move(first)),
        second_(std::move(second)),
        empty_(std::move(empty)) {
    work_.streams = {{.name = "stream 1"}, {.name = "stream 2"}};
  }
  size_t add(EnqueuedOperation operation) {
    work_.operations.push_back(std::move(operation));
    return work_.operations.size() - 1;
  }

  Bench* bench_;
  std::vector<std::byte> host_;
  Buffer first_, second_;
  LaunchSpec empty_;
  StreamWork work_;
};

double lasts(const StreamReport& report, size_t operation) {
  return report.operations[operation].end_ns - report.operations[operation].begin_ns;
}

// Values of several quantities, one of each from every repeat.
class Samples {
 public:
  void add(const std::string& name, double value) { values_[name].push_back(value); }
  Expected<void> tell(Results& results, const std::string& name, const std::string& unit,
                      const std::string& figure = {}) {
    return results.add(summary(name, unit, values_[name]), figure);
  }

 private:
  std::map<std::string, std::vector<double>> values_;
};

Expected<void> repeat(Bench& bench, StreamScript& script, StreamWork::Clocks clocks,
                      const std::function<void(const StreamReport&)>& take) {
  // The first one raises clocks, pins memory and loads kernels.
  for (uint32_t i = 0; i <= bench.repeats(); ++i) {
    if (bench.stop().stop_requested()) return fail(ErrorKind::kCancelled, "calibration was cancelled");
    const auto report = script.run(clocks);
    if (!report) return tl::unexpected(report.error());
    if (i > 0) take(*report);
  }
  return {};
}

// Long copies, whose bandwidths are the differences of two sizes, so that what a copy takes besides does not
// count.
struct Sizes {
  uint64_t less, more;
};
Sizes sizesFor(Bench& bench) {
  if (bench.device().kind == DeviceKind::kSimulated) return {kMiB, 4 * kMiB};
  return {16 * kMiB, 64 * kMiB};
}

Expected<void> measurePinned(Bench& bench, Results& results) {
  const auto [less, more] = sizesFor(bench);
  auto script = StreamScript::create(bench, more);
  if (!script) return tl::unexpected(script.error());
  script->copyIn(more);  // all others are enqueued before it ends
  const size_t in_few = script->copyIn(kFewBytes), in_less = script->copyIn(less),
               in_more = script->copyIn(more);
  const size_t out_few = script->copyOut(kFewBytes), out_less = script->copyOut(less),
               out_more = script->copyOut(more);
  const size_t on_less = script->copyOnDevice(less), on_more = script->copyOnDevice(more);
  const size_t fill_less = script->fill(less), fill_more = script->fill(more);
  constexpr const char* kIn = "copy of pinned memory to the device";
  constexpr const char* kOut = "copy to pinned memory of the host";
  constexpr const char* kInLatency = "copy of 4 KiB to the device, less its bytes' time";
  constexpr const char* kOutLatency = "copy of 4 KiB to the host, less its bytes' time";
  constexpr const char* kOn = "copy on the device";
  constexpr const char* kFill = "fill";
  const double difference = static_cast<double>(more - less);
  Samples samples;
  auto done = repeat(bench, *script, StreamWork::Clocks::kBest, [&](const StreamReport& report) {
    const auto rate = [&](size_t short_one, size_t long_one) {
      return difference / std::max(lasts(report, long_one) - lasts(report, short_one), 1.0);
    };
    const double in = rate(in_less, in_more), out = rate(out_less, out_more);
    samples.add(kIn, in);
    samples.add(kOut, out);
    samples.add(kInLatency, std::max(0.0, lasts(report, in_few) - kFewBytes / in));
    samples.add(kOutLatency, std::max(0.0, lasts(report, out_few) - kFewBytes / out));
    samples.add(kOn, rate(on_less, on_more));
    samples.add(kFill, rate(fill_less, fill_more));
  });
  if (done) done = samples.tell(results, kIn, "bytes/ns", "copy_to_device_bytes_per_ns");
  if (done) done = samples.tell(results, kOut, "bytes/ns", "copy_to_host_bytes_per_ns");
  if (done) done = samples.tell(results, kInLatency, "ns", "copy_latency_ns");
  if (done) done = samples.tell(results, kOutLatency, "ns");
  if (done) done = samples.tell(results, kOn, "bytes/ns");
  if (done) done = samples.tell(results, kFill, "bytes/ns");
  return done;
}

// One figure serves both directions: the bandwidth of going there and back.
Expected<void> measurePageable(Bench& bench, Results& results) {
  const auto [less, more] = sizesFor(bench);
  auto script = StreamScript::create(bench, more);
  if (!script) return tl::unexpected(script.error());
  constexpr auto kPageable = HostMemory::kPageable;
  const size_t in_less = script->copyIn(less, kPageable), in_more = script->copyIn(more, kPageable);
  const size_t out_less = script->copyOut(less, kPageable), out_more = script->copyOut(more, kPageable);
  constexpr const char* kBoth = "copies of pageable memory, there and back";
  constexpr const char* kIn = "copy of pageable memory to the device";
  constexpr const char* kOut = "copy to pageable memory of the host";
  const double difference = static_cast<double>(more - less);
  Samples samples;
  auto done = repeat(bench, *script, StreamWork::Clocks::kBest, [&](const StreamReport& report) {
    const double in = std::max(lasts(report, in_more) - lasts(report, in_less), 1.0);
    const double out = std::max(lasts(report, out_more) - lasts(report, out_less), 1.0);
    samples.add(kBoth, 2 * difference / (in + out));
    samples.add(kIn, difference / in);
    samples.add(kOut, difference / out);
  });
  if (done) done = samples.tell(results, kBoth, "bytes/ns", "copy_pageable_bytes_per_ns");
  if (done) done = samples.tell(results, kIn, "bytes/ns");
  if (done) done = samples.tell(results, kOut, "bytes/ns");
  return done;
}

// The host's calls, without CUPTI, which is in the way of each.
Expected<void> measureCalls(Bench& bench, Results& results) {
  constexpr uint32_t kRounds = 8;
  auto script = StreamScript::create(bench, kFewBytes);
  if (!script) return tl::unexpected(script.error());
  std::map<std::string, std::vector<size_t>> of_kind;
  for (uint32_t i = 0; i < kRounds; ++i) {
    of_kind["the call of a copy to the device"].push_back(script->copyIn(kFewBytes));
    of_kind["the call of a launch"].push_back(script->launch());
    of_kind["the call of a copy to the host"].push_back(script->copyOut(kFewBytes));
    of_kind["the call of a copy on the device"].push_back(script->copyOnDevice(kFewBytes));
    of_kind["the call of a fill"].push_back(script->fill(kFewBytes));
    of_kind["the call that records an event"].push_back(script->event(OperationKind::kEvent, 0));
    of_kind["the call that waits for an event"].push_back(script->event(OperationKind::kWait, 1));
    of_kind["the call of a host function"].push_back(script->call());
  }
  constexpr const char* kUsual = "the call of a copy or launch, mean";
  Samples samples;
  auto done = repeat(bench, *script, StreamWork::Clocks::kEvents, [&](const StreamReport& report) {
    double usual = 0;
    for (const auto& [name, operations] : of_kind) {
      std::vector<double> calls;
      for (const size_t i : operations)
        calls.push_back(report.operations[i].enqueued_ns - report.operations[i].enqueue_ns);
      const double median = summary({}, {}, std::move(calls)).median;
      samples.add(name, median);
      const bool is_usual =
          name.ends_with("to the device") || name.ends_with("a launch") || name.ends_with("to the host");
      usual += is_usual ? median / 3 : 0;
    }
    samples.add(kUsual, usual);
  });
  if (done) done = samples.tell(results, kUsual, "ns", "enqueue_ns");
  for (const auto& [name, operations] : of_kind) {
    if (done) done = samples.tell(results, name, "ns");
  }
  return done;
}

// From the end of one operation to the begin of the next. A long copy goes first, so that all are enqueued by
// then.
Expected<void> measureGaps(Bench& bench, Results& results) {
  const uint64_t long_bytes = sizesFor(bench).more;
  auto script = StreamScript::create(bench, long_bytes);
  if (!script) return tl::unexpected(script.error());
  script->copyIn(long_bytes);
  const size_t in = script->copyIn(kFewBytes), first = script->launch(), second = script->launch(),
               out = script->copyOut(kFewBytes);
  script->event(OperationKind::kEvent, 0);
  script->event(OperationKind::kWait, 1);
  const size_t other = script->launch(1);
  const size_t before = script->launch();
  script->call();
  const size_t behind = script->launch();
  constexpr const char* kMean = "from the end of an operation to the next one's begin, mean";
  constexpr const char* kFunction = "host function that does nothing";
  const std::map<std::string, std::pair<size_t, size_t>> gaps{
      {"from a copy's end to a launch's begin", {in, first}},
      {"from a launch's end to a launch's begin", {first, second}},
      {"from a launch's end to a copy's begin", {second, out}},
      {"from a copy's end to a launch's begin, by an event", {out, other}}};
  Samples samples;
  auto done = repeat(bench, *script, StreamWork::Clocks::kBest, [&](const StreamReport& report) {
    const auto gap = [&](size_t from, size_t to) {
      return report.operations[to].begin_ns - report.operations[from].end_ns;
    };
    for (const auto& [name, pair] : gaps) samples.add(name, gap(pair.first, pair.second));
    const double mean = (gap(in, first) + gap(first, second) + gap(second, out)) / 3;
    samples.add(kMean, mean);
    // Behind the launch it begins as late as any operation, and so does the launch behind it.
    samples.add(kFunction, std::max(0.0, gap(before, behind) - 2 * mean));
  });
  if (done) done = samples.tell(results, kMean, "ns", "stream_latency_ns");
  for (const auto& [name, pair] : gaps) {
    if (done) done = samples.tell(results, name, "ns");
  }
  if (done) done = samples.tell(results, kFunction, "ns", "host_function_ns");
  return done;
}

}  // namespace

Expected<void> measureStreams(Bench& bench, Results& results) {
  const auto able = bench.backend().runStreams({.streams = {{.name = "stream 1"}}}, bench.stop());
  if (!able) {
    if (able.error().kind != ErrorKind::kBadRequest) return tl::unexpected(able.error());
    results.note("copies and streams keep the values of the nearest profile: " + able.error().message);
    return {};
  }
  if (able->timing.clock == StreamClock::kEvents)
    results.note("copies and streams were timed by events, not by CUPTI: " + able->timing.problem);
  return measurePinned(bench, results)
      .and_then([&] { return measurePageable(bench, results); })
      .and_then([&] { return measureCalls(bench, results); })
      .and_then([&] { return measureGaps(bench, results); });
}

}  // namespace warpscope::calibration
