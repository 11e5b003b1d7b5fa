#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/core/units.h"
#include "viz/compare/compare_tables.h"
#include "viz/text/words.h"
#include "viz/views/item_offer.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kLine = 20, kNarrowest = 110;  // pixels at 100 %

using Rows = std::vector<std::pair<const char*, std::string>>;

std::string countOf(uint64_t count) {
  return formatCount(static_cast<int64_t>(count));
}

struct SelectionCell {
  std::string text;
  Rows details;  // the tooltip's
};

struct SelectionLine {
  std::string title, region;         // region: its name, or "" above the regions
  std::vector<SelectionCell> cells;  // one per run
};

const SelectionMetrics::Region* regionOf(const SelectionMetrics& metrics, const std::string& name) {
  const auto found = std::ranges::find(metrics.regions, name, &SelectionMetrics::Region::name);
  return found == metrics.regions.end() || found->cycles.count == 0 ? nullptr : &*found;
}

SelectionCell regionCell(const SelectionMetrics::Region* region) {
  if (region == nullptr) return {"–", {}};
  const Distribution& cycles = region->cycles;
  const std::string mean = formatSignificant(cycles.mean(), 4);
  return {fmt::format("{} × {}", countOf(cycles.count), mean),
          {{tr("spans"), countOf(cycles.count)},
           {tr("mean"), mean},
           {tr("median"), formatCount(cycles.median)},
           {"p95", formatCount(cycles.p95)},
           {tr("max"), formatCount(cycles.most)},
           {tr("of time"), formatPercent(region->share)},
           {tr("active lanes"), formatSignificant(region->mean_active_lanes, 4)},
           {tr("lost"), formatCount(region->lost_lane_cycles)}}};
}

SelectionCell lostCell(const SelectionMetrics& metrics) {
  const auto share = metrics.lostShare();
  return {share ? fmt::format("{} ({})", formatCount(metrics.lanes.lost()), formatPercent(*share)) : "–",
          {{tr("executing"), formatCount(metrics.lanes.executing)},
           {tr("waiting"), formatCount(metrics.lanes.waiting)},
           {tr("exited"), formatCount(metrics.lanes.exited)}}};
}

std::vector<SelectionLine> linesOf(const CompareInput& input, std::span<const SelectedInRun> selected) {
  std::vector<SelectionLine> lines;
  const auto line = [&](const std::string& title, const std::string& region, const auto& cell_of) {
    SelectionLine& added = lines.emplace_back(SelectionLine{title, region, {}});
    for (size_t run = 0; run < selected.size(); ++run) {
      const SelectionMetrics* metrics = selected[run].metrics;
      added.cells.push_back(metrics == nullptr ? SelectionCell{"...", {}} : cell_of(run, *metrics));
    }
  };
  line(tr("time"), "", [](size_t /*run*/, const SelectionMetrics& metrics) {
    return SelectionCell{metrics.duration_ns ? formatNs(*metrics.duration_ns) : "–", {}};
  });
  line(tr("cycles"), "", [](size_t /*run*/, const SelectionMetrics& metrics) {
    return SelectionCell{formatCount(metrics.duration_cycles), {}};
  });
  line(tr("warps"), "", [](size_t /*run*/, const SelectionMetrics& metrics) {
    return SelectionCell{countOf(metrics.warps), {{tr("blocks"), countOf(metrics.blocks)}}};
  });
  line(tr("cycles of warps"), "", [](size_t /*run*/, const SelectionMetrics& metrics) {
    return SelectionCell{formatCount(metrics.warp_cycles), {}};
  });
  line(tr("lost lane-cycles"), "",
       [](size_t /*run*/, const SelectionMetrics& metrics) { return lostCell(metrics); });
  for (const RegionComparison& region : input.comparison->regions) {
    const bool occurs = std::ranges::any_of(selected, [&](const SelectedInRun& of_run) {
      return of_run.metrics != nullptr && regionOf(*of_run.metrics, region.name) != nullptr;
    });
    if (!occurs) continue;
    line(tr(region.name), region.name, [&](size_t /*run*/, const SelectionMetrics& metrics) {
      return regionCell(regionOf(metrics, region.name));
    });
  }
  return lines;
}

