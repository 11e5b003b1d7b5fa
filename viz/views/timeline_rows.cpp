#include "viz/views/timeline_rows.h"

#include <algorithm>
#include <cmath>

#include "viz/layout/lane_runs.h"

namespace warpscope {
namespace {

constexpr float kDimmedShare = 0.35F;    // share of the way to the background
constexpr float kUnmarkedShare = 0.65F;  // while another region is marked

}  // namespace

RegionColours::RegionColours(const Theme& theme, std::span<const Region> regions,
                             std::optional<RegionId> marked, bool dimmed, std::span<const size_t> colours) {
  pairs_.reserve(regions.size() + 1);
  for (size_t i = 0; i <= regions.size(); ++i) {
    const bool known = i < regions.size();
    const size_t colour = i < colours.size() ? colours[i] : i;
    Pair pair{known ? theme.region(colour) : theme.text_quiet,
              known ? theme.regionIdle(colour) : mixColours(theme.background, theme.text_quiet, 0.2F)};
    float faded = dimmed ? kDimmedShare : 0;
    if (marked && !(known && regions[i].id == *marked)) faded = std::max(faded, kUnmarkedShare);
    pair.active = mixColours(pair.active, theme.background, faded);
    pair.idle = mixColours(pair.idle, theme.background, faded);
    pairs_.push_back(pair);
  }
}

RowPainter::RowPainter(const Theme& theme, const TraceLayout& layout, const TimeScale& scale,
                       const RegionColours& colours, double fold_cycles)
    : theme_(theme),
      layout_(layout),
      scale_(scale),
      colours_(colours),
      fold_cycles_(fold_cycles),
      list_(*ImGui::GetWindowDrawList()) {}

bool RowPainter::draw(const TraceWarp& warp, uint32_t index, float top, float bottom) {
  const float x0 = scale_.x(static_cast<double>(warp.begin_cycles));
  const float x1 = scale_.x(static_cast<double>(warp.end_cycles));
  if (x1 < scale_.left || x0 > scale_.right) return false;
  const bool stripes = bottom - top >= theme_.px(kStripesFromHeight);
  // Draws the warp's whole life, whatever the marks say, as high as its number of lanes.
  const float live_height = (bottom - top) * static_cast<float>(warp.live.count()) / float{kWarpSize};
  const float resident_top = stripes ? top : bottom - live_height;
  list_.AddRectFilled({x0, resident_top}, {std::max(x1, x0 + 1), resident_top + live_height},
                      theme_.grid_line);
  items_.clear();
  layout_.collect(index, scale_.begin_cycles, scale_.end_cycles, fold_cycles_, items_);
  for (const DrawItem& item : items_) {
    if (stripes && !item.folded()) {
      drawStripes(item, warp.live, top, bottom);
    } else {
      drawShare(item, warp.live, top, bottom);
    }
  }
  // Its ends are emphasised if there is room.
  if (bottom - top >= theme_.px(8)) {
    list_.AddRectFilled({x0 - 1, top}, {x0, bottom}, theme_.text_quiet);
    list_.AddRectFilled({x1, top}, {x1 + 1, bottom}, theme_.text_quiet);
  }
  return true;
}

void RowPainter::drawFold(const RowItem& item, double lanes, float top, float bottom) const {
  const float height = bottom - top;
  const auto height_of = [&](double share) { return height * static_cast<float>(share); };
  const float x0 = scale_.x(static_cast<double>(item.begin));
  const float x1 = std::max(scale_.x(static_cast<double>(item.end)), x0 + 1);
  list_.AddRectFilled({x0, bottom - height_of(item.liveShare(lanes))}, {x1, bottom}, theme_.grid_line);
  if (item.region == kNoRegion) return;
  drawBar(item.region, x0, x1, bottom, height_of(item.liveShare(lanes)), height_of(item.share(lanes)));
}

void RowPainter::drawShare(const DrawItem& item, LaneMask live, float top, float bottom) const {
  const float x0 = scale_.x(static_cast<double>(item.begin));
  const float x1 = std::max(scale_.x(static_cast<double>(item.end)), x0 + 1);
  const float height = bottom - top;
  drawBar(item.region, x0, x1, bottom, height * static_cast<float>(live.count()) / float{kWarpSize},
          height * static_cast<float>(item.share()));
}

void RowPainter::drawBar(RegionIndex region, float x0, float x1, float bottom, float live,
                         float active) const {
  float active_top = bottom - active;
  // Even a single lane of 32 must be visible.
  if (active > 0) active_top = std::min(active_top, bottom - 1);
  if (bottom - live < active_top)
    list_.AddRectFilled({x0, bottom - live}, {x1, active_top}, colours_.idle(region));
  if (active > 0) list_.AddRectFilled({x0, active_top}, {x1, bottom}, colours_.active(region));
}

void RowPainter::drawStripes(const DrawItem& item, LaneMask live, float top, float bottom) const {
  const float x0 = scale_.x(static_cast<double>(item.begin));
  const float x1 = std::max(scale_.x(static_cast<double>(item.end)), x0 + 1);
  const float lane_height = (bottom - top) / float{kWarpSize};
  const auto stripes = [&](LaneMask mask, ImU32 colour) {
    forEachLaneRun(mask, [&](int first, int count) {
      list_.AddRectFilled({x0, top + lane_height * static_cast<float>(first)},
                          {x1, top + lane_height * static_cast<float>(first + count)}, colour);
    });
  };
  stripes(live & ~item.mask, colours_.idle(item.region));
  stripes(item.mask, colours_.active(item.region));
}

}  // namespace warpscope
