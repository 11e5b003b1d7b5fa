#include "app/gui/pages/run_panels.h"

#include <algorithm>

#include "viz/views/view.h"

namespace warpscope {
namespace {

// Pixels at 100 %:
constexpr float kNarrowestColumn = 252;                               // occupancy and bandwidth
constexpr float kLivePlotHeight = 97;                                 // with its gap and the line above it
constexpr float kLeastTimelineHeight = 245, kLeastLanesHeight = 200;  // beside a tall column
constexpr float kLeastTimelineShare = 0.55F;
constexpr float kViewMargin = 6;
constexpr size_t kMostBars =
    10;  // bars of bandwidth for which panels make room; if there are more, they scroll

// The least heights of occupancy and bandwidth, one above the other, in pixels at 100 %. They are the same
// for all families, so that choosing one moves no panel.
struct ColumnNeeds {
  float occupancy = 0, bandwidth = 0;
  float sum() const { return occupancy + kPanelGap + bandwidth; }
};

ColumnNeeds columnNeeds(const Model& model) {
  size_t bars = 0;
  for (const FamilyInfo* family : model.choice().families()) bars = std::max(bars, family->variants.size());
  bars = std::min(bars, kMostBars);
  constexpr float kAround = kPanelTitle + kViewMargin;
  return {kAround + kLeastOccupancyHeight, kAround + kBandwidthRowHeight * static_cast<float>(bars)};
}

}  // namespace

RunPanels layOutRunPanels(const Ui& ui, const PageArea& area) {
  const PanelSizes& sizes = ui.screen.panels;
  const float gap = ui.px(kPanelGap);
  const float left = area.min.x, top = area.min.y, right = area.max.x, bottom = area.max.y;
  const auto split = [gap](float from, float to, float share) {
    return from + (to - from - gap) * std::clamp(share, 0.05F, 0.95F);
  };
  const ColumnNeeds needs = columnNeeds(ui.model);
  // In a low window occupancy and bandwidth take the whole height, to the right of the timeline. This does
  // not depend on where the splitters are: dragging one rearranges nothing.
  const float usual_share = PanelSizes{}.timeline_share;
  const bool tall = (bottom - top - gap) * (1 - usual_share) < ui.px(needs.sum());
  float timeline_bottom = split(top, bottom, sizes.timeline_share);
  if (tall) {
    const float least =
        std::max(bottom - top - ui.px(kLeastLanesHeight), (bottom - top) * kLeastTimelineShare);
    timeline_bottom = std::max(timeline_bottom, top + std::min(ui.px(kLeastTimelineHeight), least));
  }
  const float below = timeline_bottom + gap;
  const float column = std::min(ui.px(kNarrowestColumn), (right - left) * 0.4F);
  float lanes_right = split(left, right, sizes.lanes_share);
  const float code_right = std::min(split(lanes_right + gap, right, sizes.code_share), right - column - gap);
  lanes_right = std::min(lanes_right, left + (code_right - left) * 0.9F);
  const float column_top = tall ? top : below;
  float occupancy_bottom = split(column_top, bottom, sizes.occupancy_share);
  // Height that one of the two can spare goes to the other; the live plot comes after all bars.
  if (bottom - column_top >= ui.px(needs.sum())) {
    const float least = column_top + ui.px(needs.occupancy);
    const float spare = ui.px(kLivePlotHeight);
    occupancy_bottom =
        std::clamp(occupancy_bottom, least, std::max(least, bottom - gap - ui.px(needs.bandwidth) - spare));
  }
  return {.timeline = {{left, top}, {tall ? code_right : right, timeline_bottom}},
          .lanes = {{left, below}, {lanes_right, bottom}},
          .code = {{lanes_right + gap, below}, {code_right, bottom}},
          .occupancy = {{code_right + gap, column_top}, {right, occupancy_bottom}},
          .bandwidth = {{code_right + gap, occupancy_bottom + gap}, {right, bottom}}};
}

void drawRunSplitters(const Ui& ui, const RunPanels& panels) {
  const float gap = ui.px(kPanelGap);
  PanelSizes& sizes = ui.screen.panels;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  // The mouse position as a share of [from, to]; a splitter moves so that its middle is under the mouse.
  const auto share = [gap](float position, float from, float to) {
    return std::clamp((position - gap / 2 - from) / std::max(to - from - gap, 1.0F), 0.08F, 0.92F);
  };
  const RunPanels& p = panels;
  if (splitter(ui, "splitter.timeline",
               {{p.timeline.min.x, p.timeline.max.y}, {p.timeline.max.x, p.lanes.min.y}}, false)) {
    sizes.timeline_share = share(mouse.y, p.timeline.min.y, p.lanes.max.y);
  }
  if (splitter(ui, "splitter.lanes", {{p.lanes.max.x, p.lanes.min.y}, {p.code.min.x, p.lanes.max.y}}, true)) {
    sizes.lanes_share = share(mouse.x, p.lanes.min.x, p.bandwidth.max.x);
  }
  if (splitter(ui, "splitter.code", {{p.code.max.x, p.occupancy.min.y}, {p.bandwidth.min.x, p.code.max.y}},
               true)) {
    sizes.code_share = share(mouse.x, p.code.min.x, p.bandwidth.max.x);
  }
  if (splitter(ui, "splitter.occupancy",
               {{p.occupancy.min.x, p.occupancy.max.y}, {p.occupancy.max.x, p.bandwidth.min.y}}, false)) {
    sizes.occupancy_share = share(mouse.y, p.occupancy.min.y, p.bandwidth.max.y);
  }
}

}  // namespace warpscope
