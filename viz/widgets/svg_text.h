// Text read back from the quads that Dear ImGui drew of it: which character of which font a quad is follows
// from where in the font atlas its picture lies.
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
  bool visible = true;  // false: less than half of it was left by a clip
};

class GlyphFinder {
 public:
  explicit GlyphFinder(const Fonts& fonts);
  // Of the four corners of a quad, in Dear ImGui's order; nullopt: it is no character.
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

// Characters that follow each other on one line, in one font and colour.
struct TextRun {
  ImFont* font = nullptr;
  ImU32 colour = 0;
  ImVec2 pen, along;
  float size = 0, length = 0;  // pixels
  std::u32string text;

  // Takes the glyph if it goes on where the text ends, spaces between; false: it belongs to another run.
  bool append(const DrawnGlyph& glyph, ImU32 glyph_colour);
};

std::string toUtf8(const std::u32string& text);
// Pixels from the upper edge of a line to its baseline, of the font at that size.
float baselineOf(ImFont& font, float size);
// How an SVG names a font. Its size there is the em, where Dear ImGui means the height of a line.
struct SvgFont {
  std::string family;  // empty: unknown
  float em_share = 1;  // of the size that Dear ImGui means
};
SvgFont svgFontOf(ImFont& font);

}  // namespace warpscope
