// Where Dear ImGui 1.86, 1.90 and 1.92 differ: the only place that asks which it is (but for uploading the
// font atlas, which is the window's).
#pragma once

#include <imgui.h>

namespace warpscope {

// Input that comes between two frames is queued by Dear ImGui itself.
inline constexpr bool kInputIsQueued = IMGUI_VERSION_NUM >= 18700;

// The size at which the font was loaded. Since 1.92 fonts have no size of their own, only the one asked for.
inline float fontSize(const ImFont& font) {
#if IMGUI_VERSION_NUM >= 19200
  return font.LegacySize;
#else
  return font.FontSize;
#endif
}

// Undone by ImGui::PopFont.
inline void pushFont(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, fontSize(*font));
#else
  ImGui::PushFont(font);
#endif
}

// Renamed in 1.90.9 and 1.91.4.
#if IMGUI_VERSION_NUM >= 19090
inline constexpr ImGuiCol kTabSelectedColour = ImGuiCol_TabSelected;
#else
inline constexpr ImGuiCol kTabSelectedColour = ImGuiCol_TabActive;
#endif
#if IMGUI_VERSION_NUM >= 19140
inline constexpr ImGuiCol kNavCursorColour = ImGuiCol_NavCursor;
#else
inline constexpr ImGuiCol kNavCursorColour = ImGuiCol_NavHighlight;
#endif

}  // namespace warpscope
