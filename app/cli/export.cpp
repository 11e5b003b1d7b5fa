// `warpscope export`: runs of a recording as files for other programs.
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <stop_token>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/picture_of_run.h"
#include "app/cli/run_choice.h"
#include "kernels/core/files.h"
#include "kernels/core/units.h"
#include "kernels/export/formats.h"

namespace warpscope {
namespace {

struct ExportArguments {
  std::string file, format, output, table, view, range;
  std::shared_ptr<RunChoice> choice;
};

std::string formatsHelp() {
  std::string help;
  for (const ExportFormat& format : exportFormats())
    help += fmt::format("{}{}: {}", help.empty() ? "" : "; ", format.name, format.help);
  return help;
}

std::string tableNames() {
  std::string names;
  for (const TableInfo& table : tables()) {
    const bool last = &table == &tables().back();
    names += (names.empty() ? "" : last ? " and " : ", ") + std::string(table.name);
  }
  return names;
}

Expected<const ExportFormat*> formatOf(const std::string& name) {
  if (const ExportFormat* format = findExportFormat(name)) return format;
  return fail(ErrorKind::kBadRequest, "--format: '{}' is not possible. {}", name, formatsHelp());
}

Expected<std::optional<TableKind>> tableOf(const ExportArguments& arguments, const ExportFormat& format) {
  if (arguments.table.empty()) return std::nullopt;
  if (!format.has_tables)
    return fail(ErrorKind::kBadRequest, "--table goes with --format csv or json, not with {}", format.name);
  const auto table = tableOfName(arguments.table);
  if (!table) {
    return fail(ErrorKind::kBadRequest, "--table: '{}' is not possible; {} are", arguments.table,
                tableNames());
  }
  return table;
}

// "100..900"; nullopt: everything.
Expected<std::optional<CycleRange>> rangeOf(const ExportArguments& arguments, const ExportFormat& format) {
  if (arguments.range.empty()) return std::nullopt;
  if (!format.has_range)
    return fail(ErrorKind::kBadRequest, "--range goes with --format chrome or perfetto, not with {}",
                format.name);
  const auto range = parseCycleRange(arguments.range);
  if (!range) return fail(range.error().kind, "--range: {}", range.error().message);
  return *range;
}

Expected<AtomicFile> openOutput(const std::string& path) {
  if (path == "-") return AtomicFile::standardOutput();
  return AtomicFile::open(path);
}

// Runs that are no longer there once the user has interrupted the export.
class RunsUntilInterrupted : public RunSource {
 public:
  RunsUntilInterrupted(const RunSource& runs, std::stop_token stop) : runs_(runs), stop_(std::move(stop)) {}
  size_t size() const override { return runs_.size(); }
  size_t number(size_t i) const override { return runs_.number(i); }
  const Run& summary(size_t i) const override { return runs_.summary(i); }
  Expected<std::shared_ptr<const Run>> load(size_t i) const override {
    if (stop_.stop_requested()) return fail(ErrorKind::kCancelled, "interrupted");
    return runs_.load(i);
  }

