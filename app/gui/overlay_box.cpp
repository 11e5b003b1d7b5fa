#include "app/gui/overlay_box.h"

namespace warpscope {

OverlayBox::OverlayBox(const Ui& ui, const char* name, const Look& look, ImGuiWindowFlags more) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(look.padding.x), ui.px(look.padding.y)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(look.rounding));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, ui.px(1));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, look.background);
  ImGui::PushStyleColor(ImGuiCol_Border, look.border);
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   more);
}

OverlayBox::OverlayBox(const Ui& ui, const char* name, ImVec2 padding, float rounding, ImGuiWindowFlags more)
    : OverlayBox(ui, name, Look{padding, rounding, ui.theme.panel, ui.theme.accent}, more) {}

OverlayBox::~OverlayBox() {
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
}

}  // namespace warpscope
