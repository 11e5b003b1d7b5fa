#include "app/gui/editor/code_editor.h"

#include <algorithm>
#include <cmath>

#include "app/gui/editor/code_colours.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

ImU32 colourOf(const Theme& theme, CodeKind kind) {
  switch (kind) {
    case CodeKind::kKeyword:
      return theme.accent;
    case CodeKind::kCuda:
      return theme.series(2);
    case CodeKind::kNumber:
      return theme.series(1);
    case CodeKind::kString:
      return theme.series(3);
    case CodeKind::kComment:
      return theme.text_quiet;
    case CodeKind::kDirective:
      return theme.series(4);
    case CodeKind::kPlain:
      break;
  }
  return theme.text;
}

}  // namespace

void CodeEditor::readLines(const std::string& text, uint64_t version) {
  version_ = version;
  bytes_ = text.size();
  lines_.clear();
  longest_line_ = 0;
  bool in_comment = false;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines_.push_back({begin, end, in_comment});
    static_cast<void>(colourLine(std::string_view(text).substr(begin, end - begin), in_comment));
    longest_line_ = std::max(longest_line_, end - begin);
    begin = end + 1;
  }
}

size_t CodeEditor::lineOf(size_t byte) const {
  const auto behind = std::ranges::upper_bound(lines_, byte, {}, &Line::begin);
  return behind == lines_.begin() ? 0 : static_cast<size_t>(behind - lines_.begin()) - 1;
}

int CodeEditor::callback(ImGuiInputTextCallbackData* data) {
  auto& editor = *static_cast<CodeEditor*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    editor.text_->resize(static_cast<size_t>(data->BufTextLen));
    data->Buf = editor.text_->data();
    return 0;
  }
  if (editor.select_begin_ >= 0) {
    data->SelectionStart = std::min(editor.select_begin_, data->BufTextLen);
    data->SelectionEnd = data->CursorPos = std::min(editor.select_end_, data->BufTextLen);
    editor.select_begin_ = -1;
  }
  editor.cursor_ = data->CursorPos;
  return 0;
}

bool CodeEditor::draw(const Ui& ui, const std::string& name, std::string& text, uint64_t version,
                      std::span<const Diagnostic> diagnostics, ImVec2 room) {
  ImGui::PushFont(ui.fonts.mono);
  const float line_height = ImGui::GetTextLineHeight(), letter = ImGui::CalcTextSize("0").x;
  if (lines_.empty() || version_ != version || bytes_ != text.size()) readLines(text, version);
  const size_t lines = lines_.size();
  const float gutter = letter * (std::floor(std::log10(static_cast<float>(std::max<size_t>(lines, 10)))) + 3);
  ImGui::BeginChild(name.c_str(), room, false, ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
  if (wanted_line_ > 0) {
    ImGui::SetScrollY(std::max(0.0F, line_height * static_cast<float>(wanted_line_) - room.y / 2));
    wanted_line_ = 0;
  }
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  // The field is as large as its text, so that this window scrolls, not the field.
  const ImVec2 size(std::max(room.x - gutter - ui.px(14), static_cast<float>(longest_line_ + 8) * letter),
                    std::max(room.y - ui.px(14), (static_cast<float>(lines) + 3) * line_height));
  ImGui::SetCursorScreenPos({origin.x + gutter, origin.y});
  // The field's own text and frame are not seen: this draws them.
  ImGui::PushStyleColor(ImGuiCol_Text, withAlpha(ui.theme.text, 0));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, withAlpha(ui.theme.background, 0));
  ImGui::PushID(static_cast<int>(version));
  if (select_begin_ >= 0) ImGui::SetKeyboardFocusHere();
  text_ = &text;
  const bool changed =
      ImGui::InputTextMultiline("##code", text.data(), text.capacity() + 1, size,
                                ImGuiInputTextFlags_AllowTabInput | ImGuiInputTextFlags_CallbackResize |
                                    ImGuiInputTextFlags_CallbackAlways,
                                &CodeEditor::callback, this);
  const bool active = ImGui::IsItemActive();
  ui.report.widget(name, {origin.x + gutter, std::max(origin.y, ImGui::GetWindowPos().y)},
                   {ImGui::GetWindowPos().x + room.x, ImGui::GetWindowPos().y + room.y});
  ImGui::PopID();
  ImGui::PopStyleColor(2);
  if (changed) readLines(text, version);
  drawText(ui, text, diagnostics, {origin.x, origin.y + padding.y}, gutter);
  if (active) {
    const auto at = static_cast<size_t>(std::clamp(cursor_, 0, static_cast<int>(text.size())));
    const size_t line = lineOf(at), begin = lines_[line].begin;
    const float x =
        origin.x + gutter + padding.x + ImGui::CalcTextSize(text.data() + begin, text.data() + at).x;
    const float y = origin.y + padding.y + line_height * static_cast<float>(line);
    ImGui::GetWindowDrawList()->AddLine({x, y}, {x, y + line_height}, ui.theme.text,
                                        std::max(1.0F, ui.px(1.5F)));
    if (cursor_ != drawn_cursor_) {  // it stays in sight
      const float top = ImGui::GetScrollY(), at_line = line_height * static_cast<float>(line);
      if (at_line < top) ImGui::SetScrollY(at_line);
      if (at_line + 2 * line_height > top + room.y) ImGui::SetScrollY(at_line + 2 * line_height - room.y);
    }
    drawn_cursor_ = cursor_;
  }
  ImGui::EndChild();
  ImGui::PopFont();
  return changed;
}

