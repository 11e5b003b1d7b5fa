// `warpscope devices`: lists what can run here, and why the rest cannot.
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/shared_options.h"
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
  print("{}", table.text());
  for (const std::string& note : listing.notes) print("note: {}\n", note);
}

Expected<ExitStatus> devicesCommand(bool as_json) {
  const DeviceListing listing = listDevices({});
  if (!as_json) {
    printDevices(listing);
    return kExitDone;
  }
  auto array = Json::array();
  for (const DeviceDescription& device : listing.devices) array.push_back(deviceReport(device));
  printJson(array);
  // People look here; scripts do not.
  for (const std::string& note : listing.notes) printError("note: {}\n", note);
  return kExitDone;
}

}  // namespace

void addDevicesCommand(Command root) {
  Command command = root.subcommand("devices", "List the devices that can run experiments here");
  command.examples(
      "Examples:\n  warpscope devices\n  warpscope devices --json\nThe first device is the default.");
  const auto json = std::make_shared<bool>(false);
  addJsonFlag(command, *json);
  command.runs([json] { return devicesCommand(*json); });
}

}  // namespace warpscope
