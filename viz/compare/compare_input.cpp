#include "viz/compare/compare_input.h"

#include <algorithm>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

// Sentences of the engine about runs, for the catalogue: trMessage shows them.
[[maybe_unused]] constexpr const char* kSaid[]{
    trMark("its result is wrong"), trMark("it was not timed"), trMark("no warp was recorded"),
    trMark("the clock rate of its SMs is not known: compare in cycles")};

}  // namespace

std::string shownName(const RunName& name) {
  return tr(name.title) + name.rest;
}

std::string shownExplanation(const Comparison& comparison, const Explanation& explanation) {
  std::string causes;
  for (const Cause& cause : explanation.causes)
    causes += (causes.empty() ? "" : tr("; ")) + trMessage(cause.text);
  if (causes.empty()) causes = tr("no recorded counter explains the difference");
  return trf("{} is {}× slower than {}: {}", shownName(comparison.facts[explanation.run].name),
             formatSignificant(explanation.slower, 3), shownName(comparison.facts[explanation.than].name),
             causes);
}

std::vector<std::vector<size_t>> matchedRegionColours(const Comparison& comparison) {
  std::vector<std::vector<size_t>> colours;
  for (const auto& run : comparison.runs) {
    std::vector<size_t>& own = colours.emplace_back();
    for (const Region& region : run->regions) {
      const auto found = std::ranges::find(comparison.regions, region.name, &RegionComparison::name);
      own.push_back(static_cast<size_t>(found - comparison.regions.begin()));
    }
  }
  return colours;
}

float drawRunName(const CompareInput& input, size_t run, ImVec2 at, float width) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string name = fittedText(input.fonts->text, input.label(run), width - theme.px(16));
  const ImVec2 size = textSize(input.fonts->text, name.c_str());
  drawMark(theme, list, {at.x + theme.px(6), at.y + size.y / 2}, input.look(run), 4.5F);
  drawText(list, input.fonts->text, {at.x + theme.px(16), at.y}, theme.text, name.c_str());
  return theme.px(16) + size.x;
}

}  // namespace warpscope
