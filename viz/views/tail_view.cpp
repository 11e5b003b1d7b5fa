// Waves of blocks over SMs: one group of rows per SM, one bar per block, alternately brighter and darker from
// wave to wave. The part that stays free at the end, if the last wave does not fill the GPU, is the tail.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "kernels/metrics/block_waves.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/views/item_offer.h"
#include "viz/views/lane_log_parts.h"
#include "viz/views/view.h"
#include "viz/views/view_tooltips.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kTallestTailRow = 22;  // pixels at 100 %

class TailView : public View {
 public:
  const char* name() const override { return "tail"; }
  const char* title() const override { return trMark("TAIL"); }
  const char* help() const override {
    return trMark("The blocks of the grid as waves over the SMs, and what the last wave leaves idle.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  struct Rows {
    TimeScale scale;
    float top = 0, bottom = 0, row_height = 1;
    float y(uint32_t row) const { return top + row_height * static_cast<float>(row); }
  };

  void drawSummary(const ViewInput& input) const;
  void drawRecorded(const ViewInput& input) const;
  void drawIdle(const ViewInput& input, const Rows& rows) const;
  void drawBars(const ViewInput& input, const ViewState& state, const Rows& rows) const;
  void drawLabels(const ViewInput& input, const Rows& rows) const;
  void handleMouse(const ViewInput& input, ViewState& state, const Rows& rows) const;
  std::string summary() const;

  std::shared_ptr<const Run> read_;
  BlockWaves waves_;
};

std::string TailView::summary() const {
  std::string text = waves_.waves == 1 ? tr("1 wave of blocks") : trf("{} waves of blocks", waves_.waves);
  text += trf(" on {} SMs, {} idle", waves_.sms.size(), formatPercent(std::max(0.0, waves_.idleShare())));
  return text;
}

void TailView::drawSummary(const ViewInput& input) const {
  const std::string text = summary();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, {at.x, at.y + input.theme->px(2)}, room,
                 input.theme->text, text.c_str());
  ImGui::Dummy({room, ImGui::GetTextLineHeight() + input.theme->px(4)});
  input.report->widget("tail.summary", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(*input.theme, *input.fonts, text);
  tooltip.note(
      tr("For the recorded SMs, from the start of the launch to the end of the last recorded block: time in "
         "which a row has no block, though it could have one. Right click copies."));
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) input.copy(text);
}

// If only a sample was recorded, says so, and how to record everything.
void TailView::drawRecorded(const ViewInput& input) const {
  if (waves_.complete()) return;
  const std::string text =
      trf("{} of {} blocks were recorded", formatCount(static_cast<int64_t>(waves_.bars.size())),
          formatCount(static_cast<int64_t>(waves_.blocks)));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, at, room, input.theme->text_quiet,
                 text.c_str());
  ImGui::Dummy({room, ImGui::GetTextLineHeight() + input.theme->px(2)});
  input.report->widget("tail.recorded", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(*input.theme, *input.fonts, text);
  tooltip.note(
      tr("Of a large grid only a sample is recorded: the first block and all blocks of a few SMs. All are "
         "recorded where the grid is small, or with 'warpscope record FAMILY --sample all --max-warps N "
         "--output "
         "FILE.wsrec', which this window opens."));
}

void TailView::drawIdle(const ViewInput& input, const Rows& rows) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float end = rows.scale.x(static_cast<double>(waves_.end_cycles));
  for (const SmRows& sm : waves_.sms) {
    const float top = rows.y(sm.first_row), bottom = rows.y(sm.first_row + sm.rows);
    list.AddRectFilled({rows.scale.left, top}, {end, bottom - 1},
                       mixColours(theme.background, theme.text, 0.05F));
    // After an SM's last block nothing follows.
    const float from = rows.scale.x(static_cast<double>(sm.last_end_cycles));
    if (end - from > 2) {
      drawHatch(list, {from, top}, {end, bottom - 1}, inkScale(theme).faint, theme.px(6), theme.px(1.2F));
    }
  }
}

void TailView::drawBars(const ViewInput& input, const ViewState& state, const Rows& rows) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const BlockBar& bar : waves_.bars) {
    const ImVec2 min{rows.scale.x(static_cast<double>(bar.begin_cycles)), rows.y(bar.row) + 0.5F};
    const float right = std::max(min.x + 1, rows.scale.x(static_cast<double>(bar.end_cycles)) - 0.5F);
    const ImVec2 max{right, rows.y(bar.row + 1) - (rows.row_height > theme.px(5) ? 1.0F : 0.5F)};
    const bool chosen = state.selected_warp && state.selected_warp->block == bar.block;
    list.AddRectFilled(min, max, mixColours(theme.background, theme.text, bar.wave % 2 == 0 ? 0.66F : 0.42F));
    if (chosen) list.AddRect(min, max, theme.accent, 0, 0, theme.px(2));
    const std::string label = trf("block {}", formatCount(bar.block.value));
    const ImVec2 size = textSize(input.fonts->mono, label.c_str());
    if (max.y - min.y < size.y || max.x - min.x < size.x + theme.px(6)) continue;
    drawText(list, input.fonts->mono, {min.x + theme.px(3), (min.y + max.y - size.y) / 2}, theme.background,
             label.c_str());
  }
}

