// The division of a block into warps: its threads as a grid, x across, y down, one slice per z, coloured by
// warp. Lanes of the last warp that never had a thread are drawn after the block. If a region is selected,
// threads that never reached it are hollow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/core/units.h"
#include "viz/layout/thread_grid.h"
#include "viz/text/translate.h"
#include "viz/views/item_offer.h"
#include "viz/views/lane_log_parts.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kMostCell = 40, kLeastSpaced = 5;  // pixels at 100 %

class MappingView : public View {
 public:
  const char* name() const override { return "mapping"; }
  const char* title() const override { return trMark("MAPPING"); }
  const char* help() const override { return trMark("How the threads of a block are divided into warps."); }
  bool wantsLanes() const override { return true; }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  struct Cells {
    ImVec2 origin;
    float width = 1, height = 1;  // of one
    float x(uint32_t column) const { return origin.x + width * static_cast<float>(column); }
    float y(uint32_t row) const { return origin.y + height * static_cast<float>(row); }
    float least() const { return std::min(width, height); }
    ImVec2 min(const ThreadCell& cell) const { return {x(cell.column), y(cell.row)}; }
  };

  void read(const ViewInput& input, const ViewState& state, float aspect);
  void readRegion(const ViewInput& input, std::optional<RegionId> region);
  void drawSummary(const ViewInput& input) const;
  void drawCell(const ViewInput& input, const ViewState& state, const Cells& cells,
                const ThreadCell& cell) const;
  void drawWarpNumbers(const ViewInput& input, const Cells& cells) const;
  void drawColumnNumbers(const ViewInput& input, const Cells& cells) const;
  Cells place(ImVec2 origin, ImVec2 room, float most) const;
  static bool numbersFit(const ViewInput& input, const Cells& cells);
  void drawFrames(const ViewInput& input, const Cells& cells) const;
  void handleMouse(const ViewInput& input, ViewState& state, const Cells& cells) const;
  void tell(const ViewInput& input, const ThreadCell& cell) const;
  bool reached(const ThreadCell& cell) const {
    return !region_ || (cell.warp < reached_.size() && reached_[cell.warp].has(cell.lane));
  }

  std::shared_ptr<const LaneLog> read_;  // the log that grid_ was made from
  BlockId block_;
  float aspect_ = 0;
  ThreadGrid grid_;
  std::optional<RegionId> region_;  // the region that reached_ was made for
  std::shared_ptr<const Run> region_run_;
  std::vector<LaneMask> reached_;  // by warp
};

void MappingView::read(const ViewInput& input, const ViewState& state, float aspect) {
  const BlockId block = shownLoggedWarp(*input.lanes, state).block;
  if (read_ == input.lanes && block_ == block && std::abs(aspect_ - aspect) < 0.01F * aspect) return;
  read_ = input.lanes;
  block_ = block;
  aspect_ = aspect;
  grid_ = layOutThreads(*read_, block, aspect);
  region_run_.reset();
}

// Finds the lanes that reached the region, according to the trace's masks.
void MappingView::readRegion(const ViewInput& input, std::optional<RegionId> region) {
  if (region_ == region && region_run_ == input.run) return;
  region_ = region;
  region_run_ = input.run;
  reached_.assign(static_cast<size_t>((input.run->block.count() + kWarpSize - 1) / kWarpSize), LaneMask{});
  if (!region) return;
  for (const TraceWarp& warp : input.run->trace.warps) {
    if (warp.block != block_ || warp.warp_in_block >= reached_.size()) continue;
    for (const TraceEvent& event : input.run->trace.eventsOf(warp)) {
      if (event.region == *region) reached_[warp.warp_in_block].bits |= event.mask.bits;
    }
  }
}

void MappingView::drawSummary(const ViewInput& input) const {
  const Dim3& block = read_->block;
  const uint64_t threads = block.count(), warps = (threads + kWarpSize - 1) / kWarpSize;
  const uint64_t missing = warps * kWarpSize - threads;
  std::string text = trf("block {}: {} x {} x {} = {} threads in {} warps", formatCount(block_.value),
                         block.x, block.y, block.z, formatCount(static_cast<int64_t>(threads)), warps);
  if (missing > 0) text += trf(", {} lanes never exist", missing);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const float room =
      drawSimulatedBadge(input, tr("indices: simulated"), right, at.y) - input.theme->px(8) - at.x;
  drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, {at.x, at.y + input.theme->px(2)}, room,
                 input.theme->text, text.c_str());
  ImGui::Dummy({room, ImGui::GetTextLineHeight() + input.theme->px(6)});
  input.report->widget("mapping.summary", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (ImGui::IsItemHovered()) {
    Tooltip tooltip(*input.theme, *input.fonts, text);
    tooltip.note(
        tr("Threads are counted x first, then y, then z; every 32 in that order form a warp. Read from %tid "
           "while executing the kernel on the simulated GPU. Right click copies."));
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) input.copy(text);
  }
}