void cellTooltip(const CompareInput& input, const SelectionLine& line, size_t run,
                 const SelectedInRun& selected) {
  const SelectionCell& cell = line.cells[run];
  Tooltip tooltip(*input.theme, *input.fonts, input.label(run) + ": " + line.title, 110);
  if (cell.details.empty() || line.region.empty()) tooltip.row(line.title.c_str(), cell.text);
  for (const auto& [name, value] : cell.details) tooltip.row(name, value);
  if (!line.region.empty()) tooltip.note(tr("Spans of the region, in cycles, as far as they are selected."));
  if (selected.selection != nullptr) offerItem(input, tooltip, *selected.selection, &input.run(run));
}

}  // namespace

std::string drawSelectionTable(const CompareInput& input, std::span<const SelectedInRun> selected,
                               std::string& hovered) {
  hovered.clear();
  const Theme& theme = *input.theme;
  const std::vector<SelectionLine> lines = linesOf(input, selected);
  const float swatch = theme.px(16), room = ImGui::GetContentRegionAvail().x;
  float titles = 0, widest = theme.px(kNarrowest);
  for (const SelectionLine& line : lines) {
    titles = std::max(titles, textSize(input.fonts->text, line.title.c_str()).x + swatch + theme.px(10));
    for (const SelectionCell& cell : line.cells)
      widest = std::max(widest, textSize(input.fonts->mono, cell.text.c_str()).x + theme.px(12));
  }
  const auto runs = static_cast<float>(selected.size());
  const float column = std::max(widest, (room - titles) / runs), width = titles + column * runs;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(4), theme.px(1)});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 head = ImGui::GetCursorScreenPos();
  for (size_t run = 0; run < selected.size(); ++run)
    drawRunName(input, run, {head.x + titles + column * static_cast<float>(run), head.y},
                column - theme.px(8));
  ImGui::Dummy({width, theme.px(kLine)});
  std::string clicked;
  for (size_t i = 0; i < lines.size(); ++i) {
    const SelectionLine& line = lines[i];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string name = fmt::format("compare.selected.{}", i);
    if (ImGui::InvisibleButton(name.c_str(), {width, theme.px(kLine)})) clicked = line.region;
    input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    const bool lit = ImGui::IsItemHovered();
    if (lit) hovered = line.region;
    if (lit || i % 2 == 0)
      list.AddRectFilled(at, {at.x + width, at.y + theme.px(kLine)},
                         lit ? withAlpha(theme.accent, 0.10F) : withAlpha(theme.text, 0.04F));
    if (!line.region.empty()) {
      const auto region = std::ranges::find(input.comparison->regions, line.region, &RegionComparison::name);
      const float side = theme.px(9), top = at.y + (theme.px(kLine) - side) / 2;
      list.AddRectFilled({at.x + theme.px(2), top}, {at.x + theme.px(2) + side, top + side},
                         theme.region(static_cast<size_t>(region - input.comparison->regions.begin())));
    }
    const float y = at.y + (theme.px(kLine) - ImGui::GetTextLineHeight()) / 2;
    drawText(list, input.fonts->text, {at.x + (line.region.empty() ? theme.px(2) : swatch), y},
             line.region.empty() ? theme.text_quiet : theme.text, line.title.c_str());
    for (size_t run = 0; run < selected.size(); ++run) {
      const float left = at.x + titles + column * static_cast<float>(run);
      drawTextFitted(list, input.fonts->mono, {left, y}, column - theme.px(8), theme.text,
                     line.cells[run].text.c_str());
      input.report->text(fmt::format("{}.{}", name, run), line.cells[run].text);
      const float mouse = ImGui::GetIO().MousePos.x;
      if (lit && mouse >= left && mouse < left + column) cellTooltip(input, line, run, selected[run]);
    }
  }
  ImGui::PopStyleVar();
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
  textWrapped(trf("Regions: spans × mean cycles, as far as they are selected. {} drops the selection.",
                  input.keys("window.back")));
  ImGui::PopStyleColor();
  return clicked;
}

}  // namespace warpscope
