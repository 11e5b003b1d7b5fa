#include "viz/views/instruction_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/layout/lane_runs.h"
#include "viz/text/words.h"
#include "viz/views/wait_look.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

constexpr float kFadedWait = 0.45F;        // while a newer run has not arrived yet
constexpr float kWaitBand = 0.55F;         // of a row's height, from the bottom
constexpr float kThinnestMark = 1.5F;      // pixels
constexpr float kShortestText = 4;         // characters
constexpr float kTextMargin = 4;           // at 100 %
constexpr float kLeastIssuedShare = 0.3F;  // so that a folded column shows its region

constexpr double kLeastZoomMargin = 12;  // cycles

void textOnPatch(const Theme& theme, ImDrawList& list, ImFont* font, ImVec2 at, ImU32 ink,
                 const std::string& text) {
  const ImVec2 size = textSize(font, text.c_str());
  list.AddRectFilled({at.x - 2, at.y}, {at.x + size.x + 2, at.y + size.y}, withAlpha(theme.background, 0.8F));
  drawText(list, font, at, ink, text.c_str());
}

// "long scoreboard 412 cycles", or a shorter form if there is less room.
std::string waitText(ImFont* font, const InstructionItem& item, float width) {
  const std::string title = trTitle(item.waited_for);
  for (const std::string& text : {title + " " + trCycles(item.waited_cycles), title}) {
    if (textSize(font, text.c_str()).x <= width) return text;
  }
  return {};
}

}  // namespace

bool showsInstructions(const ViewInput& input, const ViewState& state) {
  return state.instructions && input.run != nullptr && input.layout != nullptr &&
         !input.layout->instructions().empty();
}

InstructionKey instructionKey(const ViewInput& input, uint32_t index, uint32_t slot) {
  const TraceWarp& warp = input.run->trace.warps[index];
  const InstructionLayout& layout = input.layout->instructions();
  return {{warp.block, warp.warp_in_block}, slot - layout.firstSlot(index), layout.slots()[slot].listed};
}

void hoverInstruction(const ViewInput& input, ViewState& state, uint32_t slot) {
  const InstructionSlot& hovered = input.layout->instructions().slots()[slot];
  state.hovered_listed = hovered.listed;
  state.hovered_region.reset();
  if (hovered.region < input.run->regions.size())
    state.hovered_region = input.run->regions[hovered.region].id;
}

ViewState::Zoom zoomOfSlot(const InstructionSlot& slot) {
  const double margin = std::max(kLeastZoomMargin, static_cast<double>(slot.end - slot.begin) * 0.15);
  return {.fitted = false,
          .begin_cycles = static_cast<double>(slot.begin) - margin,
          .end_cycles = static_cast<double>(slot.end) + margin};
}

InstructionPainter::InstructionPainter(const ViewInput& input, const ViewState& state, const TimeScale& scale,
                                       const RegionColours& colours, double fold_cycles)
    : input_(input),
      theme_(*input.theme),
      layout_(input.layout->instructions()),
      state_(state),
      scale_(scale),
      colours_(colours),
      fold_cycles_(fold_cycles),
      list_(*ImGui::GetWindowDrawList()) {}

InstructionPainter::Edges InstructionPainter::edgesOf(const InstructionItem& item) const {
  const float begin = scale_.x(static_cast<double>(item.begin));
  const float issue = scale_.x(static_cast<double>(item.end - 1));
  return {begin, issue, std::max(scale_.x(static_cast<double>(item.end)), issue + kThinnestMark)};
}

std::string_view InstructionPainter::textOf(uint32_t slot) const {
  const uint32_t listed = layout_.slots()[slot].listed;
  return listed < input_.run->listing->size() ? std::string_view((*input_.run->listing)[listed].text) : "?";
}

// Collects the visible part of the warp. A warp also issues slightly before its begin and after its end.
bool InstructionPainter::collect(const TraceWarp& warp, uint32_t index) {
  items_.clear();
  layout_.collect(index, scale_.begin_cycles, scale_.end_cycles, fold_cycles_, items_);
  return !items_.empty() || (static_cast<double>(warp.begin_cycles) <= scale_.end_cycles &&
                             static_cast<double>(warp.end_cycles) >= scale_.begin_cycles);
}

