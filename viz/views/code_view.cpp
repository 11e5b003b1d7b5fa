// The kernel's source: each region in its colour with its share of the time, the selected and the hovered one
// marked. The shown variant's function is bright, the rest of the file is dimmed.
#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/trace/metrics.h"
#include "viz/layout/source_lines.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/message.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kShareBar = 46;  // width of the bar of a region that takes all the time

class CodeView : public View {
 public:
  const char* name() const override { return "code"; }
  const char* title() const override { return "CODE"; }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void read(const ViewInput& input);
  void scroll(const ViewInput& input, const ViewState& state, float line_height);
  void drawLine(const ViewInput& input, const ViewState& state, size_t index, ImVec2 at, float width);
  void tell(const ViewInput& input, const Region& region) const;
  const RegionMetrics* metricsOf(RegionId region) const;

  std::shared_ptr<const Run> read_;  // what the rest was made from
  std::string read_variant_;
  SourceLines source_;
  std::vector<RegionMetrics> metrics_;
  size_t longest_line_ = 0;
  bool to_function_ = false;
  std::optional<RegionId> scrolled_to_;
  bool hovers_ = false;  // the hovered region is this view's doing
};

const RegionMetrics* CodeView::metricsOf(RegionId region) const {
  const auto found = std::find_if(metrics_.begin(), metrics_.end(),
                                  [region](const RegionMetrics& metrics) { return metrics.id == region; });
  return found == metrics_.end() ? nullptr : &*found;
}

void CodeView::read(const ViewInput& input) {
  if (read_ == input.run) return;
  const std::string variant = input.run->request.family + "/" + input.run->request.variant;
  if (variant != read_variant_) to_function_ = true;
  read_variant_ = variant;
  read_ = input.run;
  source_ = sourceLines(*input.run);
  metrics_ = regionMetrics(*input.run);
  longest_line_ = 0;
  for (const SourceLine& line : source_.lines) longest_line_ = std::max(longest_line_, line.text.size());
}

// To the function when the variant changes, to a region when it is selected; else it stays where it is.
void CodeView::scroll(const ViewInput& input, const ViewState& state, float line_height) {
  std::optional<uint32_t> line;
  if (to_function_) line = source_.function_line;
  if (state.selected_region != scrolled_to_ && state.selected_region) {
    for (const Region& region : input.run->regions) {
      if (region.id == *state.selected_region) line = region.first_line > 3 ? region.first_line - 3 : 1;
    }
  }
  scrolled_to_ = state.selected_region;
  to_function_ = false;
  if (!line) return;
  const float y = static_cast<float>(*line - 1) * line_height;
  const float top = ImGui::GetScrollY();
  const float height = ImGui::GetWindowSize().y;
  if (y < top || y + line_height * 6 > top + height || source_.function_line == *line) ImGui::SetScrollY(y);
}

void CodeView::tell(const ViewInput& input, const Region& region) const {
  const auto index = static_cast<size_t>(&region - input.run->regions.data());
  Tooltip tooltip(*input.theme, *input.fonts, region.name);
  tooltip.colourRow("lines", input.theme->region(index),
                    region.first_line == region.last_line
                        ? std::to_string(region.first_line)
                        : fmt::format("{} - {}", region.first_line, region.last_line));
  const RegionMetrics* metrics = metricsOf(region.id);
  if (metrics == nullptr || metrics->spans == 0) {
    tooltip.note("No recorded warp was here.");
    return;
  }
  tooltip.row("share", formatPercent(metrics->share));
  tooltip.row("spans", formatCount(static_cast<int64_t>(metrics->spans)));
  tooltip.row("divergent", fmt::format("{} ({})", formatCount(static_cast<int64_t>(metrics->divergent_spans)),
                                       formatPercent(static_cast<double>(metrics->divergent_spans) /
                                                     static_cast<double>(metrics->spans))));
  tooltip.row("lanes", fmt::format("{} of 32 active", formatSignificant(metrics->mean_active_lanes, 3)));
  tooltip.row("lost", formatCount(metrics->lost_lane_cycles) + " lane-cycles");
  tooltip.note(fmt::format("Share of all recorded warp-cycles, {}. Click selects the region in all views.",
                           provenanceName(input.run->device.provenance)));
}

