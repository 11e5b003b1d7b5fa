// Warp states: what the warps did in their cycles, as a bar of all states for the run and one for the
// selected warp, and a line for each state. Only a device that models its SMs can report them.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/metrics/instruction_metrics.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/views/item_offer.h"
#include "viz/views/view.h"
#include "viz/views/view_tooltips.h"
#include "viz/views/wait_look.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/legend.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kBarHeight = 16;  // pixels at 100 %
constexpr float kLeastForWarpBar = 150;

class StatesView : public View {
 public:
  const char* name() const override { return "states"; }
  const char* title() const override { return trMark("WARP STATES"); }
  const char* help() const override {
    return trMark("Where the cycles of all warps went: issuing, or waiting for what.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void read(const ViewInput& input, const ViewState& state);
  void drawBar(const ViewInput& input, const char* name, const std::string& caption,
               const std::vector<WarpStateShare>& states) const;
  void drawLine(const ViewInput& input, const WarpStateShare& share) const;
  void tell(const ViewInput& input, const WarpStateShare& share) const;

  std::shared_ptr<const Run> read_;
  std::optional<WarpKey> read_warp_;
  std::vector<WarpStateShare> of_run_, of_warp_;
  std::string warp_title_;
};

void drawState(const Theme& theme, ImDrawList& list, WarpState state, ImVec2 min, ImVec2 max) {
  // Issuing is not a wait, so it stands out.
  if (state == WarpState::kSelected) {
    list.AddRectFilled(min, max, mixColours(theme.background, theme.text, 0.85F));
  } else {
    drawWait(theme, list, state, min, max);
  }
}

std::string perInstruction(double cycles) {
  return trf("{} cycles per issued instruction", formatSignificant(cycles, 3));
}

void StatesView::read(const ViewInput& input, const ViewState& state) {
  if (read_ == input.run && read_warp_ == state.selected_warp) return;
  if (read_ != input.run) of_run_ = warpStates(*input.run);
  read_ = input.run;
  read_warp_ = state.selected_warp;
  of_warp_.clear();
  if (!state.selected_warp || input.layout == nullptr) return;
  const auto index = input.layout->findWarp(state.selected_warp->block, state.selected_warp->warp_in_block);
  if (!index) return;
  const TraceWarp& warp = input.run->trace.warps[*index];
  of_warp_ = warpStates(input.run->trace, warp);
  warp_title_ = warpTitle(*input.run, warp);
}

void StatesView::tell(const ViewInput& input, const WarpStateShare& share) const {
  Tooltip tooltip(*input.theme, *input.fonts, trTitle(share.state));
  tooltip.note(share.state == WarpState::kSelected || share.state == WarpState::kNotSelected
                   ? trf("The warp {}.", tr(warpStateHelp(share.state)))
                   : trf("Waiting for {}.", tr(warpStateHelp(share.state))));
  tooltip.row(tr("all warps"),
              fmt::format("{}, {}", perInstruction(share.cycles), formatPercent(share.share)));
  for (const WarpStateShare& own : of_warp_) {
    if (own.state != share.state) continue;
    tooltip.row(tr("this warp"), fmt::format("{}, {}", perInstruction(own.cycles), formatPercent(own.share)));
  }
  tooltip.row("Nsight", warpStateCounter(share.state));
  tooltip.note(tr("Modelled: warp-cycles in this state over issued instructions."));
  offerItem(input, tooltip);
}

// Draws all states side by side; the caption above gives their sum.
void StatesView::drawBar(const ViewInput& input, const char* name, const std::string& caption,
                         const std::vector<WarpStateShare>& states) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  double sum = 0;
  for (const WarpStateShare& share : states) sum += share.cycles;
  const float width = ImGui::GetContentRegionAvail().x;
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float bar_top = at.y + line + theme.px(1);
  ImGui::Dummy({width, line + theme.px(kBarHeight + 2)});
  input.report->widget(name, {at.x, bar_top}, ImGui::GetItemRectMax());
  const bool hovered = ImGui::IsItemHovered();
  const std::string total = trf("{} cycles / inst", formatSignificant(sum, 3));
  const float total_width = textSize(input.fonts->mono, total.c_str()).x;
  drawTextFitted(list, input.fonts->text, at, width - total_width - theme.px(6), theme.text, caption.c_str());
  drawText(list, input.fonts->mono, {at.x + width - total_width, at.y}, theme.text_quiet, total.c_str());
  float x = at.x;
  const float bottom = bar_top + theme.px(kBarHeight);
  for (const WarpStateShare& share : states) {
    const float end = std::min(at.x + width, x + width * static_cast<float>(share.share));
    drawState(theme, list, share.state, {x, bar_top}, {end, bottom});
    if (x > at.x) list.AddRectFilled({x - 0.5F, bar_top}, {x + 0.5F, bottom}, theme.background);
    const float mouse = ImGui::GetIO().MousePos.x;
    if (hovered && ImGui::GetIO().MousePos.y >= bar_top && mouse >= x && mouse < end) tell(input, share);
    x = end;
  }
  list.AddRect({at.x, bar_top}, {at.x + width, bottom}, theme.border);
}

void StatesView::drawLine(const ViewInput& input, const WarpStateShare& share) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetTextLineHeight() + theme.px(3);
  ImGui::Dummy({width, height});
  input.report->widget(std::string("states.") + warpStateName(share.state), ImGui::GetItemRectMin(),
                       ImGui::GetItemRectMax());
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) list.AddRectFilled(at, {at.x + width, at.y + height}, withAlpha(theme.accent, 0.12F));
  const float swatch_top = at.y + (height - theme.px(kSwatchHeight)) / 2;
  const ImVec2 swatch_max{at.x + theme.px(kSwatchWidth), swatch_top + theme.px(kSwatchHeight)};
  drawState(theme, list, share.state, {at.x, swatch_top}, swatch_max);
  list.AddRect({at.x, swatch_top}, swatch_max, theme.border);
  const std::string value = formatSignificant(share.cycles, 3);
  const std::string percent = formatPercent(share.share, 2);
  const float percent_width = textSize(input.fonts->mono, "0.97 %").x + theme.px(6);
  const float value_width = textSize(input.fonts->mono, "1,000").x + theme.px(6);
  const float right = at.x + width;
  const auto cell = [&](const std::string& text, float cell_right, ImU32 ink) {
    drawText(list, input.fonts->mono,
             {cell_right - textSize(input.fonts->mono, text.c_str()).x, at.y + theme.px(1)}, ink,
             text.c_str());
  };
  const float left = swatch_max.x + theme.px(6);
  drawTextFitted(list, input.fonts->text, {left, at.y + theme.px(1)},
                 right - percent_width - value_width - left, theme.text, trTitle(share.state));
  cell(value, right - percent_width, theme.text);
  cell(percent, right, theme.text_quiet);
  if (!hovered) return;
  tell(input, share);
}

void StatesView::draw(const ViewInput& input, ViewState& state) {
  if (input.run == nullptr) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  read(input, state);
  if (of_run_.empty()) {
    drawMessage(*input.theme, *input.fonts, noCountersText(*input.run));
    return;
  }
  const Theme& theme = *input.theme;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, theme.px(2)});
  const bool roomy = ImGui::GetContentRegionAvail().y >= theme.px(kLeastForWarpBar);
  drawBar(input, "states.run", tr("all warps"), of_run_);
  if (!of_warp_.empty() && roomy) drawBar(input, "states.warp", warp_title_, of_warp_);
  ImGui::BeginChild("lines", {0, 0}, false, ImGuiWindowFlags_NoNav);
  for (const WarpStateShare& share : of_run_) drawLine(input, share);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

std::unique_ptr<View> makeStatesView() {
  return std::make_unique<StatesView>();
}

}  // namespace warpscope
