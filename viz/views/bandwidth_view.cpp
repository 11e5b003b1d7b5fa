// Effective bandwidth: a bar for every variant of the family at the current settings, compared with a copy on
// the same device, and below it a live plot of recent runs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "viz/text/translate.h"
#include "viz/views/bar_text.h"
#include "viz/views/item_offer.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/bars.h"
#include "viz/widgets/plot_frame.h"
#include "viz/widgets/plot_readout.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kSmallestPlot = 72, kLargestPlot = 190;  // pixels at 100 %
constexpr float kRoomyRow = 23;

bool isModelled(const Run& run) {
  return run.device.provenance == Provenance::kModelled;
}

// The bandwidth of a device-to-device copy, from the shown run, or else from any of the others; 0: unknown.
double copyCeiling(const ViewInput& input) {
  if (input.run->bandwidth.copy_gb_per_s) return *input.run->bandwidth.copy_gb_per_s;
  for (const VariantResult& result : input.variants) {
    if (result.run != nullptr && result.run->bandwidth.copy_gb_per_s)
      return *result.run->bandwidth.copy_gb_per_s;
  }
  return 0;
}

// The bandwidth of a vendor's library for the same work, from the shown run; 0: unknown.
double libraryLevel(const ViewInput& input) {
  return input.run->bandwidth.library ? input.run->bandwidth.library->gb_per_s : 0;
}

double highest(const ViewInput& input, double ceiling) {
  double most = std::max({ceiling, input.run->bandwidth.gb_per_s, libraryLevel(input)});
  for (const VariantResult& result : input.variants) {
    if (result.shown() != nullptr) most = std::max(most, result.shown()->bandwidth.gb_per_s);
  }
  return most > 0 ? most : 1;
}

