#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "kernels/core/units.h"
#include "viz/compare/compare_tables.h"
#include "viz/text/share_text.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kRankingRow = 19, kNarrowestColumn = 96, kWidestColumn = 240;  // pixels at 100 %

struct RankingCell {
  std::string text;
  bool quiet = false;
};

// A value that a device cannot know is "n/a", never zero.
RankingCell metricOf(const Metric& metric, const RunFacts& fact, const TimeColumn& times) {
  const auto& known = fact.metrics[metric];
  if (!known) return {tr("n/a"), true};
  if (metric.uncertain) return {shareTextShown(*known)};
  return {formatMetric(metric, *known, times)};
}

RankingCell placeOf(const CompareInput& input, size_t run) {
  const RunRank& rank = input.comparison->ranking.runs[run];
  if (!rank.place) return {trMessage(rank.unranked), true};
  std::string text = std::to_string(*rank.place);
  if (!rank.ties.empty()) text += std::string("  ") + tr("tie");
  return {text};
}

RankingCell rangeOf(const CompareInput& input, size_t run) {
  const auto& up = input.comparison->ranking.runs[run].speed_up;
  if (run == input.comparison->baseline) return {"–", true};
  if (!up) return {tr("n/a"), true};
  return {trf("{} to {}", formatSignificant(up->low, 3), formatSignificant(up->high, 3))};
}

RankingCell timeOf(const RunFacts& fact, const TimeColumn& launches) {
  if (!fact.timing) return {tr("n/a"), true};
  if (fact.timing->repeats == 1) return {launches.text(fact.timing->median_us)};
  return {launches.withSpread(fact.timing->median_us, fact.timing->min_us, fact.timing->max_us)};
}

const RunFacts& factsOf(const CompareInput& input, size_t run) {
  return input.comparison->facts[run];
}

struct Line {
  std::string title;
  std::string what;  // the tooltip
  std::function<RankingCell(const CompareInput&, size_t)> cell;
};

// Columns of metrics that no run has are left out.
std::vector<Line> linesOf(const CompareInput& input) {
  using In = const CompareInput&;
  std::vector<Line> lines{
      {tr("place"),
       tr("1 plus the number of runs that are faster beyond the noise, among runs of the same "
          "provenance: measured and modelled times are not ranked together."),
       placeOf},
      {tr("speed-up"),
       tr("The baseline's median time over this run's, and the range that the extremes of both allow. "
          "Where the ranges of their times overlap, the difference is within the noise."),
       [](In of, size_t run) {
         return RankingCell{speedUpText(of, run), run == of.comparison->baseline};
       }},
      {tr("from, to"), tr("The range of the speed-up that the extremes of both allow."), rangeOf},
      {tr("launch"), tr(std::string(findMetric("time")->help)),
       [launches = launchTimes(*input.comparison)](In of, size_t run) {
         return timeOf(factsOf(of, run), launches);
       }}};
  for (const Metric& metric : metrics()) {
    const bool told = std::ranges::any_of(
        input.comparison->facts, [&](const RunFacts& of_run) { return of_run.metrics[metric].has_value(); });
    if (!told || metric.id == "time") continue;
    lines.push_back({tr(std::string(metric.title)), tr(std::string(metric.help)),
                     [&metric, times = timesOfMetric(*input.comparison, metric)](In of, size_t run) {
                       return metricOf(metric, factsOf(of, run), times);
                     }});
  }
  lines.push_back(
      {tr("result"), tr("Checked against a reference computed on the host."), [](In of, size_t run) {
         const RunFacts& fact = factsOf(of, run);
         return RankingCell{fact.pending     ? tr("… not checked yet")
                            : fact.unchecked ? tr("not checked")
                            : fact.verified  ? tr("✓ verified")
                                             : tr("✗ wrong")};
       }});
  return lines;
}

