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
  // Of the widest label of the list, in pixels; 0: a third of the width has to do.
  float label_width = 0;
  bool own_line = false;  // the label is above the bar, across the whole width, and the text beside it
};

// A bar in a table-like list: its label, the bar from zero to value / max, its text at the end. Reserves its
// line; returns true while hovered.
// The pixels that such a bar leaves for its label if it has no line of its own.
float roomForLabel(const Theme& theme, const Fonts& fonts, const BarRow& row, float width);
bool horizontalBar(const Theme& theme, const Fonts& fonts, const BarRow& row);

}  // namespace warpscope
