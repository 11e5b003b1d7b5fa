// `warpscope record`: runs a sweep on a device and keeps every run in a recording file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/program_arguments.h"
#include "app/cli/request_options.h"
#include "app/cli/steps.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/metrics/counters.h"
#include "kernels/recording/recording.h"
#include "kernels/sweep/request_outcome.h"

namespace warpscope {
namespace {

struct RecordArguments {
  std::string family, variants = "all", output, all_folder;
  bool counters = false;
  std::shared_ptr<DeviceArguments> device;
  std::shared_ptr<ParameterTexts> parameters;
  std::shared_ptr<SampleArguments> sample;
};

// One file to be written.
struct Sweep {
  std::filesystem::path path;
  std::vector<RunRequest> requests;
};

// The bundled set moves one control at a time away from the defaults: every value of a short control, and for
// a long one the powers of two between its ends. Moving all of them would mean millions of runs.
std::string bundledValues(const ParameterSpec& spec) {
  if (!spec.samples.empty()) {
    std::vector<std::string> values;
    for (const int64_t value : spec.samples) values.push_back(formatParameter(spec, value));
    return fmt::format("{}", fmt::join(values, ","));
  }
  if (spec.kind == ParameterKind::kChoice) return "all";
  constexpr int64_t kShort = 40;
  std::string every = fmt::format("{}..{}", spec.min, spec.max);
  if ((spec.max - spec.min) / spec.step < kShort && spec.kind == ParameterKind::kInteger) return every;
  std::string values = fmt::format("{}", spec.min);
  for (int64_t value = 1; value < spec.max; value *= 2) {
    if (value > spec.min && (value - spec.min) % spec.step == 0) values += fmt::format(",{}", value);
  }
  return values + fmt::format(",{}", spec.max);
}

std::vector<ParameterTexts> bundledParameters(const FamilyInfo& family, const std::string& variant) {
  std::vector<ParameterTexts> sweeps;
  for (const ParameterSpec* spec : parametersOf(family, variant)) {
    if (spec->role != ParameterRole::kElements) sweeps.push_back({{spec->name, bundledValues(*spec)}});
  }
  // A small size in addition to the default one, at some block sizes.
  const ParameterSpec* block = findParameter(family, variant, ParameterRole::kBlock);
  const ParameterSpec* elements = findParameter(family, variant, ParameterRole::kElements);
  if (block != nullptr && elements != nullptr) {
    sweeps.push_back(
        {{elements->name, "2^16"},
         {block->name, block->kind == ParameterKind::kChoice
                           ? "all"
                           : fmt::format("{},{},{}", block->min, block->default_value, block->max)}});
  }
  return sweeps;
}

// Small enough that a run takes about 4 KiB, large enough to show two SMs with several blocks each.
constexpr Sampling kBundledSampling{.mode = Sampling::Mode::kExplicit,
                                    .first_blocks = 1,
                                    .sms = 2,
                                    .max_warps = 256,
                                    .records_per_lane = 128};

std::vector<std::string> askedCounters(const RecordArguments& arguments) {
  return arguments.counters ? usualCounters() : std::vector<std::string>{};
}

Expected<std::vector<Sweep>> bundledSweeps(const RecordArguments& arguments) {
  std::vector<Sweep> sweeps;
  std::vector<const Experiment*> experiments(allExperiments().begin(), allExperiments().end());
  if (!arguments.family.empty()) {
    const auto asked = findExperiment(arguments.family);
    if (!asked) return tl::unexpected(asked.error());
    experiments = {*asked};
  }
  for (const Experiment* experiment : experiments) {
    const FamilyInfo& family = experiment->info();
    for (const VariantInfo& variant : family.variants) {
      std::vector<RunRequest> requests;
      for (const ParameterTexts& texts : bundledParameters(family, variant.name)) {
        const auto some = makeRequests(family, {variant.name}, texts,
                                       {.sampling = kBundledSampling,
                                        .warm_ups = arguments.sample->warm_ups,
                                        .repeats = arguments.sample->repeats,
                                        .counters = askedCounters(arguments),
                                        .samples = arguments.counters});
        if (!some) return tl::unexpected(some.error());
        for (const RunRequest& request : *some) {
          auto complete = completeRequest(family, request);
          if (!complete) return tl::unexpected(complete.error());
          if (std::ranges::find(requests, *complete) == requests.end())
            requests.push_back(*std::move(complete));
        }
      }
      sweeps.push_back({std::filesystem::path(arguments.all_folder) /
                            fmt::format("{}_{}.wsrec", family.name, variant.name),
                        std::move(requests)});
    }
  }
  return sweeps;
}

Expected<std::vector<Sweep>> askedSweep(const RecordArguments& arguments) {
  const auto experiment = findExperiment(arguments.family);
  if (!experiment) return tl::unexpected(experiment.error());
  const FamilyInfo& family = (*experiment)->info();
  const auto variants = parseVariants(family, arguments.variants);
  if (!variants) return tl::unexpected(variants.error());
  const auto sampling = parseSampling(*arguments.sample);
  if (!sampling) return tl::unexpected(sampling.error());
  auto requests = makeRequests(family, *variants, *arguments.parameters,
                               {.sampling = *sampling,
                                .warm_ups = arguments.sample->warm_ups,
                                .repeats = arguments.sample->repeats,
                                .counters = askedCounters(arguments),
                                .samples = arguments.counters});
  if (!requests) return tl::unexpected(requests.error());
  return std::vector<Sweep>{{arguments.output, std::move(*requests)}};
}

struct Counts {
  size_t recorded = 0, impossible = 0, failed = 0;
  bool cancelled = false;
};

std::vector<Run> recordSweep(Device& device, const Sweep& sweep, const std::stop_token& stop, Steps& progress,
                             Counts& counts) {
  std::vector<Run> runs;
  for (const RunRequest& request : sweep.requests) {
    const std::string described = describeRequest(request);
    progress.step(described);
    RequestOutcome outcome = runRequest(
        device, request, [](const Progress&) {}, stop);
    switch (outcome.state) {
      case RequestState::kDone:
        runs.push_back(std::move(outcome.run));
        break;
      case RequestState::kImpossible:
        ++counts.impossible;
        progress.say(fmt::format("left out: {}: {}", described, outcome.reason));
        break;
      case RequestState::kFailed:
        ++counts.failed;
        progress.say(fmt::format("FAILED: {}: {}", described, outcome.reason));
        break;
      case RequestState::kCancelled:
        counts.cancelled = true;
        return runs;
    }
  }
  counts.recorded += runs.size();
  return runs;
}

Expected<ExitStatus> recordCommand(const RecordArguments& arguments) {
  if (arguments.all_folder.empty() == arguments.output.empty() ||
      (arguments.all_folder.empty() && arguments.family.empty())) {
    return fail(ErrorKind::kBadRequest,
                "record takes a family and --output FILE, or --all FOLDER and perhaps a family");
  }
  const auto sweeps = arguments.all_folder.empty() ? askedSweep(arguments) : bundledSweeps(arguments);
  if (!sweeps) return tl::unexpected(sweeps.error());
  InterruptSource interrupt;
  auto device = openDevice(arguments.device->id, arguments.device->options);
  if (!device) return tl::unexpected(device.error());
  if (!arguments.all_folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(arguments.all_folder, error);
    if (error) return fail(ErrorKind::kWorkFailed, "{}: {}", arguments.all_folder, error.message());
  }

  size_t total = 0;
  for (const Sweep& sweep : *sweeps) total += sweep.requests.size();
  Counts counts;
  {
    Steps progress(total);
    for (const Sweep& sweep : *sweeps) {
      const auto runs = recordSweep(**device, sweep, interrupt.token(), progress, counts);
      if (counts.cancelled)
        return fail(ErrorKind::kCancelled, "interrupted; files already complete were kept");
      if (runs.empty()) continue;
      const auto written = writeRecording(sweep.path, runs);
      if (!written) return tl::unexpected(written.error());
    }
  }
  print("{} runs recorded into {}{}{}\n", formatCount(static_cast<int64_t>(counts.recorded)),
        arguments.all_folder.empty() ? arguments.output : arguments.all_folder,
        counts.impossible > 0 ? fmt::format(", {} impossible ones left out", counts.impossible) : "",
        counts.failed > 0 ? fmt::format(", {} FAILED", counts.failed) : "");
  return counts.failed > 0 || counts.recorded == 0 ? kExitWorkFailed : kExitDone;
}

}  // namespace

void addRecordCommand(Command root) {
  auto arguments = std::make_shared<RecordArguments>();
  Command command = root.subcommand("record", "Run a sweep on a device and keep the runs in a file");
  command.examples(R"(Examples:
  warpscope record transpose --output transpose.wsrec
  warpscope record reduction --variant shared,shuffle --block 32..1024:64 --size 2^16,2^24 --output r.wsrec
  warpscope record divergence --block 256 --sample blocks:4 --output d.wsrec
  warpscope record --all recordings       every variant, one control moved at a time, one file per variant
  warpscope record streams --all recordings   the same of one family
Runs whose result is wrong are reported and not kept, except those of the family 'broken'.)");
  addFamilyArgument(command, arguments->family);
  addProgramOptions(command);
  addVariantsOption(command, arguments->variants);
  arguments->parameters = addParameterOptions(command, kListsAndRanges);
  arguments->device = addDeviceOptions(command);
  arguments->sample = addSampleOptions(command);
  command.option("--output", arguments->output, "The recording to write (.wsrec)");
  command.flag("--counters", arguments->counters,
               "Also record what a real GPU counts, which takes further launches");
  command.option("--all", arguments->all_folder,
                 "Record the bundled set, of the family or of all, into this folder");
  command.runs([arguments] { return recordCommand(*arguments); });
}

}  // namespace warpscope
