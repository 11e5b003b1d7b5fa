#include "viz/widgets/svg_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "viz/widgets/svg_markup.h"
#include "viz/widgets/svg_text.h"

namespace warpscope {
namespace {

constexpr size_t kMostInPath = 4000;  // shapes per path element: readers have trouble with longer ones

struct Box {
  ImVec2 min, max;
  bool empty() const { return !(max.x > min.x) || !(max.y > min.y); }
  bool contains(const Box& other) const {
    return other.min.x >= min.x && other.min.y >= min.y && other.max.x <= max.x && other.max.y <= max.y;
  }
  bool meets(const Box& other) const {
    return other.min.x < max.x && min.x < other.max.x && other.min.y < max.y && min.y < other.max.y;
  }
};

Box commonOf(const Box& a, const Box& b) {
  return {{std::max(a.min.x, b.min.x), std::max(a.min.y, b.min.y)},
          {std::min(a.max.x, b.max.x), std::min(a.max.y, b.max.y)}};
}

// If edges are smooth nevertheless (a frame with another style), a fringe counts with its mean colour.
ImU32 meanColour(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c) {
  if (a.col == b.col && b.col == c.col) return a.col;
  const auto mean = [&](int shift) {
    return (colourChannel(a.col, shift) + colourChannel(b.col, shift) + colourChannel(c.col, shift)) / 3;
  };
  return IM_COL32(mean(IM_COL32_R_SHIFT), mean(IM_COL32_G_SHIFT), mean(IM_COL32_B_SHIFT),
                  mean(IM_COL32_A_SHIFT));
}

// Receives shapes and text in painting order and writes elements, each as long as possible.
class Writer {
 public:
  Writer(const Box& crop, const Fonts& fonts) : crop_(crop), fonts_(fonts), glyphs_(fonts) {}
  void list(const ImDrawList& list);
  std::string finish();
  bool empty() const { return body_.empty(); }

 private:
  struct FontNames {
    std::string attributes;
    float em_share = 1;
  };
  void command(const ImDrawList& list, const ImDrawCmd& command);
  const FontNames& namesOf(ImFont& font);
  bool glyph(const std::array<ImDrawVert, 4>& corners);
  void polygon(ImU32 colour);  // from corners_
  void endPath();
  void endText();
  void setClip(const Box& clip, const Box& drawn);
  void endGroup();

