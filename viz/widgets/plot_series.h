// A curve of a plot, in the form that legend, plot and readout share.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "viz/widgets/plot_frame.h"

namespace warpscope {

enum class SeriesKind : uint8_t { kLine, kSteps, kPoints };

// It owns no data: what it points to must live until the frame is drawn.
struct PlotSeries {
  const char* name = "";                 // the same in every language: "shuffle"
  const char* label = "";                // the text that is shown; empty: the name
  std::span<const PlotPoint> points{};   // sorted by x
  std::span<const PlotSpread> spread{};  // of the same measurements, as error bars; empty: none
  MarkLook look{};
  SeriesKind kind = SeriesKind::kLine;
  bool marks = true;  // a mark at each point of a line, if they are not too dense

  const char* shownName() const { return *label == 0 ? name : label; }
};

// Names of the series that are hidden. The caller owns it.
using HiddenSeries = std::set<std::string, std::less<>>;

inline bool isHidden(const HiddenSeries& hidden, const PlotSeries& series) {
  return hidden.contains(series.name);
}

// Draws curve, error bars and points; nothing if the series is hidden.
void drawSeries(PlotFrame& plot, const PlotSeries& series, const HiddenSeries& hidden = {});

}  // namespace warpscope
