// The Compare page: runs side by side on one time axis, what differs, and which is faster; or a race of all
// variants of the family.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "app/gui/pages/compare_parts.h"
#include "app/gui/pages/page_parts.h"
#include "app/gui/pages/pages.h"
#include "app/gui/panels.h"
#include "kernels/core/json.h"
#include "viz/compare/compare_tables.h"
#include "viz/compare/lane_strips.h"
#include "viz/compare/race_bars.h"
#include "viz/compare/stacked_timelines.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr float kListWidth = 232, kHeaderMargin = 6;  // pixels at 100 %
constexpr std::array kCompareViews{"compare", "race"};
constexpr double kFrame_s = 1.0 / 60;
constexpr ImGuiWindowFlags kStill = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

std::vector<RaceEntry> raceEntries(const Model& model, const SideBySide* race) {
  std::vector<RaceEntry> entries;
  for (size_t i = 0; i < model.feed().variants().size(); ++i) {
    const VariantResult& variant = model.feed().variants()[i];
    RaceEntry entry{variant.variant, variant.title, std::nullopt, variant.error,
                    i == model.choice().variantIndex()};
    if (race != nullptr) {
      const auto found = std::ranges::find(race->runs, variant.run, &ComparedRun::run);
      if (found != race->runs.end() && variant.run != nullptr) {
        entry.result = static_cast<size_t>(found - race->runs.begin());
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::optional<WarpKey> firstCommonWarp(const SideBySide& runs) {
  if (runs.common.empty()) return std::nullopt;
  return WarpKey{runs.common.front().block, runs.common.front().warp_in_block};
}

// Selects a warp that all compared runs have, unless the selected one is such a warp.
void selectCommonWarp(const SideBySide& runs, ViewState& view) {
  if (runs.common.empty()) return;
  if (view.selected_warp) {
    const WarpPlace place{view.selected_warp->block, view.selected_warp->warp_in_block};
    if (std::ranges::binary_search(runs.common, place)) return;
  }
  view.selected_warp = firstCommonWarp(runs);
}

class ComparePage final : public Page {
 public:
  const char* name() const override { return "compare"; }
  const char* label() const override { return trMark("Compare"); }
  const char* help() const override {
    return trMark("Runs side by side on one time axis, and which is faster.");
  }
  const char* key() const override { return "C"; }
  std::span<const char* const> views() const override { return kCompareViews; }
  std::vector<PanelName> panels(const Ui& ui) const override;
  void show(const Ui& ui, const std::string& view) override {
    ui.model.compare().look.race = view.starts_with("race");
  }
  ImVec2 leastSize() const override { return {960, 520}; }
  PageNeeds needs(const Ui& ui) override {
    return {.comparison = true, .race = ui.model.compare().look.race};
  }
  void draw(const Ui& ui, ImVec2 min, ImVec2 max) override;
  bool isMoving(const Ui& ui) const override;

  ViewState& timeAxis(const Ui& ui) const override { return ui.model.compare().look.view; }
  std::optional<TimeExtent> timeExtent(const Ui& ui) const override;
  ViewState* selecting(const Ui& ui) const override {
    CompareView& look = ui.model.compare().look;
    return look.race ? nullptr : &look.view;
  }
  std::vector<Action> actions() override;
  bool goBack(const Ui& ui) override { return std::exchange(ui.model.compare().look.race, false); }
  void describe(const Model& model, Json& state) const override;

 private:
  std::string marked() const {
    const std::string& hovered = hovered_region_.empty() ? legend_region_ : hovered_region_;
    return hovered.empty() ? selected_region_ : hovered;
  }
  // Selects the region that was clicked, or deselects it; an empty name changes nothing.
  void choose(const std::string& clicked) {
    if (!clicked.empty()) selected_region_ = clicked == selected_region_ ? "" : clicked;
  }
  CompareInput input(const Ui& ui, const SideBySide& runs);
  void drawRuns(const Ui& ui, const std::shared_ptr<const SideBySide>& shown, const PageArea& area);
  void drawSelected(const Ui& ui, const CompareInput& compared);
  void drawBottom(const Ui& ui, const CompareInput& input, const TimeExtent& launch, const PageArea& area);
  void drawRace(const Ui& ui, const PageArea& area);

  StackedTimelines timelines_;
  LaneStrips lanes_;
  RaceBars bars_;
  // Regions are held by name because variants number them differently.
  std::string selected_region_, hovered_region_, legend_region_;
  std::vector<std::shared_ptr<const TraceLayout>> layouts_;  // of this frame
  std::vector<std::vector<size_t>> colours_;                 // of this frame
  std::shared_ptr<const SideBySide> selection_of_;           // in which a common warp was looked for
};

std::vector<PanelName> ComparePage::panels(const Ui& ui) const {
  return {{"compare.timelines", tr("TIMELINES, EACH FROM THE START OF ITS KERNEL")},
          {"compare.lanes", tr("LANES OF THE SELECTED WARP")},
          {"compare.regions", tr("WHAT DIFFERS, BY REGION")},
          {"compare.ranking", tr("RANKING, AND WHY")},
          {"compare.list", tr("COMPARED RUNS")},
          {"race.bars", trf("RACE: {}", tr(ui.model.choice().family().title))},
          {"race.why", tr("FROM BEST TO WORST")}};
}

CompareInput ComparePage::input(const Ui& ui, const SideBySide& runs) {
  layouts_.clear();
  colours_ = matchedRegionColours(runs.comparison);
  for (const ComparedRun& compared : runs.runs) layouts_.push_back(compared.layout);
  CompareInput input{.comparison = &runs.comparison,
                     .axis = &runs.axis(unitOf(ui.model.compare().look, runs)),
                     .layouts = layouts_,
                     .region_colours = colours_,
                     .other = otherRun(ui.model.compare().look, runs),
                     .first_warp = firstCommonWarp(runs)};
  static_cast<Canvas&>(input) = ui.canvas();
  return input;
}

void ComparePage::drawSelected(const Ui& ui, const CompareInput& compared) {
  CompareModel& compare = ui.model.compare();
  compare.wantSelection();
  // By run, because a run that is not on the axis has none.
  std::vector<SelectedInRun> selected(compared.comparison->runs.size());
  const std::vector<SelectionModel::Part>& parts = compare.selected().parts();
  for (size_t i = 0; i < selected.size(); ++i) {
    const auto part = std::ranges::find(parts, compared.comparison->runs[i], &SelectionModel::Part::run);
    if (part == parts.end()) continue;
    selected[i] = {&part->selection,
                   compare.selected().metrics()[static_cast<size_t>(part - parts.begin())].get()};
  }
  choose(drawSelectionTable(compared, selected, hovered_region_));
}

void ComparePage::drawBottom(const Ui& ui, const CompareInput& compared, const TimeExtent& launch,
                             const PageArea& area) {
  const auto columns = cutArea(area, true, std::array{0.23F, 0.38F, 0.39F}, ui.px(kPanelGap));
  pagePanel(ui, "compare.lanes", tr("LANES OF THE SELECTED WARP"), columns[0], kStill, [&](ImVec2) {
    CompareView& look = ui.model.compare().look;
    lanes_.draw(compared, look.view, look.lanes_linked, launch, marked());
  });
  const ModelError* error = modelErrorOf(compared);
  const bool selected = !ui.model.compare().look.view.selection.empty();
  pagePanel(ui, "compare.regions",
            selected           ? tr("SELECTED, IN EACH RUN")
            : error != nullptr ? tr("THE MODEL'S ERRORS")
                               : tr("WHAT DIFFERS, BY REGION"),
            columns[1], selected ? ImGuiWindowFlags_HorizontalScrollbar : 0, [&](ImVec2) {
              if (selected) return drawSelected(ui, compared);
              if (error != nullptr) return drawModelErrors(compared, *error);
              choose(drawRegionDifferences(compared, selected_region_, hovered_region_));
            });
  pagePanel(ui, "compare.ranking", tr("RANKING, AND WHY"), columns[2], ImGuiWindowFlags_HorizontalScrollbar,
            [&](ImVec2) { drawRankingTable(compared); });
}

void ComparePage::drawRuns(const Ui& ui, const std::shared_ptr<const SideBySide>& shown,
                           const PageArea& area) {
  const SideBySide& runs = *shown;
  CompareView& look = ui.model.compare().look;
  const CompareInput compared = input(ui, runs);
  const TimeExtent launch = runs.extent(unitOf(look, runs));
  const float list_width = std::min(ui.px(kListWidth), area.width() * 0.22F);
  const PageArea list{area.min, {area.min.x + list_width, area.max.y}};
  pagePanel(ui, "compare.list", tr("COMPARED RUNS"), list, 0, [&](ImVec2) { drawCompareList(ui, runs); });
  const PageArea rest{{list.max.x + ui.px(kPanelGap), area.min.y}, area.max};
  const auto rows = cutArea(rest, false, std::array{0.52F, 0.48F}, ui.px(kPanelGap));
  // All pages share one selected warp; choosing another family deselects it.
  look.view.selected_warp = ui.model.view.selected_warp;
  if (selection_of_ != shown) {
    selectCommonWarp(runs, look.view);
    if (selection_of_ != nullptr) look.view.zoom_history.clear();  // positions among other runs
  }
  selection_of_ = shown;
  look.view.rows = {.kind = RowKind::kWarpsByBlock};  // the same warps in the same order in all runs
  pagePanel(ui, "compare.timelines",
            tr("TIMELINES, EACH FROM THE START OF ITS KERNEL") +
                std::string(look.overlay && compared.other ? tr("   overlaid") : ""),
            rows[0], kStill, [&](ImVec2) {
              const NamedRegions named = timelines_.draw(compared, look.view, launch, look.overlay, marked());
              legend_region_ = named.hovered;
              choose(named.clicked);
            });
  drawBottom(ui, compared, launch, rows[1]);
  ui.model.view.selected_warp = look.view.selected_warp;
}

void ComparePage::drawRace(const Ui& ui, const PageArea& area) {
  const SideBySide* race = ui.model.compare().race().shown().get();
  const std::vector<RaceEntry> entries = raceEntries(ui.model, race);
  // The panel is as high as its bars, and the explanations get the rest.
  const float bars_height = ui.px(kPanelTitle + 14) + RaceBars::height(ui.theme, entries.size());
  const float share = std::clamp(bars_height / area.height(), 0.3F, 0.72F);
  const auto rows = cutArea(area, false, std::array{share, 1 - share}, ui.px(kPanelGap));
  const DeviceDescription* device = ui.model.devices().description();
  const std::string where = device == nullptr ? "" : "   " + device->name + "   " + provenanceLabel(*device);
  pagePanel(ui, "race.bars", trf("RACE: {}", tr(ui.model.choice().family().title)) + where, rows[0], 0,
            [&](ImVec2) {
              RaceInput input{.entries = entries,
                              .comparison = race == nullptr ? nullptr : &race->comparison,
                              .now_s = ui.now_s};
              static_cast<Canvas&>(input) = ui.canvas();
              const auto clicked = bars_.draw(input);
              if (clicked) keepVariant(ui, entries[*clicked].variant);
            });
  if (bars_.moving()) redrawIn(ui, kFrame_s);
  pagePanel(ui, "race.why", tr("FROM BEST TO WORST"), rows[1], 0, [&](ImVec2) {
    if (race == nullptr || race->runs.size() < 2) {
      drawMessage(ui.theme, ui.fonts, tr("The variants are running ..."));
      return;
    }
    ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
    textWrapped(
        tr("Bracketed neighbours are within the noise of each other: their times cannot be told apart."));
    ImGui::PopStyleColor();
    drawExplanations(ui.theme, race->comparison, ImGui::GetContentRegionAvail().x);
  });
}

void ComparePage::draw(const Ui& ui, ImVec2 min, ImVec2 max) {
  ui.report.widget("view.compare", min, max);
  // This is a copy because a click below can replace the comparison.
  const std::shared_ptr<const SideBySide> shown = ui.model.compare().comparison().shown();
  PageArea area{min, max};
  Stage& stage = ui.screen.stage;
  if (stage.showsHeader()) {
    ImGui::SetCursorScreenPos({min.x + ui.px(kHeaderMargin), min.y + ui.px(kHeaderMargin)});
    drawCompareHeader(ui, shown.get(), max.x - min.x - ui.px(kHeaderMargin));
    area.min.y += ui.px(2 * kHeaderMargin) + ImGui::GetFrameHeight();
    stage.drawnBelow(area);
  }
  if (ui.model.compare().look.race) {
    ui.report.widget("view.race", min, max);
    drawRace(ui, area);
  } else if (shown == nullptr) {
    drawMessage(ui.theme, ui.fonts, area.min, area.max,
                ui.model.impossible() != nullptr
                    ? tr("These settings are impossible here: see the left panel.")
                    : tr("Waiting for a run to compare."));
  } else {
    drawRuns(ui, shown, area);
  }
}

bool ComparePage::isMoving(const Ui& ui) const {
  const CompareModel& compare = ui.model.compare();
  return compare.comparison().pending() || compare.race().pending() || ui.screen.redraw_at_s != 0;
}

std::optional<TimeExtent> ComparePage::timeExtent(const Ui& ui) const {
  const auto& runs = ui.model.compare().comparison().shown();
  if (runs == nullptr) return std::nullopt;
  return runs->extent(unitOf(ui.model.compare().look, *runs));
}

std::vector<Action> ComparePage::actions() {
  constexpr auto kCompare = ActionGroup::kCompare;
  return {
      {"compare.keep", trMark("Keep the current run for comparison"), kCompare, "K", keepShownRun},
      {"compare.race", trMark("Race all variants; again: rerun them"), kCompare, "R", [this](const Ui& ui) {
         // Coming from another page, it shows the race as it is.
         if (std::exchange(ui.screen.page, name()) == name()) {
           startRace(ui);
         } else {
           ui.model.compare().look.race = true;
         }
       }}};
}

void ComparePage::describe(const Model& model, Json& state) const {
  state["compare"] = compareState(model);
}

}  // namespace

std::unique_ptr<Page> makeComparePage() {
  return std::make_unique<ComparePage>();
}

}  // namespace warpscope
