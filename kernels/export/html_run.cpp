// A run's own section: circumstances, regions, timeline, source.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/export/html_parts.h"
#include "kernels/export/svg_timeline.h"
#include "kernels/metrics/metric.h"
#include "kernels/metrics/run_times.h"
#include "kernels/run/run.h"

namespace warpscope::html {
namespace {

constexpr size_t kLinesBefore = 8, kLinesAfter = 3;  // lines of source around those of regions
constexpr size_t kNoRegion = SIZE_MAX;

void writeTerm(TextWriter& out, const char* term, const std::string& text) {
  if (!text.empty()) out.print("<dt>{}</dt><dd>{}</dd>", term, markupText(text));
}

std::string dimText(const Dim3& dim) {
  return dim.z > 1   ? fmt::format("{} × {} × {}", dim.x, dim.y, dim.z)
         : dim.y > 1 ? fmt::format("{} × {}", dim.x, dim.y)
                     : fmt::format("{}", dim.x);
}

std::string clocksText(const Trace& trace) {
  if (!(trace.clocks.cycles_per_ns > 0)) return "the clock's rate is not known";
  std::string text = fmt::format("{} cycles per ns", formatSignificant(trace.clocks.cycles_per_ns));
  if (trace.clocks.sms.size() == 1) return text;
  if (trace.clocks.uncertainty_ns)
    return text + fmt::format("; between SMs uncertain by {}", formatNs(*trace.clocks.uncertainty_ns));
  return text + "; SMs are not all aligned with each other";
}

std::string timeText(const Run& run) {
  const Timing& timing = run.timing;
  const char* one =
      run.streams ? "one run of all operations, without probes" : "one launch of the bare kernel";
  const char* several =
      run.streams ? "runs of all operations, without probes" : "launches of the bare kernel";
  const std::string median = formatUs(timing.median_us);
  const std::string after = timing.warm_ups == 0 ? "cold" : fmt::format("warm-ups: {}", timing.warm_ups);
  if (timing.repeats == 1) return fmt::format("{}, {}, {}", median, one, after);
  return fmt::format("median {}, {} – {} over {} {}, {}", median, formatUs(timing.min_us),
                     formatUs(timing.max_us), timing.repeats, several, after);
}

// Beside its launch, what the trace covers; empty: not known.
std::string kernelText(const Run& run) {
  const RunTimes times = timesOf(run);
  std::string text;
  if (times.kernel) {
    text = fmt::format("{}: the launch less {} of overhead ({})", formatUs(*times.kernel, 3),
                       formatUs(*times.overhead, 3), formatPercent(*times.overheadShare(), 2));
  }
  if (times.kernel_with_probes) {
    text += fmt::format("{}with probes, as the timeline shows it, {}", text.empty() ? "" : "; ",
                        formatUs(*times.kernel_with_probes, 3));
  }
  return text;
}

std::string gridText(const Run& run) {
  std::string blocks = fmt::format("{} blocks of {} threads", dimText(run.grid), dimText(run.block));
  if (!run.streams) return blocks;
  const auto launches =
      std::ranges::count(run.streams->operations, OperationKind::kLaunch, &StreamOperation::kind);
  return fmt::format("{}, in {} launches", blocks, launches);
}

void writeCircumstances(const Run& run, TextWriter& out) {
  const Trace& trace = run.trace;
  out.put("<dl>");
  writeTerm(out, "settings", parametersText(run));
  writeTerm(out, "grid", gridText(run));
  out.print("<dt>device</dt><dd>{} {}</dd>", markupText(run.device.name), badge(run));
  writeTerm(out, "driver", run.device.driver);
  writeTerm(out, "made", run.created);
  writeTerm(out, "result",
            fmt::format("{}: {}", verificationWord(run.verification), run.verification.detail));
  if (run.timing.repeats > 0) {
    writeTerm(out, run.streams ? "whole" : "launch", timeText(run));
    writeTerm(out, "kernel", kernelText(run));
  }
  writeTerm(
      out, "resources",
      fmt::format("{} registers a thread, {} of shared memory a block", run.resources.registers_per_thread,
                  formatBytes(run.resources.static_shared_bytes + run.resources.dynamic_shared_bytes)));
  writeTerm(
      out, "recorded",
      fmt::format("{} warps, {} events over {} with probes{}",
                  formatCount(static_cast<int64_t>(trace.warps.size())),
                  formatCount(static_cast<int64_t>(trace.events.size())), formatCycles(trace.duration_cycles),
                  trace.unrecorded_warps == 0
                      ? ""
                      : fmt::format("; {} warps found no slot",
                                    formatCount(static_cast<int64_t>(trace.unrecorded_warps)))));
  writeTerm(out, "clocks", clocksText(trace));
  for (const TraceProblem& problem : trace.problems) writeTerm(out, "note", problem.cause);
  for (const Hazard& hazard : run.hazards.value_or(std::vector<Hazard>{}))
    writeTerm(out, "⚠ hazard", hazard.message);
  out.put("</dl>\n");
}

void writeRegions(const Run& run, TextWriter& out) {
  const std::vector<RegionMetrics> regions = regionMetrics(run);
  if (regions.empty()) return;
  out.print(R"(<h3>Regions</h3><div class="scroll {}"><table class="regions"><thead><tr><th>region</th>)",
            provenanceName(run.device.provenance));
  const auto metrics = regionMetricsToRead();
  for (const RegionMetric* metric : metrics) out.print(R"(<th class="n">{}</th>)", metric->title);
  out.put("</tr></thead><tbody>\n");
  for (size_t i = 0; i < regions.size(); ++i) {
    const RegionMetrics& region = regions[i];
    out.print(R"(<tr><td><span class="key r{}"></span>{}</td>)", i, markupText(region.name));
    for (const RegionMetric* metric : metrics)
      out.print(R"(<td class="n">{}</td>)", formatRegionMetric(*metric, region));
    out.put("</tr>\n");
  }
  out.put("</tbody></table></div>\n");
}

void writeTimeline(const Run& run, TextWriter& out) {
  if (run.trace.warps.empty()) return;
  const TimelineSize size;
  const size_t shown = std::min(size.most_rows, run.trace.warps.size());
  out.print(
      "<h3>Timeline {}</h3>\n<p class=\"quiet\">A row is a warp (b: block, w: warp of the block); the filled "
      "share "
      "of a bar is the share of active lanes. {}</p>\n<ul class=\"legend\">",
      badge(run),
      shown == run.trace.warps.size()
          ? fmt::format("All {} recorded warps.", shown)
          : fmt::format("The first {} of {} recorded warps.", shown,
                        formatCount(static_cast<int64_t>(run.trace.warps.size()))));
  for (size_t i = 0; i < run.regions.size(); ++i)
    out.print(R"(<li><span class="key r{}"></span>{}</li>)", i, markupText(run.regions[i].name));
  out.put("</ul>\n");
  writeTimelineSvg(run, out, size);
}

// The region of each line: the shortest one that contains it; lines[0] is line 1.
std::vector<size_t> regionsOfLines(const Run& run, size_t lines) {
  std::vector<size_t> order(run.regions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto length = [&](size_t i) { return int64_t{run.regions[i].last_line} - run.regions[i].first_line; };
  std::ranges::stable_sort(order, std::ranges::greater{}, length);
  std::vector<size_t> regions(lines, kNoRegion);
  for (const size_t i : order) {
    for (size_t line = run.regions[i].first_line;
         line >= 1 && line <= std::min<size_t>(run.regions[i].last_line, lines); ++line) {
      regions[line - 1] = i;
    }
  }
  return regions;
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// The lines to show: those of regions, and some around them.
std::vector<bool> shownLines(const std::vector<size_t>& regions) {
  std::vector<bool> shown(regions.size());
  for (size_t line = 0; line < regions.size(); ++line) {
    if (regions[line] == kNoRegion) continue;
    const size_t first = line - std::min(line, kLinesBefore);
    const size_t last = std::min(regions.size() - 1, line + kLinesAfter);
    for (size_t i = first; i <= last; ++i) shown[i] = true;
  }
  return shown;
}

void writeSource(const Run& run, bool open, TextWriter& out) {
  if (run.source == nullptr || run.source->empty()) return;
  const std::vector<std::string_view> lines = linesOf(*run.source);
  const std::vector<size_t> regions = regionsOfLines(run, lines.size());
  const std::vector<bool> shown = shownLines(regions);
  out.print(
      "<details{}><summary>Source: {}</summary>\n<div class=\"scroll\"><table class=\"source\"><tbody>\n",
      open ? " open=\"open\"" : "", markupText(run.source_file));
  size_t left_out = 0;
  const auto write_gap = [&] {
    if (left_out > 0)
      out.print("<tr class=\"gap\"><td colspan=\"4\">… {} line{} left out</td></tr>\n", left_out,
                left_out == 1 ? "" : "s");
    left_out = 0;
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!shown[i]) {
      ++left_out;
      continue;
    }
    write_gap();
    const size_t region = regions[i];
    const bool marked = region != kNoRegion;
    const bool begins = marked && run.regions[region].first_line == i + 1;
    out.print(R"(<tr><td class="n">{}</td><td class="mark{}"></td><td>{}</td><td class="name">{}</td></tr>)",
              i + 1, marked ? fmt::format(" r{}", region) : "", markupText(lines[i]),
              begins ? markupText(run.regions[region].name) : "");
    out.put("\n");
  }
  write_gap();
  out.put("</tbody></table></div></details>\n");
}

}  // namespace

void writeRun(const Run& run, size_t number, bool open, TextWriter& out) {
  out.print("<section id=\"{}\">\n<h2>{} {} <small class=\"quiet\">{}</small> {}</h2>\n", anchor(number),
            markupText(run.request.family), markupText(variantLabel(run.request.family, run.request.variant)),
            markupText(parametersText(run)), badge(run));
  writeCircumstances(run, out);
  writeOperations(run, out);
  writeRegions(run, out);
  writeTimeline(run, out);
  writeSource(run, open, out);
  out.put("</section>\n");
}

}  // namespace warpscope::html
