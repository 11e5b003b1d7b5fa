#include "viz/compare/stacked_timelines.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/units.h"
#include "viz/text/words.h"
#include "viz/views/back_to_launch.h"
#include "viz/views/timeline_labels.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/legend.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr float kTimelineHead = 20, kTimelineGap = 4, kLowestOverlaid = 15;  // pixels at 100 %

bool drawable(const CompareInput& input, size_t run) {
  return input.axis->runs[run].units_per_cycle && input.layouts[run] != nullptr &&
         input.layouts[run]->warpCount() > 0;
}

TimeScale scaleOf(const CompareInput& input, size_t run, const TimeScale& shared) {
  const double units = *input.axis->runs[run].units_per_cycle;
  return {shared.begin_cycles / units, shared.end_cycles / units, shared.left, shared.right};
}

bool allModelled(const CompareInput& input) {
  return std::ranges::all_of(input.comparison->runs,
                             [](const auto& run) { return run->device.provenance == Provenance::kModelled; });
}

std::string lengthText(const CompareInput& input, size_t run) {
  const RunOnAxis& place = input.axis->runs[run];
  if (!place.units_per_cycle) return {};
  const std::string length = input.axis->unit == AxisUnit::kNs ? formatNs(place.length)
                                                               : trCycles(static_cast<int64_t>(place.length));
  return trf("kernel with probes {}", length);
}

}  // namespace

std::optional<RegionId> regionNamed(const Run& run, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const auto found = std::ranges::find(run.regions, name, &Region::name);
  return found == run.regions.end() ? kExitRegion : found->id;
}

void StackedTimelines::drawHead(const CompareInput& input, const Strip& strip, const ViewInput* under,
                                float top, float height) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float text_y = top + (height - ImGui::GetTextLineHeight()) / 2;
  float x = strip.frame.left;
  const float right = strip.frame.right;
  const auto quiet = [&](const std::string& text) {
    drawTextFitted(list, input.fonts->text, {x, text_y}, right - x, theme.text_quiet, text.c_str());
    x += std::min(right - x, textSize(input.fonts->text, text.c_str()).x) + theme.px(12);
  };
  const auto name = [&](size_t run) {
    x += drawRunName(input, run, {x, text_y}, std::max(theme.px(40), (right - x) * 0.6F)) + theme.px(12);
  };
  if (under != nullptr) quiet(tr("upper half:"));
  name(strip.run);
  if (under == nullptr && strip.run == input.comparison->baseline) quiet(tr("baseline"));
  if (under == nullptr && input.modelled(strip.run)) quiet(tr("modelled"));
  if (under == nullptr) return quiet(lengthText(input, strip.run));
  quiet(tr("lower half:"));
  name(*input.other);
}