void MappingView::drawCell(const ViewInput& input, const ViewState& state, const Cells& cells,
                           const ThreadCell& cell) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float gap = cells.least() >= theme.px(kLeastSpaced) ? 1.0F : 0.0F;
  ImVec2 min = cells.min(cell);
  const ImVec2 max{min.x + cells.width - gap, min.y + cells.height - gap};
  min = {min.x + gap, min.y + gap};
  if (!cell.exists) {
    list.AddRect(min, max, inkScale(theme).faint);
    return;
  }
  const bool chosen = state.selected_warp && state.selected_warp->block == block_ &&
                      state.selected_warp->warp_in_block == cell.warp;
  if (reached(cell)) {
    list.AddRectFilled(min, max, theme.series(cell.warp));
  } else {
    list.AddRectFilled(min, max, theme.seriesIdle(cell.warp));
    list.AddRect(min, max, theme.series(cell.warp));
  }
  if (chosen) list.AddRect(min, max, theme.text, 0, 0, theme.px(cells.least() > theme.px(12) ? 2.0F : 1.0F));
  const std::string lane = fmt::format("{}", cell.lane);
  if (!numbersFit(input, cells)) return;
  const ImVec2 size = textSize(input.fonts->mono, lane.c_str());
  drawText(list, input.fonts->mono, {(min.x + max.x - size.x) / 2, (min.y + max.y - size.y) / 2},
           reached(cell) ? theme.onSeries(cell.warp) : theme.text, lane.c_str());
}

// Colours repeat after eight warps, so numbers identify them: to the left of a row at which a warp begins,
// otherwise at the warp's first thread.
void MappingView::drawWarpNumbers(const ViewInput& input, const Cells& cells) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float free_from_y = -1e9F;
  for (const ThreadCell& cell : grid_.cells) {
    if (cell.lane != 0) continue;
    const std::string label = trf("w{}", cell.warp);
    const ImVec2 size = textSize(input.fonts->mono, label.c_str());
    const ImVec2 min = cells.min(cell);
    if (cell.column == 0) {
      const float y = min.y + std::max(0.0F, (cells.height - size.y) / 2);
      if (y < free_from_y) continue;
      drawText(list, input.fonts->mono, {min.x - size.x - theme.px(5), y}, theme.text_quiet, label.c_str());
      free_from_y = y + size.y * 0.95F;
    } else if (!numbersFit(input, cells) && cells.height >= size.y && cells.width * kWarpSize > size.x * 2) {
      // Above its first cells, in their colour.
      const float right = std::ceil((size.x + theme.px(4)) / cells.width) * cells.width;
      list.AddRectFilled({min.x + 1, min.y + 1}, {min.x + right - 1, min.y + cells.height - 1},
                         theme.series(cell.warp));
      drawText(list, input.fonts->mono, {min.x + theme.px(3), min.y + (cells.height - size.y) / 2},
               theme.onSeries(cell.warp), label.c_str());
    }
  }
}

// The x above the first slice's columns; for a folded row, the distance from where it continues.
void MappingView::drawColumnNumbers(const ViewInput& input, const Cells& cells) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImFont* mono = input.fonts->mono;
  const float width = textSize(mono, "1023").x + theme.px(4), line = textSize(mono, "0").y;
  uint32_t step = 1;
  while (cells.width * static_cast<float>(step) < width) step *= 2;
  const float y = cells.origin.y - line - theme.px(2);
  drawText(list, input.fonts->text, {cells.origin.x - textSize(input.fonts->text, "x").x - theme.px(5), y},
           theme.text_quiet, "x");
  for (uint32_t x = 0; x < grid_.row_threads; x += step) {
    const std::string number = fmt::format("{}", x);
    const float middle = cells.x(x) + cells.width / 2 - textSize(mono, number.c_str()).x / 2;
    drawText(list, mono, {middle, y}, theme.text_quiet, number.c_str());
  }
}

