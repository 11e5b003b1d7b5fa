// The "File" button of the toolbar.
#include "app/gui/actions.h"
#include "app/gui/files.h"
#include "app/gui/programs.h"
#include "kernels/core/files.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"

namespace warpscope {

void beginKernel(const Ui& ui, const KernelTemplate& from);

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

// A copy of the template, under its name in the folder in which the program works.
void newKernels(const Ui& ui) {
  const bool open = ImGui::BeginMenu(tr("New kernel"));
  ui.report.widgetOfLastItem("file.new_kernel");
  if (!open) return;
  for (const KernelTemplate& each : ui.programs.templates()) {
    if (ImGui::MenuItem(tr(each.name.c_str()))) beginKernel(ui, each);
    ui.report.widgetOfLastItem("file.new_kernel." + each.file.stem().string());
  }
  ImGui::EndMenu();
}

}  // namespace

void beginKernel(const Ui& ui, const KernelTemplate& from) {
  auto text = readFile(from.file);
  if (!text) return notify(ui, "✗ " + trMessage(text.error().message), 8);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  std::filesystem::path file = folder / from.file.filename();
  for (int i = 2; std::filesystem::exists(file, error); ++i) {
    file = folder / fmt::format("{}_{}.cu", from.file.stem().string(), i);
  }
  ui.programs.create(file, std::move(*text));
  ui.screen.page = "kernel";
}

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
    newKernels(ui);
    ImGui::Separator();
  }
  ImGui::Separator();
  const std::string notes_keys = ui.actions.shownKeys("file.notes");
  if (ImGui::MenuItem(tr("Notes"), notes_keys.c_str(), ui.screen.files.notes_open)) perform(ui, "file.notes");
  ui.report.widgetOfLastItem("file.notes");
  ImGui::EndPopup();
}

}  // namespace warpscope
