#include "viz/views/timeline_menu.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/export/tables.h"
#include "viz/text/words.h"
#include "viz/views/view_tooltips.h"

namespace warpscope {
namespace {

bool item(const ViewInput& input, const char* name, const std::string& label) {
  const bool clicked = ImGui::MenuItem(label.c_str());
  input.report->widget(std::string("timeline.menu.") + name, ImGui::GetItemRectMin(),
                       ImGui::GetItemRectMax());
  return clicked;
}

CycleRange lifeOf(const Run& run, const TimelineMenu::Target& target) {
  const TraceWarp& warp = run.trace.warps[target.trace_warp];
  return target.cycles.value_or(CycleRange{warp.begin_cycles, warp.end_cycles});
}

}  // namespace

TraceSelection selectionOf(const TimelineMenu::Target& target) {
  return selectWarp(target.warp.block, target.warp.warp_in_block, target.cycles.value_or(CycleRange{}));
}

std::string textOf(const Run& run, const TimelineMenu::Target& target) {
  const CycleRange cycles = lifeOf(run, target);
  std::string text =
      fmt::format("{}: {} to {}, {}", selectionText(selectionOf(target)), formatCount(cycles.begin),
                  formatCount(cycles.end), cyclesWithNs(run, cycles.length()));
  if (target.cycles) text += fmt::format(", {}, {} lanes", target.name, target.mask.count());
  return text;
}

std::string csvOf(const Run& run, const TimelineMenu::Target& target) {
  const CycleRange cycles = lifeOf(run, target);
  return fmt::format("block,warp,sm,name,begin_cycles,end_cycles,cycles,mask\n{},{},{},{},{},{},{},{}\n",
                     target.warp.block.value, target.warp.warp_in_block,
                     run.trace.warps[target.trace_warp].sm.value, csvField(target.name), cycles.begin,
                     cycles.end, cycles.length(), formatMask(target.mask));
}

void TimelineMenu::open(const Target& target) {
  target_ = target;
  opens_ = true;
}

void TimelineMenu::draw(const ViewInput& input, ViewState& state) {
  if (!target_) return;
  if (target_->trace_warp >= input.run->trace.warps.size()) return target_.reset();  // of an earlier run
  if (std::exchange(opens_, false)) ImGui::OpenPopup("timeline.menu");
  if (!ImGui::BeginPopup("timeline.menu")) return target_.reset();
  ImGui::TextDisabled("%s", selectionText(selectionOf(*target_)).c_str());
  drawSelecting(input, state);
  ImGui::Separator();
  drawCopying(input);
  ImGui::Separator();
  drawMarking(input, state);
  ImGui::EndPopup();
}

void TimelineMenu::drawSelecting(const ViewInput& input, ViewState& state) const {
  const WarpKey& warp = target_->warp;
  if (target_->cycles && item(input, "span", trf("Select {}", target_->name)))
    state.selection = selectionOf(*target_);
  if (item(input, "warp", trf("Select warp {} of block {}", warp.warp_in_block, warp.block.value)))
    state.selection = selectWarp(warp.block, warp.warp_in_block);
  if (item(input, "block", trf("Select block {}", warp.block.value)))
    state.selection = {{{{}, {{.first_block = warp.block.value, .last_block = warp.block.value}}}}};
  const bool pinned = std::ranges::find(state.pins, selectionOf(*target_)) != state.pins.end();
  if (item(input, "pin", pinned ? tr("Unpin") : tr("Pin"))) togglePin(state, selectionOf(*target_));
}

void TimelineMenu::drawCopying(const ViewInput& input) const {
  if (item(input, "copy", tr("Copy as a reference"))) input.copy(selectionText(selectionOf(*target_)));
  if (item(input, "copy_text", tr("Copy as text"))) input.copy(textOf(*input.run, *target_));
  if (item(input, "copy_csv", tr("Copy as CSV"))) input.copy(csvOf(*input.run, *target_));
}

void TimelineMenu::drawMarking(const ViewInput& input, ViewState& state) const {
  if (item(input, "marker", tr("Set a marker here"))) {
    input.begin_edit();
    setMarker(state.annotations, target_->cycle);
  }
  if (item(input, "note", tr("Write a note here"))) {
    input.begin_edit();
    state.annotations.notes.push_back({target_->cycle, target_->warp, ""});
    state.edited_note = state.annotations.notes.size() - 1;
    state.edited_note_x = ImGui::GetIO().MousePos.x;
    state.edited_note_y = ImGui::GetIO().MousePos.y;
  }
}

}  // namespace warpscope
