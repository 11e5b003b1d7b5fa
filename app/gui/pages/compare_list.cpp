#include "app/gui/actions.h"
#include "app/gui/fold_row.h"
#include "app/gui/pages/compare_parts.h"
#include "app/gui/panels.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/export/selection_report.h"
#include "viz/compare/compare_input.h"
#include "viz/views/run_times_text.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/plot_look.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

// Shows what the name in the list leaves out: "block 256, size 65,536, H100".
void runTooltip(const Ui& ui, const ComparedRun& compared, const RunFacts& fact) {
  const Run& run = *compared.run;
  Tooltip tooltip(ui.theme, ui.fonts, shownName(fact.name));
  tooltip.row(tr("variant"),
              fmt::format("{} ({}/{})", tr(fact.name.title), run.request.family, run.request.variant));
  for (const auto& [name, value] : run.request.parameters) {
    const auto label = run.parameter_labels.find(name);
    tooltip.row(name.c_str(), label == run.parameter_labels.end() ? formatCount(value) : label->second);
  }
  if (const std::string times = timesRelation(run); !times.empty()) tooltip.note(times);
  tooltip.row(trAs("hardware", "device"), run.device.name);
  tooltip.row(trAs("provenance", "numbers"), provenanceLabel(run.device));
  if (!run.created.empty()) tooltip.row(tr("created"), run.created);
  if (compared.id == kLiveRun) tooltip.note(tr("The current run: it follows every change of a setting."));
  if (compared.id == kNextRun) {
    tooltip.note(
        trf("The family's next variant, until you keep a run with {}, or with Ctrl and a click on a variant.",
            keysOrName(ui, "compare.keep")));
  }
  tooltip.note(tr("Click compares this run with the baseline."));
}

std::string timeText(const RunFacts& fact, const TimeColumn& launches) {
  if (!fact.timing) return tr("not timed");
  const Timing& timing = *fact.timing;
  return trf("launch {}", timing.repeats == 1
                              ? launches.text(timing.median_us)
                              : launches.withSpread(timing.median_us, timing.min_us, timing.max_us));
}

bool rowButton(const Ui& ui, const std::string& name, const char* label, ImVec2 at, const std::string& what) {
  ImGui::SetCursorScreenPos(at);
  ImGui::PushID(name.c_str());
  const bool clicked = ImGui::SmallButton(label);
  ImGui::PopID();
  ui.report.widgetOfLastItem(name);
  helpTooltip(ui, name, "", what);
  return clicked;
}

