// Plots, drawn without a display: what the mouse does to readout, handle and legend, at two scales, and how
// much is drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/gui/headless.h"
#include "viz/widgets/plot_handle.h"
#include "viz/widgets/plot_legend.h"
#include "viz/widgets/plot_readout.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

using testing::Headless;

struct Places : WidgetReport {
  struct Place {
    ImVec2 min, max;
    ImVec2 middle() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
  };
  void widget(const std::string& name, ImVec2 min, ImVec2 max) override { of[name] = {min, max}; }
  std::map<std::string, Place> of;
};

// Three curves over the block size: a staircase, a measured and a modelled one.
struct Curves {
  std::vector<PlotPoint> occupancy, measured, modelled;
  std::vector<PlotSpread> spread;
  std::vector<PlotSeries> series;

  explicit Curves(const Theme& theme) {
    for (int block = 32; block <= 1024; block += 32) occupancy.push_back({block * 1.0, 2048.0 / block * 2});
    for (int block = 32; block <= 1024; block *= 2) {
      measured.push_back({block * 1.0, 20 + block / 20.0});
      spread.push_back({block * 1.0, 15 + block / 20.0, 26 + block / 20.0});
    }
    modelled = {{64, 90}, {512, 40}};
    series = {
        {.name = "occupancy", .points = occupancy, .look = seriesLook(theme, 0), .kind = SeriesKind::kSteps},
        {.name = "measured", .points = measured, .spread = spread, .look = seriesLook(theme, 1)},
        {.name = "modelled",
         .label = "modelled <&>",
         .points = modelled,
         .look = seriesLook(theme, 2, true)}};
  }
};

class Plots : public ::testing::TestWithParam<float> {
 protected:
  Plots() : gui_(GetParam()), curves_(gui_.theme()) {}

  ImVec2 px(float x, float y) const { return {x * GetParam(), y * GetParam()}; }

  Canvas canvas() { return {&gui_.theme(), &gui_.fonts(), &places_}; }
  void draw() {
    answer_ = drawPlotLegend(canvas(), "legend", curves_.series, hidden_);
    PlotFrame plot(
        gui_.theme(), gui_.fonts(), px(600, 300),
        {.min = 32, .max = 1024, .scale = ScaleKind::kLog2, .title = "block size", .unit = "threads"},
        {.min = 0, .max = 140, .title = "occupancy", .unit = "%"}, "plot");
    min_ = plot.areaMin(), max_ = plot.areaMax();
    plot.shade(512, 1024, gui_.theme().warning);
    plot.band(curves_.spread, seriesLook(gui_.theme(), 1));
    plot.area(curves_.occupancy, 0, seriesLook(gui_.theme(), 0), true);
    for (const PlotSeries& series : curves_.series) drawSeries(plot, series, hidden_);
    plot.level(100, gui_.theme().text, "limit");
    plot.upright(256, gui_.theme().text, "now");
    handle_at_ = plot.toScreen(handle_.at.x, handle_.at.y);
    handle_answer_ = drawHandle(plot, handle_);
    if (handle_answer_.moved_to && moves_) handle_.at.x = *handle_answer_.moved_to;
    readout_ = drawReadout(plot, curves_.series, hidden_);
    screen_of_ = [scale = plot.xScale(), this](double x) {
      return min_.x + static_cast<float>(scale.share(x)) * (max_.x - min_.x);
    };
  }
  void frames(int count = 2) {
    gui_.frames(count, [this] { draw(); });
  }

  Headless gui_;
  Curves curves_;
  HiddenSeries hidden_;
  PlotHandle handle_{.at = {128, 60}, .look = {.colour = IM_COL32_WHITE}};
  bool moves_ = true;
  PlotLegendAnswer answer_;
  Places places_;
  HandleAnswer handle_answer_;
  PlotReadout readout_;
  ImVec2 min_, max_, handle_at_;
  std::function<float(double)> screen_of_;
};

TEST_P(Plots, TheAreaLiesWithinThePlot) {
  frames();
  EXPECT_GT(min_.x, px(20, 0).x);
  EXPECT_LE(max_.x, px(8 + 600, 0).x + 1);
  EXPECT_GT(max_.x - min_.x, px(500, 0).x);
  EXPECT_GT(max_.y - min_.y, px(0, 200).y);
}

