#include "app/gui/playback.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/actions.h"
#include "app/gui/overlay_box.h"
#include "app/gui/pages/pages.h"
#include "app/gui/ui.h"
#include "app/gui/window.h"
#include "kernels/core/units.h"
#include "viz/layout/navigation.h"
#include "viz/text/translate.h"
#include "viz/views/view_tooltips.h"

namespace warpscope {
namespace {

constexpr std::array<double, 9> kSpeeds{1, 3, 10, 30, 100, 300, 1000, 10'000, 100'000};  // cycles a second
constexpr double kLongestFrame_s = 0.1;  // after a hitch the head does not jump
constexpr std::array kStopNames{trMark("instruction"), trMark("region"), trMark("barrier"),
                                trMark("divergence"), trMark("end of a warp")};
static_assert(kStopNames.size() == kPlayStops);

const ShownRun* shownTrace(const Ui& ui) {
  const ShownRun& shown = ui.model.feed().shown();
  return shown.run != nullptr && shown.layout != nullptr && shown.layout->warpCount() > 0 ? &shown : nullptr;
}

// The warp that is followed: the selected one, or else the first.
uint32_t followedWarp(const Ui& ui, const ShownRun& shown) {
  const auto& selected = ui.model.view.selected_warp;
  const auto found =
      selected ? shown.layout->findWarp(selected->block, selected->warp_in_block) : std::nullopt;
  return found.value_or(shown.layout->firstWarp());
}

// Selects what the warp does at the play head: its instruction where the run has them, else its region.
void follow(const Ui& ui, const ShownRun& shown) {
  ViewState& view = ui.model.view;
  PlaybackState& state = ui.screen.playback;
  const uint32_t warp = followedWarp(ui, shown);
  const double head = *view.play_head;
  if (state.followed_cycle == head && state.followed_run == shown.run.get() && state.followed_warp == warp)
    return;
  state.followed_cycle = head;
  state.followed_run = shown.run.get();
  state.followed_warp = warp;
  const TraceWarp& traced = shown.run->trace.warps[warp];
  view.selected_warp = WarpKey{traced.block, traced.warp_in_block};
  const InstructionLayout& instructions = shown.layout->instructions();
  if (const auto slot = instructions.pick(warp, head)) {
    const uint32_t listed = instructions.slots()[*slot].listed;
    view.selected_instruction =
        InstructionKey{*view.selected_warp, *slot - instructions.firstSlot(warp), listed};
    return;
  }
  const auto span = shown.layout->pick(warp, head);
  view.selected_region.reset();
  if (span && span->region < shown.run->regions.size())
    view.selected_region = shown.run->regions[span->region].id;
}

void moveHead(const Ui& ui, const ShownRun& shown, double cycle) {
  ViewState& view = ui.model.view;
  view.play_head =
      std::clamp(cycle, static_cast<double>(shown.layout->begin()), static_cast<double>(shown.layout->end()));
  const auto at = static_cast<int64_t>(*view.play_head);
  if (!view.fitted) showTime(view, *shown.layout, at, at + 1);
}

std::string speedText(double cycles_per_s) {
  return trf("{} cycles/s", formatCount(static_cast<int64_t>(cycles_per_s)));
}

template <class Name>
void combo(const Ui& ui, const char* name, const std::string& shown, size_t count, Name&& label,
           const std::function<void(size_t)>& choose) {
  ImGui::SetNextItemWidth(ImGui::CalcTextSize(shown.c_str()).x + ImGui::GetFrameHeight() * 1.7F);
  const bool open = ImGui::BeginCombo((std::string("##") + name).c_str(), shown.c_str());
  ui.report.widgetOfLastItem(name);
  if (!open) return;
  for (size_t i = 0; i < count; ++i) {
    const std::string text = label(i);
    if (ImGui::Selectable(text.c_str(), text == shown)) choose(i);
    ui.report.widgetOfLastItem(std::string(name) + "." + std::to_string(i));
  }
  ImGui::EndCombo();
}

}  // namespace

void play(const Ui& ui, int direction) {
  const ShownRun* shown = shownTrace(ui);
  if (shown == nullptr) return notify(ui, tr("There is no time axis yet: nothing was run."));
  ViewState& view = ui.model.view;
  PlaybackState& state = ui.screen.playback;
  const auto begin = static_cast<double>(shown->layout->begin()),
             end = static_cast<double>(shown->layout->end());
  if (!view.play_head) {
    view.play_head =
        direction > 0 ? std::clamp(view.begin_cycles, begin, end) : std::clamp(view.end_cycles, begin, end);
    ui.screen.page = ui.pages.first().name();
  } else if (state.direction == direction) {
    state.direction = 0;
    return;
  } else if (direction > 0 && *view.play_head >= end) {
    view.play_head = begin;  // once more
  }
  state.direction = direction;
  state.last_s = ui.now_s;
}

void stepPlayHead(const Ui& ui, int direction) {
  const ShownRun* shown = shownTrace(ui);
  ViewState& view = ui.model.view;
  PlaybackState& state = ui.screen.playback;
  if (shown == nullptr || !view.play_head) return;
  state.direction = 0;
  if (state.stop == PlayStop::kInstruction && shown->layout->instructions().empty())
    return notify(ui, tr("This run has no instructions: a simulated GPU records them."));
  const auto next =
      nextStop(*shown->run, *shown->layout, followedWarp(ui, *shown), state.stop, *view.play_head, direction);
  if (next) return moveHead(ui, *shown, static_cast<double>(*next));
  notify(ui, direction > 0 ? tr("No further stop of this kind.") : tr("No earlier stop of this kind."));
}

void changePlaySpeed(const Ui& ui, int direction) {
  double& speed = ui.screen.playback.cycles_per_s;
  const auto place = std::ranges::lower_bound(kSpeeds, speed);
  const auto index =
      std::clamp<int64_t>(place - kSpeeds.begin() + direction, 0, static_cast<int64_t>(kSpeeds.size()) - 1);
  speed = kSpeeds[static_cast<size_t>(index)];
}

void endPlayback(const Ui& ui) {
  ui.model.view.play_head.reset();
  ui.screen.playback.direction = 0;
}

void advancePlayback(const Ui& ui) {
  ViewState& view = ui.model.view;
  PlaybackState& state = ui.screen.playback;
  if (!view.play_head) return;
  const ShownRun* shown = shownTrace(ui);
  if (shown == nullptr) {
    state.direction = 0;
    return;
  }
  if (state.direction != 0) {
    const double passed_s = std::min(ui.now_s - state.last_s, kLongestFrame_s);
    state.last_s = ui.now_s;
    moveHead(ui, *shown, *view.play_head + state.direction * state.cycles_per_s * passed_s);
    const auto end = static_cast<double>(state.direction > 0 ? shown->layout->end() : shown->layout->begin());
    if (*view.play_head == end) state.direction = 0;
    if (state.direction != 0) redrawIn(ui, 0);
  } else {
    moveHead(ui, *shown, *view.play_head);  // another run may be shorter
  }
  follow(ui, *shown);
}

bool takePlayKey(const Ui& ui, const KeyPress& press) {
  if (!ui.model.view.play_head || press.control || press.alt || ImGui::GetIO().WantTextInput) return false;
  if (&ui.pages.find(ui.screen.page) != &ui.pages.first()) return false;
  if (press.key == GLFW_KEY_LEFT || press.key == GLFW_KEY_RIGHT) {
    stepPlayHead(ui, press.key == GLFW_KEY_RIGHT ? 1 : -1);
    return true;
  }
  if (press.key != GLFW_KEY_ESCAPE || ui.screen.start_page_open) return false;
  endPlayback(ui);
  return true;
}

void drawPlayback(const Ui& ui, ImVec2 area_min, ImVec2 area_max) {
  const ShownRun* shown = shownTrace(ui);
  if (!ui.model.view.play_head || shown == nullptr) return;
  PlaybackState& state = ui.screen.playback;
  ImGui::SetNextWindowPos({(area_min.x + area_max.x) / 2, area_max.y - ui.px(10)}, ImGuiCond_Always,
                          {0.5F, 1});
  const OverlayBox box(ui, "##playback", {10, 5}, 5, OverlayBox::kPassive);
  const auto act = [&](const char* name, const char* label, bool on, const std::string& help) {
    const bool pressed = button(ui, name, label, on ? ButtonLook::kOn : ButtonLook::kPlain);
    helpTooltip(ui, name, help, "");
    ImGui::SameLine(0, ui.px(3));
    return pressed;
  };
  if (act("play.step_back", "|◀", false, tr("A step back (Left)"))) stepPlayHead(ui, -1);
  if (act("play.backward", "◀", state.direction < 0,
          ui.actions.withKeys(tr("Play backward, or stop"), "play.backward")))
    play(ui, -1);
  if (act("play.forward", "▶", state.direction > 0, ui.actions.withKeys(tr("Play, or stop"), "play.forward")))
    play(ui, 1);
  if (act("play.step", "▶|", false, tr("A step (Right)"))) stepPlayHead(ui, 1);
  combo(
      ui, "play.stop", tr(kStopNames[static_cast<size_t>(state.stop)]), kPlayStops,
      [](size_t i) { return std::string(tr(kStopNames[i])); },
      [&](size_t i) { state.stop = static_cast<PlayStop>(i); });
  helpTooltip(ui, "play.stop", tr("What a step goes to"), "");
  ImGui::SameLine(0, ui.px(8));
  combo(
      ui, "play.speed", speedText(state.cycles_per_s), kSpeeds.size(),
      [](size_t i) { return speedText(kSpeeds[i]); }, [&](size_t i) { state.cycles_per_s = kSpeeds[i]; });
  helpTooltip(ui, "play.speed", tr("How fast it plays"), "");
  ImGui::SameLine(0, ui.px(8));
  const std::string at = cyclesWithNs(*shown->run, static_cast<int64_t>(*ui.model.view.play_head));
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(at.c_str());
  ui.report.widgetOfLastItem("play.at");
  ui.report.text("play.at", at);
  ImGui::SameLine(0, ui.px(8));
  if (button(ui, "play.end", "×", ButtonLook::kQuiet)) endPlayback(ui);
  helpTooltip(ui, "play.end", tr("Take the play head away (Escape)"), "");
}

}  // namespace warpscope
