#include "viz/views/activity_strip.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kHeight = 56, kGap = 4, kLeastRoom = 220;  // pixels at 100 %

ActivityKind kindOf(size_t index) {
  return static_cast<ActivityKind>(index);
}

}  // namespace

float ActivityStrip::height(const ViewInput& input, float room) {
  const bool has = input.run->activity_samples && input.run->trace.clocks.cycles_per_ns > 0;
  return has && room >= input.theme->px(kLeastRoom) ? input.theme->px(kHeight + kGap) : 0;
}

void ActivityStrip::draw(const ViewInput& input, const TimeScale& scale, float left, float top,
                         float height) {
  if (read_ != input.run) curve_ = activityCurve(*input.run->activity_samples);
  read_ = input.run;
  const Theme& theme = *input.theme;
  const float bottom = top + height - theme.px(kGap);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 min{scale.left, top}, max{scale.right, bottom};
  input.report->widget("timeline.activity", min, max);
  list.AddRectFilled(min, max, withAlpha(theme.grid_line, 0.25F));
  for (const float share : {0.0F, 0.5F, 1.0F}) {
    const float y = bottom - (bottom - top) * share;
    list.AddLine({min.x, y}, {max.x, y}, theme.grid_line);
  }
  drawNames(input, left, scale.left - theme.px(6), {top, bottom});

  const double rate = input.run->trace.clocks.cycles_per_ns;
  list.PushClipRect(min, max, true);
  for (size_t kind = kActivityKinds; kind-- > 0;) {  // the first on top
    const auto y = [&](const ActivityStep& step) {
      const auto share = static_cast<float>(std::clamp(step.percent[kind] / 100, 0.0, 1.0));
      return bottom - std::max(1.0F, (bottom - top - 1) * share);
    };
    for (size_t i = 0; i + 1 < curve_.size(); ++i) {
      const ActivityStep &step = curve_[i], &next = curve_[i + 1];
      const float begin = scale.x(step.begin_ns * rate), end = scale.x(next.begin_ns * rate);
      if (step.samples == 0 || end < min.x || begin > max.x) continue;
      const ImU32 colour = theme.series(kind);
      list.AddLine({begin, y(step)}, {end, y(step)}, colour, theme.px(1.5F));
      if (next.samples > 0) list.AddLine({end, y(step)}, {end, y(next)}, colour, theme.px(1.5F));
    }
  }
  list.PopClipRect();
  const bool over_curves = ImGui::IsMouseHoveringRect(min, max);
  const bool over_names = ImGui::IsMouseHoveringRect({left, top}, {scale.left, bottom});
  if (!ImGui::IsWindowHovered() || !(over_curves || over_names) || ImGui::IsMouseDown(0)) return;
  tell(input, over_curves ? scale.cycles(ImGui::GetIO().MousePos.x) / rate : -1e300);
}

// One under the other, each in its curve's colour.
void ActivityStrip::drawNames(const ViewInput& input, float left, float right, ImVec2 top_bottom) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float step = (top_bottom.y - top_bottom.x) / static_cast<float>(kActivityKinds);
  const float square = theme.px(7), line = ImGui::GetTextLineHeight();
  for (size_t i = 0; i < kActivityKinds; ++i) {
    const float middle = top_bottom.x + step * (static_cast<float>(i) + 0.5F);
    list.AddRectFilled({left, middle - square / 2}, {left + square, middle + square / 2}, theme.series(i));
    const float text_left = left + square + theme.px(5);
    drawTextFitted(list, input.fonts->text, {text_left, middle - line / 2}, right - text_left,
                   theme.text_quiet, fmt::format("{} %", tr(activityTitle(kindOf(i)))).c_str());
  }
}

void ActivityStrip::tell(const ViewInput& input, double ns) const {
  const ActivitySamples& samples = *input.run->activity_samples;
  Tooltip tooltip(*input.theme, *input.fonts, tr("How busy the GPU was"));
  const auto after = std::ranges::upper_bound(curve_, ns, {}, &ActivityStep::begin_ns);
  const ActivityStep* step = after == curve_.begin() ? nullptr : &*(after - 1);
  for (size_t i = 0; i < kActivityKinds; ++i) {
    const bool known = step != nullptr && step->samples > 0;
    tooltip.colourRow(tr(activityTitle(kindOf(i))), input.theme->series(i),
                      known ? fmt::format("{} %", formatSignificant(step->percent[i], 3))
                            : std::string(tr(activityHelp(kindOf(i)))));
  }
  if (step != nullptr && step->samples > 0)
    tooltip.row(tr("samples"), formatCount(static_cast<int64_t>(step->samples)));
  tooltip.note(trf(
      "Measured while {} further launches with probes ran: means over {}, laid over each other. Their times "
      "are within {} of this axis, which is of one such launch.",
      formatCount(static_cast<int64_t>(samples.launches)), formatSi(samples.interval_ns * 1e-9, "s", 3),
      formatSi(samples.uncertainty_ns * 1e-9, "s", 3)));
}

}  // namespace warpscope
