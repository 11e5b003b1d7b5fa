// `warpscope check`: runs every variant of every family on every available device, and counts the runs whose
// results are right. For what could not run it prints the reason.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/shared_options.h"
#include "app/cli/table.h"
#include "kernels/core/json.h"
#include "kernels/device/device.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

constexpr int64_t kAwkwardSize = 4099;  // prime: no multiple of a warp, a tile or a row

struct CheckArguments {
  std::vector<std::string> devices, families;
  DeviceOptions options;
  bool small = false, json = false;
};

// One family on one device.
struct Cell {
  uint32_t verified = 0;
  uint32_t broken = 0;  // runs of variants that are broken on purpose, with exactly the planted hazards
  std::vector<std::string> failed, skipped;  // with the reason
};

struct CheckReport {
  std::vector<std::string> families, devices;
  std::map<std::pair<std::string, std::string>, Cell> cells;  // by family and device
  std::vector<std::string> notes;
  bool stopped = false;
  bool lacks_device = false;  // one that was asked for is not here

  bool nothingRan() const {
    return std::ranges::all_of(cells, [](const auto& entry) {
      const Cell& cell = entry.second;
      return cell.verified == 0 && cell.broken == 0 && cell.failed.empty();
    });
  }
  ExitStatus status() const {
    if (lacks_device) return kExitNoDevice;
    const bool passed =
        std::ranges::all_of(cells, [](const auto& cell) { return cell.second.failed.empty(); });
    return stopped || nothingRan() || !passed ? kExitWorkFailed : kExitDone;
  }
};

// The same launch with every shape of its block, or with some block sizes.
std::vector<RunRequest> atSomeBlocks(const FamilyInfo& family, const RunRequest& request) {
  std::vector<RunRequest> requests;
  const ParameterSpec* spec = findParameter(family, request.variant, ParameterRole::kBlock);
  if (spec == nullptr) return {request};
  std::vector<int64_t> blocks{96, 256, 1024};
  if (spec->kind == ParameterKind::kChoice) {
    blocks.resize(spec->choices.size());
    std::iota(blocks.begin(), blocks.end(), 0);
  }
  for (const int64_t block : blocks) {
    requests.push_back(request);
    requests.back().parameters[spec->name] = block;
  }
  return requests;
}

// The variant's defaults and an awkward size, or the largest samples of what it has instead; `small`: only
// the latter, with some block sizes. For a recording, each block size that it has.
std::vector<RunRequest> requestsOf(const Device& device, const std::string& family,
                                   const std::string& variant, bool small) {
  RunRequest request{.family = family, .variant = variant};
  request.warm_ups = 0;
  request.repeats = 1;
  const FamilyInfo& info = findExperiment(family).value()->info();
  if (device.description().kind != DeviceKind::kRecorded) {
    RunRequest awkward = request;
    for (const ParameterSpec* spec : parametersOf(info, variant)) {
      if (spec->role == ParameterRole::kElements) awkward.parameters[spec->name] = kAwkwardSize;
      if (!spec->samples.empty()) awkward.parameters[spec->name] = spec->samples.back();
    }
    if (small) return atSomeBlocks(info, awkward);
    return {request, awkward};
  }
  std::vector<RunRequest> requests;
  const ParameterSpec* spec = findParameter(info, variant, ParameterRole::kBlock);
  std::vector<int64_t> offered;
  if (spec != nullptr) offered = device.offeredValues(request, spec->name).value_or(std::vector<int64_t>{});
  for (const int64_t block : offered) {
    requests.push_back(request);
    requests.back().parameters[spec->name] = block;
    requests.back() = device.nearestOffered(requests.back());
  }
  if (requests.empty()) requests.push_back(request);
  return requests;
}

// The hazards that the checks reported wrongly or missed; empty if there are none, or if the checks did not
// run.
std::string wrongHazards(const Run& run, const VariantInfo& variant) {
  if (!run.hazards) return "";
  const size_t planted = variant.planted ? variant.planted->code.size() : 0;
  if (run.hazards->size() == planted) return "";
  std::string text = fmt::format("{} hazards found, {} planted", run.hazards->size(), planted);
  for (const Hazard& hazard : *run.hazards) text += "; " + hazard.message;
  return text;
}

void runOne(Device& device, const RunRequest& request, const VariantInfo& variant,
            const std::stop_token& stop, CheckReport& report, Cell& cell) {
  const auto run = device.run(request, {}, stop);
  const auto named = [&](const std::string& what) { return fmt::format("{}: {}", request.variant, what); };
  if (const std::string wrong = run ? wrongHazards(*run, variant) : ""; !wrong.empty()) {
    cell.failed.push_back(named(wrong));
  } else if (run && variant.planted) {
    ++cell.broken;
  } else if (run && !run->verification.failed()) {
    ++cell.verified;
  } else if (run) {
    cell.failed.push_back(named(run->verification.detail));
  } else if (run.error().kind == ErrorKind::kCancelled) {
    report.stopped = true;
  } else if (run.error().kind == ErrorKind::kBadRequest) {
    // Only defaults were requested: this device lacks what the variant needs, or has no such recording.
    cell.skipped.push_back(named(run.error().message));
  } else {
    cell.failed.push_back(named(run.error().message));
  }
}

