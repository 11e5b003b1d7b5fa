// Axes of plots and the curves on them, before they become pixels.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "viz/layout/label_room.h"
#include "viz/layout/plot_axis.h"
#include "viz/layout/polyline.h"

namespace warpscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

std::vector<std::string> texts(const AxisTicks& ticks) {
  std::vector<std::string> found;
  for (const AxisTick& tick : ticks.ticks) {
    if (!tick.minor) found.push_back(tick.text);
  }
  return found;
}
using Texts = std::vector<std::string>;

class Scales : public ::testing::TestWithParam<ScaleKind> {};

TEST_P(Scales, MapBackToWhatTheyMapped) {
  const AxisScale scale(GetParam(), 3, 40000);
  EXPECT_EQ(scale.value(0), 3);
  EXPECT_EQ(scale.value(1), 40000);
  double before = -1;
  for (double value = 3; value < 40000; value *= 1.37) {
    const double share = scale.share(value);
    EXPECT_GT(share, before);
    EXPECT_NEAR(scale.value(share), value, value * 1e-9);
    before = share;
  }
  EXPECT_LT(scale.share(2), 0);
  EXPECT_GT(scale.share(50000), 1);
}

TEST_P(Scales, OfAnyRangeHaveALength) {
  constexpr double kHuge = std::numeric_limits<double>::max();
  const std::vector<std::pair<double, double>> ranges{
      {0, 0},      {5, 5},           {-5, -5},         {9, 2},         {-3, 8},
      {kNan, 1},   {0, kInfinity},   {-kHuge, kHuge},  {kHuge, kHuge}, {-kHuge, -kHuge},
      {0, 1e-320}, {1e-320, 1e-320}, {1e17, 1e17 + 16}};
  for (const auto& [min, max] : ranges) {
    const AxisScale scale(GetParam(), min, max);
    EXPECT_LT(scale.min(), scale.max()) << min << " " << max;
    EXPECT_TRUE(std::isfinite(scale.min()) && std::isfinite(scale.max())) << min << " " << max;
    for (const double value : {0.0, -1.0, 1.0, kHuge, -kHuge, kNan, kInfinity, 1e-320})
      EXPECT_LE(std::abs(scale.share(value)), AxisScale::kFar) << min << " " << max << " " << value;
    EXPECT_LT(scale.share(scale.min()), scale.share(scale.max()));
    PlotAxis axis{.min = min, .max = max, .scale = GetParam()};
    for (const TickNumbers numbers :
         {TickNumbers::kPlain, TickNumbers::kSi, TickNumbers::kBytes, TickNumbers::kPowers}) {
      axis.numbers = numbers;
      const AxisTicks ticks = axisTicks(axis, 8);
      double before = -kInfinity;
      for (const AxisTick& tick : ticks.ticks) {
        EXPECT_GT(tick.value, before) << "none twice, " << min << " " << max;
        EXPECT_GE(scale.share(tick.value), -1e-6);
        EXPECT_LE(scale.share(tick.value), 1 + 1e-6);
        EXPECT_LE(tick.text.size(), 24U) << tick.text;
        before = tick.value;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Scales,
                         ::testing::Values(ScaleKind::kLinear, ScaleKind::kLog2, ScaleKind::kLog10));

TEST(AxisScale, OnALogarithmicAxisZeroHasNoPlace) {
  const AxisScale scale(ScaleKind::kLog10, 1, 100);
  EXPECT_FALSE(scale.holds(0));
  EXPECT_FALSE(scale.holds(-5));
  EXPECT_TRUE(scale.holds(0.01));
  EXPECT_EQ(scale.share(0), -AxisScale::kFar);
  EXPECT_DOUBLE_EQ(scale.share(10), 0.5);
  EXPECT_DOUBLE_EQ(AxisScale(ScaleKind::kLog10, 0, 1000).min(), 1) << "three decades";
  EXPECT_DOUBLE_EQ(AxisScale(ScaleKind::kLog2, -1, 1024).min(), 1) << "ten octaves";
  EXPECT_TRUE(AxisScale(ScaleKind::kLinear, 1, 2).holds(0));
  EXPECT_FALSE(AxisScale(ScaleKind::kLinear, 1, 2).holds(kNan));
}

TEST(AxisTicks, OfBlockSizesArePowersOfTwo) {
  const AxisTicks ticks = axisTicks(
      {.min = 32, .max = 1024, .scale = ScaleKind::kLog2, .title = "block size", .unit = "threads"}, 8);
  EXPECT_EQ(texts(ticks), (Texts{"32", "64", "128", "256", "512", "1,024"}));
  EXPECT_EQ(ticks.title, "block size (threads)");
}

TEST(AxisTicks, OfDataSizesSayKiBOrPowers) {
  PlotAxis axis{.min = 1024, .max = 0x1p24, .scale = ScaleKind::kLog2, .title = "data", .unit = "B"};
  axis.numbers = TickNumbers::kBytes;
  const AxisTicks bytes = axisTicks(axis, 4);
  EXPECT_EQ(texts(bytes), (Texts{"1 KiB", "32 KiB", "1 MiB"}));
  EXPECT_EQ(bytes.title, "data") << "each tick names its unit";
  // The powers in between have a tick without text.
  EXPECT_EQ(bytes.ticks.size(), 15U);
  axis.numbers = TickNumbers::kPowers;
  EXPECT_EQ(texts(axisTicks(axis, 4)), (Texts{"2^10", "2^15", "2^20"}));
}

TEST(AxisTicks, OfDecadesHaveTheNinthsBetween) {
  const AxisTicks ticks = axisTicks({.min = 1e-6,
                                     .max = 1e-3,
                                     .scale = ScaleKind::kLog10,
                                     .title = "time",
                                     .unit = "s",
                                     .numbers = TickNumbers::kSi},
                                    6);
  EXPECT_EQ(texts(ticks), (Texts{"1 µs", "10 µs", "100 µs", "1 ms"}));
  EXPECT_EQ(ticks.ticks.size(), 4U + 3 * 8);
  EXPECT_TRUE(ticks.ticks[1].minor);
  EXPECT_DOUBLE_EQ(ticks.ticks[1].value, 2e-6);
  const AxisTicks many = axisTicks({.min = 1, .max = 1e12, .scale = ScaleKind::kLog10}, 4);
  EXPECT_EQ(texts(many), (Texts{"1", "100,000", "1e+10"}));
  const AxisTicks powers =
      axisTicks({.min = 1e-3, .max = 10, .scale = ScaleKind::kLog10, .numbers = TickNumbers::kPowers}, 8);
  EXPECT_EQ(texts(powers), (Texts{"10^-3", "10^-2", "10^-1", "10^0", "10^1"}));
}

TEST(AxisTicks, WithinAPowerAreStillThere) {
  EXPECT_EQ(texts(axisTicks({.min = 1.5, .max = 12, .scale = ScaleKind::kLog10}, 6)),
            (Texts{"2", "5", "10"}));
  EXPECT_EQ(texts(axisTicks({.min = 130, .max = 250, .scale = ScaleKind::kLog2}, 4)),
            (Texts{"150", "200", "250"}));
  EXPECT_EQ(texts(axisTicks({.min = 2.2, .max = 2.8, .scale = ScaleKind::kLog10}, 4)),
            (Texts{"2.2", "2.4", "2.6", "2.8"}));
}

TEST(AxisTicks, AreTwoWhereThereIsRoomForTwo) {
  // The stride of 2 would leave only one of three decades; of a low plot both ends have a number.
  EXPECT_EQ(
      texts(axisTicks(
          {.min = 8e10, .max = 4e13, .scale = ScaleKind::kLog10, .unit = "OP/s", .numbers = TickNumbers::kSi},
          2)),
      (Texts{"100 GOP/s", "10 TOP/s"}));
  // Bytes in steps of powers of two.
  const auto bytes = [](double min, double max, int at_most) {
    return texts(axisTicks(
        {.min = min, .max = max, .scale = ScaleKind::kLog2, .unit = "B", .numbers = TickNumbers::kBytes},
        at_most));
  };
  EXPECT_EQ(bytes(2900, 7900, 3), (Texts{"4 KiB", "6 KiB"}));
  EXPECT_EQ(bytes(2900, 4000, 4), (Texts{"3 KiB", "3.25 KiB", "3.50 KiB", "3.75 KiB"}));
}

TEST(AxisTicks, TheTitleSaysTheUnitOnce) {
  EXPECT_EQ(titleWith("Elements", "elements"), "Elements");
  EXPECT_EQ(titleWith("time, until the last run", "s"), "time, until the last run (s)") << "an s in a word";
  EXPECT_EQ(titleWith("s, or seconds", "s"), "s, or seconds");
  EXPECT_EQ(axisTicks({.title = "size", .unit = "things", .unit_in_title = true}, 3).title, "size");
}

TEST(AxisTicks, OfALinearAxisShareOnePrefix) {
  PlotAxis axis{.min = 0, .max = 3.2e12, .title = "bandwidth", .unit = "B/s", .numbers = TickNumbers::kSi};
  EXPECT_EQ(axisTicks(axis, 5).title, "bandwidth (TB/s)");
  EXPECT_EQ(texts(axisTicks(axis, 5)), (Texts{"0", "1", "2", "3"}));
  axis.max = 0.9e12;
  EXPECT_EQ(axisTicks(axis, 5).title, "bandwidth (GB/s)");
  EXPECT_EQ(texts(axisTicks(axis, 5)), (Texts{"0", "200", "400", "600", "800"}));
  EXPECT_DOUBLE_EQ(axisTicks(axis, 5).ticks[1].value, 200e9);
  axis = {
      .min = 0, .max = 96 * 1024.0, .title = "shared memory", .unit = "B", .numbers = TickNumbers::kBytes};
  EXPECT_EQ(axisTicks(axis, 5).title, "shared memory (KiB)");
  EXPECT_EQ(texts(axisTicks(axis, 5)), (Texts{"0", "20", "40", "60", "80"}));
  EXPECT_EQ(axisTicks({.min = 0, .max = 4e-5, .unit = "s", .numbers = TickNumbers::kSi}, 4).title, "µs");
  EXPECT_EQ(texts(axisTicks({.min = 0, .max = 4e-20}, 4)), (Texts{"0", "1e-20", "2e-20", "3e-20", "4e-20"}));
}

TEST(AxisTicks, CanBeGiven) {
  PlotAxis axis{.min = 0, .max = 1024, .title = "block size"};
  axis.ticks = tickList(128, 1024, 128);
  EXPECT_EQ(texts(axisTicks(axis, 3)), (Texts{"128", "256", "384", "512", "640", "768", "896", "1,024"}));
  axis.ticks = {5000, 0.5, 512, 512, -3, 32};
  EXPECT_EQ(texts(axisTicks(axis, 3)), (Texts{"0.5", "32", "512"})) << "sorted, none twice, none outside";
  axis.scale = ScaleKind::kLog2, axis.min = 32;
  axis.ticks = {0, 48, 96, 1024};
  EXPECT_EQ(texts(axisTicks(axis, 3)), (Texts{"48", "96", "1,024"}));
  EXPECT_TRUE(tickList(0, 10, 0).empty());
  EXPECT_TRUE(tickList(0, kInfinity, 1).empty());
  EXPECT_EQ(tickList(0, 1, 0.1).size(), 11U);
}

TEST(AxisTicks, CanHaveNames) {
  PlotAxis axis{.min = -0.5, .max = 2.5, .title = "block", .unit = "threads", .ticks = {0, 1, 2}};
  axis.tick_texts = {"32x8", "16x16", "8x32"};
  const AxisTicks ticks = axisTicks(axis, 5);
  ASSERT_EQ(ticks.ticks.size(), 3U);
  EXPECT_EQ(ticks.ticks[1].text, "16x16");
  EXPECT_EQ(ticks.title, "block") << "names have no unit";
  EXPECT_EQ(axisValueText(axis, 2), "8x32");
  EXPECT_EQ(axisValueText(axis, 0.5), "0.5000 threads") << "between names is a number";
}

TEST(AxisTicks, AValueSaysItsUnit) {
  EXPECT_EQ(axisValueText({.unit = "B/s", .numbers = TickNumbers::kSi}, 1.2346e12), "1.235 TB/s");
  EXPECT_EQ(axisValueText({.unit = "threads"}, 256), "256 threads");
  EXPECT_EQ(axisValueText({.numbers = TickNumbers::kBytes}, 16777216), "16 MiB");
  EXPECT_EQ(axisValueText({}, 0.12345), "0.1235");
}

TEST(NiceRange, LeavesAirAbove) {
  EXPECT_EQ(niceRange(0, 100).min, 0);
  EXPECT_GT(niceRange(0, 100).max, 100);
  EXPECT_LT(niceRange(90, 100, false).min, 90);
  EXPECT_EQ(niceRange(0, 0).max, 1);
}

TEST(LabelRoom, LabelsLieOnNothing) {
  LabelRoom room({0, 0, 100, 50}, 4);
  EXPECT_TRUE(room.isFree({10, 10, 60, 30}));
  EXPECT_FALSE(room.isFree({70, 10, 120, 30})) << "outside";
  room.takeSegment({-50, 0}, {150, 50});
  EXPECT_FALSE(room.isFree({10, 10, 60, 30})) << "the line crosses it";
  EXPECT_TRUE(room.isFree({60, 2, 98, 14})) << "over the line";
  room.takeMark({80, 8}, 4);
  EXPECT_FALSE(room.isFree({60, 2, 98, 14}));
  room.takeSegment({-50, -10}, {150, -10});
  EXPECT_TRUE(room.isFree({30, 2, 50, 7})) << "what is outside takes no room";
  room.takeBox({40, 0, 42, 50});
  EXPECT_FALSE(room.isFree({30, 2, 50, 7}));
  EXPECT_TRUE(room.isFree({42, 2, 50, 7})) << "beside it, exactly";
}

TEST(LabelRoom, ALevelsLabelGoesWhereThereIsRoom) {
  const PlotRectangle area{0, 0, 200, 100};
  const auto places = placesAtLevel(area, 20, 50, 12, 1);
  LabelRoom room(area, 4);
  auto at = room.firstFree(places, 50, 12);
  ASSERT_TRUE(at);
  EXPECT_LT(at->x, 10) << "at the left";
  EXPECT_EQ(at->y, 7) << "over the line";
  room.takeBox({0, 0, 120, 19});
  at = room.firstFree(places, 50, 12);
  ASSERT_TRUE(at);
  EXPECT_EQ(at->y, 21) << "under it";
  room.takeSegment({0, 30}, {120, 30});
  at = room.firstFree(places, 50, 12);
  ASSERT_TRUE(at);
  EXPECT_GT(at->x, 120) << "at the right";
  room.takeRule({0, 27, 200, 28});
  room.takeRule({0, 12, 200, 13});
  at = room.firstFree(places, 50, 12);
  ASSERT_TRUE(at) << "rather on another level's line than nowhere";
  EXPECT_GT(at->x, 120) << "but not on data";
  room.takeSegment({0, 10}, {200, 10});
  room.takeSegment({0, 30}, {200, 30});
  EXPECT_FALSE(room.firstFree(places, 50, 12)) << "nowhere: better none than one on the data";
}

TEST(LabelRoom, ASlopesLabelIsBesideIt) {
  for (const double end : {10.0, 90.0, 50.0}) {
    LabelRoom room({0, 0, 200, 100}, 4);
    room.takeSegment({0, 100 - end}, {200, end});
    EXPECT_TRUE(room.firstFree(placesAlong({0, 100 - end}, {200, end}, 50, 12, 6), 50, 12)) << end;
  }
}

std::vector<size_t> shown(const std::vector<PlotPoint>& points, const AxisScale& x, double columns) {
  std::vector<size_t> kept;
  forEachShown(std::span<const PlotPoint>(points), x, columns, [&](size_t i) { kept.push_back(i); });
  return kept;
}

TEST(Polyline, OfAMillionPointsAsManyAsPixelsShow) {
  std::vector<PlotPoint> points;
  points.reserve(1000000);
  for (int i = 0; i < 1000000; ++i) points.push_back({i / 1e6, std::sin(i * 0.7) * i});
  points[123456].y = 5e6;
  points[765432].y = -5e6;
  const AxisScale x(ScaleKind::kLinear, 0, 1);
  const auto kept = shown(points, x, 500);
  EXPECT_LE(kept.size(), 4U * 500);
  EXPECT_GE(kept.size(), 2U * 500);
  const std::set<size_t> set(kept.begin(), kept.end());
  EXPECT_EQ(set.size(), kept.size());
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_TRUE(set.contains(123456) && set.contains(765432)) << "no spike is lost";
  EXPECT_TRUE(set.contains(0) && set.contains(999999));
  // In each column the extremes of the kept points are those of all points.
  std::vector<double> all(500, -1e9), of_kept(500, -1e9);
  for (const PlotPoint& point : points) {
    double& most = all[static_cast<size_t>(point.x * 500)];
    most = std::max(most, point.y);
  }
  for (const size_t i : kept) {
    double& most = of_kept[static_cast<size_t>(points[i].x * 500)];
    most = std::max(most, points[i].y);
  }
  EXPECT_EQ(all, of_kept);
}

TEST(Polyline, OfFewPointsAll) {
  const AxisScale x(ScaleKind::kLog2, 1, 1024);
  EXPECT_EQ(shown({{1, 5}, {8, 2}, {1024, 9}}, x, 100), (std::vector<size_t>{0, 1, 2}));
  EXPECT_TRUE(shown({}, x, 100).empty());
  // Two in the same column.
  EXPECT_EQ(shown({{512, 1}, {512.1, 2}}, x, 10), (std::vector<size_t>{0, 1}));
  // Back and forth: points need not be sorted.
  EXPECT_EQ(shown({{512, 1}, {2, 2}, {512, 3}}, x, 10), (std::vector<size_t>{0, 1, 2}));
}

TEST(Polyline, GapsStay) {
  const AxisScale x(ScaleKind::kLog2, 1, 1024);
  // NaN, twice, and an x without a position: one gap each.
  EXPECT_EQ(shown({{1, 1}, {2, kNan}, {3, kNan}, {4, 2}, {0, 2}, {8, 3}}, x, 1000),
            (std::vector<size_t>{0, 1, 3, 4, 5}));
  std::vector<PlotSpread> spreads{{1, 0, 1}, {2, kNan, 5}, {4, 1, 2}};
  std::vector<size_t> kept;
  forEachShown(std::span<const PlotSpread>(spreads), x, 100, [&](size_t i) { kept.push_back(i); });
  EXPECT_EQ(kept, (std::vector<size_t>{0, 1, 2}));
}

TEST(Polyline, SegmentsAreCutAtTheEdges) {
  const PlotRectangle box{0, 0, 10, 10};
  const auto whole = partInside({1, 1}, {9, 9}, box);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->from, 0);
  EXPECT_EQ(whole->to, 1);
  const auto through = partInside({-10, 5}, {30, 5}, box);
  ASSERT_TRUE(through);
  EXPECT_DOUBLE_EQ(through->from, 0.25);
  EXPECT_DOUBLE_EQ(through->to, 0.5);
  EXPECT_FALSE(partInside({-5, -1}, {20, -1}, box));
  EXPECT_FALSE(partInside({-5, 4}, {4, -5}, box)) << "past a corner";
  EXPECT_TRUE(partInside({5, 5}, {5, 5}, box)) << "of no length";
  EXPECT_FALSE(partInside({15, 5}, {15, 5}, box));
}

TEST(Polyline, TheNearestPointIsFound) {
  const std::vector<PlotPoint> points{{1, 1}, {2, kNan}, {4, 3}, {64, 4}};
  const AxisScale x(ScaleKind::kLog2, 1, 64);
  EXPECT_EQ(nearestPoint(points, x, -3), 0U);
  EXPECT_EQ(nearestPoint(points, x, 9), 3U);
  EXPECT_EQ(nearestPoint(points, x, x.share(2.1)), 2U) << "a gap is nowhere";
  EXPECT_EQ(nearestPoint(points, x, x.share(15)), 2U) << "on the axis, not in numbers";
  EXPECT_EQ(nearestPoint(points, x, x.share(17)), 3U);
  EXPECT_FALSE(nearestPoint({}, x, 0.5));
  const std::vector<PlotPoint> gaps{{1, kNan}, {2, kNan}};
  EXPECT_FALSE(nearestPoint(gaps, x, 0.5));
}

TEST(Polyline, AStaircaseHoldsItsValue) {
  const std::vector<PlotPoint> points{{32, 1}, {64, 2}, {96, kNan}, {128, 4}};
  EXPECT_FALSE(stepAt(points, 31));
  EXPECT_EQ(stepAt(points, 32), 0U);
  EXPECT_EQ(stepAt(points, 95), 1U);
  EXPECT_FALSE(stepAt(points, 100));
  EXPECT_EQ(stepAt(points, 5000), 3U);
}

}  // namespace
}  // namespace warpscope
