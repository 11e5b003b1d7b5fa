// The panel SELECTED: the metrics of the selected ranges; without any, of the selected warp; without that, of
// everything recorded. `show --select` prints the same numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/export/selection_report.h"
#include "viz/layout/navigation.h"
#include "viz/layout/row_selection.h"
#include "viz/text/words.h"
#include "viz/views/view.h"
#include "viz/views/view_tooltips.h"
#include "viz/views/wait_look.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/bars.h"
#include "viz/widgets/histogram.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kHistogramHeight = 22, kNarrowestHistogram = 60, kWidestHistogram = 220;  // pixels at 100 %
constexpr double kSelectionMargin = 0.05;  // as a share of a selection, on both sides, when zooming to it
constexpr size_t kMostStalls = 6;

std::string countText(uint64_t count) {
  return formatCount(static_cast<int64_t>(count));
}

std::string headline(const Run& run, const SelectionMetrics& metrics) {
  const std::string warps =
      metrics.warps == 1 ? trf("{} warp", 1) : trf("{} warps", countText(metrics.warps));
  return warps + " · " + cyclesWithNs(run, metrics.duration_cycles);
}

class DetailsView : public View {
 public:
  const char* name() const override { return "details"; }
  const char* title() const override { return trMark("SELECTED"); }
  const char* help() const override {
    return trMark(
        "What is selected, in numbers: its time, its regions and how their spans are distributed, lost "
        "lanes, "
        "the slowest warps.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void drawHead(const ViewInput& input, ViewState& state, const SelectionMetrics& metrics);
  void drawActions(const ViewInput& input, ViewState& state, const SelectionMetrics& metrics);
  void drawRegions(const ViewInput& input, ViewState& state, const SelectionMetrics& metrics) const;
  void drawRegion(const ViewInput& input, ViewState& state, size_t index,
                  const SelectionMetrics::Region& region) const;
  void drawDistribution(const ViewInput& input, const Distribution& cycles, ImU32 colour,
                        const std::string& name) const;
  void drawWarps(const ViewInput& input, ViewState& state, const SelectionMetrics& metrics) const;
  static void drawWarpLinks(const ViewInput& input, ViewState& state, const char* label, const char* name,
                            const std::vector<SelectionMetrics::Warp>& warps);
  static void drawPinnedItems(const ViewInput& input, ViewState& state);
  static void drawPins(const ViewInput& input, ViewState& state);
  static void drawStalls(const ViewInput& input, const IssueMetrics& issues);

  bool logarithmic_ = false;  // the histograms' axes
};

void quiet(const ViewInput& input, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, input.theme->text_quiet);
  textWrapped(text);
  ImGui::PopStyleColor();
}

bool smallButton(const ViewInput& input, const char* name, const char* label, const std::string& help) {
  ImGui::PushID(name);
  const bool clicked = ImGui::SmallButton(label);
  ImGui::PopID();
  input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (ImGui::IsItemHovered()) {
    Tooltip tooltip(*input.theme, *input.fonts, label);
    tooltip.note(help);
  }
  return clicked;
}

// The next small button goes beside the last one if there is room.
void besideIfRoom(const ViewInput& input, const char* label) {
  const float width = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + input.theme->px(6) + width < right) ImGui::SameLine(0, input.theme->px(6));
}

enum class NumberPlace { kBeside, kNewLine };

// "median 812": the label quiet, the number in the mono font; on the next line if there is no room.
void drawNumber(const ViewInput& input, const char* label, const std::string& value,
                NumberPlace place = NumberPlace::kBeside) {
  const Theme& theme = *input.theme;
  const float label_width = textSize(input.fonts->text, label).x + theme.px(4);
  const float width = label_width + textSize(input.fonts->mono, value.c_str()).x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  if (place == NumberPlace::kBeside && ImGui::GetItemRectMax().x + theme.px(10) + width < right)
    ImGui::SameLine(0, theme.px(10));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, ImGui::GetTextLineHeight()});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  drawText(list, input.fonts->text, at, theme.text_quiet, label);
  drawText(list, input.fonts->mono, {at.x + label_width, at.y}, theme.text, value.c_str());
}

void DetailsView::draw(const ViewInput& input, ViewState& state) {
  if (!input.run) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  if (input.selected == nullptr) {
    drawMessage(*input.theme, *input.fonts, tr("Adding up ..."));
    return;
  }
  ImGui::BeginChild("details", {0, 0}, false, ImGuiWindowFlags_NoNav);
  const SelectionMetrics& metrics = *input.selected;
  drawHead(input, state, metrics);
  drawPins(input, state);
  if (metrics.warps == 0) {
    quiet(input, trf("No recorded warp lives there. {} drops the selection.", input.keys("window.back")));
  } else {
    drawRegions(input, state, metrics);
    drawWarps(input, state, metrics);
    if (metrics.issues) drawStalls(input, *metrics.issues);
  }
  ImGui::EndChild();
}

