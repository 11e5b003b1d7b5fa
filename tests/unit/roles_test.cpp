// The roles of parameters and regions for code that serves all families.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

ParameterRole roleIn(const char* family, const char* parameter) {
  return roleOfParameter(family, parameter);
}

TEST(Roles, EveryFamilyDeclaresThem) {
  EXPECT_EQ(roleIn("divergence", "block"), ParameterRole::kBlock);
  EXPECT_EQ(roleIn("divergence", "size"), ParameterRole::kElements);
  EXPECT_EQ(roleIn("divergence", "work"), ParameterRole::kNone);
  EXPECT_EQ(roleIn("transpose", "block"), ParameterRole::kBlock);
  EXPECT_EQ(roleIn("mapping", "block_x"), ParameterRole::kBlockPart);
  EXPECT_EQ(roleIn("mapping", "block_z"), ParameterRole::kBlockPart);
  EXPECT_EQ(roleIn("mapping", "blocks"), ParameterRole::kNone);
  EXPECT_EQ(roleIn("occupancy", "small_block"), ParameterRole::kBlockPart);
  EXPECT_EQ(roleIn("occupancy", "registers"), ParameterRole::kRegisters);
  EXPECT_EQ(roleIn("occupancy", "shared_bytes"), ParameterRole::kSharedBytes);
  EXPECT_EQ(roleIn("reduction", "type"), ParameterRole::kElementType);
  EXPECT_EQ(roleIn("reduction", "blocks_per_sm"), ParameterRole::kNone);
}

// Tests, recordings and `check` move one parameter of a role: a second one would never be moved.
TEST(Roles, NoVariantHasTwoParametersOfOneRole) {
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) {
      std::multiset<ParameterRole> roles;
      for (const ParameterSpec* spec : parametersOf(experiment->info(), variant.name))
        roles.insert(spec->role);
      for (const ParameterRole role : {ParameterRole::kBlock, ParameterRole::kElements,
                                       ParameterRole::kRegisters, ParameterRole::kSharedBytes}) {
        EXPECT_LE(roles.count(role), 1U) << experiment->info().name << " " << variant.name;
      }
    }
  }
}

TEST(Roles, ParametersAreFoundByThem) {
  const FamilyInfo& info = findExperiment("occupancy").value()->info();
  EXPECT_EQ(findParameter(info, "tail", ParameterRole::kBlock)->name, "block");
  EXPECT_EQ(findParameter(info, "small_blocks", ParameterRole::kBlock), nullptr);
  EXPECT_EQ(findParameter(info, "registers", ParameterRole::kRegisters)->name, "registers");
  EXPECT_TRUE(shapesBlock(ParameterRole::kBlock));
  EXPECT_TRUE(shapesBlock(ParameterRole::kBlockPart));
  EXPECT_FALSE(shapesBlock(ParameterRole::kElements));
}

TEST(Roles, ARequestsValueIsFoundByThem) {
  const RunRequest request{
      .family = "reduction", .variant = "shared", .parameters = {{"block", 96}, {"size", 7}}};
  EXPECT_EQ(valueOfRole(request, ParameterRole::kElements), 7);
  EXPECT_EQ(valueOfRole(request, ParameterRole::kBlock), 96);
  EXPECT_EQ(valueOfRole(request, ParameterRole::kRegisters), std::nullopt);
}

// A family whose lanes' panel begins with the tree has steps to show there.
TEST(Roles, TheTreesFamiliesHaveSteps) {
  size_t families = 0;
  for (const Experiment* experiment : allExperiments()) {
    const FamilyInfo& info = experiment->info();
    if (info.view != "tree") continue;
    ++families;
    bool steps = false;
    for (const VariantInfo& variant : info.variants) {
      const auto regions = experiment->regions(variant.name);
      ASSERT_TRUE(regions.has_value());
      steps = steps || std::ranges::any_of(*regions, [&](const Region& region) {
                return roleOfRegion(info.name, region) == RegionRole::kStep;
              });
    }
    EXPECT_TRUE(steps) << info.name;
  }
  EXPECT_GT(families, 0U);
}

TEST(Roles, RegionsOfRecordingsAreKnownByTheirNames) {
  // Their ids may be those of another version.
  EXPECT_EQ(roleOfRegion("reduction", {RegionId{77}, "step"}), RegionRole::kStep);
  EXPECT_EQ(roleOfRegion("reduction", {RegionId{78}, "first warp's step"}), RegionRole::kStep);
  EXPECT_EQ(roleOfRegion("reduction", {RegionId{79}, "add"}), RegionRole::kStepWork);
  EXPECT_EQ(roleOfRegion("reduction", {RegionId{3}, "load"}), RegionRole::kNone);
}

TEST(Roles, AFamilyThatThisProgramLacksHasNone) {
  EXPECT_EQ(roleIn("of another version", "block"), ParameterRole::kNone);
  EXPECT_EQ(roleIn("divergence", "of another version"), ParameterRole::kNone);
  EXPECT_EQ(roleOfRegion("of another version", {RegionId{1}, "step"}), RegionRole::kNone);
  EXPECT_EQ(
      valueOfRole({.family = "of another version", .parameters = {{"size", 7}}}, ParameterRole::kElements),
      std::nullopt);
}

}  // namespace
}  // namespace warpscope
