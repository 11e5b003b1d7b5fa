// A reduction's tree: one row per step, one column per thread of the block (or per warp, if threads do not
// fit), filled where the thread works in that step. Based on the marks of the trace: measured if the run is
// measured.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/core/units.h"
#include "viz/layout/step_tree.h"
#include "viz/layout/tree_marks.h"
#include "viz/text/translate.h"
#include "viz/views/item_offer.h"
#include "viz/views/lane_log_parts.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kTallestTreeRow = 30, kLowestTreeRow = 3;  // pixels at 100 %
constexpr float kLeastMark = 3;                            // of working threads, as far as there is room

struct TreeRows {
  TreeColumns columns;
  float top = 0, row_height = 1;

  float x(uint32_t thread) const { return columns.x(thread); }
  float y(size_t step) const { return top + row_height * static_cast<float>(step); }
};

class TreeView : public View {
 public:
  const char* name() const override { return "tree"; }
  const char* title() const override { return trMark("TREE"); }
  const char* help() const override { return trMark("Which threads work in each step of a reduction."); }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void read(const ViewInput& input, BlockId block);
  bool drawEmpty(const ViewInput& input) const;
  void drawSummary(const ViewInput& input) const;
  TreeRows layOut(const ViewInput& input) const;
  void drawSteps(const ViewInput& input, const TreeRows& rows) const;
  void drawStep(const ViewInput& input, const TreeRows& rows, size_t step) const;
  void drawLabels(const ViewInput& input, const TreeRows& rows) const;
  void handleMouse(const ViewInput& input, ViewState& state, const TreeRows& rows) const;

  std::shared_ptr<const Run> read_;
  BlockId block_;
  StepTree tree_;
};

void TreeView::read(const ViewInput& input, BlockId block) {
  if (read_ == input.run && block_ == block) return;
  read_ = input.run;
  block_ = block;
  tree_ = stepTreeOf(*input.run, block);
}

bool TreeView::drawEmpty(const ViewInput& input) const {
  std::string text;
  if (tree_.live.empty()) {
    text = trf("Block {} was not recorded: select a warp of another block.", formatCount(block_.value));
  } else if (tree_.steps.empty()) {
    text = tr("This kernel marks no steps of a tree. Most variants of the family reduction do.");
  }
  if (!text.empty()) drawMessage(*input.theme, *input.fonts, text);
  return !text.empty();
}

void TreeView::drawSummary(const ViewInput& input) const {
  std::string text =
      trf("block {}: {} steps, on average {} of its {} threads work", formatCount(block_.value),
          tree_.steps.size(), formatPercent(tree_.use()), formatCount(tree_.threads));
  if (tree_.missing_warps > 0) text += trf(" ({} warps not recorded)", tree_.missing_warps);
  if (tree_.dropped_events) text += tr(" (some events were dropped)");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, {at.x, at.y + input.theme->px(2)}, room,
                 input.theme->text, text.c_str());
  ImGui::Dummy({room, ImGui::GetTextLineHeight() + input.theme->px(6)});
  input.report->widget("tree.summary", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (ImGui::IsItemHovered()) {
    Tooltip tooltip(*input.theme, *input.fonts, text);
    tooltip.note(
        tr("A step is a region called \"step\"; the lanes that pass the mark \"add\" in it work. Masks are "
           "observed "
           "by the probes. Right click copies."));
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) input.copy(text);
  }
}

TreeRows TreeView::layOut(const ViewInput& input) const {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  ImFont* mono = input.fonts->mono;
  const float line = textSize(mono, "0").y;
  TreeRows rows;
  rows.columns.left = at.x + textSize(input.fonts->text, tr("step 00")).x + theme.px(8);
  rows.columns.right = at.x + room.x - textSize(mono, "1,024").x - theme.px(10);
  rows.top = at.y + line + theme.px(3);
  rows.columns.threads = static_cast<uint32_t>(tree_.live.size()) * kWarpSize;
  const float height = at.y + room.y - rows.top;
  rows.row_height = std::clamp(height / static_cast<float>(tree_.steps.size()), theme.px(kLowestTreeRow),
                               theme.px(kTallestTreeRow));
  return rows;
}

// Working threads over everything else: a line between warps must not hide one.
void TreeView::drawStep(const ViewInput& input, const TreeRows& rows, size_t index) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  const TreeStep& step = tree_.steps[index];
  const ImU32 colour = theme.region(step.work_region);
  const float top = rows.y(index) + 1,
              bottom = rows.y(index + 1) - (rows.row_height > theme.px(6) ? 2.0F : 1.0F);
  for (uint32_t warp = 0; warp < tree_.live.size(); ++warp) {
    const float left = rows.x(warp * kWarpSize), right = rows.x((warp + 1) * kWarpSize);
    const float existing = rows.x(warp * kWarpSize + static_cast<uint32_t>(tree_.live[warp].count()));
    if (existing > left)
      list.AddRectFilled({left, top}, {existing, bottom}, theme.regionIdle(step.work_region));
    if (warp > 0 && right - left > theme.px(4)) list.AddLine({left, top}, {left, bottom}, ink.line);
  }
  const float height = bottom - top;
  for (const TreeMark& mark : treeMarks(step, rows.columns, theme.px(kLeastMark))) {
    const float high = std::max(height * mark.share, std::min(height, theme.px(kLeastMark)));
    list.AddRectFilled({mark.x0, bottom - high}, {mark.x1, bottom}, colour);
  }
}

