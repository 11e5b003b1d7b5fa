#include "viz/compare/race_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/bars.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr double kEase_s = 0.3;
constexpr float kRaceRow = 26, kMargin = 8;  // pixels at 100 %

// The speed that a run is ranked by: 1 over its cost.
double speedOf(const Comparison& race, size_t run) {
  const auto& cost = race.ranking.runs[run].cost;
  return cost && cost->median > 0 ? 1 / cost->median : 0;
}

bool modelled(const Comparison& race, size_t run) {
  return race.runs[run]->device.provenance == Provenance::kModelled;
}

// The highest and the lowest ranked speed among runs of the same provenance.
std::pair<double, double> speedsOf(const Comparison& race, bool of_modelled) {
  double fastest = 0, slowest = 0;
  for (size_t run = 0; run < race.runs.size(); ++run) {
    if (!race.ranking.runs[run].place || modelled(race, run) != of_modelled) continue;
    const double speed = speedOf(race, run);
    fastest = std::max(fastest, speed);
    slowest = slowest == 0 ? speed : std::min(slowest, speed);
  }
  return {fastest, slowest};
}

struct RaceColumns {
  float number, name, bar, bar_end, time, bandwidth, faster, end;  // left edges; pixels

  RaceColumns(const Theme& theme, const Fonts& fonts, float left, float width) {
    const float gap = theme.px(14);
    const auto wide = [&](const char* text) { return textSize(fonts.mono, text).x + gap; };
    number = left + theme.px(kMargin + 14);
    name = number + wide("✗ 88");
    end = left + width - theme.px(kMargin);
    faster = end - wide("1,234× slowest");
    bandwidth = faster - wide("0.00088 GB/s");
    time = bandwidth - wide("8,888 µs ± 88.8 %");
    bar = name + std::min(theme.px(330), (time - name) * 0.45F);
    bar_end = std::max(bar, time - gap);
  }
};

bool tied(const Comparison& race, size_t run, size_t other) {
  return std::ranges::find(race.ranking.runs[run].ties, other) != race.ranking.runs[run].ties.end();
}

}  // namespace

float RaceBars::height(const Theme& theme, size_t entries) {
  return theme.px(kRaceRow) * static_cast<float>(entries + 1);
}

double RaceBars::Eased::at(double now_s) const {
  const double t = std::clamp((now_s - since_s) / kEase_s, 0.0, 1.0);
  return from + (to - from) * (1 - std::pow(1 - t, 3));
}

bool RaceBars::Eased::arrived(double now_s) const {
  return from == to || now_s - since_s >= kEase_s;
}

void RaceBars::Eased::go(double target, double now_s) {
  if (target == to) return;
  from = at(now_s);
  to = target;
  since_s = now_s;
}

