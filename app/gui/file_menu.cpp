// The "File" button of the toolbar.
#include "app/gui/actions.h"
#include "app/gui/files.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

void item(const Ui& ui, const FileActionInfo& info) {
  const std::string name = std::string("file.") + info.name;
  const std::string keys = ui.actions.shownKeys(name);
  if (ImGui::MenuItem(tr(info.label), keys.c_str())) perform(ui, name);
  ui.report.widgetOfLastItem(name);
}

void recentFiles(const Ui& ui) {
  const std::vector<std::string>& recent = ui.screen.files.recent;
  const bool open = ImGui::BeginMenu(tr("Recent"), !recent.empty());
  ui.report.widgetOfLastItem("file.recent");
  if (!open) return;
  for (size_t i = 0; i < recent.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const std::string shown = fittedText(ui.fonts.text, recent[i], ui.px(480));
    if (ImGui::MenuItem(shown.c_str())) ui.screen.files.open_wish = {recent[i]};
    ImGui::PopID();
    ui.report.widgetOfLastItem("file.recent." + std::to_string(i));
  }
  ImGui::EndMenu();
}

}  // namespace

void drawFileMenu(const Ui& ui) {
  if (button(ui, "toolbar.file", tr("File"))) ImGui::OpenPopup("##file");
  const ImVec2 under(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.px(3));
  helpTooltip(ui, "toolbar.file", tr("Sessions, recordings and exports"),
              tr("You can also drop files onto the window."));
  ImGui::SetNextWindowPos(under);
  if (!ImGui::BeginPopup("##file")) return;
  const std::string save_keys = ui.actions.shownKeys("file.save");
  if (ImGui::MenuItem(tr("Save session"), save_keys.c_str())) perform(ui, "file.save");
  ui.report.widgetOfLastItem("file.save");
  for (const FileActionInfo& info : fileActions()) {
    item(ui, info);
    if (info.action != FileAction::kOpen) continue;
    recentFiles(ui);
    ImGui::Separator();
  }
  ImGui::Separator();
  const std::string notes_keys = ui.actions.shownKeys("file.notes");
  if (ImGui::MenuItem(tr("Notes"), notes_keys.c_str(), ui.screen.files.notes_open)) perform(ui, "file.notes");
  ui.report.widgetOfLastItem("file.notes");
  ImGui::EndPopup();
}

}  // namespace warpscope
