#include "app/gui/compare_page.h"

#include <algorithm>
#include <array>

#include "app/gui/page_parts.h"
#include "viz/compare/lane_strips.h"
#include "viz/compare/race_bars.h"
#include "viz/compare/ranking_table.h"
#include "viz/compare/region_table.h"
#include "viz/compare/stacked_timelines.h"
#include "viz/widgets/message.h"
#include "viz/widgets/wrap.h"

namespace warpscope {
namespace {

constexpr float kListWidth = 232, kHeaderMargin = 6;  // pixels at 100 %
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

std::optional<WarpKey> firstCommonWarp(const SideBySide& beside) {
  if (beside.common.empty()) return std::nullopt;
  return WarpKey{beside.common.front().block, beside.common.front().warp_in_block};
}

// When other runs are compared: a warp that only some of them have shows too little.
void selectCommonWarp(const SideBySide& beside, ViewState& view) {
  if (beside.common.empty()) return;
  if (view.selected_warp) {
    const WarpPlace place{view.selected_warp->block, view.selected_warp->warp_in_block};
    if (std::ranges::binary_search(beside.common, place)) return;
  }
  view.selected_warp = firstCommonWarp(beside);
}

}  // namespace

struct ComparePage::State {
  StackedTimelines timelines;
  LaneStrips lanes;
  RaceBars bars;
  std::string selected_region, hovered_region;  // names: variants number their regions differently
  std::vector<std::shared_ptr<const TraceLayout>> layouts;  // of this frame

  std::vector<std::vector<size_t>> colours;  // of this frame
  const SideBySide* selection_of = nullptr;  // in which a common warp was looked for

