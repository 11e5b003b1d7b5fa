// The code view's rows: source or PTX, with what was issued at each row.
#include "viz/layout/code_rows.h"

#include <gtest/gtest.h>

#include "tests/support/synthetic_trace.h"
#include "viz/layout/source_lines.h"

namespace warpscope {
namespace {

TEST(CodeRows, OfTheSourceHaveItsLinesAndWhatWasIssuedThere) {
  warpscope::Run run = testing::makeSyntheticRun();
  testing::addInstructions(run);
  const CodeRows code = sourceRows(run);
  const SourceLines source = sourceLines(run);
  ASSERT_EQ(code.rows.size(), source.lines.size());
  EXPECT_TRUE(code.has_issued);
  uint64_t issued = 0;
  for (size_t i = 0; i < code.rows.size(); ++i) {
    EXPECT_EQ(code.rows[i].text, source.lines[i].text);
    EXPECT_EQ(code.rows[i].line, i + 1);
    EXPECT_LE(code.rows[i].issued.stall_cycles, code.most_waited);
    issued += code.rows[i].issued.issued;
  }
  EXPECT_EQ(issued, run.trace.instructions.size());
}

TEST(CodeRows, OfThePtxAreTheListing) {
  warpscope::Run run = testing::makeSyntheticRun();
  testing::addInstructions(run);
  const CodeRows code = ptxRows(run);
  ASSERT_EQ(code.rows.size(), run.listing->size());
  std::vector<size_t> begins(run.regions.size());
  for (size_t i = 0; i < code.rows.size(); ++i) {
    EXPECT_EQ(code.rows[i].text, (*run.listing)[i].text);
    EXPECT_EQ(code.rows[i].line, lineIn(run.source_file, (*run.listing)[i]));
    if (code.rows[i].region_begins) ++begins[*code.rows[i].region];
  }
  for (const size_t count : begins) EXPECT_LE(count, 1U) << "a region's share is shown once";
}

TEST(CodeRows, OfARealGpuHaveWhatWasSampledThere) {
  warpscope::Run run = testing::makeSyntheticRun();
  run.source_file = "kernel.cu";
  run.listing = std::make_shared<const Listing>(
      Listing{{"ld", "kernel.cu", 2, "", 0}, {"add", "kernel.cu", 2, "", 0}, {"ret", "kernel.cu", 3, "", 0}});
  EXPECT_FALSE(sourceRows(run).hasColumns());
  run.wait_samples = {
      .taken = 30,
      .places = {{0, WarpState::kWait, 12}, {1, WarpState::kSelected, 5}, {1, WarpState::kBarrier, 8}}};
  const CodeRows source = sourceRows(run);
  EXPECT_TRUE(source.sampled);
  EXPECT_FALSE(source.has_issued);
  EXPECT_EQ(source.rows.at(1).issued.waits(), 20);
  EXPECT_EQ(source.most_waited, 20);
  EXPECT_TRUE(source.rows.at(2).issued.empty());
  const CodeRows ptx = ptxRows(run);
  EXPECT_EQ(ptx.rows.at(1).issued.waits(), 8);
  EXPECT_EQ(ptx.most_waited, 12);
}

TEST(CodeRows, AnInstructionLeadsToItsLine) {
  warpscope::Run run = testing::makeSyntheticRun();
  run.source_file = "kernel.cu";
  run.listing = std::make_shared<const Listing>(Listing{
      {"add", "kernel.cu", 4, "", 0}, {"mov", "probe.cuh", 9, "kernel.cu", 2}, {"ret", "", 0, "", 0}});
  EXPECT_EQ(sourceRowOf(run, 0), 3U);
  EXPECT_EQ(sourceRowOf(run, 1), 1U) << "where it was called";
  EXPECT_FALSE(sourceRowOf(run, 2));
  EXPECT_FALSE(sourceRowOf(run, 3)) << "it is not listed";
}

TEST(HazardLines, AreThoseOfBothAccessesInTheRunsOwnSource) {
  warpscope::Run run = testing::makeSyntheticRun();
  EXPECT_TRUE(hazardLines(run).empty()) << "nobody looked";
  Hazard race{.kind = HazardKind::kRace, .also_lines = {{7, 9}}};
  race.access = {.source_file = run.source_file, .line = 9};
  race.second = HazardAccess{.source_file = run.source_file, .line = 4};
  const Hazard elsewhere{.access = {.source_file = "another.cuh", .line = 4}};
  const Hazard outside{.access = {.source_file = run.source_file, .line = 4}};
  run.hazards = {race, elsewhere, outside};
  EXPECT_EQ(hazardLines(run), (HazardLines{{4, {0, 2}}, {7, {0}}, {9, {0}}}));
  EXPECT_EQ(lineOf(run, race), 9U) << "the later line of the two";
  EXPECT_EQ(lineOf(run, elsewhere), 0U);
  run.hazards->clear();
  EXPECT_TRUE(hazardLines(run).empty());
}

TEST(CodeRows, AMeasuredRunHasItsSourceOnly) {
  const warpscope::Run run = testing::makeSyntheticRun();
  EXPECT_FALSE(sourceRows(run).has_issued);
  EXPECT_FALSE(sourceRows(run).rows.empty());
  EXPECT_TRUE(ptxRows(run).rows.empty());
  EXPECT_TRUE(sourceRows({}).rows.empty());
}

}  // namespace
}  // namespace warpscope
