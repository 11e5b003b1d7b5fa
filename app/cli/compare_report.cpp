#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "app/cli/reports.h"
#include "app/cli/table.h"
#include "kernels/core/units.h"
#include "kernels/metrics/counters.h"

namespace warpscope {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? formatSignificant(*value, 3) : "";
}

std::string signedPercent(double share) {
  return (share > 0 ? "+" : "") + formatPercent(share);
}

std::string signedCount(int64_t count) {
  return (count > 0 ? "+" : "") + formatCount(count);
}

// "2.1x (2.0 to 2.2)"
std::string speedUpText(const Comparison& comparison, size_t i) {
  if (i == comparison.baseline) return "baseline";
  const auto& speed_up = comparison.ranking.runs[i].speed_up;
  if (!speed_up) return "";
  std::string ratio = number(speed_up->ratio) + "x";
  if (speed_up->low == speed_up->high) return ratio;
  return fmt::format("{} ({} to {})", ratio, number(speed_up->low), number(speed_up->high));
}

// "2", and "2=" where another run has the same place.
std::string placeText(const Comparison& comparison, size_t i) {
  const auto& runs = comparison.ranking.runs;
  if (!runs[i].place) return "";
  const auto provenance = [&](size_t run) { return comparison.runs[run]->device.provenance; };
  size_t same = 0;
  for (size_t j = 0; j < runs.size(); ++j) {
    if (runs[j].place == runs[i].place && provenance(j) == provenance(i)) ++same;
  }
  return fmt::format("{}{}", *runs[i].place, same > 1 ? "=" : "");
}

// A column is shown if any run has something to show in it.
struct FactColumn {
  std::string title;
  std::function<std::string(const Comparison&, size_t)> text;
};

std::string timeText(const Comparison& comparison, size_t i) {
  const auto& timing = comparison.facts[i].timing;
  if (!timing) return "";
  const TimeColumn times = launchTimes(comparison);
  return timing->repeats > 1 ? times.withSpread(timing->median_us, timing->min_us, timing->max_us)
                             : times.text(timing->median_us);
}

std::vector<FactColumn> factColumns() {
  std::vector<FactColumn> columns{
      {"result",
       [](const Comparison& comparison, size_t i) {
         const RunFacts& fact = comparison.facts[i];
         return std::string(fact.verified ? "verified" : fact.wrong() ? "WRONG" : "not checked");
       }},
      {"launch ± half range", timeText},
      {"speed-up", speedUpText}};
  for (const Metric& metric : metrics()) {
    if ((metric.outputs & kInComparison) == 0) continue;
    columns.push_back({std::string(metric.title), [&metric](const Comparison& comparison, size_t i) {
                         const auto& known = comparison.facts[i].metrics[metric];
                         return known ? formatMetric(metric, *known, timesOfMetric(comparison, metric))
                                      : std::string();
                       }});
  }
  columns.push_back({"numbers", [](const Comparison& comparison, size_t i) {
                       return std::string(provenanceName(comparison.runs[i]->device.provenance));
                     }});
  return columns;
}

std::string numbered(const Comparison& comparison, size_t i) {
  return fmt::format("{} {}", i + 1, comparison.facts[i].name.full());
}

// Lists the runs that cannot be distinguished, each pair once.
std::string tieTexts(const Comparison& comparison) {
  std::string text;
  const auto& runs = comparison.ranking.runs;
  for (const size_t i : comparison.ranking.order) {
    std::vector<std::string> noise, few, equal;
    for (const size_t j : runs[i].ties) {
      if (j < i) continue;
      const bool apart = compareCosts(*runs[i].cost, *runs[j].cost) == Verdict::kTooFewRepeats;
      (apart ? few : runs[i].cost->modelled ? equal : noise).push_back(comparison.facts[j].name.full());
    }
    const std::string label = comparison.facts[i].name.full();
    if (!noise.empty()) text += fmt::format("within noise of {}: {}\n", label, fmt::join(noise, ", "));
    if (!equal.empty())
      text += fmt::format("as fast as {}, by the model: {}\n", label, fmt::join(equal, ", "));
    if (!few.empty()) {
      text += fmt::format("too few repeats to tell {} from {}: ask for more with --repeats\n", label,
                          fmt::join(few, ", "));
    }
  }
  return text;
}

