// Colours, fonts and sizes of the window, for Dear ImGui. Views ask the theme; it takes its colours from
// kernels/core/colours.h, the only place that names one. Regions have colours, and other ones what there are
// several of; the rest is grey with one accent.
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
  ImU32 ok = 0, warning = 0, error = 0;  // always with a symbol or a word
  float scale = 1;                       // 0.75 .. 3: every pixel size is multiplied by it

  // The colour of the region with this index in Run::regions; the same in timeline, lanes, code and tables.
  ImU32 region(size_t index) const;
  // An idle lane in that region: a faint version of its colour.
  ImU32 regionIdle(size_t index) const;
  // The colour of text on that region's colour.
  ImU32 onRegion(size_t index) const;
  // The same for runs, blocks and warps: hues that no region has. They repeat after eight.
  ImU32 series(size_t index) const;
  ImU32 seriesIdle(size_t index) const;
  ImU32 onSeries(size_t index) const;
  // A muted tone that no region uses, for what a warp waits for; always with a pattern or a word.
  enum class Wait { kMemory, kShared, kPipe, kMath, kOthers, kFetch };
  ImU32 wait(Wait tone) const;
  // Converts a length in pixels at 100 %.
  float px(float pixels) const { return pixels * scale; }
};

// Mixes from `from` (share 0) to `to` (share 1), including alpha.
ImU32 mixColours(ImU32 from, ImU32 to, float share);
ImU32 withAlpha(ImU32 colour, float alpha);

Theme makeTheme(ThemeKind kind, float scale);
void applyTheme(const Theme& theme);  // to ImGui's style

// Fonts found at run time (Roboto, JetBrains Mono, DejaVu; WenQuanYi or Noto for Chinese), with Dear ImGui's
// built-in font as fallback.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* mono = nullptr;  // tabular figures: numbers and code
  ImFont* title = nullptr;
};
// Loads the fonts into ImGui's atlas, for the current language (viz/text/translate.h) and the Chinese
// characters of `more_text`; call before the first frame and whenever one of them or the scale changes.
Fonts loadFonts(float scale, const std::string& more_text = {});
// The missing font for this language, and what to install; empty if nothing is missing.
std::string missingFont(std::string_view language);

}  // namespace warpscope
