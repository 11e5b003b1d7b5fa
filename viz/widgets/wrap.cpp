#include "viz/widgets/wrap.h"

#include <imgui.h>

#include <algorithm>

#include "viz/text/line_breaks.h"

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

}  // namespace warpscope
