// The warp slots of the selected warp's SM at the play head: which warp is in each, the region that it is in,
// and what it waits for, if the device tells. Without a play head: when the SM holds the most warps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "kernels/core/units.h"
#include "viz/layout/sm_slots.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/views/lane_log_parts.h"
#include "viz/views/view.h"
#include "viz/views/view_tooltips.h"
#include "viz/views/wait_look.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr uint32_t kColumns = 8;
constexpr float kMostHeight = 44, kWaitWidth = 14;  // pixels at 100 %

struct HeldSlot {
  WarpSlot slot;
  std::optional<uint32_t> warp;                // into Trace::warps
  std::optional<LayoutSpan> span;              // the region that it is in
  std::optional<InstructionSlot> instruction;  // that it issues or waits to issue
};

class SlotsView : public View {
 public:
  const char* name() const override { return "slots"; }
  const char* title() const override { return trMark("SM"); }
  const char* help() const override {
    return trMark("The warps on the selected warp's SM at the play head, and what each waits for.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void read(const ViewInput& input, const ViewState& state);
  void drawSummary(const ViewInput& input) const;
  void drawSlot(const ViewInput& input, ViewState& state, const HeldSlot& held, uint32_t number, ImVec2 min,
                ImVec2 max) const;
  void tell(const ViewInput& input, const HeldSlot& held, uint32_t number) const;

  std::shared_ptr<const Run> read_;
  SmId sm_;
  int64_t cycle_ = -1;
  bool at_head_ = false;
  std::vector<HeldSlot> slots_;
};

void SlotsView::read(const ViewInput& input, const ViewState& state) {
  const Trace& trace = input.run->trace;
  const auto found = state.selected_warp ? input.layout->findWarp(state.selected_warp->block,
                                                                  state.selected_warp->warp_in_block)
                                         : std::nullopt;
  const SmId sm = trace.warps[found.value_or(input.layout->firstWarp())].sm;
  const bool same = read_ == input.run && sm == sm_ && at_head_ == state.play_head.has_value();
  if (same && (!at_head_ || static_cast<int64_t>(*state.play_head) == cycle_)) return;
  cycle_ = state.play_head ? static_cast<int64_t>(*state.play_head) : fullestInstant(trace, sm).value_or(0);
  read_ = input.run;
  sm_ = sm;
  at_head_ = state.play_head.has_value();
  slots_.clear();
  for (const WarpSlot& slot : recordedSlots(trace, sm, cycle_, input.run->occupancy.max_warps_per_sm)) {
    HeldSlot& held = slots_.emplace_back(HeldSlot{slot, {}, {}, {}});
    if (slot.state != WarpSlot::State::kRunning) continue;
    held.warp = input.layout->findWarp(BlockId{slot.block}, slot.warp_in_block);
    if (!held.warp) continue;
    const auto at = static_cast<double>(cycle_);
    held.span = input.layout->pick(*held.warp, at);
    const InstructionLayout& instructions = input.layout->instructions();
    if (const auto index = instructions.pick(*held.warp, at)) held.instruction = instructions.slots()[*index];
  }
}

// Whether the warp waits at that cycle: its next instruction issues later.
bool waits(const HeldSlot& held, int64_t cycle) {
  return held.instruction && held.instruction->waited_for != WarpState::kSelected &&
         cycle < held.instruction->issue();
}

void SlotsView::drawSummary(const ViewInput& input) const {
  const Theme& theme = *input.theme;
  size_t running = 0, waiting = 0;
  std::map<WarpState, size_t> states;
  for (const HeldSlot& held : slots_) {
    running += held.slot.state == WarpSlot::State::kRunning ? 1 : 0;
    if (!waits(held, cycle_)) continue;
    ++waiting;
    ++states[held.instruction->waited_for];
  }
  std::string text = trf("{} at cycle {}: {} of {} slots hold a running warp",
                         trSm(input.run->device.limits, sm_), formatCount(cycle_), running, slots_.size());
  if (!at_head_) text += trf(" (the most; {} plays)", input.keys("play.forward"));
  if (waiting > 0) text += trf("; {} wait", waiting);
  textWrapped(text);
  input.report->text("slots.summary", text);
  if (input.layout->instructions().empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
    textWrapped(
        input.run->device.provenance == Provenance::kModelled
            ? tr("With \"instructions\" above the timeline, the slots also show what each warp waits for.")
            : tr("What each warp waits for is known on a simulated GPU only."));
    ImGui::PopStyleColor();
    return;
  }
  std::vector<WarpState> shown;
  shown.reserve(states.size());
  for (const auto& [state, count] : states) shown.push_back(state);
  std::ranges::sort(shown, std::ranges::greater(), [&](WarpState state) { return states[state]; });
  drawWaitLegend(theme, *input.fonts, shown, ImGui::GetContentRegionAvail().x);
}

void SlotsView::drawSlot(const ViewInput& input, ViewState& state, const HeldSlot& held, uint32_t number,
                         ImVec2 min, ImVec2 max) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, max);
  if (!held.warp) {
    list.AddRect(min, max, held.slot.state == WarpSlot::State::kLeft ? ink.middle : ink.faint);
    if (hovered) tell(input, held, number);
    return;
  }
  const RegionIndex region = held.span ? held.span->region : kNoRegion;
  const bool known = region < input.run->regions.size();
  const size_t colour = known ? input.colourOf(region) : 0;
  list.AddRectFilled(min, max, known ? theme.region(colour) : ink.faint);
  ImU32 text_colour = known ? theme.onRegion(colour) : theme.text;
  float text_right = max.x;
  if (waits(held, cycle_)) {
    text_right -= std::min(theme.px(kWaitWidth), (max.x - min.x) / 3);
    drawWait(theme, list, held.instruction->waited_for, {text_right, min.y}, max);
  }
  const WarpKey key{BlockId{held.slot.block}, held.slot.warp_in_block};
  if (state.selected_warp == key)
    list.AddRect({min.x - 1, min.y - 1}, {max.x + 1, max.y + 1}, theme.text, 0, 0, theme.px(2));
  const std::string block = fmt::format("b{}", key.block.value), warp = fmt::format("w{}", key.warp_in_block);
  const float room = text_right - min.x - theme.px(4), line = ImGui::GetTextLineHeight();
  const auto write = [&](const std::string& text, float y) {
    if (textSize(input.fonts->mono, text.c_str()).x <= room && y + line <= max.y)
      drawText(list, input.fonts->mono, {min.x + theme.px(3), y}, text_colour, text.c_str());
  };
  if (max.y - min.y >= 2 * line) {
    write(block, min.y + theme.px(1));
    write(warp, min.y + theme.px(1) + line);
  } else {
    write(block + " " + warp, min.y);
  }
  if (!hovered) return;
  tell(input, held, number);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) state.selected_warp = key;
}

