// The differences between Dear ImGui 1.86, 1.90 and 1.92: the only place that checks the version (except for
// uploading the font atlas, which is part of the window, and the queue of input, app/gui/queued_input.cpp).
#pragma once

#include <imgui.h>

#include <cstddef>
#include <span>

namespace warpscope {

// Input that arrives between two frames is queued by Dear ImGui itself.
inline constexpr bool kInputIsQueued = IMGUI_VERSION_NUM >= 18700;

// The version that the committed pictures of tests were drawn with: others place and smooth text differently.
inline constexpr bool kDrawsAsPictures = IMGUI_VERSION_NUM >= 18600 && IMGUI_VERSION_NUM < 18700;

// The size at which the font was loaded. Since 1.92 fonts have no size of their own, only the one asked for.
inline float fontSize(const ImFont& font) {
#if IMGUI_VERSION_NUM >= 19200
  return font.LegacySize;
#else
  return font.FontSize;
#endif
}

// The characters that a font has in the atlas, at the size at which it was loaded. Valid until more
// characters are drawn.
inline std::span<const ImFontGlyph> glyphsOf(ImFont& font) {
#if IMGUI_VERSION_NUM >= 19200
  const ImVector<ImFontGlyph>& glyphs = font.GetFontBaked(fontSize(font))->Glyphs;
#else
  const ImVector<ImFontGlyph>& glyphs = font.Glyphs;
#endif
  return {glyphs.Data, static_cast<size_t>(glyphs.Size)};
}

// Pixels from the upper edge of a line to its baseline.
inline float ascentOf(ImFont& font) {
#if IMGUI_VERSION_NUM >= 19200
  return font.GetFontBaked(fontSize(font))->Ascent;
#else
  return font.Ascent;
#endif
}

inline float advanceOf(ImFont& font, ImWchar character) {
#if IMGUI_VERSION_NUM >= 19200
  return font.GetFontBaked(fontSize(font))->GetCharAdvance(character);
#else
  return font.GetCharAdvance(character);
#endif
}

// The first of the files that a font was made from; nullptr if there is none.
inline const ImFontConfig* fontConfig(const ImFont& font) {
#if IMGUI_VERSION_NUM >= 19200
  return font.Sources.empty() ? nullptr : font.Sources[0];
#else
  return font.ConfigData;
#endif
}

// Whether the edit that a text field reports is Escape's: since 1.91.7 the text that was there before comes
// back as an edit; earlier it came back without one.
inline bool isReset([[maybe_unused]] const ImGuiInputTextCallbackData& data) {
#if IMGUI_VERSION_NUM >= 19170
  return data.EventFlag == ImGuiInputTextFlags_CallbackEdit && ImGui::IsKeyPressed(ImGuiKey_Escape);
#else
  return false;
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

// What stands for the mouse in the frame that begins.
inline void pointAt(ImVec2 place) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMousePosEvent(place.x, place.y);
#else
  ImGui::GetIO().MousePos = place;
#endif
}

inline void pressPointer(ImGuiMouseButton button, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseButtonEvent(button, down);
#else
  ImGui::GetIO().MouseDown[button] = down;
#endif
}

inline void turnPointerWheel(float notches) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseWheelEvent(0, notches);
#else
  ImGui::GetIO().MouseWheel += notches;
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
