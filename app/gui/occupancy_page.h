// The occupancy lab: a page in place of the pictures of a run. The same kernel and settings as there, or
// numbers of one's own; what is dragged here moves the controls, and launches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "viz/lab/lab_input.h"
#include "viz/lab/speed_plot.h"

namespace warpscope {

class OccupancyPage {
 public:
  OccupancyPage();
  ~OccupancyPage();
  void draw(const Ui& ui, ImVec2 min, ImVec2 max);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One entry of the lists of devices: the open one, those of this machine, and every compute capability.
struct LabDevice {
  std::string id;  // see LabNumbers::device
  std::string label;
  DeviceDescription description;
};
std::vector<LabDevice> labDevices(const Model& model);

}  // namespace warpscope