namespace {

// A region has the same colour in all runs: the one of its name's place in Comparison::regions.
NamedRegions drawLegend(const CompareInput& input, const std::string& marked) {
  std::vector<Region> regions;
  std::optional<RegionId> emphasised;
  for (const RegionComparison& region : input.comparison->regions) {
    Region& entry = regions.emplace_back();
    for (const auto& run : input.comparison->runs) {
      const auto found = std::ranges::find(run->regions, region.name, &Region::name);
      if (found != run->regions.end()) entry = *found;
    }
    entry.id = RegionId{static_cast<uint32_t>(regions.size() - 1)};
    if (region.name == marked) emphasised = regions.back().id;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const LegendAnswer answer = drawRegionLegend(input, "compare.legend", regions, width, emphasised);
  input.report->widget("compare.legend", at, {at.x + width, at.y + ImGui::GetFrameHeight()});
  const auto name = [&](const std::optional<RegionId>& id) { return id ? regions[id->value].name : ""; };
  return {name(answer.hovered), name(answer.clicked)};
}

}  // namespace

NamedRegions StackedTimelines::draw(const CompareInput& input, ViewState& state, const TimeExtent& launch,
                                    bool overlay, const std::string& marked) {
  const Theme& theme = *input.theme;
  const ImVec2 top_left = ImGui::GetCursorScreenPos();
  const NamedRegions named = drawLegend(input, marked);
  ImGui::SetCursorScreenPos({top_left.x, top_left.y + ImGui::GetFrameHeight() + theme.px(2)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::Dummy(room);  // an item, even where no strip is drawn
  const size_t runs = input.comparison->runs.size();
  const size_t baseline = input.comparison->baseline;
  followFit(state, launch);
  overlay = overlay && input.other && drawable(input, baseline) && drawable(input, *input.other);

  orders_.resize(runs);
  float labels = 0;
  for (size_t i = 0; i < runs; ++i) {
    if (!drawable(input, i)) continue;
    labels = std::max(labels, labelColumnWidth(theme, *input.fonts, input.run(i),
                                               *orders_[i].of(input.layouts[i], state.rows)));
  }
  const TimeScale shared{state.begin_cycles, state.end_cycles, at.x + labels,
                         at.x + room.x - theme.px(kTimelineScrollbarWidth + 2)};
  const bool in_ns = input.axis->unit == AxisUnit::kNs;
  const float axis_height = timeAxisHeight(theme, 0);
  drawTimeAxis(theme, *input.fonts, shared, {.modelled = allModelled(input), .in_ns = in_ns}, at.y,
               at.y + room.y);
  input.report->widget("compare.axis", {shared.left, at.y}, {shared.right, at.y + axis_height});

  while (plots_.size() < runs) plots_.emplace_back(fmt::format("compare.timeline.{}", plots_.size()));
  const float head = theme.px(kTimelineHead), gap = theme.px(kTimelineGap);
  const size_t shown = overlay ? 1 : runs;
  const float height = (room.y - axis_height) / static_cast<float>(shown);
  std::vector<std::pair<TimelinePlot*, Strip>> strips;
  for (size_t place = 0; place < shown; ++place) {
    const size_t run = overlay ? baseline : place;
    const float top = at.y + axis_height + height * static_cast<float>(place);
    Strip strip{.run = run, .view = input.view(run), .frame = {}};
    strip.frame.left = at.x;
    strip.frame.right = at.x + room.x;
    drawHead(input, strip, overlay ? &under_ : nullptr, top, head);
    if (!drawable(input, run)) {
      const std::string& reason = input.axis->runs[run].reason;
      drawMessage(theme, *input.fonts, {shared.left, top + head}, {shared.right, top + height - gap},
                  reason.empty() ? std::string(tr("no warp was recorded")) : trMessage(reason));
      continue;
    }
    TimelineFrame& frame = strip.frame;
    strip.view.rows = orders_[run].of(input.layouts[run], state.rows);
    frame.scale = scaleOf(input, run, shared);
    frame.launch = launch;
    frame.units_per_cycle = *input.axis->runs[run].units_per_cycle;
    frame.of_several_runs = true;
    frame.rows = timelineRows(strip.view, state, top + head, top + height - gap);
    if (overlay) {
      // The two halves must be distinguishable; rows that the user made lower stay as they are.
      if (state.row_height == 0) {
        frame.rows.row_height = std::max(frame.rows.row_height, theme.px(kLowestOverlaid));
        frame.rows.first_row = std::clamp(state.first_row, 0.0, frame.rows.lastFirstRow());
      }
      under_ = input.view(*input.other);
      under_.rows = orders_[*input.other].of(input.layouts[*input.other], state.rows);
      frame.under = {&under_, scaleOf(input, *input.other, shared),
                     *input.axis->runs[*input.other].units_per_cycle};
    }
    if (frame.rows.bottom - frame.rows.top < 2) continue;
    strips.emplace_back(overlay ? &overlay_ : &plots_[run], std::move(strip));
  }
  for (auto& [plot, strip] : strips) {
    plot->reveal(strip.view, state, strip.frame);
    plot->draw(strip.view, state, strip.frame, regionNamed(input.run(strip.run), marked));
  }
  const BackToLaunch back(input, state, launch, "compare", {shared.left, at.y + axis_height + head},
                          {shared.right, at.y + room.y});
  // Only the strip under the mouse decides what is hovered, whatever the order.
  for (auto& [plot, strip] : strips) plot->forgetHover(state);
  for (auto& [plot, strip] : strips) plot->handleMouse(strip.view, state, strip.frame, std::nullopt);
  back.draw(input);
  return named;
}

}  // namespace warpscope
