#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/compare/compare_tables.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/bars.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kRegionRow = 20, kNumberGap = 10, kNarrow = 380;  // pixels at 100 %

// The columns of a table with bars: name, bar, and numbers at the right, each as wide as necessary.
struct RegionColumns {
  float left = 0, bar_left = 0, bar_right = 0;
  std::array<float, 3> number_right{};

  RegionColumns(float from, float to, float name, const std::array<float, 3>& widths, float gap)
      : left(from) {
    float right = to;
    for (size_t i = widths.size(); i-- > 0;) {
      number_right[i] = right;
      right -= widths[i] + gap;
    }
    bar_left = from + name;
    bar_right = std::max(bar_left, right);
  }
  float middle() const { return (bar_left + bar_right) / 2; }
};

void rightText(ImFont* font, float right, float y, ImU32 colour, const std::string& text) {
  drawText(*ImGui::GetWindowDrawList(), font, {right - textSize(font, text.c_str()).x, y}, colour,
           text.c_str());
}

// A bar to the right of the middle means more than the baseline, to the left less.
void signedBar(const CompareInput& input, const RegionColumns& columns, float top, double value, double most,
               ImU32 colour, bool modelled) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = columns.middle(), half = (columns.bar_right - columns.bar_left) / 2;
  const float bottom = top + theme.px(kRegionRow - 6);
  list.AddRectFilled({columns.bar_left, top}, {columns.bar_right, bottom}, theme.grid_line, theme.px(2));
  const auto length = static_cast<float>(most > 0 ? std::abs(value) / most : 0) * half;
  if (value > 0)
    drawBar(theme, list, {middle, top}, {middle + std::max(length, 1.0F), bottom}, colour, modelled);
  if (value < 0)
    drawBar(theme, list, {middle - std::max(length, 1.0F), top}, {middle, bottom}, colour, modelled);
  list.AddLine({middle, top - 1}, {middle, bottom + 1}, theme.text_quiet);
}

void regionTooltip(const CompareInput& input, const RegionComparison& region) {
  Tooltip tooltip(*input.theme, *input.fonts, tr(region.name));
  for (const size_t run : {input.comparison->baseline, *input.other}) {
    const auto& numbers = region.runs[run].numbers;
    tooltip.row(input.label(run).c_str(),
                numbers ? trf("{} spans, {} cycles per warp, {} of the time, {} lane-cycles lost",
                              formatCount(static_cast<int64_t>(numbers->spans)),
                              formatSignificant(numbers->cycles_per_warp), formatPercent(numbers->share),
                              formatCount(numbers->lost_lane_cycles))
                        : std::string(tr("has no such region")));
  }
  tooltip.note(tr("Summed over the recorded warps. Click marks the region in all timelines."));
}

// The titles of the number columns; they also explain the sign of the difference.
void drawHead(const CompareInput& input, const RegionColumns& columns,
              const std::array<const char*, 3>& titles, const char* bar) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (size_t i = 0; i < titles.size(); ++i) {
    rightText(input.fonts->text, columns.number_right[i], at.y, theme.text_quiet, titles[i]);
  }
  const std::string title = fittedText(input.fonts->text, bar, columns.bar_right - columns.bar_left);
  drawText(list, input.fonts->text,
           {columns.middle() - textSize(input.fonts->text, title.c_str()).x / 2, at.y}, theme.text_quiet,
           title.c_str());
  ImGui::Dummy({1, theme.px(kRegionRow)});
}

// Draws "A − B", each with its mark.
void drawPair(const CompareInput& input) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  float x = at.x + drawRunName(input, *input.other, at, room * 0.42F) + input.theme->px(8);
  const char* against = tr("less the baseline");
  drawText(*ImGui::GetWindowDrawList(), input.fonts->text, {x, at.y}, input.theme->text_quiet, against);
  x += textSize(input.fonts->text, against).x + input.theme->px(8);
  drawRunName(input, input.comparison->baseline, {x, at.y}, at.x + room - x);
  ImGui::Dummy({1, input.theme->px(kRegionRow)});
}

struct RegionRow {
  const RegionComparison* region = nullptr;
  std::optional<RegionDifference> difference;
  double cycles_per_warp = 0;  // the difference, or the cycles that only one of the two spends there
  std::string only;            // the one that has it alone
};

