// Each variant's runs show what theory predicts for its settings: at the defaults and at both ends of every
// control. What a real GPU does not report is not compared there; a simulated one reports everything.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "kernels/experiments/prediction.h"
#include "tests/device/device_fixture.h"
#include "tests/support/launch_sweep.h"

namespace warpscope::test {
namespace {

// How far off a run may be, relative to what is predicted for it. These are the test's own, so that a theory
// that comes to allow itself more is noticed.
using Tolerance = double (*)(const RunRequest& request, double predicted);

double value(const RunRequest& request, const char* parameter) {
  return static_cast<double>(request.parameters.at(parameter));
}

double warpsOf(const RunRequest& request) {
  return std::ceil(value(request, "size") / kWarpSize);
}

double exact(const RunRequest& /*request*/, double /*predicted*/) {
  return 0;
}

template <int kPercent>
double within(const RunRequest& /*request*/, double /*predicted*/) {
  return kPercent / 100.0;
}

// If the data end within a warp, that one is an exception.
double lastWarp(const RunRequest& request, double /*predicted*/) {
  const double size = value(request, "size");
  return std::fmod(size, kWarpSize) == 0 ? 0 : kWarpSize / size;
}

// Which elements are kept is random: three standard deviations of their number.
double keptElements(const RunRequest& request, double /*predicted*/) {
  if (!request.parameters.contains("keep")) return 0;
  const double keep = value(request, "keep") / 100;
  return keep <= 0 || keep >= 1 ? 0 : 3 * std::sqrt((1 - keep) / (keep * value(request, "size")));
}

double keptLanes(const RunRequest& request, double predicted) {
  return keptElements(request, predicted) + lastWarp(request, predicted);
}

// Empty bins are not added, and a block with few elements leaves many empty.
double filledBins(const RunRequest& request, double /*predicted*/) {
  constexpr double kElementsOfThread = 8, kFew = 8;
  return value(request, "block") * kElementsOfThread / value(request, "bins") >= kFew ? 0.01 : 1;
}

// The same of a cluster's bins, of which the last cluster may have few.
double clusteredBins(const RunRequest& request, double /*predicted*/) {
  constexpr double kElementsOfThread = 8, kFew = 8;
  const double cluster = request.parameters.contains("cluster") ? value(request, "cluster") : 1;
  const double elements = value(request, "block") * kElementsOfThread * cluster;
  const double clusters = std::ceil(value(request, "size") / elements);
  return elements / value(request, "bins") >= kFew ? std::min(1.0, 0.01 + 1 / clusters) : 1;
}

double randomBanks(const RunRequest& request, double predicted) {
  return lastWarp(request, predicted) + 0.05 + 1 / std::sqrt(warpsOf(request));
}

// The last tile may hold fewer values a column.
double lastTile(const RunRequest& request, double /*predicted*/) {
  constexpr double kValuesOfTile = 32 * 32;
  const double size = value(request, "size");
  return std::fmod(size, kValuesOfTile) == 0 ? 0 : 1 / std::ceil(size / kValuesOfTile);
}

// A warp with fewer lanes accesses fewer sectors.
double lastRecords(const RunRequest& request, double /*predicted*/) {
  constexpr double kFieldsOfRecord = 4;
  const bool whole = std::fmod(value(request, "size"), kWarpSize * kFieldsOfRecord) == 0;
  return whole ? 0 : std::min(1.0, kFieldsOfRecord / warpsOf(request));
}

// A warp in which a column of a stride ends accesses more sectors.
double endsOfColumns(const RunRequest& request, double /*predicted*/) {
  return std::min(1.0, (value(request, "stride") + 1) / warpsOf(request));
}

double randomSectors(const RunRequest& request, double predicted) {
  return lastRecords(request, predicted) + 0.02 + 0.2 / std::sqrt(warpsOf(request));
}

double lastBlock(const RunRequest& request, double /*predicted*/) {
  return std::fmod(value(request, "size"), value(request, "block")) == 0 ? 0 : 1;
}

double randomWork(const RunRequest& request, double predicted) {
  return lastWarp(request, predicted) + 4 / std::sqrt(warpsOf(request));
}

double workOfData(const RunRequest& request, double predicted) {
  switch (request.parameters.at("data")) {
    case 0:  // random
      return 0.1 + randomWork(request, predicted);
    case 1:  // sorted: one warp holds the end of those with work
      return 0.02 + randomWork(request, predicted);
    default:
      return lastWarp(request, predicted);
  }
}

// A warp that the queue begins is half full on average.
double queuedWork(const RunRequest& request, double predicted) {
  return 0.5 + randomWork(request, predicted);
}

// Ends of loops, probes, and the uncounted first round of late warps.
double multiplyAdds(const RunRequest& request, double predicted) {
  constexpr double kCyclesOfRound = 80;
  constexpr int64_t kMostInRound = 120;
  const double rounds = value(request, "rounds"), others = kCyclesOfRound * (rounds + 1);
  const int64_t ilp = request.parameters.at("ilp");
  const int64_t each = kMostInRound / ilp;
  const auto in_round = static_cast<double>(each * ilp);
  const double cycles = value(request, "warps_per_sm") * kWarpSize * rounds * in_round / predicted;
  return std::min(0.9, 0.2 + others / (cycles + others) + 1.5 / (rounds + 1));
}

// How far away L2 is depends on the address, and what a load from memory takes on pages; some 600 cycles pass
// before the first load and after the last.
double chasedLoads(const RunRequest& request, double predicted) {
  constexpr std::array kOfLevel{0.15, 0.15, 0.25, 0.4};  // shared memory, L1, L2, device memory
  return kOfLevel.at(static_cast<size_t>(request.parameters.at("level"))) +
         600 / (value(request, "hops") * predicted);
}

// The beginning and the end of a launch take some 400 cycles, in which nothing is loaded.
double loadedBytes(const RunRequest& request, double predicted) {
  const double of_thread = value(request, "loads") * static_cast<double>(4 << request.parameters.at("width"));
  const double of_round = value(request, "warps_per_sm") * kWarpSize * of_thread;
  return 0.3 + 400 / (400 + value(request, "rounds") * of_round / predicted);
}

struct ToleranceLine {
  std::string_view family, variant;  // variant "": all that have no line of their own
  std::string_view label;
  Tolerance tolerance;
};

constexpr ToleranceLine kTolerances[] = {
    {"atomics", "", "Atomic requests that reach L2", keptElements},
    {"atomics", "block_aggregated", "Atomic requests that reach L2", exact},
    {"atomics", "histogram_shared", "Atomic requests that reach L2", filledBins},
    {"atomics", "", "Lanes at an atomic", keptLanes},
    {"atomics", "warp_aggregated", "Lanes at an atomic", exact},
    {"banks", "", "Wavefronts for a read", lastWarp},
    {"banks", "broadcast", "Wavefronts for a read", exact},
    {"banks", "random", "Wavefronts for a read", randomBanks},
    {"barriers", "", "Barriers a warp passes", exact},
    {"barriers", "", "Working, not waiting", within<25>},
    {"boundary", "", "Warps with lanes on both sides", exact},
    {"boundary", "", "Loads by warps with lanes on both sides", exact},
    {"boundary", "", "Their share of all loads", exact},
    {"broken", "", "Hazards that the checks find", exact},
    {"broken", "padded", "Wavefronts for a read", exact},
    {"broken", "missing_pad", "Wavefronts for a read", lastTile},
    {"bulk_copy", "", "Requests of warps for the tiles", exact},
    {"bulk_copy", "", "Shared memory of a block", exact},
    {"bulk_copy", "tensor", "Wavefronts for a read of a tile", exact},
    {"clusters", "", "Atomic requests that reach L2", clusteredBins},
    {"clusters", "", "Shared memory of a block", exact},
    {"coalescing", "", "Sectors a load touches", lastRecords},
    {"coalescing", "stride", "Sectors a load touches", endsOfColumns},
    {"coalescing", "random", "Sectors a load touches", randomSectors},
    {"divergence", "", "Lanes that run a path together", lastWarp},
    {"divergence", "data_dependent", "Lanes that run a path together", workOfData},
    {"divergence", "work_queue", "Lanes that run a path together", queuedWork},
    {"divergence", "", "Paths that a warp runs in turn", lastWarp},
    {"divergence", "thread_gt_2", "Paths that a warp runs in turn", lastBlock},
    {"latency", "", "Multiply-adds a cycle on an SM", multiplyAdds},
    {"latency", "", "Cycles a load", chasedLoads},
    {"latency", "", "Sectors that are loaded", exact},
    {"latency", "", "Bytes a cycle into an SM", loadedBytes},
    {"latency", "", "Tiles that a warp waits for", exact},
    {"latency", "", "Stores into shared memory a warp", exact},
    {"graphs", "", "Calls of the host that launch", exact},
    {"graphs", "", "Launches one after another", exact},
    {"graphs", "conditional", "Launches skipped", exact},
    {"mapping", "", "Warps a block", exact},
    {"several_gpus", "", "Bytes from the host to GPU 0", exact},
    {"several_gpus", "", "Bytes copied from GPU 0 to GPU 1", exact},
    {"several_gpus", "", "Bytes from GPU 1 to the host", exact},
    {"streams", "", "Bytes copied to the device", exact},
    {"streams", "", "Bytes copied to the host", exact},
    {"streams", "", "Busy at once", exact},
    {"priorities", "", "Blocks of the background", exact},
    {"priorities", "", "Launches at once", exact},
    {"priorities", "", "Over when the first request begins", within<25>},
    {"priorities", "one_stream", "Over when the first request begins", exact},
    {"unified_memory", "", "Pages moved to the device", exact},
    {"unified_memory", "", "Pages moved to the host", exact},
    {"unified_memory", "", "Launches that wait for pages", exact},
    {"dependent_launch", "", "Blocks of a launch", exact},
    {"dependent_launch", "", "Launches that begin before the one before them ends", exact},
    {"dependent_launch", "", "Preamble behind the launch before", exact},
    {"dependent_launch", "trigger_early", "Preamble behind the launch before", within<10>},
    {"mapping", "", "Lanes of the last warp that never live", exact},
    {"occupancy", "", "Blocks that fit on an SM", exact},
    {"occupancy", "", "Share of warp slots in use over the launch", within<30>},
    {"reduction", "", "Lanes of a warp that add together", exact},
    {"reduction", "", "Barriers of the block after loading", exact},
    {"reduction", "", "Atomic requests that reach L2", exact},
    {"reduction", "", "Load requests", exact},
    {"transpose", "", "Sectors a load", exact},
    {"transpose", "", "Sectors a store", exact},
    {"transpose", "", "Wavefronts for a read of the tile", exact},
    {"warp_primitives", "", "Steps a warp takes", exact},
    {"warp_primitives", "", "Lanes that take part", exact},
};

const ToleranceLine* toleranceLine(const RunRequest& request, const std::string& label) {
  const ToleranceLine* found = nullptr;
  for (const ToleranceLine& line : kTolerances) {
    if (line.family != request.family || line.label != label) continue;
    if (line.variant == request.variant) return &line;
    if (line.variant.empty()) found = &line;
  }
  return found;
}

class Predictions : public DeviceTest, public testing::WithParamInterface<FamilyVariant> {};
INSTANTIATE_TEST_SUITE_P(Device, Predictions, testing::ValuesIn(allVariants()), testName);

// Records everything possible. The first launches of a kernel on a real GPU are slower (an H100 executes
// multiply-adds at half its rate for some ten microseconds), so it is warmed up there.
Run runWhole(const FamilyVariant& of, ParameterValues parameters) {
  RunRequest request{.family = of.family, .variant = of.variant, .parameters = std::move(parameters)};
  request.sampling.mode = Sampling::Mode::kAll;
  request.warm_ups = isSimulated() ? 0 : 1;
  request.repeats = isSimulated() ? 1 : 20;
  return runOnDevice(request);
}

void expectFulfilled(const Run& run, bool all_known) {
  const FamilyInfo& family = findExperiment(run.request.family).value()->info();
  const RunRequest request = completeRequest(family, run.request).value();
  for (const PredictionResult& result : predictionResults(run)) {
    EXPECT_FALSE(result.label.empty());
    EXPECT_FALSE(result.reason.empty()) << result.label;
    const ToleranceLine* line = toleranceLine(request, result.label);
    if (line == nullptr) {
      ADD_FAILURE() << "kTolerances lacks a line: "
                    << fmt::format(R"({{"{}", "{}", "{}", exact}},)", request.family, request.variant,
                                   result.label);
      continue;
    }
    const double tolerance = line->tolerance(request, result.predicted);
    EXPECT_LE(result.tolerance, tolerance + 1e-9) << result.label << ": theory allows itself more";
    if (!result.measured && (!isSimulated() || !all_known)) continue;
    ASSERT_TRUE(result.measured) << result.label << ": the run does not tell";
    // Sums of exact counts may still differ in the last bit.
    EXPECT_NEAR(*result.measured, result.predicted, std::max(tolerance, 1e-12) * std::abs(result.predicted))
        << result.label << ": predicted within " << 100 * tolerance << " %";
  }
}

// All blocks are recorded, which simulates all SMs: of a large default a part does as well.
ParameterValues fewerElements(const FamilyInfo& family, const std::string& variant) {
  constexpr int64_t kMost = 1 << 18;
  ParameterValues values;
  for (const ParameterSpec* spec : parametersOf(family, variant)) {
    const bool fewer = spec->role == ParameterRole::kElements && spec->name == "size" &&
                       defaultOn(*spec, DeviceKind::kSimulated) > kMost;
    if (fewer) values[spec->name] = kMost;
  }
  return values;
}

TEST_P(Predictions, AreFulfilledAtTheDefaults) {
  const auto& [family, variant] = GetParam();
  const FamilyInfo& info = findExperiment(family).value()->info();
  const auto run = runWhole(GetParam(), isSimulated() ? fewerElements(info, variant) : ParameterValues{});
  ASSERT_FALSE(HasFailure());
  EXPECT_TRUE(run.verification.passed || plantedIn(GetParam())) << run.verification.detail;
  EXPECT_FALSE(predictionResults(run).empty()) << "theory says nothing of it";
  expectFulfilled(run, true);
}

TEST_P(Predictions, AreFulfilledAtTheEndsOfEveryControl) {
  const auto& [family, variant] = GetParam();
  const FamilyInfo& info = findExperiment(family).value()->info();
  for (const ParameterSpec* spec : parametersOf(info, variant)) {
    if (spec->name == "size") continue;
    const int64_t last = spec->kind == ParameterKind::kChoice ? std::ssize(spec->choices) - 1 : spec->max;
    const bool sampled = !spec->samples.empty();
    for (const int64_t value :
         {sampled ? spec->samples.front() : spec->min, sampled ? spec->samples.back() : last}) {
      SCOPED_TRACE(fmt::format("{} {}", spec->name, value));
      ParameterValues values = launchOf(info, variant, 1 << 12);
      values[spec->name] = value;
      const auto run = runWhole(GetParam(), values);
      ASSERT_FALSE(HasFailure());
      expectFulfilled(run, false);
    }
  }
}

}  // namespace
}  // namespace warpscope::test