void TreeView::drawSteps(const ViewInput& input, const TreeRows& rows) const {
  for (size_t step = 0; step < tree_.steps.size(); ++step) drawStep(input, rows, step);
}

void TreeView::drawLabels(const ViewInput& input, const TreeRows& rows) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImFont* mono = input.fonts->mono;
  const float line = textSize(mono, "0").y, left = ImGui::GetCursorScreenPos().x;
  const auto every = static_cast<size_t>(std::max(1.0F, std::ceil(line / rows.row_height)));
  for (size_t step = 0; step < tree_.steps.size(); step += every) {
    const float y = rows.y(step) + std::max(0.0F, (rows.row_height - line) / 2);
    drawText(list, input.fonts->text, {left, y}, theme.text_quiet, trf("step {}", step + 1).c_str());
    const std::string threads = formatCount(tree_.steps[step].threads);
    drawText(list, mono, {rows.columns.right + theme.px(8), y}, theme.text, threads.c_str());
  }
  // Mark where warps begin, as far as numbers fit.
  float free_from = rows.columns.left;
  const float y = rows.top - line - theme.px(2);
  for (uint32_t warp = 0; warp < tree_.live.size(); ++warp) {
    const std::string label = trf("w{}", warp);
    const float x = rows.x(warp * kWarpSize), width = textSize(mono, label.c_str()).x;
    if (x < free_from || x + width > rows.columns.right) continue;
    drawText(list, mono, {x, y}, theme.text_quiet, label.c_str());
    free_from = x + width + theme.px(8);
  }
  drawText(list, input.fonts->text, {rows.columns.right + theme.px(8), y}, theme.text_quiet, tr("work"));
}

void TreeView::handleMouse(const ViewInput& input, ViewState& state, const TreeRows& rows) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImVec2 min{rows.columns.left, rows.top}, max{rows.columns.right, rows.y(tree_.steps.size())};
  input.report->widget("tree.picture", min, max);
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(min, max)) return;
  const auto index =
      std::min(tree_.steps.size() - 1, static_cast<size_t>((mouse.y - rows.top) / rows.row_height));
  const float share = (mouse.x - rows.columns.left) / (rows.columns.right - rows.columns.left);
  const auto thread = std::min(rows.columns.threads - 1,
                               static_cast<uint32_t>(share * static_cast<float>(rows.columns.threads)));
  const uint32_t warp = thread / kWarpSize;
  const int lane = static_cast<int>(thread % kWarpSize);
  const TreeStep& step = tree_.steps[index];
  if (ImGui::IsMouseClicked(0)) {
    state.selected_warp = WarpKey{block_, warp};
    state.selected_region = input.run->regions[step.work_region].id;
  }
  Tooltip tooltip(*input.theme, *input.fonts, trf("Step {}, thread {}", index + 1, thread));
  tooltip.colourRow(tr("region"), input.theme->region(step.work_region),
                    tr(input.run->regions[step.work_region].name));
  tooltip.row(tr("warp, lane"), fmt::format("{}, {}", warp, lane));
  tooltip.row(tr("it"), !tree_.live[warp].has(lane)    ? tr("has no thread")
                        : step.working[warp].has(lane) ? tr("works")
                                                       : tr("does not work"));
  tooltip.row(tr("its warp"),
              trf("{} of {} lanes work", step.working[warp].count(), tree_.live[warp].count()));
  tooltip.row(tr("the block"), trf("{} threads in {} warps work", step.threads, step.warps));
  tooltip.row(tr("divergent"), trf("{} warps", step.divergent_warps));
  tooltip.note(tr("Masks that the probes observed. Click selects the warp."));
  offerItem(input, tooltip, selectWarp(block_, warp));
}

void TreeView::draw(const ViewInput& input, ViewState& state) {
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const ImVec2 max{min.x + size.x, min.y + size.y};
  input.report->widget("tree", min, max);
  if (!input.run) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  BlockId block{};
  if (!input.run->trace.warps.empty()) block = input.run->trace.warps.front().block;
  if (state.selected_warp && state.selected_warp->block.value < input.run->grid.count())
    block = state.selected_warp->block;
  read(input, block);
  if (drawEmpty(input)) return;
  drawSummary(input);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const TreeRows rows = layOut(input);
  if (rows.columns.right - rows.columns.left < input.theme->px(40)) return;
  drawSteps(input, rows);
  drawLabels(input, rows);
  if (input.refreshing)
    ImGui::GetWindowDrawList()->AddRectFilled(at, max, withAlpha(input.theme->background, 0.5F));
  handleMouse(input, state, rows);
}

}  // namespace

std::unique_ptr<View> makeTreeView() {
  return std::make_unique<TreeView>();
}

}  // namespace warpscope