void TailView::drawLabels(const ViewInput& input, const Rows& rows) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float left = ImGui::GetCursorScreenPos().x;
  const float line = textSize(input.fonts->text, "0").y;
  float free_from = rows.top;
  for (const SmRows& sm : waves_.sms) {
    const float top = rows.y(sm.first_row);
    if (top + 0.5F < free_from) continue;
    const float height = rows.row_height * static_cast<float>(sm.rows);
    const float y = top + std::clamp((height - line) / 2, 0.0F, theme.px(4));
    drawText(list, input.fonts->text, {left, y}, theme.text_quiet,
             trSm(input.run->device.limits, sm.sm).c_str());
    free_from = y + line;
  }
}

void TailView::handleMouse(const ViewInput& input, ViewState& state, const Rows& rows) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImVec2 min{rows.scale.left, rows.top}, max{rows.scale.right, rows.bottom};
  input.report->widget("tail.picture", min, max);
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(min, max)) return;
  const auto row = static_cast<uint32_t>((mouse.y - rows.top) / rows.row_height);
  const auto at = static_cast<int64_t>(rows.scale.cycles(mouse.x));
  for (const BlockBar& bar : waves_.bars) {
    if (bar.row != row || at < bar.begin_cycles || at >= bar.end_cycles) continue;
    if (ImGui::IsMouseClicked(0)) state.selected_warp = WarpKey{bar.block, 0};
    Tooltip tooltip(*input.theme, *input.fonts, trf("Block {}", formatCount(bar.block.value)));
    tooltip.row(tr("SM"), trSm(input.run->device.limits, waves_.sms[bar.sm].sm));
    tooltip.row(tr("wave"), trf("{} of {}", bar.wave + 1, waves_.waves));
    tooltip.row(tr("from"), cyclesWithNs(*input.run, bar.begin_cycles));
    tooltip.row(tr("lasts"), cyclesWithNs(*input.run, bar.end_cycles - bar.begin_cycles));
    tooltip.note(
        tr("A block that takes over the slot of one that has ended belongs to the next wave. Click selects "
           "its first warp."));
    offerItem(input, tooltip, {{{{bar.begin_cycles, bar.end_cycles}, {{bar.block.value, bar.block.value}}}}});
    return;
  }
  for (const SmRows& sm : waves_.sms) {
    if (row < sm.first_row || row >= sm.first_row + sm.rows || at >= waves_.end_cycles) continue;
    Tooltip tooltip(*input.theme, *input.fonts,
                    trf("{}: no block here", trSm(input.run->device.limits, sm.sm)));
    tooltip.row(tr("blocks"), formatCount(sm.blocks));
    tooltip.row(tr("at a time"), formatCount(sm.rows));
    tooltip.row(tr("last ends"), cyclesWithNs(*input.run, sm.last_end_cycles));
    return;
  }
}

void TailView::draw(const ViewInput& input, ViewState& state) {
  const Theme& theme = *input.theme;
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const ImVec2 max{min.x + size.x, min.y + size.y};
  input.report->widget("tail", min, max);
  if (!input.run) {
    drawMessage(theme, *input.fonts, input.empty_message);
    return;
  }
  if (read_ != input.run) {
    read_ = input.run;
    waves_ = blockWavesOf(*input.run);
  }
  if (waves_.bars.empty()) {
    drawMessage(theme, *input.fonts,
                tr("This run recorded no warps, so it is not known when its blocks ran."));
    return;
  }
  drawSummary(input);
  drawRecorded(input);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float axis = timeAxisHeight(theme, input.run->trace.clocks.cycles_per_ns);
  Rows rows;
  const DeviceLimits& limits = input.run->device.limits;
  // Of the same width whichever SMs are recorded.
  const uint32_t gpu = waves_.sms.empty() ? 0 : smPlace(limits, waves_.sms.back().sm).gpu;
  const SmId longest = smOf(limits, {gpu, 131});
  const float labels = std::max(textSize(input.fonts->text, trSm(limits, longest).c_str()).x,
                                textSize(input.fonts->text, "cycles").x) +
                       theme.px(8);
  rows.scale = {0, std::max(1.0, static_cast<double>(waves_.end_cycles)), at.x + labels, at.x + room.x};
  rows.top = at.y + axis;
  rows.bottom = at.y + room.y;
  if (rows.bottom - rows.top < theme.px(20) || room.x - labels < theme.px(40)) return;
  rows.row_height =
      std::min(theme.px(kTallestTailRow), (rows.bottom - rows.top) / static_cast<float>(waves_.rows));
  drawTimeAxis(theme, *input.fonts, rows.scale, timeAxisOf(*input.run), at.y, rows.y(waves_.rows));
  drawIdle(input, rows);
  drawBars(input, state, rows);
  drawLabels(input, rows);
  if (input.refreshing) ImGui::GetWindowDrawList()->AddRectFilled(at, max, withAlpha(theme.background, 0.5F));
  handleMouse(input, state, rows);
}

}  // namespace

std::unique_ptr<View> makeTailView() {
  return std::make_unique<TailView>();
}

}  // namespace warpscope
