// `warpscope show`: prints what a recording holds, per variant and per region.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/run_tables.h"
#include "app/cli/selection_options.h"
#include "app/cli/shared_options.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/export/runs_json.h"
#include "kernels/metrics/metrics.h"
#include "kernels/recording/recording.h"

namespace warpscope {
namespace {

// Groups runs that belong in one table: those of one family on one device.
std::vector<std::vector<Run>> grouped(std::vector<Run> runs) {
  std::vector<std::vector<Run>> groups;
  std::map<std::pair<std::string, std::string>, size_t> group_of;
  for (Run& run : runs) {
    const auto [entry, is_new] = group_of.try_emplace({run.request.family, run.device.name}, groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(std::move(run));
  }
  return groups;
}

void printTrace(const Run& run) {
  const LaneCycles lanes = laneCycles(run.trace);
  print("\n{} {}: {} warps recorded over {} of the kernel with probes\n{}", run.request.family,
        variantLabel(run.request.family, run.request.variant),
        formatCount(static_cast<int64_t>(run.trace.warps.size())), formatCycles(run.trace.duration_cycles),
        regionTable(run));
  print("  lane-cycles: {} executing, {} waiting, {} exited, {} of lanes that never existed\n",
        formatCount(lanes.executing), formatCount(lanes.waiting), formatCount(lanes.exited),
        formatCount(lanes.never_existed));
  print("{}", hazardTexts(run));
  for (const TraceProblem& problem : run.trace.problems) print("  note: {}\n", problem.cause);
}

struct ShowArguments {
  std::string file, select;
  bool json = false;
};

Expected<ExitStatus> showCommand(const ShowArguments& arguments) {
  const std::string& file = arguments.file;
  const auto selection = selectionOf(arguments.select);
  if (!selection) return tl::unexpected(selection.error());
  auto runs = readRecording(file);
  if (!runs) return tl::unexpected(runs.error());
  if (arguments.json) {
    Json reports = runsJson(*runs);
    if (*selection) addSelections(reports, *runs, **selection);
    printJson(reports);
    return kExitDone;
  }
  print("{}: {} runs\n", file, runs->size());
  for (const auto& group : grouped(std::move(*runs))) {
    print("\n{}", runTable(group));
    for (const Run& run : group) {
      printTrace(run);
      if (*selection) print("{}", selectionTables(run, **selection));
    }
  }
  return kExitDone;
}

}  // namespace

void addShowCommand(Command root) {
  auto arguments = std::make_shared<ShowArguments>();
  Command command = root.subcommand("show", "Print the per-variant and per-region metrics of a recording");
  command.examples(
      "Examples:\n  warpscope show transpose.wsrec\n  warpscope show transpose.wsrec --json\n"
      "  warpscope show transpose.wsrec --select 'b0-b3 @1200..2400'     numbers of that part");
  command.option("file", arguments->file, "Recording (.wsrec)").required();
  addSelectOption(command, arguments->select, "Also print numbers of a part of each run");
  addJsonFlag(command, arguments->json);
  command.runs([arguments] { return showCommand(*arguments); });
}

}  // namespace warpscope