void DetailsView::drawHead(const ViewInput& input, ViewState& state, const SelectionMetrics& metrics) {
  const Theme& theme = *input.theme;
  const std::string text = headline(*input.run, metrics);
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text);
  pushFont(input.fonts->title);
  textWrapped(text);
  ImGui::PopFont();
  ImGui::PopStyleColor();
  input.report->widget("details.head", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  input.report->text("details.head", text);
  constexpr size_t kLongest = 120;
  quiet(input, state.selection.empty() && !state.selected_warp
                   ? std::string(tr("everything recorded; drag over the timeline to select"))
                   : selectionText(shownSelection(state), kLongest));
  drawActions(input, state, metrics);
  const auto lost = metrics.lostShare();
  if (!lost) return;
  const std::string lanes =
      trf("{} lane-cycles lost ({})", formatCount(metrics.lanes.lost()), formatPercent(*lost));
  textWrapped(lanes);
  input.report->text("details.lost", lanes);
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(theme, *input.fonts, tr("Lane-cycles"), 120);
  tooltip.row(tr("executing"), formatCount(metrics.lanes.executing));
  tooltip.row(tr("waiting"), formatCount(metrics.lanes.waiting));
  tooltip.row(tr("exited"), formatCount(metrics.lanes.exited));
  tooltip.row(tr("never existed"), formatCount(metrics.lanes.never_existed));
  tooltip.note(tr("Lanes that wait or have exited while their warp lives are lost."));
}

void DetailsView::drawActions(const ViewInput& input, ViewState& state, const SelectionMetrics& metrics) {
  const bool ranges = !state.selection.empty();
  if (smallButton(input, "details.copy", tr("Copy"),
                  trf("Copies a reference that --select and the search field take back ({}).",
                      input.keys("selection.copy"))))
    input.copy(selectionText(shownSelection(state)));
  besideIfRoom(input, "CSV");
  if (smallButton(input, "details.csv", "CSV", tr("Copies the table of regions.")))
    input.copy(selectionCsv(metrics));
  besideIfRoom(input, tr("Zoom"));
  if (smallButton(input, "details.zoom", tr("Zoom"), tr("Shows this range on the whole width."))) {
    rememberZoom(state);
    const double margin = static_cast<double>(metrics.cycles.length()) * kSelectionMargin;
    zoomTo(state, static_cast<double>(metrics.cycles.begin) - margin,
           static_cast<double>(metrics.cycles.end) + margin);
  }
  const char* axis = logarithmic_ ? tr("log axis") : tr("linear axis");
  besideIfRoom(input, axis);
  if (smallButton(input, "details.axis", axis, tr("The axis of the histograms: linear or logarithmic.")))
    logarithmic_ = !logarithmic_;
  const TraceSelection shown = shownSelection(state);
  const bool pinned = std::ranges::find(state.pins, shown) != state.pins.end();
  const char* pin = pinned ? tr("Unpin") : tr("Pin");
  besideIfRoom(input, pin);
  if (smallButton(input, "details.pin", pin,
                  tr("A pinned selection stays listed here while others are made.")))
    togglePin(state, shown);
  if (!ranges) return;
  besideIfRoom(input, tr("Clear"));
  if (smallButton(input, "details.clear", tr("Clear"),
                  trf("Drops the selection ({}).", input.keys("window.back"))))
    state.selection = {};
}

void DetailsView::drawDistribution(const ViewInput& input, const Distribution& cycles, ImU32 colour,
                                   const std::string& name) const {
  const Theme& theme = *input.theme;
  const auto& bins = logarithmic_ ? cycles.logarithmic : cycles.linear;
  const float room = ImGui::GetContentRegionAvail().x;
  const float width = std::clamp(room, theme.px(kNarrowestHistogram), theme.px(kWidestHistogram));
  const auto bin = drawHistogram(theme, bins, {width, theme.px(kHistogramHeight)}, colour);
  input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (!bin) return;
  Tooltip tooltip(theme, *input.fonts,
                  trf("{} to {}", formatCount(bins[*bin].from), trCycles(bins[*bin].to - 1)));
  tooltip.row(tr("count"), trf("{} of {}", countText(bins[*bin].count), countText(cycles.count)));
}

