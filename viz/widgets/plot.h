// A small plot: axes with nice ticks, bars, lines, and a readout of what is under the mouse. One PlotFrame is
// one plot in one frame; it owns the mapping from data to pixels and draws into the current window's draw
// list. Views say what to draw; colours come from the theme.
#pragma once

#include <imgui.h>

#include <span>
#include <string>

#include "viz/widgets/theme.h"

namespace warpscope {

struct PlotRange {
  double min = 0, max = 1;
};

struct PlotStyle {
  std::string x_title, y_title;  // with the unit: "GB/s"; empty: no title
  bool x_ticks = true;           // off for bars, which label themselves
  bool y_from_zero = true;
};

class PlotFrame {
 public:
  // Reserves `size` at the cursor (as ImGui::Dummy does), draws grid, ticks and titles. `size` is in pixels.
  PlotFrame(const Theme& theme, const Fonts& fonts, ImVec2 size, PlotRange x, PlotRange y,
            const PlotStyle& style);
  ~PlotFrame();  // ends the clipping
  PlotFrame(const PlotFrame&) = delete;
  PlotFrame& operator=(const PlotFrame&) = delete;

  // The area inside the axes, in screen pixels.
  ImVec2 areaMin() const { return area_min_; }
  ImVec2 areaMax() const { return area_max_; }
  ImVec2 toScreen(double x, double y) const;
  double xAt(float screen_x) const;
  double yAt(float screen_y) const;
  // The mouse is over the area, and no other window is above it.
  bool hovered() const { return hovered_; }

  // `modelled` draws dashed or outlined: simulated values never look like measured ones.
  void line(std::span<const ImVec2> points, ImU32 colour, bool modelled = false);
  void marker(double x, double y, ImU32 colour, bool modelled = false);
  // A vertical bar from zero, `width` in x units around x; returns true while hovered.
  bool bar(double x, double width, double value, ImU32 colour, bool modelled = false);
  // A horizontal line over the whole width with its label at the right end: a ceiling.
  void level(double y, ImU32 colour, const char* label);
  // Text under the axis, centred at x, shortened to `width` in x units.
  void xLabel(double x, double width, const char* text, bool quiet = false);
  // A vertical hair line at the mouse's x with `text` beside it; call when hovered().
  void readout(double x, double y, const char* text);

 private:
  const Theme& theme_;
  const Fonts& fonts_;
  ImDrawList* draw_list_;
  ImVec2 area_min_, area_max_;
  PlotRange x_, y_;
  bool hovered_ = false;
};

struct BarRow {
  const char* label = "";
  const char* text = "";  // of the value
  double value = 0, max = 1;
  double ceiling = 0;  // a tick on the bar's track, in the unit of value; 0: none
  ImU32 colour = 0;
  bool selected = false, modelled = false;
  float height = 0;  // pixels
};

// A bar in a table-like list: its label, the bar from zero to value / max, its text at the end. Reserves its
// line; returns true while hovered.
bool horizontalBar(const Theme& theme, const Fonts& fonts, const BarRow& row);

// Rounds the range up to where a tick would be, so that the highest bar has air above it.
PlotRange niceRange(double min, double max, bool from_zero = true);

}  // namespace warpscope
