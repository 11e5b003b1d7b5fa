// `warpscope show`: what a recording holds, per variant and per region.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/run_tables.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/export/runs_json.h"
#include "kernels/metrics/metrics.h"
#include "kernels/recording/recording.h"

namespace warpscope {
namespace {

// Runs that belong into one table: of one family on one device.
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
  fmt::print("\n{} {}: {} warps recorded over {}\n{}", run.request.family, run.request.variant,
             formatCount(static_cast<int64_t>(run.trace.warps.size())),
             formatCycles(run.trace.duration_cycles), regionTable(run));
  fmt::print("  lane-cycles: {} executing, {} waiting, {} exited, {} of lanes that never existed\n",
             formatCount(lanes.executing), formatCount(lanes.waiting), formatCount(lanes.exited),
             formatCount(lanes.never_existed));
  fmt::print("{}", hazardTexts(run));
  for (const TraceProblem& problem : run.trace.problems) fmt::print("  note: {}\n", problem.cause);
}

int showCommand(const std::string& file, bool json) {
  auto runs = readRecording(file);
  if (!runs) {
    fmt::print(stderr, "warpscope: {}\n", runs.error().message);
    return exitStatus(runs.error());
  }
  if (json) {
    fmt::print("{}\n", runsJson(*runs).dump(2));
    return kExitDone;
  }
  fmt::print("{}: {} runs\n", file, runs->size());
  for (const auto& group : grouped(std::move(*runs))) {
    fmt::print("\n{}", runTable(group));
    for (const Run& run : group) printTrace(run);
  }
  return kExitDone;
}

}  // namespace

void addShowCommand(CLI::App& app, int& exit_status) {
  struct Arguments {
    std::string file;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("show", "Print the per-variant and per-region metrics of a recording");
  command->footer("Examples:\n  warpscope show transpose.wsrec\n  warpscope show transpose.wsrec --json");
  command->add_option("file", arguments->file, "Recording (.wsrec)")->required();
  command->add_flag("--json", arguments->json, "Print one JSON value");
  command->callback(
      [arguments, &exit_status] { exit_status = showCommand(arguments->file, arguments->json); });
}

}  // namespace warpscope
