#include "viz/views/timeline_header.h"

#include <algorithm>
#include <initializer_list>

#include "kernels/core/units.h"
#include "kernels/metrics/run_times.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/words.h"
#include "viz/views/instruction_painter.h"
#include "viz/views/view_tooltips.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/legend.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kRowHeightStep = 1.4F;
constexpr float kLeastUnderRegionLegend = 130;  // pixels at 100 %
constexpr double kNearlyAll = 0.98;  // if recorded warps last this long, a note about the rest is unnecessary

void report(const ViewInput& input, const char* name) {
  input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

bool toggle(const Theme& theme, const char* label, bool on) {
  if (on) ImGui::PushStyleColor(ImGuiCol_Button, mixColours(theme.panel, theme.accent, 0.45F));
  const bool clicked = ImGui::Button(label);
  if (on) ImGui::PopStyleColor();
  return clicked;
}

void hint(const ViewInput& input, const char* title, const char* text) {
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(*input.theme, *input.fonts, title);
  tooltip.note(text);
}

void drawRowHeight(const ViewInput& input, ViewState& state, float current) {
  const Theme& theme = *input.theme;
  const char* help = tr(
      "Ctrl + wheel over the rows does the same. Rows of 32 pixels and more show all 32 lanes. Auto fits all "
      "rows.");
  ImGui::SameLine(0, theme.px(12));
  if (ImGui::Button("–##lower")) state.row_height = std::max(kLowestRow, current / kRowHeightStep);
  report(input, "timeline.rows.lower");
  hint(input, tr("Lower rows"), help);
  ImGui::SameLine(0, theme.px(2));
  if (toggle(theme, tr("auto"), state.row_height <= 0)) state.row_height = 0;
  report(input, "timeline.rows.auto");
  hint(input, tr("Row height"), help);
  ImGui::SameLine(0, theme.px(2));
  if (ImGui::Button("+##higher")) state.row_height = std::min(kHighestRow, current * kRowHeightStep);
  report(input, "timeline.rows.higher");
  hint(input, tr("Higher rows"), help);
}

void drawModeToggle(const ViewInput& input, ViewState& state) {
  const Theme& theme = *input.theme;
  const std::string why_not = whyNoInstructions(input.run.get(), input.layout);
  ImGui::SameLine(0, theme.px(12));
  ImGui::BeginDisabled(!why_not.empty());
  if (toggle(theme, tr("instructions"), showsInstructions(input, state)))
    state.instructions = !state.instructions;
  ImGui::EndDisabled();
  report(input, "timeline.instructions");
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  Tooltip tooltip(theme, *input.fonts,
                  state.instructions ? tr("Show regions again (I)") : tr("Show instructions (I)"));
  if (!why_not.empty()) {
    tooltip.note(why_not);
    return;
  }
  tooltip.note(
      tr("Timeline and lanes show every instruction that a warp issued, at its cycle, and before it what the "
         "warp waited for. Modelled; each is named by the PTX instruction that it represents."));
  if (input.run->trace.dropped_instructions > 0) {
    tooltip.note(trf("{} instructions did not fit into the log and are missing at the end.",
                     formatCount(static_cast<int64_t>(input.run->trace.dropped_instructions))));
  }
}

struct ClockNote {
  std::string text, brief, detail;  // brief: for when there is no room for `text`
  bool warning = false;
};

// The header's note about comparing SMs; only SMs with recorded warps count.
ClockNote clockNote(const Run& run, const RowOrder& order) {
  const auto sms = order.sms();
  const ClockAlignment& clocks = run.trace.clocks;
  std::string unaligned;
  uint32_t count = 0;
  for (const uint32_t sm : sms) {
    const auto found = std::lower_bound(clocks.sms.begin(), clocks.sms.end(), SmId{sm},
                                        [](const SmClock& clock, SmId id) { return clock.sm < id; });
    if (found != clocks.sms.end() && found->sm == SmId{sm} && found->uncertainty_ns) continue;
    if (count++ < 8) unaligned += (unaligned.empty() ? "" : ", ") + trSm(run.device.limits, SmId{sm});
  }
  if (sms.size() < 2) {
    return {tr("one SM"), tr("one SM"),
            tr("All rows are from one SM and share its clock: they can be compared exactly, to the clock's "
               "step."),
            false};
  }
  if (count > 0) {
    return {count == 1 ? trf("! {} SM not aligned", count) : trf("! {} SMs not aligned", count),
            tr("! clocks"),
            trf("Nothing ties the clock of {}{} to the others. Their rows are drawn from the launch's start: "
                "compare them with rows of the same SM only.",
                unaligned, count > 8 ? " ..." : ""),
            true};
  }
  if (!clocks.uncertainty_ns)
    return {tr("clocks not aligned"), tr("! clocks"), tr("Compare rows of the same SM only."), true};
  const std::string uncertainty = "±" + formatNs(*clocks.uncertainty_ns, 2);
  return {trf("SMs {}", uncertainty), uncertainty,
          tr("Each SM has its own clock. Rows of different SMs were put on one axis with this uncertainty; "
             "rows of the same SM can be compared exactly."),
          false};
}

// Adds the header's note about completeness.
ClockNote wholeNote(const Run& run, const TraceLayout& layout, const RowOrder& order) {
  ClockNote note = clockNote(run, order);
  const double recorded =
      static_cast<double>(layout.end()) / std::max(1.0, static_cast<double>(run.trace.duration_cycles));
  if (const auto after = timesOf(run).after_last_warp) {
    const std::string time = formatUs(*after, 3);
    note.text = trf("+{} after the last warp   {}", time, note.text);
    note.brief = fmt::format("+{}   {}", time, note.brief);
    note.detail += " " + trf("The launch goes on for {} after its last warp: stores, and atomics without a "
                             "result, are still being carried out, and no warp waits for them.",
                             time);
  } else if (recorded < kNearlyAll) {
    const std::string share = formatPercent(recorded, 2);
    note.text = trf("first {} of the launch   {}", share, note.text);
    note.brief = trf("first {}   {}", share, note.brief);
    note.detail += trf(" The launch took {}; the last recorded warp ended at {}.",
                       trCycles(run.trace.duration_cycles), formatCount(layout.end()));
  }
  const auto& problems = run.trace.problems;
  if (problems.empty()) return note;
  note.text +=
      "   " + (problems.size() == 1 ? trf("! {} note", problems.size()) : trf("! {} notes", problems.size()));
  note.brief += fmt::format("   ! {}", problems.size());
  note.warning =
      note.warning || std::any_of(problems.begin(), problems.end(), [](const TraceProblem& problem) {
        return problem.severity == TraceProblem::Severity::kWarning;
      });
  return note;
}

// Draws the note at the right end of the current line.
void drawNote(const ViewInput& input, const ClockNote& note, const std::string& text, float right) {
  const Theme& theme = *input.theme;
  ImGui::SameLine();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = std::max(1.0F, right - at.x);
  const std::string shown = fittedText(input.fonts->text, text, room);
  const float width = textSize(input.fonts->text, shown.c_str()).x;
  ImGui::SetCursorScreenPos({std::max(at.x, right - width), at.y});
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, note.warning ? theme.warning : theme.text_quiet);
  ImGui::TextUnformatted(shown.c_str());
  ImGui::PopStyleColor();
  report(input, "timeline.clocks");
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(theme, *input.fonts, tr("Clocks and completeness"));
  tooltip.note(note.detail);
  for (const TraceProblem& problem : input.run->trace.problems) tooltip.note(trMessage(problem.cause));
}

}  // namespace

