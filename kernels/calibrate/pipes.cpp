// Arithmetic pipes, and what delays or synchronises the lanes of a warp: shuffles, votes, branches, barriers.
#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

// As in calibration.cu.
constexpr double kShort = 8, kLong = 32, kShortOfFour = 4, kLongOfFour = 16;
constexpr uint32_t kPipeRounds = 32;
constexpr uint32_t kBusyThreads = 512;  // four warps per sub-partition, four chains each
constexpr uint32_t kBusyWarps = kBusyThreads / 32;
constexpr double kSubPartitions = 4;

// 1.0 and slightly more, which keeps floating-point chains finite.
constexpr uint32_t kA = 0x3F800000, kB = 0x33800000, kC = 0x3F000001, kD = 0x12345678;

// Cycles per step, from the difference between the long and the short body.
Expected<double> difference(Bench& bench, const std::string& kernel, const Shape& shape,
                            const Arguments& rest, double steps) {
  auto shorter = bench.cycles(kernel + "_short", shape, rest);
  if (!shorter) return shorter;
  auto longer = bench.cycles(kernel + "_long", shape, rest);
  if (!longer) return longer;
  return (*longer - *shorter) / (kPipeRounds * steps);
}

Arguments chainArguments() {
  return arguments(kPipeRounds, kA, kB, kC, kD);
}

struct ChainCase {
  const char* kernel;
  const char* name;
  double instructions;  // per step
  const char* pipe;     // the pipe whose figures it determines, or nullptr
};

constexpr ChainCase kChainCases[] = {
    {"fp32_fma", "FP32 multiply-add", 1, "fp32"},
    {"fp32_add", "FP32 add", 1, nullptr},
    {"int_add_xor", "integer add and exclusive or", 2, nullptr},
    {"logic", "three-input logic", 2, "int"},
    {"shift_xor", "funnel shift and exclusive or", 2, nullptr},
    {"int_mad", "integer multiply-add", 1, "int_multiply"},
    {"fp16_fma", "FP16x2 multiply-add", 1, "fp16"},
    {"fp64_fma", "FP64 multiply-add", 1, "fp64"},
    {"special", "ex2.approx", 1, "special"},
    {"convert", "integer to float and back", 2, nullptr},
};

Expected<void> measureChain(Bench& bench, Results& results, const ChainCase& chain) {
  const auto figure = [&](const char* what) {
    return chain.pipe == nullptr ? std::string() : fmt::format("pipe.{}.{}", chain.pipe, what);
  };
  return results
      .add(measure(bench, fmt::format("{}, dependent: latency", chain.name), "cycles",
                   [&]() -> Expected<double> {
                     return difference(bench, fmt::format("latency_{}", chain.kernel), {}, chainArguments(),
                                       (kLong - kShort) * chain.instructions);
                   }),
           figure("latency_cycles"))
      .and_then([&] {
        const double per_partition =
            (kLongOfFour - kShortOfFour) * 4 * chain.instructions * kBusyWarps / kSubPartitions;
        return results.add(measure(bench, fmt::format("{}, independent: interval", chain.name),
                                   "cycles a warp instruction and sub-partition",
                                   [&]() -> Expected<double> {
                                     return difference(bench, fmt::format("interval_{}", chain.kernel),
                                                       {.threads = kBusyThreads}, chainArguments(),
                                                       per_partition);
                                   }),
                           figure("issue_interval_cycles"));
      });
}

Expected<void> measureBranches(Bench& bench, Results& results) {
  const auto branch = [&](const char* kernel, auto flags) {
    return [&bench, kernel, flags]() -> Expected<double> {
      return difference(bench, kernel, {}, arguments(kPipeRounds, flags, kA, kB), 4);
    };
  };
  constexpr uint32_t kTaken = 0x1F, kNotTaken = 0;
  constexpr double kSkipped = 16;  // multiply-adds that follow a branch that is not taken
  auto done = results.add(measure(bench, "uniform branch, taken", "cycles", branch("branch", kTaken)),
                          "branch_latency_cycles");
  if (!done) return done;
  const double body = kSkipped * results.figure("pipe.fp32.latency_cycles");
  const auto not_taken = branch("branch", kNotTaken);
  done = results.add(measure(bench, "uniform branch, not taken", "cycles", [&]() -> Expected<double> {
    return not_taken().map([&](double cycles) { return cycles - body; });
  }));
  if (!done) return done;
  const auto flags = bench.filledWith(std::vector<uint32_t>(32, kTaken));
  if (!flags) return tl::unexpected(flags.error());
  return results.add(
      measure(bench, "branch that could diverge, taken", "cycles", branch("branch_lanes", flags->address())));
}

