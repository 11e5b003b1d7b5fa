// Sectors: the 32 lanes of a warp, the 128-byte lines of global memory below them, and for one access the
// 32-byte sectors that it moves, and how much of each was asked for.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/access/access_shape.h"
#include "kernels/core/units.h"
#include "viz/layout/lane_columns.h"
#include "viz/layout/sectors_layout.h"
#include "viz/text/translate.h"
#include "viz/views/item_offer.h"
#include "viz/views/lane_log_parts.h"
#include "viz/views/step_view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kSectorLane = 16, kSectorHeight = 26, kCacheLine = 8;  // pixels at 100 %

struct SectorPicture {
  LaneColumns columns;
  float lanes_top = 0, lanes_bottom = 0;
  float sectors_top = 0, sectors_bottom = 0;
  float line_bottom = 0;  // of the brackets below the sectors
};

struct Pointed {
  std::optional<int> lane;
  const SectorBox* sector = nullptr;
};

class SectorsView : public StepView {
 public:
  SectorsView() : StepView(StepKind::kGlobal) {}
  const char* name() const override { return "sectors"; }
  const char* title() const override { return trMark("SECTORS"); }
  const char* help() const override {
    return trMark(
        "What an access of a warp requests from global memory, and which sectors are moved for it.");
  }

 protected:
  std::string nothingToShow(const LoggedWarp& warp) const override {
    return trf("{} accesses no global memory.", warpText(warp));
  }
  std::string costText(const StepList& steps, size_t i) const override {
    return steps.cost(i) == 1 ? tr("1 sector") : trf("{} sectors", steps.cost(i));
  }
  void drawStep(const ViewInput& input, const StepList& steps, size_t i) override;

 private:
  Pointed pointedAt(const ViewInput& input, const SectorPicture& picture, const SectorsLayout& layout) const;
  void drawWires(const ViewInput& input, const SectorPicture& picture, const SectorsLayout& layout,
                 const Pointed& pointed) const;
  void drawLanes(const ViewInput& input, const SectorPicture& picture, LaneMask mask,
                 const Pointed& pointed) const;
  void drawSectors(const ViewInput& input, const SectorPicture& picture, const SectorsLayout& layout,
                   const Pointed& pointed) const;
  void drawLines(const ViewInput& input, const SectorPicture& picture, const StepList& steps, size_t i,
                 const SectorsLayout& layout) const;
  void tell(const ViewInput& input, const StepList& steps, size_t i, const Pointed& pointed) const;
};

std::string summaryOf(const sim::GlobalShape& shape) {
  // The share comes first: in a narrow panel the end is cut off.
  std::string text = trf("{} used: {} B asked, {} B moved", formatPercent(shape.efficiency()),
                         formatCount(static_cast<int64_t>(shape.bytes_asked)),
                         formatCount(static_cast<int64_t>(shape.bytes_moved)));
  text += shape.sectors == 1        ? std::string(tr(", 1 sector"))
          : shape.lines.size() == 1 ? trf(", {} sectors in 1 line", shape.sectors)
                                    : trf(", {} sectors in {} lines", shape.sectors, shape.lines.size());
  if (shape.bytes_distinct < shape.bytes_asked) {
    text += trf(", {} different bytes", formatCount(static_cast<int64_t>(shape.bytes_distinct)));
  }
  return text;
}

// The name of an address in the log's memory: "in[32]", or the address itself.
std::string placeText(const StepList& steps, size_t i, uint64_t address) {
  MemoryRequest request = steps.request(i);
  if (request.space != AccessSpace::kGlobal) return trf("byte {}", address);
  request.addresses[0] = address;
  return placeOf(steps.log(), request, 0);
}

SectorPicture layOutSectors(const ViewInput& input) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float line = textSize(input.fonts->mono, "0").y;
  float labels = 0;
  for (const char* label : {tr("sectors"), tr("lane"), trAs("memory", "lines")})
    labels = std::max(labels, textSize(input.fonts->text, label).x + theme.px(8));
  SectorPicture picture;
  picture.columns = {at.x + labels, at.x + room.x};
  picture.lanes_top = at.y + line + theme.px(2);
  picture.lanes_bottom = picture.lanes_top + theme.px(kSectorLane);
  picture.line_bottom = at.y + room.y - line - theme.px(2);
  picture.sectors_bottom = picture.line_bottom - theme.px(kCacheLine);
  picture.sectors_top = picture.sectors_bottom - theme.px(kSectorHeight);
  return picture;
}

