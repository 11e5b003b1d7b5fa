#include "viz/views/wait_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/legend.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

struct Look {
  Theme::Wait tone;
  std::optional<Hatch> hatch;  // nullopt: plain
};

using Wait = Theme::Wait;
constexpr std::array<Look, kWarpStates> kLooks{{
    {Wait::kPipe, std::nullopt},       // selected
    {Wait::kPipe, Hatch::kLevel},      // not selected
    {Wait::kMemory, Hatch::kRising},   // long scoreboard
    {Wait::kShared, Hatch::kFalling},  // short scoreboard
    {Wait::kPipe, std::nullopt},       // wait
    {Wait::kOthers, Hatch::kCrossed},  // barrier
    {Wait::kOthers, Hatch::kLevel},    // membar
    {Wait::kMath, Hatch::kUpright},    // math pipe throttle
    {Wait::kMemory, Hatch::kUpright},  // LG throttle
    {Wait::kShared, Hatch::kUpright},  // MIO throttle
    {Wait::kFetch, Hatch::kFalling},   // branch resolve
    {Wait::kFetch, Hatch::kLevel},     // no instruction
    {Wait::kPipe, Hatch::kUpright},    // dispatch
    {Wait::kOthers, std::nullopt},     // sleeping
    {Wait::kFetch, Hatch::kRising},    // IMC miss
    {Wait::kMemory, Hatch::kLevel},    // drain
    {Wait::kMemory, Hatch::kCrossed},  // TEX throttle
}};

constexpr float kSpacing = 6, kLeastHatchedWait = 5;  // pixels at 100 %

const Look& lookOf(WarpState state) {
  const auto index = static_cast<size_t>(state);
  return kLooks[index < kLooks.size() ? index : 0];
}

float entryWidth(const Theme& theme, const Fonts& fonts, WarpState state) {
  return theme.px(kSwatchWidth + kSwatchGap) + textSize(fonts.text, trTitle(state)).x;
}

}  // namespace

ImU32 waitTone(const Theme& theme, WarpState state) {
  return mixColours(theme.background, theme.wait(lookOf(state).tone), 0.5F);
}

void drawWait(const Theme& theme, ImDrawList& list, WarpState state, ImVec2 min, ImVec2 max, float fade) {
  const Look& look = lookOf(state);
  const ImU32 hue = mixColours(theme.wait(look.tone), theme.background, fade);
  const bool hatched = look.hatch && max.x - min.x >= theme.px(kLeastHatchedWait);
  list.AddRectFilled(min, max, mixColours(theme.background, hue, hatched ? 0.26F : 0.46F));
  if (!hatched) return;
  // Above 100 % the pattern grows less than the text: its direction identifies it.
  drawHatch(list, *look.hatch, min, max, mixColours(theme.background, hue, 0.85F), theme.px(kSpacing),
            std::max(1.0F, theme.px(1.2F)));
}

void drawWaitSwatch(const Theme& theme, ImDrawList& list, WarpState state, ImVec2 min, ImVec2 max) {
  drawWait(theme, list, state, min, max);
  list.AddRect(min, max, theme.border);
}

float waitLegendWidth(const Theme& theme, const Fonts& fonts, std::span<const WarpState> states) {
  float sum = 0;
  for (const WarpState state : states)
    sum += entryWidth(theme, fonts, state) + (sum > 0 ? theme.px(kEntryGap) : 0);
  return sum;
}

void drawWaitLegend(const Theme& theme, const Fonts& fonts, std::span<const WarpState> states, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = ImGui::GetTextLineHeight() + theme.px(2);
  const float for_rest = textSize(fonts.text, "+99").x;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  float x = from.x;
  size_t shown = 0;
  std::optional<WarpState> hovered;
  for (; shown < states.size(); ++shown) {
    const WarpState state = states[shown];
    const float wide = entryWidth(theme, fonts, state);
    const float reserved = shown + 1 < states.size() ? for_rest + theme.px(kEntryGap) : 0;
    if (x + wide + reserved > from.x + width) break;
    const ImVec2 min{x, from.y + (height - theme.px(kSwatchHeight)) / 2};
    const ImVec2 max{min.x + theme.px(kSwatchWidth), min.y + theme.px(kSwatchHeight)};
    drawWaitSwatch(theme, list, state, min, max);
    drawText(list, fonts.text, {max.x + theme.px(kSwatchGap), from.y + theme.px(1)}, theme.text_quiet,
             trTitle(state));
    if (mouse.x >= x && mouse.x < x + wide) hovered = state;
    x += wide + theme.px(kEntryGap);
  }
  const bool rest_hovered = mouse.x >= x;
  if (shown < states.size()) {
    drawText(list, fonts.text, {x, from.y + theme.px(1)}, theme.text_quiet,
             fmt::format("+{}", states.size() - shown).c_str());
  }
  ImGui::Dummy({std::max(1.0F, width), height});
  if (!ImGui::IsItemHovered()) return;
  if (hovered) {
    Tooltip tooltip(theme, fonts, trf("Waiting: {}", trTitle(*hovered)));
    tooltip.note(trf("For {}.", tr(warpStateHelp(*hovered))));
    tooltip.row("Nsight", fmt::format("stalled_{}", warpStateName(*hovered)));
  } else if (rest_hovered && shown < states.size()) {
    Tooltip tooltip(theme, fonts, tr("More reasons to wait"));
    for (const WarpState state : states.subspan(shown)) tooltip.row(trTitle(state), "");
  }
}

}  // namespace warpscope
