// Theoretical occupancy: how many blocks and warps of this launch fit on an SM, what prevents one more block,
// and how many blocks each resource alone would allow. Achieved occupancy beside it, if the trace shows it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/metrics/achieved.h"
#include "kernels/metrics/achieved_cause.h"
#include "kernels/metrics/metrics.h"
#include "kernels/run/run.h"
#include "viz/lab/lab_input.h"
#include "viz/text/share_text.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kPi = 3.14159265F;
// The space for a round gauge with the facts beside it, in pixels at 100 %; in less space the view is more
// compact.
constexpr float kLeastRoundGauge = 100, kLeastBesideGauge = 250;

struct Budget {
  OccupancyLimiter limiter;
  const char* label;
  uint32_t blocks = 0;
  std::string detail;
};

std::vector<Budget> budgetsOf(const Run& run) {
  const Occupancy& occupancy = run.occupancy;
  const DeviceLimits& limits = run.device.limits;
  const KernelResources& resources = run.resources;
  const uint32_t shared = resources.static_shared_bytes + resources.dynamic_shared_bytes;
  std::vector<Budget> budgets = {
      {OccupancyLimiter::kWarps, tr("warps"), occupancy.blocks_by_warps,
       trf("{} threads per block, {} warps per SM", run.block.count(), occupancy.max_warps_per_sm)},
      {OccupancyLimiter::kBlocks, tr("block slots"), occupancy.blocks_by_slots,
       trf("{} blocks per SM at most", limits.max_blocks_per_sm)},
      {OccupancyLimiter::kRegisters, tr("registers"), occupancy.blocks_by_registers,
       trf("{} per thread, {} per SM", resources.registers_per_thread, formatCount(limits.registers_per_sm))},
      {OccupancyLimiter::kSharedMemory, tr("shared memory"), occupancy.blocks_by_shared,
       trf("{} per block, {} per SM", formatBytes(shared), formatBytes(limits.shared_bytes_per_sm))}};
  // Only kernels with numbered barriers come near this limit.
  if (occupancy.blocks_by_barriers.value_or(occupancy.blocks_by_slots) < occupancy.blocks_by_slots) {
    budgets.push_back({OccupancyLimiter::kBarriers, tr("barriers"), *occupancy.blocks_by_barriers,
                       trf("{} numbered barriers per block", resources.barriers_per_block)});
  }
  return budgets;
}

