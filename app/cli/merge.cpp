// `warpscope merge`: gathers the points of sweeps, or any recordings, in one recording.
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "kernels/core/units.h"
#include "kernels/recording/recording.h"
#include "kernels/sweep/gather.h"

namespace warpscope {
namespace {

struct MergeArguments {
  std::string output;
  std::vector<std::filesystem::path> inputs;
  bool partial = false;
};

Expected<ExitStatus> mergeCommand(const MergeArguments& arguments) {
  const auto gathered = gatherRuns(arguments.inputs);
  if (!gathered) return tl::unexpected(gathered.error());
  if (!gathered->missing.empty() && !arguments.partial) {
    return fail(ErrorKind::kBadRequest,
                "{} points of the sweep were not run, the first is {}; start the sweep again, name the other "
                "shards' folders too, or say --partial",
                gathered->missing.size(), gathered->missing.front());
  }
  if (gathered->runs.empty()) return fail(ErrorKind::kBadRequest, "there are no runs in what was named");
  const auto written = writeRecording(arguments.output, gathered->runs);
  if (!written) return tl::unexpected(written.error());
  for (const std::string& failure : gathered->failed) printError("left out: {}\n", failure);
  const auto count = [](size_t n) { return formatCount(static_cast<int64_t>(n)); };
  print("{} runs written to {}", count(gathered->runs.size()), arguments.output);
  if (gathered->duplicates > 0) print(", {} duplicates taken once", count(gathered->duplicates));
  if (!gathered->failed.empty())
    print(", {} impossible or failed points left out", count(gathered->failed.size()));
  if (!gathered->missing.empty()) print(", {} points missing", count(gathered->missing.size()));
  print("\n");
  return kExitDone;
}

}  // namespace

void addMergeCommand(Command root) {
  auto arguments = std::make_shared<MergeArguments>();
  Command command = root.subcommand("merge", "Merge sweeps, shards and recordings into one recording");
  command.examples(R"(Examples:
  warpscope merge sizes.wsrec sizes                      a sweep's folder
  warpscope merge all.wsrec shard0 shard1 shard2         shards that had folders of their own
  warpscope merge both.wsrec monday.wsrec tuesday.wsrec
Points are in the order of the sweep's grid, however they were sharded. The same run twice is taken once; two
different ones of the same point and device are an error that names both files.)");
  command.option("output", arguments->output, "The recording to write (.wsrec)").required();
  command.option("inputs", arguments->inputs, "Folders of sweeps, and recordings").required();
  command.flag("--partial", arguments->partial, "Also where points of a sweep are still missing");
  command.runs([arguments] { return mergeCommand(*arguments); });
}

}  // namespace warpscope
