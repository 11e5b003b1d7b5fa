#include "viz/widgets/theme.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/colours.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

ImU32 opaque(Rgb colour) {
  return IM_COL32(colour.red, colour.green, colour.blue, 255);
}

ImU32 channel(ImU32 colour, int shift) {
  return (colour >> shift) & 0xFFU;
}

const PageColours& pageColours(ThemeKind kind) {
  return kind == ThemeKind::kLight          ? kLightPage
         : kind == ThemeKind::kHighContrast ? kHighContrastPage
                                            : kDarkPage;
}

}  // namespace

ImU32 mixColours(ImU32 from, ImU32 to, float share) {
  const float kept = 1 - std::clamp(share, 0.0F, 1.0F);
  const auto mixed = [&](int shift) {
    const float value =
        static_cast<float>(channel(from, shift)) * kept + static_cast<float>(channel(to, shift)) * (1 - kept);
    return static_cast<ImU32>(std::lround(value));
  };
  return IM_COL32(mixed(IM_COL32_R_SHIFT), mixed(IM_COL32_G_SHIFT), mixed(IM_COL32_B_SHIFT),
                  mixed(IM_COL32_A_SHIFT));
}

ImU32 withAlpha(ImU32 colour, float alpha) {
  const auto a = static_cast<ImU32>(std::lround(255 * std::clamp(alpha, 0.0F, 1.0F)));
  return (colour & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

ImU32 Theme::region(size_t index) const {
  return opaque(regionColour(index, pageColours(kind)));
}

namespace {

ImU32 faint(const Theme& theme, ImU32 colour) {
  return mixColours(theme.background, colour, theme.kind == ThemeKind::kHighContrast ? 0.30F : 0.22F);
}

}  // namespace

ImU32 Theme::regionIdle(size_t index) const {
  return faint(*this, region(index));
}

ImU32 Theme::series(size_t index) const {
  return opaque(seriesColour(index, pageColours(kind)));
}

ImU32 Theme::seriesIdle(size_t index) const {
  return faint(*this, series(index));
}

ImU32 Theme::onSeries(size_t index) const {
  return opaque(textOn(seriesColour(index, pageColours(kind))));
}

ImU32 Theme::onRegion(size_t index) const {
  return opaque(textOn(regionColour(index, pageColours(kind))));
}

ImU32 Theme::wait(Wait tone) const {
  return opaque(waitColour(static_cast<size_t>(tone), pageColours(kind)));
}

Theme makeTheme(ThemeKind kind, float scale) {
  const PageColours& page = pageColours(kind);
  Theme theme{.kind = kind,
              .background = opaque(page.background),
              .panel = opaque(page.panel),
              .border = opaque(page.border),
              .grid_line = opaque(page.grid_line),
              .text = opaque(page.text),
              .text_quiet = opaque(page.text_quiet),
              .accent = opaque(page.accent),
              .ok = opaque(page.ok),
              .warning = opaque(page.warning),
              .error = opaque(page.error)};
  theme.scale = std::clamp(scale, 0.75F, 3.0F);
  return theme;
}

void applyTheme(const Theme& theme) {
  ImGuiStyle style;
  style.WindowPadding = {8, 8};
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 6};
  style.ItemInnerSpacing = {6, 4};
  style.WindowRounding = 0;
  style.ChildRounding = 4;
  style.FrameRounding = 4;
  style.GrabRounding = 4;
  style.PopupRounding = 4;
  style.ScrollbarSize = 12;
  style.GrabMinSize = 12;
  style.WindowBorderSize = 0;
  style.FrameBorderSize = theme.kind == ThemeKind::kHighContrast ? 1.0F : 0.0F;
  style.ScaleAllSizes(theme.scale);

  const auto set = [&](ImGuiCol slot, ImU32 colour) {
    style.Colors[slot] = ImGui::ColorConvertU32ToFloat4(colour);
  };
  const ImU32 frame = mixColours(theme.panel, theme.text, 0.08F);
  const ImU32 frame_hovered = mixColours(theme.panel, theme.text, 0.15F);
  const ImU32 frame_active = mixColours(theme.panel, theme.accent, 0.40F);
  const bool dark = theme.kind != ThemeKind::kLight;
  dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.text_quiet);
  set(ImGuiCol_WindowBg, theme.panel);
  set(ImGuiCol_ChildBg, theme.background);
  set(ImGuiCol_ModalWindowDimBg, withAlpha(theme.panel, 0.55F));
  set(ImGuiCol_PopupBg, mixColours(theme.panel, theme.background, 0.3F));
  set(ImGuiCol_Border, theme.border);
  set(ImGuiCol_FrameBg, frame);
  set(ImGuiCol_FrameBgHovered, frame_hovered);
  set(ImGuiCol_FrameBgActive, frame_active);
  set(ImGuiCol_Button, frame);
  set(ImGuiCol_ButtonHovered, frame_hovered);
  set(ImGuiCol_ButtonActive, frame_active);
  set(ImGuiCol_Header, frame);
  set(ImGuiCol_HeaderHovered, frame_hovered);
  set(ImGuiCol_HeaderActive, frame_active);
  set(ImGuiCol_CheckMark, theme.accent);
  set(ImGuiCol_SliderGrab, theme.accent);
  set(ImGuiCol_SliderGrabActive, mixColours(theme.accent, theme.text, 0.35F));
  set(ImGuiCol_Separator, theme.border);
  set(ImGuiCol_ScrollbarBg, theme.background);
  set(ImGuiCol_ScrollbarGrab, theme.border);
  set(ImGuiCol_ScrollbarGrabHovered, mixColours(theme.border, theme.text, 0.2F));
  set(ImGuiCol_ScrollbarGrabActive, mixColours(theme.border, theme.text, 0.4F));
  set(ImGuiCol_TitleBg, theme.panel);
  set(ImGuiCol_TitleBgActive, theme.panel);
  set(ImGuiCol_MenuBarBg, theme.panel);
  set(ImGuiCol_Tab, theme.panel);
  set(ImGuiCol_TabHovered, frame_hovered);
  set(kTabSelectedColour, frame_active);
  set(ImGuiCol_PlotHistogram, theme.accent);
  set(ImGuiCol_TableHeaderBg, theme.panel);
  set(ImGuiCol_TableBorderStrong, theme.border);
  set(ImGuiCol_TableBorderLight, theme.grid_line);
  set(ImGuiCol_TextSelectedBg, withAlpha(theme.accent, 0.35F));
  set(kNavCursorColour, theme.accent);
  ImGui::GetStyle() = style;
}

}  // namespace warpscope
