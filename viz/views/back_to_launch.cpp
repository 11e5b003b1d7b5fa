#include "viz/views/back_to_launch.h"

#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {

BackToLaunch::BackToLaunch(const Canvas& canvas, ViewState& state, const TimeExtent& launch,
                           const std::string& name, ImVec2 plot_min, ImVec2 plot_max) {
  const int side = launchOutOfSight(state, launch);
  if (side == 0) return;
  const Theme& theme = *canvas.theme;
  text_ =
      side < 0 ? std::string("◂ ") + tr("back to the launch") : tr("back to the launch") + std::string(" ▸");
  const ImVec2 size = textSize(canvas.fonts->text, text_.c_str());
  const float width = size.x + theme.px(20), height = size.y + theme.px(8), gap = theme.px(8);
  min_ = {side < 0 ? plot_min.x + gap : plot_max.x - gap - width, plot_min.y + gap};
  max_ = {min_.x + width, min_.y + height};
  ImGui::SetCursorScreenPos(min_);
  const bool clicked = ImGui::InvisibleButton((name + ".back").c_str(), {width, height});
  hovered_ = ImGui::IsItemHovered();
  canvas.report->widget(name + ".back", min_, max_);
  if (clicked) fit(state);
}

void BackToLaunch::draw(const Canvas& canvas) const {
  if (text_.empty()) return;
  const Theme& theme = *canvas.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min_, max_, mixColours(theme.panel, theme.accent, hovered_ ? 0.45F : 0.25F),
                     theme.px(4));
  list.AddRect(min_, max_, theme.accent, theme.px(4));
  drawText(list, canvas.fonts->text, {min_.x + theme.px(10), min_.y + theme.px(4)}, theme.text,
           text_.c_str());
  if (!hovered_) return;
  Tooltip tooltip(theme, *canvas.fonts, trf("Back to the launch ({})", canvas.keys("time.fit")));
  tooltip.note(trf("Most of what is visible here is before or after it. {} goes back step by step.",
                   canvas.keys("window.back")));
}

}  // namespace warpscope
