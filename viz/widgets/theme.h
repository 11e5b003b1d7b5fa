// Colours, fonts and sizes of the window: the only place that names a colour. Views ask the theme; colour
// carries regions only, the rest is greys and one accent. Palette: Okabe-Ito, ordered so that neighbours
// differ in lightness too.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace warpscope {

enum class ThemeKind { kDark, kLight, kHighContrast };

struct Theme {
  ThemeKind kind = ThemeKind::kDark;
  ImU32 background = 0, panel = 0, border = 0, grid_line = 0;
  ImU32 text = 0, text_quiet = 0, accent = 0;
  ImU32 ok = 0, warning = 0, error = 0;  // always beside a sign or a word, never alone
  float scale = 1;                       // 0.75 .. 3: multiply every pixel size by it

  // Colour of the region at that index of Run::regions; the same in timeline, lanes, code and tables.
  ImU32 region(size_t index) const;
  // An idle lane of that region: a faint trace of its colour.
  ImU32 regionIdle(size_t index) const;
  // Text that stands on that region's colour.
  ImU32 onRegion(size_t index) const;
  // A muted tone that no region has, for what a warp waits for; always with a pattern or a word.
  enum class Wait { kMemory, kShared, kPipe, kMath, kOthers, kFetch };
  ImU32 wait(Wait tone) const;
  // A length given in pixels at 100 %.
  float px(float pixels) const { return pixels * scale; }
};

// From `from` (share 0) to `to` (share 1), alpha included.
ImU32 mixColours(ImU32 from, ImU32 to, float share);
ImU32 withAlpha(ImU32 colour, float alpha);

Theme makeTheme(ThemeKind kind, float scale);
void applyTheme(const Theme& theme);  // to ImGui's style

// Found at run time (Roboto, JetBrains Mono, DejaVu; WenQuanYi or Noto for Chinese), Dear ImGui's built-in
// font as fallback.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* mono = nullptr;  // tabular figures: numbers and code
  ImFont* title = nullptr;
};
// Into ImGui's atlas, for the language of now (viz/text/translate.h); call before the first frame and when
// scale or language change.
Fonts loadFonts(float scale);
// What is missing to write that language, and what to install; empty: nothing.
std::string missingFont(std::string_view language);

}  // namespace warpscope