TEST_P(Plots, DataMapToPixelsAndBack) {
  gui_.frame([this] {
    PlotFrame plot(gui_.theme(), gui_.fonts(), px(600, 300),
                   {.min = 1, .max = 1024, .scale = ScaleKind::kLog2},
                   {.min = 1e-3, .max = 10, .scale = ScaleKind::kLog10});
    for (const double x : {1.0, 48.0, 1024.0}) EXPECT_NEAR(plot.xAt(plot.toScreen(x, 1).x), x, x * 1e-3);
    for (const double y : {1e-3, 0.5, 10.0}) EXPECT_NEAR(plot.yAt(plot.toScreen(1, y).y), y, y * 1e-2);
    EXPECT_FALSE(plot.holds(0, 1));
    EXPECT_TRUE(std::isfinite(plot.toScreen(0, -5).x) && std::isfinite(plot.toScreen(0, -5).y));
  });
}

TEST_P(Plots, TheReadoutGoesFromPointToPointAndStaysInside) {
  frames();
  EXPECT_FALSE(readout_.shown) << "the mouse is elsewhere";
  for (const double block : {32.0, 64.0, 256.0, 544.0, 1024.0}) {
    for (const float share : {0.01F, 0.5F, 0.99F}) {
      gui_.moveMouse({std::min(screen_of_(block) + 1, max_.x - 1), min_.y + (max_.y - min_.y) * share});
      frames();
      ASSERT_TRUE(readout_.shown) << block;
      EXPECT_EQ(readout_.x, block);
      EXPECT_GE(readout_.min.x, min_.x);
      EXPECT_GE(readout_.min.y, min_.y);
      EXPECT_LE(readout_.max.x, max_.x);
      EXPECT_LE(readout_.max.y, max_.y);
      EXPECT_GT(readout_.max.x - readout_.min.x, px(60, 0).x);
    }
  }
  gui_.moveMouse({min_.x - 5, min_.y + 20});
  frames();
  EXPECT_FALSE(readout_.shown);
}

TEST_P(Plots, TheReadoutListsWhoHasAValueThere) {
  frames();
  const auto height_at = [&](double block) {
    gui_.moveMouse({screen_of_(block), (min_.y + max_.y) / 2});
    frames();
    EXPECT_TRUE(readout_.shown);
    return readout_.max.y - readout_.min.y;
  };
  const float three = height_at(64), two = height_at(256), one = height_at(96);
  EXPECT_GT(three, two) << "the modelled curve has no point at 256";
  EXPECT_GT(two, one) << "at 96 only the staircase has a value";
  EXPECT_NEAR(three - two, two - one, 0.6F);
  // Hidden series are neither listed nor snapped to.
  hidden_ = {"occupancy"};
  EXPECT_NEAR(height_at(64), two, 0.6F);
  gui_.moveMouse({screen_of_(100), (min_.y + max_.y) / 2});
  frames();
  EXPECT_EQ(readout_.x, 128);
  hidden_ = {"occupancy", "measured", "modelled"};
  frames();
  EXPECT_FALSE(readout_.shown);
}

TEST_P(Plots, InATinyPlotTheReadoutStaysInsideToo) {
  std::vector<PlotSeries> many;
  std::vector<std::string> names;
  names.reserve(12);
  many.reserve(12);
  for (int i = 0; i < 12; ++i) names.push_back("a series with quite a long name " + std::to_string(i));
  for (const std::string& name : names) many.push_back({.name = name.c_str(), .points = curves_.measured});
  PlotReadout readout;
  ImVec2 min, max;
  const auto tiny = [&] {
    PlotFrame plot(gui_.theme(), gui_.fonts(), px(150, 80), {.min = 0, .max = 1024}, {.min = 0, .max = 100});
    min = plot.areaMin(), max = plot.areaMax();
    for (const PlotSeries& series : many) drawSeries(plot, series);
    readout = drawReadout(plot, many);
  };
  gui_.frame(tiny);
  gui_.moveMouse({(min.x + max.x) / 2, (min.y + max.y) / 2});
  gui_.frames(2, tiny);
  ASSERT_TRUE(readout.shown);
  EXPECT_GE(readout.min.x, min.x);
  EXPECT_GE(readout.min.y, min.y);
  EXPECT_LE(readout.max.x, max.x);
  EXPECT_LE(readout.max.y, max.y);
}

