// The head of the occupancy lab: the planned kernel or a calculator, its numbers, and whose limits.
#pragma once

#include <string>
#include <vector>

#include "app/gui/ui.h"

namespace warpscope {

// One entry of the lists of devices: the open one, those of this machine, and every compute capability.
struct LabDevice {
  std::string id;  // see LabNumbers::device
  std::string label;
  DeviceDescription description;
};
std::vector<LabDevice> labDevices(const Model& model);

// Draws at `at`, `width` wide; returns its height.
float drawOccupancyHeader(const Ui& ui, ImVec2 at, float width);

}  // namespace warpscope
