// Launches that begin before the one that they depend on has ended: what it takes from the trigger to their
// begin, and from that one's end until they go on. By the same times of operations as in streams.cpp. On a
// real GPU, the end of a launch may be recorded later than its last instruction, and the first figure is then
// too small by that.
#include <algorithm>

#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

struct Pair {
  double begins_ns = 0;  // from the end of the first launch to the second one's begin
  double ends_ns = 0;    // from there to the second one's end
};

// `early`: the first launch triggers with its first instruction, not with its last. `waits`: the second one
// waits for it. The first takes so long that the second is enqueued by then.
Expected<Pair> launchPair(Bench& bench, bool early, bool waits) {
  constexpr uint32_t kRounds = 60'000;
  const Shape shape{.cluster = 1};
  auto first = bench.spec("dependent", shape, arguments(kRounds, uint32_t{early ? 1U : 0U}, uint32_t{0}));
  if (!first) return tl::unexpected(first.error());
  auto second =
      bench.spec("dependent", shape, arguments(uint32_t{0}, uint32_t{1}, uint32_t{waits ? 1U : 0U}));
  if (!second) return tl::unexpected(second.error());
  first->cluster.reset();
  second->cluster.reset();
  second->programmatic = true;
  StreamWork work;
  work.streams = {{.name = "stream 1"}};
  work.operations = {{.launch = *first}, {.launch = *second}};
  const auto report = bench.backend().runStreams(work, bench.stop());
  if (!report) return tl::unexpected(report.error());
  const OperationTimes &before = report->operations[0], &behind = report->operations[1];
  return Pair{behind.begin_ns - before.end_ns, behind.end_ns - before.end_ns};
}

}  // namespace

Expected<void> measureDependents(Bench& bench, Results& results) {
  if (bench.device().limits.compute_capability.major < 9) {
    results.note(
        "dependent launches keep the values of the nearest profile: they need compute capability 9.0");
    return {};
  }
  // The first pair raises clocks and loads kernels.
  if (const auto able = launchPair(bench, false, false); !able) {
    if (able.error().kind != ErrorKind::kBadRequest) return tl::unexpected(able.error());
    results.note("dependent launches keep the values of the nearest profile: " + able.error().message);
    return {};
  }
  return results
      .add(measure(bench, "from a launch's trigger, its last instruction, to its dependent's begin", "ns",
                   [&] {
                     return launchPair(bench, false, false).map([](const Pair& pair) {
                       return std::max(pair.begins_ns, 0.0);
                     });
                   }),
           "dependent_launch_ns")
      .and_then([&] {
        return results.add(
            measure(bench, "from a launch's end to that of a dependent that waits for it", "ns",
                    [&] {
                      return launchPair(bench, true, true).map([](const Pair& pair) {
                        return std::max(pair.ends_ns, 0.0);
                      });
                    }),
            "dependent_wait_ns");
      });
}

}  // namespace warpscope::calibration
