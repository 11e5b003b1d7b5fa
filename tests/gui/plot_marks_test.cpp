// The marks that plots draw, read back from the triangles: staircases without slopes, dashes with gaps,
// whiskers from end to end, labels beside each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "tests/gui/headless.h"
#include "viz/lab/lab_panels.h"
#include "viz/widgets/plot_series.h"
#include "viz/widgets/strokes.h"
#include "viz/widgets/svg_export.h"

namespace warpscope {
namespace {

using testing::Headless;

constexpr ImU32 kInk = IM_COL32(250, 3, 251, 255);
constexpr ImU32 kRgb = kInk & ~IM_COL32_A_MASK;

struct Box {
  ImVec2 min{1e9F, 1e9F}, max{-1e9F, -1e9F};
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
};

class Marks : public ::testing::TestWithParam<float> {
 protected:
  Marks() : gui_(GetParam()) { drawWithHardEdges(); }
  float px(float pixels) const { return pixels * GetParam(); }

  // The shapes drawn in kInk's hue, one box for each shape of consecutive corners without edges to others.
  std::vector<Box> draw(const PlotAxis& x, const PlotAxis& y, const std::function<void(PlotFrame&)>& marks) {
    const ImDrawData& drawn = gui_.frame([&] {
      PlotFrame plot(gui_.theme(), gui_.fonts(), {px(500), px(300)}, x, y);
      area_ = {plot.areaMin(), plot.areaMax()};
      place_ = [scale_x = plot.xScale(), scale_y = plot.yScale(), area = area_](double at_x, double at_y) {
        return ImVec2{area.min.x + static_cast<float>(scale_x.share(at_x)) * area.width(),
                      area.max.y - static_cast<float>(scale_y.share(at_y)) * area.height()};
      };
      marks(plot);
    });
    std::vector<Box> shapes;
    for (int i = 0; i < drawn.CmdListsCount; ++i) add(*drawn.CmdLists[i], shapes);
    return shapes;
  }

  Headless gui_;
  Box area_;
  std::function<ImVec2(double, double)> place_;
  float ink_pixels_ = 0;  // area of all triangles in the ink

