#include "app/gui/pages/run_headline.h"

#include <algorithm>

#include "app/gui/model/side_by_side.h"
#include "app/gui/panels.h"
#include "kernels/core/units.h"
#include "viz/compare/compare_input.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/plot_look.h"

namespace warpscope {
namespace {

constexpr float kMargin = 6;  // pixels at 100 %

// The first reason why `slow` is slower, if it was explained by `fast`; otherwise empty.
std::string reasonOf(const Comparison& comparison, size_t slow, size_t fast) {
  for (const Explanation& explanation : comparison.explanations) {
    if (explanation.run == slow && explanation.than == fast && !explanation.causes.empty())
      return trMessage(explanation.causes.front().text);
  }
  return {};
}

}  // namespace

KeptAndPresent keptAndPresent(const Model& model) {
  const auto& compared = model.compare().comparison().shown();
  const auto& kept = model.compare().kept();
  if (compared == nullptr || kept.runs.empty()) return {};
  KeptAndPresent runs{compared, SIZE_MAX, SIZE_MAX};
  for (size_t i = 0; i < compared->runs.size(); ++i) {
    if (compared->runs[i].id == kept.runs.back().id) runs.kept = i;
    if (compared->runs[i].run == model.feed().shown().run) runs.present = i;
  }
  // Right after a change, the runs before it are still those that were compared.
  if (runs.present == SIZE_MAX) {
    const auto live = std::ranges::find(compared->runs, kLiveRun, &ComparedRun::id);
    if (live != compared->runs.end()) runs.present = static_cast<size_t>(live - compared->runs.begin());
  }
  const bool both = runs.kept != SIZE_MAX && runs.present != SIZE_MAX && runs.kept != runs.present;
  return both ? runs : KeptAndPresent{};
}

std::string headlineText(const KeptAndPresent& runs) {
  const Comparison& comparison = runs.compared->comparison;
  const auto name = [&](size_t run) {
    const std::string shown = shownName(comparison.facts[run].name);
    return run == runs.kept ? trf("{} (kept)", shown) : shown;
  };
  const auto& present = comparison.ranking.runs[runs.present].cost;
  const auto& kept = comparison.ranking.runs[runs.kept].cost;
  if (!present || !kept) return {};
  if (present->modelled != kept->modelled)
    return trf("{} and {}: measured and modelled times are not compared.", name(runs.present),
               name(runs.kept));
  const Verdict verdict = compareCosts(*present, *kept);
  if (verdict == Verdict::kWithinNoise || verdict == Verdict::kTooFewRepeats)
    return trf("{} is as fast as {}, within the noise.", name(runs.present), name(runs.kept));
  const bool slower = verdict == Verdict::kSlower;
  const double ratio = slower ? present->median / kept->median : kept->median / present->median;
  std::string text =
      slower
          ? trf("{} is {}× slower than {}", name(runs.present), formatSignificant(ratio, 3), name(runs.kept))
          : trf("{} is {}× faster than {}", name(runs.present), formatSignificant(ratio, 3), name(runs.kept));
  const std::string reason =
      slower ? reasonOf(comparison, runs.present, runs.kept) : reasonOf(comparison, runs.kept, runs.present);
  if (reason.empty()) return text;
  return slower ? trf("{}: {}", text, reason) : trf("{}, which has {}", text, reason);
}

float drawHeadline(const Ui& ui, const KeptAndPresent& runs, ImVec2 at, float width) {
  const std::string text = runs ? headlineText(runs) : std::string();
  if (text.empty()) return 0;
  const float line = textSize(ui.fonts.title, text.c_str()).y, height = line + 2 * ui.px(kMargin);
  drawTextFitted(*ImGui::GetWindowDrawList(), ui.fonts.title, {at.x + ui.px(8), at.y + ui.px(kMargin)},
                 width - ui.px(16), ui.theme.text, text.c_str());
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("run.headline", {width, height});
  ui.report.widgetOfLastItem("run.headline");
  ui.report.text("run.headline", text);
  helpTooltip(ui, "run.headline", tr("The present run, and the one that was kept last"),
              text + "\n\n" +
                  tr("Its outlines are drawn behind the present run's rows. K keeps another run, C compares "
                     "all of them."));
  copyOnRightClick(ui, text);
  return height;
}

}  // namespace warpscope
