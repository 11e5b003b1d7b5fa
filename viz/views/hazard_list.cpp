#include "viz/views/hazard_list.h"

#include <algorithm>

#include "kernels/core/units.h"
#include "viz/layout/source_lines.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

constexpr size_t kMostHazardRows = 4;  // visible at the same time

std::string dimText(const Dim3& dim) {
  return dim.y == 0 && dim.z == 0 ? std::to_string(dim.x) : fmt::format("({},{},{})", dim.x, dim.y, dim.z);
}

// "threads 255 and 0 of block 0", "operations 0 and 3"
std::string whoText(const Hazard& hazard) {
  if (hazard.operations.size() == 2)
    return trf("operations {} and {}", hazard.operations[1].index, hazard.operations[0].index);
  const std::string thread = dimText(hazard.access.thread), block = dimText(hazard.access.block);
  if (!hazard.second) return trf("thread {} of block {}", thread, block);
  const std::string other = dimText(hazard.second->thread);
  if (hazard.second->block == hazard.access.block) {
    return trf("threads {} and {} of block {}", other, thread, block);
  }
  return trf("thread {} of block {}, thread {} of block {}", other, dimText(hazard.second->block), thread,
             block);
}

// "'in' (4,096 bytes) + 4,096"; the address itself is in the tooltip.
std::string placeText(const Hazard& hazard) {
  if (hazard.allocation.empty()) return "";
  return fmt::format("{} + {}", hazard.allocation, formatCount(hazard.offset));
}

void drawHazardRow(const ViewInput& input, ViewState& state, size_t index) {
  const Theme& theme = *input.theme;
  const Hazard& hazard = (*input.run->hazards)[index];
  const uint32_t line = lineOf(*input.run, hazard);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetTextLineHeight() + theme.px(5);
  ImGui::PushID(static_cast<int>(index));
  const bool clicked = ImGui::InvisibleButton("hazard", {std::max(width, 1.0F), height});
  ImGui::PopID();
  input.report->widget(fmt::format("code.hazard.{}", index), ImGui::GetItemRectMin(),
                       ImGui::GetItemRectMax());
  const bool hovered = ImGui::IsItemHovered();
  const bool selected = line > 0 && state.selected_line == line;
  if (hovered || selected) {
    list.AddRectFilled(at, {at.x + width, at.y + height}, withAlpha(theme.error, selected ? 0.26F : 0.16F));
  }
  drawHazardSign(theme, *input.fonts, {at.x + theme.px(11), at.y + height / 2});
  std::string text = tr(hazardTitle(hazard.kind));
  if (line > 0) text += "   " + trf("line {}", line);
  text += "   " + whoText(hazard);
  if (const std::string place = placeText(hazard); !place.empty()) text += "   " + place;
  if (hazard.count > 1) text += "   × " + formatCount(static_cast<int64_t>(hazard.count));
  const float left = at.x + theme.px(24);
  drawTextFitted(list, input.fonts->text, {left, at.y + theme.px(2)}, at.x + width - left,
                 input.refreshing ? withAlpha(theme.text, 0.6F) : theme.text, text.c_str());
  if (clicked && line > 0) {
    selected ? state.selected_line.reset() : void(state.selected_line = line);
  }
  if (!hovered) return;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) input.copy(formatHazard(hazard));
  Tooltip tooltip(theme, *input.fonts, tr(hazardTitle(hazard.kind)));
  tellHazard(tooltip, hazard);
  tooltip.note(tr("Click shows the line, right click copies all of it."));
}

// The title of an action, by the name that the checks use.
const char* actionTitle(const std::string& action) {
  if (action == "read") return trAs("access", "read");
  if (action == "write") return trAs("access", "write");
  if (action == "atomic") return trAs("access", "atomic");
  if (action == "copy") return trAs("access", "copy");
  if (action == "barrier") return trAs("access", "barrier");
  return trAs("access", "at");
}

}  // namespace