// Only the lines in sight.
void CodeEditor::drawText(const Ui& ui, const std::string& text, std::span<const Diagnostic> diagnostics,
                          ImVec2 origin, float gutter) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line_height = ImGui::GetTextLineHeight();
  const float top = ImGui::GetWindowPos().y, bottom = top + ImGui::GetWindowHeight();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth();
  const float padding = ImGui::GetStyle().FramePadding.x;
  const float above = std::max(0.0F, (top - origin.y) / line_height);
  for (auto i = static_cast<size_t>(above); i < lines_.size(); ++i) {
    const float y = origin.y + line_height * static_cast<float>(i);
    if (y > bottom) break;
    const std::string_view line =
        std::string_view(text).substr(lines_[i].begin, lines_[i].end - lines_[i].begin);
    bool in_comment = lines_[i].begins_in_comment;
    const std::vector<CodeSpan> spans = colourLine(line, in_comment);
    const auto number = static_cast<uint32_t>(i + 1);
    const std::string label = std::to_string(number);
    list.AddText({origin.x + gutter - ImGui::CalcTextSize(label.c_str()).x - ui.px(8), y},
                 ui.theme.text_quiet, label.c_str());
    float x = origin.x + gutter + padding;
    for (const CodeSpan& span : spans) {
      const char *first = line.data() + span.begin, *last = line.data() + span.end;
      list.AddText({x, y}, colourOf(ui.theme, span.kind), first, last);
      x += ImGui::CalcTextSize(first, last).x;
    }
    drawMessages(ui, diagnostics, number, {x, y}, right);
  }
}

// The line's errors and warnings: a mark at its number, a line under the code, and the message behind it.
void CodeEditor::drawMessages(const Ui& ui, std::span<const Diagnostic> diagnostics, uint32_t line, ImVec2 at,
                              float right) const {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line_height = ImGui::GetTextLineHeight();
  for (const Diagnostic& each : diagnostics) {
    if (each.line != line || each.severity == Severity::kNote) continue;
    const bool is_error = each.severity == Severity::kError;
    const ImU32 colour = is_error ? ui.theme.error : ui.theme.warning;
    const float left = ImGui::GetWindowPos().x;
    list.AddRectFilled({left, at.y}, {left + ui.px(3), at.y + line_height}, colour);
    list.AddLine({left + ui.px(6), at.y + line_height - 1}, {at.x, at.y + line_height - 1}, colour, ui.px(1));
    const std::string message = (is_error ? "✗ " : "! ") + each.message;
    const ImVec2 from(at.x + ui.px(14), at.y);
    if (from.x < right)
      drawTextFitted(list, ui.fonts.mono, from, right - from.x - ui.px(16), colour, message.c_str());
    ui.report.text(fmt::format("kernel.message.{}", line), each.message);
    break;
  }
}

void CodeEditor::find(const Ui& ui, const std::string& text, const std::string& wanted) {
  if (wanted.empty()) return;
  size_t at = text.find(wanted, found_ + 1);
  if (at == std::string::npos) at = text.find(wanted);
  if (at == std::string::npos) return notify(ui, trf("'{}' is not in the file.", wanted));
  found_ = at;
  select_begin_ = static_cast<int>(at);
  select_end_ = static_cast<int>(at + wanted.size());
  if (bytes_ != text.size()) readLines(text, version_);
  wanted_line_ = static_cast<uint32_t>(lineOf(at) + 1);
}

}  // namespace warpscope
