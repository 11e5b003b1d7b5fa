// The input of the parts of the occupancy lab. They draw into the current Dear ImGui window, at the cursor,
// and return what the user asks for; nothing here changes any state.
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

struct LabInput : Canvas {
  const LabSide* first = nullptr;   // never null
  const LabSide* second = nullptr;  // null: only one device
  bool refreshing = false;          // the run with these settings has not arrived yet
};

// An edit by dragging or clicking: whether it begins in this frame, and the new value.
struct LabEdit {
  bool begins = false;
  std::optional<uint32_t> to;
};

// Name, unit and sentence of a limiter, in the current language.
std::string limiterLabel(OccupancyLimiter limiter);       // "shared memory"
std::string limiterSentence(const Occupancy& occupancy);  // "Registers are the limit."
// "48 of 64 warps, 6 blocks"
std::string briefly(const Occupancy& occupancy);
// An amount of this resource: "10,240", "9 KiB".
std::string formatAmount(OccupancyLimiter resource, uint64_t amount);

// The colour of the block with this ordinal on an SM, and the colour of the number that distinguishes blocks
// of similar colour.
ImU32 blockColour(const Theme& theme, uint32_t block);
ImU32 onBlockColour(const Theme& theme, uint32_t block);

}  // namespace warpscope
