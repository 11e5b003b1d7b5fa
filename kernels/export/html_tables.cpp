// Comparisons of runs: rankings and the table of numbers.
#include <algorithm>
#include <map>
#include <set>

#include "kernels/compare/ranking.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/export/html_parts.h"
#include "kernels/metrics/achieved.h"
#include "kernels/metrics/metric.h"
#include "kernels/metrics/metrics.h"
#include "kernels/run/run.h"

namespace warpscope::html {
namespace {

std::string runLink(const Run& run, size_t number) {
  return fmt::format(R"(<a href="#{}">{}</a>)", anchor(number),
                     markupText(variantLabel(run.request.family, run.request.variant)));
}

// "12.3 µs – 13.1 µs", of its repeats.
std::string spreadText(const Timing& timing, const TimeColumn& times) {
  if (timing.repeats == 0) return "not timed";
  if (timing.repeats == 1) return "one launch";
  return fmt::format("{} – {}", times.text(timing.min_us), times.text(timing.max_us));
}

std::string resultText(const Run& run) {
  std::string text = run.verification.passed      ? R"(<span class="ok">✓ verified</span>)"
                     : run.verification.unchecked ? "not checked"
                                                  : R"(<span class="error">✗ WRONG</span>)";
  if (run.hazards && !run.hazards->empty()) {
    text += fmt::format(R"(, <span class="warning">⚠ {} hazard{}</span>)", run.hazards->size(),
                        run.hazards->size() == 1 ? "" : "s");
  }
  return text;
}

std::string occupancyText(const Run& run) {
  const auto achieved = achievedOf(run);
  return fmt::format(
      "{}{}<br/><small>limit: {}</small>", formatPercent(run.occupancy.theoretical),
      achieved ? ", achieved " + shareText(achieved->share, achieved->low, achieved->high) : "",
      markupText(limiterName(run.occupancy.limiter)));
}

std::string metricText(const Metric& metric, const Run& run, const TimeColumn& times) {
  if (metric.id == "theoretical") return occupancyText(run);  // with what belongs to it
  const auto known = metric.compute(run);
  if (known) return formatMetric(metric, *known, times);
  return metric.sparse ? "" : R"(<span class="quiet">not reported</span>)";
}

std::string timesText(double factor) {
  return formatMetric(MetricUnit::kTimes, factor);
}

// The factor between two times, and the reason if they cannot be distinguished.
std::string ratioText(const Cost& longer, const Cost& shorter) {
  const Verdict verdict = compareCosts(longer, shorter);
  const bool known = verdict == Verdict::kFaster || verdict == Verdict::kSlower;
  return timesText(longer.median / shorter.median) +
         (known ? "" : fmt::format(" <small>{}</small>", verdictName(verdict)));
}

void writeCells(TextWriter& out, std::span<const std::string> texts) {
  for (const std::string& text : texts) out.print(R"(<td class="n">{}</td>)", text);
}

}  // namespace

std::string badge(const Run& run) {
  const char* name = provenanceName(run.device.provenance);
  return fmt::format(R"(<span class="badge {}">{}</span>)", name, name);
}

std::string anchor(size_t number) {
  return fmt::format("run-{}", number);
}

Settings::Settings(std::span<const Run* const> runs) {
  std::map<std::string, std::set<std::string>> texts;
  for (const Run* run : runs) {
    for (const auto& [name, value] : run->request.parameters) texts[name].insert(parameterText(*run, name));
  }
  for (const auto& [name, values] : texts) {
    if (values.size() > 1) {
      names.push_back(name);
    } else {
      common += fmt::format("{}{} {}", common.empty() ? "" : ", ", name, *values.begin());
    }
  }
}

std::string Settings::varying(const Run& run) const {
  std::string text;
  for (const std::string& name : names) {
    const std::string value = parameterText(run, name);
    if (!value.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

const char* timedThing(std::span<const Run* const> runs) {
  return std::ranges::all_of(runs, [](const Run* run) { return run->streams.has_value(); }) ? "whole"
                                                                                            : "launch";
}

TimeColumn timesOf(std::span<const Run* const> runs) {
  TimeColumn times;
  for (const Run* run : runs) times.add(run->timing.min_us);
  return times;
}

void writeRanking(std::span<const Run* const> runs, std::span<const size_t> numbers, TextWriter& out) {
  ComparedRuns compared;
  for (const Run* run : runs) compared.emplace_back(std::shared_ptr<const Run>(), run);  // not owned
  const Ranking ranking = rankRuns(compared, 0, RankBy::kTime);
  const auto cost_of = [&](size_t place) -> const Cost& { return *ranking.runs[ranking.order[place]].cost; };
  const size_t last = ranking.order.size() - 1;
  const Settings settings(runs);
  const TimeColumn times = timesOf(runs);
  const Run& first = *runs.front();
  out.print("<h3>Ranking: {}, {} {}</h3>\n<p class=\"quiet\">", markupText(first.request.family),
            markupText(settings.common.empty() ? "the same work" : settings.common), badge(first));
  out.put(
      "Fastest first. <em>Within noise</em>: the spreads, from the fastest to the slowest repeat, overlap, "
      "so that "
      "neither is known to be the faster.</p>\n");
  out.print(
      R"(<div class="scroll {}"><table class="ranking"><thead><tr><th class="n">#</th><th>variant</th>)",
      provenanceName(first.device.provenance));
  if (!settings.names.empty()) out.put("<th>settings</th>");
  out.print(R"(<th class="n">{}, median</th>)", timedThing(runs));
  out.put(R"(<th class="n">min – max</th><th class="n">speed-up over the slowest</th>)"
          R"(<th class="n">slower than the one before</th></tr></thead><tbody>)");
  for (size_t place = 0; place <= last; ++place) {
    const size_t member = ranking.order[place];
    const Run& run = *runs[member];
    out.print(R"(<tr><td class="n">{}</td><td>{}</td>)", place + 1, runLink(run, numbers[member]));
    if (!settings.names.empty()) out.print("<td>{}</td>", markupText(settings.varying(run)));
    const std::string cells[] = {times.text(run.timing.median_us), spreadText(run.timing, times),
                                 place == last ? timesText(1) : ratioText(cost_of(last), cost_of(place)),
                                 place == 0 ? "" : ratioText(cost_of(place), cost_of(place - 1))};
    writeCells(out, cells);
    out.put("</tr>\n");
  }
  out.put("</tbody></table></div>\n");
}

void beginNumbers(const Settings& settings, const char* timed, TextWriter& out) {
  out.put(R"(<table class="numbers"><thead><tr><th>variant</th>)");
  if (!settings.names.empty()) out.put("<th>settings</th>");
  out.put("<th>result</th>");
  const std::string median = fmt::format("{}, median", timed);
  std::vector<std::string_view> titles{median, "min – max"};
  for (const Metric& metric : metrics()) {
    if ((metric.outputs & kInHtml) != 0) titles.push_back(metric.title);
  }
  titles.emplace_back("events");
  for (const std::string_view title : titles) out.print(R"(<th class="n">{}</th>)", title);
  out.put("</tr></thead><tbody>\n");
}

void writeNumbers(const Run& run, size_t number, const Settings& settings, const TimeColumn& times,
                  TextWriter& out) {
  out.print("<tr><td>{}</td>", runLink(run, number));
  if (!settings.names.empty()) out.print("<td>{}</td>", markupText(settings.varying(run)));
  out.print("<td>{}</td>", resultText(run));
  const bool timed = run.timing.repeats > 0;
  std::vector<std::string> cells{timed ? times.text(run.timing.median_us) : "",
                                 spreadText(run.timing, times)};
  for (const Metric& metric : metrics()) {
    if ((metric.outputs & kInHtml) != 0) cells.push_back(metricText(metric, run, times));
  }
  cells.push_back(formatCount(static_cast<int64_t>(run.probe.kept)) +
                  (run.probe.dropped > 0 ? fmt::format(R"( <small class="warning">⚠ {} lost</small>)",
                                                       formatCount(static_cast<int64_t>(run.probe.dropped)))
                                         : ""));
  writeCells(out, cells);
  out.put("</tr>\n");
}

void endNumbers(TextWriter& out) {
  out.put("</tbody></table>");
}

}  // namespace warpscope::html
