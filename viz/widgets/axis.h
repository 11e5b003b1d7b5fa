// The time axis: cycles with nanoseconds below, zero at the start of the launch.
#pragma once

#include <imgui.h>

#include <string>

#include "kernels/run/run.h"
#include "viz/layout/time_scale.h"
#include "viz/widgets/theme.h"

namespace warpscope {

// The height of drawTimeAxis: one line if the clock rate is unknown, otherwise two.
float timeAxisHeight(const Theme& theme, double cycles_per_ns);

struct TimeAxis {
  double cycles_per_ns = 0;  // 0: unknown
  bool modelled = false;     // dashed: simulated cycles never look like measured ones
  bool in_ns = false;        // the scale is in nanoseconds, and so is the single line that is drawn
};
// Draws the axis with its upper edge at `top`, its titles right-aligned in the column that ends at
// scale.left, and vertical grid lines from the axis down to `grid_bottom`.
void drawTimeAxis(const Theme& theme, const Fonts& fonts, const TimeScale& scale, const TimeAxis& axis,
                  float top, float grid_bottom);
// The axis of a run.
TimeAxis timeAxisOf(const Run& run);

// Text in a font of the theme; the size is the font's own.
void drawText(ImDrawList& list, ImFont* font, ImVec2 at, ImU32 colour, const char* text);
// Draws text turned to be read upwards; `at` is its lower left corner. It is not clipped, so it must be on
// the screen.
void drawTextUpright(ImDrawList& list, ImFont* font, ImVec2 at, ImU32 colour, const char* text);
ImVec2 textSize(ImFont* font, const char* text);
// As much of the text as fits into `width`, with "…" if it was cut.
std::string fittedText(ImFont* font, const std::string& text, float width);
void drawTextFitted(ImDrawList& list, ImFont* font, ImVec2 at, float width, ImU32 colour, const char* text);

}  // namespace warpscope
