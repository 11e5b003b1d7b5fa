#include "viz/widgets/svg_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "viz/widgets/font_file.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

constexpr float kMostSpaces = 24;   // that join words into one run
constexpr float kUsualEm = 0.855F;  // relative to a line, if the font file does not say

uint64_t cornerKey(ImVec2 uv) {
  return static_cast<uint64_t>(std::bit_cast<uint32_t>(uv.x)) << 32 | std::bit_cast<uint32_t>(uv.y);
}

}  // namespace

GlyphFinder::GlyphFinder(const Fonts& fonts) {
  for (ImFont* font : {fonts.text, fonts.mono, fonts.title}) {
    if (font == nullptr) continue;
    for (const ImFontGlyph& glyph : glyphsOf(*font)) {
      if (glyph.Visible == 0) continue;
      by_corner_.emplace(cornerKey({glyph.U0, glyph.V0}), entries_.size());
      entries_.push_back({font, &glyph});
    }
  }
}

// Finds it directly by its upper left corner; a quad that was cut at a clip is within its glyph and is
// searched for.
const GlyphFinder::Entry* GlyphFinder::entryAt(ImVec2 uv_min, ImVec2 uv_max) const {
  const auto [first, last] = by_corner_.equal_range(cornerKey(uv_min));
  for (auto at = first; at != last; ++at) {
    const ImFontGlyph& glyph = *entries_[at->second].glyph;
    if (uv_max.x <= glyph.U1 && uv_max.y <= glyph.V1) return &entries_[at->second];
  }
  const float slack = 1e-6F;
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    const ImFontGlyph& glyph = *entry.glyph;
    return uv_min.x >= glyph.U0 - slack && uv_min.y >= glyph.V0 - slack && uv_max.x <= glyph.U1 + slack &&
           uv_max.y <= glyph.V1 + slack;
  });
  return found == entries_.end() ? nullptr : &*found;
}

std::optional<DrawnGlyph> GlyphFinder::find(const std::array<ImDrawVert, 4>& corners) const {
  // Upper left, upper right, lower right, lower left.
  const ImVec2 uv_min = corners[0].uv, uv_max = corners[2].uv;
  if (!(uv_max.x > uv_min.x) || !(uv_max.y > uv_min.y)) return std::nullopt;
  if (corners[1].uv.x != uv_max.x || corners[1].uv.y != uv_min.y || corners[3].uv.x != uv_min.x ||
      corners[3].uv.y != uv_max.y)
    return std::nullopt;
  const Entry* entry = entryAt(uv_min, uv_max);
  if (entry == nullptr) return std::nullopt;
  const ImFontGlyph& glyph = *entry->glyph;

  const ImVec2 across{corners[1].pos.x - corners[0].pos.x, corners[1].pos.y - corners[0].pos.y};
  const ImVec2 down{corners[3].pos.x - corners[0].pos.x, corners[3].pos.y - corners[0].pos.y};
  const float width = std::hypot(across.x, across.y), height = std::hypot(down.x, down.y);
  if (width <= 0 || height <= 0) return std::nullopt;
  const float share_x = (uv_max.x - uv_min.x) / (glyph.U1 - glyph.U0);
  const float share_y = (uv_max.y - uv_min.y) / (glyph.V1 - glyph.V0);
  const float scale = width / share_x / (glyph.X1 - glyph.X0);
  DrawnGlyph drawn;
  drawn.font = entry->font;
  drawn.character = static_cast<char32_t>(glyph.Codepoint);
  drawn.along = {across.x / width, across.y / width};
  const ImVec2 downwards{down.x / height, down.y / height};
  // From the corner that is left of it back to the glyph's own corner, and from there to the pen.
  const float left = glyph.X0 * scale + (uv_min.x - glyph.U0) / (glyph.U1 - glyph.U0) * (width / share_x);
  const float above = glyph.Y0 * scale + (uv_min.y - glyph.V0) / (glyph.V1 - glyph.V0) * (height / share_y);
  drawn.pen = {corners[0].pos.x - drawn.along.x * left - downwards.x * above,
               corners[0].pos.y - drawn.along.y * left - downwards.y * above};
  drawn.advance = glyph.AdvanceX * scale;
  drawn.size = fontSize(*entry->font) * scale;
  drawn.visible = share_x * share_y >= 0.5F;
  return drawn;
}

bool TextRun::append(const DrawnGlyph& glyph, ImU32 glyph_colour) {
  if (text.empty()) {
    font = glyph.font;
    colour = glyph_colour;
    pen = glyph.pen;
    along = glyph.along;
    size = glyph.size;
    length = glyph.advance;
    text = glyph.character;
    return true;
  }
  if (glyph.font != font || glyph_colour != colour || std::abs(glyph.size - size) > 0.1F) return false;
  if (std::abs(glyph.along.x - along.x) + std::abs(glyph.along.y - along.y) > 0.01F) return false;
  const ImVec2 way{glyph.pen.x - pen.x, glyph.pen.y - pen.y};
  const float forward = way.x * along.x + way.y * along.y, aside = way.x * along.y - way.y * along.x;
  if (std::abs(aside) > 0.3F) return false;
  const float gap = forward - length;
  const float space = advanceOf(*font, ' ') * size / fontSize(*font);
  const float spaces = space > 0 ? std::round(gap / space) : 0;
  if (spaces < 0 || spaces > kMostSpaces || std::abs(gap - spaces * space) > 0.3F) return false;
  text.append(static_cast<size_t>(spaces), U' ');
  text += glyph.character;
  length = forward + glyph.advance;
  return true;
}

std::string toUtf8(const std::u32string& text) {
  std::string bytes;
  const auto push = [&](uint32_t byte) { bytes += static_cast<char>(static_cast<unsigned char>(byte)); };
  for (const char32_t c : text) {
    const auto code = static_cast<uint32_t>(c);
    if (code < 0x80) {
      push(code);
    } else if (code < 0x800) {
      push(0xC0U | code >> 6), push(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
      push(0xE0U | code >> 12), push(0x80U | (code >> 6 & 0x3FU)), push(0x80U | (code & 0x3FU));
    } else {
      push(0xF0U | code >> 18), push(0x80U | (code >> 12 & 0x3FU)), push(0x80U | (code >> 6 & 0x3FU)),
          push(0x80U | (code & 0x3FU));
    }
  }
  return bytes;
}

float baselineOf(ImFont& font, float size) {
  return std::round(ascentOf(font)) * size / fontSize(font);
}

SvgFont svgFontOf(ImFont& font) {
  const ImFontConfig* config = fontConfig(font);
  FontFile file;
  if (config != nullptr && config->FontData != nullptr && config->FontDataSize > 0) {
    file = readFontFile(
        {static_cast<const unsigned char*>(config->FontData), static_cast<size_t>(config->FontDataSize)},
        static_cast<uint32_t>(config->FontNo));
  }
  return {file.family, file.em_share > 0 ? file.em_share : kUsualEm};
}

}  // namespace warpscope
