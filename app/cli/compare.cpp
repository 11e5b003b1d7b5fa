// `warpscope compare`: compares and ranks recordings and settings, and explains the ranks.
#include "kernels/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/compare_subject.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/program_arguments.h"
#include "app/cli/progress_line.h"
#include "app/cli/reports.h"
#include "kernels/core/json.h"
#include "kernels/device/device.h"
#include "kernels/recording/recording.h"
#include "kernels/sweep/request_outcome.h"

namespace warpscope {
namespace {

struct CompareArguments {
  std::vector<std::string> subjects;
  size_t baseline = 1;
  bool json = false, cycles = false;
  std::shared_ptr<DeviceArguments> device;
  std::shared_ptr<SampleArguments> sample;
};

Expected<void> addRecorded(const CompareSubject& subject, ComparedRuns& runs) {
  const auto index = RecordingIndex::open(subject.file);
  if (!index) return tl::unexpected(index.error());
  const size_t before = runs.size();
  for (size_t i = 0; i < index->size(); ++i) {
    if (subject.number && *subject.number != i) continue;
    if (!subject.variant.empty() && index->summary(i).request.variant != subject.variant) continue;
    auto run = index->load(i);
    if (!run) return tl::unexpected(run.error());
    runs.push_back(std::make_shared<const Run>(std::move(*run)));
  }
  if (runs.size() == before) {
    return fail(ErrorKind::kBadRequest,
                "'{}': {} holds {} runs, but not that one; 'warpscope show' lists them", subject.text,
                subject.file.string(), index->size());
  }
  return {};
}

// Opens each device once, but a simulated one again for each run: its cycles then do not depend on what ran
// before.
class Devices {
 public:
  explicit Devices(const DeviceOptions& options) : options_(options) {}
  Expected<Device*> get(const std::string& id) {
    auto& device = devices_[id];
    if (!device || device->description().kind == DeviceKind::kSimulated) {
      device.reset();
      auto opened = openDevice(id, options_);
      if (!opened) return tl::unexpected(opened.error());
      device = std::move(*opened);
    }
    return device.get();
  }