void CodeView::drawLine(const ViewInput& input, const ViewState& state, size_t index, ImVec2 at,
                        float width) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const SourceLine& line = source_.lines[index];
  const float height = ImGui::GetTextLineHeightWithSpacing();
  const float number_width = textSize(input.fonts->mono, "0000").x;
  const float bar_left = at.x + theme.px(4);
  const float text_left = bar_left + theme.px(kShareBar) + number_width + theme.px(14);
  if (line.region) {
    const Region& region = input.run->regions[*line.region];
    const ImU32 colour = theme.region(*line.region);
    const bool selected = state.selected_region == region.id;
    const bool hovered = state.hovered_region == region.id;
    const float strength = selected ? 0.34F : hovered ? 0.24F : 0.09F;
    list.AddRectFilled(ImVec2(at.x, at.y), ImVec2(at.x + width, at.y + height), withAlpha(colour, strength));
    list.AddRectFilled(at, ImVec2(at.x + theme.px(selected ? 4.0F : 3.0F), at.y + height), colour);
    // The region's share of the time stands at its first line.
    const RegionMetrics* metrics = metricsOf(region.id);
    if (metrics != nullptr && region.first_line == index + 1) {
      const float bar = theme.px(kShareBar) * static_cast<float>(metrics->share);
      list.AddRectFilled(ImVec2(bar_left, at.y + height - theme.px(3)),
                         ImVec2(bar_left + bar, at.y + height - theme.px(1)), colour);
      const std::string share = formatPercent(metrics->share, 2);
      drawText(list, input.fonts->mono, ImVec2(bar_left + theme.px(2), at.y), theme.text, share.c_str());
    }
  }
  const std::string number = std::to_string(index + 1);
  const float number_right = bar_left + theme.px(kShareBar) + number_width;
  drawText(list, input.fonts->mono,
           ImVec2(number_right - textSize(input.fonts->mono, number.c_str()).x, at.y), theme.text_quiet,
           number.c_str());
  ImU32 ink = line.comment ? theme.text_quiet : theme.text;
  if (!line.in_function) ink = withAlpha(theme.text_quiet, 0.55F);
  if (input.refreshing) ink = withAlpha(ink, 0.6F);
  const char* begin = line.text.data();
  list.AddText(input.fonts->mono, ImGui::GetFontSize(), ImVec2(text_left, at.y), ink, begin,
               begin + line.text.size());
}

void CodeView::draw(const ViewInput& input, ViewState& state) {
  if (input.run == nullptr) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  read(input);
  if (source_.lines.empty()) {
    drawMessage(*input.theme, *input.fonts, "This run carries no source text.");
    return;
  }
  pushFont(input.fonts->mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, input.theme->px(2)));
  ImGui::BeginChild("source", ImVec2(0, 0), false,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
  const float height = ImGui::GetTextLineHeightWithSpacing();
  const float glyph = textSize(input.fonts->mono, "0").x;
  const float text_width = glyph * static_cast<float>(longest_line_ + 5) + input.theme->px(kShareBar + 24);
  const float width = std::max(ImGui::GetContentRegionAvail().x, text_width);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(width, height * static_cast<float>(source_.lines.size())));
  scroll(input, state, height);

  const float window_top = ImGui::GetWindowPos().y;
  const auto line_at = [&](float y) {
    const float index = (y - origin.y) / height;
    return static_cast<size_t>(std::clamp(index, 0.0F, static_cast<float>(source_.lines.size())));
  };
  const size_t last = std::min(source_.lines.size(), line_at(window_top + ImGui::GetWindowSize().y) + 1);
  for (size_t i = line_at(window_top); i < last; ++i) {
    drawLine(input, state, i, ImVec2(origin.x, origin.y + height * static_cast<float>(i)), width);
  }

  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const size_t under = line_at(mouse.y);
  const Region* region = nullptr;
  if (ImGui::IsWindowHovered() && under < source_.lines.size() && source_.lines[under].region) {
    region = &input.run->regions[*source_.lines[under].region];
  }
  if (region != nullptr && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    if (state.selected_region == region->id) {
      state.selected_region.reset();
    } else {
      state.selected_region = region->id;
      scrolled_to_ = region->id;  // it is in sight already
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  if (region != nullptr) {
    state.hovered_region = region->id;
    tell(input, *region);
  } else if (hovers_) {
    state.hovered_region.reset();
  }
  hovers_ = region != nullptr;
}

}  // namespace

std::unique_ptr<View> makeCodeView() {
  return std::make_unique<CodeView>();
}

}  // namespace warpscope
