// The first warps of a run, and how much there is of it.
#include <gtest/gtest.h>

#include "kernels/export/excerpt.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;

TEST(Excerpt, OfAllWarpsIsTheRun) {
  const auto run = makeSyntheticRun();
  const auto all = firstWarpsOf(run, run.trace.warps.size() + 1);
  EXPECT_EQ(all.trace.warps.size(), run.trace.warps.size());
  EXPECT_EQ(all.trace.events.size(), run.trace.events.size());
  EXPECT_EQ(all.trace.duration_cycles, run.trace.duration_cycles);
  EXPECT_EQ(recordsOf(all), recordsOf(run));
  EXPECT_EQ(all.request.variant, run.request.variant);
  EXPECT_EQ(all.timing.median_us, run.timing.median_us);
  EXPECT_EQ(all.regions.size(), run.regions.size());
}

TEST(Excerpt, TakesTheFirstWarpsWithAllThatTheyDid) {
  const auto run = makeSyntheticRun();
  ASSERT_GT(run.trace.warps.size(), 2U);
  const auto few = firstWarpsOf(run, 2);
  ASSERT_EQ(few.trace.warps.size(), 2U);
  EXPECT_LT(recordsOf(few), recordsOf(run));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(few.trace.warps[i].block, run.trace.warps[i].block);
    EXPECT_EQ(few.trace.eventsOf(few.trace.warps[i]).size(), run.trace.eventsOf(run.trace.warps[i]).size());
  }
}

}  // namespace
}  // namespace warpscope
