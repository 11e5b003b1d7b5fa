#include "viz/views/step_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/units.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/translate.h"
#include "viz/views/lane_log_parts.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

bool stepButton(const ViewInput& input, const char* name, const char* label, const char* help, bool enabled) {
  ImGui::BeginDisabled(!enabled);
  ImGui::PushID(name);
  const bool pressed = ImGui::Button(label);
  ImGui::PopID();
  ImGui::EndDisabled();
  input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (enabled && ImGui::IsItemHovered() && !ImGui::IsMouseDown(0)) {
    Tooltip tooltip(*input.theme, *input.fonts, help);
  }
  return pressed;
}

}  // namespace

void StepView::draw(const ViewInput& input, ViewState& state) {
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const ImVec2 max{min.x + size.x, min.y + size.y};
  input.report->widget(name(), min, max);
  if (drawMissingLog(input)) return;
  read(input, state);
  if (steps_.empty()) {
    state.step_by = 0;
    drawMessage(*input.theme, *input.fonts, nothingToShow(steps_.warp()));
    return;
  }
  follow(input, state);
  std::optional<size_t>& selected = state.selected_steps[static_cast<size_t>(kind_)];
  size_t shown = std::min(selected.value_or(steps_.usual()), steps_.size() - 1);
  if (state.step_by != 0) {
    const auto last = static_cast<int64_t>(steps_.size()) - 1;
    const auto next = std::clamp<int64_t>(static_cast<int64_t>(shown) + state.step_by, 0, last);
    state.step_by = 0;
    choose(input, state, static_cast<size_t>(next));
    shown = *selected;
  }
  drawBar(input, state, shown);
  shown = std::min(selected.value_or(shown), steps_.size() - 1);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  drawStep(input, steps_, shown);
  dimIfOld(input, from, max);
}

void StepView::read(const ViewInput& input, const ViewState& state) {
  const LoggedWarp& warp = shownLoggedWarp(*input.lanes, state);
  const WarpKey key{warp.block, warp.warp_in_block};
  if (read_ == input.lanes && read_warp_ == key) return;
  read_ = input.lanes;
  read_warp_ = key;
  steps_ = StepList(*read_, warp, kind_);
}

const TraceWarp* StepView::traceWarp(const ViewInput& input, uint32_t* index) const {
  if (input.layout == nullptr || input.lanes_refreshing) return nullptr;
  const auto found = input.layout->findWarp(read_warp_.block, read_warp_.warp_in_block);
  if (!found) return nullptr;
  *index = *found;
  const TraceWarp& warp = input.run->trace.warps[*found];
  return warp.instruction_count == 0 ? nullptr : &warp;
}

// If an instruction was selected elsewhere, selects its step here.
void StepView::follow(const ViewInput& input, ViewState& state) {
  if (state.selected_instruction == followed_) return;
  followed_ = state.selected_instruction;
  if (!followed_) return;
  uint32_t index = 0;
  const TraceWarp* warp = traceWarp(input, &index);
  if (warp == nullptr) return;
  const bool exact = followed_->warp == read_warp_ && followed_->ordinal < warp->instruction_count;
  const auto step = exact ? steps_.stepOf(*input.run, *warp, followed_->ordinal)
                          : steps_.firstOf(*input.run, followed_->listed);
  if (step) state.selected_steps[static_cast<size_t>(kind_)] = *step;
}

// Conversely, selects the step's instruction everywhere.
void StepView::choose(const ViewInput& input, ViewState& state, size_t i) {
  state.selected_steps[static_cast<size_t>(kind_)] = i;
  uint32_t index = 0;
  const TraceWarp* warp = traceWarp(input, &index);
  if (warp == nullptr) return;
  const auto ordinal = steps_.instructionOf(i, *input.run, *warp);
  if (!ordinal) return;
  const uint32_t listed = input.run->trace.instructionsOf(*warp)[*ordinal].listed;
  state.selected_instruction = followed_ = InstructionKey{read_warp_, *ordinal, listed};
}

std::string StepView::stepText(size_t i, bool with_cost) const {
  const std::string ptx = textOf(steps_.log(), steps_.instruction(i));
  const uint32_t line = steps_.line(i);
  std::string text = line == 0 ? opcodeOf(ptx) : trf("line {}  {}", line, opcodeOf(ptx));
  if (with_cost) text += "   " + costText(steps_, i);
  return text;
}