  Box crop_;
  const Fonts& fonts_;
  GlyphFinder glyphs_;
  Box clip_{};  // of the current command
  std::map<ImFont*, FontNames> font_names_;
  std::map<std::tuple<float, float, float, float>, int> clips_;
  int group_ = -1;  // the clip of the open group; -1: none is open
  std::string defs_, body_, path_;
  ImU32 path_colour_ = 0;
  size_t path_shapes_ = 0;
  TextRun run_;
  std::vector<ImVec2> corners_;
};

void Writer::list(const ImDrawList& list) {
  for (const ImDrawCmd& one : list.CmdBuffer) {
    if (one.UserCallback != nullptr || one.ElemCount == 0) continue;
    command(list, one);
  }
}

Box boundsOf(const ImDrawList& list, const ImDrawCmd& command) {
  Box box{{1e30F, 1e30F}, {-1e30F, -1e30F}};
  for (unsigned int i = 0; i < command.ElemCount; ++i) {
    const ImDrawIdx index = list.IdxBuffer[static_cast<int>(command.IdxOffset + i)];
    const ImVec2 at = list.VtxBuffer[static_cast<int>(command.VtxOffset + index)].pos;
    box.min = {std::min(box.min.x, at.x), std::min(box.min.y, at.y)};
    box.max = {std::max(box.max.x, at.x), std::max(box.max.y, at.y)};
  }
  return box;
}

void Writer::command(const ImDrawList& list, const ImDrawCmd& command) {
  clip_ =
      commonOf(crop_, {{command.ClipRect.x, command.ClipRect.y}, {command.ClipRect.z, command.ClipRect.w}});
  const Box drawn = boundsOf(list, command);
  if (clip_.empty() || !drawn.meets(clip_)) return;
  setClip(clip_, drawn);
  const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
  const auto vertex = [&](unsigned int i) -> const ImDrawVert& {
    return list.VtxBuffer[static_cast<int>(command.VtxOffset + indices[i])];
  };
  for (unsigned int i = 0; i + 2 < command.ElemCount;) {
    // Characters are quads: 0 1 2, 0 2 3.
    const bool quad =
        i + 5 < command.ElemCount && indices[i + 3] == indices[i] && indices[i + 4] == indices[i + 2];
    if (quad && glyph({vertex(i), vertex(i + 1), vertex(i + 2), vertex(i + 5)})) {
      i += 6;
      continue;
    }
    // Convex shapes are fans: each triangle continues at the last edge of the one before it.
    const ImU32 colour = meanColour(vertex(i), vertex(i + 1), vertex(i + 2));
    corners_ = {vertex(i).pos, vertex(i + 1).pos, vertex(i + 2).pos};
    unsigned int next = i + 3;
    while (next + 2 < command.ElemCount && indices[next] == indices[i] &&
           indices[next + 1] == indices[next - 1] &&
           meanColour(vertex(next), vertex(next + 1), vertex(next + 2)) == colour) {
      corners_.push_back(vertex(next + 2).pos);
      next += 3;
    }
    polygon(colour);
    i = next;
  }
}

bool Writer::glyph(const std::array<ImDrawVert, 4>& corners) {
  const auto found = glyphs_.find(corners);
  if (!found) return false;
  const Box box{{std::min(corners[0].pos.x, corners[2].pos.x), std::min(corners[0].pos.y, corners[2].pos.y)},
                {std::max(corners[0].pos.x, corners[2].pos.x), std::max(corners[0].pos.y, corners[2].pos.y)}};
  if (!found->visible || !box.meets(clip_) || colourChannel(corners[0].col, IM_COL32_A_SHIFT) == 0)
    return true;
  endPath();
  if (!run_.append(*found, corners[0].col)) {
    endText();
    run_.append(*found, corners[0].col);
  }
  return true;
}

void Writer::polygon(ImU32 colour) {
  if (colourChannel(colour, IM_COL32_A_SHIFT) == 0) return;
  Box box{corners_.front(), corners_.front()};
  for (const ImVec2 corner : corners_) {
    box.min = {std::min(box.min.x, corner.x), std::min(box.min.y, corner.y)};
    box.max = {std::max(box.max.x, corner.x), std::max(box.max.y, corner.y)};
  }
  if (!box.meets(clip_)) return;
  endText();
  if (colour != path_colour_ || path_shapes_ >= kMostInPath) endPath();
  path_colour_ = colour;
  ++path_shapes_;
  const auto at = [&](char letter, ImVec2 corner) {
    path_ += letter;
    appendSvgNumber(path_, corner.x - crop_.min.x);
    path_ += ' ';
    appendSvgNumber(path_, corner.y - crop_.min.y);
  };
  const auto is = [&](size_t i, float x, float y) { return corners_[i].x == x && corners_[i].y == y; };
  if (corners_.size() == 4 && is(0, box.min.x, box.min.y) && is(1, box.max.x, box.min.y) &&
      is(2, box.max.x, box.max.y) && is(3, box.min.x, box.max.y)) {
    // Rectangles are frequent. Those that were cut at the clip need nothing more.
    box = commonOf(box, clip_);
    at('M', box.min);
    path_ += 'H' + svgNumber(box.max.x - crop_.min.x) + 'V' + svgNumber(box.max.y - crop_.min.y) + 'H' +
             svgNumber(box.min.x - crop_.min.x) + 'Z';
    return;
  }
  at('M', corners_.front());
  for (size_t i = 1; i < corners_.size(); ++i) at('L', corners_[i]);
  path_ += 'Z';
}

void Writer::endPath() {
  if (!path_.empty()) body_ += fmt::format("<path {} d=\"{}\"/>\n", svgFill(path_colour_), path_);
  path_.clear();
  path_shapes_ = 0;
}

// The family that it was drawn with, if the reader has it, otherwise one of its kind.
const Writer::FontNames& Writer::namesOf(ImFont& font) {
  const auto [found, is_new] = font_names_.try_emplace(&font);
  if (!is_new) return found->second;
  const SvgFont known = svgFontOf(font);
  const char* kind = &font == fonts_.mono ? "monospace" : "sans-serif";
  std::string plain = known.family;
  std::erase_if(plain, [](char c) { return c == '\'' || c == ','; });
  found->second.attributes = plain.empty()
                                 ? fmt::format(R"(font-family="{}")", kind)
                                 : fmt::format(R"(font-family="'{}', {}")", escapedXml(plain), kind);
  if (&font == fonts_.title) found->second.attributes += R"( font-weight="bold")";
  found->second.em_share = known.em_share;
  return found->second;
}

void Writer::endText() {
  if (run_.text.empty()) return;
  const ImVec2 along = run_.along, down{-along.y, along.x};
  const float baseline = baselineOf(*run_.font, run_.size);
  const float x = run_.pen.x + down.x * baseline - crop_.min.x,
              y = run_.pen.y + down.y * baseline - crop_.min.y;
  std::string turned;
  if (std::abs(along.y) > 0.01F) {
    constexpr float kDegrees = 57.29578F;
    turned = fmt::format(R"svg( transform="rotate({} {} {})")svg",
                         svgNumber(std::atan2(along.y, along.x) * kDegrees), svgNumber(x), svgNumber(y));
  }
  const FontNames& names = namesOf(*run_.font);
  body_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}" {} {} textLength="{}")", svgNumber(x),
                       svgNumber(y), svgNumber(run_.size * names.em_share), names.attributes,
                       svgFill(run_.colour), svgNumber(run_.length));
  const std::string text = escapedXml(toUtf8(run_.text));
  // Readers collapse blanks unless they are told to keep them.
  const bool blanks = text.find("  ") != std::string::npos;
  body_ += fmt::format(" lengthAdjust=\"spacingAndGlyphs\"{}{}>{}</text>\n", turned,
                       blanks ? R"( xml:space="preserve" style="white-space:pre")" : "", text);
  run_ = {};
}