bool InstructionPainter::drawRow(const TraceWarp& warp, uint32_t index, float top, float bottom) {
  if (!collect(warp, index)) return false;
  const float x0 = scale_.x(static_cast<double>(warp.begin_cycles));
  const float x1 = scale_.x(static_cast<double>(warp.end_cycles));
  list_.AddRectFilled({x0, top}, {std::max(x1, x0 + 1), bottom}, theme_.grid_line);
  for (const InstructionItem& item : items_) {
    if (item.folded()) {
      drawFold(item, top, bottom);
    } else {
      drawWaitBefore(item, bottom - (bottom - top) * kWaitBand, bottom);
    }
  }
  for (const InstructionItem& item : items_) {
    if (!item.folded()) drawMark(item, warp, top, bottom);
  }
  if (bottom - top >= theme_.px(8)) {
    list_.AddRectFilled({x0 - 1, top}, {x0, bottom}, theme_.text_quiet);
    list_.AddRectFilled({x1, top}, {x1 + 1, bottom}, theme_.text_quiet);
  }
  markSelection(warp, index, top, bottom);
  return true;
}

// As high as its share of lanes, or as 32 stripes if there is room.
void InstructionPainter::drawMark(const InstructionItem& item, const TraceWarp& warp, float top,
                                  float bottom) {
  const Edges x = edgesOf(item);
  const float height = bottom - top;
  const ImU32 active = colours_.active(item.region), idle = colours_.idle(item.region);
  const float per_lane = height / float{kWarpSize};
  if (height >= theme_.px(kStripesFromHeight)) {
    const auto stripes = [&](LaneMask mask, ImU32 colour) {
      forEachLaneRun(mask, [&](int first, int count) {
        list_.AddRectFilled({x.issue, top + per_lane * static_cast<float>(first)},
                            {x.end, top + per_lane * static_cast<float>(first + count)}, colour);
      });
    };
    stripes(warp.live & ~item.mask, idle);
    stripes(item.mask, active);
  } else {
    const float live_top = bottom - per_lane * static_cast<float>(warp.live.count());
    const float active_top =
        std::min(bottom - per_lane * static_cast<float>(item.mask.count()), bottom - std::min(height, 1.0F));
    list_.AddRectFilled({x.issue, live_top}, {x.end, active_top}, idle);
    list_.AddRectFilled({x.issue, active_top}, {x.end, bottom}, active);
  }
  // Its text is beside it, in the remaining part of the row.
  const ImVec2 glyph = textSize(input_.fonts->mono, "0");
  const float margin = theme_.px(kTextMargin), over = height * (1 - kWaitBand);
  if (over < glyph.y || x.issue - x.begin < glyph.x * kShortestText) return;
  const std::string text{textOf(item.first)};
  const float wide = textSize(input_.fonts->mono, text.c_str()).x;
  if (x.issue - x.begin < wide + 2 * margin || x.issue - wide - margin <= scale_.left) return;
  drawText(list_, input_.fonts->mono, {x.issue - wide - margin, top + (over - glyph.y) / 2}, theme_.text,
           text.c_str());
}

void InstructionPainter::drawWaitBefore(const InstructionItem& item, float top, float bottom) const {
  const Edges x = edgesOf(item);
  if (item.waited_cycles <= 0 || x.issue - x.begin < 0.5F) return;
  drawWait(theme_, list_, item.waited_for, {x.begin, top}, {x.issue, bottom},
           input_.refreshing ? kFadedWait : 0);
  const ImVec2 line = textSize(input_.fonts->text, "X");
  if (bottom - top < line.y || x.issue - x.begin < line.x * 6) return;
  const float margin = theme_.px(kTextMargin);
  const float left = std::max(x.begin, scale_.left) + margin;
  const std::string text =
      waitText(input_.fonts->text, item, std::min(x.issue, scale_.right) - left - margin);
  if (text.empty()) return;
  textOnPatch(theme_, list_, input_.fonts->text, {left, top + (bottom - top - line.y) / 2}, theme_.text,
              text);
}

