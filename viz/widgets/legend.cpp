#include "viz/widgets/legend.h"

#include <fmt/format.h>

#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

struct Chip {
  float side, gap, height;
  float width(const Fonts& fonts, const char* name) const {
    return side + gap / 2 + textSize(fonts.text, name).x + gap;
  }
};

Chip chipOf(const Theme& theme) {
  return {theme.px(11), theme.px(12), ImGui::GetFrameHeight()};
}

std::string lines(const Region& region) {
  if (region.last_line > region.first_line) return trf("lines {}–{}", region.first_line, region.last_line);
  return trf("line {}", region.first_line);
}

// The number of chips that fit, reserving room for the "+3" if not all do.
size_t chipsThatFit(const Fonts& fonts, std::span<const Region> regions, const Chip& chip, float width) {
  float used = 0;
  const float rest = textSize(fonts.text, "+99").x + chip.gap;
  for (size_t i = 0; i < regions.size(); ++i) {
    used += chip.width(fonts, tr(regions[i].name.c_str()));
    if (used > width - (i + 1 < regions.size() ? rest : 0)) return i;
  }
  return regions.size();
}

}  // namespace

float regionLegendWidth(const Theme& theme, const Fonts& fonts, std::span<const Region> regions) {
  const Chip chip = chipOf(theme);
  float sum = 1;  // rounding
  for (const Region& region : regions) sum += chip.width(fonts, tr(region.name.c_str()));
  return sum;
}

LegendAnswer drawRegionLegend(const Canvas& canvas, const std::string& name, std::span<const Region> regions,
                              float width, std::optional<RegionId> emphasised) {
  const Theme& theme = *canvas.theme;
  const Fonts& fonts = *canvas.fonts;
  LegendAnswer answer;
  const Chip chip = chipOf(theme);
  const size_t shown = chipsThatFit(fonts, regions, chip, width);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float text_height = textSize(fonts.text, "X").y;
  for (size_t i = 0; i < shown; ++i) {
    const Region& region = regions[i];
    if (i > 0) ImGui::SameLine(0, 0);
    const ImVec2 place = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(i));
    const bool clicked =
        ImGui::InvisibleButton("region", {chip.width(fonts, tr(region.name.c_str())), chip.height});
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    canvas.report->widget(fmt::format("{}.{}", name, i), ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    const float middle = place.y + chip.height / 2;
    list.AddRectFilled({place.x, middle - chip.side / 2}, {place.x + chip.side, middle + chip.side / 2},
                       theme.region(i));
    const bool bright = hovered || emphasised == region.id || !emphasised;
    drawText(list, fonts.text, {place.x + chip.side + chip.gap / 2, middle - text_height / 2},
             bright ? theme.text : theme.text_quiet, tr(region.name.c_str()));
    if (clicked) answer.clicked = region.id;
    if (hovered) {
      answer.hovered = region.id;
      Tooltip tooltip(theme, fonts, tr(region.name));
      tooltip.row(tr("source"), lines(region));
      tooltip.note(tr("Click marks this region in all views; click again to unmark it."));
    }
  }
  if (shown < regions.size()) {
    if (shown > 0) ImGui::SameLine(0, 0);
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme.text_quiet), "+%d",
                       static_cast<int>(regions.size() - shown));
    if (ImGui::IsItemHovered()) {
      Tooltip tooltip(theme, fonts, tr("More regions"));
      for (size_t i = shown; i < regions.size(); ++i) {
        tooltip.colourRow(lines(regions[i]).c_str(), theme.region(i), tr(regions[i].name));
      }
    }
  }
  if (regions.empty()) ImGui::Dummy({0, chip.height});
  return answer;
}

}  // namespace warpscope