Pointed SectorsView::pointedAt(const ViewInput& input, const SectorPicture& picture,
                               const SectorsLayout& layout) const {
  Pointed pointed;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImVec2 min{picture.columns.left, picture.lanes_top}, max{picture.columns.right, picture.line_bottom};
  input.report->widget("sectors.picture", min, max);
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(min, max)) return pointed;
  if (mouse.y < picture.lanes_bottom) pointed.lane = picture.columns.at(mouse.x);
  if (mouse.y < picture.sectors_top) return pointed;
  for (const SectorBox& sector : layout.sectors) {
    if (mouse.x >= sector.left && mouse.x < sector.right) pointed.sector = &sector;
  }
  return pointed;
}

void SectorsView::drawWires(const ViewInput& input, const SectorPicture& picture, const SectorsLayout& layout,
                            const Pointed& pointed) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  const bool any = pointed.lane || pointed.sector != nullptr;
  for (const bool lit : {false, true}) {
    for (const LaneStretch& stretch : layout.stretches) {
      const float middle = (stretch.left + stretch.right) / 2;
      const bool in_sector =
          pointed.sector != nullptr && middle >= pointed.sector->left && middle < pointed.sector->right;
      const bool is_lit = (pointed.lane && *pointed.lane == stretch.lane) || in_sector;
      if (is_lit != lit) continue;
      const ImVec2 from{picture.columns.centre(stretch.lane), picture.lanes_bottom};
      const ImVec2 to{middle, picture.sectors_top};
      const float bend = (to.y - from.y) * 0.45F;
      list.AddBezierCubic(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to,
                          lit ? theme.accent : withAlpha(ink.line, any ? 0.35F : 0.85F),
                          theme.px(lit ? 2.0F : 1.2F));
    }
  }
}

void SectorsView::drawLanes(const ViewInput& input, const SectorPicture& picture, LaneMask mask,
                            const Pointed& pointed) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  const float line = textSize(input.fonts->mono, "0").y;
  const int step = picture.columns.labelStep(textSize(input.fonts->mono, "31").x + theme.px(3));
  drawText(list, input.fonts->text, {ImGui::GetCursorScreenPos().x, picture.lanes_top - line - theme.px(1)},
           theme.text_quiet, tr("lane"));
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const ImVec2 min{picture.columns.edge(lane) + 1, picture.lanes_top};
    const ImVec2 max{picture.columns.edge(lane + 1) - 1, picture.lanes_bottom};
    const bool wanted = (pointed.lane && *pointed.lane == lane) ||
                        (pointed.sector != nullptr && pointed.sector->lanes.has(lane));
    if (mask.has(lane)) {
      list.AddRectFilled(min, max, wanted ? theme.accent : ink.full, theme.px(2));
    } else {
      list.AddRect(min, max, ink.faint, theme.px(2));
    }
    if (lane % step != 0) continue;
    const std::string number = fmt::format("{}", lane);
    drawText(list, input.fonts->mono,
             {picture.columns.centre(lane) - textSize(input.fonts->mono, number.c_str()).x / 2,
              picture.lanes_top - line - theme.px(1)},
             theme.text_quiet, number.c_str());
  }
}

// Hatched: moved. Solid: the part of it that lanes asked for.
void SectorsView::drawSectors(const ViewInput& input, const SectorPicture& picture,
                              const SectorsLayout& layout, const Pointed& pointed) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  drawText(list, input.fonts->text, {ImGui::GetCursorScreenPos().x, picture.sectors_top + theme.px(5)},
           theme.text_quiet, tr("sectors"));
  const float inset = layout.sectors.size() > 64 ? 0.5F : 1.0F;
  for (const SectorBox& sector : layout.sectors) {
    const ImVec2 min{sector.left + inset, picture.sectors_top},
        max{sector.right - inset, picture.sectors_bottom};
    if (!sector.moved) {
      list.AddRect(min, max, ink.faint);
      continue;
    }
    list.AddRectFilled(min, max, ink.faint);
    drawHatch(list, min, max, ink.middle, theme.px(5), theme.px(1.2F));
    list.AddRect(min, max, &sector == pointed.sector ? theme.accent : ink.middle, 0, 0,
                 theme.px(&sector == pointed.sector ? 2.0F : 1.0F));
  }
  for (const LaneStretch& stretch : layout.stretches) {
    const bool lit = pointed.lane && *pointed.lane == stretch.lane;
    const float right =
        std::max(stretch.left + 1, stretch.right - (stretch.right - stretch.left > 4 ? 1.0F : 0));
    list.AddRectFilled({stretch.left, picture.sectors_top + 1}, {right, picture.sectors_bottom - 1},
                       lit ? theme.accent : ink.full);
  }
}

