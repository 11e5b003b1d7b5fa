// Notes: free text over the right edge of the views, kept in sessions.
#include <imgui_internal.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "app/gui/actions.h"
#include "app/gui/files.h"
#include "app/gui/note_editor.h"
#include "app/gui/overlay_box.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr float kNotesWidth = 340, kNotesHeight = 420;
constexpr size_t kRoom = size_t{1} << 16;  // bytes that can be typed at a time

void textField(const Ui& ui, ImVec2 size) {
  std::string& notes = ui.screen.files.notes;
  std::vector<char> buffer(notes.size() + kRoom);
  std::ranges::copy(notes, buffer.begin());
  if (std::exchange(ui.screen.files.notes_begin, false)) {
    // Dear ImGui 1.90.1 gives the keyboard to nothing outside of the window that has it.
    ImGui::SetWindowFocus();
    ImGui::SetKeyboardFocusHere();
  }
  // Dear ImGui 1.92 never gives the keyboard to a field that takes tabs, so it takes them once it has it.
  const bool typing = ImGui::GetActiveID() == ImGui::GetID("##notes");
  ImGui::InputTextMultiline(
      "##notes", buffer.data(), buffer.size(), size,
      ImGuiInputTextFlags_CallbackEdit | (typing ? ImGuiInputTextFlags_AllowTabInput : 0), keepTyped, &notes);
  ui.report.widgetOfLastItem("notes.text");
  ui.report.text("notes.text", notes);
}

}  // namespace

void drawNotes(const Ui& ui, ImVec2 area_min, ImVec2 area_max) {
  if (!ui.screen.files.notes_open) return;
  const float margin = ui.px(8);
  const ImVec2 size(std::min(ui.px(kNotesWidth), (area_max.x - area_min.x) * 0.6F),
                    std::min(ui.px(kNotesHeight), area_max.y - area_min.y - margin * 2));
  ImGui::SetNextWindowPos(ImVec2(area_max.x - size.x - margin, area_min.y + margin));
  ImGui::SetNextWindowSize(size);
  const OverlayBox box(ui, "##notes_panel", {10, 8}, 6,
                       OverlayBox::kNoScrollbar | ImGuiWindowFlags_NoFocusOnAppearing);
  heading(ui, tr("NOTES"));
  const float close = buttonWidth(tr("Close"));
  ImGui::SameLine(size.x - ui.px(10) - close);
  if (button(ui, "notes.close", tr("Close"))) ui.screen.files.notes_open = false;
  helpTooltip(ui, "notes.close", ui.actions.withKeys(tr("Close"), "file.notes"),
              tr("The notes stay: they are part of a saved session."));
  drawNoteList(ui);
  const ImVec2 rest = ImGui::GetContentRegionAvail();
  textField(ui, rest);
  const ImVec2 at = ImGui::GetWindowPos();
  ui.report.widget("notes", at, ImVec2(at.x + size.x, at.y + size.y));
}

}  // namespace warpscope
