#include "app/gui/file_dialog.h"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "app/gui/path_text.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr size_t kMostTyped = 4096;
constexpr float kDialogWidth = 620;
constexpr const char* kPopup = "##file_dialog";
constexpr ImGuiWindowFlags kDialog = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                     ImGuiWindowFlags_NoNav;

int completeOnTab(ImGuiInputTextCallbackData* data) {
  const std::string typed(data->Buf, static_cast<size_t>(data->BufTextLen));
  const std::string completed = completedPath(typed);
  if (completed != typed) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, completed.c_str());
  }
  return 0;
}

void quiet(const Ui& ui, const std::string& text, float width) {
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  textWrapped(text, width);
  ImGui::PopStyleColor();
}

const char* acceptLabel(const FileActionInfo& action, bool replaces) {
  if (action.action == FileAction::kOpen) return tr("Open");
  return replaces ? tr("Replace") : tr("Save");
}

}  // namespace

void FileDialog::open(const FileActionInfo& action, const std::filesystem::path& path) {
  action_ = &action;
  typed_.assign(kMostTyped, '\0');
  const std::string text = path.string().substr(0, kMostTyped - 1);
  std::ranges::copy(text, typed_.begin());
  replaces_.clear();
  message_.clear();
  open_ = appears_ = focus_ = true;
  waits_ = false;
}

void FileDialog::say(const std::string& text, bool error) {
  message_ = text;
  is_error_ = error;
  focus_ = true;
}

void FileDialog::fail(const std::string& why) {
  waits_ = false;
  replaces_.clear();
  say(why, true);
}

bool FileDialog::drawPath(const Ui& ui, float width) {
  ImGui::SetNextItemWidth(width);
  if (focus_) ImGui::SetKeyboardFocusHere();
  focus_ = false;
  const bool entered =
      ImGui::InputText("##path", typed_.data(), typed_.size(),
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll |
                           ImGuiInputTextFlags_CallbackCompletion,
                       completeOnTab);
  ui.report.widgetOfLastItem("dialog.path");
  ui.report.text("dialog.path", typed_.data());
  return entered;
}

void FileDialog::drawTables(const Ui& ui) {
  for (const TableInfo& table : tables()) {
    if (&table != &tables().front()) ImGui::SameLine(0, ui.px(2));
    const std::string name = std::string("dialog.table.") + table.name;
    const bool on = table_ == table.kind;
    if (button(ui, name, tr(table.label), on ? ButtonLook::kOn : ButtonLook::kPlain)) table_ = table.kind;
  }
}

std::optional<std::string> FileDialog::drawRecent(const Ui& ui, float width) {
  const std::vector<std::string>& recent = ui.screen.files.recent;
  if (action_->action != FileAction::kOpen || recent.empty()) return std::nullopt;
  ImGui::Dummy(ImVec2(0, ui.px(2)));
  quiet(ui, tr("Recently opened and saved:"), width);
  std::optional<std::string> chosen;
  for (size_t i = 0; i < recent.size(); ++i) {
    const std::filesystem::path path = recent[i];
    const std::string shown =
        fittedText(ui.fonts.text, path.filename().string() + "   " + path.parent_path().string(), width);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(shown.c_str(), false, ImGuiSelectableFlags_DontClosePopups, ImVec2(width, 0)))
      chosen = recent[i];
    ImGui::PopID();
    const std::string name = "dialog.recent." + std::to_string(i);
    ui.report.widgetOfLastItem(name);
    ui.report.text(name, recent[i]);
  }
  return chosen;
}

// Returns the answer if the path can be used: an existing file is replaced only after a second confirmation.
std::optional<FileDialog::Answer> FileDialog::accept() {
  Answer answer{action_, pathOf(typed_.data()), table_};
  std::error_code error;
  if (answer.path.empty()) {
    say(tr("Type the path of the file."), true);
    return std::nullopt;
  }
  if (action_->action == FileAction::kOpen) {
    if (std::filesystem::is_regular_file(answer.path, error)) return answer;
    say(trf("There is no file {}.", answer.path.string()), true);
    return std::nullopt;
  }
  if (std::filesystem::is_directory(answer.path, error)) {
    say(trf("{} is a folder: name a file in it.", answer.path.string()), true);
    return std::nullopt;
  }
  answer.path = withEnding(answer.path, action_->ending);
  if (!std::filesystem::is_directory(answer.path.parent_path(), error)) {
    say(trf("There is no folder {}.", answer.path.parent_path().string()), true);
    return std::nullopt;
  }
  if (std::filesystem::exists(answer.path, error) && replaces_ != answer.path) {
    replaces_ = answer.path;
    say(trf("{} already exists. Enter replaces it.", answer.path.filename().string()), false);
    return std::nullopt;
  }
  return answer;
}

std::optional<FileDialog::Answer> FileDialog::draw(const Ui& ui, const std::string& working) {
  if (!open_ && !shown_) return std::nullopt;
  if (std::exchange(appears_, false)) ImGui::OpenPopup(kPopup);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y * 0.3F), ImGuiCond_Always, ImVec2(0.5F, 0.3F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(18), ui.px(14)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(6));
  ImGui::PushStyleColor(ImGuiCol_PopupBg, ui.theme.panel);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.accent);
  std::optional<Answer> answer;
  const bool shown = ImGui::BeginPopupModal(kPopup, nullptr, kDialog);
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(2);
  shown_ = shown && open_;
  if (!shown) return answer;
  if (!open_) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return answer;
  }
  const float width = std::min(ui.px(kDialogWidth), display.x - ui.px(60));
  const FileActionInfo& info = *action_;
  heading(ui, tr(info.label));
  quiet(ui, tr(info.what), width);
  bool accepted = drawPath(ui, width);
  if (info.format != nullptr && info.format->has_tables) drawTables(ui);
  if (!message_.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, is_error_ ? ui.theme.error : ui.theme.text);
    textWrapped((is_error_ ? "✗ " : "") + trMessage(message_), width);
    ImGui::PopStyleColor();
    ui.report.widgetOfLastItem("dialog.message");
    ui.report.text("dialog.message", message_);
  }
  if (waits_) quiet(ui, working, width);
  if (const auto recent = drawRecent(ui, width); recent && !waits_) {
    const std::string text = recent->substr(0, kMostTyped - 1);
    typed_.assign(kMostTyped, '\0');
    std::ranges::copy(text, typed_.begin());
    accepted = true;
  }
  ImGui::Dummy(ImVec2(0, ui.px(2)));
  const bool replaces = !replaces_.empty() && replaces_ == withEnding(pathOf(typed_.data()), info.ending);
  if (button(ui, "dialog.accept", acceptLabel(info, replaces), ButtonLook::kOn)) accepted = true;
  ImGui::SameLine();
  if (button(ui, "dialog.cancel", tr("Cancel"))) done();
  if (accepted && !waits_ && open_) answer = accept();
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ui.report.widget("dialog", at, ImVec2(at.x + size.x, at.y + size.y));
  ImGui::EndPopup();
  return answer;
}

}  // namespace warpscope