void MappingView::drawFrames(const ViewInput& input, const Cells& cells) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = textSize(input.fonts->text, "0").y;
  for (const SliceLabel& slice : grid_.slices) {
    if (cells.height < line) continue;
    const ImVec2 at{cells.x(slice.column), cells.y(slice.row) - line - theme.px(1)};
    drawText(list, input.fonts->text, at, theme.text_quiet, trf("z = {}", slice.z).c_str());
  }
  if (grid_.ghost_row == 0) return;
  const float y = cells.y(grid_.ghost_row) - line - theme.px(1);
  if (cells.height < line) return;
  drawText(list, input.fonts->text, {cells.origin.x, y}, theme.text_quiet,
           tr("lanes of the last warp that have no thread:"));
}

void MappingView::tell(const ViewInput& input, const ThreadCell& cell) const {
  const Theme& theme = *input.theme;
  if (!cell.exists) {
    Tooltip tooltip(theme, *input.fonts, trf("Lane {} of warp {}: no thread", cell.lane, cell.warp));
    tooltip.note(
        tr("The block size is not a multiple of 32, so the last warp has lanes that never exist. They take "
           "the same issue slots and registers as if they did."));
    return;
  }
  Tooltip tooltip(theme, *input.fonts, trf("Thread {}", threadText(cell.thread)));
  tooltip.colourRow(tr("warp"), theme.series(cell.warp), fmt::format("{}", cell.warp));
  tooltip.row(tr("lane"), fmt::format("{}", cell.lane));
  tooltip.row(tr("linear"), formatCount(int64_t{cell.warp} * kWarpSize + cell.lane));
  if (region_) {
    const auto found = std::ranges::find(input.run->regions, *region_, &Region::id);
    if (found != input.run->regions.end()) {
      tooltip.row(tr("region"), reached(cell) ? trf("reaches \"{}\"", tr(found->name))
                                              : trf("does not reach \"{}\"", tr(found->name)));
    }
  }
  tooltip.note(tr("Click selects its warp."));
  offerItem(input, tooltip, selectWarp(block_, cell.warp));
}

void MappingView::handleMouse(const ViewInput& input, ViewState& state, const Cells& cells) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImVec2 max{cells.x(grid_.columns), cells.y(grid_.rows)};
  input.report->widget("mapping.cells", cells.origin, max);
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(cells.origin, max)) return;
  const auto column = static_cast<uint32_t>((mouse.x - cells.origin.x) / cells.width);
  const auto row = static_cast<uint32_t>((mouse.y - cells.origin.y) / cells.height);
  const ThreadCell* cell = grid_.at(column, row);
  if (cell == nullptr) return;
  if (ImGui::IsMouseClicked(0)) state.selected_warp = WarpKey{block_, cell->warp};
  tell(input, *cell);
}

// As large as fits; up to twice as high as wide, or as wide as high, if there is room.
MappingView::Cells MappingView::place(ImVec2 origin, ImVec2 room, float most) const {
  Cells cells;
  cells.origin = origin;
  const float width = room.x / static_cast<float>(grid_.columns),
              height = room.y / static_cast<float>(grid_.rows);
  cells.width = std::min({width, 2 * height, most});
  cells.height = std::min({height, 2 * width, most});
  if (cells.width > 4) cells.width = std::floor(cells.width);
  if (cells.height > 4) cells.height = std::floor(cells.height);
  return cells;
}

bool MappingView::numbersFit(const ViewInput& input, const Cells& cells) {
  const ImVec2 text = textSize(input.fonts->mono, "31");
  return cells.width >= text.x + input.theme->px(2) && cells.height >= text.y;
}

void MappingView::draw(const ViewInput& input, ViewState& state) {
  const Theme& theme = *input.theme;
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  input.report->widget("mapping", min, {min.x + size.x, min.y + size.y});
  if (drawMissingLog(input)) return;
  const float labels = textSize(input.fonts->mono, "w31").x + theme.px(6);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float line = textSize(input.fonts->mono, "0").y + theme.px(3);
  const float height = room.y - ImGui::GetTextLineHeight() - theme.px(10) - line;
  if (room.x - labels < theme.px(60) || height < theme.px(30)) return;
  read(input, state, (room.x - labels) / height);
  readRegion(input,
             state.hovered_region && !state.hovered_warp ? state.hovered_region : state.selected_region);
  drawSummary(input);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Cells cells = place({at.x + labels, at.y + line}, {room.x - labels, height}, theme.px(kMostCell));
  drawColumnNumbers(input, cells);
  for (const ThreadCell& cell : grid_.cells) drawCell(input, state, cells, cell);
  drawFrames(input, cells);
  drawWarpNumbers(input, cells);
  dimIfOld(input, at, {min.x + size.x, min.y + size.y});
  handleMouse(input, state, cells);
}

}  // namespace

std::unique_ptr<View> makeMappingView() {
  return std::make_unique<MappingView>();
}

}  // namespace warpscope
