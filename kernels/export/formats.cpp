#include "kernels/export/formats.h"

#include <algorithm>
#include <array>

#include "kernels/core/json.h"
#include "kernels/export/chrome_trace.h"
#include "kernels/export/gzip_writer.h"
#include "kernels/export/html_report.h"
#include "kernels/export/perfetto_trace.h"
#include "kernels/export/runs_json.h"
#include "kernels/export/tables.h"
#include "kernels/export/trace_part.h"

namespace warpscope {
namespace {

// The run of a job, or the part of it that is wanted.
Expected<std::shared_ptr<const Run>> runOf(const ExportJob& job) {
  auto run = job.runs.load(0);
  if (!run || !job.range) return run;
  return std::make_shared<const Run>(partOf(**run, *job.range));
}

Expected<void> writeChrome(const ExportJob& job) {
  return runOf(job).map([&](const auto& run) { writeChromeTrace(*run, job.write, job.range); });
}

Expected<void> writePerfetto(const ExportJob& job) {
  return runOf(job).map([&](const auto& run) { writePerfettoTrace(*run, job.write, job.range); });
}

Expected<void> writeCsv(const ExportJob& job) {
  CsvRows rows(job.write);
  return writeTable(job.table.value_or(TableKind::kRuns), job.runs, rows);
}

// A table, or what `show --json` prints, run by run.
Expected<void> writeJson(const ExportJob& job) {
  if (job.table) {
    JsonRows rows(job.write);
    return writeTable(*job.table, job.runs, rows);
  }
  for (size_t i = 0; i < job.runs.size(); ++i) {
    const auto run = job.runs.load(i);
    if (!run) return tl::unexpected(run.error());
    const Json report = runsJson({run->get(), 1}).front();
    job.write(i == 0 ? "[\n" : ",\n");
    job.write(report.dump(2));
  }
  job.write("\n]\n");
  return {};
}

Expected<void> writeHtml(const ExportJob& job) {
  return writeHtmlReport(job.runs, job.write);
}

constexpr std::array kFormats{
    ExportFormat{
        .name = "chrome",
        .extension = ".trace.json.gz",
        .help = "a trace for ui.perfetto.dev and chrome://tracing",
        .label = "Export trace ...",
        .menu_help =
            "The shown run, for ui.perfetto.dev and chrome://tracing; without .gz at the end as plain text.",
        .one_run = true,
        .has_tables = false,
        .has_range = true,
        .write = writeChrome},
    ExportFormat{
        .name = "perfetto",
        .extension = ".perfetto-trace",
        .help = "a trace in Perfetto's own format, small and fast to open",
        .label = "Export Perfetto trace ...",
        .menu_help = "The shown run in Perfetto's own format, for ui.perfetto.dev: small and fast to open.",
        .one_run = true,
        .has_tables = false,
        .has_range = true,
        .write = writePerfetto},
    ExportFormat{
        .name = "csv",
        .extension = ".csv",
        .help = "a table",
        .label = "Export table (CSV) ...",
        .menu_help = "The shown run and those of the other variants at these settings, for spreadsheets.",
        .one_run = false,
        .has_tables = true,
        .has_range = false,
        .write = writeCsv},
    ExportFormat{
        .name = "json",
        .extension = ".json",
        .help = "what 'show --json' prints; with --table, a list of rows",
        .label = "Export table (JSON) ...",
        .menu_help = "The shown run and those of the other variants at these settings, a list of rows.",
        .one_run = false,
        .has_tables = true,
        .has_range = false,
        .write = writeJson},
    ExportFormat{.name = "html",
                 .extension = ".html",
                 .help = "a report to read, print or send: one file, no script",
                 .label = "Report (HTML) ...",
                 .menu_help = "The shown run and those of the other variants at these settings, ranked: one "
                              "file to read, print or send.",
                 .one_run = false,
                 .has_tables = false,
                 .has_range = false,
                 .write = writeHtml},
    ExportFormat{.name = "png",
                 .extension = ".png",
                 .help = "a picture of the window, or of --view, in pixels; needs a display",
                 .label = "Picture (PNG) ...",
                 .menu_help = "The window as it is, in pixels.",
                 .one_run = true,
                 .has_tables = false,
                 .has_range = false,
                 .write = nullptr},
    ExportFormat{.name = "svg",
                 .extension = ".svg",
                 .help = "the same as shapes and text",
                 .label = "Picture (SVG) ...",
                 .menu_help = "The window as it is, as shapes and text.",
                 .one_run = true,
                 .has_tables = false,
                 .has_range = false,
                 .write = nullptr},
};

}  // namespace

std::span<const ExportFormat> exportFormats() {
  return kFormats;
}

const ExportFormat* findExportFormat(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &ExportFormat::name);
  return found == kFormats.end() ? nullptr : &*found;
}

Expected<void> writeExport(const ExportFormat& format, const ExportJob& job, std::string_view path) {
  if (!path.ends_with(".gz")) return format.write(job);
  GzipWriter gzip(job.write);
  const WriteText compress = [&](std::string_view text) { gzip.put(text); };
  auto written = format.write({job.runs, job.table, compress, job.range});
  gzip.finish();
  return written;
}

}  // namespace warpscope
