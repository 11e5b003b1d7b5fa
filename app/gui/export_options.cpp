#include "app/gui/export_options.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/gui/fold_row.h"
#include "kernels/core/units.h"
#include "viz/layout/row_selection.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"

namespace warpscope {
namespace {

constexpr size_t kLongestRange = 64;
constexpr float kRangeWidth = 190;  // pixels at 100 %

CycleRange visibleRange(const ViewState& view) {
  return {static_cast<int64_t>(std::floor(view.begin_cycles)),
          static_cast<int64_t>(std::floor(view.end_cycles)) + 1};
}

bool somethingSelected(const ViewState& view) {
  return !view.selection.empty() || view.selected_warp;
}

ButtonLook lookOf(bool on) {
  return on ? ButtonLook::kOn : ButtonLook::kPlain;
}

}  // namespace

void ExportOptions::begin(const FileActionInfo& action) {
  *this = {};
  action_ = &action;
}

std::string ExportOptions::problem() const {
  if (part_ != Part::kTyped || typed_is_range_) return {};
  return trf("'{}' is not a range of cycles such as 100..900", typed_);
}

// The range stays as it is while the dialog is open: neither the zoom nor the selection can change meanwhile.
void ExportOptions::choose(const Ui& ui, Part part) {
  const ViewState& view = ui.model.view;
  part_ = part;
  switch (part) {
    case Part::kWhole:
      choice_.range.reset();
      break;
    case Part::kVisible:
      choice_.range = visibleRange(view);
      break;
    case Part::kSelected:
      choice_.range = extentOf(shownSelection(view), ui.model.feed().shown().run->trace);
      break;
    case Part::kTyped:
      if (!choice_.range) choice_.range = visibleRange(view);
      typed_ = cycleRangeText(*choice_.range);
      typed_is_range_ = focus_ = true;
      break;
  }
}

void ExportOptions::drawTables(const Ui& ui, float width) {
  std::vector<FoldItem> items;
  for (const TableInfo& table : tables()) {
    items.push_back(fixedItem(buttonWidth(tr(table.label)), 10, ui.px(2), [&](float) {
      if (button(ui, std::string("dialog.table.") + table.name, tr(table.label),
                 lookOf(choice_.table == table.kind)))
        choice_.table = table.kind;
    }));
  }
  drawFoldingRow(ui, "dialog.tables", width, items);
}

void ExportOptions::drawParts(const Ui& ui, float width) {
  struct PartButton {
    Part part;
    const char *name, *label, *help;
    bool possible;
  };
  const ViewState& view = ui.model.view;
  const std::array<PartButton, 4> parts{{
      {Part::kWhole, "dialog.whole", tr("Whole launch"), tr("Everything that was recorded."), true},
      {Part::kVisible, "dialog.visible", tr("Visible range"),
       tr("What the timeline shows now: zoom in to choose it."), !view.fitted},
      {Part::kSelected, "dialog.selected", tr("Selected range"),
       tr("From the first to the last selected cycle, with all warps that live then: drag over the timeline "
          "to "
          "select."),
       somethingSelected(view)},
      {Part::kTyped, "dialog.typed", tr("Typed range"), tr("From one cycle to another."), true},
  }};
  std::vector<FoldItem> items;
  items.reserve(parts.size());
  for (const PartButton& choice : parts) {
    items.push_back(fixedItem(buttonWidth(choice.label), 10, ui.px(2), [&](float) {
      ImGui::BeginDisabled(!choice.possible);
      if (button(ui, choice.name, choice.label, lookOf(part_ == choice.part))) choose(ui, choice.part);
      ImGui::EndDisabled();
      helpTooltip(ui, choice.name, "", choice.help);
    }));
  }
  drawFoldingRow(ui, "dialog.parts", width, items);
}

bool ExportOptions::drawTypedRange(const Ui& ui) {
  std::array<char, kLongestRange> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%s", typed_.c_str());
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("Cycles"));
  ImGui::SameLine();
  ImGui::SetNextItemWidth(ui.px(kRangeWidth));
  if (std::exchange(focus_, false)) ImGui::SetKeyboardFocusHere();
  if (!typed_is_range_) ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.error);
  const bool entered =
      ImGui::InputTextWithHint("##range", "100..900", buffer.data(), buffer.size(),
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (!typed_is_range_) ImGui::PopStyleColor();
  ui.report.widgetOfLastItem("dialog.range");
  helpTooltip(
      ui, "dialog.range", "",
      tr("The first cycle, two dots, and the cycle before which it ends: 100..900. Without a number it "
         "is the launch's begin or end."));
  typed_ = buffer.data();
  const auto range = parseCycleRange(typed_);
  typed_is_range_ = range.has_value();
  if (range) choice_.range = *range;
  ImGui::SameLine(0, ui.px(14));
  return entered;
}

bool ExportOptions::draw(const Ui& ui, const std::string& estimate, float width) {
  if (action_->format == nullptr || action_->format->write == nullptr) return false;
  bool entered = false;
  if (action_->format->has_tables) drawTables(ui, width);
  if (action_->format->has_range) {
    drawParts(ui, width);
    if (part_ == Part::kTyped) entered = drawTypedRange(ui);
  }
  std::string text = problem().empty() ? estimate : problem();
  if (part_ != Part::kTyped && choice_.range) {
    const std::string range = cycleRangeText(*choice_.range);
    text = text.empty() ? trf("cycles {}", range) : trf("cycles {}: {}", range, text);
  }
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, problem().empty() ? ui.theme.text_quiet : ui.theme.error);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ui.report.text("dialog.estimate", text);
  return entered;
}

}  // namespace warpscope