// A column of the region's colour, as high as the share of cycles in which it issued, above what it waited
// for in the rest of the time; the more lanes executed, the stronger the colour.
void InstructionPainter::drawFold(const InstructionItem& item, float top, float bottom) const {
  const float x0 = scale_.x(static_cast<double>(item.begin));
  const float x1 = std::max(scale_.x(static_cast<double>(item.end)), x0 + 1);
  const float height = bottom - top;
  if (item.waited_for != WarpState::kSelected) {
    ImU32 tone = waitTone(theme_, item.waited_for);
    if (input_.refreshing) tone = mixColours(tone, theme_.background, kFadedWait);
    list_.AddRectFilled({x0, bottom - height * kWaitBand}, {x1, bottom}, tone);
  }
  const float issued = std::max(height * static_cast<float>(item.issuedShare()), std::min(height, 2.0F));
  const auto lanes = static_cast<float>(item.meanLanes() / kWarpSize);
  list_.AddRectFilled({x0, bottom - issued}, {x1, bottom},
                      mixColours(colours_.idle(item.region), colours_.active(item.region), lanes));
}

bool InstructionPainter::drawLanes(const TraceWarp& warp, uint32_t index, const RowGeometry& lanes) {
  if (!collect(warp, index)) return false;
  const float x0 = scale_.x(static_cast<double>(warp.begin_cycles));
  const float x1 = scale_.x(static_cast<double>(warp.end_cycles));
  forEachLaneRun(warp.live, [&](int first, int count) {
    list_.AddRectFilled({x0, lanes.rowTop(first)}, {x1, lanes.rowTop(first + count)}, theme_.grid_line);
  });
  for (const InstructionItem& item : items_) {
    if (item.folded()) {
      drawFoldedColumn(item, warp, lanes);
    } else {
      const Edges x = edgesOf(item);
      if (item.waited_cycles > 0 && x.issue - x.begin >= 0.5F) {
        drawWait(theme_, list_, item.waited_for, {x.begin, lanes.top}, {x.issue, lanes.bottom},
                 input_.refreshing ? kFadedWait : 0);
      }
    }
  }
  for (const InstructionItem& item : items_) {
    if (!item.folded()) drawColumn(item, warp, lanes);
  }
  if (lanes.row_height >= 4) {
    for (int lane = 1; lane < kWarpSize; ++lane) {
      const float y = std::round(lanes.rowTop(lane));
      list_.AddRectFilled({scale_.left, y - 1}, {scale_.right, y}, withAlpha(theme_.background, 0.55F));
    }
  }
  list_.AddRectFilled({x0 - 1, lanes.top}, {x0, lanes.bottom}, theme_.text_quiet);
  list_.AddRectFilled({x1, lanes.top}, {x1 + 1, lanes.bottom}, theme_.text_quiet);
  drawTexts(lanes);
  markSelection(warp, index, lanes.top, lanes.bottom);
  return true;
}

void InstructionPainter::drawColumn(const InstructionItem& item, const TraceWarp& warp,
                                    const RowGeometry& lanes) {
  const Edges x = edgesOf(item);
  const auto cells = [&](LaneMask mask, ImU32 colour) {
    forEachLaneRun(mask, [&](int first, int count) {
      list_.AddRectFilled({x.issue, lanes.rowTop(first)}, {x.end, lanes.rowTop(first + count)}, colour);
    });
  };
  cells(warp.live & ~item.mask, colours_.idle(item.region));
  cells(item.mask, colours_.active(item.region));
}

// Shows which lanes executed any of its instructions; the more often the warp issued, and the more of these
// lanes executed, the stronger the colour.
void InstructionPainter::drawFoldedColumn(const InstructionItem& item, const TraceWarp& warp,
                                          const RowGeometry& lanes) const {
  const float x0 = scale_.x(static_cast<double>(item.begin));
  const float x1 = std::max(scale_.x(static_cast<double>(item.end)), x0 + 1);
  const ImU32 rest = item.waited_for == WarpState::kSelected ? colours_.idle(item.region)
                                                             : waitTone(theme_, item.waited_for);
  const auto issued = static_cast<float>(item.issuedShare());
  const auto often = static_cast<float>(item.meanLanes() /
                                        std::max(1, item.mask.count()));  // relative to the lanes in the mask
  const float strength = kLeastIssuedShare + (1 - kLeastIssuedShare) * issued * often;
  const auto cells = [&](LaneMask mask, ImU32 colour) {
    forEachLaneRun(mask, [&](int first, int count) {
      list_.AddRectFilled({x0, lanes.rowTop(first)}, {x1, lanes.rowTop(first + count)}, colour);
    });
  };
  cells(warp.live & ~item.mask, rest);
  cells(item.mask, mixColours(rest, colours_.active(item.region), strength));
}

