// What the parts of the occupancy lab are given. They draw into the current Dear ImGui window, at the cursor,
// and tell what the user wants by what they return; nothing here changes anything.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "kernels/occupancy/answer.h"
#include "viz/views/view.h"
#include "viz/widgets/theme.h"

namespace warpscope {

struct LabSide {
  std::string name;  // of the device
  OccupancyAnswer answer;
};

struct LabInput {
  const LabSide* first = nullptr;   // never null
  const LabSide* second = nullptr;  // null: only one device
  bool refreshing = false;          // the run of these settings is on its way
  const Theme* theme = nullptr;
  const Fonts* fonts = nullptr;
  WidgetReport* report = nullptr;
};

// Dragging or clicking: an edit begins, and to which value.
struct LabEdit {
  bool begins = false;
  std::optional<uint32_t> to;
};

// Name, unit and sentence of a limiter, in the language of now.
std::string limiterLabel(OccupancyLimiter limiter);       // "shared memory"
std::string limiterSentence(const Occupancy& occupancy);  // "Registers are the limit."
// "48 of 64 warps, 6 blocks"
std::string briefly(const Occupancy& occupancy);
// An amount of that resource: "10,240", "9 KiB".
std::string formatAmount(OccupancyLimiter resource, uint64_t amount);

// Colour of the how-manieth block of an SM, with the number to tell those apart that look alike.
ImU32 blockColour(const Theme& theme, uint32_t block);
ImU32 onBlockColour(const Theme& theme, uint32_t block);

}  // namespace warpscope
