// The kernel's source, or its PTX: each region in its colour with its share of the time, with selection and
// hover marked, and beside it what the warps issued there, if the device reports it. The shown variant's
// function is bright, the rest of the file is dimmed.
#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/metrics/metrics.h"
#include "viz/layout/code_rows.h"
#include "viz/layout/source_lines.h"
#include "viz/text/translate.h"
#include "viz/views/hazard_list.h"
#include "viz/views/issue_columns.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kShareBar = 46;  // the width of the bar of a region that takes all the time

class CodeView : public View {
 public:
  const char* name() const override { return "code"; }
  const char* title() const override { return trMark("CODE"); }
  const char* help() const override {
    return trMark("The source of the kernel: each region in its colour, with its share of the time.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void read(const ViewInput& input);
  void drawHead(const ViewInput& input);
  void drawRows(const ViewInput& input, ViewState& state);
  void scroll(const ViewInput& input, const ViewState& state, float line_height);
  void drawRow(const ViewInput& input, const ViewState& state, size_t index, ImVec2 at, float width);
  void select(const ViewInput& input, ViewState& state, size_t index);
  void hover(const ViewInput& input, ViewState& state, std::optional<size_t> index);
  void tell(const ViewInput& input, const CodeRow& row) const;
  bool isRowOf(const ViewInput& input, size_t index, std::optional<uint32_t> listed) const;
  const RegionMetrics* metricsOf(RegionId region) const;
  std::vector<size_t> hazardsOf(const CodeRow& row) const;
  const CodeRows& code() const { return ptx_ ? of_ptx_ : of_source_; }

  std::shared_ptr<const Run> read_;  // the run that the rest was made from
  std::string read_variant_;
  CodeRows of_source_, of_ptx_;
  IssueColumns columns_;
  bool ptx_ = false;
  std::vector<RegionMetrics> metrics_;
  HazardLines hazards_;
  bool to_function_ = false;
  std::optional<RegionId> scrolled_to_;
  std::optional<uint32_t> scrolled_to_listed_, scrolled_to_line_;
  bool hovers_ = false;  // this view has set what is hovered
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
  of_source_ = sourceRows(*input.run);
  of_ptx_ = ptxRows(*input.run);
  if (of_ptx_.rows.empty()) ptx_ = false;
  metrics_ = regionMetrics(*input.run);
  hazards_ = hazardLines(*input.run);
}

// For PTX, the instructions of the hazard's own lines.
std::vector<size_t> CodeView::hazardsOf(const CodeRow& row) const {
  const auto found = hazards_.find(row.line);
  if (found == hazards_.end()) return {};
  if (!ptx_) return found->second;
  std::vector<size_t> hazards;
  for (const size_t index : found->second) {
    const Hazard& hazard = (*read_->hazards)[index];
    if (hazard.access.ptx == row.text || (hazard.second && hazard.second->ptx == row.text))
      hazards.push_back(index);
  }
  return hazards;
}

bool CodeView::isRowOf(const ViewInput& input, size_t index, std::optional<uint32_t> listed) const {
  if (!listed) return false;
  return ptx_ ? index == *listed : sourceRowOf(*input.run, *listed) == index;
}

// Scrolls to the function when the variant changes, and to the selection when that changes; otherwise stays.
void CodeView::scroll(const ViewInput& input, const ViewState& state, float line_height) {
  std::optional<size_t> to;
  if (to_function_) to = code().first_row;
  if (state.selected_region != scrolled_to_ && state.selected_region) {
    const auto begins = std::find_if(code().rows.begin(), code().rows.end(), [&](const CodeRow& row) {
      return row.region_begins && input.run->regions[*row.region].id == *state.selected_region;
    });
    // A new function is read from its beginning where the region is in sight then.
    const auto at = static_cast<size_t>(begins - code().rows.begin());
    const float rows_in_sight = ImGui::GetWindowSize().y / line_height - 2;
    const bool beside_function = to && at >= *to && static_cast<float>(at - *to) < rows_in_sight;
    if (begins != code().rows.end() && !beside_function) to = at;
  }
  std::optional<uint32_t> listed;
  if (state.selected_instruction) listed = state.selected_instruction->listed;
  if (listed && listed != scrolled_to_listed_) to = ptx_ ? *listed : sourceRowOf(*input.run, *listed);
  if (state.selected_line && state.selected_line != scrolled_to_line_) {
    const auto row = std::ranges::find(code().rows, *state.selected_line, &CodeRow::line);
    if (row != code().rows.end()) to = static_cast<size_t>(row - code().rows.begin());
  }
  scrolled_to_line_ = state.selected_line;
  const bool whole_function = to_function_;
  scrolled_to_ = state.selected_region;
  scrolled_to_listed_ = listed;
  to_function_ = false;
  if (!to) return;
  const size_t above = whole_function ? *to : *to - std::min<size_t>(*to, 3);
  const float y = static_cast<float>(above) * line_height;
  const float top = ImGui::GetScrollY();
  const float height = ImGui::GetWindowSize().y;
  if (y < top || y + line_height * 6 > top + height || whole_function) ImGui::SetScrollY(y);
}

void CodeView::tell(const ViewInput& input, const CodeRow& row) const {
  const Region* region = row.region ? &input.run->regions[*row.region] : nullptr;
  const std::vector<size_t> hazards = hazardsOf(row);
  if (region == nullptr && row.issued.empty() && hazards.empty()) return;
  Tooltip tooltip(*input.theme, *input.fonts,
                  region != nullptr ? tr(region->name) : trf("line {}", row.line));
  for (const size_t index : hazards) {
    const Hazard& hazard = (*input.run->hazards)[index];
    tooltip.colourRow(tr("hazard"), input.theme->error, tr(hazardTitle(hazard.kind)));
    tellHazard(tooltip, hazard);
  }
  if (!row.issued.empty()) {
    tooltip.note(ptx_ ? tr("This instruction:") : tr("This line:"));
    tellIssued(tooltip, row.issued);
    if (region != nullptr) tooltip.note(tr("Its region:"));
  }
  if (region == nullptr) return;
  tooltip.colourRow(tr("lines"), input.theme->region(*row.region),
                    region->first_line == region->last_line
                        ? std::to_string(region->first_line)
                        : fmt::format("{} - {}", region->first_line, region->last_line));
  const RegionMetrics* metrics = metricsOf(region->id);
  if (metrics == nullptr || metrics->spans == 0) {
    tooltip.note(tr("No recorded warp was here."));
    return;
  }
  tooltip.row(tr("share"), formatPercent(metrics->share));
  tooltip.row(tr("spans"), formatCount(static_cast<int64_t>(metrics->spans)));
  tooltip.row(tr("divergent"),
              fmt::format("{} ({})", formatCount(static_cast<int64_t>(metrics->divergent_spans)),
                          formatPercent(static_cast<double>(metrics->divergent_spans) /
                                        static_cast<double>(metrics->spans))));
  tooltip.row(tr("lanes"), trf("{} of 32 active", formatSignificant(metrics->mean_active_lanes, 3)));
  tooltip.row(tr("lost"), trf("{} lane-cycles", formatCount(metrics->lost_lane_cycles)));
  tooltip.note(trf("Share of all recorded warp-cycles, {}. Click selects {} in all views.",
                   tr(provenanceName(input.run->device.provenance)),
                   ptx_ ? tr("the instruction") : tr("the region")));
}

void CodeView::drawRow(const ViewInput& input, const ViewState& state, size_t index, ImVec2 at, float width) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const CodeRow& row = code().rows[index];
  const float height = ImGui::GetTextLineHeightWithSpacing();
  const float number_width = textSize(input.fonts->mono, "0000").x;
  const float bar_left = at.x + theme.px(4);
  if (row.region) {
    const Region& region = input.run->regions[*row.region];
    const ImU32 colour = theme.region(*row.region);
    const bool selected = state.selected_region == region.id;
    const bool hovered = state.hovered_region == region.id;
    const float strength = selected ? 0.34F : hovered ? 0.24F : 0.09F;
    list.AddRectFilled(ImVec2(at.x, at.y), ImVec2(at.x + width, at.y + height), withAlpha(colour, strength));
    list.AddRectFilled(at, ImVec2(at.x + theme.px(selected ? 4.0F : 3.0F), at.y + height), colour);
    // The region's share of the time is shown at its first line.
    const RegionMetrics* metrics = metricsOf(region.id);
    if (metrics != nullptr && row.region_begins) {
      const float bar = theme.px(kShareBar) * static_cast<float>(metrics->share);
      list.AddRectFilled(ImVec2(bar_left, at.y + height - theme.px(3)),
                         ImVec2(bar_left + bar, at.y + height - theme.px(1)), colour);
      const std::string share = formatPercent(metrics->share, 2);
      drawText(list, input.fonts->mono, ImVec2(bar_left + theme.px(2), at.y), theme.text, share.c_str());
    }
  }
  std::optional<uint32_t> selected;
  if (state.selected_instruction) selected = state.selected_instruction->listed;
  const bool is_selected = isRowOf(input, index, selected);
  if (is_selected || isRowOf(input, index, state.hovered_listed)) {
    list.AddRectFilled(at, {at.x + width, at.y + height},
                       withAlpha(theme.accent, is_selected ? 0.30F : 0.16F));
  }
  if (row.line > 0 && state.selected_line == row.line) {
    list.AddRect(at, {at.x + width, at.y + height}, theme.error, 0, 0, theme.px(1.5F));
  }
  if (!hazardsOf(row).empty()) {
    list.AddRectFilled(at, {at.x + width, at.y + height}, withAlpha(theme.error, 0.14F));
    drawHazardSign(theme, *input.fonts, {bar_left + theme.px(kShareBar - 12), at.y + height / 2});
    input.report->widget(fmt::format("code.line.{}.hazard", row.line), at, {at.x + width, at.y + height});
  }
  float left = bar_left + theme.px(kShareBar);
  if (code().hasColumns()) {
    drawIssueCells(input, columns_, row, code().most_waited, {left, at.y}, height);
    left += columns_.sum();
  }
  const bool same_line = ptx_ && index > 0 && code().rows[index - 1].line == row.line;
  if (row.line > 0 && !same_line) {
    const std::string number = std::to_string(row.line);
    drawText(list, input.fonts->mono,
             ImVec2(left + number_width - textSize(input.fonts->mono, number.c_str()).x, at.y),
             theme.text_quiet, number.c_str());
  }
  ImU32 ink = row.quiet ? theme.text_quiet : theme.text;
  if (row.dimmed) ink = withAlpha(theme.text_quiet, 0.55F);
  if (input.refreshing) ink = withAlpha(ink, 0.6F);
  const char* begin = row.text.data();
  list.AddText(input.fonts->mono, ImGui::GetFontSize(), ImVec2(left + number_width + theme.px(10), at.y), ink,
               begin, begin + row.text.size());
}

// The titles of the columns, and the choice between source and PTX.
void CodeView::drawHead(const ViewInput& input) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const float top = at.y + theme.px(2);
  if (code().hasColumns()) drawIssueTitles(input, columns_, at.x + theme.px(4 + kShareBar), top);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {theme.px(6), theme.px(1)});
  const auto choice = [&](const char* label, const char* name, bool on, const char* help) {
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, mixColours(theme.panel, theme.accent, 0.45F));
    const bool clicked = ImGui::Button(label);
    if (on) ImGui::PopStyleColor();
    input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    if (ImGui::IsItemHovered()) Tooltip(theme, *input.fonts, label).note(help);
    return clicked;
  };
  const float wide = textSize(input.fonts->text, tr("source")).x + textSize(input.fonts->text, "PTX").x +
                     theme.px(6) * 4 + theme.px(2);
  const float time_right = at.x + theme.px(6) + textSize(input.fonts->text, tr("time")).x;
  if (time_right < right - wide) {
    drawText(*ImGui::GetWindowDrawList(), input.fonts->text, {at.x + theme.px(6), top}, theme.text_quiet,
             tr("time"));
  }
  ImGui::SetCursorScreenPos({right - wide, at.y});
  bool ptx = ptx_;
  if (choice(tr("source"), "code.source", !ptx_, tr("The kernel as it was written."))) ptx = false;
  ImGui::SameLine(0, theme.px(2));
  if (choice("PTX", "code.ptx", ptx_, tr("What the compiler made of it, with the source line of each."))) {
    ptx = true;
  }
  ImGui::PopStyleVar();
  if (ptx != ptx_) {
    ptx_ = ptx;
    to_function_ = true;
    scrolled_to_listed_.reset();
  }
  ImGui::SetCursorScreenPos({at.x, at.y + ImGui::GetTextLineHeight() + theme.px(5)});
}

