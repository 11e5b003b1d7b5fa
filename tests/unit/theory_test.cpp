// The families' predictions, checked against figures that do not come from this program: worked out by hand,
// as the CUDA C++ Programming Guide and Best Practices Guide explain them, counted by Nsight Compute on an
// H100 (tests/golden/ncu_h100.csv), or recorded there (assets/recordings). tests/device/predictions_test.cpp
// holds every variant's runs to the predictions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/prediction.h"
#include "kernels/recording/recording.h"

namespace warpscope {
namespace {

DeviceLimits limitsOfH100() {
  DeviceLimits limits;
  limits.sm_count = 132;
  limits.max_threads_per_sm = 2048;
  limits.max_threads_per_block = 1024;
  limits.max_blocks_per_sm = 32;
  limits.registers_per_sm = 65536;
  return limits;
}

// The first prediction in that unit; NaN: there is none.
double predicted(const std::string& family, const std::string& variant, const std::string& unit,
                 ParameterValues parameters) {
  parameters.try_emplace("size", 1 << 14);
  const RunRequest request{.family = family, .variant = variant, .parameters = std::move(parameters)};
  for (const PredictionResult& result : predictionsWithoutRun(request, limitsOfH100())) {
    if (result.unit == unit) return result.predicted;
  }
  ADD_FAILURE() << family << " " << variant << " predicts nothing in " << unit;
  return 0;
}

TEST(TheoryByHand, LanesAndPathsOfADivergentWarp) {
  EXPECT_DOUBLE_EQ(predicted("divergence", "even_odd", "lanes", {}), 16);
  EXPECT_DOUBLE_EQ(predicted("divergence", "even_odd", "paths", {}), 2);
  EXPECT_DOUBLE_EQ(predicted("divergence", "split_ifs", "paths", {}), 2);
  EXPECT_DOUBLE_EQ(predicted("divergence", "warp_aligned", "lanes", {}), 32);
  EXPECT_DOUBLE_EQ(predicted("divergence", "branchless", "lanes", {}), 32);
  EXPECT_DOUBLE_EQ(predicted("divergence", "nested", "paths", {{"ways", 8}}), 8);
  EXPECT_DOUBLE_EQ(predicted("divergence", "nested", "paths", {{"ways", 32}}), 32);
  EXPECT_DOUBLE_EQ(predicted("divergence", "loop_trips", "paths", {{"trips", 7}}), 7);
  // One warp of the block's four runs both paths, the other three one each: 5 / 4.
  EXPECT_DOUBLE_EQ(predicted("divergence", "thread_gt_2", "paths", {{"block", 128}}), 1.25);
}

// 32 banks of 4 bytes: lanes whose words lie in one bank go one after the other.
TEST(TheoryByHand, WavefrontsOfStridedSharedMemory) {
  const std::vector<std::pair<int64_t, double>> of_stride{{1, 1},  {2, 2},  {3, 1},  {4, 4},  {5, 1},
                                                          {6, 2},  {7, 1},  {8, 8},  {12, 4}, {16, 16},
                                                          {24, 8}, {31, 1}, {32, 32}};
  for (const auto& [stride, wavefronts] : of_stride) {
    EXPECT_DOUBLE_EQ(predicted("banks", "stride", "wavefronts", {{"stride", stride}}), wavefronts) << stride;
  }
  // 8 bytes a lane: half a warp fills the banks. 16 bytes: a quarter.
  EXPECT_DOUBLE_EQ(predicted("banks", "stride_vec2", "wavefronts", {{"stride", 1}}), 2);
  EXPECT_DOUBLE_EQ(predicted("banks", "stride_vec2", "wavefronts", {{"stride", 2}}), 4);
  EXPECT_DOUBLE_EQ(predicted("banks", "stride_vec4", "wavefronts", {{"stride", 1}}), 4);
  EXPECT_DOUBLE_EQ(predicted("banks", "stride_vec4", "wavefronts", {{"stride", 8}}), 32);
  EXPECT_DOUBLE_EQ(predicted("banks", "broadcast", "wavefronts", {}), 1);
  // The fullest of 32 banks that 32 lanes choose at random: 3.53 in 400,000 drawings.
  EXPECT_NEAR(predicted("banks", "random", "wavefronts", {}), 3.53, 0.01);
}

// Sectors are 32 bytes; a warp that reads 4 bytes a lane in a row needs 128 bytes.
TEST(TheoryByHand, SectorsOfGlobalLoads) {
  EXPECT_DOUBLE_EQ(predicted("coalescing", "aligned", "sectors", {}), 4);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "permuted", "sectors", {}), 4);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "offset", "sectors", {{"offset", 1}}), 5);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "offset", "sectors", {{"offset", 8}}), 4);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "stride", "sectors", {{"stride", 2}}), 8);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "stride", "sectors", {{"stride", 4}}), 16);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "stride", "sectors", {{"stride", 8}}), 32);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "stride", "sectors", {{"stride", 32}}), 32);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "aos", "sectors", {}), 16);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "soa", "sectors", {}), 4);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "vec2", "sectors", {}), 8);
  EXPECT_DOUBLE_EQ(predicted("coalescing", "vec4", "sectors", {}), 16);
}

