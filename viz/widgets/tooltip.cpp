#include "viz/widgets/tooltip.h"

#include <algorithm>

#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr float kNoteWidth = 420, kAroundNote = 48;  // pixels at 100 %

}  // namespace

Tooltip::Tooltip(const Theme& theme, const Fonts& fonts, const std::string& title, float label_width)
    : theme_(theme), fonts_(fonts), label_width_(theme.px(label_width)), title_(title) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(10), theme.px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(8), theme.px(3)});
  ImGui::BeginTooltip();
  pushFont(fonts.text);
  ImGui::TextUnformatted(title.c_str());
}

Tooltip::~Tooltip() {
  ImGui::PopFont();
  ImGui::EndTooltip();
  ImGui::PopStyleVar(2);
}

// The value starts at its column, or after a label that is longer.
void Tooltip::drawLabel(const char* text) {
  ImGui::PushStyleColor(ImGuiCol_Text, theme_.text_quiet);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), label_width_));
}

void Tooltip::row(const char* label, const std::string& value) {
  rows_.emplace_back(label, value);
  drawLabel(label);
  pushFont(fonts_.mono);
  ImGui::TextUnformatted(value.c_str());
  ImGui::PopFont();
}

void Tooltip::colourRow(const char* label, ImU32 colour, const std::string& value) {
  rows_.emplace_back(label, value);
  drawLabel(label);
  const float side = theme_.px(11);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = at.y + (ImGui::GetTextLineHeight() - side) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, colour);
  ImGui::Dummy({side, side});
  ImGui::SameLine();
  ImGui::TextUnformatted(value.c_str());
}

void Tooltip::note(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, theme_.text_quiet);
  // No wider than the room beside the mouse: otherwise Dear ImGui puts a part of it outside.
  const float mouse = ImGui::GetIO().MousePos.x;
  const float beside = std::max(mouse, ImGui::GetIO().DisplaySize.x - mouse) - theme_.px(kAroundNote);
  textWrapped(text, std::min(theme_.px(kNoteWidth), beside));
  ImGui::PopStyleColor();
}

}  // namespace warpscope
