// An SM as its warp slots, one row per sub-partition, filled with blocks by colour and number.
#pragma once

#include <vector>

#include "viz/lab/lab_input.h"
#include "viz/layout/sm_slots.h"

namespace warpscope {

struct SmPicture {
  const char* name = "";  // in widget reports: "lab.sm.first"
  std::string title, subtitle;
  const std::vector<WarpSlot>* slots = nullptr;
  uint32_t sub_partitions = 4;
  bool recorded = false;  // from a trace: slots are the hardware's own
  bool modelled = false;  // from a simulated GPU's trace
};

// `size` is in pixels. A slot shows its warp in a tooltip.
void drawSmPicture(const LabInput& input, const SmPicture& picture, ImVec2 size);

}  // namespace warpscope