std::optional<RegionId> drawTimelineHeader(const ViewInput& input, ViewState& state, RowMenu& menu,
                                           float current_row_height) {
  const Theme& theme = *input.theme;
  const Run& run = *input.run;
  const float row_end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  // Buttons without room are left out: the wheel and keys do the same.
  const auto fits = [&](std::initializer_list<const char*> labels) {
    float width = theme.px(12);
    for (const char* label : labels)
      width += ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x + theme.px(2);
    return ImGui::GetItemRectMax().x + width <= row_end;
  };
  menu.draw(input, state);
  if (fits({"–", tr("auto"), "+"})) drawRowHeight(input, state, current_row_height);
  if (fits({tr("instructions")})) drawModeToggle(input, state);
  menu.drawChip(input, state);
  ImGui::SameLine(0, theme.px(16));

  const ClockNote note = wholeNote(run, *input.layout, *input.rows);
  const float gap = theme.px(16);
  const float from = ImGui::GetCursorScreenPos().x;
  const float right = from + ImGui::GetContentRegionAvail().x;
  const auto note_width = [&](const std::string& text) {
    return textSize(input.fonts->text, text.c_str()).x + gap;
  };
  // If there is little room: the note without its text, then the legend on a line of its own.
  const float legend_width = regionLegendWidth(theme, *input.fonts, run.regions);
  const bool words = note_width(note.text) + legend_width <= right - from;
  const bool beside = words || note_width(note.brief) + legend_width <= right - from;
  const std::string& text =
      words || (!beside && note_width(note.text) <= right - from) ? note.text : note.brief;
  std::optional<LegendAnswer> legend;
  if (beside)
    legend = drawRegionLegend(input, "timeline.legend", run.regions, legend_width, state.selected_region);
  drawNote(input, note, text, right);
  // In very little height the warps have priority: tooltips name the regions, too.
  if (!legend && ImGui::GetContentRegionAvail().y < theme.px(kLeastUnderRegionLegend)) return std::nullopt;
  if (!legend) {
    legend = drawRegionLegend(input, "timeline.legend", run.regions, ImGui::GetContentRegionAvail().x,
                              state.selected_region);
  }
  if (legend->clicked) {
    state.selected_region = state.selected_region == legend->clicked ? std::nullopt : legend->clicked;
  }
  return legend->hovered;
}

}  // namespace warpscope
