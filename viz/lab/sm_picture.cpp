#include <algorithm>
#include <cmath>

#include "viz/lab/lab_panels.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

using State = WarpSlot::State;

struct Cell {
  ImVec2 min, max;
};

// Warp slot w belongs to sub-partition w mod 4 (Jia et al., arXiv 1804.06826, section 2.1): rows are the
// sub-partitions, and a block occupies neighbouring columns.
Cell cellOf(size_t slot, uint32_t rows, size_t columns, ImVec2 at, ImVec2 size, float gap) {
  const float width = size.x / static_cast<float>(columns), height = size.y / static_cast<float>(rows);
  const size_t column = slot / rows;
  const ImVec2 min(at.x + width * static_cast<float>(column),
                   at.y + height * static_cast<float>(slot % rows));
  return {min, {min.x + std::max(width - gap, 1.0F), min.y + std::max(height - gap, 1.0F)}};
}

void dashedRect(ImDrawList& list, const Cell& cell, ImU32 colour, float dash, float thickness) {
  for (float x = cell.min.x; x < cell.max.x; x += 2 * dash) {
    const float end = std::min(x + dash, cell.max.x);
    list.AddLine({x, cell.min.y}, {end, cell.min.y}, colour, thickness);
    list.AddLine({x, cell.max.y}, {end, cell.max.y}, colour, thickness);
  }
  for (float y = cell.min.y; y < cell.max.y; y += 2 * dash) {
    const float end = std::min(y + dash, cell.max.y);
    list.AddLine({cell.min.x, y}, {cell.min.x, end}, colour, thickness);
    list.AddLine({cell.max.x, y}, {cell.max.x, end}, colour, thickness);
  }
}

// The height is the share of lanes that exist, or that execute; the rest of the warp is hatched.
void drawWarp(const LabInput& input, const WarpSlot& slot, const Cell& cell) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = blockColour(theme, slot.ordinal);
  const float height = cell.max.y - cell.min.y;
  const float top = cell.max.y - height * static_cast<float>(slot.lanes) / static_cast<float>(kWarpSize);
  list.AddRectFilled(cell.min, cell.max, withAlpha(colour, 0.14F));
  if (slot.lanes < static_cast<uint32_t>(kWarpSize)) {
    drawHatch(list, cell.min, {cell.max.x, top}, withAlpha(colour, 0.55F), theme.px(4), theme.px(1));
  }
  if (slot.lanes > 0) list.AddRectFilled({cell.min.x, top}, cell.max, colour);
  list.AddRect(cell.min, cell.max, withAlpha(colour, 0.9F));
  const std::string number = std::to_string(slot.block);
  const ImVec2 text = textSize(input.fonts->mono, number.c_str());
  if (text.x + theme.px(2) > cell.max.x - cell.min.x || text.y > height) return;
  const ImVec2 at((cell.min.x + cell.max.x - text.x) / 2, (cell.min.y + cell.max.y - text.y) / 2);
  const bool on_colour = at.y + text.y / 2 > top;
  drawText(list, input.fonts->mono, at, on_colour ? onBlockColour(theme, slot.ordinal) : theme.text,
           number.c_str());
}

void slotTooltip(const LabInput& input, const SmPicture& picture, size_t index) {
  const WarpSlot& slot = (*picture.slots)[index];
  Tooltip tooltip(*input.theme, *input.fonts, trf("Warp slot {}", index), 110);
  tooltip.row(tr("sub-partition"), std::to_string(index % picture.sub_partitions));
  if (slot.state == State::kFree) {
    tooltip.note(picture.recorded ? tr("No recorded warp was here.") : tr("Free: no block needs it."));
    return;
  }
  if (slot.state == State::kMissing) {
    tooltip.note(trf("Warp {} of one more block would be here; it does not fit.", slot.warp_in_block));
    return;
  }
  tooltip.colourRow(tr("block"), blockColour(*input.theme, slot.ordinal),
                    picture.recorded ? std::to_string(slot.block) : trf("number {} on this SM", slot.block));
  tooltip.row(tr("warp"), std::to_string(slot.warp_in_block));
  if (slot.state == State::kHeld) {
    tooltip.row(tr("lanes that exist"), std::to_string(slot.lanes));
    if (slot.lanes < static_cast<uint32_t>(kWarpSize)) {
      tooltip.note(tr(
          "The block is not a multiple of 32 threads: the other lanes never run, but still take registers."));
    }
    return;
  }
  tooltip.row(tr("lanes executing"), trf("{} of {}", slot.lanes, slot.existing_lanes));
  if (slot.state == State::kLeft) {
    tooltip.note(tr("All its lanes have exited, but the slot is held until the whole block is done."));
  }
}

}  // namespace

void drawSmPicture(const LabInput& input, const SmPicture& picture, ImVec2 size) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  input.report->widget(picture.name, at, {at.x + size.x, at.y + size.y});
  const bool hovered = ImGui::IsItemHovered();
  const float line = ImGui::GetTextLineHeight();
  drawTextFitted(list, input.fonts->text, at, size.x, theme.text, picture.title.c_str());
  drawTextFitted(list, input.fonts->text, {at.x, at.y + line}, size.x, theme.text_quiet,
                 picture.subtitle.c_str());
  if (picture.slots->empty()) return;
  const float label = textSize(input.fonts->mono, "0").x + theme.px(6);
  const ImVec2 from(at.x + label, at.y + line * 2 + theme.px(4));
  const ImVec2 room(size.x - label, at.y + size.y - from.y);
  const size_t columns = (picture.slots->size() + picture.sub_partitions - 1) / picture.sub_partitions;
  for (uint32_t row = 0; row < picture.sub_partitions; ++row) {
    const Cell cell = cellOf(row, picture.sub_partitions, columns, from, room, theme.px(2));
    const std::string number = std::to_string(row);
    drawText(list, input.fonts->mono, {at.x, (cell.min.y + cell.max.y - line) / 2}, theme.text_quiet,
             number.c_str());
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (size_t i = 0; i < picture.slots->size(); ++i) {
    const WarpSlot& slot = (*picture.slots)[i];
    const Cell cell = cellOf(i, picture.sub_partitions, columns, from, room, theme.px(2));
    if (slot.state == State::kFree || slot.state == State::kMissing) {
      list.AddRectFilled(cell.min, cell.max, mixColours(theme.background, theme.text, 0.07F));
    } else {
      drawWarp(input, slot, cell);
    }
    if (slot.state == State::kMissing) dashedRect(list, cell, theme.text_quiet, theme.px(3), theme.px(1));
    if (picture.modelled) dashedRect(list, cell, withAlpha(theme.text, 0.5F), theme.px(3), theme.px(1));
    if (hovered && mouse.x >= cell.min.x && mouse.x < cell.max.x && mouse.y >= cell.min.y &&
        mouse.y < cell.max.y) {
      list.AddRect(cell.min, cell.max, theme.text, 0, 0, theme.px(1.5F));
      slotTooltip(input, picture, i);
    }
  }
}

}  // namespace warpscope