void drawRow(const Ui& ui, const SideBySide& runs, size_t i) {
  const ComparedRun& compared = runs.runs[i];
  const RunFacts& fact = runs.comparison.facts[i];
  const bool is_baseline = i == runs.comparison.baseline;
  const bool modelled = compared.run->device.provenance == Provenance::kModelled;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight() + ui.px(4);
  const float height = line * 3 + ui.px(8);
  const std::string name = fmt::format("compare.run.{}", i);
  const bool removable = compared.id >= kFirstKeptRun || (compared.id == kLiveRun && runs.runs.size() > 2) ||
                         (compared.id == kLiveRun && !ui.model.compare().kept().runs.empty());
  const float remove_width = removable ? ui.px(24) : 0;
  const float button_line = at.y + ui.px(4) + line * 2;
  if (ImGui::InvisibleButton(name.c_str(), {width - remove_width, line * 2 + ui.px(4)}) && !is_baseline) {
    ui.model.compare().look.other = compared.id;
  }
  ui.report.widget(name, at, {at.x + width, at.y + height});
  ui.report.text(name, shownName(fact.name));
  const bool hovered = ImGui::IsItemHovered();
  const bool tooltip = wantsTooltip(ui, name);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool chosen = otherRun(ui.model.compare().look, runs) == i;
  list.AddRectFilled(at, {at.x + width, at.y + height},
                     withAlpha(hovered || chosen ? ui.theme.accent : ui.theme.text, chosen ? 0.18F : 0.06F),
                     ui.px(4));
  if (is_baseline) list.AddRect(at, {at.x + width, at.y + height}, ui.theme.accent, ui.px(4), 0, ui.px(1.5F));
  const float left = at.x + ui.px(22);
  const std::string time = timeText(fact, launchTimes(runs.comparison));
  drawMark(ui.theme, list, {at.x + ui.px(11), at.y + ui.px(4) + line / 2}, seriesLook(ui.theme, i, modelled),
           5.5F);
  drawTextFitted(list, ui.fonts.text, {left, at.y + ui.px(4)}, at.x + width - remove_width - left,
                 ui.theme.text, shownName(fact.name).c_str());
  drawTextFitted(list, ui.fonts.mono, {left, at.y + ui.px(4) + line}, at.x + width - left - ui.px(4),
                 fact.verified || fact.pending ? ui.theme.text_quiet : ui.theme.error,
                 ((fact.verified || fact.pending ? "" : tr("✗ wrong") + std::string("  ")) + time).c_str());
  if (tooltip) runTooltip(ui, compared, fact);
  // The badge, and why the run is in the list.
  const std::string provenance = tr(provenanceName(compared.run->device.provenance));
  const float badge = badgeWidth(ui, provenance.c_str());
  if (modelled) {
    outlinedBadge(ui, provenance.c_str(), {left, button_line}, line - ui.px(2));
  } else {
    list.AddRectFilled({left, button_line}, {left + badge, button_line + line - ui.px(2)},
                       mixColours(ui.theme.panel, ui.theme.text, 0.14F), line / 2);
    drawText(list, ui.fonts.text, {left + ui.px(7), button_line + ui.px(1)}, ui.theme.text,
             provenance.c_str());
  }
  float x = left + badge + ui.px(6);
  const char* role = compared.id == kLiveRun ? tr("live") : compared.id == kNextRun ? tr("next") : "";
  const char* base = tr("baseline");
  const float base_width = ImGui::CalcTextSize(base).x + 2 * ImGui::GetStyle().FramePadding.x;
  const float base_x = std::max(x, at.x + width - base_width - ui.px(4));
  // Why it is in the list is left out where there is no room: its tooltip says that, too.
  if (x + ImGui::CalcTextSize(role).x < base_x)
    drawText(list, ui.fonts.text, {x, button_line + ui.px(1)}, ui.theme.text_quiet, role);
  x = base_x;
  if (is_baseline) {
    drawText(list, ui.fonts.text, {x + ImGui::GetStyle().FramePadding.x, button_line}, ui.theme.accent, base);
  } else if (rowButton(ui, name + ".baseline", base, {x, button_line},
                       tr("Compares all other runs with this one."))) {
    ui.model.compare().setBaseline(compared.id);
  }
  if (removable &&
      rowButton(ui, name + ".remove", "×", {at.x + width - remove_width, at.y + ui.px(3)},
                trf("Removes it from the comparison. {} brings it back.", keysOrName(ui, "settings.undo")))) {
    ui.model.compare().remove(compared.id);
  }
  // An item, because newer versions of Dear ImGui let nothing else make room.
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({0, height + ui.px(5) - ImGui::GetStyle().ItemSpacing.y});
}

}  // namespace

void drawCompareList(const Ui& ui, const SideBySide& runs) {
  for (size_t i = 0; i < runs.runs.size(); ++i) drawRow(ui, runs, i);
  if (!ui.model.compare().kept().live && !ui.model.compare().kept().runs.empty()) {
    if (button(ui, "compare.live", tr("+ the current run"))) ui.model.compare().setLive(true);
    helpTooltip(ui, "compare.live", "", tr("Also compares the run that follows the settings."));
  }
  if (ui.model.compare().keepPending()) ImGui::TextUnformatted(tr("running ..."));
}

