#include "app/gui/long_work.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

constexpr double kShowAfter_s = 0.3, kShowLaunchAfter_s = 1;
constexpr float kBarWidth = 70;  // pixels at 100 %

std::optional<LongWork> fileWork(const Ui& ui) {
  FileState& files = ui.screen.files;
  if (files.working.empty() || ui.now_s - files.working_since_s < kShowAfter_s) return std::nullopt;
  return LongWork{.name = "work.file",
                  .label = files.working,
                  .fraction = files.working_fraction,
                  .seconds_left = files.working_left_s,
                  .action = tr("■ Stop"),
                  .help = tr("A file that is only half written is not kept."),
                  .act = [&files] { files.stop_wish = true; }};
}

std::optional<LongWork> sweepWork(const Ui& ui) {
  Model& model = ui.model;
  const BackgroundSweep& runs = model.sweep().runs();
  if (ui.screen.page == "plots" && !ui.screen.stage.single()) return std::nullopt;  // its header says it
  if (runs.missing() == 0 || (runs.paused() && !runs.asks()) || (!model.live() && model.outdated()))
    return std::nullopt;
  if (runs.asks()) {
    return LongWork{
        .name = "work.sweep",
        .label =
            trf("{} runs would take about {}", runs.missing(), formatRoughSeconds(*runs.expectedSeconds())),
        .action = tr("Start"),
        .help = tr("It runs in the background. Smaller sizes are faster; Stop keeps what has been run."),
        .act = [&model] { model.resumeSweep(); }};
  }
  const auto wanted = static_cast<double>(runs.wanted());
  return LongWork{.name = "work.sweep",
                  .label = trf("{} of {} run", runs.wanted() - runs.missing(), runs.wanted()),
                  .fraction = 1 - static_cast<double>(runs.missing()) / wanted,
                  .seconds_left = runs.secondsLeft(),
                  .action = tr("■ Stop"),
                  .help = tr("Finished runs are kept. Resume continues with the missing ones."),
                  .act = [&model] { model.pauseSweep(); }};
}

std::optional<LongWork> launchWork(const Ui& ui) {
  Model& model = ui.model;
  if (!model.feed().busy() || model.feed().busyFor(ui.now_s) < kShowLaunchAfter_s) return std::nullopt;
  const auto progress = model.devices().progress();
  LongWork work{.name = "work.launch",
                .label = progress && !progress->step.empty() ? trMessage(progress->step) : tr("running"),
                .action = tr("■ Stop"),
                .help = tr("The last run stays."),
                .act = [&model] { model.cancel(); }};
  if (progress) work.fraction = std::clamp(progress->fraction, 0.0, 1.0);
  if (progress && progress->seconds_left > 0) work.seconds_left = progress->seconds_left;
  return work;
}

}  // namespace

std::optional<LongWork> longWork(const Ui& ui) {
  if (auto work = fileWork(ui)) return work;
  if (auto work = launchWork(ui)) return work;
  return sweepWork(ui);
}

std::string longWorkText(const LongWork& work) {
  std::string text = work.label;
  if (work.fraction) text += fmt::format("   {:.0f} %", std::floor(*work.fraction * 100));
  if (work.seconds_left && *work.seconds_left >= 1) {
    text += ", " + trf("about {} left", formatRoughSeconds(*work.seconds_left));
  }
  return text;
}

float longWorkWidth(const Ui& ui, const LongWork& work) {
  const float bar = work.fraction ? ui.px(kBarWidth + 8) : 0;
  return ImGui::CalcTextSize(longWorkText(work).c_str()).x + bar + buttonWidth(work.action) + ui.px(10);
}

float drawLongWork(const Ui& ui, const LongWork& work, float room) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::min(longWorkWidth(ui, work), room), pressed = buttonWidth(work.action);
  const float height = ImGui::GetFrameHeight();
  const std::string text = longWorkText(work);
  float x = at.x;
  const float bar = work.fraction && width >= longWorkWidth(ui, work) ? ui.px(kBarWidth) : 0;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (bar > 0) {
    const float top = at.y + height / 2 - ui.px(3), bottom = top + ui.px(6);
    list.AddRectFilled({x, top}, {x + bar, bottom}, mixColours(ui.theme.panel, ui.theme.text, 0.2F),
                       ui.px(3));
    const float done = bar * static_cast<float>(std::max(*work.fraction, 0.02));
    list.AddRectFilled({x, top}, {x + done, bottom}, ui.theme.accent, ui.px(3));
    x += bar + ui.px(8);
  }
  drawTextFitted(list, ui.fonts.text, {x, at.y + (height - ImGui::GetTextLineHeight()) / 2},
                 at.x + width - pressed - ui.px(6) - x, ui.theme.text, text.c_str());
  ui.report.text(work.name, text);
  ImGui::SetCursorScreenPos({at.x + width - pressed, at.y});
  if (button(ui, work.name + ".action", work.action)) work.act();
  helpTooltip(ui, work.name + ".action", "", work.help);
  return width;
}

}  // namespace warpscope