 private:
  void add(const ImDrawList& list, std::vector<Box>& shapes) {
    int last_first = -1;
    for (const ImDrawCmd& command : list.CmdBuffer) {
      for (unsigned int i = 0; i < command.ElemCount; i += 3) {
        const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset + i;
        const auto corner = [&](int k) {
          return list.VtxBuffer[static_cast<int>(command.VtxOffset + indices[k])];
        };
        if ((corner(0).col & ~IM_COL32_A_MASK) != kRgb) continue;
        const int first = static_cast<int>(command.VtxOffset + indices[0]);
        if (first != last_first) shapes.emplace_back();
        last_first = first;
        Box& box = shapes.back();
        for (int k = 0; k < 3; ++k) {
          const ImVec2 at = corner(k).pos;
          box.min = {std::min(box.min.x, at.x), std::min(box.min.y, at.y)};
          box.max = {std::max(box.max.x, at.x), std::max(box.max.y, at.y)};
        }
        const ImVec2 a = corner(0).pos, b = corner(1).pos, c = corner(2).pos;
        ink_pixels_ += std::abs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) / 2;
      }
    }
  }
};

TEST_P(Marks, AStaircaseHasNoSlopes) {
  const std::vector<PlotPoint> points{{0, 10}, {2, 80}, {5, 80}, {7, 30}, {9, 60}};
  const auto shapes =
      draw({.max = 10}, {.max = 100}, [&](PlotFrame& plot) { plot.steps(points, {.colour = kInk}); });
  ASSERT_GE(shapes.size(), 7U);
  for (const Box& box : shapes) EXPECT_LT(std::min(box.width(), box.height()), px(2.5F));
  // From the first to the last point, and the value of 2 holds up to 7.
  const float level = place_(0, 80).y;
  float left = 1e9F, right = 0;
  for (const Box& box : shapes) {
    if (std::abs((box.min.y + box.max.y) / 2 - level) > 1 || box.height() > px(2.5F)) continue;
    left = std::min(left, box.min.x), right = std::max(right, box.max.x);
  }
  EXPECT_NEAR(left, place_(2, 0).x, 1.5F);
  EXPECT_NEAR(right, place_(7, 0).x, 1.5F);
}

TEST_P(Marks, AGapIsAGap) {
  const double nan = std::nan("");
  const std::vector<PlotPoint> points{{1, 50}, {4, 50}, {5, nan}, {6, 50}, {9, 50}};
  for (const bool stepped : {false, true}) {
    const auto shapes = draw({.max = 10}, {.max = 100}, [&](PlotFrame& plot) {
      stepped ? plot.steps(points, {.colour = kInk}) : plot.line(points, {.colour = kInk});
    });
    const float from = place_(stepped ? 5.05 : 4.05, 0).x, to = place_(5.95, 0).x;
    for (const Box& box : shapes) EXPECT_TRUE(box.max.x < from || box.min.x > to);
  }
  // A logarithmic axis has no place for zero.
  const auto shapes =
      draw({.max = 10}, {.min = 1, .max = 100, .scale = ScaleKind::kLog10}, [&](PlotFrame& plot) {
        plot.line(std::vector<PlotPoint>{{1, 10}, {4, 0}, {8, 10}, {9, 10}}, {.colour = kInk});
      });
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_GT(shapes[0].min.x, place_(7.9, 1).x);
}

TEST_P(Marks, ModelledLinesAreDashedHoweverFineTheirPoints) {
  std::vector<PlotPoint> coarse{{0, 50}, {10, 50}}, fine;
  for (int i = 0; i <= 1000; ++i) fine.push_back({i / 100.0, 50});
  for (const auto* points : {&coarse, &fine}) {
    const auto shapes = draw({.max = 10}, {.max = 100}, [&](PlotFrame& plot) {
      plot.line(*points, {.colour = kInk, .modelled = true});
    });
    float drawn = 0;
    for (const Box& box : shapes) drawn += box.width();
    EXPECT_NEAR(drawn, area_.width() / 2, area_.width() * 0.03F);
  }
}

TEST_P(Marks, WhiskersReachFromLowToHighAndHaveCaps) {
  const std::vector<PlotSpread> spreads{{3, 20, 70}};
  const auto shapes =
      draw({.max = 10}, {.max = 100}, [&](PlotFrame& plot) { plot.whiskers(spreads, {.colour = kInk}); });
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_NEAR(shapes[0].min.y, place_(3, 70).y, 1);
  EXPECT_NEAR(shapes[0].max.y, place_(3, 20).y, 1);
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_NEAR(shapes[i].width(), px(8), 1);
    EXPECT_NEAR((shapes[i].min.x + shapes[i].max.x) / 2, place_(3, 0).x, 1);
  }
}

TEST_P(Marks, BandsAndAreasCoverWhatLiesBetween) {
  const std::vector<PlotSpread> spreads{{0, 20, 60}, {5, 40, 80}, {10, 20, 60}};
  draw({.max = 10}, {.max = 100}, [&](PlotFrame& plot) { plot.band(spreads, {.colour = kInk}); });
  const auto whole = [&] { return area_.width() * area_.height(); };
  // Edges are lines of a pixel over and under it.
  EXPECT_NEAR(ink_pixels_, whole() * 0.40F, whole() * 0.03F);
  ink_pixels_ = 0;
  const std::vector<PlotPoint> points{{0, 50}, {5, 50}, {10, -50}};
  draw({.max = 10}, {.min = -100, .max = 100},
       [&](PlotFrame& plot) { plot.area(points, 0, {.colour = kInk}); });
  EXPECT_NEAR(ink_pixels_, whole() * (0.125F + 0.0625F), whole() * 0.01F)
      << "through the base: two triangles";
  ink_pixels_ = 0;
  draw({.max = 10}, {.min = -100, .max = 100},
       [&](PlotFrame& plot) { plot.area(points, -100, {.colour = kInk}, true); });
  EXPECT_NEAR(ink_pixels_, whole() * 0.75F, whole() * 0.01F) << "a staircase";
  ink_pixels_ = 0;
  draw({.max = 10}, {}, [&](PlotFrame& plot) { plot.shade(4, -3, kInk); });
  EXPECT_NEAR(ink_pixels_, whole() * 0.4F, whole() * 0.01F) << "inside only";
}