// Dashed if the occupancy was modelled.
void achievedTick(const Run& run, ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float width) {
  const int dashes = run.device.provenance == Provenance::kModelled ? 3 : 1;
  const auto along = [&](int part) {
    const float share = static_cast<float>(part) / static_cast<float>(2 * dashes - 1);
    return ImVec2(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
  };
  for (int i = 0; i < dashes; ++i) list.AddLine(along(2 * i), along(2 * i + 1), colour, width);
}

class OccupancyView : public View {
 public:
  const char* name() const override { return "occupancy"; }
  const char* title() const override { return trMark("OCCUPANCY"); }
  const char* help() const override {
    return trMark("The blocks and warps that fit on an SM, and what prevents one more.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void drawGauge(const ViewInput& input, float side) const;
  void gaugeTooltip(const ViewInput& input) const;
  void drawFacts(const ViewInput& input) const;
  void drawBrief(const ViewInput& input) const;
  void drawBudget(const ViewInput& input, const Budget& budget, uint32_t most) const;

  std::shared_ptr<const Run> measured_;  // the run whose achieved occupancy is stored
  std::optional<AchievedOccupancy> achieved_;
  std::string cause_;  // of its being below theory
};

// Draws three quarters of a circle; achieved occupancy is a tick on it.
void OccupancyView::drawGauge(const ViewInput& input, float side) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(side, side));
  input.report->widget("occupancy.gauge", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  const ImVec2 centre(at.x + side / 2, at.y + side / 2);
  const float thick = side * 0.11F;
  const float radius = side / 2 - thick;
  const float from = kPi * 0.75F;
  const auto angle = [from](double share) {
    return from + kPi * 1.5F * static_cast<float>(std::clamp(share, 0.0, 1.0));
  };
  list.PathArcTo(centre, radius, from, angle(1), 48);
  list.PathStroke(mixColours(theme.panel, theme.text, 0.16F), 0, thick);
  const double share = input.run->occupancy.theoretical;
  if (share > 0) {
    list.PathArcTo(centre, radius, from, angle(share), 48);
    list.PathStroke(input.refreshing ? mixColours(theme.panel, theme.accent, 0.5F) : theme.accent, 0, thick);
  }
  if (achieved_) {
    const float a = angle(achieved_->share);
    if (achieved_->low < achieved_->high) {  // where it may be
      list.PathArcTo(centre, radius, angle(achieved_->low), angle(achieved_->high), 24);
      list.PathStroke(theme.text, 0, theme.px(1.5F));
    }
    const auto point = [&](float r) {
      return ImVec2(centre.x + std::cos(a) * r, centre.y + std::sin(a) * r);
    };
    achievedTick(*input.run, list, point(radius - thick * 0.9F), point(radius + thick * 0.9F), theme.text,
                 theme.px(2.5F));
  }
  const std::string text = formatPercent(share);
  const ImVec2 size = textSize(input.fonts->mono, text.c_str());
  drawText(list, input.fonts->mono, ImVec2(centre.x - size.x / 2, centre.y - size.y / 2), theme.text,
           text.c_str());
  if (ImGui::IsItemHovered()) gaugeTooltip(input);
}

void OccupancyView::gaugeTooltip(const ViewInput& input) const {
  Tooltip tooltip(*input.theme, *input.fonts, tr("Theoretical occupancy"));
  tooltip.row(tr("theoretical"), trf("{} of {} warps", input.run->occupancy.warps_per_sm,
                                     input.run->occupancy.max_warps_per_sm));
  if (achieved_) {
    tooltip.row(tr("achieved"), fmt::format("{}, {}", shareTextShown(*achieved_),
                                            tr(provenanceName(input.run->device.provenance))));
    if (!cause_.empty()) tooltip.row(tr("because"), cause_);
  }
  tooltip.note(tr(
      "Warps that can be resident on an SM over the most it can hold, from the kernel's registers and shared "
      "memory, the block size and the device's limits."));
  if (achieved_) {
    tooltip.note(tr("The tick is achieved occupancy: mean resident warps while the SM was busy."));
    tooltip.note(tr(achievedHow(achieved_->from)));
  } else {
    tooltip.note(tr("Achieved occupancy is known only if every block of an SM was recorded."));
  }
}

void OccupancyView::drawFacts(const ViewInput& input) const {
  const Theme& theme = *input.theme;
  const Occupancy& occupancy = input.run->occupancy;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, theme.px(1)));
  ImGui::BeginGroup();
  const auto fact = [&](const std::string& value, const char* what) {
    pushFont(input.fonts->mono);
    ImGui::TextUnformatted(value.c_str());
    ImGui::PopFont();
    ImGui::SameLine(0, theme.px(6));
    ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
    ImGui::TextUnformatted(what);
    ImGui::PopStyleColor();
  };
  fact(std::to_string(occupancy.blocks_per_sm), trAs("after a number", "blocks per SM"));
  fact(trf("{} of {}", occupancy.warps_per_sm, occupancy.max_warps_per_sm), trAs("after a number", "warps"));
  if (achieved_) {
    fact(shareTextShown(*achieved_), tr("achieved"));
    input.report->widget("occupancy.achieved", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    if (ImGui::IsItemHovered()) gaugeTooltip(input);
  }
  if (!cause_.empty()) {
    textWrapped(cause_);
    input.report->widget("occupancy.cause", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  }
  textWrapped(limiterSentence(occupancy));
  input.report->widget("occupancy.limiter", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  ImGui::EndGroup();
  ImGui::PopStyleVar();
}

// Gauge and facts for little height: two lines of text, and a straight gauge between them.
void OccupancyView::drawBrief(const ViewInput& input) const {
  const Theme& theme = *input.theme;
  const Fonts& fonts = *input.fonts;
  const Occupancy& occupancy = input.run->occupancy;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight() + theme.px(1);
  const float bar = theme.px(8), gap = theme.px(3);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Dummy(ImVec2(width, line * 2 + bar + gap * 2));
  const bool hovered = ImGui::IsItemHovered();
  input.report->widget("occupancy.gauge", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  const std::string share = formatPercent(occupancy.theoretical);
  const float share_width = textSize(fonts.mono, share.c_str()).x + theme.px(8);
  drawText(list, fonts.mono, at, theme.text, share.c_str());
  drawTextFitted(list, fonts.text, ImVec2(at.x + share_width, at.y), width - share_width, theme.text_quiet,
                 briefly(occupancy).c_str());
  const float top = at.y + line + gap;
  const auto across = [&](double part) {
    return at.x + width * static_cast<float>(std::clamp(part, 0.0, 1.0));
  };
  list.AddRectFilled(ImVec2(at.x, top), ImVec2(at.x + width, top + bar),
                     mixColours(theme.panel, theme.text, 0.16F), theme.px(2));
  list.AddRectFilled(ImVec2(at.x, top), ImVec2(across(occupancy.theoretical), top + bar),
                     input.refreshing ? mixColours(theme.panel, theme.accent, 0.5F) : theme.accent,
                     theme.px(2));
  if (achieved_) {
    const float x = across(achieved_->share);
    if (achieved_->low < achieved_->high) {
      list.AddLine({across(achieved_->low), top + bar / 2}, {across(achieved_->high), top + bar / 2},
                   theme.text, theme.px(1.5F));
    }
    achievedTick(*input.run, list, ImVec2(x, top - theme.px(2)), ImVec2(x, top + bar + theme.px(2)),
                 theme.text, theme.px(2));
  }
  std::string words = limiterSentence(occupancy);
  if (achieved_ && cause_.empty()) words = trf("{} achieved.", shareTextShown(*achieved_)) + " " + words;
  if (!cause_.empty()) words = trf("{} achieved: {}.", shareTextShown(*achieved_), cause_) + " " + words;
  drawTextFitted(list, fonts.text, ImVec2(at.x, top + bar + gap), width, theme.text, words.c_str());
  if (hovered) gaugeTooltip(input);
}

// A line with one box for each block that the resource alone would allow; those that actually fit are filled.
void OccupancyView::drawBudget(const ViewInput& input, const Budget& budget, uint32_t most) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool limits = budget.limiter == input.run->occupancy.limiter;
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetTextLineHeight() + theme.px(2);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(width, height));
  input.report->widget(std::string("occupancy.budget.") + limiterName(budget.limiter),
                       ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  const bool hovered = ImGui::IsItemHovered();
  const float label_width = std::min(theme.px(112), width * 0.42F);
  const std::string value = std::to_string(budget.blocks);
  const float value_width = textSize(input.fonts->mono, "0000").x;
  drawTextFitted(list, input.fonts->text, ImVec2(at.x, at.y + theme.px(1)), label_width - theme.px(4),
                 limits ? theme.text : theme.text_quiet,
                 ((limits ? "▸ " : "") + std::string(budget.label)).c_str());
  const float left = at.x + label_width;
  const float right = at.x + width - value_width;
  if (right > left + theme.px(8)) {
    const float box = (right - left) / static_cast<float>(std::max(most, 1U));
    const float gap = box > theme.px(5) ? theme.px(1.5F) : 0;
    const ImU32 filled = limits ? theme.accent : mixColours(theme.panel, theme.text, 0.45F);
    for (uint32_t i = 0; i < std::min(budget.blocks, most); ++i) {
      const ImVec2 min(left + box * static_cast<float>(i), at.y + height * 0.28F);
      const ImVec2 max(min.x + std::max(box - gap, 1.0F), at.y + height * 0.78F);
      const bool runs = i < input.run->occupancy.blocks_per_sm;
      list.AddRectFilled(min, max, runs ? filled : mixColours(theme.panel, theme.text, 0.16F));
    }
  }
  drawText(list, input.fonts->mono,
           ImVec2(at.x + width - textSize(input.fonts->mono, value.c_str()).x, at.y + theme.px(1)),
           limits ? theme.text : theme.text_quiet, value.c_str());
  if (!hovered) return;
  Tooltip tooltip(theme, *input.fonts, trf("By {}", budget.label));
  tooltip.row(tr("would allow"), trBlocksPerSm(budget.blocks));
  tooltip.row(tr("run"), trBlocksPerSm(input.run->occupancy.blocks_per_sm));
  tooltip.note(limits ? trf("{}. This is the limit.", budget.detail) : trf("{}.", budget.detail));
}

void OccupancyView::draw(const ViewInput& input, ViewState& /*state*/) {
  if (input.run == nullptr) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  if (measured_ != input.run) {
    measured_ = input.run;
    achieved_ = achievedOf(*input.run);
    cause_ = trMessage(achievedCause(*input.run));
  }
  const Theme& theme = *input.theme;
  ImGui::BeginChild("occupancy", ImVec2(0, 0), false, ImGuiWindowFlags_NoNav);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float for_budgets = 4 * (ImGui::GetTextLineHeight() + theme.px(3)) + theme.px(2);
  const float above = room.y - for_budgets;
  if (above >= theme.px(kLeastRoundGauge) && room.x >= theme.px(kLeastBesideGauge)) {
    drawGauge(input, std::min(std::max(room.y * 0.42F, theme.px(80)), theme.px(120)));
    ImGui::SameLine(0, theme.px(10));
    drawFacts(input);
    ImGui::Dummy(ImVec2(0, theme.px(2)));
  } else {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, theme.px(2)));
    drawBrief(input);
    ImGui::PopStyleVar();
  }
  const auto budgets = budgetsOf(*input.run);
  uint32_t most = 1;
  for (const Budget& budget : budgets) most = std::max(most, budget.blocks);
  // A resource that is not used allows any number: show no more boxes than an SM has block slots.
  most = std::min(most, std::max(input.run->device.limits.max_blocks_per_sm, 1U));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, theme.px(1)));
  for (const Budget& budget : budgets) drawBudget(input, budget, most);
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<View> makeOccupancyView() {
  return std::make_unique<OccupancyView>();
}

}  // namespace warpscope