// Least squares over the number of warps.
struct Line {
  double at_zero = 0, slope = 0;
};
Line fitLine(std::span<const std::pair<double, double>> points) {
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (const auto& [x, y] : points) sum_x += x, sum_y += y, sum_xx += x * x, sum_xy += x * y;
  const auto n = static_cast<double>(points.size());
  const double slope = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
  return {(sum_y - slope * sum_x) / n, slope};
}

Expected<void> measureBarriers(Bench& bench, Results& results) {
  std::vector<std::pair<double, double>> points;
  for (uint32_t warps = 1; warps * 32 <= bench.device().limits.max_threads_per_block; warps *= 2) {
    auto one = measure(bench, fmt::format("barrier of {} warps", warps), "cycles", [&]() -> Expected<double> {
      return difference(bench, "barrier", {.threads = warps * 32}, chainArguments(), kLong - kShort);
    });
    if (one) points.emplace_back(warps, one->median);
    if (auto done = results.add(std::move(one)); !done) return done;
  }
  const Line line = fitLine(points);
  const auto repeats = bench.repeats();
  return results
      .add(Measurement{"barrier: latency before the warps' share", "cycles", line.at_zero, line.at_zero,
                       line.at_zero, repeats},
           "barrier_latency_cycles")
      .and_then([&] {
        return results.add(
            Measurement{"barrier: more for each warp", "cycles", line.slope, line.slope, line.slope, repeats},
            "barrier_warp_cycles");
      });
}

}  // namespace

Expected<void> measurePipes(Bench& bench, Results& results) {
  for (const ChainCase& chain : kChainCases) {
    if (auto done = measureChain(bench, results, chain); !done) return done;
  }
  return results.add(measure(bench, "special register, read and used", "cycles",
                             [&]() -> Expected<double> {
                               auto with = bench.cycles("special_register_with", {}, chainArguments());
                               if (!with) return with;
                               return bench.cycles("special_register_without", {}, chainArguments())
                                   .map([&](double without) { return (*with - without) / kPipeRounds; });
                             }),
                     "special_register_latency_cycles");
}

Expected<void> measureWarps(Bench& bench, Results& results) {
  const double int_latency = results.figure("pipe.int.latency_cycles");
  const double all = (kLongOfFour - kShortOfFour) * 4 * kBusyWarps;
  return results
      .add(measure(bench, "shuffle: latency", "cycles",
                   [&]() -> Expected<double> {
                     return difference(bench, "latency_shuffle", {}, chainArguments(), kLong - kShort);
                   }),
           "shuffle_latency_cycles")
      .and_then([&] {
        return results.add(measure(bench, "shuffle: interval", "cycles a warp instruction and SM",
                                   [&]() -> Expected<double> {
                                     return difference(bench, "interval_shuffle", {.threads = kBusyThreads},
                                                       chainArguments(), all);
                                   }),
                           "shuffle_interval_cycles");
      })
      .and_then([&] {
        return results.add(
            measure(bench, "vote: latency (a compare and a ballot, less an integer's)", "cycles",
                    [&]() -> Expected<double> {
                      return difference(bench, "latency_vote", {}, chainArguments(), kLong - kShort)
                          .map([&](double both) { return both - int_latency; });
                    }),
            "vote_latency_cycles");
      })
      .and_then([&] { return measureBranches(bench, results); })
      .and_then([&] { return measureBarriers(bench, results); });
}

}  // namespace warpscope::calibration