TEST_P(Marks, ShapesAreAboutEquallyLarge) {
  std::vector<float> sizes;
  for (const MarkShape shape :
       {MarkShape::kCircle, MarkShape::kSquare, MarkShape::kDiamond, MarkShape::kTriangle}) {
    ink_pixels_ = 0;
    const auto shapes = draw({.max = 10}, {.max = 10}, [&](PlotFrame& plot) {
      plot.point(5, 5, {kInk, shape});
    });
    ASSERT_EQ(shapes.size(), 1U);
    EXPECT_NEAR((shapes[0].min.x + shapes[0].max.x) / 2, place_(5, 5).x, 1);
    EXPECT_NEAR((shapes[0].min.y + shapes[0].max.y) / 2, place_(5, 5).y, px(1.1F));
    sizes.push_back(ink_pixels_);
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  EXPECT_LT(*most / *least, 1.35F);
  EXPECT_GT(*least, px(5) * px(5));
}

TEST_P(Marks, PointsOutsideAreNotDrawn) {
  const std::vector<PlotPoint> points{{-1, 5}, {0, 0}, {5, 11}, {10, 10}, {12, 5}};
  const auto shapes =
      draw({.max = 10}, {.max = 10}, [&](PlotFrame& plot) { plot.points(points, {.colour = kInk}); });
  EXPECT_EQ(shapes.size(), 2U) << "those on the corners are inside";
}

TEST_P(Marks, BarsStandOnZeroAndAnswerTheMouse) {
  bool hovered = false;
  const auto bar = [&](PlotFrame& plot) { hovered = plot.bar(5, 2, 60, kInk); };
  const auto shapes = draw({.max = 10}, {.min = -20, .max = 100}, bar);
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_NEAR(shapes[0].min.y, place_(5, 60).y, 1);
  EXPECT_NEAR(shapes[0].max.y, place_(5, 0).y, 1);
  EXPECT_NEAR(shapes[0].width(), place_(2, 0).x - place_(0, 0).x, 1);
  EXPECT_FALSE(hovered);
  gui_.moveMouse(place_(5.5, 50));
  draw({.max = 10}, {.min = -20, .max = 100}, bar);
  draw({.max = 10}, {.min = -20, .max = 100}, bar);
  EXPECT_TRUE(hovered);
  // On a logarithmic axis there is no zero: from the lower end.
  const auto on_log = draw({.max = 10}, {.min = 1, .max = 100, .scale = ScaleKind::kLog10}, bar);
  ASSERT_EQ(on_log.size(), 1U);
  EXPECT_NEAR(on_log[0].max.y, area_.max.y, 1);
}

TEST_P(Marks, LabelsOfLevelsMakeRoomForEachOther) {
  const ImDrawData& drawn = gui_.frame([&] {
    PlotFrame plot(gui_.theme(), gui_.fonts(), {px(500), px(300)}, {.max = 10}, {.max = 100});
    for (const char* label : {"one", "two", "three", "four"}) plot.level(50, kInk, label);
    plot.upright(5, kInk, "now");
    plot.upright(5, kInk, "then");
    plot.level(20, kInk, "");
  });
  const auto svg = svgOf(drawn, {0, 0}, ImGui::GetIO().DisplaySize, gui_.fonts());
  ASSERT_TRUE(svg);
  std::vector<ImVec2> places;
  for (const char* label : {">one<", ">two<", ">three<", ">four<", ">now<", ">then<"}) {
    const size_t end = svg->find(label), begin = svg->rfind("<text", end);
    ASSERT_NE(end, std::string::npos) << label;
    const auto number = [&](const char* name) { return std::stof(svg->substr(svg->find(name, begin) + 4)); };
    places.emplace_back(number(" x=\""), number(" y=\""));
  }
  for (size_t i = 0; i < places.size(); ++i) {
    for (size_t j = i + 1; j < places.size(); ++j)
      EXPECT_GT(std::abs(places[i].x - places[j].x) + std::abs(places[i].y - places[j].y), px(12))
          << i << " " << j;
  }
}

TEST_P(Marks, LabelsLieOnNoDataAndAreToldWithoutRoom) {
  const std::vector<PlotPoint> left{{0, 60}, {7, 60}}, under{{0, 40}, {7, 40}}, right{{7, 60}, {10, 60}},
      right_under{{7, 40}, {10, 40}};
  const auto svg_with = [&](bool whole_width) {
    const ImDrawData& drawn = gui_.frame([&] {
      PlotFrame plot(gui_.theme(), gui_.fonts(), {px(500), px(120)}, {.max = 10}, {.max = 100});
      area_ = {plot.areaMin(), plot.areaMax()};
      plot.level(50, kInk, "limit");
      for (const auto* points : {&left, &under}) plot.line(*points, {.colour = kInk});
      if (!whole_width) return;
      for (const auto* points : {&right, &right_under}) plot.line(*points, {.colour = kInk});
    });
    return svgOf(drawn, {0, 0}, ImGui::GetIO().DisplaySize, gui_.fonts()).value_or("");
  };
  const std::string beside = svg_with(false);
  const size_t end = beside.find(">limit<");
  ASSERT_NE(end, std::string::npos);
  const float x = std::stof(beside.substr(beside.find(" x=\"", beside.rfind("<text", end)) + 4));
  EXPECT_GT(x, area_.min.x + area_.width() * 0.7F) << "drawn first, but placed where no line is";
  EXPECT_EQ(svg_with(true).find(">limit<"), std::string::npos) << "no room: no label";
  gui_.moveMouse({(area_.min.x + area_.max.x) / 2, (area_.min.y + area_.max.y) / 2});
  svg_with(true);
  svg_with(true);
  EXPECT_NE(svg_with(true).find(">limit<"), std::string::npos) << "the mouse on the line tells it";
}

INSTANTIATE_TEST_SUITE_P(Scale, Marks, ::testing::Values(1.0F, 2.0F));

TEST(Pens, EndHoweverLongTheWay) {
  Headless gui;
  gui.frame([] {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const int before = list.VtxBuffer.Size;
    Pen pen(list, {0, 0}, {100, 100}, {IM_COL32_WHITE, 1, 3});
    const float huge = std::numeric_limits<float>::max() / 4;
    for (const ImVec2 at : {ImVec2{-huge, 50}, ImVec2{huge, 50}, ImVec2{50, -1e30F}, ImVec2{50, 1e30F},
                            ImVec2{50, 50}, ImVec2{50, 50}})
      pen.to(at);
    EXPECT_LT(list.VtxBuffer.Size - before, 2000);
  });
}

// Points that were run never stand above their own theory: another curve than theirs is a what-if.
TEST(SpeedPlot, KnowsWhenItsCurveIsOfAnotherKernelThanItsPoints) {
  const std::vector<OccupancyPoint> curve{{128, {.theoretical = 0.25}}, {256, {.theoretical = 0.5}}};
  const auto point = [](uint32_t threads, double theoretical) {
    return SpeedPoint{.block_threads = threads, .theoretical = theoretical};
  };
  EXPECT_FALSE(isWhatIf(curve, std::vector{point(128, 0.25), point(256, 0.5)}));
  EXPECT_TRUE(isWhatIf(curve, std::vector{point(128, 0.25), point(256, 1)}));
  EXPECT_FALSE(isWhatIf(curve, std::vector{point(512, 1)})) << "the curve says nothing about this size";
  EXPECT_FALSE(isWhatIf(curve, {}));
}

}  // namespace
}  // namespace warpscope
