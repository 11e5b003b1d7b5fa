#include "viz/views/timeline_rows.h"

#include <algorithm>
#include <cmath>

#include "viz/layout/lane_runs.h"
#include "viz/views/bar_names.h"

namespace warpscope {
namespace {

constexpr float kSamePixels = 0.5F;      // a difference that nobody sees
constexpr float kDimmedShare = 0.35F;    // share of the way to the background
constexpr float kUnmarkedShare = 0.65F;  // while another region is marked
constexpr float kHatchSpacing = 8;       // pixels at 100 %
constexpr float kLeastHatched = 0.02F;   // of a bar's lanes: less is not worth a mark

}  // namespace

RegionColours::RegionColours(const Theme& theme, std::span<const Region> regions,
                             std::optional<RegionId> marked, bool dimmed, std::span<const size_t> colours) {
  pairs_.reserve(regions.size() + 1);
  for (size_t i = 0; i <= regions.size(); ++i) {
    const bool known = i < regions.size();
    const size_t colour = i < colours.size() ? colours[i] : i;
    Pair pair{.active = known ? theme.region(colour) : theme.text_quiet,
              .idle = known ? theme.regionIdle(colour) : mixColours(theme.background, theme.text_quiet, 0.2F),
              .on_active = known ? theme.onRegion(colour) : theme.background,
              .on_idle = theme.text};
    float faded = dimmed ? kDimmedShare : 0;
    if (marked && !(known && regions[i].id == *marked)) faded = std::max(faded, kUnmarkedShare);
    pair.active = mixColours(pair.active, theme.background, faded);
    pair.idle = mixColours(pair.idle, theme.background, faded);
    if (faded > 0.5F) pair.on_active = theme.text_quiet;
    if (faded > 0) pair.on_idle = theme.text_quiet;
    pairs_.push_back(pair);
  }
}

RowPainter::RowPainter(const Theme& theme, const TraceLayout& layout, const TimeScale& scale,
                       const RegionColours& colours, double fold_cycles, BarNames* names)
    : theme_(theme),
      layout_(layout),
      scale_(scale),
      pixels_(scale),
      colours_(colours),
      fold_cycles_(fold_cycles),
      names_(names),
      rects_(*ImGui::GetWindowDrawList()) {}

bool RowPainter::draw(const TraceWarp& warp, uint32_t index, float top, float bottom) {
  const float x0 = pixels_.x(warp.begin_cycles);
  const float x1 = pixels_.x(warp.end_cycles);
  if (x1 < scale_.left || x0 > scale_.right) return false;
  const bool stripes = bottom - top >= std::max(theme_.px(kStripesFromHeight), float{kWarpSize});
  // Lanes have the same whole number of pixels each: otherwise every other one would look wider.
  if (stripes) bottom = top + std::floor((bottom - top) / float{kWarpSize}) * float{kWarpSize};
  const bool named = names_ != nullptr && names_->fit(bottom - top);
  // Draws the warp's whole life, whatever the marks say, as high as its number of lanes.
  const float live_height = (bottom - top) * static_cast<float>(warp.live.count()) / float{kWarpSize};
  const float resident_top = stripes ? top : bottom - live_height;
  rects_.add({x0, resident_top}, {std::max(x1, x0 + 1), resident_top + live_height}, theme_.grid_line);
  items_.clear();
  layout_.collect(index, scale_.begin_cycles, scale_.end_cycles, fold_cycles_, items_);
  for (const DrawItem& item : items_) {
    const Bar bar = barOf(item, warp.live);
    const bool striped = stripes && !item.folded();
    striped ? drawStripes(item, warp.live, top, bottom) : addBar(bar, top, bottom);
    if (!named || item.folded()) continue;
    // A name is readable only on lanes that do the same.
    const float filled = !striped || (bar.active >= bar.live && bar.live >= 1) ? bar.active : 0;
    if (striped && filled <= 0) continue;
    rects_.flush();
    names_->add(item.region, bar.x0, bar.x1, top, bottom, (bottom - top) * filled);
  }
  flushBar(top, bottom);
  rects_.flush();
  if (named) names_->endRow();
  // Its ends are emphasised if there is room.
  if (bottom - top >= theme_.px(8)) {
    rects_.add({x0 - 1, top}, {x0, bottom}, theme_.text_quiet);
    rects_.add({x1, top}, {x1 + 1, bottom}, theme_.text_quiet);
  }
  rects_.flush();
  return true;
}

void RowPainter::drawFold(const RowItem& item, double lanes, float top, float bottom) {
  const float x0 = pixels_.x(item.begin);
  const float x1 = std::max(pixels_.x(item.end), x0 + 1);
  const auto live = static_cast<float>(item.liveShare(lanes));
  rects_.add({x0, bottom - (bottom - top) * live}, {x1, bottom}, theme_.grid_line);
  if (item.region != kNoRegion)
    drawBar({item.region, x0, x1, live, static_cast<float>(item.share(lanes))}, top, bottom);
}

RowPainter::Bar RowPainter::barOf(const DrawItem& item, LaneMask live) const {
  const float x0 = pixels_.x(item.begin);
  return {item.region, x0, std::max(pixels_.x(item.end), x0 + 1),
          static_cast<float>(live.count()) / float{kWarpSize}, static_cast<float>(item.share())};
}

void RowPainter::addBar(const Bar& bar, float top, float bottom) {
  const float pixels =
      std::max(bottom - top, theme_.px(kHatchSpacing)) * std::abs(bar.active - pending_.active);
  if (bar.region == pending_.region && bar.live == pending_.live && pixels < kSamePixels &&
      std::abs(bar.x0 - pending_.x1) < kSamePixels) {
    pending_.x1 = bar.x1;
    return;
  }
  flushBar(top, bottom);
  pending_ = bar;
}

void RowPainter::flushBar(float top, float bottom) {
  if (pending_.region != kNoRegion) drawBar(pending_, top, bottom);
  pending_ = {};
}

void RowPainter::drawBar(const Bar& bar, float top, float bottom) {
  const float height = bottom - top;
  if (height < theme_.px(kHatchedBelowHeight)) return drawHatched(bar, top, bottom);
  const float live_top = bottom - height * bar.live;
  float active_top = bottom - height * bar.active;
  // Even a single lane of 32 must be visible.
  if (bar.active > 0) active_top = std::min(active_top, bottom - 1);
  if (live_top < active_top) rects_.add({bar.x0, live_top}, {bar.x1, active_top}, colours_.idle(bar.region));
  if (bar.active > 0) rects_.add({bar.x0, active_top}, {bar.x1, bottom}, colours_.active(bar.region));
}

void RowPainter::drawHatched(const Bar& bar, float top, float bottom) {
  const float height = bottom - top;
  const float live_top = std::min(bottom - height * bar.live, bottom - 1);
  const float lost = bar.live <= 0 ? 0 : 1 - bar.active / bar.live;
  if (lost < 1) rects_.add({bar.x0, live_top}, {bar.x1, bottom}, colours_.active(bar.region));
  if (lost < kLeastHatched) return;
  const float spacing = theme_.px(kHatchSpacing);
  const float dark = lost >= 1 ? spacing : std::clamp(spacing * lost, 1.0F, spacing - 1);
  // Diagonals of upright pieces: each row's are moved on by its height.
  const float phase = std::floor((top + bottom) / 2);
  const float first = std::floor((bar.x0 + phase) / spacing) * spacing - phase;
  rects_.addStrokes({bar.x0, live_top}, {bar.x1, bottom}, first, spacing, dark, colours_.idle(bar.region));
}

void RowPainter::drawStripes(const DrawItem& item, LaneMask live, float top, float bottom) {
  const float x0 = pixels_.x(item.begin);
  const float x1 = std::max(pixels_.x(item.end), x0 + 1);
  const float lane_height = (bottom - top) / float{kWarpSize};
  const auto y = [&](int lane) { return top + lane_height * static_cast<float>(lane); };
  const auto stripes = [&](LaneMask mask, ImU32 colour) {
    forEachLaneRun(mask, [&](int first, int count) {
      rects_.add({x0, y(first)}, {x1, y(first + count)}, colour);
    });
  };
  stripes(live & ~item.mask, colours_.idle(item.region));
  stripes(item.mask, colours_.active(item.region));
}

}  // namespace warpscope
