#include "viz/views/row_menu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "kernels/core/units.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/words.h"
#include "viz/views/view_tooltips.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kMostChipShare = 0.5F;  // of what is left of the line

struct KindText {
  RowKind kind;
  const char *name, *help;
};
constexpr std::array kKinds{
    KindText{
        RowKind::kAutomatic, trMark("automatic"),
        trMark("Warp slots if warps follow one another in them, as in a launch of several waves; otherwise "
               "warps by SM.")},
    KindText{RowKind::kSlots, trMark("warp slots"),
             trMark("A row is a hardware warp slot of an SM; the warps that held it follow one another.")},
    KindText{RowKind::kWarpsBySm, trMark("warps by SM"),
             trMark("A row is a warp. Warps of the same SM are together, blocks in the order in which they "
                    "began.")},
    KindText{RowKind::kWarpsByBlock, trMark("warps by block"),
             trMark("A row is a warp. Warps of a block are together, blocks in the order of their index.")},
    KindText{
        RowKind::kBlocks, trMark("blocks"),
        trMark("A row is a block: the share of the lanes of all its warps that execute, in the colour of "
               "the region in which most of them are.")}};

struct SortText {
  RowSort sort;
  const char *name, *help;
};
constexpr std::array kSorts{
    SortText{
        RowSort::kNatural, trMark("as numbered"),
        trMark("By SM and slot, or by block and warp; on an SM, blocks in the order in which they began.")},
    SortText{RowSort::kBegin, trMark("by begin"),
             trMark("By the cycle in which the row begins, earliest first.")},
    SortText{RowSort::kDuration, trMark("by duration"),
             trMark("Longest first; of a slot, the time in which it held a warp.")},
    SortText{
        RowSort::kLostLanes, trMark("by lost lanes"),
        trMark(
            "Most first: the lane-cycles in which existing lanes waited for another path or had exited.")}};

const KindText& textOf(RowKind kind) {
  return *std::ranges::find(kKinds, kind, &KindText::kind);
}
const SortText& textOf(RowSort sort) {
  return *std::ranges::find(kSorts, sort, &SortText::sort);
}

void reportItem(const ViewInput& input, const std::string& name) {
  input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

void helpOfItem(const ViewInput& input, const char* title, const char* text) {
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(*input.theme, *input.fonts, title);
  tooltip.note(text);
}

// "warp slots, by duration, reversed"
std::string summary(const RowOrder& order, const RowChoice& rows) {
  std::string text = tr(textOf(order.kind()).name);
  if (rows.sort != RowSort::kNatural) text += std::string(", ") + tr(textOf(rows.sort).name);
  if (rows.reversed) text += std::string(", ") + tr("reversed");
  return text;
}

// A field whose text is taken as it is typed. `valid`: the text means something.
bool textField(const ViewInput& input, const char* label, const char* name, const char* hint,
               std::string& text, bool valid) {
  const Theme& theme = *input.theme;
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%s", text.c_str());
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(label);
  ImGui::SameLine(theme.px(96));
  ImGui::SetNextItemWidth(theme.px(130));
  if (!valid) ImGui::PushStyleColor(ImGuiCol_Text, theme.error);
  const bool typed = ImGui::InputTextWithHint(fmt::format("##{}", name).c_str(), hint, buffer, sizeof buffer);
  if (!valid) ImGui::PopStyleColor();
  reportItem(input, fmt::format("timeline.filter.{}", name));
  if (!valid) {
    ImGui::SameLine(0, theme.px(6));
    ImGui::TextUnformatted(trf("! such as {}", hint).c_str());
  }
  if (typed) text = buffer;
  return typed;
}

// Of two GPUs, by name: their SMs are numbered through.
std::string smsText(const DeviceLimits& limits, const NumberRange& sms) {
  if (limits.gpus < 2) return trf("SM {}", numberRangeText(sms));
  const std::string first = trSm(limits, SmId{sms.first});
  const uint32_t all = limits.gpus * limits.sm_count;
  return sms.first == sms.last
             ? first
             : trf("{} to {}", first, trSm(limits, SmId{std::min(sms.last, std::max(all, 1U) - 1)}));
}

}  // namespace

std::string rowFilterText(const Run& run, const RowFilter& filter) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (filter.sms) add(smsText(run.device.limits, *filter.sms));
  if (filter.blocks) add(trf("block {}", numberRangeText(filter.blocks)));
  if (filter.region) {
    const auto region = std::ranges::find(run.regions, *filter.region, &Region::id);
    add(region == run.regions.end() ? std::string(tr("a region that this run does not describe"))
                                    : tr(region->name));
  }
  if (filter.least_cycles) add("≥ " + trCycles(*filter.least_cycles));
  if (filter.most_cycles) add("≤ " + trCycles(*filter.most_cycles));
  return text;
}

void RowMenu::takeTexts(const RowFilter& filter) {
  sms_ = numberRangeText(filter.sms);
  blocks_ = numberRangeText(filter.blocks);
  least_ = filter.least_cycles ? formatCount(*filter.least_cycles) : "";
  most_ = filter.most_cycles ? formatCount(*filter.most_cycles) : "";
}

void RowMenu::drawKinds(const ViewInput& input, RowChoice& rows) const {
  for (const KindText& kind : kKinds) {
    if (ImGui::RadioButton(tr(kind.name), rows.kind == kind.kind)) rows.kind = kind.kind;
    reportItem(input, fmt::format("timeline.rows.{}", kRowKindNames[static_cast<size_t>(kind.kind)]));
    helpOfItem(input, tr(kind.name), tr(kind.help));
  }
}