class BandwidthView : public View {
 public:
  const char* name() const override { return "bandwidth"; }
  const char* title() const override { return trMark("BANDWIDTH"); }
  const char* help() const override {
    return trMark("The effective bandwidth of every variant, beside a copy on the same device.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void drawBars(const ViewInput& input, double ceiling, const BarRow& form) const;
  void drawBar(const ViewInput& input, const VariantResult& result, BarRow row) const;
  void drawLive(const ViewInput& input, double ceiling, float height) const;
};

void barTooltip(const ViewInput& input, const VariantResult& result, double ceiling) {
  Tooltip tooltip(*input.theme, *input.fonts, tr(result.title) + " (" + result.variant + ")");
  if (!result.error.empty()) return tooltip.note(trMessage(result.error));
  if (result.run == nullptr) return tooltip.note(tr("Not run at these settings yet."));
  const Run& run = *result.run;
  tooltip.row(tr("bandwidth"), formatGbPerS(run.bandwidth.gb_per_s));
  if (ceiling > 0 && !result.stale) {
    tooltip.row(tr("of copy"),
                trf("{} of {}", formatPercent(run.bandwidth.gb_per_s / ceiling), formatGbPerS(ceiling)));
  }
  if (const auto& library = run.bandwidth.library; library && library->gb_per_s > 0) {
    tooltip.row(trf("of {}", library->name).c_str(),
                trf("{} of {}", formatPercent(run.bandwidth.gb_per_s / library->gb_per_s),
                    formatGbPerS(library->gb_per_s)));
  }
  tooltip.row(tr("launch"), formatUsWithSpread(run.timing.median_us, run.timing.min_us, run.timing.max_us));
  tooltip.row(tr("spread"), trf("{} to {}", formatUs(run.timing.min_us), formatUs(run.timing.max_us)));
  tooltip.row(tr("moves"), formatBytes(run.bandwidth.bytes));
  tooltip.note(trf(
      "Effective, {}: each input read once and each output written once, over the launch of the bare kernel "
      "(launches: {}).{}",
      tr(provenanceName(run.device.provenance)), run.timing.repeats,
      result.stale ? std::string(" ") + tr("From earlier settings: not yet run at the current ones.") : ""));
  offerItem(input, tooltip, {}, &run);
}

// The widest title and value of the bars.
BarRow labelsOf(const ViewInput& input) {
  BarRow form{.text = "1,234 GB/s"};
  for (const VariantResult& result : input.variants)
    form.label_width = std::max(form.label_width, textSize(input.fonts->text, tr(result.title.c_str())).x);
  return form;
}

void BandwidthView::drawBar(const ViewInput& input, const VariantResult& result, BarRow row) const {
  const Theme& theme = *input.theme;
  row.selected = result.variant == input.run->request.variant;
  const Run* const run = result.shown();
  row.modelled = run != nullptr && isModelled(*run);
  row.value = run == nullptr ? 0 : run->bandwidth.gb_per_s;
  const std::string text =
      barText(result, input.run->device, run == nullptr ? "" : formatGbPerS(run->bandwidth.gb_per_s));
  row.label = tr(result.title.c_str());
  row.text = text.c_str();
  row.colour = row.selected ? theme.accent : mixColours(theme.panel, theme.text, 0.50F);
  if (result.stale || input.refreshing) row.colour = mixColours(theme.panel, row.colour, 0.45F);
  const bool hovered = horizontalBar(theme, *input.fonts, row);
  input.report->widget("bandwidth.bar." + result.variant, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (hovered) barTooltip(input, result, row.ceiling);
}

// `form`: what is the same for all.
void BandwidthView::drawBars(const ViewInput& input, double ceiling, const BarRow& form) const {
  const double most = niceRange(0, highest(input, ceiling)).max;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  for (const VariantResult& result : input.variants) {
    BarRow row = form;
    row.max = most;
    row.ceiling = ceiling;
    drawBar(input, result, row);
  }
  ImGui::PopStyleVar();
  // Omitted if it would need scrolling: a bar's tooltip has the ceiling, too.
  if (ImGui::GetContentRegionAvail().y < ImGui::GetTextLineHeight()) return;
  std::string axis = ceiling > 0 ? trf("bars to {}   | copy {}", formatGbPerS(most), formatGbPerS(ceiling))
                                 : trf("bars to {}", formatGbPerS(most));
  if (const auto& library = input.run->bandwidth.library)
    axis += fmt::format("   {} {}", library->name, formatGbPerS(library->gb_per_s));
  if (std::any_of(input.variants.begin(), input.variants.end(),
                  [](const VariantResult& result) { return result.shown() != nullptr && result.stale; }))
    axis += std::string("   ") + tr("( ) earlier");
  drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, ImGui::GetCursorScreenPos(),
                 ImGui::GetContentRegionAvail().x, input.theme->text_quiet, axis.c_str());
}

void BandwidthView::drawLive(const ViewInput& input, double ceiling, float height) const {
  const Theme& theme = *input.theme;
  const auto& history = *input.history;
  const double library = libraryLevel(input);
  double most = std::max(ceiling, library);
  std::vector<PlotPoint> points;
  for (size_t i = 0; i < history.size(); ++i) {
    const double x = static_cast<double>(i) - static_cast<double>(history.size() - 1);
    most = std::max(most, history[i].gb_per_s);
    points.push_back({x, history[i].gb_per_s});
  }
  const double oldest = std::max(20.0, static_cast<double>(history.size()));
  const PlotAxis runs{.min = -oldest, .max = oldest * 0.14, .show_ticks = false};
  const PlotAxis bandwidth{.max = niceRange(0, most > 0 ? most : 1).max, .unit = "GB/s"};
  PlotFrame plot(theme, *input.fonts, ImVec2(ImGui::GetContentRegionAvail().x, height), runs, bandwidth);
  input.report->widget("bandwidth.live", plot.areaMin(), plot.areaMax());
  if (ceiling > 0) plot.level(ceiling, theme.text_quiet, trf("copy {}", formatGbPerS(ceiling)).c_str());
  if (library > 0) {
    plot.level(library, theme.text_quiet,
               (input.run->bandwidth.library->name + " " + formatGbPerS(library)).c_str());
  }
  const MarkLook look{.colour = theme.accent, .modelled = isModelled(*input.run)};
  plot.line(points, look);
  if (!points.empty()) plot.point(points.back().x, points.back().y, look);
  plot.xLabel(-oldest / 2, oldest, tr("last runs, newest right"), true);
  if (!plot.hovered() || points.empty()) return;
  const double at = plot.xAt(ImGui::GetIO().MousePos.x) + static_cast<double>(history.size() - 1);
  const auto index = static_cast<size_t>(std::clamp(at + 0.5, 0.0, static_cast<double>(history.size() - 1)));
  drawReadout(plot, points[index],
              fmt::format("{}  {}", formatGbPerS(history[index].gb_per_s),
                          tr(variantTitle(input.run->request.family, history[index].variant)))
                  .c_str());
}

void BandwidthView::draw(const ViewInput& input, ViewState& /*state*/) {
  if (input.run == nullptr) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  const Theme& theme = *input.theme;
  const double ceiling = copyCeiling(input);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto count = static_cast<float>(std::max<size_t>(input.variants.size(), 1));
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const float axis = ImGui::GetTextLineHeight() + theme.px(2);
  // Bars have priority. If they leave enough space the live plot is drawn, otherwise the bars are spaced out.
  const float least = std::max(theme.px(kBandwidthRowHeight), ImGui::GetTextLineHeight() + theme.px(4));
  const bool live =
      input.history != nullptr && room.y >= least * count + axis + gap + theme.px(kSmallestPlot);
  const float for_bars = room.y - (live ? gap + theme.px(kSmallestPlot) : 0);
  BarRow form = labelsOf(input);
  // Titles that do not fit beside their values are above them, if there is room for that.
  form.own_line = form.label_width > roomForLabel(theme, *input.fonts, form, room.x) &&
                  2 * least * count + axis <= for_bars;
  const float lines = form.own_line ? 2.0F : 1.0F;
  const float row = std::clamp((for_bars - axis) / count, least * lines, theme.px(kRoomyRow) * lines);
  form.height = row;
  // If not even the bars fit, they scroll, in whole rows.
  float bars_height = std::min(room.y, row * count + axis + theme.px(1));
  if (row * count > room.y) bars_height = std::max(1.0F, std::floor(room.y / row)) * row;
  const float plot_height = std::min(room.y - bars_height - gap, theme.px(kLargestPlot));
  ImGui::BeginChild("bars", ImVec2(0, bars_height), false, ImGuiWindowFlags_NoNav);
  drawBars(input, ceiling, form);
  ImGui::EndChild();
  if (live) drawLive(input, ceiling, plot_height);
}

}  // namespace

std::unique_ptr<View> makeBandwidthView() {
  return std::make_unique<BandwidthView>();
}

}  // namespace warpscope
