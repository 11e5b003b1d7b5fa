#include "app/gui/file_browser.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "kernels/core/files.h"
#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr size_t kMostRecentFolders = 4;

// "2026-11-22 17:30", in the reader's time zone; empty: unknown.
std::string dateText(int64_t seconds) {
  if (seconds == 0) return {};
  const std::time_t time = seconds;
  std::tm local{};
  localtime_r(&time, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  return text;
}

struct Columns {
  float name = 0, size = 0, date = 0;  // where they end; 0: not shown
};

Columns columnsOf(const Ui& ui, float width) {
  const float date = ImGui::CalcTextSize("2026-11-22 17:30").x + ui.px(10), size = ui.px(76);
  Columns columns{.name = width};
  if (width > date + size + ui.px(180)) columns.date = width, columns.name -= date;
  if (columns.name > size + ui.px(120)) columns.size = columns.name, columns.name -= size;
  return columns;
}

void drawEntry(const Ui& ui, const FolderEntry& entry, ImVec2 at, const Columns& columns) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 quiet = ui.theme.text_quiet;
  const std::string name = entry.name + (entry.is_folder ? "/" : "");
  drawTextFitted(list, ui.fonts.text, at, columns.name - ui.px(8), ui.theme.text, name.c_str());
  const auto right_aligned = [&](float end, const std::string& text) {
    drawText(list, ui.fonts.text, {at.x + end - textSize(ui.fonts.text, text.c_str()).x - ui.px(4), at.y},
             quiet, text.c_str());
  };
  if (columns.size > 0 && !entry.is_folder) right_aligned(columns.size, formatBytes(entry.bytes));
  if (columns.date > 0) right_aligned(columns.date, dateText(entry.changed_s));
}

}  // namespace

std::vector<FilePlace> filePlaces(const std::vector<std::string>& recent) {
  std::vector<FilePlace> places;
  const auto add = [&](const std::string& label, const std::filesystem::path& folder) {
    const bool known = std::ranges::find(places, folder, &FilePlace::folder) != places.end();
    if (!folder.empty() && !known) places.push_back({label, folder});
  };
  std::error_code error;
  if (const char* home = std::getenv("HOME"); home != nullptr) add(tr("Home folder"), home);
  add(tr("Working folder"), std::filesystem::current_path(error));
  add(tr("Bundled recordings"), assetsFolder() / "recordings");
  size_t folders = 0;
  for (const std::string& file : recent) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (folders++ == kMostRecentFolders) break;
    add(folder.filename().string(), folder);
  }
  return places;
}

std::optional<std::filesystem::path> drawPlaces(const Ui& ui, const std::vector<FilePlace>& places,
                                                const std::filesystem::path& present) {
  std::optional<std::filesystem::path> chosen;
  for (size_t i = 0; i < places.size(); ++i) {
    const std::string name = "dialog.place." + std::to_string(i);
    ImGui::PushID(name.c_str());
    const std::string label = fittedText(ui.fonts.text, places[i].label, ImGui::GetContentRegionAvail().x);
    if (ImGui::Selectable(label.c_str(), places[i].folder == present, ImGuiSelectableFlags_DontClosePopups))
      chosen = places[i].folder;
    ImGui::PopID();
    ui.report.widgetOfLastItem(name);
    ui.report.text(name, places[i].folder.string());
    helpTooltip(ui, name, "", places[i].folder.string());
  }
  return chosen;
}

BrowserAnswer drawEntries(const Ui& ui, const FolderListing* listing,
                          const std::vector<const FolderEntry*>& entries, const std::string& selected,
                          bool scroll_to_selected) {
  BrowserAnswer answer;
  if (listing == nullptr) {
    drawMessage(ui.theme, ui.fonts, tr("Reading the folder ..."));
    return answer;
  }
  if (entries.empty()) {
    drawMessage(
        ui.theme, ui.fonts,
        listing->problem.empty() ? tr("There is nothing of this kind here.") : trMessage(listing->problem));
    return answer;
  }
  const Columns columns = columnsOf(ui, ImGui::GetContentRegionAvail().x);
  const float row = ImGui::GetTextLineHeightWithSpacing();
  const auto found =
      std::ranges::find_if(entries, [&](const auto* entry) { return entry->name == selected; });
  if (scroll_to_selected && found != entries.end()) {
    const float top = row * static_cast<float>(found - entries.begin());
    ImGui::SetScrollY(std::max(0.0F, top - ImGui::GetWindowHeight() / 2));
  }
  ImGuiListClipper clipper;  // only what is visible is drawn: a folder may hold thousands
  clipper.Begin(static_cast<int>(entries.size()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const FolderEntry& entry = *entries[static_cast<size_t>(i)];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::PushID(i);
      if (ImGui::Selectable("##entry", entry.name == selected,
                            ImGuiSelectableFlags_DontClosePopups | ImGuiSelectableFlags_AllowDoubleClick)) {
        (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? answer.chosen : answer.selected) = entry.name;
      }
      ImGui::PopID();
      ui.report.widgetOfLastItem("dialog.entry." + entry.name);
      drawEntry(ui, entry, at, columns);
    }
  }
  if (!listing->problem.empty()) ImGui::TextUnformatted(trMessage(listing->problem).c_str());
  return answer;
}

}  // namespace warpscope