const char* hazardTitle(HazardKind kind) {
  switch (kind) {
    case HazardKind::kOutOfBounds:
      return trMark("Out of bounds");
    case HazardKind::kUseAfterFree:
      return trMark("Use after free");
    case HazardKind::kMisaligned:
      return trMark("Misaligned address");
    case HazardKind::kUninitialized:
      return trMark("Read of uninitialised memory");
    case HazardKind::kRace:
      return trMark("Race");
    case HazardKind::kStreamRace:
      return trMark("Race between operations");
    case HazardKind::kDivergentBarrier:
      return trMark("Barrier in a divergent branch");
    case HazardKind::kTriggerWithoutVisibility:
      return trMark("Trigger without visibility");
    case HazardKind::kIncompletePhase:
      return trMark("Phase that is never complete");
    case HazardKind::kDeadlock:
      return trMark("Deadlock");
    case HazardKind::kEndlessLoop:
      return trMark("Endless loop");
    case HazardKind::kStepLimit:
      return trMark("Does not end");
    case HazardKind::kTrap:
      return trMark("Trap");
  }
  return "";
}

void drawHazardSign(const Theme& theme, const Fonts& fonts, ImVec2 middle) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float half = theme.px(7.5F);
  const float top = middle.y - half * 0.9F, bottom = middle.y + half * 0.8F;
  list.AddTriangleFilled({middle.x, top}, {middle.x + half, bottom}, {middle.x - half, bottom}, theme.error);
  pushFont(fonts.title);
  const float size = theme.px(10);
  const float wide = ImGui::GetFont()->CalcTextSizeA(size, FLT_MAX, 0, "!").x;
  list.AddText(ImGui::GetFont(), size, {middle.x - wide / 2, middle.y - size * 0.42F}, theme.background, "!");
  ImGui::PopFont();
}

void tellHazard(Tooltip& tooltip, const Hazard& hazard) {
  tooltip.note(trMessage(hazard.message));
  const auto row = [&](const HazardAccess& access, size_t operation) {
    const std::string file = access.source_file.substr(access.source_file.rfind('/') + 1);
    std::string place = file.empty() ? "" : fmt::format("{}:{}", file, access.line);
    if (!access.ptx.empty()) place += "  " + access.ptx;
    if (operation < hazard.operations.size()) {
      const HazardOperation& of = hazard.operations[operation];
      place = fmt::format("{}: {}  {}", of.stream, of.name, place);
    }
    tooltip.row(actionTitle(access.action), place);
  };
  row(hazard.access, 0);
  if (hazard.second) row(*hazard.second, 1);
  if (!hazard.space.empty())
    tooltip.row(tr("address"), fmt::format("{} {:#x}", hazard.space, hazard.address));
  tooltip.note(hazard.operations.empty()
                   ? tr("Found by a launch under checks, before the one that was timed.")
                   : tr("Found by what each operation touches and what orders them, not by their times."));
}

void drawHazardList(const ViewInput& input, ViewState& state) {
  if (!input.run->hazards || input.run->hazards->empty()) return;
  const Theme& theme = *input.theme;
  const size_t count = input.run->hazards->size();
  const float row = ImGui::GetTextLineHeight() + theme.px(5);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  // The code keeps most of a low panel.
  const float room = std::max(row, ImGui::GetContentRegionAvail().y * 0.4F);
  const float height =
      std::min(row * static_cast<float>(std::min(count, kMostHazardRows)), room) + theme.px(4);
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + width, at.y + height}, withAlpha(theme.error, 0.08F),
                                            theme.px(3));
  ImGui::GetWindowDrawList()->AddRect(at, {at.x + width, at.y + height}, withAlpha(theme.error, 0.7F),
                                      theme.px(3));
  input.report->widget("code.hazards", at, {at.x + width, at.y + height});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::SetCursorScreenPos({at.x, at.y + theme.px(2)});
  ImGui::BeginChild("hazards", {0, height - theme.px(4)}, false, ImGuiWindowFlags_NoNav);
  for (size_t i = 0; i < count; ++i) drawHazardRow(input, state, i);
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::SetCursorScreenPos({at.x, at.y + height + theme.px(4)});
}

}  // namespace warpscope