// Ties, why runs have no place or no speed-up, and why slow ones are slow.
std::string remarks(const Comparison& comparison) {
  std::string text = tieTexts(comparison);
  const auto& runs = comparison.ranking.runs;
  for (const size_t i : comparison.ranking.order) {
    if (!runs[i].place)
      text += fmt::format("no place for {}: {}\n", comparison.facts[i].name.full(), runs[i].unranked);
    if (!runs[i].no_speed_up.empty() && runs[i].place) {
      text += fmt::format("no speed-up for {}: {}\n", comparison.facts[i].name.full(), runs[i].no_speed_up);
    }
  }
  for (const Explanation& explanation : comparison.explanations) text += explanation.text + "\n";
  return text;
}

}  // namespace

std::string rankingTable(const Comparison& comparison) {
  const size_t count = comparison.runs.size();
  const std::vector<FactColumn> all = factColumns();
  std::vector<const FactColumn*> shown;
  std::vector<Column> columns{{"rank", Align::kRight}, {"run"}};
  for (const FactColumn& column : all) {
    bool said = false;
    for (size_t i = 0; i < count && !said; ++i) said = !column.text(comparison, i).empty();
    if (!said) continue;
    shown.push_back(&column);
    columns.push_back({column.title, Align::kRight});
  }
  Table table(std::move(columns));
  for (const size_t i : comparison.ranking.order) {
    std::vector<std::string> cells{placeText(comparison, i), numbered(comparison, i)};
    for (const FactColumn* column : shown) cells.push_back(column->text(comparison, i));
    table.addRow(std::move(cells));
  }
  std::set<std::string> families;
  for (const auto& run : comparison.runs) families.insert(run->request.family);
  const bool apart = std::ranges::any_of(comparison.runs, [&](const auto& run) {
    return run->device.provenance != comparison.runs.front()->device.provenance;
  });
  return fmt::format(
      "{}: {} runs ranked by {}{}\n{}{}", fmt::join(families, ", "), count,
      comparison.ranking.by == RankBy::kTime ? "median time" : "bandwidth, for what they do differs",
      apart ? ", measured and modelled ones apart" : "", table.text(), remarks(comparison));
}

std::string regionDifferences(const Comparison& comparison) {
  if (comparison.regions.empty()) return "";
  Table table({{"region"},
               {"run"},
               {"cycles per warp", Align::kRight},
               {"than baseline", Align::kRight},
               {"share", Align::kRight},
               {"spans", Align::kRight},
               {"than baseline", Align::kRight},
               {"active lanes", Align::kRight},
               {"lost lane-cycles", Align::kRight},
               {"than baseline", Align::kRight}});
  for (const RegionComparison& region : comparison.regions) {
    const auto have = std::ranges::count(region.runs, true, &RegionOfRun::exists);
    for (size_t i = 0; i < region.runs.size(); ++i) {
      const RegionOfRun& of = region.runs[i];
      if (!of.exists) continue;
      const std::string run = numbered(comparison, i) + (have == 1 ? " only" : "");
      if (!of.numbers) {
        table.addRow({region.name, run, "", "", "", "", "", "", "", ""});
        continue;
      }
      const auto difference =
          comparison.comparesWithBaseline(i) ? differenceOf(region, i, comparison.baseline) : std::nullopt;
      const auto more = [&](auto&& text) { return difference ? text(*difference) : std::string(); };
      table.addRow({region.name, run, formatSignificant(of.numbers->cycles_per_warp),
                    more([](const RegionDifference& d) {
                      return (d.cycles_per_warp > 0 ? "+" : "") + formatSignificant(d.cycles_per_warp);
                    }),
                    formatPercent(of.numbers->share), formatCount(static_cast<int64_t>(of.numbers->spans)),
                    more([](const RegionDifference& d) { return signedCount(d.spans); }),
                    number(of.numbers->mean_active_lanes), formatCount(of.numbers->lost_lane_cycles),
                    more([](const RegionDifference& d) { return signedCount(d.lost_lane_cycles); })});
    }
  }
  return table.text();
}

std::string modelErrorTable(const Comparison& comparison) {
  std::string text;
  for (const ModelError& pair : comparison.model_errors) {
    Table table(
        {{"number"}, {"measured", Align::kRight}, {"modelled", Align::kRight}, {"error", Align::kRight}});
    for (const SignedError& error : pair.errors) {
      table.addRow({error.name, formatCounter(error.measured, error.unit),
                    formatCounter(error.modelled, error.unit),
                    error.relative ? signedPercent(*error.relative) : ""});
    }
    text += fmt::format("\nthe model, {}, against {}{}\n{}", numbered(comparison, pair.modelled),
                        numbered(comparison, pair.measured),
                        pair.caution.empty() ? "" : fmt::format(" ({})", pair.caution), table.text());
  }
  return text;
}

}  // namespace warpscope
