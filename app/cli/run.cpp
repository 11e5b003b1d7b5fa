// `warpscope run`: runs variants of a family on a device, verifies, times, traces, and prints.
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/program_arguments.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_options.h"
#include "app/cli/run_tables.h"
#include "app/cli/selection_options.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/device/device.h"
#include "kernels/experiments/experiment.h"
#include "kernels/export/runs_json.h"
#include "kernels/metrics/counters.h"
#include "kernels/recording/recording.h"

namespace warpscope {
namespace {

struct RunArguments {
  std::string family, variants = "all", output, select, metrics;
  bool json = false, regions = false, counters = false, theory = false, checks = false, operations = false,
       advice = false;
  std::shared_ptr<DeviceArguments> device;
  std::shared_ptr<ParameterTexts> parameters;
  std::shared_ptr<SampleArguments> sample;
};

std::vector<std::string> askedCounters(const RunArguments& arguments) {
  if (!arguments.metrics.empty()) return split(arguments.metrics, ',');
  return arguments.counters ? usualCounters() : std::vector<std::string>{};
}

struct Outcome {
  std::vector<Run> runs;
  ExitStatus exit_status = kExitDone;

  void failed(const std::string& what, const Error& error) {
    printError("warpscope: {}{}\n", what, error.message);
    exit_status = exitStatus(error);
  }
  void impossible(const FamilyInfo& family, const Error& error) const {
    for (const ParameterSpec& spec : family.parameters) {
      const auto nearest = error.nearest.find(spec.name);
      if (nearest == error.nearest.end()) continue;
      printError("nearest possible: {} {}\n", parameterOption(spec.name),
                 formatParameter(spec, nearest->second));
    }
  }
};

Outcome runAll(const RunArguments& arguments) {
  Outcome outcome;
  const auto experiment = findExperiment(arguments.family);
  if (!experiment) return outcome.failed("", experiment.error()), outcome;
  const FamilyInfo& family = (*experiment)->info();
  const auto variants = parseVariants(family, arguments.variants);
  if (!variants) return outcome.failed("", variants.error()), outcome;
  const auto sampling = parseSampling(*arguments.sample);
  if (!sampling) return outcome.failed("", sampling.error()), outcome;
  const auto requests = makeRequests(family, *variants, *arguments.parameters,
                                     {.sampling = *sampling,
                                      .warm_ups = arguments.sample->warm_ups,
                                      .repeats = arguments.sample->repeats,
                                      .checks = arguments.checks,
                                      .counters = askedCounters(arguments),
                                      .samples = arguments.counters});
  if (!requests) return outcome.failed("", requests.error()), outcome;

  InterruptSource interrupt;
  auto device = openDevice(arguments.device->id, arguments.device->options);
  if (!device) return outcome.failed("", device.error()), outcome;
  const DeviceDescription& description = (*device)->description();
  if (arguments.checks && description.kind == DeviceKind::kCuda) {
    outcome.failed(
        "", {ErrorKind::kBadRequest, fmt::format("{} cannot look for hazards; --checks needs a simulated "
                                                 "device, such as --device sim:h100",
                                                 description.name)});
    return outcome;
  }
  ProgressLine line;
  for (const RunRequest& asked : *requests) {
    const auto request = offeredRequest(**device, family, asked);
    const auto show = [&](const Progress& progress) {
      std::string what = fmt::format("{} {}: {}", asked.family, asked.variant, progress.step);
      if (progress.seconds_left > 1)
        what += fmt::format(", about {} left", formatRoughSeconds(progress.seconds_left));
      line.showShare(what, progress.fraction);
    };
    auto run = request ? (*device)->run(*request, show, interrupt.token())
                       : Expected<Run>(tl::unexpected(request.error()));
    if (run) {
      outcome.runs.push_back(std::move(*run));
    } else {
      line.clear();
      outcome.failed(fmt::format("{} {}: ", asked.family, asked.variant), run.error());
      outcome.impossible(family, run.error());
      if (run.error().kind == ErrorKind::kCancelled) break;
    }
  }
  return outcome;
}

void printRuns(const RunArguments& arguments, const Outcome& outcome,
               const std::optional<TraceSelection>& selection) {
  if (arguments.json) {
    Json runs = runsJson(outcome.runs);
    for (size_t i = 0; arguments.advice && i < outcome.runs.size(); ++i)
      runs[i]["advice"] = adviceJson(outcome.runs[i], outcome.runs);
    if (selection) addSelections(runs, outcome.runs, *selection);
    printJson(runs);
    return;
  }
  print("{}", runTable(outcome.runs));
  for (const Run& run : outcome.runs) {
    if (!run.verification.passed)
      print("{}: {}\n", variantLabel(run.request.family, run.request.variant), run.verification.detail);
    print("{}", hazardTexts(run));
    if (arguments.advice)
      print("\n{}\n{}", variantLabel(run.request.family, run.request.variant), adviceText(run, outcome.runs));
    if (arguments.theory)
      print("\n{}\n{}", variantLabel(run.request.family, run.request.variant), theoryTable(run));
    if (arguments.operations)
      print("\n{}\n{}", variantLabel(run.request.family, run.request.variant), operationTable(run));
    if (arguments.regions)
      print("\n{}\n{}", variantLabel(run.request.family, run.request.variant), regionTable(run));
    if (selection)
      print("\n{}\n{}", variantLabel(run.request.family, run.request.variant),
            selectionTables(run, *selection));
    if (arguments.counters || !arguments.metrics.empty())
      print("\n{}\n{}", variantLabel(run.request.family, run.request.variant), counterTable(run));
  }
}

Expected<ExitStatus> runCommand(const RunArguments& arguments) {
  const auto selection = selectionOf(arguments.select);
  if (!selection) return tl::unexpected(selection.error());
  Outcome outcome = runAll(arguments);
  if (outcome.exit_status != kExitDone && outcome.runs.empty()) return outcome.exit_status;
  printRuns(arguments, outcome, *selection);
  for (const Run& run : outcome.runs) {
    if (run.verification.failed() || (run.hazards && !run.hazards->empty()))
      outcome.exit_status = kExitWorkFailed;
  }
  if (!arguments.output.empty() && !outcome.runs.empty()) {
    const auto written = writeRecording(arguments.output, outcome.runs);
    if (!written) outcome.failed("", written.error());
  }
  return outcome.exit_status;
}

}  // namespace

void addRunCommand(Command root) {
  auto arguments = std::make_shared<RunArguments>();
  Command command = root.subcommand("run", "Run variants of a family: verify, time, trace, print");
  command.examples(R"(Examples:
  warpscope run reduction                                       every variant, default settings
  warpscope run reduction --variant neighbored,shuffle --block 512 --size 2^24
  warpscope run divergence --variant even_odd --work 256 --regions
  warpscope run transpose --block 32x8 --json
  warpscope run transpose --advice                              what would make each faster, and by how much
  warpscope run reduction --block 64,128,256 --output blocks.wsrec
Values: 256, 2^24, 2^20+7, 4M; lists 32,64 and ranges 32..1024 run every combination.
  warpscope run broken --variant all                            mistakes and their hazards, on a simulated device
  warpscope run transpose --checks --device sim:h100            also look for hazards
  warpscope run mine.cu --kernel scan --block 128 --n 2^20      a kernel of your own (docs/own_kernels.md)
Exit status: 0 done, 1 a result is wrong, a hazard was found or a launch failed, 2 the request is wrong, 3 no such device.)");
  addFamilyArgument(command, arguments->family).required();
  addProgramOptions(command);
  addVariantsOption(command, arguments->variants);
  arguments->parameters = addParameterOptions(command, "");
  arguments->device = addDeviceOptions(command);
  arguments->sample = addSampleOptions(command);
  command.flag(
      "--operations", arguments->operations,
      "Also print each run's copies, launches and other operations on streams, and what they waited for");
  command.flag("--regions", arguments->regions, "Also print each region's time and lanes");
  command.flag(
      "--advice", arguments->advice,
      "Also print what would make it faster, and by how much; beside all variants, which of them does it");
  addSelectOption(command, arguments->select, "Also print numbers of a part of each run");
  command.flag("--theory", arguments->theory, "Also print what theory predicts, beside what was found");
  command.flag("--counters", arguments->counters, "Also print what the device counted");
  command.option(
      "--metrics", arguments->metrics,
      "These hardware counters of a real GPU, by Nsight Compute's names and separated by commas, in place "
      "of those of --counters");
  addChecksFlag(command, arguments->checks);
  addJsonFlag(command, arguments->json);
  command.option("--output", arguments->output, "Also write the runs to this recording (.wsrec)");
  command.runs([arguments] { return runCommand(*arguments); });
}

}  // namespace warpscope
