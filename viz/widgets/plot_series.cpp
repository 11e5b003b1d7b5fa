#include "viz/widgets/plot_series.h"

namespace warpscope {
namespace {

constexpr float kRoomForMark = 9;  // pixels at 100 % between neighbouring marks

}  // namespace

void drawSeries(PlotFrame& plot, const PlotSeries& series, const HiddenSeries& hidden) {
  if (isHidden(hidden, series)) return;
  if (series.kind == SeriesKind::kLine) plot.line(series.points, series.look);
  if (series.kind == SeriesKind::kSteps) plot.steps(series.points, series.look);
  plot.whiskers(series.spread, series.look);
  const float width = plot.areaMax().x - plot.areaMin().x;
  const bool dense = static_cast<float>(series.points.size()) * plot.theme().px(kRoomForMark) > width;
  if (series.kind == SeriesKind::kPoints || (series.marks && !dense)) plot.points(series.points, series.look);
}

}  // namespace warpscope
