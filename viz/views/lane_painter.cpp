#include "viz/views/lane_painter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/legend.h"

namespace warpscope {
namespace {

constexpr float kHatchSpacing = 7;  // pixels at 100 %
constexpr float kLeastHatched = 4;  // a narrower rectangle is filled with the hatching's mean tone

ImU32 waitingColour(const Theme& theme) {
  return mixColours(theme.background, theme.text_quiet, 0.55F);
}

// One rectangle for what lanes do; `colour` is for executing lanes. Each of its lanes is `lane_height` high.
void drawState(const Theme& theme, ImDrawList& list, LaneState state, ImU32 colour, ImVec2 min, ImVec2 max,
               float lane_height) {
  switch (state) {
    case LaneState::kExecuting:
      list.AddRectFilled(min, max, colour);
      return;
    case LaneState::kWaiting:
      if (max.x - min.x < theme.px(kLeastHatched)) {
        list.AddRectFilled(min, max, mixColours(theme.background, theme.text_quiet, 0.22F));
        return;
      }
      list.AddRectFilled(min, max, mixColours(theme.background, theme.text_quiet, 0.10F));
      drawHatch(list, min, max, waitingColour(theme), theme.px(kHatchSpacing), std::max(1.0F, theme.px(1)));
      return;
    case LaneState::kExited: {
      const float thickness = std::max(1.0F, theme.px(1));
      for (float y = min.y + lane_height / 2; y < max.y; y += lane_height) {
        list.AddRectFilled({min.x, y - thickness / 2}, {max.x, y + thickness / 2}, waitingColour(theme));
      }
      return;
    }
    case LaneState::kUnmarked:
      list.AddRectFilled(min, max, theme.grid_line);
      return;
    case LaneState::kNeverExisted:
      return;
  }
}

}  // namespace

LanePainter::LanePainter(const Theme& theme, const RegionColours& colours, const TimeScale& scale,
                         const RowGeometry& lanes)
    : theme_(theme), colours_(colours), pixels_(scale), lanes_(lanes), list_(*ImGui::GetWindowDrawList()) {}

void LanePainter::drawPending(size_t first_lane) {
  Pending& pending = pending_[first_lane];
  if (pending.lane_count == 0) return;
  const auto lane = static_cast<int>(first_lane);
  list_.AddRectFilled({pending.x0, lanes_.rowTop(lane)},
                      {pending.x1, lanes_.rowTop(lane + pending.lane_count)}, pending.colour);
  pending.lane_count = 0;
}

void LanePainter::draw(const LaneItem& item) {
  if (item.state == LaneState::kNeverExisted) return;
  const float x0 = pixels_.x(item.begin);
  const float x1 = std::max(pixels_.x(item.end), x0 + 1);
  if (item.state != LaneState::kExecuting) {
    drawState(theme_, list_, item.state, 0, {x0, lanes_.rowTop(item.first_lane)},
              {x1, lanes_.rowTop(item.first_lane + item.lane_count)}, lanes_.row_height);
    return;
  }
  const ImU32 colour = mixColours(colours_.idle(item.region), colours_.active(item.region), item.share);
  Pending& before = pending_[item.first_lane];
  if (before.lane_count == item.lane_count && before.colour == colour && before.x1 == x0) {
    before.x1 = x1;
    return;
  }
  drawPending(item.first_lane);
  before = {x0, x1, item.lane_count, colour};
}

void LanePainter::drawLines(const TraceWarp& warp) {
  for (size_t lane = 0; lane < pending_.size(); ++lane) drawPending(lane);
  const float x0 = pixels_.x(warp.begin_cycles);
  const float x1 = pixels_.x(warp.end_cycles);
  if (lanes_.row_height >= 4) {
    for (int lane = 1; lane < kWarpSize; ++lane) {
      const float y = std::round(lanes_.rowTop(lane));
      list_.AddRectFilled({x0, y - 1}, {x1, y}, theme_.background);
    }
  }
  list_.AddRectFilled({x0 - 1, lanes_.top}, {x0, lanes_.bottom}, theme_.text_quiet);
  list_.AddRectFilled({x1, lanes_.top}, {x1 + 1, lanes_.bottom}, theme_.text_quiet);
}

namespace {

struct LegendEntry {
  LaneState state;
  const char* name;
};
constexpr std::array<LegendEntry, 4> kLegend{{{LaneState::kExecuting, trMark("executing")},
                                              {LaneState::kWaiting, trMark("waiting")},
                                              {LaneState::kExited, trMark("exited")},
                                              {LaneState::kNeverExisted, trMark("never existed")}}};

std::span<const LegendEntry> legendEntries(bool some_missing) {
  return std::span(kLegend).first(some_missing ? 4 : 3);
}

float entryWidth(const Theme& theme, const Fonts& fonts, const LegendEntry& entry) {
  return theme.px(kSwatchWidth + kSwatchGap) + textSize(fonts.text, tr(entry.name)).x;
}

}  // namespace

float laneLegendWidth(const Theme& theme, const Fonts& fonts, bool some_missing) {
  float sum = 0;
  for (const LegendEntry& entry : legendEntries(some_missing)) {
    sum += entryWidth(theme, fonts, entry) + (sum > 0 ? theme.px(kEntryGap) : 0);
  }
  return sum;
}

void drawLaneLegend(const Theme& theme, const Fonts& fonts, float width, bool some_missing) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = ImGui::GetTextLineHeight() + theme.px(2);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImVec2 at = from;
  for (const LegendEntry& entry : legendEntries(some_missing)) {
    const float wide = entryWidth(theme, fonts, entry);
    if (at.x > from.x && at.x + wide > from.x + width) at = {from.x, at.y + height};
    const ImVec2 min{at.x, at.y + (height - theme.px(kSwatchHeight)) / 2};
    const ImVec2 max{min.x + theme.px(kSwatchWidth), min.y + theme.px(kSwatchHeight)};
    drawState(theme, list, entry.state, theme.region(0), min, max, theme.px(kSwatchHeight));
    list.AddRect(min, max, theme.border);
    drawText(list, fonts.text, {max.x + theme.px(kSwatchGap), at.y + theme.px(1)}, theme.text_quiet,
             tr(entry.name));
    at.x += wide + theme.px(kEntryGap);
  }
  ImGui::Dummy({std::max(1.0F, width), at.y + height - from.y});
}

}  // namespace warpscope