  std::string marked() const { return hovered_region.empty() ? selected_region : hovered_region; }
  CompareInput input(const Ui& ui, const SideBySide& beside);
  void drawRuns(const Ui& ui, const SideBySide& beside, const PageArea& area);
  void drawBottom(const Ui& ui, const CompareInput& input, const TimeExtent& launch, const PageArea& area);
  void drawRace(const Ui& ui, const PageArea& area);
};

CompareInput ComparePage::State::input(const Ui& ui, const SideBySide& beside) {
  layouts.clear();
  colours = matchedRegionColours(beside.comparison);
  for (const ComparedRun& compared : beside.runs) layouts.push_back(compared.layout);
  return {.comparison = &beside.comparison,
          .axis = &beside.axis(unitOf(ui.model.compare().look, beside)),
          .layouts = layouts,
          .region_colours = colours,
          .other = otherRun(ui.model.compare().look, beside),
          .first_warp = firstCommonWarp(beside),
          .theme = &ui.theme,
          .fonts = &ui.fonts,
          .report = &ui.report};
}

void ComparePage::State::drawBottom(const Ui& ui, const CompareInput& compared, const TimeExtent& launch,
                                    const PageArea& area) {
  const auto columns = cutArea(area, true, std::array{0.23F, 0.38F, 0.39F}, ui.px(kPanelGap));
  pagePanel(ui, "compare.lanes", tr("LANES OF THE SELECTED WARP"), columns[0], kStill,
            [&](ImVec2) { lanes.draw(compared, ui.model.compare().look.view, launch, marked()); });
  const ModelError* error = modelErrorOf(compared);
  pagePanel(ui, "compare.regions",
            error != nullptr ? tr("THE MODEL'S ERRORS") : tr("WHAT DIFFERS, BY REGION"), columns[1], 0,
            [&](ImVec2) {
              if (error != nullptr) return drawModelErrors(compared, *error);
              const std::string clicked = drawRegionDifferences(compared, selected_region, hovered_region);
              if (!clicked.empty()) selected_region = clicked == selected_region ? "" : clicked;
            });
  pagePanel(ui, "compare.ranking", tr("RANKING, AND WHY"), columns[2], ImGuiWindowFlags_HorizontalScrollbar,
            [&](ImVec2) { drawRankingTable(compared); });
}

void ComparePage::State::drawRuns(const Ui& ui, const SideBySide& beside, const PageArea& area) {
  CompareView& look = ui.model.compare().look;
  const CompareInput compared = input(ui, beside);
  const TimeExtent launch = beside.extent(unitOf(look, beside));
  const float list_width = std::min(ui.px(kListWidth), area.width() * 0.18F);
  const PageArea list{area.min, {area.min.x + list_width, area.max.y}};
  pagePanel(ui, "compare.list", tr("COMPARED RUNS"), list, 0, [&](ImVec2) { drawCompareList(ui, beside); });
  const PageArea rest{{list.max.x + ui.px(kPanelGap), area.min.y}, area.max};
  const auto rows = cutArea(rest, false, std::array{0.52F, 0.48F}, ui.px(kPanelGap));
  // One selected warp in all pages: another family gives it up.
  look.view.selected_warp = ui.model.view.selected_warp;
  if (selection_of != &beside) selectCommonWarp(beside, look.view);
  selection_of = &beside;
  look.view.grouping = ViewState::Grouping::kByBlock;
  pagePanel(ui, "compare.timelines",
            tr("TIMELINES, EACH FROM THE START OF ITS KERNEL") +
                std::string(look.overlay && compared.other ? tr("   overlaid") : ""),
            rows[0], kStill,
            [&](ImVec2) { timelines.draw(compared, look.view, launch, look.overlay, marked()); });
  drawBottom(ui, compared, launch, rows[1]);
  ui.model.view.selected_warp = look.view.selected_warp;
}

void ComparePage::State::drawRace(const Ui& ui, const PageArea& area) {
  const SideBySide* race = ui.model.compare().race().shown().get();
  const std::vector<RaceEntry> entries = raceEntries(ui.model, race);
  // As high as the bars are, so that the rest is left to the words.
  const float bars_height = ui.px(kPanelTitle + 14) + RaceBars::height(ui.theme, entries.size());
  const float share = std::clamp(bars_height / area.height(), 0.3F, 0.72F);
  const auto rows = cutArea(area, false, std::array{share, 1 - share}, ui.px(kPanelGap));
  const DeviceDescription* device = ui.model.devices().description();
  const std::string where = device == nullptr ? "" : "   " + device->name + "   " + provenanceLabel(*device);
  pagePanel(ui, "race.bars", trf("RACE: {}", tr(ui.model.choice().family().title)) + where, rows[0], 0,
            [&](ImVec2) {
              const auto clicked = bars.draw({.entries = entries,
                                              .comparison = race == nullptr ? nullptr : &race->comparison,
                                              .now_s = ui.now_s,
                                              .theme = &ui.theme,
                                              .fonts = &ui.fonts,
                                              .report = &ui.report});
              if (clicked) keepVariant(ui, entries[*clicked].variant);
            });
  if (bars.moving()) redrawIn(ui, kFrame_s);
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

ComparePage::ComparePage() : state_(std::make_unique<State>()) {}
ComparePage::~ComparePage() = default;

void ComparePage::draw(const Ui& ui, ImVec2 min, ImVec2 max) {
  ui.report.widget("view.compare", min, max);
  // A copy: what is clicked below can exchange it.
  const std::shared_ptr<const SideBySide> beside = ui.model.compare().comparison().shown();
  ImGui::SetCursorScreenPos({min.x, min.y + ui.px(kHeaderMargin)});
  drawCompareHeader(ui, beside.get());
  const PageArea area{{min.x, min.y + ui.px(2 * kHeaderMargin) + ImGui::GetFrameHeight()}, max};
  if (ui.model.compare().look.race) {
    ui.report.widget("view.race", min, max);
    state_->drawRace(ui, area);
  } else if (beside == nullptr) {
    drawMessage(ui.theme, ui.fonts, area.min, area.max,
                ui.model.impossible() != nullptr
                    ? tr("These settings are impossible here: see the left panel.")
                    : tr("Waiting for a run to compare."));
  } else {
    state_->drawRuns(ui, *beside, area);
  }
}

}  // namespace warpscope
