#include "app/gui/start_page.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/gui/actions.h"
#include "app/gui/lesson/lessons.h"
#include "app/gui/overlay_box.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr float kPageWidth = 620, kMargin = 22;  // pixels at 100 %
constexpr size_t kMostFiles = 5;

void select(const Ui& ui, const char* family, const char* variant) {
  ui.model.beginEdit();
  ui.model.selectFamily(family);
  if (*variant != '\0') ui.model.selectVariant(variant);
}

struct ThingToTry {
  const char* name;   // in reports
  const char* title;  // translated where it is shown, as is `text`
  const char* text;
  void (*act)(const Ui& ui);
};

constexpr std::array kThings{
    ThingToTry{
        "divergence", trMark("See half of a warp wait"),
        trMark("Even and odd lanes take different paths: bars of half height in the timeline. Choose the "
               "other variants to see ways out of it."),
        [](const Ui& ui) {
          select(ui, "divergence", "even_odd");
          ui.screen.page = "trace";
        }},
    ThingToTry{
        "occupancy", trMark("Fill an SM by dragging a point"),
        trMark("The occupancy lab shows which warps fit, what prevents one more, and what would help. The "
               "launch follows the point."),
        [](const Ui& ui) { ui.screen.page = "occupancy"; }},
    ThingToTry{
        "race", trMark("Race all reductions"),
        trMark("Every way of adding up numbers, ranked, with the reasons why the slower ones are slower."),
        [](const Ui& ui) {
          select(ui, "reduction", "");
          ui.screen.page = "compare";
          ui.model.compare().look.race = true;
        }},
};

void quiet(const Ui& ui, const std::string& text, float width) {
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  textWrapped(text, width);
  ImGui::PopStyleColor();
}

void drawThings(const Ui& ui, float width) {
  for (const ThingToTry& thing : kThings) {
    const std::string name = std::string("start.") + thing.name;
    if (button(ui, name, tr(thing.title), ButtonLook::kOn, std::min(width, ui.px(260)))) {
      closeStartPage(ui);
      thing.act(ui);
    }
    quiet(ui, tr(thing.text), width);
    ImGui::Dummy({0, ui.px(6)});
  }
}

// The lessons that come with the program, in two columns.
void drawLessons(const Ui& ui, float width) {
  const std::vector<LessonTitle>& titles = ui.lessons.titles();
  if (titles.empty()) return;
  heading(ui, tr("LESSONS"));
  const float column = (width - ImGui::GetStyle().ItemSpacing.x) / 2;
  for (size_t i = 0; i < titles.size(); ++i) {
    if (i % 2 == 1) ImGui::SameLine();
    const std::string number = std::to_string(i + 1) + ". ";
    const std::string label = fittedText(ui.fonts.text, number + titles[i].title, column - ui.px(12));
    const std::string name = "start.lesson." + std::to_string(i + 1);
    if (button(ui, name, label.c_str(), ButtonLook::kPlain, column)) {
      closeStartPage(ui);
      ui.lessons.open(titles[i].file);
    }
    helpTooltip(ui, name, titles[i].title, titles[i].summary + "  " + trf("{} minutes", titles[i].minutes));
  }
  ImGui::Dummy({0, ui.px(6)});
}

void drawFiles(const Ui& ui, float width) {
  const std::vector<std::string>& recent = ui.screen.files.recent;
  if (!recent.empty()) {
    heading(ui, tr("RECENT FILES"));
    std::string chosen;
    for (size_t i = 0; i < std::min(recent.size(), kMostFiles); ++i) {
      const std::filesystem::path path = recent[i];
      const std::string shown =
          fittedText(ui.fonts.text, path.filename().string() + "   " + path.parent_path().string(), width);
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(shown.c_str(), false, 0, {width, 0})) chosen = recent[i];
      ImGui::PopID();
      ui.report.widgetOfLastItem("start.recent." + std::to_string(i));
    }
    if (!chosen.empty()) {
      closeStartPage(ui);
      ui.screen.files.open_wish = {chosen};
    }
    ImGui::Dummy({0, ui.px(6)});
  }
  if (button(ui, "start.open", tr("Open a file ..."))) {
    closeStartPage(ui);
    perform(ui, "file.open");
  }
  ImGui::SameLine();
  if (button(ui, "start.keys", tr("All keys"))) {
    closeStartPage(ui);
    perform(ui, "window.help");
  }
  ImGui::SameLine();
  if (button(ui, "start.close", tr("Close"))) closeStartPage(ui);
  helpTooltip(ui, "start.close", ui.actions.withKeys(tr("Close"), "window.back"),
              tr("It does not come again by itself; the list of keys opens it."));
}

}  // namespace

void openStartPage(const Ui& ui) {
  ui.screen.help_open = false;
  ui.screen.start_page_open = true;
}

void closeStartPage(const Ui& ui) {
  ui.screen.start_page_open = false;
  ui.screen.start_page_dismissed = true;
}

void drawStartPage(const Ui& ui) {
  if (!ui.screen.start_page_open || ui.screen.help_open) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(ui.px(kPageWidth), display.x - ui.px(2 * kMargin + 16));
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, display.y});
  const OverlayBox box(ui, "##start_page", {kMargin, 18}, 8, ImGuiWindowFlags_AlwaysAutoResize);
  pushFont(ui.fonts.title);
  ImGui::TextUnformatted("warpscope");
  ImGui::PopFont();
  quiet(ui, tr("Shows how the warps of a CUDA kernel really execute. Three things to try, and lessons:"),
        width);
  ImGui::Dummy({0, ui.px(6)});
  drawThings(ui, width);
  drawLessons(ui, width);
  drawFiles(ui, width);
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ui.report.widget("start", at, {at.x + size.x, at.y + size.y});
}

}  // namespace warpscope