void drawCompareHeader(const Ui& ui, const SideBySide* runs, float width) {
  CompareView& look = ui.model.compare().look;
  const auto shade = [](bool on) { return on ? ButtonLook::kOn : ButtonLook::kPlain; };
  std::vector<FoldItem> items;
  const auto add = [&](const char* label, int rank, float gap, auto draw) {
    items.push_back(fixedItem(buttonWidth(label), rank, ui.px(gap), [draw, label](float) { draw(label); }));
  };
  add(tr("Timelines"), 30, 6, [&ui, &look, shade](const char* label) {
    if (button(ui, "compare.timelines", label, shade(!look.race))) look.race = false;
    helpTooltip(ui, "compare.timelines", tr("Timelines"), tr("The compared runs on one time axis."));
  });
  add(look.race ? tr("▶ Race again") : tr("▶ Race"), 20, 6, [&ui, &look, shade](const char* label) {
    if (button(ui, "compare.race", label, shade(look.race))) startRace(ui);
    helpTooltip(ui, "compare.race", ui.actions.withKeys(tr("Race all variants"), "compare.race"),
                tr("Runs all variants of the family at the current settings, and ranks them."));
  });
  add(tr("Keep for comparison"), 10, 18, [&ui](const char* label) {
    if (button(ui, "compare.keep", label)) keepShownRun(ui);
    helpTooltip(
        ui, "compare.keep", ui.actions.withKeys(tr("Keep the current run"), "compare.keep"),
        tr("It stays here when you choose another variant, device, family or setting. Ctrl and a click "
           "on a variant runs that variant and keeps its run."));
  });
  if (!ui.model.compare().kept().runs.empty()) {
    add(tr("Clear"), 60, 6, [&ui](const char* label) {
      if (button(ui, "compare.clear", label, ButtonLook::kQuiet)) ui.model.compare().removeAll();
      helpTooltip(ui, "compare.clear", "",
                  trf("Removes all kept runs. {} brings them back.", keysOrName(ui, "settings.undo")));
    });
  }
  if (!look.race && runs != nullptr) {
    add(tr("Overlay"), 40, 18, [&ui, &look, shade](const char* label) {
      if (button(ui, "compare.overlay", label, shade(look.overlay))) look.overlay = !look.overlay;
      helpTooltip(
          ui, "compare.overlay", tr("Two runs on the same rows"),
          tr("The upper half of each row is the baseline, the lower half the same warp of the run chosen "
             "in the list."));
    });
    for (const AxisUnit choice : {AxisUnit::kNs, AxisUnit::kCycles}) {
      const bool ns = choice == AxisUnit::kNs;
      add(ns ? tr("Time") : tr("Cycles"), 50, ns ? 12 : 6, [=, &ui, &look](const char* label) {
        const std::string name = std::string("compare.unit.") + axisUnitName(choice);
        if (button(ui, name, label, shade(unitOf(look, *runs) == choice))) changeUnit(look, *runs, choice);
        helpTooltip(ui, name, "",
                    ns ? tr("Real time, by each device's clock rate: for devices with different clocks.")
                       : tr("Clock cycles of each device's SMs, from the start of each launch."));
      });
    }
    add(tr("Fit"), 55, 6, [&ui, &look](const char* label) {
      if (button(ui, "compare.fit", label)) fit(look.view);
      helpTooltip(ui, "compare.fit", "", tr("Shows the whole of the longest launch (F)."));
    });
  }
  drawFoldingRow(ui, "compare", width, items);
}

void startRace(const Ui& ui) {
  CompareView& look = ui.model.compare().look;
  if (look.race) ui.model.raceAgain();
  look.race = true;
}

Json compareState(const Model& model) {
  const CompareView& look = model.compare().look;
  Json state{
      {"kept", model.compare().kept().runs.size()},
      {"pending", model.compare().keepPending()},
      {"overlay", look.overlay},
      {"lanes_linked", look.lanes_linked},
      {"racing", look.race},
      {"selection", selectionText(look.view.selection)},
      {"selected", Json::array()},
      {"visible",
       {{"fitted", look.view.fitted}, {"begin", look.view.begin_cycles}, {"end", look.view.end_cycles}}},
      {"runs", Json::array()},
      {"race", Json::array()}};
  if (const auto& beside = model.compare().comparison().shown()) {
    state["unit"] = axisUnitName(unitOf(look, *beside));
    state["baseline"] = beside->comparison.baseline;
    for (size_t i = 0; i < beside->runs.size(); ++i) {
      state["runs"].push_back({{"id", beside->runs[i].id},
                               {"label", shownName(beside->comparison.facts[i].name)},
                               {"family", beside->runs[i].run->request.family},
                               {"variant", beside->runs[i].run->request.variant}});
    }
  }
  const SelectionModel& selected = model.compare().selected();
  for (size_t i = 0; i < selected.parts().size(); ++i)
    state["selected"].push_back(selectionReport(selected.parts()[i].selection, *selected.metrics()[i]));
  if (const auto& race = model.compare().race().shown()) {
    for (const size_t run : race->comparison.ranking.order) {
      state["race"].push_back(race->runs[run].run->request.variant);
    }
  }
  return state;
}

}  // namespace warpscope
