#include "viz/widgets/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

constexpr size_t kPaletteSize = 8;
using Palette = std::array<ImU32, kPaletteSize>;

// M. Okabe and K. Ito, "Color Universal Design" (jfly.uni-koeln.de/color), its black replaced by a grey;
// ordered so that neighbours also differ in lightness: they stay apart in greyscale and on a washed-out
// projector.
constexpr Palette kOkabeIto{
    IM_COL32(0x56, 0xB4, 0xE9, 255),  // sky blue
    IM_COL32(0xD5, 0x5E, 0x00, 255),  // vermillion
    IM_COL32(0xF0, 0xE4, 0x42, 255),  // yellow
    IM_COL32(0x00, 0x9E, 0x73, 255),  // bluish green
    IM_COL32(0xE6, 0x9F, 0x00, 255),  // orange
    IM_COL32(0x00, 0x72, 0xB2, 255),  // blue
    IM_COL32(0xCC, 0x79, 0xA7, 255),  // reddish purple
    IM_COL32(0xC4, 0xC8, 0xCE, 255),  // grey
};

// The same hues, dark enough to stand on white.
constexpr Palette kOkabeItoOnWhite{
    IM_COL32(0x3A, 0x9F, 0xDA, 255), IM_COL32(0xC0, 0x4F, 0x00, 255), IM_COL32(0xD8, 0xBE, 0x00, 255),
    IM_COL32(0x00, 0x82, 0x5E, 255), IM_COL32(0xDD, 0x92, 0x00, 255), IM_COL32(0x00, 0x5C, 0x94, 255),
    IM_COL32(0xBF, 0x5F, 0x95, 255), IM_COL32(0x6E, 0x74, 0x7C, 255),
};

// Muted, and off the hues above: indigo, teal, slate, olive, rose, brown, as Theme::Wait names them.
constexpr std::array<ImU32, 6> kWaits{
    IM_COL32(0x8C, 0x82, 0xD8, 255), IM_COL32(0x5F, 0xB3, 0xB3, 255), IM_COL32(0x7F, 0x8A, 0x9A, 255),
    IM_COL32(0x9B, 0xA3, 0x5A, 255), IM_COL32(0xC4, 0x7A, 0x8C, 255), IM_COL32(0xB0, 0x8D, 0x6E, 255),
};
constexpr std::array<ImU32, 6> kWaitsOnWhite{
    IM_COL32(0x5A, 0x4F, 0xB0, 255), IM_COL32(0x2F, 0x85, 0x85, 255), IM_COL32(0x6A, 0x74, 0x84, 255),
    IM_COL32(0x6F, 0x7A, 0x2A, 255), IM_COL32(0xA3, 0x4E, 0x63, 255), IM_COL32(0x83, 0x60, 0x3F, 255),
};

const Palette& paletteOf(ThemeKind kind) {
  return kind == ThemeKind::kLight ? kOkabeItoOnWhite : kOkabeIto;
}

ImU32 channel(ImU32 colour, int shift) {
  return (colour >> shift) & 0xFFU;
}

Theme darkTheme() {
  return {.kind = ThemeKind::kDark,
          .background = IM_COL32(0x10, 0x12, 0x17, 255),
          .panel = IM_COL32(0x19, 0x1C, 0x23, 255),
          .border = IM_COL32(0x33, 0x39, 0x45, 255),
          .grid_line = IM_COL32(0x26, 0x2B, 0x34, 255),
          .text = IM_COL32(0xE6, 0xE9, 0xEE, 255),
          .text_quiet = IM_COL32(0x9A, 0xA3, 0xB2, 255),
          .accent = IM_COL32(0x7A, 0xA2, 0xF7, 255),
          .ok = IM_COL32(0x6F, 0xD0, 0x8C, 255),
          .warning = IM_COL32(0xF2, 0xC1, 0x4E, 255),
          .error = IM_COL32(0xFF, 0x7B, 0x72, 255)};
}

Theme lightTheme() {
  return {.kind = ThemeKind::kLight,
          .background = IM_COL32(0xFF, 0xFF, 0xFF, 255),
          .panel = IM_COL32(0xF3, 0xF4, 0xF7, 255),
          .border = IM_COL32(0xC3, 0xC9, 0xD3, 255),
          .grid_line = IM_COL32(0xE3, 0xE6, 0xEB, 255),
          .text = IM_COL32(0x17, 0x1A, 0x20, 255),
          .text_quiet = IM_COL32(0x57, 0x60, 0x6E, 255),
          .accent = IM_COL32(0x1F, 0x5F, 0xD0, 255),
          .ok = IM_COL32(0x17, 0x7A, 0x3C, 255),
          .warning = IM_COL32(0x8F, 0x5F, 0x00, 255),
          .error = IM_COL32(0xC0, 0x21, 0x21, 255)};
}

Theme highContrastTheme() {
  return {.kind = ThemeKind::kHighContrast,
          .background = IM_COL32(0, 0, 0, 255),
          .panel = IM_COL32(0, 0, 0, 255),
          .border = IM_COL32(0xB4, 0xB4, 0xB4, 255),
          .grid_line = IM_COL32(0x4A, 0x4A, 0x4A, 255),
          .text = IM_COL32(0xFF, 0xFF, 0xFF, 255),
          .text_quiet = IM_COL32(0xD8, 0xD8, 0xD8, 255),
          .accent = IM_COL32(0x9C, 0xC4, 0xFF, 255),
          .ok = IM_COL32(0x7C, 0xFF, 0xA0, 255),
          .warning = IM_COL32(0xFF, 0xD8, 0x4D, 255),
          .error = IM_COL32(0xFF, 0x9A, 0x92, 255)};
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
  const ImU32 base = paletteOf(kind)[index % kPaletteSize];
  // Past the palette: the same hues again, by turns nearer to the text's colour and to the background's.
  const size_t round = index / kPaletteSize;
  if (round == 0) return base;
  const size_t pair = (round - 1) / 2;
  const float step = std::min(0.65F, 0.4F + 0.125F * static_cast<float>(pair));
  return mixColours(base, round % 2 == 1 ? text : background, step);
}

ImU32 Theme::regionIdle(size_t index) const {
  const float trace = kind == ThemeKind::kHighContrast ? 0.30F : 0.22F;
  return mixColours(background, region(index), trace);
}

ImU32 Theme::onRegion(size_t index) const {
  const ImU32 colour = region(index);
  const float luma = 0.299F * static_cast<float>(channel(colour, IM_COL32_R_SHIFT)) +
                     0.587F * static_cast<float>(channel(colour, IM_COL32_G_SHIFT)) +
                     0.114F * static_cast<float>(channel(colour, IM_COL32_B_SHIFT));
  return luma > 120 ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255);
}

ImU32 Theme::wait(Wait tone) const {
  return (kind == ThemeKind::kLight ? kWaitsOnWhite : kWaits)[static_cast<size_t>(tone)];
}

Theme makeTheme(ThemeKind kind, float scale) {
  Theme theme = kind == ThemeKind::kLight          ? lightTheme()
                : kind == ThemeKind::kHighContrast ? highContrastTheme()
                                                   : darkTheme();
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