void InstructionPainter::drawTexts(const RowGeometry& lanes) {
  const float line = textSize(input_.fonts->mono, "0").y;
  if (lanes.bottom - lanes.top < line * 5) return;
  for (const InstructionItem& item : items_) {
    if (item.folded()) continue;
    const Edges x = edgesOf(item);
    drawPtx(item, x, lanes);
    const float margin = theme_.px(kTextMargin), left = std::max(x.begin, scale_.left) + margin;
    const float room = std::min(x.issue, scale_.right) - margin - left;
    if (item.waited_cycles <= 0 || room < line) continue;
    const std::string wait = waitText(input_.fonts->text, item, room);
    if (wait.empty()) continue;
    textOnPatch(theme_, list_, input_.fonts->text, {left, lanes.top + margin}, theme_.text, wait);
  }
}

// Across the wait before the column, or upright before the column, or upright on it, wherever there is room.
void InstructionPainter::drawPtx(const InstructionItem& item, const Edges& x, const RowGeometry& lanes) {
  ImFont* mono = input_.fonts->mono;
  const float line = textSize(mono, "0").y, margin = theme_.px(kTextMargin);
  const float left = std::max(x.begin, scale_.left), right = std::min(x.issue, scale_.right);
  const float bottom = lanes.bottom - margin;
  const bool before = x.issue - line - 2 >= left && x.issue <= scale_.right;
  const bool on = x.end - x.issue >= 2 * line && x.issue >= scale_.left && x.end <= scale_.right;
  if (!before && !on && right - left < line) return;
  const std::string text{textOf(item.first)};
  const float wide = textSize(mono, text.c_str()).x;
  if (right - left >= wide + 2 * margin) {
    textOnPatch(theme_, list_, mono, {right - wide - margin, bottom - line}, theme_.text, text);
    return;
  }
  if (!before && !on) return;
  const std::string shown = fittedText(mono, text, bottom - lanes.top - margin);
  const float at = before ? x.issue - line - 1 : x.issue;
  list_.AddRectFilled({at, bottom - textSize(mono, shown.c_str()).x - 2}, {at + line, bottom + 2},
                      withAlpha(theme_.background, 0.8F));
  drawTextUpright(list_, mono, {at, bottom}, theme_.text, shown.c_str());
}

void InstructionPainter::markListed(uint32_t listed, ImU32 colour, float top, float thick) {
  for (const InstructionItem& item : items_) {
    if (item.folded() || layout_.slots()[item.first].listed != listed) continue;
    const Edges x = edgesOf(item);
    list_.AddRectFilled({x.issue, top}, {x.end, top + thick}, colour);
  }
}

// The selected instruction is framed together with its wait; a bar marks every other issue of the same one.
void InstructionPainter::markSelection(const TraceWarp& warp, uint32_t index, float top, float bottom) {
  const float thick = std::max(2.0F, theme_.px(2));
  // Only what is hovered in the code is marked; when hovering here, every movement would mark others.
  if (!state_.hovered_warp && state_.hovered_listed)
    markListed(*state_.hovered_listed, theme_.text, top, thick);
  if (!state_.selected_instruction) return;
  const InstructionKey& key = *state_.selected_instruction;
  markListed(key.listed, theme_.accent, top, thick);
  for (const InstructionItem& item : items_) {
    if (item.folded() || layout_.slots()[item.first].listed != key.listed) continue;
    const Edges x = edgesOf(item);
    const bool exact = key.warp == WarpKey{warp.block, warp.warp_in_block} &&
                       item.first == layout_.firstSlot(index) + key.ordinal;
    if (exact) list_.AddRect({x.begin, top}, {x.end, bottom}, theme_.accent, 0, 0, theme_.px(1.5F));
  }
}

}  // namespace warpscope
