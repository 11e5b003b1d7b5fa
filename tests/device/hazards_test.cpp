// The simulated GPU's checks find exactly the hazards that were planted on purpose, and none in the other
// kernels.
#include <algorithm>

#include "tests/device/device_fixture.h"
#include "tests/support/launch_sweep.h"

namespace warpscope::test {
namespace {

class Hazards : public DeviceTest, public testing::WithParamInterface<FamilyVariant> {};
INSTANTIATE_TEST_SUITE_P(Device, Hazards, testing::ValuesIn(allVariants()), testName);

// The line that contains the planted code: in the variant's kernel, or the only one in a function before it
// that kernels share.
uint32_t plantedLine(const Experiment& experiment, const std::string& variant, const std::string& code) {
  const std::string& source = *experiment.source(variant);
  size_t at = source.find(code, source.find(variant + "(Probe"));
  if (at == std::string::npos) {
    at = source.find(code);
    EXPECT_EQ(source.rfind(code), at) << code << " stands in several functions";
  }
  EXPECT_NE(at, std::string::npos) << variant << " has no '" << code << "'";
  return 1 +
         static_cast<uint32_t>(std::count(source.begin(), source.begin() + static_cast<ptrdiff_t>(at), '\n'));
}

bool liesAt(const Hazard& hazard, uint32_t line) {
  return hazard.access.line == line || (hazard.second && hazard.second->line == line);
}

void expectPlanted(const Run& run, const Experiment& experiment, const PlantedHazard& planted) {
  ASSERT_EQ(run.hazards->size(), planted.code.size());
  for (const std::string& code : planted.code) {
    const uint32_t line = plantedLine(experiment, run.request.variant, code);
    EXPECT_EQ(std::ranges::count_if(*run.hazards, [&](const Hazard& hazard) { return liesAt(hazard, line); }),
              1)
        << "line " << line;
  }
  for (const Hazard& hazard : *run.hazards) {
    EXPECT_EQ(hazard.kind, planted.kind);
    EXPECT_EQ(hazard.access.source_file, experiment.sourceFile(run.request.variant));
    EXPECT_EQ(hazard.kernel, run.request.variant);
    EXPECT_FALSE(hazard.message.empty());
  }
}

TEST_P(Hazards, AreThosePlantedAndNoOthers) {
  const Experiment& experiment = *findExperiment(GetParam().family).value();
  for (const int64_t size : {1000, 4096}) {
    const RunRequest request{.family = GetParam().family,
                             .variant = GetParam().variant,
                             .parameters = launchOf(experiment.info(), GetParam().variant, size),
                             .checks = true};
    const auto run = runOnDevice(request);
    ASSERT_TRUE(run.hazards.has_value());
    std::string all;
    for (const Hazard& hazard : *run.hazards) all += formatHazard(hazard);
    SCOPED_TRACE(all);
    if (const auto& planted = plantedIn(GetParam())) {
      expectPlanted(run, experiment, *planted);
    } else {
      EXPECT_TRUE(run.hazards->empty());
    }
  }
}

using Broken = DeviceTest;

Run broken(const char* variant, int64_t size = 4096) {
  return runRecorded("broken", variant, {{"size", size}});
}

TEST_F(Broken, FamilyIsAlwaysCheckedAndOthersOnRequest) {
  EXPECT_TRUE(broken("padded").hazards.has_value());
  EXPECT_FALSE(runRecorded("transpose", "shared", {{"size", 1024}}).hazards.has_value());
}

TEST_F(Broken, RacesAndReadsPastTheEndGiveWrongValuesHere) {
  const auto race = broken("missing_syncthreads");
  EXPECT_FALSE(race.verification.passed);
  EXPECT_GT(race.verification.mismatches, 1000U);
  const auto outside = broken("out_of_bounds", 1000);
  EXPECT_FALSE(outside.verification.passed);
  EXPECT_EQ(outside.verification.mismatches, 1U);
}

TEST_F(Broken, AHazardNamesThreadsAndAddress) {
  const Hazard outside = broken("out_of_bounds", 1000).hazards->at(0);
  EXPECT_EQ(outside.allocation, "'in' (4,000 bytes)");
  EXPECT_EQ(outside.offset, 4000);
  EXPECT_EQ(outside.access.bytes, 4U);
  EXPECT_EQ(outside.access.block.x, 3U);
  EXPECT_EQ(outside.access.thread.x, 1000U - 3 * 256 - 1);
  EXPECT_NE(outside.message.find("4 bytes past the end of 'in' (4,000 bytes)"), std::string::npos)
      << outside.message;

  const Hazard race = broken("missing_syncthreads").hazards->at(0);
  ASSERT_TRUE(race.second.has_value());
  EXPECT_EQ(race.space, "shared");
  EXPECT_EQ(race.access.block, race.second->block);
  EXPECT_NE(race.access.warp, race.second->warp);

  const Hazard lanes = broken("missing_syncwarp").hazards->at(0);
  ASSERT_TRUE(lanes.second.has_value());
  EXPECT_EQ(lanes.access.warp, lanes.second->warp);
  EXPECT_NE(lanes.access.lane, lanes.second->lane);
}

// A race between warps needs two of them; one between lanes, a stray barrier and a stray read do not.
TEST_F(Broken, IsFoundInBlocksOfOneWarpToo) {
  for (const VariantInfo& variant : findExperiment("broken").value()->info().variants) {
    const auto run = runRecorded("broken", variant.name, {{"size", 1000}, {"block", 32}});
    EXPECT_EQ(run.hazards->size(), variant.planted ? variant.planted->code.size() : 0) << variant.name;
  }
}

TEST_F(Broken, AMissingPadIsSlowNotWrong) {
  const char* conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
  const auto slow = broken("missing_pad"), right = broken("padded");
  EXPECT_TRUE(slow.verification.passed);
  EXPECT_EQ(counter(slow, conflicts), 4096 / 32 * 31);
  EXPECT_EQ(counter(right, conflicts), 0);
}

}  // namespace
}  // namespace warpscope::test
