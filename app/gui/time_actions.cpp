// Actions on the time axis of the visible page, and on what is selected there. They act on ViewState through
// the same functions as the mouse.
#include <algorithm>
#include <optional>

#include "app/gui/actions.h"
#include "app/gui/find/find_go.h"
#include "app/gui/layouts.h"
#include "app/gui/pages/pages.h"
#include "app/gui/start_page.h"
#include "viz/layout/navigation.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view_tooltips.h"

namespace warpscope {
namespace {

constexpr double kPanShare = 0.15, kZoomStep = 1.3;

Page& visiblePage(const Ui& ui) {
  return ui.pages.find(ui.screen.page);
}

// The time axis of the visible page.
ViewState& timeAxisOf(const Ui& ui) {
  return visiblePage(ui).timeAxis(ui);
}

std::string whyNoTime(const Ui& ui) {
  return visiblePage(ui).timeExtent(ui) ? "" : tr("There is no time axis yet: nothing was run.");
}

void moveInTime(const Ui& ui, int direction) {
  const auto launch = visiblePage(ui).timeExtent(ui);
  ViewState& view = timeAxisOf(ui);
  rememberGesture(view, ui.now_s);
  panBy(view, *launch, (view.end_cycles - view.begin_cycles) * kPanShare * direction);
}

void zoom(const Ui& ui, double factor) {
  const auto launch = visiblePage(ui).timeExtent(ui);
  ViewState& view = timeAxisOf(ui);
  rememberGesture(view, ui.now_s);
  zoomAround(view, *launch, (view.begin_cycles + view.end_cycles) / 2, factor);
}

// Selects a warp of the row above or below, or the next one along a row of several warps, and makes it
// visible.
void moveSelection(const Ui& ui, int rows, int along) {
  const ShownRun& shown = ui.model.feed().shown();
  ViewState& view = ui.model.view;
  const auto order = ui.model.rowOrder();
  if (shown.layout == nullptr || order == nullptr || order->rowCount() == 0) return;
  std::optional<uint32_t> from;
  if (view.selected_warp)
    from = shown.layout->findWarp(view.selected_warp->block, view.selected_warp->warp_in_block);
  const uint32_t to =
      from ? steppedWarp(*order, shown.run->trace, *from, rows, along) : order->firstWarpOf(0);
  const TraceWarp& warp = shown.run->trace.warps[to];
  view.selected_warp = WarpKey{warp.block, warp.warp_in_block};
  if (order->kind() == RowKind::kSlots) showTime(view, *shown.layout, warp.begin_cycles, warp.end_cycles);
}

std::string whyNotAlong(const Ui& ui) {
  const auto order = ui.model.rowOrder();
  if (order != nullptr && order->severalWarpsInARow()) return {};
  return tr(
      "Each row is one warp. Rows of warp slots or blocks hold several: see the menu above the timeline.");
}

std::string whyNoInstructionsNow(const Ui& ui) {
  const ShownRun& shown = ui.model.feed().shown();
  return whyNoInstructions(shown.run.get(), shown.layout.get());
}

std::string whyNoInstructionStep(const Ui& ui) {
  if (std::string why_not = whyNoInstructionsNow(ui); !why_not.empty()) return why_not;
  if (ui.model.view.instructions) return {};
  return trf("Instructions are hidden: {} shows them.", ui.actions.shownKeys("time.instructions"));
}

std::string whyNothingPlays(const Ui& ui) {
  return ui.model.view.play_head ? std::string()
                                 : trf("Nothing is played: {} begins.", ui.actions.shownKeys("play.forward"));
}

void stepInstructions(const Ui& ui, int direction) {
  const TraceLayout* layout = ui.model.feed().shown().layout.get();
  if (layout != nullptr) stepInstruction(ui.model.view, *layout, direction);
}

// Goes one step back: closes or deselects whatever is in front.
void back(const Ui& ui) {
  ViewState& view = ui.model.view;
  if (ui.screen.start_page_open) {
    closeStartPage(ui);
  } else if (ui.model.problem()) {
    ui.model.dismissProblem();
  } else if (ui.screen.find.walked && !aloneSinceWalk(ui)) {
    stopWalking(ui);
  } else if (ui.model.feed().busy()) {
    ui.model.cancel();
  } else if (!ui.screen.stage.alone().empty()) {
    toggleSingleView(ui);
  } else if (ViewState* selecting = visiblePage(ui).selecting(ui);
             selecting != nullptr && !selecting->selection.empty()) {
    selecting->selection.parts.pop_back();
  } else if (&visiblePage(ui) == &ui.pages.first() && view.annotations.markers[0]) {
    ui.model.beginEdit();
    view.annotations.markers = {};
  } else if (goBack(timeAxisOf(ui)) || visiblePage(ui).goBack(ui)) {
    return;
  } else if (view.selected_instruction) {
    view.selected_instruction.reset();
  } else if (view.selected_line) {
    view.selected_line.reset();
  } else if (view.selected_region) {
    view.selected_region.reset();
  } else {
    view.selected_warp.reset();
  }
}

void fitAll(const Ui& ui) {
  rememberZoom(timeAxisOf(ui));
  fit(timeAxisOf(ui));
}

}  // namespace

std::vector<Action> timeActions() {
  constexpr auto kTime = ActionGroup::kTime;
  std::vector<Action> actions;
  const auto held = [&](const char* id, const char* name, const char* keys, auto act,
                        const std::function<std::string(const Ui&)>& why_not = {}) {
    actions.push_back({.id = id,
                       .name = name,
                       .group = kTime,
                       .keys = keys,
                       .act = act,
                       .why_not = why_not,
                       .repeats = true});
  };
  const auto once = [&](const char* id, const char* name, const char* keys, auto act,
                        const std::function<std::string(const Ui&)>& why_not = {}) {
    actions.push_back({id, name, kTime, keys, act, why_not});
  };
  held(
      "time.left", trMark("Earlier on the time axis"), "Left", [](const Ui& ui) { moveInTime(ui, -1); },
      whyNoTime);
  held(
      "time.right", trMark("Later on the time axis"), "Right", [](const Ui& ui) { moveInTime(ui, +1); },
      whyNoTime);
  held(
      "time.zoom_in", trMark("Zoom in"), "Shift+= = Keypad+", [](const Ui& ui) { zoom(ui, 1 / kZoomStep); },
      whyNoTime);
  held(
      "time.zoom_out", trMark("Zoom out"), "- Keypad-", [](const Ui& ui) { zoom(ui, kZoomStep); }, whyNoTime);
  once("time.fit", trMark("Fit the whole launch"), "F", fitAll);
  held("warp.above", trMark("Select the warp above"), "Up", [](const Ui& ui) { moveSelection(ui, -1, 0); });
  held("warp.below", trMark("Select the warp below"), "Down", [](const Ui& ui) { moveSelection(ui, +1, 0); });
  held(
      "warp.previous", trMark("Select the previous warp of the same row"), "Shift+Left",
      [](const Ui& ui) { moveSelection(ui, 0, -1); }, whyNotAlong);
  held(
      "warp.next", trMark("Select the next warp of the same row"), "Shift+Right",
      [](const Ui& ui) { moveSelection(ui, 0, +1); }, whyNotAlong);
  const auto rows = [&](const char* id, const char* name, RowKind kind) {
    once(id, name, "", [kind](const Ui& ui) { ui.model.view.rows.kind = kind; });
  };
  rows("rows.automatic", trMark("Rows of the timeline: automatic"), RowKind::kAutomatic);
  rows("rows.slots", trMark("Rows of the timeline: warp slots"), RowKind::kSlots);
  rows("rows.warps_by_sm", trMark("Rows of the timeline: warps by SM"), RowKind::kWarpsBySm);
  rows("rows.warps_by_block", trMark("Rows of the timeline: warps by block"), RowKind::kWarpsByBlock);
  rows("rows.blocks", trMark("Rows of the timeline: blocks"), RowKind::kBlocks);
  once(
      "rows.show_all", trMark("Show all warps: clear the filter of rows"), "",
      [](const Ui& ui) { ui.model.view.rows.filter = {}; },
      [](const Ui& ui) {
        return ui.model.view.rows.filter.empty() ? std::string(tr("No rows are filtered out.")) : "";
      });
  once("play.forward", trMark("Play the launch, or stop"), "Space", [](const Ui& ui) { play(ui, 1); });
  once("play.backward", trMark("Play the launch backward, or stop"), "Shift+Space",
       [](const Ui& ui) { play(ui, -1); });
  held(
      "play.faster", trMark("Play faster"), "Shift+.", [](const Ui& ui) { changePlaySpeed(ui, 1); },
      whyNothingPlays);
  held(
      "play.slower", trMark("Play slower"), "Shift+,", [](const Ui& ui) { changePlaySpeed(ui, -1); },
      whyNothingPlays);
  once(
      "time.instructions", trMark("Show instructions, or regions"), "I",
      [](const Ui& ui) { ui.model.view.instructions = !ui.model.view.instructions; }, whyNoInstructionsNow);
  held(
      "instruction.previous", trMark("Previous instruction of the selected warp"), ",",
      [](const Ui& ui) { stepInstructions(ui, -1); }, whyNoInstructionStep);
  held(
      "instruction.next", trMark("Next instruction of the selected warp"), ".",
      [](const Ui& ui) { stepInstructions(ui, +1); }, whyNoInstructionStep);
  held("access.previous", trMark("Previous access or exchange of the selected warp"), "[",
       [](const Ui& ui) { --ui.model.view.step_by; });
  held("access.next", trMark("Next access or exchange of the selected warp"), "]",
       [](const Ui& ui) { ++ui.model.view.step_by; });
  actions.push_back({.id = "find.next",
                     .name = trMark("Next place of what was found"),
                     .group = kTime,
                     .keys = "F3",
                     .act = [](const Ui& ui) { walk(ui, +1); },
                     .why_not = whyNoWalk,
                     .repeats = true,
                     .while_typing = true});
  actions.push_back({.id = "find.previous",
                     .name = trMark("Previous place of what was found"),
                     .group = kTime,
                     .keys = "Shift+F3",
                     .act = [](const Ui& ui) { walk(ui, -1); },
                     .why_not = whyNoWalk,
                     .repeats = true,
                     .while_typing = true});
  once("window.back", trMark("Back: close this, stop a launch, drop what was selected last, undo a zoom"),
       "Escape", back);
  return actions;
}

}  // namespace warpscope