TEST_P(Plots, APointIsDragged) {
  frames();
  EXPECT_FALSE(handle_answer_.hovered);
  EXPECT_GE(handle_answer_.max.x - handle_answer_.min.x, px(20, 0).x) << "ten pixels around it at 100 %";
  // Grasped at its rim.
  const ImVec2 rim{handle_at_.x + 9 * GetParam(), handle_at_.y};
  gui_.moveMouse(rim);
  frames();
  EXPECT_TRUE(handle_answer_.hovered);
  EXPECT_FALSE(handle_answer_.held);
  EXPECT_FALSE(handle_answer_.moved_to);
  EXPECT_EQ(gui_.cursor(), ImGuiMouseCursor_ResizeEW);

  gui_.pressMouse(true);
  frames();
  EXPECT_TRUE(handle_answer_.held);
  EXPECT_NEAR(handle_.at.x, 128, 1e-2) << "a press alone moves nothing";

  gui_.moveMouse({screen_of_(512) + 9 * GetParam(), min_.y - 50});
  frames();
  EXPECT_TRUE(handle_answer_.held) << "also outside of the plot";
  ASSERT_TRUE(handle_answer_.moved_to);
  EXPECT_NEAR(handle_.at.x, 512, 4) << "a pixel";
  gui_.moveMouse({max_.x + 500, min_.y});
  frames();
  EXPECT_DOUBLE_EQ(handle_.at.x, 1024) << "not beyond the axis";

  gui_.pressMouse(false);
  gui_.moveMouse({screen_of_(64), handle_at_.y});
  frames(3);
  EXPECT_FALSE(handle_answer_.held);
  EXPECT_FALSE(handle_answer_.moved_to);
  EXPECT_DOUBLE_EQ(handle_.at.x, 1024);
}

TEST_P(Plots, BesideThePointNothingIsDragged) {
  frames();
  gui_.moveMouse({handle_at_.x + 12 * GetParam(), handle_at_.y});
  frames();
  EXPECT_FALSE(handle_answer_.hovered);
  gui_.pressMouse(true);
  frames();
  gui_.moveMouse(handle_at_);
  frames();
  EXPECT_FALSE(handle_answer_.held) << "the press began elsewhere";
  EXPECT_EQ(handle_.at.x, 128);
}

TEST_P(Plots, OnDemandAPressAnywhereTakesThePointThere) {
  handle_.anywhere = true;
  frames();
  gui_.moveMouse({screen_of_(700), min_.y + 10});
  frames();
  EXPECT_EQ(gui_.cursor(), ImGuiMouseCursor_ResizeEW);
  gui_.pressMouse(true);
  frames(1);
  EXPECT_TRUE(handle_answer_.held);
  EXPECT_NEAR(handle_.at.x, 700, 5);
  gui_.moveMouse({screen_of_(40), min_.y + 10});
  frames();
  EXPECT_NEAR(handle_.at.x, 40, 0.2);
}

TEST_P(Plots, OfTwoHandlesThePressedOneMoves) {
  PlotHandle a{.name = "a", .at = {100, 50}}, b{.name = "b", .at = {800, 50}, .anywhere = true};
  HandleAnswer of_a, of_b;
  ImVec2 at_a, at_b;
  const auto both = [&] {
    PlotFrame plot(gui_.theme(), gui_.fonts(), px(600, 300), {.max = 1000}, {.max = 100}, "two");
    at_a = plot.toScreen(a.at.x, a.at.y), at_b = plot.toScreen(b.at.x, b.at.y);
    of_a = drawHandle(plot, a);
    of_b = drawHandle(plot, b);
  };
  gui_.frame(both);
  gui_.moveMouse(at_a);
  gui_.frames(2, both);
  gui_.pressMouse(true);
  gui_.frames(2, both);
  EXPECT_TRUE(of_a.held);
  EXPECT_FALSE(of_b.held);
  // It passes the other, which stays.
  gui_.moveMouse(at_b);
  gui_.frames(2, both);
  EXPECT_TRUE(of_a.held);
  EXPECT_FALSE(of_b.held || of_b.hovered);
  gui_.pressMouse(false);
  gui_.frames(2, both);
  gui_.moveMouse({(at_a.x + at_b.x) / 2, at_a.y - px(0, 40).y});
  gui_.frames(2, both);
  gui_.pressMouse(true);
  gui_.frames(2, both);
  EXPECT_TRUE(of_b.held) << "anywhere else is the other's";
}