 private:
  const RunSource& runs_;
  std::stop_token stop_;
};

// Returns the number of bytes written. Once interrupted, it writes no more, and replaces nothing.
Expected<uint64_t> exportRuns(const RunSource& runs, const ExportFormat& format,
                              const ExportArguments& arguments, std::optional<TableKind> table,
                              std::optional<CycleRange> range) {
  auto file = openOutput(arguments.output);
  if (!file) return tl::unexpected(file.error());
  const InterruptSource interrupt;
  const std::stop_token stop = interrupt.token();
  const RunsUntilInterrupted until_interrupted(runs, stop);
  const WriteText write = [&](std::string_view text) {
    if (!stop.stop_requested()) file->write(text);
  };
  const auto written = writeExport(format, {until_interrupted, table, write, range}, arguments.output);
  if (!written && !stop.stop_requested()) return tl::unexpected(written.error());
  if (stop.stop_requested())
    return fail(ErrorKind::kCancelled, "interrupted; {} was not written", arguments.output);
  file->sync();
  const auto kept = file->commit();
  if (!kept) return tl::unexpected(kept.error());
  return file->bytes();
}

// A picture of the run as the window shows it; a session's own run as the session left it.
Expected<void> exportPicture(const ExportArguments& arguments, const RecordingIndex& index, size_t number) {
  if (arguments.output == "-")
    return fail(ErrorKind::kBadRequest, "--output: a picture needs a file; - is for text formats");
  if (arguments.format == "png" && arguments.output.ends_with(".svg"))
    return fail(ErrorKind::kBadRequest, "--output: {} would not be an SVG; use --format svg",
                arguments.output);
  auto picture = pictureOf({.file = arguments.file,
                            .number = number,
                            .svg = arguments.format == "svg",
                            .view = arguments.view,
                            .output = arguments.output},
                           index);
  if (picture) print("1 run as {} into {}\n", arguments.format, arguments.output);
  return picture;
}

Expected<void> exportCommand(const ExportArguments& arguments) {
  const auto format = formatOf(arguments.format);
  if (!format) return tl::unexpected(format.error());
  const auto table = tableOf(arguments, **format);
  if (!table) return tl::unexpected(table.error());
  const auto range = rangeOf(arguments, **format);
  if (!range) return tl::unexpected(range.error());
  const auto index = RecordingIndex::open(arguments.file);
  if (!index) return tl::unexpected(index.error());
  auto chosen = chosenRuns(*index, *arguments.choice, arguments.file);
  if (!chosen) return tl::unexpected(chosen.error());
  if ((*format)->one_run && chosen->size() > 1) {
    return fail(
        ErrorKind::kBadRequest,
        "a {} file holds one run; these {} are meant: choose with --index, --variant or a parameter\n{}",
        (*format)->name, chosen->size(), runList(*index, *chosen));
  }
  if (!(*format)->write) return exportPicture(arguments, *index, chosen->front());
  if (!arguments.view.empty())
    return fail(ErrorKind::kBadRequest, "--view goes with --format png or svg, not with {}", (*format)->name);
  const RunsOfRecording runs(*index, std::move(*chosen));
  const auto bytes = exportRuns(runs, **format, arguments, *table, *range);
  if (!bytes) return tl::unexpected(bytes.error());
  if (arguments.output != "-") {
    print("{} run{} as {} into {} ({} bytes)\n", runs.size(), runs.size() == 1 ? "" : "s", arguments.format,
          arguments.output, formatCount(static_cast<int64_t>(*bytes)));
  }
  return {};
}

}  // namespace

void addExportCommand(Command root) {
  auto arguments = std::make_shared<ExportArguments>();
  Command command = root.subcommand(
      "export",
      "Write runs of a recording as a Chrome/Perfetto trace, CSV, JSON, an HTML report or a picture");
  command.examples(R"(Examples:
  warpscope export t.wsrec --format html --output t.html                 all of its runs, ranked
  warpscope export t.wsrec --format csv --output -                       one row per run, to stdout
  warpscope export t.wsrec --format csv --table regions --output r.csv   runs, regions, spans, instructions, lines, counters ...
  warpscope export t.wsrec --format json --variant naive_row,shared --output t.json
  warpscope export t.wsrec --format chrome --index 0 --output t.trace.json.gz
  warpscope export t.wsrec --format perfetto --index 0 --range 1000..9000 --output t.perfetto-trace
  warpscope export t.wsrec --format svg --index 0 --view timeline --output t.svg    xvfb-run -a makes a display
  warpscope export lesson.wssession --format html --output lesson.html              the runs of a session
Open a trace with ui.perfetto.dev ("Open trace file") or, in Chrome's format, chrome://tracing ("Load"). Processes are SMs,
threads are warps, slices are regions; of a run on streams, a process "operations" has the host's calls, the streams and what
executes their operations, with arrows for what waits for what. 'otherData', or the instant "run", has the device, the settings
and the totals. A file whose name ends in .gz is compressed: these programs read that, too.)");
  command.option("file", arguments->file, "Recording (.wsrec) or session (.wssession)").required();
  command.option("--format", arguments->format, formatsHelp()).required();
  command.option("--output", arguments->output, "The file to write; -: standard output").required();
  command.option("--table", arguments->table,
                 fmt::format("Of csv and json, one of {}; csv's default: runs", tableNames()));
  command.option("--range", arguments->range,
                 "Of chrome and perfetto: only these cycles of the launch, BEGIN..END; slices are cut there");
  command.option("--view", arguments->view,
                 "Of png and svg: timeline, lanes, code ... as of 'screenshot'; default: the window");
  arguments->choice = addRunChoiceOptions(command);
  command.runs([arguments] { return exportCommand(*arguments).map([] { return kExitDone; }); });
}

}  // namespace warpscope
