// A plot: axes with ticks and titles, and what is drawn inside them. One PlotFrame is one plot in one frame;
// it owns the mapping from data to pixels and draws into the current window's draw list. Views say what to
// draw; colours come from the theme. For the readout, the legend and handles see plot_readout.h,
// plot_legend.h and plot_handle.h.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "viz/layout/label_room.h"
#include "viz/layout/plot_axis.h"
#include "viz/layout/polyline.h"
#include "viz/widgets/plot_look.h"
#include "viz/widgets/theme.h"

namespace warpscope {

class PlotFrame {
 public:
  // Reserves `size` (pixels) at the cursor and draws grid, ticks and titles. `id` identifies the plot to Dear
  // ImGui if something in it can be dragged; with nullptr it does not react to clicks.
  PlotFrame(const Theme& theme, const Fonts& fonts, ImVec2 size, PlotAxis x, PlotAxis y,
            const char* id = nullptr);
  ~PlotFrame();  // writes the labels and ends the clipping
  PlotFrame(const PlotFrame&) = delete;
  PlotFrame& operator=(const PlotFrame&) = delete;

  const PlotAxis& x() const { return x_; }
  const PlotAxis& y() const { return y_; }
  const AxisScale& xScale() const { return x_scale_; }
  const AxisScale& yScale() const { return y_scale_; }
  // The area inside the axes, in screen pixels.
  ImVec2 areaMin() const { return area_min_; }
  ImVec2 areaMax() const { return area_max_; }
  ImVec2 toScreen(double x, double y) const;  // far outside, but finite, for values without a position
  bool holds(double x, double y) const { return x_scale_.holds(x) && y_scale_.holds(y); }
  double xAt(float screen_x) const;
  double yAt(float screen_y) const;
  // Whether the mouse is over the area, with no other window above it.
  bool hovered() const { return hovered_; }
  // For a plot with an id: the mouse went down in the area in this frame; it went down there and still is.
  bool pressed() const { return pressed_; }
  bool held() const { return held_; }
  // Whether the mouse is over the plot or its labels.
  bool near() const { return near_; }
  // The handle that the current press belongs to (0: none yet), and how far from the handle's middle the
  // mouse went down, in pixels.
  ImGuiID holder() const;
  float holdOffset() const;
  void holdBy(ImGuiID handle, float offset);
  ImDrawList& drawList() const { return *draw_list_; }
  const Theme& theme() const { return theme_; }
  const Fonts& fonts() const { return fonts_; }

  // Curves and points are sorted by x; a y that is NaN, or has no position on a logarithmic axis, is a gap.
  // However many points there are, the cost of drawing depends only on the pixels.
  void line(std::span<const PlotPoint> points, const MarkLook& look);
  // A staircase: each value holds until the next point.
  void steps(std::span<const PlotPoint> points, const MarkLook& look);
  void points(std::span<const PlotPoint> points, const MarkLook& look);
  void point(double x, double y, const MarkLook& look);
  // The spread of measurements, as error bars or as a band.
  void whiskers(std::span<const PlotSpread> spreads, const MarkLook& look);
  void band(std::span<const PlotSpread> spreads, const MarkLook& look);
  // Shades between a curve and `base`; `stepped`: with the shape that steps() draws.
  void area(std::span<const PlotPoint> points, double base, const MarkLook& look, bool stepped = false);
  // Shades from x0 to x1 over the whole height, for a range with a meaning such as "cannot be launched".
  void shade(double x0, double x1, ImU32 colour);
  // A vertical bar from zero, `width` in x units around x; returns true while hovered.
  bool bar(double x, double width, double value, ImU32 colour, bool modelled = false);
  // A line across the whole width at y, or the whole height at x, with its label: a ceiling, a limit, "now".
  void level(double y, ImU32 colour, const char* label);
  void upright(double x, ImU32 colour, const char* label);
  // A straight line with a label, which line() draws without one.
  void slope(PlotPoint from, PlotPoint to, const MarkLook& look, const char* label);
  // Labels are written where they lie on neither data nor lines nor other labels, so after everything else.
  // One without such a place is left out; then the mouse on its line shows it in a tooltip, if `may_tell`.
  // Returns whether it does. Whatever covers the plot, such as a readout, calls this first.
  bool writeLabels(bool may_tell = true);
  // Text under the axis, centred at x, shortened to `width` in x units.
  void xLabel(double x, double width, const char* text, bool quiet = false);

 private:
  struct Label {
    std::vector<PlotPoint> places;  // upper left corners, the best first
    ImVec2 from, to;                // of its line
    ImVec2 extent;
    ImU32 colour;
    std::string text;
  };
  void drawLevels(const AxisTicks& ticks);
  void drawUprights(const AxisTicks& ticks);
  void drawTitles(const AxisTicks& across, const AxisTicks& up, ImVec2 at, ImVec2 size);
  void reserve(ImVec2 size, const char* id);
  void write(const Label& label, PlotPoint at);
  bool denserThanPixels(size_t points) const { return static_cast<double>(points) > columns(); }
  double columns() const { return std::max(1.0, static_cast<double>(area_max_.x - area_min_.x)); }

  const Theme& theme_;
  const Fonts& fonts_;
  ImDrawList* draw_list_;
  PlotAxis x_, y_;
  AxisScale x_scale_, y_scale_;
  ImVec2 area_min_, area_max_;
  ImVec2 min_, max_;  // of everything
  ImGuiID id_ = 0;
  bool near_ = false, hovered_ = false, pressed_ = false, held_ = false;
  std::vector<Label> labels_;  // not yet written
  std::optional<LabelRoom> room_;
  bool told_ = false;  // a label in a tooltip
};

}  // namespace warpscope
