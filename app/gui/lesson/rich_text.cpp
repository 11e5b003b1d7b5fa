#include "app/gui/lesson/rich_text.h"

#include <algorithm>

#include "viz/text/line_breaks.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

using BlockKind = MarkdownBlock::Kind;

ImFont* fontOf(const Ui& ui, const MarkdownSpan& span) {
  if (span.code) return ui.fonts.mono;
  return span.strong ? ui.fonts.title : ui.fonts.text;
}

ImU32 colourOf(const Ui& ui, const MarkdownSpan& span) {
  if (span.code || !span.link.empty()) return ui.theme.accent;
  return ui.theme.text;
}

float widthOf(ImFont* font, std::string_view text) {
  return font->CalcTextSizeA(fontSize(*font), 1e9F, 0, text.data(), text.data() + text.size()).x;
}

// Lays the words of spans out in lines, piece by piece; a piece may belong to several spans.
class RichLines {
 public:
  RichLines(const Ui& ui, float width) : ui_(ui), at_(ImGui::GetCursorScreenPos()), width_(width) {
    line_height_ = fontSize(*ui.fonts.text) * 1.35F;
  }

  void draw(std::span<const MarkdownSpan> spans) {
    std::string text;
    for (const MarkdownSpan& span : spans) text += span.text;
    size_t begin = 0;
    for (const std::string_view piece : unbrokenPieces(text)) {
      if (piece == "\n") {
        newLine();
      } else {
        drawPiece(spans, piece, begin);
      }
      begin += piece.size();
    }
    newLine();
    ImGui::SetCursorScreenPos(at_);
    ImGui::Dummy({width_, y_});
  }

 private:
  void newLine() {
    x_ = 0;
    y_ += line_height_;
  }
  // Calls visit(span, text) for the parts of the piece that begins at that byte of all spans together.
  template <class Visit>
  static void forEachSpanOf(std::span<const MarkdownSpan> spans, size_t begin, size_t bytes, Visit&& visit) {
    size_t first = 0;
    for (const MarkdownSpan& span : spans) {
      const size_t from = std::max(begin, first), to = std::min(begin + bytes, first + span.text.size());
      if (from < to) visit(span, std::string_view(span.text).substr(from - first, to - from));
      first += span.text.size();
    }
  }
  void drawPiece(std::span<const MarkdownSpan> spans, std::string_view piece, size_t begin) {
    const size_t spaceless = piece.find_last_not_of(' ') + 1;
    float wide = 0;
    forEachSpanOf(spans, begin, spaceless, [&](const MarkdownSpan& span, std::string_view text) {
      wide += widthOf(fontOf(ui_, span), text);
    });
    if (x_ > 0 && x_ + wide > width_) newLine();
    forEachSpanOf(spans, begin, piece.size(), [&](const MarkdownSpan& span, std::string_view text) {
      ImFont* font = fontOf(ui_, span);
      const float size = fontSize(*font);
      // Fonts of different sizes stand on one baseline.
      const float drop = ascentOf(*ui_.fonts.text) - ascentOf(*font);
      ImGui::GetWindowDrawList()->AddText(font, size, {at_.x + x_, at_.y + y_ + drop}, colourOf(ui_, span),
                                          text.data(), text.data() + text.size());
      x_ += widthOf(font, text);
    });
  }

  const Ui& ui_;
  ImVec2 at_;
  float width_, x_ = 0, y_ = 0, line_height_ = 0;
};

void drawCode(const Ui& ui, const std::string& text, float width) {
  pushFont(ui.fonts.mono);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string lines = text.substr(0, text.find_last_not_of('\n') + 1);
  const ImVec2 size = ImGui::CalcTextSize(lines.c_str());
  const float margin = ui.px(6);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + size.y + 2 * margin}, ui.theme.background, ui.px(4));
  list.PushClipRect(at, {at.x + width, at.y + size.y + 2 * margin}, true);
  list.AddText({at.x + margin, at.y + margin}, ui.theme.text, lines.c_str());
  list.PopClipRect();
  ImGui::Dummy({width, size.y + 2 * margin});
  ImGui::PopFont();
}

}  // namespace

void drawRichText(const Ui& ui, std::span<const MarkdownBlock> blocks, float width) {
  for (const MarkdownBlock& block : blocks) {
    if (block.kind == BlockKind::kCode) {
      drawCode(ui, plainText(block), width);
      continue;
    }
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    std::vector<MarkdownSpan> spans = block.spans;
    float indent = 0;
    if (block.kind == BlockKind::kListItem) {
      const float step = ui.px(18);
      indent = step * static_cast<float>(block.level);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::GetWindowDrawList()->AddText(ui.fonts.text, fontSize(*ui.fonts.text),
                                          {at.x + indent - step, at.y}, ui.theme.text, block.marker.c_str());
      ImGui::SetCursorScreenPos({at.x + indent, at.y});
    }
    if (block.kind == BlockKind::kHeading) {
      for (MarkdownSpan& span : spans) span.strong = true;
    }
    RichLines(ui, width - indent).draw(spans);
    const float below = block.kind == BlockKind::kListItem ? 0 : ui.px(6);
    ImGui::SetCursorScreenPos({begin.x, ImGui::GetItemRectMax().y + below});
  }
}

}  // namespace warpscope
