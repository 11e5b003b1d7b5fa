#include "viz/views/issue_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/units.h"
#include "viz/text/words.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

constexpr float kColumnGap = 8, kRoomForOne = 290, kRoomForBoth = 360;  // pixels at 100 %

// "9,999", "12.3 k"
std::string compact(int64_t count) {
  return count < 10000 ? formatCount(count) : formatSi(static_cast<double>(count), "", 3);
}

void cell(const ViewInput& input, const std::string& text, float right, float y) {
  drawText(*ImGui::GetWindowDrawList(), input.fonts->mono,
           {right - textSize(input.fonts->mono, text.c_str()).x, y}, input.theme->text, text.c_str());
}

void columnTitle(const ViewInput& input, const char* name, const char* title, float right, float top) {
  const ImVec2 size = textSize(input.fonts->text, title);
  ImGui::SetCursorScreenPos({right - size.x, top});
  ImGui::Dummy(size);
  input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  drawText(*ImGui::GetWindowDrawList(), input.fonts->text, {right - size.x, top}, input.theme->text_quiet,
           title);
}

void tellSampling(const ViewInput& input, const WaitSamples& samples) {
  Tooltip tooltip(*input.theme, *input.fonts, tr("Samples of waiting warps"));
  tooltip.row(tr("samples"), formatCount(static_cast<int64_t>(samples.taken)));
  tooltip.row(tr("lost"), formatCount(static_cast<int64_t>(samples.dropped)));
  tooltip.row(tr("elsewhere"), formatCount(static_cast<int64_t>(samples.elsewhere)));
  tooltip.row(tr("interval"), trf("{} on each SM", trCycles(samples.interval_cycles)));
  tooltip.row(tr("launches"), formatCount(samples.launches));
  tooltip.row("Nsight", "smsp__pcsamp_warps_issue_stalled_*");
  tooltip.note(
      tr("How often the GPU's sampler found a warp waiting before an instruction of this line, measured with "
         "the kernel without probes. Most of a wait is often for the result of an earlier line: a warp waits "
         "for a load where its value is first used."));
}

}  // namespace

IssueColumns issueColumns(const Theme& theme, const Fonts& fonts, float panel_width, bool sampled) {
  const float width =
      std::max(textSize(fonts.mono, "99.9 M").x, textSize(fonts.text, tr("waited")).x) + theme.px(kColumnGap);
  return {width, !sampled && panel_width >= theme.px(kRoomForBoth), panel_width >= theme.px(kRoomForOne),
          sampled};
}

void drawIssueTitles(const ViewInput& input, const IssueColumns& columns, float left, float top) {
  const float right = left + columns.width - input.theme->px(kColumnGap);
  if (columns.issued) {
    columnTitle(input, "code.issued", tr("issued"), right, top);
    if (ImGui::IsItemHovered()) {
      Tooltip tooltip(*input.theme, *input.fonts, tr("Issued instructions"));
      tooltip.row("Nsight", tr("inst_executed (of the source view)"));
      tooltip.note(
          tr("How often the recorded warps issued an instruction of this line: warp-instructions, modelled. "
             "Functions in other files count at the line that called them: the instructions of a probe's "
             "mark count at its log.mark()."));
    }
  }
  if (!columns.waited) return;
  columnTitle(input, "code.waited", tr("waited"), right + columns.left(true), top);
  if (!ImGui::IsItemHovered()) return;
  if (columns.sampled) {
    tellSampling(input, *input.run->wait_samples);
  } else {
    Tooltip tooltip(*input.theme, *input.fonts, tr("Waited cycles"));
    tooltip.note(
        tr("Cycles that the recorded warps waited before they issued these instructions, summed over warps, "
           "modelled. Most of a wait is often for the result of an earlier line: a warp waits for a load "
           "where its value is first used."));
  }
}

void drawIssueCells(const ViewInput& input, const IssueColumns& columns, const CodeRow& row,
                    int64_t most_waited, ImVec2 at, float height) {
  if (row.issued.empty()) return;
  const Theme& theme = *input.theme;
  const float gap = theme.px(kColumnGap), wide = columns.width - gap;
  if (columns.issued) cell(input, compact(static_cast<int64_t>(row.issued.issued)), at.x + wide, at.y);
  if (!columns.waited || row.issued.waits() <= 0) return;
  const float right = at.x + columns.left(true) + wide;
  cell(input, compact(row.issued.waits()), right, at.y);
  const float share =
      static_cast<float>(row.issued.waits()) / static_cast<float>(std::max<int64_t>(1, most_waited));
  ImGui::GetWindowDrawList()->AddRectFilled({right - wide * share, at.y + height - theme.px(3)},
                                            {right, at.y + height - theme.px(1)}, theme.text_quiet);
}

void tellIssued(Tooltip& tooltip, const IssueMetrics& issued) {
  if (issued.issued > 0) {
    tooltip.row(tr("issued"), trf("{} warp-instructions", formatCount(static_cast<int64_t>(issued.issued))));
    tooltip.row(tr("lanes"), trf("{} of 32 active, mean", formatSignificant(issued.meanLanes(), 3)));
    tooltip.row(tr("waited"), trf("{}, summed over warps", trCycles(issued.stall_cycles)));
  } else if (issued.samples > 0) {
    tooltip.row(tr("waited"), trf("in {} of {} samples", formatCount(issued.stalled_samples),
                                  formatCount(static_cast<int64_t>(issued.samples))));
  }
  if (issued.longest() == WarpState::kSelected) return;
  const auto longest = issued.stalled[static_cast<size_t>(issued.longest())];
  tooltip.row(tr("mostly for"),
              fmt::format("{} ({})", trTitle(issued.longest()),
                          formatPercent(static_cast<double>(longest) / static_cast<double>(issued.waits()))));
}

}  // namespace warpscope
