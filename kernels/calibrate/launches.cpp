// The SM's clock, and the cost of launches and blocks.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

constexpr uint32_t kOne = 0x3F800000;  // 1.0f

// Runs until an idle GPU has raised its clocks.
Expected<void> warmUp(Bench& bench) {
  if (bench.device().kind == DeviceKind::kSimulated) return {};
  constexpr auto kTime = std::chrono::milliseconds(400);
  constexpr int kMostLaunches = 2000;
  const auto begin = std::chrono::steady_clock::now();
  const Shape shape{.blocks = bench.smCount(), .threads = 512};
  for (int i = 0; i < kMostLaunches && std::chrono::steady_clock::now() - begin < kTime; ++i) {
    const auto done = bench.stamps("clock_rate", shape, arguments(4096U, kOne), 1);
    if (!done) return tl::unexpected(done.error());
  }
  return {};
}

Expected<double> clockMhz(Bench& bench) {
  // Long compared with the steps of %globaltimer (up to 1 us on GeForce), short for a simulation.
  const uint32_t rounds = bench.device().kind == DeviceKind::kSimulated ? 2048 : 32768;
  const auto words = bench.stamps("clock_rate", {}, arguments(rounds, kOne), 4);
  if (!words) return tl::unexpected(words.error());
  const std::vector<uint64_t>& w = *words;
  if (w[3] <= w[2]) return fail(ErrorKind::kWorkFailed, "calibration: %globaltimer does not advance");
  return static_cast<double>(w[1] - w[0]) / static_cast<double>(w[3] - w[2]) * 1000;
}

Expected<Measurement> timeEmpty(Bench& bench, const std::string& name, uint32_t blocks) {
  const auto spec = bench.spec("empty", {.blocks = blocks}, {});
  if (!spec) return tl::unexpected(spec.error());
  auto times_us = bench.backend().time(*spec, 3, std::max(bench.repeats(), 5U));
  if (!times_us) return tl::unexpected(times_us.error());
  for (double& time : *times_us) time *= 1000;
  return summary(name, "ns", std::move(*times_us));
}

// The median gap between the end of a block and the begin of its successor, where an SM has room for one
// block.
Expected<double> turnaround(Bench& bench) {
  constexpr uint32_t kBlocksPerSm = 8, kRounds = 500;
  const DeviceLimits& limits = bench.device().limits;
  const Shape shape{
      .blocks = bench.smCount() * kBlocksPerSm,
      .threads = 32,
      .dynamic_shared_bytes = std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_opt_in)};
  const auto words = bench.stamps("block_stamps", shape, arguments(kRounds, kOne), size_t{3} * shape.blocks);
  if (!words) return tl::unexpected(words.error());
  std::map<uint64_t, std::vector<std::pair<uint64_t, uint64_t>>> by_sm;
  for (size_t i = 0; i < words->size(); i += 3)
    by_sm[(*words)[i]].emplace_back((*words)[i + 1], (*words)[i + 2]);
  std::vector<double> gaps;
  for (auto& [sm, blocks] : by_sm) {
    std::ranges::sort(blocks);
    for (size_t i = 1; i < blocks.size(); ++i) {
      if (blocks[i].first > blocks[i - 1].second) {
        gaps.push_back(static_cast<double>(blocks[i].first - blocks[i - 1].second));
      }
    }
  }
  if (gaps.empty()) return fail(ErrorKind::kWorkFailed, "calibration: no block followed another on any SM");
  return summary("", "", std::move(gaps)).median;
}

}  // namespace

Expected<void> measureClock(Bench& bench, Results& results) {
  if (auto done = warmUp(bench); !done) return done;
  return results.add(measure(bench, "SM clock", "MHz", [&] { return clockMhz(bench); }), "sm_clock_mhz");
}

Expected<void> measureLaunches(Bench& bench, Results& results) {
  auto done =
      results.add(timeEmpty(bench, "launch of an empty kernel, between events", 1), "launch_overhead_ns");
  if (!done) return done;
  const uint32_t few = bench.smCount() * 64;
  const uint32_t many = bench.smCount() * 256;
  auto short_launch = timeEmpty(bench, fmt::format("launch of {} empty blocks", few), few);
  auto long_launch = timeEmpty(bench, fmt::format("launch of {} empty blocks", many), many);
  if (short_launch && long_launch) {
    const double cycles =
        (long_launch->median - short_launch->median) / (many - few) * results.figure("sm_clock_mhz") / 1000;
    done = results.add(Measurement{"empty blocks: interval", "cycles a block, all SMs", cycles, cycles,
                                   cycles, long_launch->repeats},
                       "block_launch_interval_cycles");
  }
  if (done) done = results.add(std::move(short_launch));
  if (done) done = results.add(std::move(long_launch));
  if (!done) return done;
  return results.add(measure(bench, "from a block's end to its successor's begin", "cycles",
                             [&] { return turnaround(bench); }),
                     "block_launch_cycles");
}

}  // namespace warpscope::calibration
