// A run's operations on streams: what they add up to, their picture, and a table.
#include <algorithm>
#include <map>

#include "kernels/core/colours.h"
#include "kernels/core/units.h"
#include "kernels/export/html_parts.h"
#include "kernels/export/svg_operations.h"
#include "kernels/metrics/operation_notes.h"
#include "kernels/metrics/operation_rows.h"
#include "kernels/run/run.h"

namespace warpscope::html {
namespace {

// Says in the legend what an operation's colour stands for: "launch of scale, chunk".
std::string legendText(const StreamOperation& operation, size_t series) {
  if (series == kMovesInSeries) return "moves to the device";
  if (series == kMovesOutSeries) return "moves to the host";
  if (series == kOtherSeries) return operationKindName(operation.kind);
  const std::string work = operation.name.substr(0, operation.name.find_last_not_of("0123456789 ") + 1);
  return fmt::format("launch of {}{}{}", operation.kernel, work.empty() ? "" : ": ", work);
}

void writeLegend(const StreamLog& log, TextWriter& out) {
  std::map<size_t, std::string> names;
  for (const StreamOperation& operation : log.operations) {
    if (!(operation.begin_ns < operation.end_ns)) continue;
    const size_t series = operationSeries(log, operation);
    names.try_emplace(series, legendText(operation, series));
  }
  for (const PageMigration& migration : log.migrations) {
    const size_t series = migration.to_device ? kMovesInSeries : kMovesOutSeries;
    names.try_emplace(series, legendText({}, series));
  }
  out.put("<ul class=\"legend\">");
  for (const auto& [series, name] : names)
    out.print(R"(<li><span class="key s{}"></span>{}</li>)", series % kSeriesColours, markupText(name));
  out.put("</ul>\n");
}

std::string numbersText(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (const uint32_t number : numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  return text;
}

void writeTable(const Run& run, TextWriter& out) {
  const StreamLog& log = *run.streams;
  TimeColumn times;
  for (const StreamOperation& operation : log.operations) times.add(operation.end_ns / 1e3);
  const auto time = [&](double ns) { return times.text(ns / 1e3); };
  out.print(
      R"(<div class="scroll {}"><table class="operations"><thead><tr><th class="n">#</th><th>operation</th><th>stream</th>)",
      provenanceName(run.device.provenance));
  for (const char* title : {"enqueued", "begin", "end", "took", "moved", "after"})
    out.print(R"(<th class="n">{}</th>)", title);
  out.put("<th>because</th></tr></thead><tbody>\n");
  for (uint32_t i = 0; i < log.operations.size(); ++i) {
    const StreamOperation& operation = log.operations[i];
    const bool lasts = operation.begin_ns < operation.end_ns;
    const StreamInfo& stream = log.streams[operation.stream];
    out.print("<tr><td class=\"n\">{}</td><td>{}{}</td><td>{}{}</td>", i,
              lasts ? fmt::format(R"(<span class="key s{}"></span>)",
                                  operationSeries(log, operation) % kSeriesColours)
                    : "",
              markupText(operationTitle(operation)), markupText(stream.name),
              log.gpus() > 1 ? fmt::format(", GPU {}", stream.gpu) : "");
    const std::string cells[] = {time(operation.enqueued_ns),
                                 time(operation.begin_ns),
                                 time(operation.end_ns),
                                 lasts ? time(operation.end_ns - operation.begin_ns) : "",
                                 operation.bytes > 0 ? formatBytes(operation.bytes) : "",
                                 numbersText(operation.after)};
    for (const std::string& cell : cells) out.print(R"(<td class="n">{}</td>)", cell);
    out.print("<td class=\"wide\">{}</td></tr>\n", markupText(operationReason(log, operation)));
  }
  out.put("</tbody></table></div>\n");
}

}  // namespace

void writeOperations(const Run& run, TextWriter& out) {
  if (!run.streams) return;
  const StreamLog& log = *run.streams;
  out.print(
      "<h3>Operations {}</h3>\n<p class=\"quiet\">Rows are the host's calls, the streams, and what executes "
      "the "
      "operations; where a stream is hatched, its next operation waits; arrows lead from stream to stream to "
      "what had to wait. {}</p>\n",
      badge(run),
      run.trace.warps.empty() ? "" : "Below, the warps of the launches in the slots of the first SMs.");
  writeLegend(log, out);
  writeOperationsSvg(run, out);
  out.put("<ul class=\"notes\">");
  for (const std::string& note : operationNotes(log)) out.print("<li>{}</li>", markupText(note));
  out.put("</ul>\n");
  writeTable(run, out);
}

}  // namespace warpscope::html
