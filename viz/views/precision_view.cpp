// The precision of each variant's sum of floats: its distance from the float64 sum, in steps between floats,
// compared with a loop that adds one number after another. The bars are logarithmic, since errors span many
// orders of magnitude.
#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "kernels/metrics/precision.h"
#include "viz/text/translate.h"
#include "viz/views/bar_text.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/bars.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

const Precision* precisionOf(const VariantResult& result) {
  if (result.shown() == nullptr || !result.shown()->verification.precision) return nullptr;
  return &*result.shown()->verification.precision;
}

double ulpsOff(const Precision& precision) {
  return errorInUlps(precision.sum, precision.reference);
}
double ulpsOffSequentially(const Precision& precision) {
  return errorInUlps(precision.sequential, precision.reference);
}

double barLength(double ulps) {
  return std::log2(1 + ulps);
}

std::string ulpText(double ulps) {
  return ulps == 0 ? std::string(tr("exact")) : trf("{} ulp", formatSignificant(ulps, 3));
}

std::string sumText(double sum) {
  return fmt::format("{:.9g}", sum);
}

void sumTooltip(const ViewInput& input, const VariantResult& result) {
  Tooltip tooltip(*input.theme, *input.fonts, tr(result.title));
  const Precision* precision = precisionOf(result);
  if (precision == nullptr) {
    tooltip.note(result.error.empty() ? tr("No sum of floats at these settings yet.")
                                      : trMessage(result.error));
    return;
  }
  tooltip.row(tr("sum"), sumText(precision->sum));
  tooltip.row(tr("in float64"), sumText(precision->reference));
  tooltip.row(tr("off by"), fmt::format("{}, {:.2g}", ulpText(ulpsOff(*precision)),
                                        relativeError(precision->sum, precision->reference)));
  tooltip.row(tr("one float loop"), sumText(precision->sequential));
  tooltip.row(tr("off by"), fmt::format("{}, {:.2g}", ulpText(ulpsOffSequentially(*precision)),
                                        relativeError(precision->sequential, precision->reference)));
  tooltip.row(tr("of the bound"), formatPercent(result.run->verification.max_error));
  tooltip.note(
      trf("Sums of {} floats, as the kernel computed them. An ulp is the step between floats at the sum; the "
          "bound is the largest error that rounding allows for so many successive additions.",
          formatCount(static_cast<int64_t>(precision->terms))));
}

class PrecisionView : public View {
 public:
  const char* name() const override { return "precision"; }
  const char* title() const override { return trMark("PRECISION"); }
  const char* help() const override { return trMark("How far each variant's sum is from one in float64."); }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void drawBar(const ViewInput& input, const VariantResult& result, double most) const;
};

void PrecisionView::drawBar(const ViewInput& input, const VariantResult& result, double most) const {
  const Theme& theme = *input.theme;
  const Precision* precision = precisionOf(result);
  const std::string text =
      barText(result, input.run->device, precision == nullptr ? "" : ulpText(ulpsOff(*precision)));
  BarRow row{.label = tr(result.title.c_str()), .text = text.c_str(), .max = most};
  if (precision != nullptr) {
    row.value = barLength(ulpsOff(*precision));
    row.ceiling = barLength(ulpsOffSequentially(*precision));
  }
  row.height = std::max(theme.px(kBandwidthRowHeight), ImGui::GetTextLineHeight() + theme.px(4));
  row.selected = result.variant == input.run->request.variant;
  row.colour = row.selected ? theme.accent : mixColours(theme.panel, theme.text, 0.50F);
  if (result.stale || input.refreshing) row.colour = mixColours(theme.panel, row.colour, 0.45F);
  const bool hovered = horizontalBar(theme, *input.fonts, row);
  input.report->widget("precision.bar." + result.variant, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (hovered) sumTooltip(input, result);
}

void PrecisionView::draw(const ViewInput& input, ViewState& /*state*/) {
  if (input.run == nullptr) return drawMessage(*input.theme, *input.fonts, input.empty_message);
  const Precision* known = nullptr;
  double most = 1;
  for (const VariantResult& result : input.variants) {
    const Precision* precision = precisionOf(result);
    if (precision == nullptr) continue;
    if (known == nullptr || !result.stale) known = precision;
    most = std::max({most, barLength(ulpsOff(*precision)), barLength(ulpsOffSequentially(*precision))});
  }
  if (known == nullptr) {
    return drawMessage(*input.theme, *input.fonts,
                       tr("Sums of ints are exact in any order. Choose floats in the settings to see how "
                          "precise each variant is, and copies of 1.23 to see a plain loop fail."));
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const std::string loop = trf("| one float loop: {}, off by {}", sumText(known->sequential),
                               ulpText(ulpsOffSequentially(*known)));
  const std::string right = trf("float64: {}; bars: ulps, logarithmic", sumText(known->reference));
  for (const std::string& line : {right, loop}) {
    drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, ImGui::GetCursorScreenPos(),
                   ImGui::GetContentRegionAvail().x, input.theme->text_quiet, line.c_str());
    ImGui::Dummy(ImVec2(1, ImGui::GetTextLineHeight() + input.theme->px(2)));
  }
  ImGui::BeginChild("sums", ImVec2(0, 0), false, ImGuiWindowFlags_NoNav);
  for (const VariantResult& result : input.variants) drawBar(input, result, most * 1.05);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

std::unique_ptr<View> makePrecisionView() {
  return std::make_unique<PrecisionView>();
}

}  // namespace warpscope