TEST(TheoryByHand, WavefrontsOfATransposedTile) {
  const ParameterValues square{{"size", 1 << 20}, {"rows", 1 << 10}};
  // A column of a tile of 32 words a row lies in one bank; a pad of one word, or an exclusive or, spreads it.
  EXPECT_DOUBLE_EQ(predicted("transpose", "shared", "wavefronts", square), 32);
  EXPECT_DOUBLE_EQ(predicted("transpose", "shared_padded", "wavefronts", square), 1);
  EXPECT_DOUBLE_EQ(predicted("transpose", "shared_swizzled", "wavefronts", square), 1);
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

// A run that has nothing but what Nsight Compute counted in the row.
Run countedRun(const std::vector<std::string>& names, const std::vector<std::string>& fields) {
  Run run;
  run.request = {.family = fields[0], .variant = fields[1]};
  run.device.limits = limitsOfH100();
  const FamilyInfo& info = findExperiment(fields[0]).value()->info();
  for (const ParameterSpec& spec : info.parameters) {
    for (const size_t column : {size_t{2}, size_t{3}}) {
      if (spec.name == names[column])
        run.request.parameters[spec.name] = parseParameter(spec, fields[column]).value();
    }
  }
  for (size_t i = 6; i < fields.size(); ++i) {
    if (!fields[i].empty()) run.counters[names[i]] = std::stod(fields[i]);
  }
  return run;
}

TEST(TheoryAgainstNsightCompute, SectorsOfTransposesOnAnH100) {
  std::ifstream file(WARPSCOPE_SOURCE_FOLDER "/tests/golden/ncu_h100.csv");
  ASSERT_TRUE(file.is_open());
  std::vector<std::string> names;
  size_t compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (names.empty()) {
      names = split(line);
      continue;
    }
    const std::vector<std::string> fields = split(line);
    for (const PredictionResult& result : predictionResults(countedRun(names, fields))) {
      if (result.unit != "sectors" || !result.measured) continue;
      ++compared;
      EXPECT_DOUBLE_EQ(result.predicted, *result.measured) << line.substr(0, 40) << ": " << result.label;
    }
  }
  EXPECT_EQ(compared, 30U) << "15 launches of transposes, loads and stores";
}

// The values that the H100's probes recorded for a kernel at its defaults; sizes there are multiples of whole
// warps.
TEST(TheoryAgainstRecordings, LanesAndPathsOnAnH100) {
  const std::vector<std::tuple<std::string, std::string, double>> seen{
      {"even_odd", "lanes", 16}, {"even_odd", "paths", 2},      {"split_ifs", "lanes", 16},
      {"nested", "paths", 4},    {"warp_aligned", "lanes", 32}, {"branchless", "lanes", 32}};
  for (const auto& [variant, unit, expected] : seen) {
    SCOPED_TRACE(fmt::format("{} {}", variant, unit));
    const auto index = RecordingIndex::open(
        std::string(WARPSCOPE_SOURCE_FOLDER "/assets/recordings/divergence_") + variant + ".wsrec");
    ASSERT_TRUE(index.has_value()) << index.error().message;
    const FamilyInfo& info = findExperiment("divergence").value()->info();
    const RunRequest defaults =
        completeRequest(info, {.family = "divergence", .variant = variant}, DeviceKind::kCuda).value();
    bool found = false;
    for (size_t i = 0; i < index->size() && !found; ++i) {
      if (index->summary(i).request.parameters != defaults.parameters) continue;
      const auto run = index->load(i);
      ASSERT_TRUE(run.has_value()) << run.error().message;
      for (const PredictionResult& result : predictionResults(*run)) {
        if (result.unit != unit || found) continue;
        found = true;
        EXPECT_DOUBLE_EQ(result.predicted, expected);
        ASSERT_TRUE(result.measured.has_value());
        EXPECT_DOUBLE_EQ(*result.measured, expected) << "the H100 saw something else";
      }
    }
    EXPECT_TRUE(found) << "no run at the defaults";
  }
}

}  // namespace
}  // namespace warpscope
