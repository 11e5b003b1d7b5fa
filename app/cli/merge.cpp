// `warpscope merge`: the points of sweeps, or any recordings, in one recording.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "kernels/core/units.h"
#include "kernels/recording/recording.h"
#include "kernels/sweep/gather.h"

namespace warpscope {
namespace {

struct Arguments {
  std::string output;
  std::vector<std::filesystem::path> inputs;
  bool partial = false;
};

int fails(const Error& error) {
  fmt::print(stderr, "warpscope: {}\n", error.message);
  return exitStatus(error);
}

int mergeCommand(const Arguments& arguments) {
  const auto gathered = gatherRuns(arguments.inputs);
  if (!gathered) return fails(gathered.error());
  if (!gathered->missing.empty() && !arguments.partial) {
    return fails(
        {ErrorKind::kBadRequest,
         fmt::format("{} points of the sweep were not run, the first is {}; start the sweep again, name "
                     "the other shards' folders too, or say --partial",
                     gathered->missing.size(), gathered->missing.front())});
  }
  if (gathered->runs.empty()) return fails({ErrorKind::kBadRequest, "there are no runs in what was named"});
  const auto written = writeRecording(arguments.output, gathered->runs);
  if (!written) return fails(written.error());
  for (const std::string& failure : gathered->failed) fmt::print(stderr, "left out: {}\n", failure);
  const auto count = [](size_t n) { return formatCount(static_cast<int64_t>(n)); };
  fmt::print("{} runs written to {}", count(gathered->runs.size()), arguments.output);
  if (gathered->duplicates > 0) fmt::print(", {} duplicates taken once", count(gathered->duplicates));
  if (!gathered->failed.empty())
    fmt::print(", {} impossible or failed points left out", count(gathered->failed.size()));
  if (!gathered->missing.empty()) fmt::print(", {} points missing", count(gathered->missing.size()));
  fmt::print("\n");
  return kExitDone;
}

}  // namespace

void addMergeCommand(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("merge", "Merge sweeps, shards and recordings into one recording");
  command->footer(R"(Examples:
  warpscope merge sizes.wsrec sizes                      a sweep's folder
  warpscope merge all.wsrec shard0 shard1 shard2         shards that had folders of their own
  warpscope merge both.wsrec monday.wsrec tuesday.wsrec
Points lie in the order of the sweep's grid, however they were sharded. The same run twice is taken once; two
different ones of the same point and device are an error that names both files.)");
  command->add_option("output", arguments->output, "The recording to write (.wsrec)")->required();
  command->add_option("inputs", arguments->inputs, "Folders of sweeps, and recordings")->required();
  command->add_flag("--partial", arguments->partial, "Also where points of a sweep are still missing");
  command->callback([arguments, &exit_status] { exit_status = mergeCommand(*arguments); });
}

}  // namespace warpscope