void SlotsView::tell(const ViewInput& input, const HeldSlot& held, uint32_t number) const {
  if (held.warp && held.instruction) {
    instructionTooltip(input, input.run->trace.warps[*held.warp], *held.instruction, "");
    return;
  }
  if (held.warp) {
    spanTooltip(input, input.run->trace.warps[*held.warp], held.span, "");
    return;
  }
  Tooltip tooltip(*input.theme, *input.fonts, trf("warp slot {}", number));
  tooltip.note(held.slot.state == WarpSlot::State::kLeft
                   ? tr("Its warp has ended; the slot is free once the whole block has.")
                   : tr("No recorded warp is here at this instant."));
}

void SlotsView::draw(const ViewInput& input, ViewState& state) {
  const Theme& theme = *input.theme;
  if (input.run == nullptr) return drawMessage(theme, *input.fonts, input.empty_message);
  if (input.layout == nullptr || input.run->trace.warps.empty())
    return drawMessage(theme, *input.fonts, tr("This run has no trace, so no warp is known."));
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  const ImVec2 all = ImGui::GetContentRegionAvail();
  read(input, state);
  drawSummary(input);
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const auto rows = static_cast<uint32_t>((slots_.size() + kColumns - 1) / kColumns);
  if (rows == 0) return;
  const float gap = theme.px(3);
  const float width = std::floor((room.x + gap) / kColumns) - gap;
  const float height =
      std::min(std::floor((room.y + gap) / static_cast<float>(rows)) - gap, theme.px(kMostHeight));
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    const uint32_t column = i % kColumns, row = i / kColumns;
    const ImVec2 min{at.x + static_cast<float>(column) * (width + gap),
                     at.y + static_cast<float>(row) * (height + gap)};
    drawSlot(input, state, slots_[i], i, min, {min.x + width, min.y + height});
    input.report->widget(fmt::format("slots.{}", i), min, {min.x + width, min.y + height});
  }
  if (input.refreshing)
    ImGui::GetWindowDrawList()->AddRectFilled(begin, {begin.x + all.x, begin.y + all.y},
                                              withAlpha(theme.background, 0.5F));
}

}  // namespace

std::unique_ptr<View> makeSlotsView() {
  return std::make_unique<SlotsView>();
}

}  // namespace warpscope
