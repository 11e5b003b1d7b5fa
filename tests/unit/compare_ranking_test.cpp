// Ranking: which run is faster, what is noise, and which runs cannot be ranked together.
#include <gtest/gtest.h>

#include "kernels/compare/variant_pairs.h"
#include "tests/support/compared_runs.h"

namespace warpscope {
namespace {

using testing::modelledRun;
using testing::timedRun;

Cost cost(double median, double least, double most, uint32_t repeats = 20, bool modelled = false) {
  return {median, least, most, repeats, modelled};
}

TEST(Noise, RangesThatMeetAreWithinIt) {
  EXPECT_EQ(compareCosts(cost(10, 9, 11), cost(12, 10.9, 13)), Verdict::kWithinNoise);
  EXPECT_EQ(compareCosts(cost(10, 9, 11), cost(12, 11, 13)), Verdict::kWithinNoise) << "they touch";
  EXPECT_EQ(compareCosts(cost(10, 9, 11), cost(10, 9.9, 10.1)), Verdict::kWithinNoise) << "one in the other";
  EXPECT_EQ(compareCosts(cost(10, 9, 11), cost(12, 11.1, 13)), Verdict::kFaster);
  EXPECT_EQ(compareCosts(cost(12, 11.1, 13), cost(10, 9, 11)), Verdict::kSlower);
}

TEST(Noise, FewRepeatsApartMayBeChance) {
  const auto verdict = [](uint32_t n, uint32_t m) {
    return compareCosts(cost(1, 1, 1, n), cost(2, 2, 2, m));
  };
  EXPECT_EQ(verdict(1, 1), Verdict::kTooFewRepeats) << "2 / (2 choose 1) = 1";
  EXPECT_EQ(verdict(4, 4), Verdict::kTooFewRepeats) << "2 / (8 choose 4) = 2.9 %";
  EXPECT_EQ(verdict(5, 5), Verdict::kFaster) << "2 / (10 choose 5) = 0.8 %";
  EXPECT_EQ(verdict(1, 198), Verdict::kTooFewRepeats) << "2 / 199 = 1.005 %";
  EXPECT_EQ(verdict(1, 200), Verdict::kFaster) << "2 / 201 = 0.995 %";
  EXPECT_EQ(verdict(100000, 100000), Verdict::kFaster);
}

TEST(Noise, ModelledCostsHaveNone) {
  EXPECT_EQ(compareCosts(cost(1, 1, 1, 1, true), cost(1.001, 1.001, 1.001, 1, true)), Verdict::kFaster);
  EXPECT_EQ(compareCosts(cost(1, 1, 1, 1, true), cost(1, 1, 1, 1, true)), Verdict::kWithinNoise);
}

TEST(Ranking, GoesByMedianAndCallsTiesTies) {
  const ComparedRuns runs{timedRun("even_odd", 20, 19.5, 21), timedRun("warp_aligned", 10, 9.8, 10.4),
                          timedRun("warp_shift", 10.2, 9.9, 10.3), timedRun("nested", 40, 39, 44)};
  const Ranking ranking = rankRuns(runs, 0);
  EXPECT_EQ(ranking.by, RankBy::kTime);
  EXPECT_EQ(ranking.order, (std::vector<size_t>{1, 2, 0, 3}));
  EXPECT_EQ(ranking.runs[1].place, 1U);
  EXPECT_EQ(ranking.runs[2].place, 1U);
  EXPECT_EQ(ranking.runs[0].place, 3U);
  EXPECT_EQ(ranking.runs[3].place, 4U);
  EXPECT_EQ(ranking.runs[1].ties, std::vector<size_t>{2});
  EXPECT_TRUE(ranking.runs[0].ties.empty());
}

TEST(Ranking, SpeedUpHasTheRangeThatTheExtremesAllow) {
  const Ranking ranking =
      rankRuns({timedRun("even_odd", 20, 19, 22), timedRun("warp_aligned", 10, 9.5, 11)}, 0);
  EXPECT_FALSE(ranking.runs[0].speed_up.has_value()) << "the baseline itself";
  const SpeedUp& speed_up = ranking.runs[1].speed_up.value();
  EXPECT_DOUBLE_EQ(speed_up.ratio, 2);
  EXPECT_DOUBLE_EQ(speed_up.low, 19.0 / 11);
  EXPECT_DOUBLE_EQ(speed_up.high, 22 / 9.5);
  EXPECT_EQ(ranking.runs[1].against_baseline, Verdict::kFaster);
}

TEST(Ranking, DifferentSizesGoByBandwidth) {
  const auto large = timedRun("even_odd", 40, 39, 41, 20, [](auto& run) {
    run.request.parameters["size"] *= 4;
    run.bandwidth.bytes *= 4;
  });
  const Ranking ranking = rankRuns({timedRun("even_odd", 20, 19, 21), large}, 0);
  EXPECT_EQ(ranking.by, RankBy::kBandwidth);
  EXPECT_EQ(ranking.order, (std::vector<size_t>{1, 0}));
  EXPECT_DOUBLE_EQ(ranking.runs[1].speed_up.value().ratio, 2) << "twice the time, four times the bytes";

  const auto a_little_more = timedRun("warp_aligned", 21, 20.9, 21.1, 20, [](auto& run) {
    run.bandwidth.bytes += run.bandwidth.bytes / 20;  // one sum per block
  });
  EXPECT_EQ(rankRuns({timedRun("even_odd", 20, 19, 21), a_little_more}, 0).by, RankBy::kTime);

  const auto unknown = timedRun("even_odd", 40, 39, 41, 20, [](auto& run) { run.bandwidth.bytes = 0; });
  const Ranking without = rankRuns({timedRun("even_odd", 20, 19, 21), unknown}, 0);
  EXPECT_FALSE(without.runs[1].place.has_value());
  EXPECT_FALSE(without.runs[1].speed_up.has_value());
  EXPECT_NE(without.runs[1].unranked.find("bytes"), std::string::npos);
}

TEST(Ranking, MeasuredAndModelledAreNoRace) {
  const Ranking ranking = rankRuns({timedRun("even_odd", 20, 19, 21), modelledRun("even_odd", 5),
                                    modelledRun("warp_aligned", 3), timedRun("warp_aligned", 10, 9, 11)},
                                   0);
  EXPECT_EQ(ranking.order, (std::vector<size_t>{3, 0, 2, 1}));
  EXPECT_EQ(ranking.runs[3].place, 1U);
  EXPECT_EQ(ranking.runs[2].place, 1U);
  EXPECT_FALSE(ranking.runs[1].speed_up.has_value());
  EXPECT_NE(ranking.runs[1].no_speed_up.find("modelled"), std::string::npos);
  EXPECT_TRUE(ranking.runs[3].speed_up.has_value());
}

TEST(Ranking, WrongAndUntimedRunsHaveNoPlace) {
  const auto wrong =
      timedRun("warp_aligned", 1, 1, 1, 20, [](auto& run) { run.verification.passed = false; });
  const auto untimed = timedRun("nested", 1, 1, 1, 20, [](auto& run) { run.timing = {}; });
  const Ranking ranking = rankRuns({timedRun("even_odd", 20, 19, 21), wrong, untimed}, 0);
  EXPECT_EQ(ranking.order.front(), 0U);
  EXPECT_EQ(ranking.runs[0].place, 1U) << "a wrong result beats nobody";
  EXPECT_EQ(ranking.runs[1].unranked, "its result is wrong");
  EXPECT_EQ(ranking.runs[2].unranked, "it was not timed");
  EXPECT_FALSE(ranking.runs[2].speed_up.has_value());
}

std::vector<std::vector<size_t>> sameWork(const ComparedRuns& runs) {
  std::vector<const warpscope::Run*> pointers;
  for (const auto& run : runs) pointers.push_back(run.get());
  return runsOfSameWork(pointers);
}

using Lists = std::vector<std::vector<size_t>>;

TEST(SameWork, IsOfOneProvenanceAndAmountOfData) {
  ComparedRuns runs{timedRun("a", 1, 1, 1), timedRun("b", 2, 2, 2), timedRun("c", 3, 3, 3)};
  EXPECT_EQ(sameWork(runs), (Lists{{0, 1, 2}}));
  EXPECT_EQ(sameWork({runs[0], modelledRun("b", 2, [](auto&) {})}), Lists{});
  EXPECT_EQ(sameWork({runs[0], testing::changed(*runs[1], [](auto& run) { run.bandwidth.bytes *= 2; })}),
            Lists{});
}

TEST(SameWork, LeavesOutWhatIsNotTimedOrWrong) {
  const auto a = timedRun("a", 1, 1, 1), b = timedRun("b", 2, 2, 2);
  EXPECT_EQ(sameWork({a, testing::changed(*b, [](auto& run) { run.timing = {}; })}), Lists{});
  EXPECT_EQ(sameWork({a, testing::changed(*b, [](auto& run) { run.verification.passed = false; })}), Lists{});
}

// A block's shape is no other work; a parameter that all of them have is; one that only some have is their
// way of doing it.
TEST(SameWork, DependsOnWhatParametersMean) {
  const auto with = [](const char* variant, const char* parameter, int64_t value) {
    return testing::changed(*timedRun(variant, 1, 1, 1),
                            [&](auto& run) { run.request.parameters[parameter] = value; });
  };
  EXPECT_EQ(sameWork({with("a", "block", 64), with("b", "block", 512)}), (Lists{{0, 1}}));
  EXPECT_EQ(sameWork({with("a", "stride", 8), timedRun("b", 1, 1, 1)}), (Lists{{0, 1}}));
  EXPECT_EQ(sameWork({with("a", "work", 64), with("b", "work", 1), with("c", "work", 1)}), (Lists{{1, 2}}));
  EXPECT_EQ(sameWork({with("a", "size", 64), with("b", "size", 128)}), Lists{});
}

TEST(VariantPairs, CountWhereTheReferenceClearlyDiffers) {
  const std::vector<VariantTime> reference{{"slow", 60}, {"close", 31}, {"fast", 30}, {"elsewhere", 1}};
  const std::vector<VariantTime> judged{{"fast", 4.0}, {"slow", 4.16}, {"close", 5}};
  const auto pairs = variantPairs(reference, judged);
  // 31 against 30 is less than a tenth; "elsewhere" was not timed on both.
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].slower + " " + pairs[0].faster, "slow close");
  EXPECT_DOUBLE_EQ(pairs[0].ratio, 4.16 / 5);
  EXPECT_FALSE(pairs[0].isShown()) << "the order is the opposite one";
  EXPECT_EQ(pairs[1].slower + " " + pairs[1].faster, "slow fast");
  EXPECT_DOUBLE_EQ(pairs[1].reference_ratio, 2);
  EXPECT_DOUBLE_EQ(pairs[1].ratio, 1.04);
  EXPECT_FALSE(pairs[1].isShown()) << "the same order, but less than 5 % apart";
}

TEST(VariantPairs, OfVariantsInAnyOrderHaveTheSlowerOneFirst) {
  const std::vector<VariantTime> reference{{"a", 10}, {"b", 20}}, judged{{"a", 3}, {"b", 4}};
  const auto pairs = variantPairs(reference, judged);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].slower, "b");
  EXPECT_TRUE(pairs[0].isShown());
}

}  // namespace
}  // namespace warpscope
