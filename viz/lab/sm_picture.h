// An SM as its warp slots, a row a sub-partition, filled with blocks by colour and number.
#pragma once

#include <vector>

#include "viz/lab/lab_input.h"
#include "viz/layout/sm_slots.h"

namespace warpscope {

struct SmPicture {
  const char* name = "";  // in reports: "lab.sm.first"
  std::string title, subtitle;
  const std::vector<WarpSlot>* slots = nullptr;
  uint32_t sub_partitions = 4;
  bool recorded = false;  // of a trace: slots are the hardware's own
  bool modelled = false;  // of a simulated GPU's trace
};

// `size` in pixels. A slot tells its warp when the mouse is on it.
void drawSmPicture(const LabInput& input, const SmPicture& picture, ImVec2 size);

}  // namespace warpscope
