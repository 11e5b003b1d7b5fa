// `warpscope calibrate`: measures a device with micro-kernels and writes a profile that the simulated GPU can
// use.
#include "kernels/calibrate/calibrate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/shared_options.h"
#include "app/cli/table.h"
#include "kernels/core/files.h"
#include "kernels/core/json.h"
#include "kernels/device/device.h"

namespace warpscope {
namespace {

struct CalibrateArguments {
  std::string device = "cuda:0", output;
  calibration::Options options;
  bool json = false;
};

Json calibrationReport(const calibration::Calibration& result) {
  auto measurements = Json::array();
  for (const auto& m : result.measurements) {
    Json entry = {{"name", m.name}, {"unit", m.unit}, {"median", m.median},
                  {"min", m.min},   {"max", m.max},   {"repeats", m.repeats}};
    if (!m.figure.empty()) entry["figure"] = m.figure;
    measurements.push_back(std::move(entry));
  }
  return {{"id", result.profile.id},
          {"name", result.profile.name},
          {"source", result.profile.references.at("calibrate")},
          {"measurements", std::move(measurements)},
          {"notes", result.notes}};
}

void printTable(const calibration::Calibration& result) {
  Table table({{"measured"},
               {"median", Align::kRight},
               {"min", Align::kRight},
               {"max", Align::kRight},
               {"unit"},
               {"figure of the profile"}});
  for (const auto& m : result.measurements) {
    table.addRow({m.name, fmt::format("{:.2f}", m.median), fmt::format("{:.2f}", m.min),
                  fmt::format("{:.2f}", m.max), m.unit, m.figure});
  }
  print("{}", table.text());
  for (const std::string& note : result.notes) print("note: {}\n", note);
}

Expected<calibration::Calibration> measured(const CalibrateArguments& arguments,
                                            const std::stop_token& stop) {
  auto backend = openServedBackend(arguments.device, {});
  if (!backend) return tl::unexpected(backend.error());
  const auto base = calibration::nearestProfile((*backend)->description());
  if (!base) return tl::unexpected(base.error());
  calibration::Options options = arguments.options;
  options.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now()));
  options.progress = [](const std::string& what, double share) {
    printError("calibrate: {:3.0f} % {}\n", 100 * share, what);
  };
  return calibration::calibrate(*backend, *base, options, stop);
}

Expected<ExitStatus> calibrateCommand(const CalibrateArguments& arguments) {
  InterruptSource interrupt;
  const auto result = measured(arguments, interrupt.token());
  if (!result) return tl::unexpected(result.error());
  const auto written = replaceFile(arguments.output, sim::formatProfile(result->profile));
  if (!written) return tl::unexpected(written.error());
  if (arguments.json) {
    printJson(calibrationReport(*result));
  } else {
    printTable(*result);
  }
  return kExitDone;
}

}  // namespace

void addCalibrateCommand(Command root) {
  auto arguments = std::make_shared<CalibrateArguments>();
  Command command = root.subcommand(
      "calibrate", "Measure a GPU and write a profile with which the simulated GPU stands in for it");
  command.examples(R"(Examples:
  warpscope calibrate --device cuda:0 --out my_gpu.json
  warpscope calibrate --device cuda:0 --out my_gpu.json --id sim:mine --name "Simulated GPU of mine"
  warpscope calibrate --out my_gpu.json --json > measurements.json
A profile in the folder assets/devices is in the list of devices from then on.)");
  addDeviceOption(command, arguments->device, "GPU to measure (a simulated one gives back its own figures)")
      .showDefault();
  command.option("--out", arguments->output, "File to write the profile to (.json)").required();
  command.option("--id", arguments->options.id, "Id of the simulated device (sim:NAME)");
  command.option("--name", arguments->options.name, "Its name in lists");
  command.option("--repeats", arguments->options.repeats, "Times that each figure is measured")
      .showDefault()
      .between(1, 100);
  addJsonFlag(command, arguments->json);
  command.runs([arguments] { return calibrateCommand(*arguments); });
}

}  // namespace warpscope