void CodeView::select(const ViewInput& input, ViewState& state, size_t index) {
  if (ptx_) {
    const auto listed = static_cast<uint32_t>(index);
    const bool again = state.selected_instruction && state.selected_instruction->listed == listed;
    state.selected_instruction.reset();
    // For all warps, so there is no ordinal.
    if (!again) state.selected_instruction = InstructionKey{{}, UINT32_MAX, listed};
    scrolled_to_listed_ = listed;  // it is visible already
    return;
  }
  if (!code().rows[index].region) return;
  const RegionId region = input.run->regions[*code().rows[index].region].id;
  if (state.selected_region == region) {
    state.selected_region.reset();
  } else {
    state.selected_region = region;
    scrolled_to_ = region;
  }
}

void CodeView::hover(const ViewInput& input, ViewState& state, std::optional<size_t> index) {
  if (hovers_) state.hovered_region.reset();
  if (hovers_) state.hovered_listed.reset();
  hovers_ = index.has_value();
  if (!index) return;
  const CodeRow& row = code().rows[*index];
  if (row.region) state.hovered_region = input.run->regions[*row.region].id;
  if (ptx_) state.hovered_listed = static_cast<uint32_t>(*index);
  tell(input, row);
}

void CodeView::drawRows(const ViewInput& input, ViewState& state) {
  const std::vector<CodeRow>& rows = code().rows;
  pushFont(input.fonts->mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, input.theme->px(2)));
  ImGui::BeginChild(ptx_ ? "ptx" : "source", ImVec2(0, 0), false,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
  const float height = ImGui::GetTextLineHeightWithSpacing();
  const float glyph = textSize(input.fonts->mono, "0").x;
  const float columns = code().hasColumns() ? columns_.sum() : 0;
  const float text_width =
      glyph * static_cast<float>(code().longest_text + 5) + columns + input.theme->px(kShareBar + 24);
  const float width = std::max(ImGui::GetContentRegionAvail().x, text_width);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(width, height * static_cast<float>(rows.size())));
  scroll(input, state, height);

  const float window_top = ImGui::GetWindowPos().y;
  const auto row_at = [&](float y) {
    const float index = (y - origin.y) / height;
    return static_cast<size_t>(std::clamp(index, 0.0F, static_cast<float>(rows.size())));
  };
  const size_t last = std::min(rows.size(), row_at(window_top + ImGui::GetWindowSize().y) + 1);
  for (size_t i = row_at(window_top); i < last; ++i) {
    drawRow(input, state, i, ImVec2(origin.x, origin.y + height * static_cast<float>(i)), width);
  }
  const size_t under = row_at(ImGui::GetIO().MousePos.y);
  const bool over =
      ImGui::IsWindowHovered() && under < rows.size() &&
      (rows[under].region || !rows[under].issued.empty() || ptx_ || hazards_.contains(rows[under].line));
  if (over && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) select(input, state, under);
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  hover(input, state, over ? std::optional(under) : std::nullopt);
}

void CodeView::draw(const ViewInput& input, ViewState& state) {
  if (input.run == nullptr) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  read(input);
  if (of_source_.rows.empty()) {
    drawMessage(*input.theme, *input.fonts, tr("This run carries no source text."));
    return;
  }
  columns_ = issueColumns(*input.theme, *input.fonts, ImGui::GetContentRegionAvail().x, code().sampled);
  if (!of_ptx_.rows.empty()) drawHead(input);
  drawHazardList(input, state);
  drawRows(input, state);
}

}  // namespace

std::unique_ptr<View> makeCodeView() {
  return std::make_unique<CodeView>();
}

}  // namespace warpscope
