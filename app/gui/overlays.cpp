// Temporary overlays over the views: the banner that reports a failure, short notices, and the list of
// keys.
#include <algorithm>
#include <array>

#include "app/gui/panels.h"
#include "viz/text/translate.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr ImGuiWindowFlags kOverlay = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_AlwaysAutoResize;

void wrapped(ImU32 colour, const std::string& text, float width) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  textWrapped(text, width);
  ImGui::PopStyleColor();
}

void bannerButtons(const Ui& ui, const Problem& problem) {
  if (button(ui, "banner.retry", tr("Try again"))) {
    ui.model.retry();
    return;
  }
  ImGui::SameLine();
  if (button(ui, "banner.copy", tr("Copy text"))) {
    ImGui::SetClipboardText((problem.title + "\n" + problem.detail).c_str());
    notify(ui, tr("Copied the message"));
  }
  ImGui::SameLine();
  if (button(ui, "banner.dismiss", tr("Dismiss"))) ui.model.dismissProblem();
}

struct KeyLine {
  const char* keys;
  const char* what;
};

constexpr std::array<KeyLine, 32> kKeys{{
    {trMark("Space"), trMark("run once")},
    {"L", trMark("Live on or off: every change runs at once")},
    {"1 - 9", trMark("choose a variant")},
    {"Ctrl Z, Ctrl Shift Z", trMark("undo, redo a change of settings")},
    {trMark("Escape"), trMark("back: close this, stop a launch, undo a zoom, drop the selection")},
    {"", ""},
    {trMark("Wheel"), trMark("zoom the timeline at the cursor")},
    {trMark("Drag"), trMark("move the timeline")},
    {trMark("Left, Right"), trMark("move in time")},
    {trMark("Up, Down"), trMark("select the warp above, below")},
    {"+, -", trMark("zoom in, out")},
    {"F", trMark("fit the whole launch")},
    {"I", trMark("show instructions or regions (runs of a simulated GPU)")},
    {trMark(", and ."), trMark("previous, next instruction of the selected warp")},
    {trMark("[ and ]"), trMark("previous, next access or exchange of the selected warp")},
    {trMark("Click, double click"), trMark("select a warp and its region, zoom to a span")},
    {"", ""},
    {"O", trMark("the occupancy lab, and back")},
    {"P", trMark("plots: sweeps, the roofline, bytes in flight; and back")},
    {"C", trMark("compare runs, and back")},
    {"K", trMark("keep the current run for comparison")},
    {trMark("Ctrl click"), trMark("on a variant: run it and keep it for comparison")},
    {"R", trMark("on the Compare page: race all variants; again: rerun them")},
    {"T", trMark("theme: dark, light, high contrast")},
    {"Ctrl L", trMark("language: English, Chinese")},
    {"Ctrl +, Ctrl -, Ctrl 0", trMark("larger, smaller, 100 %")},
    {"Ctrl S", trMark("save a picture of the window")},
    {"Ctrl Shift S", trMark("save the session: everything on screen, in one file")},
    {"Ctrl O", trMark("open a session or a recording; you can also drop it here")},
    {"N", trMark("notes, kept with the session")},
    {trMark("Right click"), trMark("copy a value; on a view's title: save the view as a picture")},
    {trMark("? or F1"), trMark("this list")},
}};

void keyTable(const Ui& ui) {
  pushFont(ui.fonts.title);
  ImGui::TextUnformatted(tr("KEYS AND MOUSE"));
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  const float column = ImGui::GetCursorPosX() + ui.px(190);
  for (const KeyLine& line : kKeys) {
    if (line.keys[0] == '\0') {
      ImGui::Dummy(ImVec2(0, ui.px(4)));
      continue;
    }
    ImGui::TextUnformatted(tr(line.keys));
    ImGui::SameLine(column);
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(ui.theme.text_quiet), "%s", tr(line.what));
  }
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  if (button(ui, "help.close", tr("Close"))) ui.screen.help_open = false;
}

// Keeps the mouse from widgets under the list, so that their tooltips do not cover it.
void drawBackdrop(const Ui& ui, ImVec2 display) {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(display);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, withAlpha(ui.theme.panel, 0.55F));
  ImGui::Begin("##backdrop", nullptr, kOverlay & ~ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::End();
  ImGui::PopStyleColor();
}

}  // namespace

void drawBanner(const Ui& ui, ImVec2 area_min, ImVec2 area_max) {
  if (!ui.model.problem()) return;
  const Problem problem = *ui.model.problem();
  const float width = std::min(ui.px(720), area_max.x - area_min.x - ui.px(32));
  ImGui::SetNextWindowPos(ImVec2(area_min.x + (area_max.x - area_min.x - width) / 2, area_min.y + ui.px(40)));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, area_max.y - area_min.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(18), ui.px(14)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(6));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, ui.px(1));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, mixColours(ui.theme.panel, ui.theme.error, 0.10F));
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.error);
  ImGui::Begin("##banner", nullptr, kOverlay);
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ui.report.widget("banner", at, ImVec2(at.x + size.x, at.y + size.y));
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + ui.px(5), at.y + size.y), ui.theme.error,
                                            ui.px(6), ImDrawFlags_RoundCornersLeft);
  const float text_width = width - 2 * ui.px(18);
  wrapped(ui.theme.text, "✗ " + problem.title, text_width);
  if (!problem.detail.empty()) wrapped(ui.theme.text, trMessage(problem.detail), text_width);
  wrapped(ui.theme.text_quiet, problem.advice, text_width);
  ImGui::Dummy(ImVec2(0, ui.px(2)));
  bannerButtons(ui, problem);
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
}

void drawNotice(const Ui& ui, ImVec2 area_min, ImVec2 area_max) {
  if (ui.screen.notice.empty()) return;
  const double left = ui.screen.notice_until_s - ui.now_s;
  if (left <= 0) {
    ui.screen.notice.clear();
    return;
  }
  redrawIn(ui, left + 0.01);
  const float margin = ui.px(12);
  ImGui::SetNextWindowPos(ImVec2(area_max.x - margin, area_max.y - margin), ImGuiCond_Always, ImVec2(1, 1));
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(area_max.x - area_min.x - margin * 2, ui.px(200)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(5));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(12), ui.px(8)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, mixColours(ui.theme.panel, ui.theme.text, 0.16F));
  ImGui::Begin("##notice", nullptr, kOverlay | ImGuiWindowFlags_NoInputs);
  const float widest = area_max.x - area_min.x - margin * 2 - ui.px(24);
  ImGui::TextUnformatted(brokenLines(ui.screen.notice, widest).c_str());
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ui.report.widget("notice", at, ImVec2(at.x + size.x, at.y + size.y));
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

void drawHelpOverlay(const Ui& ui) {
  if (!ui.screen.help_open) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  drawBackdrop(ui, display);
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(display.x, display.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(22), ui.px(18)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, ui.px(1));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.panel);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.accent);
  ImGui::Begin("##help", nullptr, kOverlay & ~ImGuiWindowFlags_NoScrollbar);
  keyTable(ui);
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ui.report.widget("help", at, ImVec2(at.x + size.x, at.y + size.y));
  const bool clicked_beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered();
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
  if (clicked_beside && !ImGui::IsWindowAppearing()) ui.screen.help_open = false;
}

}  // namespace warpscope