void StepView::drawList(const ViewInput& input, ViewState& state, size_t shown, float width) {
  const Theme& theme = *input.theme;
  ImGui::SetNextItemWidth(width);
  pushFont(input.fonts->mono);
  const float room = width - ImGui::GetFrameHeight() - theme.px(16);
  const std::string preview = fittedText(input.fonts->mono, stepText(shown, false), room);
  const bool open = ImGui::BeginCombo("##steps", preview.c_str(), ImGuiComboFlags_HeightLarge);
  ImGui::PopFont();
  input.report->widget(std::string(name()) + ".list", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (!open) {
    if (ImGui::IsItemHovered()) {
      Tooltip tooltip(theme, *input.fonts, warpText(steps_.warp()));
      tooltip.row(tr("PTX"), textOf(steps_.log(), steps_.instruction(shown)));
      tooltip.note(tr("Click lists all of this warp; the keys [ and ] step through them."));
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Right))
        input.copy(textOf(steps_.log(), steps_.instruction(shown)));
    }
    return;
  }
  pushFont(input.fonts->mono);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(steps_.size()));
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const auto i = static_cast<size_t>(row);
      const std::string text = fmt::format("{:>4}  {}##{}", row + 1, stepText(i, true), row);
      if (ImGui::Selectable(text.c_str(), i == shown)) choose(input, state, i);
      input.report->widget(fmt::format("{}.step.{}", name(), row), ImGui::GetItemRectMin(),
                           ImGui::GetItemRectMax());
    }
  }
  if (ImGui::IsWindowAppearing()) {
    ImGui::SetScrollY(static_cast<float>(shown) * ImGui::GetTextLineHeightWithSpacing() - theme.px(60));
  }
  ImGui::PopFont();
  ImGui::EndCombo();
}

// Back, forward, the list; and at the right end the origin of the addresses.
void StepView::drawBar(const ViewInput& input, ViewState& state, size_t shown) {
  const Theme& theme = *input.theme;
  const std::string prefix = name();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {theme.px(7), theme.px(2)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(5), theme.px(4)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  if (stepButton(input, (prefix + ".previous").c_str(), "<", tr("The one before (key [)"), shown > 0)) {
    choose(input, state, shown - 1);
  }
  ImGui::SameLine();
  if (stepButton(input, (prefix + ".next").c_str(), ">", tr("The next one (key ])"),
                 shown + 1 < steps_.size())) {
    choose(input, state, shown + 1);
  }
  ImGui::SameLine();
  const std::string place = trf("{} of {}", formatCount(static_cast<int64_t>(shown) + 1),
                                formatCount(static_cast<int64_t>(steps_.size())));
  const char* simulated = kind_ == StepKind::kExchange ? tr("values: simulated") : tr("addresses: simulated");
  const float badge = simulatedBadgeWidth(input, simulated) + theme.px(8);
  const float place_width = textSize(input.fonts->text, place.c_str()).x + theme.px(10);
  float room = right - ImGui::GetCursorScreenPos().x;
  const float least = theme.px(150);
  const bool badge_beside = room - badge - place_width >= least;
  if (badge_beside) room -= badge;
  const bool place_beside = room - place_width >= least;
  if (place_beside) room -= place_width;
  drawList(input, state, shown, std::min(room, theme.px(330)));
  if (place_beside) {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme.text_quiet), "%s", place.c_str());
  }
  if (badge_beside) drawSimulatedBadge(input, simulated, right, at.y);
  ImGui::PopStyleVar(2);
  summary_width_ = right - at.x;
  if (badge_beside) return;
  const ImVec2 line = ImGui::GetCursorScreenPos();
  summary_width_ = drawSimulatedBadge(input, simulated, right, line.y) - theme.px(8) - line.x;
}

void StepView::drawSummary(const ViewInput& input, const std::string& text) const {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Theme& theme = *input.theme;
  const float height = ImGui::GetTextLineHeight() + theme.px(5);
  ImGui::Dummy({summary_width_, height});
  drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, {at.x, at.y + theme.px(2)}, summary_width_,
                 theme.text, text.c_str());
  input.report->widget(std::string(name()) + ".summary", at, {at.x + summary_width_, at.y + height});
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(theme, *input.fonts, text);
  tooltip.note(tr("Right click copies."));
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) input.copy(text);
}

}  // namespace warpscope