void runDevice(const std::string& id, const CheckArguments& arguments,
               const std::vector<const Experiment*>& families, const std::stop_token& stop,
               ProgressLine& line, CheckReport& report) {
  auto device = openDevice(id, arguments.options);
  if (!device) {
    report.lacks_device = report.lacks_device || device.error().kind == ErrorKind::kNoDevice;
    for (const Experiment* family : families) {
      report.cells[{family->info().name, id}].failed.push_back(device.error().message);
    }
    return;
  }
  for (size_t i = 0; i < families.size(); ++i) {
    const FamilyInfo& info = families[i]->info();
    Cell& cell = report.cells[{info.name, id}];
    for (const VariantInfo& variant : info.variants) {
      line.showShare(fmt::format("{}: {} {}", id, info.name, variant.name),
                     static_cast<double>(i) / static_cast<double>(families.size()));
      for (const RunRequest& request : requestsOf(**device, info.name, variant.name, arguments.small)) {
        runOne(**device, request, variant, stop, report, cell);
        if (report.stopped) return;
      }
    }
  }
}

std::string cellText(const Cell& cell) {
  std::string text = fmt::format("{} verified", cell.verified);
  if (cell.broken > 0) text += fmt::format(", {} broken as planted", cell.broken);
  if (!cell.failed.empty()) text += fmt::format(", {} FAILED", cell.failed.size());
  if (!cell.skipped.empty()) text += fmt::format(", {} skipped", cell.skipped.size());
  return text;
}

void printTable(const CheckReport& report) {
  std::vector<Column> columns{{"family"}};
  for (const std::string& device : report.devices) columns.push_back({device});
  Table table(std::move(columns));
  uint32_t verified = 0;
  size_t failed = 0, skipped = 0;
  for (const std::string& family : report.families) {
    std::vector<std::string> cells{family};
    for (const std::string& device : report.devices) {
      const Cell& cell = report.cells.at({family, device});
      cells.push_back(cellText(cell));
      verified += cell.verified;
      failed += cell.failed.size();
      skipped += cell.skipped.size();
    }
    table.addRow(std::move(cells));
  }
  print("{}", table.text());
  for (const auto& [where, cell] : report.cells) {
    for (const std::string& reason : cell.failed) {
      print("FAILED on {}: {} {}\n", where.second, where.first, reason);
    }
    for (const std::string& reason : cell.skipped) {
      print("skipped on {}: {} {}\n", where.second, where.first, reason);
    }
  }
  for (const std::string& note : report.notes) print("note: {}\n", note);
  print("{} runs verified, {} failed, {} skipped{}\n", verified, failed, skipped,
        report.stopped ? "; stopped" : "");
}

Json reportJson(const CheckReport& report) {
  auto array = Json::array();
  for (const auto& [where, cell] : report.cells) {
    array.push_back({{"family", where.first},
                     {"device", where.second},
                     {"verified", cell.verified},
                     {"broken", cell.broken},
                     {"failed", cell.failed},
                     {"skipped", cell.skipped}});
  }
  return array;
}

Expected<ExitStatus> checkCommand(const CheckArguments& arguments) {
  const auto families = familiesOf(arguments.families);
  if (!families) return tl::unexpected(families.error());
  CheckReport report;
  report.devices = arguments.devices;
  if (report.devices.empty()) {
    const DeviceListing listing = listDevices({});
    for (const DeviceDescription& device : listing.devices) report.devices.push_back(device.id);
    report.notes = listing.notes;
  }
  for (const Experiment* family : *families) report.families.push_back(family->info().name);
  // Each cell exists, even if Ctrl+C ends the command early.
  for (const std::string& device : report.devices) {
    for (const std::string& family : report.families) report.cells[{family, device}];
  }
  InterruptSource interrupt;
  {
    ProgressLine line;
    for (const std::string& id : report.devices) {
      if (!report.stopped) runDevice(id, arguments, *families, interrupt.token(), line, report);
    }
    line.clear();
  }
  if (arguments.json) {
    printJson(reportJson(report));
  } else {
    printTable(report);
  }
  if (report.nothingRan()) printError("warpscope: nothing could be checked\n");
  return report.status();
}

}  // namespace

void addCheckCommand(Command root) {
  auto arguments = std::make_shared<CheckArguments>();
  Command command =
      root.subcommand("check", "Run every variant on every device and count the runs that are right");
  command.examples(R"(Examples:
  warpscope check                               all families on all available devices
  warpscope check --device sim:h100,recorded --family reduction,transpose
  compute-sanitizer --target-processes all warpscope check --device cuda:0 --small --watchdog 300
Each variant runs at its defaults and at an awkward size; of a recording, each block size that it has.
Exit status: 0 all right, 1 a result is wrong, a launch failed or nothing ran, 3 no such device.)");
  addDevicesOption(command, arguments->devices, "Only these devices: ids, separated by commas");
  addFamiliesOption(command, arguments->families);
  command.flag("--small", arguments->small,
               "Only small launches, at several block sizes: for slow instruments around the program");
  addWatchdogOption(command, arguments->options);
  addJsonFlag(command, arguments->json);
  command.runs([arguments] { return checkCommand(*arguments); });
}

}  // namespace warpscope
