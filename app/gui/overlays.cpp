// Temporary overlays over the views: the banner that reports a failure, and short notices.
#include <imgui_internal.h>

#include <algorithm>

#include "app/gui/overlay_box.h"
#include "app/gui/panels.h"
#include "viz/text/translate.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr ImGuiWindowFlags kOverlay = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_AlwaysAutoResize;

bool tooltipOver(ImVec2 min, ImVec2 max) {
  const ImVector<ImGuiWindow*>& windows = ImGui::GetCurrentContext()->Windows;
  return std::any_of(windows.begin(), windows.end(), [&](const ImGuiWindow* window) {
    return (window->Flags & ImGuiWindowFlags_Tooltip) != 0 && window->Active && !window->Hidden &&
           window->Rect().Overlaps(ImRect(min, max));
  });
}

void wrapped(ImU32 colour, const std::string& text, float width) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  textWrapped(text, width);
  ImGui::PopStyleColor();
}

void bannerButtons(const Ui& ui, const Problem& problem) {
  if (button(ui, "banner.retry", tr("Try again"))) {
    ui.model.retry();
    return;
  }
  ImGui::SameLine();
  if (button(ui, "banner.copy", tr("Copy text"))) {
    ImGui::SetClipboardText((problem.title + "\n" + problem.detail).c_str());
    notify(ui, tr("Copied the message"));
  }
  ImGui::SameLine();
  if (button(ui, "banner.dismiss", tr("Dismiss"))) ui.model.dismissProblem();
}

}  // namespace

void drawBanner(const Ui& ui, ImVec2 area_min, ImVec2 area_max) {
  if (!ui.model.problem()) return;
  const Problem problem = *ui.model.problem();
  const float width = std::min(ui.px(720), area_max.x - area_min.x - ui.px(32));
  ImGui::SetNextWindowPos(ImVec2(area_min.x + (area_max.x - area_min.x - width) / 2, area_min.y + ui.px(40)));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, area_max.y - area_min.y));
  const OverlayBox box(ui, "##banner",
                       {{18, 14}, 6, mixColours(ui.theme.panel, ui.theme.error, 0.10F), ui.theme.error},
                       OverlayBox::kPassive);
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ui.report.widget("banner", at, ImVec2(at.x + size.x, at.y + size.y));
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + ui.px(5), at.y + size.y), ui.theme.error,
                                            ui.px(6), ImDrawFlags_RoundCornersLeft);
  const float text_width = width - 2 * ui.px(18);
  wrapped(ui.theme.text, "✗ " + problem.title, text_width);
  if (!problem.detail.empty()) wrapped(ui.theme.text, trMessage(problem.detail), text_width);
  wrapped(ui.theme.text_quiet, problem.advice, text_width);
  ImGui::Dummy(ImVec2(0, ui.px(2)));
  bannerButtons(ui, problem);
}

void drawNotice(const Ui& ui, ImVec2 area_min, ImVec2 area_max) {
  if (ui.screen.notice.empty()) return;
  const double left = ui.screen.notice_until_s - ui.now_s;
  if (left <= 0) {
    ui.screen.notice.clear();
    return;
  }
  redrawIn(ui, left + 0.01);
  const float margin = ui.px(12), widest = area_max.x - area_min.x - margin * 2 - ui.px(24);
  const std::string text = brokenLines(ui.screen.notice, widest);
  const ImVec2 extent = ImGui::CalcTextSize(text.c_str()), corner(area_max.x - margin, area_max.y - margin);
  // At the right, or at the left while a tooltip is there, which would leave only a piece of it.
  const bool left_side =
      tooltipOver({corner.x - extent.x - ui.px(24), corner.y - extent.y - ui.px(16)}, corner);
  ImGui::SetNextWindowPos(ImVec2(left_side ? area_min.x + margin : corner.x, corner.y), ImGuiCond_Always,
                          ImVec2(left_side ? 0 : 1, 1));
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(area_max.x - area_min.x - margin * 2, ui.px(200)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(5));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(12), ui.px(8)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, mixColours(ui.theme.panel, ui.theme.text, 0.16F));
  ImGui::Begin("##notice", nullptr, kOverlay | ImGuiWindowFlags_NoInputs);
  ImGui::TextUnformatted(text.c_str());
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ui.report.widget("notice", at, ImVec2(at.x + size.x, at.y + size.y));
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace warpscope