void DetailsView::drawRegion(const ViewInput& input, ViewState& state, size_t index,
                             const SelectionMetrics::Region& region) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = theme.region(input.colourOf(index));
  const Distribution& cycles = region.cycles;
  ImGui::Dummy({0, theme.px(3)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const float left = std::min(room * 0.5F, theme.px(170)), side = theme.px(10);
  ImGui::PushID(static_cast<int>(index));
  if (ImGui::InvisibleButton("region", {left, theme.px(kHistogramHeight)})) {
    const bool marked = state.selected_region == region.id;
    state.selected_region = marked ? std::nullopt : std::optional(region.id);
  }
  ImGui::PopID();
  if (state.selected_region == region.id || ImGui::IsItemHovered()) {
    list.AddRectFilled(at, {at.x + left, at.y + theme.px(kHistogramHeight)}, withAlpha(theme.accent, 0.15F));
  }
  const float middle = at.y + theme.px(kHistogramHeight) / 2;
  list.AddRectFilled({at.x, middle - side / 2}, {at.x + side, middle + side / 2}, colour, theme.px(2));
  const std::string name = tr(region.name.c_str());
  drawTextFitted(list, input.fonts->text,
                 {at.x + side + theme.px(6), middle - ImGui::GetTextLineHeight() / 2},
                 left - side - theme.px(8), theme.text, name.c_str());
  const std::string widget = fmt::format("details.region.{}", region.id.value);
  input.report->widget(widget, at, {at.x + left, at.y + theme.px(kHistogramHeight)});
  ImGui::SameLine(0, theme.px(6));
  drawDistribution(input, cycles, colour, widget + ".histogram");

  ImGui::Indent(side);
  const auto rounded = [](double value) { return formatSignificant(value, 4); };
  drawNumber(input, tr("spans"), countText(cycles.count), NumberPlace::kNewLine);
  drawNumber(input, tr("mean"), rounded(cycles.mean()));
  drawNumber(input, tr("min"), formatCount(cycles.least));
  drawNumber(input, tr("median"), formatCount(cycles.median));
  drawNumber(input, "p95", formatCount(cycles.p95));
  drawNumber(input, tr("max"), formatCount(cycles.most));
  drawNumber(input, tr("of time"), formatPercent(region.share));
  if (cycles.sum > 0) drawNumber(input, tr("active lanes"), rounded(region.mean_active_lanes));
  if (region.lost_lane_cycles > 0) drawNumber(input, tr("lost"), formatCount(region.lost_lane_cycles));
  if (region.cut_spans > 0) drawNumber(input, tr("cut"), countText(region.cut_spans));
  ImGui::Unindent(side);
  input.report->text(widget, fmt::format("{} {} {} {} {} {}", cycles.count, rounded(cycles.mean()),
                                         cycles.median, cycles.p95, cycles.most, region.lost_lane_cycles));
}

void DetailsView::drawRegions(const ViewInput& input, ViewState& state,
                              const SelectionMetrics& metrics) const {
  quiet(input, tr("Spans of each region, in cycles, as far as they are selected"));
  for (size_t i = 0; i < metrics.regions.size(); ++i) {
    if (metrics.regions[i].cycles.count > 0) drawRegion(input, state, i, metrics.regions[i]);
  }
}

void DetailsView::drawWarpLinks(const ViewInput& input, ViewState& state, const char* label, const char* name,
                                const std::vector<SelectionMetrics::Warp>& warps) {
  quiet(input, label);
  size_t index = 0;
  for (const SelectionMetrics::Warp& warp : warps) {
    const std::string text =
        fmt::format("b{} w{} {}", warp.block.value, warp.warp_in_block, formatCount(warp.life_cycles));
    besideIfRoom(input, text.c_str());
    const std::string widget = fmt::format("{}.{}", name, index++);
    if (smallButton(input, widget.c_str(), text.c_str(), tr("Selects this warp.")))
      state.selected_warp = WarpKey{warp.block, warp.warp_in_block};
    input.report->text(widget, text);
  }
}

void DetailsView::drawWarps(const ViewInput& input, ViewState& state, const SelectionMetrics& metrics) const {
  const Distribution& life = metrics.life_cycles;
  if (life.count > 1) {
    ImGui::Dummy({0, input.theme->px(6)});
    quiet(input, metrics.blocks == 1
                     ? trf("Lives of {} warps of one block, in cycles", countText(metrics.warps))
                     : trf("Lives of {} warps of {} blocks on {} SMs, in cycles", countText(metrics.warps),
                           countText(metrics.blocks), countText(metrics.sms)));
    drawDistribution(input, life, input.theme->text_quiet, "details.life.histogram");
    drawNumber(input, tr("min"), formatCount(life.least), NumberPlace::kNewLine);
    drawNumber(input, tr("median"), formatCount(life.median));
    drawNumber(input, "p95", formatCount(life.p95));
    drawNumber(input, tr("max"), formatCount(life.most));
    drawWarpLinks(input, state, tr("Slowest:"), "details.slowest", metrics.slowest);
    drawWarpLinks(input, state, tr("Fastest:"), "details.fastest", metrics.fastest);
  }
}

// Each with its numbers, so that selections can be compared; a click selects it again.
void DetailsView::drawPins(const ViewInput& input, ViewState& state) {
  if (state.pins.empty() && state.pinned_items.empty()) return;
  const Theme& theme = *input.theme;
  ImGui::Dummy({0, theme.px(6)});
  quiet(input, tr("Pinned"));
  std::optional<size_t> removed;
  for (size_t i = 0; i < state.pins.size(); ++i) {
    const std::string name = fmt::format("details.pinned.{}", i);
    constexpr size_t kLongestPin = 60;
    const std::string text = selectionText(state.pins[i], kLongestPin);
    if (smallButton(input, name.c_str(), text.c_str(), tr("Selects it again.")))
      state.selection = state.pins[i];
    input.report->text(name, text);
    ImGui::SameLine(0, theme.px(6));
    if (smallButton(input, (name + ".remove").c_str(), "×", tr("Removes the pin."))) removed = i;
    if (i >= input.pinned.size() || input.pinned[i] == nullptr) continue;
    const SelectionMetrics& metrics = *input.pinned[i];
    drawNumber(input, tr("cycles"), formatCount(metrics.duration_cycles));
    drawNumber(input, tr("warps"), countText(metrics.warps));
    drawNumber(input, tr("median life"), formatCount(metrics.life_cycles.median));
    if (const auto lost = metrics.lostShare()) drawNumber(input, tr("lost"), formatPercent(*lost));
  }
  if (removed) state.pins.erase(state.pins.begin() + static_cast<std::ptrdiff_t>(*removed));
  drawPinnedItems(input, state);
}

void DetailsView::drawPinnedItems(const ViewInput& input, ViewState& state) {
  std::optional<size_t> removed;
  for (size_t i = 0; i < state.pinned_items.size(); ++i) {
    const ShownItem& item = state.pinned_items[i];
    const std::string name = fmt::format("details.item.{}", i);
    if (smallButton(input, name.c_str(), item.title.c_str(), item.run) && !item.where.empty())
      state.selection = item.where;
    input.report->text(name, itemText(item));
    ImGui::SameLine(0, input.theme->px(6));
    if (smallButton(input, (name + ".remove").c_str(), "×", tr("Removes the pin."))) removed = i;
    for (const auto& [label, value] : item.values) drawNumber(input, label.c_str(), value);
  }
  if (removed) state.pinned_items.erase(state.pinned_items.begin() + static_cast<std::ptrdiff_t>(*removed));
}

void DetailsView::drawStalls(const ViewInput& input, const IssueMetrics& issues) {
  const Theme& theme = *input.theme;
  ImGui::Dummy({0, theme.px(6)});
  quiet(input, trf("{} instructions issued, {} of waiting before them; modelled", countText(issues.issued),
                   trCycles(issues.stall_cycles)));
  std::vector<size_t> states;
  for (size_t i = 0; i < kWarpStates; ++i) {
    if (issues.stalled[i] > 0) states.push_back(i);
  }
  std::ranges::stable_sort(states, std::greater<>(), [&](size_t i) { return issues.stalled[i]; });
  if (states.size() > kMostStalls) states.resize(kMostStalls);
  for (const size_t i : states) {
    const auto state = static_cast<WarpState>(i);
    const double share = static_cast<double>(issues.stalled[i]) / static_cast<double>(issues.stall_cycles);
    const std::string text = formatPercent(share);
    const bool hovered = horizontalBar(theme, *input.fonts,
                                       {.label = trTitle(state),
                                        .text = text.c_str(),
                                        .value = share,
                                        .max = 1,
                                        .colour = theme.accent,
                                        .modelled = true,
                                        .height = ImGui::GetTextLineHeight() + theme.px(6)});
    input.report->widget(fmt::format("details.stall.{}", warpStateName(state)), ImGui::GetItemRectMin(),
                         ImGui::GetItemRectMax());
    if (!hovered) continue;
    Tooltip tooltip(theme, *input.fonts, trTitle(state));
    tooltip.row(tr("waited"), trCycles(issues.stalled[i]));
    tooltip.note(tr(warpStateHelp(state)));
  }
}

}  // namespace

std::unique_ptr<View> makeDetailsView() {
  return std::make_unique<DetailsView>();
}

}  // namespace warpscope
