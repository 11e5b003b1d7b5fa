// Draws issued instructions. In a row of the timeline each one is a mark at its cycle, filled by the share of
// its lanes, preceded by what the warp waited for; in the lanes view it is a column of 32 cells. The views
// decide which rows are drawn, where, and how high.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "viz/layout/row_geometry.h"
#include "viz/layout/time_scale.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/timeline_rows.h"
#include "viz/views/view.h"

namespace warpscope {

// Whether the view shows instructions: they are requested, and the run has them.
bool showsInstructions(const ViewInput& input, const ViewState& state);

// The key of the slot (index into InstructionLayout::slots()) of trace warp `index`.
InstructionKey instructionKey(const ViewInput& input, uint32_t index, uint32_t slot);
// Stores in the state what is under the mouse: the instruction and its region.
void hoverInstruction(const ViewInput& input, ViewState& state, uint32_t slot);
// The part of the time axis to zoom to for this slot, including its neighbourhood.
ViewState::Zoom zoomOfSlot(const InstructionSlot& slot);

class InstructionPainter {
 public:
  InstructionPainter(const ViewInput& input, const ViewState& state, const TimeScale& scale,
                     const RegionColours& colours, double fold_cycles);

  // Draws one row of the timeline between top and bottom. Returns false if the warp issued nothing in the
  // visible range.
  bool drawRow(const TraceWarp& warp, uint32_t index, float top, float bottom);
  // Draws one warp as 32 lanes. Returns false as above.
  bool drawLanes(const TraceWarp& warp, uint32_t index, const RowGeometry& lanes);

 private:
  struct Edges {
    float begin, issue, end;  // pixels
  };
  Edges edgesOf(const InstructionItem& item) const;
  bool collect(const TraceWarp& warp, uint32_t index);
  void drawMark(const InstructionItem& item, const TraceWarp& warp, float top, float bottom);
  void drawFold(const InstructionItem& item, float top, float bottom) const;
  void drawWaitBefore(const InstructionItem& item, float top, float bottom) const;
  void drawColumn(const InstructionItem& item, const TraceWarp& warp, const RowGeometry& lanes);
  void drawFoldedColumn(const InstructionItem& item, const TraceWarp& warp, const RowGeometry& lanes) const;
  void drawTexts(const RowGeometry& lanes);
  void drawPtx(const InstructionItem& item, const Edges& x, const RowGeometry& lanes);
  void markSelection(const TraceWarp& warp, uint32_t index, float top, float bottom);
  void markListed(uint32_t listed, ImU32 colour, float top, float thick);
  std::string_view textOf(uint32_t slot) const;

  const ViewInput& input_;
  const Theme& theme_;
  const InstructionLayout& layout_;
  const ViewState& state_;
  const TimeScale& scale_;
  const RegionColours& colours_;
  double fold_cycles_;
  ImDrawList& list_;
  std::vector<InstructionItem> items_;  // reused from row to row
};

}  // namespace warpscope
