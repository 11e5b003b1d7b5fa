#include "viz/widgets/text_block.h"

#include <imgui.h>

#include <algorithm>

#include "viz/text/line_breaks.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {

std::string brokenLines(const std::string& text, float width) {
  return brokenLines(text, width, [](std::string_view part) {
    return ImGui::CalcTextSize(part.data(), part.data() + part.size()).x;
  });
}

void textWrapped(const std::string& text, float width) {
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  // Rounding must not wrap lines that are already broken.
  ImGui::TextUnformatted(brokenLines(text, width - 1).c_str());
  ImGui::PopTextWrapPos();
}

void textWrapped(const std::string& text) {
  textWrapped(text, std::max(ImGui::GetContentRegionAvail().x, 1.0F));
}

void drawMessage(const Theme& theme, const Fonts& fonts, ImVec2 min, ImVec2 max, const std::string& text) {
  pushFont(fonts.text);
  const float width = std::max(theme.px(40), std::min(max.x - min.x - theme.px(24), theme.px(520)));
  const std::string lines = brokenLines(text, width);
  const ImVec2 size = ImGui::CalcTextSize(lines.c_str(), nullptr, false, width);
  const ImVec2 at{(min.x + max.x - size.x) / 2, std::max(min.y, (min.y + max.y - size.y) / 2)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  // Otherwise grid lines would run through the words.
  const float margin = theme.px(6);
  list.AddRectFilled({at.x - margin, at.y - margin}, {at.x + size.x + margin, at.y + size.y + margin},
                     ImGui::GetColorU32(ImGuiCol_ChildBg));
  list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, theme.text_quiet, lines.c_str(), nullptr, width);
  ImGui::PopFont();
}

void drawMessage(const Theme& theme, const Fonts& fonts, const std::string& text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  drawMessage(theme, fonts, at, {at.x + room.x, at.y + room.y}, text);
}

}  // namespace warpscope
