// Atomics: the latency of one, and the cost of contention for one address.
#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

constexpr uint32_t kAtomicRounds = 16;

Expected<double> globalAtomic(Bench& bench, const Shape& shape, const Buffer& counters, const Buffer& places,
                              uint32_t lanes, uint32_t rounds, const char* kernel = "atomic_global") {
  return bench.cycles(kernel, shape, arguments(rounds, counters.address(), places.address(), lanes))
      .map([&](double cycles) { return cycles / (rounds * kAccesses); });
}

Expected<void> measureGlobal(Bench& bench, Results& results, const Buffer& same, const Buffer& apart) {
  const auto counters = bench.filledWith(std::vector<uint32_t>(1024));
  if (!counters) return tl::unexpected(counters.error());
  auto done = results.add(measure(bench, "global atomic of one lane", "cycles",
                                  [&] { return globalAtomic(bench, {}, *counters, same, 1, kAtomicRounds); }),
                          "global_atomic_latency_cycles");
  if (!done) return done;
  done = results.add(measure(bench, "global atomic of 32 lanes, one address", "cycles",
                             [&] { return globalAtomic(bench, {}, *counters, same, 32, kAtomicRounds); }));
  if (!done) return done;
  done = results.add(measure(bench, "global atomic of 32 lanes, 32 words in a line", "cycles",
                             [&] { return globalAtomic(bench, {}, *counters, apart, 32, kAtomicRounds); }));
  if (!done) return done;
  // Warps of all SMs access the same word: the cost of one request when they queue.
  const Shape crowd{.blocks = bench.smCount(), .threads = 512};
  const uint32_t warps_of_block = crowd.threads / 32;
  const double warps = crowd.blocks * warps_of_block;
  const auto contended = [&](uint32_t lanes, const char* kernel) {
    return [&, lanes, kernel] {
      return globalAtomic(bench, crowd, *counters, same, lanes, 4, kernel).map([&](double cycles) {
        return cycles / warps;
      });
    };
  };
  done = results.add(measure(bench, "contended global atomic, one lane a warp: interval", "cycles a request",
                             contended(1, "atomic_global")),
                     "global_atomic_interval_cycles");
  if (!done) return done;
  done = results.add(measure(bench, "contended global atomic, 32 lanes a warp: interval", "cycles a request",
                             contended(32, "atomic_global")));
  if (!done) return done;
  done = results.add(measure(bench, "contended global reduction, one lane a warp: interval",
                             "cycles a request", contended(1, "reduction_global")));
  if (!done) return done;
  return results.add(measure(bench, "contended global reduction, 32 lanes a warp: interval",
                             "cycles a request", contended(32, "reduction_global")));
}

Expected<double> sharedAtomic(Bench& bench, const Buffer& places, uint32_t lanes) {
  return bench.cycles("atomic_shared", {}, arguments(kAtomicRounds, places.address(), lanes))
      .map([](double cycles) { return cycles / (kAtomicRounds * kAccesses); });
}

}  // namespace

Expected<void> measureAtomics(Bench& bench, Results& results) {
  const auto same = bench.filledWith(std::vector<uint32_t>(32));
  if (!same) return tl::unexpected(same.error());
  std::vector<uint32_t> lanes(32);
  for (uint32_t i = 0; i < 32; ++i) lanes[i] = i;
  const auto apart = bench.filledWith(lanes);
  if (!apart) return tl::unexpected(apart.error());
  if (auto done = measureGlobal(bench, results, *same, *apart); !done) return done;

  for (const uint32_t count : {1U, 2U, 4U, 8U, 16U, 32U}) {
    auto done = results.add(measure(bench, fmt::format("shared atomic of {} lanes, one address", count),
                                    "cycles", [&] { return sharedAtomic(bench, *same, count); }),
                            count == 1 ? "shared_atomic_latency_cycles" : "");
    if (!done) return done;
  }
  auto done = results.add(measure(bench, "shared atomic of 32 lanes, 32 words", "cycles",
                                  [&] { return sharedAtomic(bench, *apart, 32); }));
  if (!done) return done;
  return results.add(
      measure(bench, "shared atomic: each further lane at one address", "cycles",
              [&]() -> Expected<double> {
                auto one = sharedAtomic(bench, *same, 1);
                if (!one) return one;
                return sharedAtomic(bench, *same, 32).map([&](double all) { return (all - *one) / 31; });
              }),
      "shared_atomic_interval_cycles");
}

}  // namespace warpscope::calibration
