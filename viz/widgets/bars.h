// Bars: in plots, and in table-like lists.
#pragma once

#include <imgui.h>

#include "viz/widgets/theme.h"

namespace warpscope {

// Solid when measured; outlined and hatched when modelled.
void drawBar(const Theme& theme, ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, bool modelled);

struct BarRow {
  const char* label = "";
  const char* text = "";  // the value as text
  double value = 0, max = 1;
  double ceiling = 0;  // a tick on the bar's track, in the unit of value; 0: none
  ImU32 colour = 0;
  bool selected = false, modelled = false;
  float height = 0;  // pixels
};

// A bar in a table-like list: its label, the bar from zero to value / max, its text at the end. Reserves its
// line; returns true while hovered.
bool horizontalBar(const Theme& theme, const Fonts& fonts, const BarRow& row);

}  // namespace warpscope