// The names of the runs above their columns: one line for the name and one for the provenance.
void drawHeads(const CompareInput& input, float left, float column) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto& order = input.comparison->ranking.order;
  for (size_t place = 0; place < order.size(); ++place) {
    const float x = left + column * static_cast<float>(place);
    drawRunName(input, order[place], {x, at.y}, column - theme.px(8));
    const std::string provenance = tr(provenanceName(input.run(order[place]).device.provenance));
    drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text,
                   {x + theme.px(16), at.y + theme.px(kRankingRow)}, column - theme.px(24), theme.text_quiet,
                   provenance.c_str());
    input.report->widget(fmt::format("compare.rank.{}", place), {x, at.y},
                         {x + column, at.y + theme.px(2 * kRankingRow)});
  }
  ImGui::Dummy({left - at.x + column * static_cast<float>(order.size()), theme.px(2 * kRankingRow)});
}

}  // namespace

std::string speedUpText(const CompareInput& input, size_t run) {
  if (run == input.comparison->baseline) return tr("baseline");
  const RunRank& rank = input.comparison->ranking.runs[run];
  if (!rank.speed_up) return tr("n/a");
  if (rank.against_baseline == Verdict::kWithinNoise) return tr("within noise");
  if (rank.against_baseline == Verdict::kTooFewRepeats) return tr("too few repeats");
  return formatSignificant(rank.speed_up->ratio, 3) + "×";
}

void drawExplanations(const Theme& theme, const Comparison& comparison, float width) {
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text);
  for (const Explanation& explanation : comparison.explanations) {
    textWrapped("• " + shownExplanation(comparison, explanation), width);
  }
  ImGui::PopStyleColor();
  if (!comparison.explanations.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
  textWrapped(tr("No run is notably slower than the fastest of its kind, or the runs are of different "
                 "families: there is nothing to explain."),
              width);
  ImGui::PopStyleColor();
}

void drawRankingTable(const CompareInput& input) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(4), theme.px(1)});
  float titles = 0;
  const std::vector<Line> lines = linesOf(input);
  for (const Line& line : lines) titles = std::max(titles, textSize(input.fonts->text, line.title.c_str()).x);
  titles += theme.px(12);
  const auto& order = input.comparison->ranking.order;
  float widest = theme.px(kNarrowestColumn);
  for (const Line& line : lines) {
    for (const size_t run : order) {
      const std::string cell = line.cell(input, run).text;
      widest = std::max(widest, textSize(input.fonts->mono, cell.c_str()).x + theme.px(22));
    }
  }
  widest = std::min(widest, theme.px(kWidestColumn));
  const float column = std::max(widest, (room - titles) / static_cast<float>(order.size()));
  const float left = ImGui::GetCursorScreenPos().x + titles;
  drawHeads(input, left, column);
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = titles + column * static_cast<float>(order.size());
    if (i % 2 == 0) {
      list.AddRectFilled(at, {at.x + width, at.y + theme.px(kRankingRow)}, withAlpha(theme.text, 0.04F));
    }
    ImGui::Dummy({width, theme.px(kRankingRow)});
    if (ImGui::IsItemHovered()) {
      Tooltip tooltip(theme, *input.fonts, line.title);
      for (const size_t run : order) tooltip.row(input.label(run).c_str(), line.cell(input, run).text);
      tooltip.note(line.what);
    }
    drawText(list, input.fonts->text, {at.x, at.y + theme.px(2)}, theme.text_quiet, line.title.c_str());
    for (size_t place = 0; place < order.size(); ++place) {
      const RankingCell cell = line.cell(input, order[place]);
      const float x = left + column * static_cast<float>(place) + theme.px(16);
      drawTextFitted(list, input.fonts->mono, {x, at.y + theme.px(2)}, column - theme.px(20),
                     cell.quiet ? theme.text_quiet : theme.text, cell.text.c_str());
    }
  }
  ImGui::PopStyleVar();
  ImGui::Dummy({1, theme.px(2)});
  drawExplanations(theme, *input.comparison, room);
}

}  // namespace warpscope