TEST_P(Plots, TheLegendHidesAndShows) {
  frames();
  ASSERT_EQ(places_.of.size(), 3U);
  const auto place_of = [&](size_t i) {
    return places_.of.at(std::string("legend.") + curves_.series[i].name);
  };
  const auto middle_of = [&](size_t i) { return place_of(i).middle(); };
  for (size_t i = 1; i < 3; ++i) EXPECT_GE(place_of(i).min.x, place_of(i - 1).max.x) << "side by side";
  gui_.moveMouse(middle_of(1));
  frames();
  EXPECT_EQ(answer_.hovered, 1U);
  EXPECT_TRUE(hidden_.empty());
  gui_.click(middle_of(1), [this] { draw(); });
  EXPECT_EQ(hidden_, (HiddenSeries{"measured"}));
  gui_.click(middle_of(2), [this] { draw(); });
  EXPECT_EQ(hidden_, (HiddenSeries{"measured", "modelled"}));
  gui_.click(middle_of(1), [this] { draw(); });
  EXPECT_EQ(hidden_, (HiddenSeries{"modelled"}));
}

TEST_P(Plots, ALegendWithoutRoomTakesMoreLines) {
  const float wide = plotLegendHeight(gui_.theme(), gui_.fonts(), curves_.series, 2000);
  const float narrow = plotLegendHeight(gui_.theme(), gui_.fonts(), curves_.series, px(130, 0).x);
  EXPECT_FLOAT_EQ(narrow, wide * 3);
  ImVec2 before, after;
  gui_.frame([&] {
    ImGui::BeginChild("narrow", px(130, 200));
    before = ImGui::GetCursorScreenPos();
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    answer_ = drawPlotLegend(canvas(), "legend", curves_.series, hidden_);
    after = ImGui::GetCursorScreenPos();
    ImGui::PopStyleVar();
    ImGui::EndChild();
  });
  EXPECT_NEAR(after.y - before.y, narrow, 1);
  EXPECT_EQ(places_.of.size(), 3U);
  for (const auto& [name, place] : places_.of) EXPECT_LE(place.max.x, before.x + px(130, 0).x + 1) << name;
}

TEST(Tooltips, LieInsideASmallWindowWithLargeText) {
  Headless gui(1.75F);
  ImGui::GetIO().DisplaySize = {1280, 720};
  gui.moveMouse({640, 365});
  ImVec2 min, max;
  gui.frames(4, [&] {
    Tooltip tooltip(gui.theme(), gui.fonts(), "The kernel with probes");
    for (int line = 0; line < 5; ++line)
      tooltip.note("What events around the launch of the bare kernel measure: the kernel, and the overhead.");
    min = ImGui::GetWindowPos();
    max = {min.x + ImGui::GetWindowSize().x, min.y + ImGui::GetWindowSize().y};
  });
  EXPECT_GE(min.x, 0);
  EXPECT_GE(min.y, 0);
  EXPECT_LE(max.x, 1280);
  EXPECT_LE(max.y, 720);
  EXPECT_TRUE(max.x < 640 || min.x > 640) << "beside the mouse";
}

