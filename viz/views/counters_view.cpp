// The counters of a run under names that a reader understands, with Nsight Compute's names beside them if
// there is room, otherwise in the tooltip. Only a device that counts can report them.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/metrics/counters.h"
#include "kernels/run/warp_state.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/views/item_offer.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kNamesFrom = 520;  // pixels at 100 %: wide enough for Nsight Compute's names

class CountersView : public View {
 public:
  const char* name() const override { return "counters"; }
  const char* title() const override { return trMark("COUNTERS"); }
  const char* help() const override {
    return trMark("What was counted in the launch, with Nsight Compute's names.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  struct Line {
    std::string group, title, unit, name, nvprof;
    double value = 0;
    std::string text() const { return formatCounter(value, tr(unit)); }
  };
  void read(const Run& run);
  void drawLine(const ViewInput& input, const Line& line) const;

  std::shared_ptr<const Run> read_;
  std::vector<Line> lines_;
};

void CountersView::read(const Run& run) {
  lines_.clear();
  std::map<std::string, double> rest = run.counters;
  for (size_t i = 0; i < kWarpStates; ++i) rest.erase(warpStateCounter(static_cast<WarpState>(i)));
  for (const CounterText& text : counterTexts()) {
    const auto found = rest.find(std::string(text.name));
    if (found == rest.end()) continue;
    lines_.push_back({std::string(text.group), std::string(text.title), std::string(text.unit), found->first,
                      std::string(text.nvprof), found->second});
    rest.erase(found);
  }
  for (const auto& [name, value] : rest) {
    lines_.push_back({trMark("Others"), name, "", name, "", value});
  }
}

void CountersView::drawLine(const ViewInput& input, const Line& line) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetTextLineHeight() + theme.px(3);
  ImGui::Dummy({width, height});
  input.report->widget("counters." + line.name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) list.AddRectFilled(at, {at.x + width, at.y + height}, withAlpha(theme.accent, 0.12F));
  const float y = at.y + theme.px(1);
  // Counters that are 0 stay readable, but quiet.
  const std::string value = line.text();
  const ImU32 ink = line.value == 0 ? theme.text_quiet : theme.text;
  const bool names = width >= theme.px(kNamesFrom);
  const float value_right = names ? at.x + width * 0.52F : at.x + width;
  const float value_width = textSize(input.fonts->mono, value.c_str()).x;
  const float left = at.x + theme.px(8);
  drawTextFitted(list, input.fonts->text, {left, y}, value_right - value_width - theme.px(8) - left, ink,
                 tr(line.title.c_str()));
  drawText(list, input.fonts->mono, {value_right - value_width, y}, ink, value.c_str());
  if (names) {
    drawTextFitted(list, input.fonts->mono, {value_right + theme.px(16), y},
                   at.x + width - value_right - theme.px(16), theme.text_quiet, line.name.c_str());
  }
  if (!hovered) return;
  Tooltip tooltip(theme, *input.fonts, fmt::format("{}: {}", tr(line.group), tr(line.title)));
  tooltip.row(tr("value"), value);
  tooltip.row(line.name.starts_with("ptx.") ? tr("name") : "Nsight", line.name);
  if (!line.nvprof.empty()) tooltip.row("nvprof", line.nvprof);
  tooltip.note(
      trf("Of the bare kernel without probes, {}. A real GPU launches it several times to count all of them.",
          tr(provenanceName(input.run->device.provenance))));
  offerItem(input, tooltip);
}

void CountersView::draw(const ViewInput& input, ViewState& /*state*/) {
  if (input.run == nullptr) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  if (read_ != input.run) read(*input.run);
  read_ = input.run;
  if (lines_.empty()) {
    drawMessage(*input.theme, *input.fonts, noCountersText(*input.run));
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("counters", {0, 0}, false, ImGuiWindowFlags_NoNav);
  std::string_view group;
  for (const Line& line : lines_) {
    if (line.group != group) {
      group = line.group;
      ImGui::PushStyleColor(ImGuiCol_Text, input.theme->text_quiet);
      ImGui::TextUnformatted(tr(line.group.c_str()));
      ImGui::PopStyleColor();
    }
    drawLine(input, line);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

std::unique_ptr<View> makeCountersView() {
  return std::make_unique<CountersView>();
}

}  // namespace warpscope
