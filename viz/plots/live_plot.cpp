#include "viz/plots/live_plot.h"

#include <algorithm>

#include "viz/text/translate.h"
#include "viz/widgets/plot_readout.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr double kShortest_s = 10, kLongest_s = 300;

}  // namespace

void drawLivePlot(const PlotsInput& input, const LivePlotInput& live, ImVec2 size) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto& history = *live.history;
  if (history.empty()) {
    ImGui::Dummy(size);
    return drawMessage(theme, *input.fonts, at, {at.x + size.x, at.y + size.y}, tr("No run yet."));
  }
  const double now_s = history.back().time_s;
  double most = 0;
  std::vector<PlotPoint> points;
  for (const BandwidthSample& sample : history) {
    if (now_s - sample.time_s > kLongest_s) continue;
    points.push_back({sample.time_s - now_s, sample.gb_per_s * 1e9});
    most = std::max(most, sample.gb_per_s);
  }
  for (const PlotLevel& level : live.levels) most = std::max(most, level.y);
  const double oldest = std::max(kShortest_s, -points.front().x);
  PlotFrame plot(
      theme, *input.fonts, size,
      {.min = -oldest * 1.02, .max = oldest * 0.02, .title = tr("time, until the last run"), .unit = "s"},
      {.max = niceRange(0, most > 0 ? most * 1e9 : 1).max,
       .title = tr("bandwidth"),
       .unit = "B/s",
       .numbers = TickNumbers::kSi});
  input.report->widget("plots.live.area", plot.areaMin(), plot.areaMax());
  for (const PlotLevel& level : live.levels) {
    plot.level(level.y * 1e9, theme.text_quiet, level.label.c_str());
  }
  const PlotSeries series{.name = "bandwidth",
                          .label = tr("bandwidth"),
                          .points = points,
                          .look = {.colour = theme.accent, .modelled = live.modelled}};
  drawSeries(plot, series);
  drawReadout(plot, std::span(&series, 1));
}

}  // namespace warpscope