// Draws a bracket below the four sectors of each line, with the line's address if there is room.
void SectorsView::drawLines(const ViewInput& input, const SectorPicture& picture, const StepList& steps,
                            size_t i, const SectorsLayout& layout) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  const float y = picture.sectors_bottom + theme.px(4);
  drawText(list, input.fonts->text, {ImGui::GetCursorScreenPos().x, picture.line_bottom}, theme.text_quiet,
           trAs("memory", "lines"));
  float free_from = picture.columns.left;
  for (const LineBox& line : layout.lines) {
    list.AddLine({line.left + 1, y}, {line.right - 1, y}, ink.middle, theme.px(2));
    const std::string place = placeText(steps, i, line.address);
    const float width = textSize(input.fonts->mono, place.c_str()).x;
    const float room = layout.lines.size() == 1 ? picture.columns.right - line.left : line.right - line.left;
    if (line.left < free_from || (width > room && line.left + width > picture.columns.right)) continue;
    if (width > room && line.follows && &line != &layout.lines.front()) continue;
    drawText(list, input.fonts->mono, {line.left, picture.line_bottom}, theme.text_quiet, place.c_str());
    free_from = line.left + width + theme.px(12);
  }
}

void SectorsView::tell(const ViewInput& input, const StepList& steps, size_t i,
                       const Pointed& pointed) const {
  const MemoryRequest& request = steps.request(i);
  const TraceSelection where = selectWarp(steps.warp().block, steps.warp().warp_in_block);
  if (pointed.lane) {
    const int lane = *pointed.lane;
    Tooltip tooltip(*input.theme, *input.fonts, trf("Lane {}", lane));
    if (!request.mask.has(lane)) {
      tooltip.note(steps.warp().live.has(lane) ? tr("Does not take part in this access.")
                                               : tr("Has no thread."));
      return;
    }
    const uint64_t address = request.addresses[static_cast<size_t>(lane)];
    tooltip.row(tr("thread"), threadText(steps.warp().threads[static_cast<size_t>(lane)]));
    tooltip.row(tr("element"), placeText(steps, i, address));
    tooltip.row(tr("bytes"), fmt::format("{}", request.bytes));
    tooltip.row(tr("address"), fmt::format("{:#x}", address));
    tooltip.note(tr("Address from executing the kernel on the simulated GPU."));
    offerItem(input, tooltip, where);
  } else if (pointed.sector != nullptr) {
    const SectorBox& sector = *pointed.sector;
    Tooltip tooltip(*input.theme, *input.fonts, trf("Sector from {}", placeText(steps, i, sector.address)));
    if (sector.moved) {
      tooltip.row(tr("lanes"), lanesText(sector.lanes));
      tooltip.row(tr("asked for"), trf("{} of {} bytes", sector.bytes_asked, sim::kSectorBytes));
      tooltip.note(tr("Memory moves whole sectors of 32 bytes, four of which are a line of 128."));
    } else {
      tooltip.note(tr("No lane asks for anything in it, so it is not moved, though its line is touched."));
    }
    offerItem(input, tooltip, where);
  }
}

void SectorsView::drawStep(const ViewInput& input, const StepList& steps, size_t i) {
  const MemoryRequest& request = steps.request(i);
  drawSummary(input, summaryOf(sim::globalShape(request)));
  const SectorPicture picture = layOutSectors(input);
  if (picture.columns.width() < 3 || picture.sectors_top <= picture.lanes_bottom) return;
  const SectorsLayout layout =
      layOutSectors(request, picture.columns.left, picture.columns.right, input.theme->px(3));
  const Pointed pointed = pointedAt(input, picture, layout);
  drawWires(input, picture, layout, pointed);
  drawLanes(input, picture, request.mask, pointed);
  drawSectors(input, picture, layout, pointed);
  drawLines(input, picture, steps, i, layout);
  tell(input, steps, i, pointed);
}

}  // namespace

std::unique_ptr<View> makeSectorsView() {
  return std::make_unique<SectorsView>();
}

}  // namespace warpscope