 private:
  const DeviceOptions& options_;
  std::map<std::string, std::unique_ptr<Device>> devices_;
};

Expected<void> addSettings(const CompareSubject& subject, const std::string& default_device, Devices& devices,
                           ProgressLine& line, const std::stop_token& stop, ComparedRuns& runs) {
  const FamilyInfo& family = findExperiment(subject.family).value()->info();
  for (const RunRequest& asked : subject.requests) {
    const auto device = devices.get(subject.device.empty() ? default_device : subject.device);
    if (!device) return tl::unexpected(device.error());
    const std::string described = describeRequest(asked);
    const auto show = [&](const Progress& progress) { line.showShare(described, progress.fraction); };
    const auto request = offeredRequest(**device, family, asked);
    auto run =
        request ? (*device)->run(*request, show, stop) : Expected<Run>(tl::unexpected(request.error()));
    if (run) {
      runs.push_back(std::make_shared<const Run>(std::move(*run)));
    } else if (subject.all_variants && run.error().kind == ErrorKind::kBadRequest) {
      line.say(fmt::format("left out: {}: {}", described, run.error().message));
    } else {
      return fail(run.error().kind, "{}: {}", described, run.error().message);
    }
  }
  return {};
}

Expected<ComparedRuns> runsOf(const CompareArguments& arguments) {
  const auto sampling = parseSampling(*arguments.sample);
  if (!sampling) return tl::unexpected(sampling.error());
  const RunRequest base{
      .sampling = *sampling, .warm_ups = arguments.sample->warm_ups, .repeats = arguments.sample->repeats};
  std::vector<CompareSubject> subjects;
  for (const std::string& text : arguments.subjects) {
    auto subject = parseCompareSubject(text, base);
    if (!subject) return tl::unexpected(subject.error());
    subjects.push_back(std::move(*subject));
  }
  InterruptSource interrupt;
  ProgressLine line;
  Devices devices(arguments.device->options);
  ComparedRuns runs;
  for (const CompareSubject& subject : subjects) {
    const auto added = subject.file.empty() ? addSettings(subject, arguments.device->id, devices, line,
                                                          interrupt.token(), runs)
                                            : addRecorded(subject, runs);
    if (!added) return tl::unexpected(added.error());
  }
  return runs;
}

// A wrong result fails the command, unless the variant is wrong on purpose.
bool isAsItShould(const Run& run) {
  return !run.verification.failed() || isBrokenOnPurpose(run.request);
}

Expected<ExitStatus> compareCommand(const CompareArguments& arguments) {
  if (arguments.baseline == 0) {
    return fail(ErrorKind::kBadRequest, "--baseline: runs are numbered from 1");
  }
  auto runs = runsOf(arguments);
  if (!runs) return tl::unexpected(runs.error());
  // A single subject with many runs is a race: a table of all of them.
  const bool race = arguments.subjects.size() == 1 && runs->size() > kMostComparedRuns;
  if (runs->size() > kMostComparedRuns && !race) {
    return fail(ErrorKind::kBadRequest,
                "these are {} runs, and at most {} are compared: choose with FILE#N, FILE:VARIANT or "
                "FAMILY/VARIANT; a family or a file alone is ranked whole",
                runs->size(), kMostComparedRuns);
  }
  if (runs->size() < 2) {
    return fail(ErrorKind::kBadRequest, "{} is {} run, and a comparison needs 2",
                fmt::join(arguments.subjects, " "), runs->size());
  }
  const bool right = std::ranges::all_of(*runs, [](const auto& run) { return isAsItShould(*run); });
  const auto comparison =
      compareRuns(std::move(*runs), {.baseline = arguments.baseline - 1,
                                     .axis = arguments.cycles ? AxisUnit::kCycles : AxisUnit::kNs,
                                     .race = race});
  if (!comparison) return tl::unexpected(comparison.error());
  if (arguments.json) {
    printJson(comparisonReport(*comparison));
  } else {
    print("{}", rankingTable(*comparison));
    if (const std::string regions = regionDifferences(*comparison); !regions.empty()) {
      print("\n{}", regions);
    }
    print("{}", modelErrorTable(*comparison));
  }
  return right ? kExitDone : kExitWorkFailed;
}

}  // namespace

void addCompareCommand(Command root) {
  auto arguments = std::make_shared<CompareArguments>();
  Command command = root.subcommand("compare", "Rank 2 to 8 runs, and say what differs beside their times");
  command.examples(R"(Examples:
  warpscope compare reduction                                          a race of all variants at their defaults
  warpscope compare transpose/shared transpose/shared_padded           two variants on the default device
  warpscope compare reduction/shuffle,block=64 reduction/shuffle,block=1024,size=2^22
  warpscope compare banks/stride,stride=8@sim:h100 banks/stride,stride=8@recorded      the model's error
  warpscope compare old.wsrec:shuffle new.wsrec#3 --baseline 2 --json
Each is a recording (FILE: all its runs, FILE#N: its N-th from 1, FILE:VARIANT) or settings to run,
FAMILY[/VARIANT][,NAME=VALUE...][@DEVICE]. One family or file alone may be more than 8 runs.
Runs whose ranges of times overlap are within noise of each other. Measured and modelled runs are ranked separately;
a pair of the same kernel and settings shows the model's error. Exit status as of 'run'.)");
  command.option("runs", arguments->subjects, "What to compare").required();
  addProgramOptions(command);
  command
      .option("--baseline", arguments->baseline,
              "The run that the others are held against, by its number from 1 in the order given")
      .showDefault();
  arguments->device = addDeviceOptions(command);
  arguments->sample = addSampleOptions(command);
  command.flag("--cycles", arguments->cycles, "The common axis in cycles, not in nanoseconds (--json)");
  addJsonFlag(command, arguments->json);
  command.runs([arguments] { return compareCommand(*arguments); });
}

}  // namespace warpscope
