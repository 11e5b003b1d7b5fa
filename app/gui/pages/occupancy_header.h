// The head of the occupancy lab: the planned kernel or a calculator, its numbers, and whose limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "viz/text/translate.h"

namespace warpscope {

// One entry of the lists of devices: the open one, those of this machine, and every compute capability.
struct LabDevice {
  std::string id;  // see LabNumbers::device
  std::string label;
  DeviceDescription description;
};
using LabDevices = std::vector<LabDevice>;

// The entries, which are made anew only when the model's devices or the language change.
class LabDeviceList {
 public:
  const LabDevices& of(const Model& model);

 private:
  LabDevices all_;
  std::optional<uint64_t> version_;  // DeviceModel::version()
  const Language* language_ = nullptr;
};

struct OccupancyHeader {
  float height = 0, right = 0;  // `right`: where its last line ends, as the window's x
};
// Draws at `at`, `width` wide.
OccupancyHeader drawOccupancyHeader(const Ui& ui, const LabDevices& devices, ImVec2 at, float width);

}  // namespace warpscope
