#include <algorithm>

#include "kernels/core/units.h"
#include "viz/lab/lab_panels.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr size_t kMostBudgetRows = 5;

// "6,144 short of one more", "room for one more", "left in pieces"
std::string verdict(const ResourceBudget& budget) {
  if (budget.fragmented) return tr("left in pieces");
  if (budget.missing == 0) return tr("room for one more");
  return trf("{} short of one more", formatAmount(budget.resource, budget.missing));
}

void budgetTooltip(const LabInput& input, const LabSide& side, const ResourceBudget& budget) {
  const auto amount = [&](uint64_t value) { return formatAmount(budget.resource, value); };
  Tooltip tooltip(*input.theme, *input.fonts, trf("By {}", limiterLabel(budget.resource)), 120);
  tooltip.row(tr("an SM has"), amount(budget.capacity));
  tooltip.row(tr("a block requests"), amount(budget.asked));
  tooltip.row(tr("and is allocated"), amount(budget.per_block));
  tooltip.row(tr("used"), amount(budget.used));
  tooltip.row(tr("left"), amount(budget.left));
  tooltip.row(tr("would allow"), trBlocksPerSm(budget.blocks));
  if (budget.fragmented) {
    tooltip.note(
        tr("Enough is left in total, but no single part of the SM has room for one more of its warps."));
  } else if (budget.missing > 0) {
    tooltip.note(trf("One more block would need {} more than is left.", amount(budget.missing)));
  }
  if (budget.resource == side.answer.occupancy.limiter) tooltip.note(tr("This is the limit."));
}

void drawBar(const LabInput& input, const LabSide& side, const ResourceBudget& budget, ImVec2 min,
             ImVec2 max) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  // Leave room after the end for what one more block would need.
  const uint64_t blocks = side.answer.occupancy.blocks_per_sm;
  const double whole = static_cast<double>(
      std::max(budget.capacity, std::min(budget.used + budget.per_block, budget.capacity * 2)));
  const auto across = [&](uint64_t amount) {
    return min.x + (max.x - min.x) * static_cast<float>(std::min(1.0, static_cast<double>(amount) / whole));
  };
  const float end = across(budget.capacity);
  list.AddRectFilled(min, {end, max.y}, mixColours(theme.panel, theme.text, 0.10F));
  for (uint64_t block = 0; block < blocks; ++block) {
    const float left = across(block * budget.per_block), right = across((block + 1) * budget.per_block);
    const float gap = right - left > theme.px(5) ? theme.px(1) : 0;
    list.AddRectFilled({left, min.y}, {std::max(left + 1, right - gap), max.y},
                       blockColour(theme, static_cast<uint32_t>(block)));
  }
  if (budget.missing > 0 || budget.fragmented) {
    const float left = across(budget.used), right = across(budget.used + budget.per_block);
    drawHatch(list, {left, min.y}, {right, max.y}, withAlpha(theme.text, 0.55F), theme.px(5), theme.px(1));
    list.AddRect({left, min.y}, {right, max.y}, withAlpha(theme.text, 0.55F));
  }
  list.AddLine({end, min.y - theme.px(3)}, {end, max.y + theme.px(3)}, theme.text, theme.px(1.5F));
}

}  // namespace

void drawBudgetBars(const LabInput& input, const LabSide& side, const char* name, ImVec2 size) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  const std::string report = std::string("lab.budgets.") + name;
  input.report->widget(report, at, {at.x + size.x, at.y + size.y});
  const bool hovered = ImGui::IsItemHovered();
  if (side.answer.impossible) {
    drawMessage(theme, *input.fonts, at, {at.x + size.x, at.y + size.y},
                std::string(tr("Such a block cannot run on this device.")) + " " +
                    trMessage(*side.answer.impossible));
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const float row =
      std::min(size.y / static_cast<float>(std::max(side.answer.budgets.size(), size_t{4})), theme.px(52));
  static_assert(kMostBudgetRows == 5);
  float top = at.y;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const ResourceBudget& budget : side.answer.budgets) {
    const bool limits = budget.resource == side.answer.occupancy.limiter;
    const ImU32 ink = limits ? theme.text : theme.text_quiet;
    const std::string label = (limits ? "▸ " : "") + limiterLabel(budget.resource) + "  " +
                              trf("{} of {}", formatAmount(budget.resource, budget.used),
                                  formatAmount(budget.resource, budget.capacity));
    const std::string right = verdict(budget);
    const float right_width = textSize(input.fonts->text, right.c_str()).x;
    const float left_room = size.x - right_width - theme.px(8);
    drawTextFitted(list, input.fonts->text, {at.x, top}, std::max(left_room, size.x * 0.45F), ink,
                   label.c_str());
    if (left_room > size.x * 0.45F) {
      drawText(list, input.fonts->text, {at.x + size.x - right_width, top}, ink, right.c_str());
    }
    const ImVec2 min(at.x, top + line + theme.px(3));
    const ImVec2 max(at.x + size.x, std::max(min.y + theme.px(3), top + row - theme.px(7)));
    drawBar(input, side, budget, min, max);
    input.report->widget(report + "." + limiterName(budget.resource), {at.x, top}, {max.x, max.y});
    if (hovered && mouse.y >= top && mouse.y < top + row) budgetTooltip(input, side, budget);
    top += row;
  }
}

}  // namespace warpscope
