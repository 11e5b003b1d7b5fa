// `warpscope devices`: what can run here, and why the rest cannot.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/table.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/device/device.h"
#include "kernels/metrics/run_report.h"

namespace warpscope {
namespace {

void printDevices(const DeviceListing& listing) {
  Table table({{"id"},
               {"name"},
               {"kind"},
               {"numbers"},
               {"SMs", Align::kRight},
               {"CC", Align::kRight},
               {"memory", Align::kRight},
               {"driver / recorded"}});
  for (const DeviceDescription& device : listing.devices) {
    const ComputeCapability cc = device.limits.compute_capability;
    table.addRow({device.id, device.name, kindName(device.kind), provenanceName(device.provenance),
                  formatCount(device.limits.sm_count), fmt::format("{}.{}", cc.major, cc.minor),
                  device.memory_bytes == 0 ? "" : formatBytes(device.memory_bytes),
                  device.recorded_on.empty() ? device.driver : device.recorded_on});
  }
  fmt::print("{}", table.text());
  for (const std::string& note : listing.notes) fmt::print("note: {}\n", note);
}

}  // namespace

void addDevicesCommand(CLI::App& app, int& /*exit_status*/) {
  CLI::App* command = app.add_subcommand("devices", "List the devices that can run experiments here");
  command->footer(
      "Examples:\n  warpscope devices\n  warpscope devices --json\nThe first device is the default.");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON value");
  command->callback([json] {
    const DeviceListing listing = listDevices({});
    if (!*json) return printDevices(listing);
    auto array = Json::array();
    for (const DeviceDescription& device : listing.devices) array.push_back(deviceReport(device));
    fmt::print("{}\n", array.dump(2));
    // Where scripts do not look for it, people do.
    for (const std::string& note : listing.notes) fmt::print(stderr, "note: {}\n", note);
  });
}

}  // namespace warpscope