// Opens a group for shapes that need the clip; no group if everything is inside.
void Writer::setClip(const Box& clip, const Box& drawn) {
  int wanted = -1;
  if (!clip.contains(drawn)) {
    const auto [found, is_new] =
        clips_.try_emplace({clip.min.x, clip.min.y, clip.max.x, clip.max.y}, static_cast<int>(clips_.size()));
    wanted = found->second;
    if (is_new) {
      defs_ += fmt::format(R"(<clipPath id="clip{}"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>)",
                           wanted, svgNumber(clip.min.x - crop_.min.x), svgNumber(clip.min.y - crop_.min.y),
                           svgNumber(clip.max.x - clip.min.x), svgNumber(clip.max.y - clip.min.y));
      defs_ += '\n';
    }
  }
  if (wanted == group_) return;
  endGroup();
  if (wanted >= 0) body_ += fmt::format("<g clip-path=\"url(#clip{})\">\n", wanted);
  group_ = wanted;
}

void Writer::endGroup() {
  endPath();
  endText();
  if (group_ >= 0) body_ += "</g>\n";
  group_ = -1;
}

std::string Writer::finish() {
  endGroup();
  const std::string width = svgNumber(crop_.max.x - crop_.min.x),
                    height = svgNumber(crop_.max.y - crop_.min.y);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "style=\"font-variant-ligatures:none\">\n<defs>\n{2}</defs>\n{3}</svg>\n",
      width, height, defs_, body_);
}

}  // namespace

void drawWithHardEdges() {
  ImGuiStyle& style = ImGui::GetStyle();
  style.AntiAliasedLines = false;
  style.AntiAliasedLinesUseTex = false;
  style.AntiAliasedFill = false;
}

Expected<std::string> svgOf(const ImDrawData& drawn, ImVec2 min, ImVec2 max, const Fonts& fonts) {
  const Box screen{drawn.DisplayPos,
                   {drawn.DisplayPos.x + drawn.DisplaySize.x, drawn.DisplayPos.y + drawn.DisplaySize.y}};
  // Whole pixels, so that shapes that were drawn on whole pixels stay there.
  const Box part{{std::floor(min.x), std::floor(min.y)}, {std::floor(max.x), std::floor(max.y)}};
  const Box crop = commonOf(screen, part);
  if (!drawn.Valid || crop.empty()) {
    return fail(ErrorKind::kBadRequest,
                "the SVG would be empty: {} x {} pixels of a window of {} x {}; make the view larger",
                std::max(0.0F, crop.max.x - crop.min.x), std::max(0.0F, crop.max.y - crop.min.y),
                drawn.DisplaySize.x, drawn.DisplaySize.y);
  }
  Writer writer(crop, fonts);
  for (int i = 0; i < drawn.CmdListsCount; ++i) writer.list(*drawn.CmdLists[i]);
  std::string text = writer.finish();
  if (writer.empty()) return fail(ErrorKind::kWorkFailed, "the SVG would be empty: nothing was drawn there");
  return text;
}

}  // namespace warpscope
