#include "app/gui/note_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/overlay_box.h"
#include "viz/layout/navigation.h"
#include "viz/text/words.h"
#include "viz/views/view_tooltips.h"

namespace warpscope {
namespace {

constexpr float kEditorWidth = 280, kEditorHeight = 70;  // pixels at 100 %
constexpr size_t kMostNoteBytes = 1000;

std::optional<int64_t> cycleAtMouse(const Ui& ui) {
  if (ui.model.view.hovered_cycle) return static_cast<int64_t>(std::llround(*ui.model.view.hovered_cycle));
  notify(ui, tr("Point at an instant of the timeline first."));
  return std::nullopt;
}

void eraseNote(const Ui& ui, size_t index) {
  auto& notes = ui.model.view.annotations.notes;
  notes.erase(notes.begin() + static_cast<std::ptrdiff_t>(index));
  ui.model.view.edited_note.reset();
}

void goTo(const Ui& ui, const TimeNote& note) {
  ViewState& view = ui.model.view;
  const auto at = static_cast<double>(note.cycle);
  if (at < view.begin_cycles || at > view.end_cycles) {
    rememberZoom(view);
    const double half = (view.end_cycles - view.begin_cycles) / 2;
    zoomTo(view, at - half, at + half);
  }
  if (note.warp) view.selected_warp = note.warp;
}

std::string listedText(const TimeNote& note) {
  const std::string warp =
      note.warp ? fmt::format("b{} w{}  ", note.warp->block.value, note.warp->warp_in_block) : "";
  return formatCount(note.cycle) + "  " + warp + note.text;
}

}  // namespace

void setMarkerAtMouse(const Ui& ui) {
  const auto cycle = cycleAtMouse(ui);
  if (!cycle) return;
  ui.model.beginEdit();
  setMarker(ui.model.view.annotations, *cycle);
}

void addNoteAtMouse(const Ui& ui) {
  const auto cycle = cycleAtMouse(ui);
  if (!cycle) return;
  ViewState& view = ui.model.view;
  ui.model.beginEdit();
  view.annotations.notes.push_back({*cycle, view.hovered_warp, ""});
  view.edited_note = view.annotations.notes.size() - 1;
  view.edited_note_x = ImGui::GetIO().MousePos.x;
  view.edited_note_y = ImGui::GetIO().MousePos.y + ui.px(8);
}

void closeNoteEditor(const Ui& ui) {
  ViewState& view = ui.model.view;
  if (!view.edited_note) return;
  const size_t index = *std::exchange(view.edited_note, std::nullopt);
  if (index < view.annotations.notes.size() && view.annotations.notes[index].text.empty())
    eraseNote(ui, index);
}

void drawNoteEditor(const Ui& ui, ImVec2 area_min, ImVec2 area_max) {
  ViewState& view = ui.model.view;
  if (!view.edited_note) return;
  const size_t index = *view.edited_note;
  if (index >= view.annotations.notes.size()) {  // undone meanwhile
    view.edited_note.reset();
    return;
  }
  const ImVec2 size(ui.px(kEditorWidth), ui.px(kEditorHeight));
  ImGui::SetNextWindowPos(
      ImVec2(std::clamp(view.edited_note_x, area_min.x, std::max(area_min.x, area_max.x - size.x)),
             std::clamp(view.edited_note_y, area_min.y, std::max(area_min.y, area_max.y - size.y))));
  ImGui::SetNextWindowSize(size);
  const OverlayBox box(ui, "##note_editor", {8, 8}, 6);
  std::string& text = view.annotations.notes[index].text;
  std::array<char, kMostNoteBytes + 1> buffer{};
  std::copy_n(text.begin(), std::min(text.size(), kMostNoteBytes), buffer.begin());
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const bool entered = ImGui::InputText(
      "##note", buffer.data(), buffer.size(),
      ImGuiInputTextFlags_CallbackEdit | ImGuiInputTextFlags_EnterReturnsTrue, keepTyped, &text);
  ui.report.widgetOfLastItem("note.text");
  ui.report.text("note.text", text);
  const bool done = button(ui, "note.done", tr("Done"));
  ImGui::SameLine();
  const bool erased = button(ui, "note.delete", tr("Delete"));
  const bool clicked_beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowAppearing() &&
                              !ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  if (erased) {
    eraseNote(ui, index);
  } else if (entered || done || clicked_beside) {
    closeNoteEditor(ui);
  }
}

void drawNoteList(const Ui& ui) {
  Annotations& annotations = ui.model.view.annotations;
  const std::shared_ptr<const Run>& run = ui.model.feed().shown().run;
  const float right = ImGui::GetContentRegionAvail().x - buttonWidth("×");
  if (annotations.measures() && run != nullptr) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(("Δ " + cyclesWithNs(*run, std::abs(annotations.distance()))).c_str());
    ImGui::SameLine(right);
    if (button(ui, "notes.measure.delete", "×", ButtonLook::kQuiet)) {
      ui.model.beginEdit();
      annotations.markers = {};
    }
  }
  std::optional<size_t> erased;
  for (size_t i = 0; i < annotations.notes.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const std::string name = fmt::format("notes.list.{}", i);
    const std::string text = listedText(annotations.notes[i]);
    if (ImGui::Selectable(text.c_str(), false, 0, ImVec2(right - ui.px(8), ImGui::GetFrameHeight())))
      goTo(ui, annotations.notes[i]);
    ui.report.widgetOfLastItem(name);
    ui.report.text(name, text);
    helpTooltip(ui, name, text, tr("Click goes there."));
    ImGui::SameLine(right);
    if (button(ui, name + ".delete", "×", ButtonLook::kQuiet)) erased = i;
    ImGui::PopID();
  }
  if (!erased) return;
  ui.model.beginEdit();
  eraseNote(ui, *erased);
}

}  // namespace warpscope