std::vector<size_t> raceOrder(std::span<const RaceEntry> entries, const Comparison* comparison) {
  std::vector<size_t> order(entries.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto place = [&](size_t entry) -> std::tuple<int, size_t> {
    const RaceEntry& of = entries[entry];
    if (of.result && comparison != nullptr) {
      const auto& ranked = comparison->ranking.order;
      return {0, static_cast<size_t>(std::ranges::find(ranked, *of.result) - ranked.begin())};
    }
    return {of.error.empty() ? 1 : 2, entry};
  };
  std::ranges::stable_sort(order, {}, place);
  return order;
}

std::optional<size_t> RaceBars::draw(const RaceInput& input) {
  const Theme& theme = *input.theme;
  const std::vector<size_t> order = raceOrder(input.entries, input.comparison);
  std::vector<std::string> variants;
  for (const RaceEntry& entry : input.entries) variants.push_back(entry.variant);
  if (variants != of_) {  // another family: nothing moves from this one to that one
    of_ = std::move(variants);
    bars_.assign(of_.size(), {});
    for (size_t place = 0; place < order.size(); ++place) {
      bars_[order[place]].place = {double(place), double(place), -1e9};
    }
  }
  for (size_t place = 0; place < order.size(); ++place) {
    Bar& bar = bars_[order[place]];
    const auto& result = input.entries[order[place]].result;
    double length = 0;
    if (result && input.comparison != nullptr && input.comparison->ranking.runs[*result].place) {
      const double fastest = speedsOf(*input.comparison, modelled(*input.comparison, *result)).first;
      length = fastest > 0 ? speedOf(*input.comparison, *result) / fastest : 0;
    }
    bar.place.go(static_cast<double>(place), input.now_s);
    bar.length.go(length, input.now_s);
  }
  moving_ = std::ranges::any_of(bars_, [&](const Bar& bar) {
    return !bar.place.arrived(input.now_s) || !bar.length.arrived(input.now_s);
  });

  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const RaceColumns columns(theme, *input.fonts, at.x, width);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto head = [&](float x, float end, const char* text) {
    drawTextFitted(list, input.fonts->text, {x, at.y}, end - x - theme.px(6), theme.text_quiet, text);
  };
  head(columns.number, columns.name, "#");
  head(columns.name, columns.bar, tr("variant"));
  const bool by_time = input.comparison == nullptr || input.comparison->ranking.by == RankBy::kTime;
  const char* speed = by_time ? tr("speed: the fastest's launch / launch (0 to 1)")
                              : tr("speed: bandwidth / the fastest's (0 to 1)");
  head(columns.bar, columns.time, speed);
  head(columns.time, columns.bandwidth, tr("launch"));
  head(columns.bandwidth, columns.faster, tr("bandwidth"));
  head(columns.faster, at.x + width, tr("× slowest"));
  if (ImGui::IsMouseHoveringRect({columns.bar, at.y}, {columns.time, at.y + ImGui::GetTextLineHeight()}))
    Tooltip(theme, *input.fonts, speed);
  const float top = at.y + theme.px(kRaceRow);
  std::optional<size_t> clicked;
  for (const size_t entry : order) {
    const auto shown = static_cast<float>(bars_[entry].place.at(input.now_s));
    const ImVec2 row{at.x, top + theme.px(kRaceRow) * shown};
    ImGui::SetCursorScreenPos(row);
    const std::string name = "race." + input.entries[entry].variant;
    if (ImGui::InvisibleButton(name.c_str(), {width, theme.px(kRaceRow)})) clicked = entry;
    input.report->widget(name, row, {row.x + width, row.y + theme.px(kRaceRow)});
    drawEntry(input, entry, row, width);
  }
  // Brackets join neighbours whose times do not differ beyond the noise.
  for (size_t place = 0; place + 1 < order.size() && input.comparison != nullptr && !moving_; ++place) {
    const auto &upper = input.entries[order[place]].result, &lower = input.entries[order[place + 1]].result;
    if (!upper || !lower || !tied(*input.comparison, *upper, *lower)) continue;
    const float x = at.x + theme.px(kMargin), row = theme.px(kRaceRow);
    const float from = top + row * (static_cast<float>(place) + 0.5F), to = from + row;
    list.AddLine({x, from}, {x, to}, theme.text_quiet, theme.px(2));
    list.AddLine({x, from}, {x + theme.px(5), from}, theme.text_quiet, theme.px(2));
    list.AddLine({x, to}, {x + theme.px(5), to}, theme.text_quiet, theme.px(2));
    input.report->widget(fmt::format("race.tie.{}", place), {x, from}, {x + theme.px(6), to});
  }
  ImGui::SetCursorScreenPos({at.x, top + theme.px(kRaceRow) * static_cast<float>(order.size())});
  ImGui::Dummy({1, 1});
  return clicked;
}

void RaceBars::drawEntry(const RaceInput& input, size_t entry, ImVec2 at, float width) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const RaceEntry& of = input.entries[entry];
  const RaceColumns columns(theme, *input.fonts, at.x, width);
  const float text_y = at.y + (theme.px(kRaceRow) - ImGui::GetTextLineHeight()) / 2;
  const auto text = [&](float x, float right, ImU32 colour, const std::string& words) {
    drawTextFitted(list, input.fonts->mono, {x, text_y}, right - x, colour, words.c_str());
  };
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    list.AddRectFilled(at, {at.x + width, at.y + theme.px(kRaceRow)}, withAlpha(theme.accent, 0.10F),
                       theme.px(3));
  }
  // The title, and the name that explanations and the command line use.
  const float name_end = columns.bar - theme.px(8);
  const std::string title = fittedText(input.fonts->text, tr(of.title), name_end - columns.name);
  drawText(list, input.fonts->text, {columns.name, text_y}, of.result ? theme.text : theme.text_quiet,
           title.c_str());
  const float beside = columns.name + textSize(input.fonts->text, title.c_str()).x + theme.px(10);
  if (name_end - beside > theme.px(30)) text(beside, name_end, theme.text_quiet, of.variant);
  const float bar_top = at.y + theme.px(4), bar_bottom = at.y + theme.px(kRaceRow - 4);
  list.AddRectFilled({columns.bar, bar_top}, {columns.bar_end, bar_bottom}, theme.grid_line, theme.px(2));
  if (!of.result || input.comparison == nullptr) {
    const std::string words = of.error.empty() ? std::string(tr("running ...")) : "✗ " + trMessage(of.error);
    drawTextFitted(list, input.fonts->text, {columns.bar + theme.px(6), text_y}, columns.end - columns.bar,
                   theme.text_quiet, words.c_str());
    return;
  }
  const Comparison& race = *input.comparison;
  const size_t run = *of.result;
  const RunRank& rank = race.ranking.runs[run];
  const RunFacts& fact = race.facts[run];
  const bool is_modelled = modelled(race, run);
  const auto length = static_cast<float>(bars_[entry].length.at(input.now_s));
  drawBar(theme, list, {columns.bar, bar_top},
          {columns.bar + (columns.bar_end - columns.bar) * length, bar_bottom},
          of.present ? theme.accent : mixColours(theme.panel, theme.text, 0.5F), is_modelled);
  text(columns.number, columns.name, theme.text, rank.place ? std::to_string(*rank.place) : "–");
  if (fact.wrong()) {
    drawText(list, input.fonts->text, {columns.bar + theme.px(6), text_y}, theme.error, tr("✗ wrong"));
  } else if (!rank.place) {
    drawTextFitted(list, input.fonts->text, {columns.bar + theme.px(6), text_y},
                   columns.bar_end - columns.bar, theme.text_quiet, trMessage(rank.unranked).c_str());
  }
  std::string time = tr("n/a"), slowest = tr("n/a");
  if (fact.timing) {
    const TimeColumn launches = launchTimes(race);
    time = fact.timing->repeats == 1
               ? launches.text(fact.timing->median_us)
               : launches.withSpread(fact.timing->median_us, fact.timing->min_us, fact.timing->max_us);
  }
  const double slowest_speed = speedsOf(race, is_modelled).second;
  if (rank.place && slowest_speed > 0)
    slowest = formatSignificant(speedOf(race, run) / slowest_speed, 3) + "×";
  text(columns.time, columns.bandwidth, theme.text, time);
  const auto bandwidth = fact.metrics.value("bandwidth");
  text(columns.bandwidth, columns.faster, theme.text, bandwidth ? formatGbPerS(*bandwidth) : tr("n/a"));
  text(columns.faster, columns.end, theme.text, slowest);
  if (!hovered || ImGui::IsMouseDown(0)) return;
  Tooltip tooltip(theme, *input.fonts, tr(of.title) + "  (" + of.variant + ")");
  tooltip.row(tr("place"), rank.place ? std::to_string(*rank.place) : trMessage(rank.unranked));
  tooltip.row(tr("launch"), time);
  for (const size_t tie : rank.ties) tooltip.row(tr("within noise of"), shownName(race.facts[tie].name));
  tooltip.note(is_modelled ? tr("Modelled. Click adds it to the comparison.")
                           : tr("Measured. Click adds it to the comparison."));
}

}  // namespace warpscope
