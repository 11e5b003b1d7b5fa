// What a row of the timeline draws, as triangles: the dark share of a bar is the share of lanes that is lost,
// at every height, and a name appears only where it fits.
#include "viz/views/timeline_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/gui/headless.h"
#include "viz/views/bar_names.h"

namespace warpscope::testing {
namespace {

// One warp in one region from cycle 0 to 1000.
std::shared_ptr<const warpscope::Run> runWith(LaneMask mask) {
  auto run = std::make_shared<warpscope::Run>();
  run->regions = {{RegionId{0}, "first path", 1, 1}};
  run->trace.warps.push_back({.live = kFullMask, .begin_cycles = 0, .end_cycles = 1000, .event_count = 1});
  run->trace.events.push_back({0, mask, RegionId{0}});
  run->trace.duration_cycles = 1000;
  return run;
}

class TimelineRows : public ::testing::TestWithParam<float> {
 protected:
  // The area of triangles by colour, opaque and not, of the warp's row drawn with this height and width.
  std::map<ImU32, double> areas(LaneMask mask, float height, float width, float top = 100) {
    ViewInput input;
    input.theme = &headless_.theme();
    input.fonts = &headless_.fonts();
    input.run = runWith(mask);
    const TraceLayout layout(input.run);
    const TimeScale scale{0, 1000, 100, 100 + width};
    const RegionColours colours(headless_.theme(), input.run->regions, std::nullopt, false);
    const ImDrawData& data = headless_.frame([&] {
      BarNames names(input, colours, scale);
      RowPainter painter(headless_.theme(), layout, scale, colours, 0, &names);
      EXPECT_TRUE(painter.draw(input.run->trace.warps[0], 0, top, top + height));
    });
    std::map<ImU32, double> sums;
    for (int i = 0; i < data.CmdListsCount; ++i) {
      const ImDrawList& list = *data.CmdLists[i];
      for (const ImDrawCmd& command : list.CmdBuffer) {
        for (unsigned k = 0; k + 2 < command.ElemCount; k += 3) {
          const auto vertex = [&](unsigned corner) -> const ImDrawVert& {
            return list.VtxBuffer[static_cast<int>(
                command.VtxOffset + list.IdxBuffer[static_cast<int>(command.IdxOffset + k + corner)])];
          };
          const ImVec2 a = vertex(0).pos, b = vertex(1).pos, c = vertex(2).pos;
          sums[vertex(0).col] +=
              std::abs(static_cast<double>((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y))) / 2;
        }
      }
    }
    return sums;
  }
  // The share of the bar that is drawn as lost; hatching lies over the bar.
  double lostShare(LaneMask mask, float height) {
    const auto sums = areas(mask, px(height), px(600));
    const ImU32 idle = headless_.theme().regionIdle(0);
    const double bar = areas(kFullMask, px(height), px(600)).at(headless_.theme().region(0));
    return sums.contains(idle) ? sums.at(idle) / bar : 0;
  }
  // The opacity of the name's letters, from their alpha.
  double nameOpacity(float height, float width) {
    double opacity = 0;
    for (const auto& [colour, area] : areas(kFullMask, px(height), px(width))) {
      constexpr ImU32 kRgb = ~static_cast<ImU32>(IM_COL32_A_MASK);
      if ((colour & kRgb) != (headless_.theme().onRegion(0) & kRgb)) continue;
      opacity = std::max(opacity, static_cast<double>(colour >> IM_COL32_A_SHIFT) / 255);
    }
    return opacity;
  }
  float px(float pixels) const { return headless_.theme().px(pixels); }

  Headless headless_{GetParam()};
};

TEST_P(TimelineRows, TheDarkShareOfABarIsTheShareOfLanesThatIsLost) {
  for (const float height : {4.0F, 8.0F, 13.0F, 20.0F, 32.0F, 64.0F}) {
    EXPECT_NEAR(lostShare(kFullMask, height), 0, 1e-3) << height;
    EXPECT_NEAR(lostShare(LaneMask{0x55555555}, height), 0.5, 0.03) << height;
    EXPECT_NEAR(lostShare(LaneMask{0x000000FF}, height), 0.75, 0.03) << height;
  }
}

TEST_P(TimelineRows, HatchingOfLowRowsIsMovedOnFromRowToRow) {
  const LaneMask half{0x0000FFFF};
  const auto first = areas(half, px(4), px(3), 100), second = areas(half, px(4), px(3), 100 + px(4));
  const ImU32 idle = headless_.theme().regionIdle(0);
  const auto dark = [&](const auto& sums) { return sums.contains(idle) ? sums.at(idle) : 0.0; };
  EXPECT_NE(dark(first), dark(second)) << "diagonals, not columns";
}

TEST_P(TimelineRows, ANameAppearsWhereItFitsAndNotSuddenly) {
  EXPECT_EQ(nameOpacity(30, 300), 1);
  EXPECT_EQ(nameOpacity(30, 20), 0) << "too narrow";
  EXPECT_EQ(nameOpacity(8, 300), 0) << "too low";
  double last = 0, most_at_once = 0;
  for (float width = 30; width < 200; width += 1) {
    const double opacity = nameOpacity(30, width);
    EXPECT_GE(opacity, last);
    most_at_once = std::max(most_at_once, opacity - last);
    last = opacity;
  }
  EXPECT_EQ(last, 1);
  EXPECT_LT(most_at_once, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Scale, TimelineRows, ::testing::Values(1.0F, 1.5F, 3.0F));

}  // namespace
}  // namespace warpscope::testing
