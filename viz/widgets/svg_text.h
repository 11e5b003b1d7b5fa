// Recovers text from the quads that Dear ImGui drew for it: the position of a quad's picture in the font
// atlas says which character of which font it is.
#pragma once

#include <imgui.h>

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "viz/widgets/theme.h"

namespace warpscope {

// A drawn character.
struct DrawnGlyph {
  ImFont* font = nullptr;
  char32_t character = 0;
  ImVec2 pen;           // where it begins, on the upper edge of its line
  ImVec2 along{1, 0};   // the direction of reading; {0, -1}: upwards
  float advance = 0;    // pixels to where the next begins
  float size = 0;       // of the font, in pixels
  bool visible = true;  // false: a clip left less than half of it
};

class GlyphFinder {
 public:
  explicit GlyphFinder(const Fonts& fonts);
  // The character of a quad's four corners, in Dear ImGui's order; nullopt if it is not a character.
  std::optional<DrawnGlyph> find(const std::array<ImDrawVert, 4>& corners) const;

 private:
  struct Entry {
    ImFont* font;
    const ImFontGlyph* glyph;
  };
  const Entry* entryAt(ImVec2 uv_min, ImVec2 uv_max) const;
  std::vector<Entry> entries_;
  std::unordered_multimap<uint64_t, size_t> by_corner_;
};

// Consecutive characters on one line, in one font and colour.
struct TextRun {
  ImFont* font = nullptr;
  ImU32 colour = 0;
  ImVec2 pen, along;
  float size = 0, length = 0;  // pixels
  std::u32string text;

  // Appends the glyph if it continues where the text ends, with spaces between; returns false if it belongs
  // to another run.
  bool append(const DrawnGlyph& glyph, ImU32 glyph_colour);
};

std::string toUtf8(const std::u32string& text);
// Pixels from the upper edge of a line to its baseline, for the font at this size.
float baselineOf(ImFont& font, float size);
// The name of a font in an SVG. In SVG the font size is the em; in Dear ImGui it is the height of a line.
struct SvgFont {
  std::string family;  // empty: unknown
  float em_share = 1;  // relative to Dear ImGui's size
};
SvgFont svgFontOf(ImFont& font);

}  // namespace warpscope
