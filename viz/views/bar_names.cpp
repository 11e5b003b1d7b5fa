#include "viz/views/bar_names.h"

#include <algorithm>
#include <cmath>

#include "viz/text/translate.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

// A long fade would leave names that cannot be read.
constexpr float kNameFade = 6, kNameMargin = 3;  // pixels at 100 %
constexpr float kNameHeightFade = 3;             // pixels
constexpr float kSameBar = 1.5F;                 // pixels between bars that are read as one

}  // namespace

BarNames::BarNames(const ViewInput& input, const RegionColours& colours, const TimeScale& scale)
    : colours_(colours),
      scale_(scale),
      font_(input.fonts->text),
      fade_(input.theme->px(kNameFade)),
      margin_(input.theme->px(kNameMargin)),
      text_height_(textSize(input.fonts->text, "X").y),
      list_(*ImGui::GetWindowDrawList()) {
  for (const Region& region : input.run->regions) {
    std::string text = tr(region.name);
    const float width = textSize(font_, text.c_str()).x;
    names_.push_back({std::move(text), width});
  }
}

void BarNames::add(RegionIndex region, float x0, float x1, float top, float bottom, float active) {
  if (bar_ && bar_->region == region && x0 - bar_->x1 <= kSameBar) {
    bar_->x1 = x1;
    bar_->least_active = std::min(bar_->least_active, active);
    bar_->most_active = std::max(bar_->most_active, active);
    return;
  }
  endRow();
  bar_ = Bar{region, x0, x1, top, bottom, active, active};
}

void BarNames::endRow() {
  if (!bar_) return;
  const Bar bar = *bar_;
  bar_.reset();
  if (bar.region >= names_.size()) return;
  const Name& name = names_[bar.region];
  const float left = std::max(bar.x0, scale_.left), right = std::min(bar.x1, scale_.right);
  const float room = right - left - name.width - 2 * margin_;
  if (room <= 0) return;
  // On the filled part, or on what is free above it.
  const bool filled = bar.least_active > text_height_;
  const float part_bottom = filled ? bar.bottom : bar.bottom - bar.most_active;
  const float part_top = filled ? bar.bottom - bar.least_active : bar.top;
  const float free = part_bottom - part_top - text_height_;
  if (free <= 0) return;
  const float seen = std::min(1.0F, room / fade_) * std::min(1.0F, free / kNameHeightFade);
  const ImU32 colour = filled ? colours_.onActive(bar.region) : colours_.onIdle(bar.region);
  // Text on pixels: a fraction of one would blur it.
  const ImVec2 at{std::round(left + margin_), std::round((part_top + part_bottom - text_height_) / 2)};
  drawText(list_, font_, at, withAlpha(colour, seen), name.text.c_str());
}

}  // namespace warpscope