TEST_P(Plots, AMillionPointsCostNoMoreThanPixels) {
  std::vector<PlotPoint> points(1000000);
  std::vector<PlotSpread> spreads(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    const double x = static_cast<double>(i);
    points[i] = {x, 50 + 40 * std::sin(x * 0.9)};
    spreads[i] = {x, points[i].y - 5, points[i].y + 5};
  }
  const auto vertices_of = [&](const std::function<void(PlotFrame&)>& draw_marks) {
    return gui_
        .frame([&] {
          PlotFrame plot(gui_.theme(), gui_.fonts(), px(600, 300), {.min = 0, .max = 1e6},
                         {.min = 0, .max = 100});
          draw_marks(plot);
        })
        .TotalVtxCount;
  };
  const int pixels = static_cast<int>(px(600, 0).x);
  const MarkLook look = seriesLook(gui_.theme(), 0), modelled = seriesLook(gui_.theme(), 1, true);
  EXPECT_LT(vertices_of([&](PlotFrame& plot) { plot.line(points, look); }), 40 * pixels);
  EXPECT_LT(vertices_of([&](PlotFrame& plot) { plot.steps(points, look); }), 80 * pixels);
  EXPECT_LT(vertices_of([&](PlotFrame& plot) { plot.band(spreads, look); }), 80 * pixels);
  EXPECT_LT(vertices_of([&](PlotFrame& plot) { plot.area(points, 0, look); }), 40 * pixels);
  EXPECT_LT(vertices_of([&](PlotFrame& plot) { plot.points(points, look); }), 200 * pixels);
  EXPECT_LT(vertices_of([&](PlotFrame& plot) { plot.line(points, modelled); }), 40 * pixels);
  EXPECT_LT(vertices_of([&](PlotFrame& plot) { plot.steps(points, modelled); }), 80 * pixels);
}

TEST_P(Plots, NothingIsDrawnOutsideHoweverFarTheDataAre) {
  const std::vector<PlotPoint> far{{-1e9, 5}, {0.5, 1e12},          {2, -1e300},
                                   {3, 0.5},  {1e30, std::nan("")}, {1e200, 7}};
  const std::vector<PlotSpread> spreads{{0.2, -1e9, 1e9}, {0.8, 0.1, 1e300}};
  ImVec2 min, max;
  const auto draw_far = [&] {
    PlotFrame plot(gui_.theme(), gui_.fonts(), px(600, 300), {}, {});
    min = plot.areaMin(), max = plot.areaMax();
    for (const bool modelled : {false, true}) {
      const MarkLook look{.colour = IM_COL32(255, 0, 255, 255), .modelled = modelled};
      plot.line(far, look);
      plot.steps(far, look);
      plot.whiskers(spreads, look);
      plot.points(far, look);
      plot.bar(0.5, 3, 1e30, look.colour, modelled);
    }
    plot.level(1e9, IM_COL32_WHITE, "far");
    plot.upright(std::nan(""), IM_COL32_WHITE, "nowhere");
  };
  const ImDrawData& drawn = gui_.frames(2, draw_far);
  const float edge = 8 * GetParam();
  for (int i = 0; i < drawn.CmdListsCount; ++i) {
    for (const ImDrawVert& vertex : drawn.CmdLists[i]->VtxBuffer) {
      if ((vertex.col & 0xFFFFFFU) != (IM_COL32(255, 0, 255, 0) & 0xFFFFFFU)) continue;
      EXPECT_GE(vertex.pos.x, min.x - edge);
      EXPECT_LE(vertex.pos.x, max.x + edge);
      EXPECT_GE(vertex.pos.y, min.y - edge);
      EXPECT_LE(vertex.pos.y, max.y + edge);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scale, Plots, ::testing::Values(1.0F, 2.0F));

TEST(SeriesLooks, DifferInColourAndShape) {
  const Theme theme = makeTheme(ThemeKind::kDark, 1);
  for (size_t i = 0; i < 24; ++i) {
    for (size_t j = i + 1; j < 24; ++j) {
      const MarkLook a = seriesLook(theme, i), b = seriesLook(theme, j);
      EXPECT_FALSE(a.colour == b.colour && a.shape == b.shape) << i << " " << j;
    }
    EXPECT_NE(seriesLook(theme, i).shape, seriesLook(theme, i + 1).shape);
  }
}

}  // namespace
}  // namespace warpscope
