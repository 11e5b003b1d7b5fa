// `warpscope calibrate`: measure a device with micro-kernels and write a profile that the simulated GPU can
// take.
#include "kernels/calibrate/calibrate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/interrupt.h"
#include "app/cli/table.h"
#include "kernels/core/json.h"
#include "kernels/device/device.h"

namespace warpscope {
namespace {

struct Arguments {
  std::string device = "cuda:0", output;
  calibration::Options options;
  bool json = false;
};

Expected<void> write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text << std::flush)) return fail(ErrorKind::kWorkFailed, "{} cannot be written", path);
  return {};
}

void printJson(const calibration::Calibration& result) {
  auto measurements = Json::array();
  for (const auto& m : result.measurements) {
    Json entry = {{"name", m.name}, {"unit", m.unit}, {"median", m.median},
                  {"min", m.min},   {"max", m.max},   {"repeats", m.repeats}};
    if (!m.figure.empty()) entry["figure"] = m.figure;
    measurements.push_back(std::move(entry));
  }
  const Json report = {{"id", result.profile.id},
                       {"name", result.profile.name},
                       {"source", result.profile.references.at("calibrate")},
                       {"measurements", std::move(measurements)},
                       {"notes", result.notes}};
  fmt::print("{}\n", report.dump(2));
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
  fmt::print("{}", table.text());
  for (const std::string& note : result.notes) fmt::print("note: {}\n", note);
}

Expected<calibration::Calibration> measured(const Arguments& arguments, const std::stop_token& stop) {
  auto backend = openServedBackend(arguments.device, {});
  if (!backend) return tl::unexpected(backend.error());
  const auto base = calibration::nearestProfile((*backend)->description());
  if (!base) return tl::unexpected(base.error());
  calibration::Options options = arguments.options;
  options.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now()));
  options.progress = [](const std::string& what, double share) {
    fmt::print(stderr, "calibrate: {:3.0f} % {}\n", 100 * share, what);
  };
  return calibration::calibrate(*backend, *base, options, stop);
}

int calibrateCommand(const Arguments& arguments) {
  InterruptSource interrupt;
  const auto result = measured(arguments, interrupt.token());
  if (!result) {
    fmt::print(stderr, "warpscope: {}\n", result.error().message);
    return exitStatus(result.error());
  }
  if (const auto written = write(arguments.output, sim::formatProfile(result->profile)); !written) {
    fmt::print(stderr, "warpscope: {}\n", written.error().message);
    return exitStatus(written.error());
  }
  arguments.json ? printJson(*result) : printTable(*result);
  return kExitDone;
}

}  // namespace

void addCalibrateCommand(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure a GPU and write a profile with which the simulated GPU stands in for it");
  command->footer(R"(Examples:
  warpscope calibrate --device cuda:0 --out my_gpu.json
  warpscope calibrate --device cuda:0 --out my_gpu.json --id sim:mine --name "Simulated GPU of mine"
  warpscope calibrate --out my_gpu.json --json > measurements.json
A profile in the folder assets/devices is in the list of devices from then on.)");
  command
      ->add_option("--device", arguments->device,
                   "GPU to measure (a simulated one gives back its own figures)")
      ->capture_default_str();
  command->add_option("--out", arguments->output, "File to write the profile to (.json)")->required();
  command->add_option("--id", arguments->options.id, "Id of the simulated device (sim:NAME)");
  command->add_option("--name", arguments->options.name, "Its name in lists");
  command->add_option("--repeats", arguments->options.repeats, "Times that each figure is measured")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  command->add_flag("--json", arguments->json, "Print the measurements as one JSON value");
  command->callback([arguments, &exit_status] { exit_status = calibrateCommand(*arguments); });
}

}  // namespace warpscope