std::vector<RegionRow> rowsOf(const CompareInput& input) {
  const size_t baseline = input.comparison->baseline, other = *input.other;
  std::vector<RegionRow> rows;
  for (const RegionComparison& region : input.comparison->regions) {
    const RegionOfRun& own = region.runs[other];
    const RegionOfRun& base = region.runs[baseline];
    if (!own.exists && !base.exists) continue;
    RegionRow row{.region = &region, .difference = differenceOf(region, other, baseline), .only = {}};
    if (row.difference) {
      row.cycles_per_warp = row.difference->cycles_per_warp;
    } else if (own.numbers && !base.exists) {
      row.cycles_per_warp = own.numbers->cycles_per_warp;
      row.only = trf("only in {}", input.label(other));
    } else if (base.numbers && !own.exists) {
      row.cycles_per_warp = -base.numbers->cycles_per_warp;
      row.only = trf("only in {}", input.label(baseline));
    } else {
      row.only = tr("not recorded");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string signedCount(double value) {
  const double size = std::abs(value);
  std::string digits = size >= 1e5 ? formatSi(size, "", 3) : formatSignificant(size, 4);
  if (digits == "0") return digits;
  return (value < 0 ? "−" : "+") + digits;
}

const ModelError* modelErrorOf(const CompareInput& input) {
  if (!input.other) return nullptr;
  const size_t baseline = input.comparison->baseline, other = *input.other;
  for (const ModelError& error : input.comparison->model_errors) {
    if ((error.measured == baseline && error.modelled == other) ||
        (error.measured == other && error.modelled == baseline)) {
      return &error;
    }
  }
  return nullptr;
}

std::string drawRegionDifferences(const CompareInput& input, const std::string& selected,
                                  std::string& hovered) {
  hovered.clear();
  const Theme& theme = *input.theme;
  if (!input.other) {
    drawMessage(theme, *input.fonts, tr("Keep a second run to see what differs."));
    return {};
  }
  const size_t other = *input.other, baseline = input.comparison->baseline;
  if (!input.comparison->comparesWithBaseline(other)) {
    drawMessage(theme, *input.fonts,
                tr("One of the two is measured, the other modelled: their cycles are not subtracted. For the "
                   "same kernel at the same settings, the model's errors would be shown here."));
    return {};
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(4), theme.px(1)});
  drawPair(input);
  const std::vector<RegionRow> rows = rowsOf(input);
  double most = 0;
  for (const RegionRow& row : rows) most = std::max(most, std::abs(row.cycles_per_warp));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  // If there is little room, only the tooltip shows the spans.
  const bool narrow = width < theme.px(kNarrow);
  const std::array titles{tr("cycles per warp"), narrow ? "" : tr("spans"), tr("lost lanes")};
  std::array<float, 3> widths{};
  for (size_t i = 0; i < titles.size(); ++i) {
    if (*titles[i] == '\0') continue;
    widths[i] = std::max(textSize(input.fonts->text, titles[i]).x, textSize(input.fonts->mono, "+12,345").x);
  }
  const RegionColumns columns(from.x, from.x + width, std::min(width * 0.3F, theme.px(120)), widths,
                              theme.px(kNumberGap));
  drawHead(input, columns, titles, tr("less | more"));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::string clicked;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RegionRow& row = rows[i];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string name = fmt::format("compare.region.{}", i);
    if (ImGui::InvisibleButton(name.c_str(), {width, theme.px(kRegionRow)})) clicked = row.region->name;
    input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    const bool lit = ImGui::IsItemHovered();
    if (lit) hovered = row.region->name;
    if (lit || selected == row.region->name) {
      list.AddRectFilled(at, {at.x + width, at.y + theme.px(kRegionRow)},
                         withAlpha(theme.accent, lit ? 0.10F : 0.22F), theme.px(3));
    }
    const auto colour = static_cast<size_t>(row.region - input.comparison->regions.data());
    const float side = theme.px(9), text_y = at.y + (theme.px(kRegionRow) - ImGui::GetTextLineHeight()) / 2;
    list.AddRectFilled({at.x + theme.px(2), at.y + theme.px(5)},
                       {at.x + theme.px(2) + side, at.y + theme.px(5) + side}, theme.region(colour));
    drawTextFitted(list, input.fonts->text, {at.x + theme.px(16), text_y},
                   columns.bar_left - at.x - theme.px(20), theme.text, tr(row.region->name).c_str());
    signedBar(input, columns, at.y + theme.px(3), row.cycles_per_warp, most, theme.region(colour),
              input.modelled(other));
    if (row.difference) {
      const std::array numbers{signedCount(row.difference->cycles_per_warp),
                               narrow ? "" : signedCount(static_cast<double>(row.difference->spans)),
                               signedCount(static_cast<double>(row.difference->lost_lane_cycles))};
      for (size_t n = 0; n < numbers.size(); ++n) {
        rightText(input.fonts->mono, columns.number_right[n], text_y, theme.text, numbers[n]);
      }
    } else {
      const float room = columns.number_right[2] - columns.bar_right - theme.px(8);
      rightText(input.fonts->text, columns.number_right[2], text_y, theme.text_quiet,
                fittedText(input.fonts->text, row.only, room));
    }
    if (lit) regionTooltip(input, *row.region);
  }
  const size_t own_warps = input.run(other).trace.warps.size();
  const size_t base_warps = input.run(baseline).trace.warps.size();
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
  if (own_warps != base_warps) {
    textWrapped(trf("{} warps were recorded here, {} for the baseline: compare cycles per warp, not sums.",
                    formatCount(static_cast<int64_t>(own_warps)),
                    formatCount(static_cast<int64_t>(base_warps))));
  } else {
    textWrapped(trf("From {} recorded warps each.", formatCount(static_cast<int64_t>(own_warps))));
  }
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  return clicked;
}

void drawModelErrors(const CompareInput& input, const ModelError& error) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(4), theme.px(1)});
  drawRunName(input, error.modelled, at, width / 2);
  drawRunName(input, error.measured, {at.x + width / 2, at.y}, width / 2);
  ImGui::Dummy({1, theme.px(kRegionRow)});
  const std::array titles{tr("measured"), tr("modelled"), tr("error")};
  std::array<float, 3> widths{};
  for (size_t i = 0; i < titles.size(); ++i) {
    widths[i] =
        std::max(textSize(input.fonts->text, titles[i]).x, textSize(input.fonts->mono, "1,234,567").x);
  }
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const RegionColumns columns(from.x, from.x + width, width * 0.34F, widths, theme.px(kNumberGap));
  drawHead(input, columns, titles, tr("too little | too much"));
  double most = 0;
  for (const SignedError& row : error.errors) most = std::max(most, std::abs(row.relative.value_or(0)));
  for (size_t i = 0; i < error.errors.size(); ++i) {
    const SignedError& row = error.errors[i];
    const ImVec2 line = ImGui::GetCursorScreenPos();
    ImGui::Dummy({width, theme.px(kRegionRow)});
    input.report->widget(fmt::format("compare.error.{}", i), ImGui::GetItemRectMin(),
                         ImGui::GetItemRectMax());
    const float text_y = line.y + theme.px(2);
    const std::string name = row.unit.empty() ? row.name : fmt::format("{} ({})", row.name, row.unit);
    drawTextFitted(list, input.fonts->text, {line.x, text_y}, columns.bar_left - line.x - theme.px(6),
                   theme.text, trMessage(name).c_str());
    if (row.relative) {
      signedBar(input, columns, line.y + theme.px(3), *row.relative, most, theme.text_quiet, true);
    }
    const std::string percent = row.relative ? signedCount(*row.relative * 100) + " %" : tr("n/a");
    const std::array numbers{formatSignificant(row.measured), formatSignificant(row.modelled), percent};
    for (size_t n = 0; n < numbers.size(); ++n) {
      rightText(input.fonts->mono, columns.number_right[n], text_y, theme.text, numbers[n]);
    }
  }
  ImGui::PopStyleVar();
  if (error.caution.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
  textWrapped("⚠ " + trMessage(error.caution));
  ImGui::PopStyleColor();
}

}  // namespace warpscope
