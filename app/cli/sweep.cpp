// `warpscope sweep`: runs a grid of settings on any devices, one file per point, and continues where it was
// stopped.
#include "kernels/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/program_arguments.h"
#include "app/cli/reports.h"
#include "app/cli/request_options.h"
#include "app/cli/steps.h"
#include "kernels/core/json.h"
#include "kernels/device/device.h"

namespace warpscope {
namespace {

struct SweepArguments {
  std::string family, variants = "all", folder, shard = "0/1";
  std::vector<std::string> devices;
  DeviceOptions device_options;
  uint32_t jobs = 1;
  bool retry = false, checks = false, json = false, csv = false;
  std::shared_ptr<ParameterTexts> parameters;
  std::shared_ptr<SampleArguments> sample;
};

// Fills in what was not given from the device. A setting that it cannot run is a point, too: it will say why.
RunRequest completed(const Device& device, const FamilyInfo& family, const RunRequest& asked) {
  if (auto offered = offeredRequest(device, family, asked)) return *std::move(offered);
  return completeRequest(family, asked, device.description()).value_or(asked);
}

Expected<SweepGrid> makeGrid(const SweepArguments& arguments) {
  const auto experiment = findExperiment(arguments.family);
  if (!experiment) return tl::unexpected(experiment.error());
  const FamilyInfo& family = (*experiment)->info();
  const auto variants = parseVariants(family, arguments.variants);
  if (!variants) return tl::unexpected(variants.error());
  const auto sampling = parseSampling(*arguments.sample);
  if (!sampling) return tl::unexpected(sampling.error());
  const auto requests = makeRequests(family, *variants, *arguments.parameters,
                                     {.sampling = *sampling,
                                      .warm_ups = arguments.sample->warm_ups,
                                      .repeats = arguments.sample->repeats,
                                      .checks = arguments.checks});
  if (!requests) return tl::unexpected(requests.error());
  SweepGrid grid;
  std::vector<std::string> ids = arguments.devices;
  if (ids.empty()) ids.emplace_back();
  for (const std::string& id : ids) {
    const auto device = openDevice(id, arguments.device_options);
    if (!device) return tl::unexpected(device.error());
    const DeviceDescription& description = (*device)->description();
    if (arguments.checks && description.kind == DeviceKind::kCuda) {
      return fail(ErrorKind::kBadRequest,
                  "{} cannot look for hazards; --checks needs a simulated device, such as --device sim:h100",
                  description.name);
    }
    std::vector<RunRequest> complete;
    for (const RunRequest& asked : *requests) complete.push_back(completed(**device, family, asked));
    // From here on the default device is requested by its name.
    addPoints(grid, addDevice(grid, description, id.empty() ? description.id : id), complete);
  }
  return grid;
}

void printSweep(const SweepArguments& arguments, const SweepGrid& grid, const SweepOptions& options,
                const SweepResult& result) {
  if (arguments.json) {
    printJson(sweepJson(grid, result, options));
  } else if (arguments.csv) {
    writeOutput(sweepCsv(grid, result));
  } else {
    print("{} in {}\n{}", arguments.family, options.folder.string(), sweepTable(grid, result));
    for (const PointResult& point : result.points) {
      if (point.reason.empty()) continue;
      print("{}: {}: {}\n", stateName(point.state), describeRequest(grid.points[point.point].request),
            point.reason);
    }
    print("{}\n", sweepCounts(result));
  }
}

Expected<ExitStatus> sweepCommand(const SweepArguments& arguments) {
  const auto shard = parseShard(arguments.shard);
  if (!shard) return tl::unexpected(shard.error());
  InterruptSource interrupt;
  const auto grid = makeGrid(arguments);
  if (!grid) return tl::unexpected(grid.error());
  SweepOptions options{
      .folder = arguments.folder, .shard = *shard, .jobs = arguments.jobs, .retry = arguments.retry};
  options.program_version = WARPSCOPE_VERSION;
  options.open_device = [&](const std::string& id) { return openDevice(id, arguments.device_options); };
  const auto result = [&] {
    Steps steps(pointsOf(*grid, *shard).size());
    options.events.finished = [&](const PointResult& point, size_t, size_t) {
      const std::string described = describeRequest(grid->points[point.point].request);
      steps.step(described);
      if (point.ran && !point.reason.empty()) {
        steps.say(fmt::format("{}: {}: {}", stateName(point.state), described, point.reason));
      }
    };
    options.events.note = [&](const std::string& line) { steps.say(line); };
    return runSweep(*grid, options, interrupt.token());
  }();
  if (!result) return tl::unexpected(result.error());
  printSweep(arguments, *grid, options, *result);
  if (result->cancelled) {
    return fail(ErrorKind::kCancelled,
                "interrupted; finished points are kept: the same command continues from here");
  }
  const auto bad = [](const PointResult& point) {
    return point.state == StoredPoint::State::kFailed || point.hazards.value_or(0) > 0 ||
           (point.state == StoredPoint::State::kDone && point.verification.failed());
  };
  const auto good = [](const PointResult& point) {
    return point.state == StoredPoint::State::kDone || point.elsewhere;
  };
  const bool nothing = !result->points.empty() && std::ranges::none_of(result->points, good);
  return nothing || std::ranges::any_of(result->points, bad) ? kExitWorkFailed : kExitDone;
}

}  // namespace

void addSweepCommand(Command root) {
  auto arguments = std::make_shared<SweepArguments>();
  Command command = root.subcommand("sweep", "Run a grid of settings into a folder, one file per point");
  command.examples(R"(Examples:
  warpscope sweep reduction --variant shared,shuffle --block 32..1024:32 --size 2^10..2^24 --output sizes
  warpscope sweep transpose --device sim:h100,sim:a100 --jobs 4 --output tiles --csv > tiles.csv
  warpscope sweep banks --stride 1..32 --device cuda:0,cuda:1 --output strides     two GPUs share the points
  warpscope sweep reduction --block 64..1024 --output blocks --shard $SLURM_ARRAY_TASK_ID/8     array 0-7
  parallel warpscope sweep reduction --output all --shard {}/4 ::: 0 1 2 3
  warpscope merge sizes.wsrec sizes            one recording of all points
The same command again continues where the sweep stopped: finished points are not run again, points with incomplete
files are. Shards may share the folder, also at the same time, or have one each. A launch that is impossible, or
fails, is recorded with its reason and not tried again without --retry. Exit status as of 'run'; impossible launches
are not failures as long as others are possible.)");
  addFamilyArgument(command, arguments->family).required();
  addProgramOptions(command);
  addVariantsOption(command, arguments->variants);
  arguments->parameters = addParameterOptions(command, kListsAndRanges);
  addDevicesOption(
      command, arguments->devices,
      "Devices, separated by commas: each runs all points, but GPUs of the same name share them; "
      "default: the first");
  addWatchdogOption(command, arguments->device_options);
  arguments->sample = addSampleOptions(command);
  addChecksFlag(command, arguments->checks);
  command.option("--jobs", arguments->jobs, "Points at a time on each simulated device; a GPU runs one")
      .showDefault()
      .between(1U, 1024U);
  command.option("--shard", arguments->shard, "Only part I of N, written I/N, with I from 0 to N-1")
      .showDefault();
  command.flag("--retry", arguments->retry, "Also run points again that failed or were impossible");
  command.option("--output", arguments->folder, "The sweep's folder").required();
  const Option json = addJsonFlag(command, arguments->json);
  command.flag("--csv", arguments->csv, "Print comma-separated values, one row per point").excludes(json);
  command.runs([arguments] { return sweepCommand(*arguments); });
}

}  // namespace warpscope
