// Actions on what is selected on the Run page, and on what is put onto its time axis.
#include "app/gui/actions.h"
#include "app/gui/note_editor.h"
#include "app/gui/pages/pages.h"
#include "viz/layout/row_selection.h"

namespace warpscope {
namespace {

std::string whyNoTimeline(const Ui& ui) {
  if (&ui.pages.find(ui.screen.page) != &ui.pages.first()) return tr("Only on the page Warps.");
  return ui.model.feed().shown().run == nullptr ? tr("No run yet: press ▶ Run.") : "";
}

ViewState* selecting(const Ui& ui) {
  return ui.pages.find(ui.screen.page).selecting(ui);
}

std::string whyNotSelecting(const Ui& ui) {
  if (selecting(ui) == nullptr) return tr("Only on a page with timelines.");
  return ui.model.feed().shown().run == nullptr ? tr("No run yet: press ▶ Run.") : "";
}

std::string whyNothingToDrop(const Ui& ui) {
  if (std::string why_not = whyNotSelecting(ui); !why_not.empty()) return why_not;
  return selecting(ui)->selection.empty()
             ? tr("Nothing is selected: drag over the timeline, or click a warp.")
             : "";
}

std::string whyNothingSelected(const Ui& ui) {
  if (std::string why_not = whyNoTimeline(ui); !why_not.empty()) return why_not;
  const ViewState& view = ui.model.view;
  return view.selection.empty() && !view.selected_warp
             ? tr("Nothing is selected: drag over the timeline, or click a warp.")
             : "";
}

}  // namespace

std::vector<Action> selectionActions() {
  constexpr auto kTime = ActionGroup::kTime;
  std::vector<Action> actions;
  actions.push_back({"selection.all", trMark("Select everything"), kTime, "Ctrl+A",
                     [](const Ui& ui) { selecting(ui)->selection = selectAll(); }, whyNotSelecting});
  actions.push_back({"selection.clear", trMark("Drop the selection"), kTime, "",
                     [](const Ui& ui) { selecting(ui)->selection = {}; }, whyNothingToDrop});
  actions.push_back({"selection.copy", trMark("Copy what is selected, as a reference"), kTime, "Ctrl+C",
                     [](const Ui& ui) { copyText(ui, selectionText(shownSelection(ui.model.view))); },
                     whyNothingSelected});
  actions.push_back({"selection.pin", trMark("Pin what is selected, or remove its pin"), kTime, "Shift+P",
                     [](const Ui& ui) { togglePin(ui.model.view, shownSelection(ui.model.view)); },
                     whyNothingSelected});
  actions.push_back({"time.marker", trMark("Set a marker at the mouse: two of them measure"), kTime, "M",
                     setMarkerAtMouse, whyNoTimeline});
  actions.push_back(
      {"time.note", trMark("Write a note at the mouse"), kTime, "A", addNoteAtMouse, whyNoTimeline});
  return actions;
}

}  // namespace warpscope