void RowMenu::drawSorts(const ViewInput& input, RowChoice& rows) const {
  for (const SortText& sort : kSorts) {
    if (ImGui::RadioButton(tr(sort.name), rows.sort == sort.sort)) rows.sort = sort.sort;
    reportItem(input, fmt::format("timeline.sort.{}", kRowSortNames[static_cast<size_t>(sort.sort)]));
    helpOfItem(input, tr(sort.name), tr(sort.help));
  }
  ImGui::Checkbox(tr("reversed"), &rows.reversed);
  reportItem(input, "timeline.sort.reversed");
}

void RowMenu::drawRegionFilter(const ViewInput& input, RowFilter& filter) const {
  const Theme& theme = *input.theme;
  const Run& run = *input.run;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("enters region"));
  ImGui::SameLine(theme.px(96));
  ImGui::SetNextItemWidth(theme.px(130));
  const auto chosen =
      filter.region ? std::ranges::find(run.regions, *filter.region, &Region::id) : run.regions.end();
  const bool open =
      ImGui::BeginCombo("##region", chosen == run.regions.end() ? tr("any") : tr(chosen->name.c_str()));
  reportItem(input, "timeline.filter.region");
  if (!open) return;
  if (ImGui::Selectable(tr("any"), !filter.region)) filter.region.reset();
  for (size_t i = 0; i < run.regions.size(); ++i) {
    if (ImGui::Selectable(tr(run.regions[i].name.c_str()), filter.region == run.regions[i].id))
      filter.region = run.regions[i].id;
    reportItem(input, fmt::format("timeline.filter.region.{}", i));
  }
  ImGui::EndCombo();
}

void RowMenu::drawFilter(const ViewInput& input, RowFilter& filter) {
  const auto range = [&](const char* label, const char* name, std::string& text,
                         std::optional<NumberRange>& value) {
    const bool valid = text.empty() || parseNumberRange(text);
    if (textField(input, label, name, "0-3", text, valid)) value = parseNumberRange(text);
  };
  const auto cycles = [&](const char* label, const char* name, std::string& text,
                          std::optional<int64_t>& value) {
    const bool valid = text.empty() || parseCycles(text);
    if (textField(input, label, name, "2,000", text, valid)) value = parseCycles(text);
  };
  range(tr("SM"), "sms", sms_, filter.sms);
  range(tr("block"), "blocks", blocks_, filter.blocks);
  drawRegionFilter(input, filter);
  cycles(tr("cycles from"), "least", least_, filter.least_cycles);
  cycles(tr("cycles to"), "most", most_, filter.most_cycles);
  ImGui::BeginDisabled(filter.empty());
  if (ImGui::Button(tr("Show all warps"))) {
    filter = {};
    takeTexts(filter);
  }
  ImGui::EndDisabled();
  reportItem(input, "timeline.filter.clear");
}

void RowMenu::draw(const ViewInput& input, ViewState& state) {
  const Theme& theme = *input.theme;
  const auto heading = [&](const char* text) {
    ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
  };
  const std::string shown = summary(*input.rows, state.rows);
  const float width = textSize(input.fonts->text, shown.c_str()).x + ImGui::GetFrameHeight() + theme.px(14);
  ImGui::SetNextItemWidth(std::min(width, ImGui::GetContentRegionAvail().x));
  const bool open = ImGui::BeginCombo("##rows", shown.c_str(), ImGuiComboFlags_HeightLargest);
  reportItem(input, "timeline.rows");
  if (!open) {
    helpOfItem(input, state.rows.kind == RowKind::kAutomatic ? tr("Rows, chosen for this run") : tr("Rows"),
               tr("What a row is, the order of rows, and which warps are shown."));
    return;
  }
  if (ImGui::IsWindowAppearing()) takeTexts(state.rows.filter);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();  // as SameLine() does to the heading beside it
  heading(tr("A row is"));
  drawKinds(input, state.rows);
  ImGui::EndGroup();
  ImGui::SameLine(0, theme.px(28));
  ImGui::BeginGroup();
  heading(tr("Order"));
  drawSorts(input, state.rows);
  ImGui::EndGroup();
  ImGui::Separator();
  heading(tr("Only warps with"));
  drawFilter(input, state.rows.filter);
  ImGui::EndCombo();
}

void RowMenu::drawChip(const ViewInput& input, ViewState& state) const {
  if (state.rows.filter.empty()) return;
  const Theme& theme = *input.theme;
  const RowOrder& order = *input.rows;
  ImGui::SameLine(0, theme.px(12));
  const std::string count = trf("{} of {} warps", formatCount(int64_t{order.shownWarps()}),
                                formatCount(int64_t{order.recordedWarps()}));
  const std::string text = rowFilterText(*input.run, state.rows.filter) + ": " + count;
  const float room = ImGui::GetContentRegionAvail().x * kMostChipShare;
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, theme.px(1));
  ImGui::PushStyleColor(ImGuiCol_Border, theme.accent);
  const std::string shown = fittedText(input.fonts->text, text, std::max(theme.px(90), room)) + "  ×##filter";
  if (ImGui::Button(shown.c_str())) state.rows.filter = {};
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  reportItem(input, "timeline.filter");
  helpOfItem(input, text.c_str(), tr("Rows are filtered. A click shows all warps again."));
}

void RowMenu::drawNothingLeft(const ViewInput& input, ViewState& state) const {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 max{min.x + room.x, min.y + room.y / 2};
  drawMessage(
      *input.theme, *input.fonts, min, max,
      trf("None of the {} recorded warps meets the filter: {}.",
          formatCount(int64_t{input.rows->recordedWarps()}), rowFilterText(*input.run, state.rows.filter)));
  const char* label = tr("Show all warps");
  const float width = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorScreenPos({(min.x + max.x - width) / 2, max.y});
  if (ImGui::Button(label)) state.rows.filter = {};
  reportItem(input, "timeline.filter.none");
}

}  // namespace warpscope
