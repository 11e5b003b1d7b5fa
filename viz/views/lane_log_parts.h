// What the views of a lane log have in common: their words where there is nothing to show, the badge that
// says where addresses come from, text of lanes and threads, and dimming.
#pragma once

#include <string>

#include "viz/views/view.h"

namespace warpscope {

// Says why nothing can be drawn, if so: no run, no log yet, a log that failed. True: it has said it.
bool drawMissingLog(const ViewInput& input);
// The selected warp, else the first logged one.
const LoggedWarp& shownLoggedWarp(const LaneLog& log, const ViewState& state);

std::string threadText(const ThreadIndex& thread);  // "(5, 1, 0)"
std::string lanesText(LaneMask lanes);              // "0-3, 7", "all 32"
std::string warpText(const LoggedWarp& warp);       // "block 0, warp 3"

// "addresses: simulated" or the like, ending at `right` on the line at `y`; returns where it begins.
float simulatedBadgeWidth(const ViewInput& input, const char* label);
float drawSimulatedBadge(const ViewInput& input, const char* label, float right, float y);

// Over a picture that is of an earlier run.
void dimIfOld(const ViewInput& input, ImVec2 min, ImVec2 max);

// Greys for marks that carry no region: present, strong, faint.
struct InkScale {
  ImU32 full, middle, faint, line;
};
InkScale inkScale(const Theme& theme);

}  // namespace warpscope
