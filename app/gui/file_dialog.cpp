#include "app/gui/file_dialog.h"

#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "app/gui/path_text.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr size_t kMostTyped = 4096;
constexpr float kDialogWidth = 780, kListHeight = 300, kPlacesWidth = 170;  // pixels at 100 %
constexpr float kPaddingX = 18, kPaddingY = 14;                             // pixels at 100 %
constexpr const char* kPopup = "##file_dialog";
constexpr ImGuiWindowFlags kDialog = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                     ImGuiWindowFlags_NoNav;

void quiet(const Ui& ui, const std::string& text, float width) {
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  textWrapped(text, width);
  ImGui::PopStyleColor();
}

const char* acceptLabel(const FileActionInfo& action, bool replaces) {
  if (action.action == FileAction::kOpen) return tr("Open");
  return replaces ? tr("Replace") : tr("Save");
}

// Where the last character of a text begins.
size_t lastCharacter(const std::string& text) {
  size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

// The endings of the files that the dialog is about.
std::vector<std::string> endingsOf(const FileActionInfo& action) {
  if (action.ending == nullptr) return {".wssession", ".wsrec", ".cu", ".cuh", ".ptx"};
  return {action.ending};
}

}  // namespace

void FileDialog::open(const FileActionInfo& action, const std::filesystem::path& folder,
                      const std::string& name, bool is_new) {
  action_ = &action;
  options_.begin(action);
  examiner_.forget();
  replaces_.clear();
  message_.clear();
  all_types_ = false;
  enter(folder);
  lister_.refresh();  // it may have changed since
  type(name);
  suggestion_ = is_new ? name : "";
  open_ = appears_ = focus_ = opening_ = true;
  waits_ = typed_early_ = to_end_ = false;
}

void FileDialog::done() {
  open_ = waits_ = false;
  examiner_.forget();
}

bool FileDialog::update() {
  const bool listed = lister_.poll(), examined = examiner_.poll();
  return listed || examined;
}

void FileDialog::enter(const std::filesystem::path& folder) {
  folder_ = folder;
  selected_.clear();
  lister_.want(folder_);
}

void FileDialog::type(const std::string& text) {
  typed_ = text.substr(0, kMostTyped - 1);
  replacement_ = typed_;
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

std::filesystem::path FileDialog::pathIn(const std::string& typed) const {
  const std::filesystem::path path = pathOf(typed, folder_);
  return path.empty() || path.has_filename() ? path : path.parent_path();
}

// The entries of the folder in the typed path; if the path names none, of the folder that was entered last.
std::vector<const FolderEntry*> FileDialog::shownEntries() const {
  std::vector<const FolderEntry*> shown;
  const FolderListing* listing = lister_.listing();
  if (listing == nullptr) return shown;
  const std::vector<std::string> endings = all_types_ ? std::vector<std::string>{} : endingsOf(*action_);
  for (const FolderEntry& entry : listing->entries) {
    if (entry.name.starts_with(".")) continue;
    if (entry.is_folder || hasEnding(entry.name, endings)) shown.push_back(&entry);
  }
  return shown;
}

void FileDialog::moveSelection(int by) {
  const auto shown = shownEntries();
  if (shown.empty()) return;
  const auto found = std::ranges::find_if(shown, [&](const auto* entry) { return entry->name == selected_; });
  const auto last = static_cast<int64_t>(shown.size()) - 1;
  const int64_t at = found == shown.end() ? (by > 0 ? 0 : last) : found - shown.begin() + by;
  const FolderEntry& entry = *shown[static_cast<size_t>(std::clamp<int64_t>(at, 0, last))];
  selected_ = entry.name;
  scroll_ = true;
  type((lister_.listing()->folder / entry.name).string() + (entry.is_folder ? "/" : ""));
}

void FileDialog::completeTyped() {
  const FolderListing* listing = lister_.listing();
  completes_ = listing == nullptr;  // once it has been read
  if (listing == nullptr) return;
  std::vector<std::string> names;
  for (const FolderEntry& entry : listing->entries)
    names.push_back(entry.name + (entry.is_folder ? "/" : ""));
  type(completedPath(typed_, names));
}

// Dear ImGui drops what is typed until the field has its cursor. True: Enter. Where Dear ImGui queues keys,
// only text can come that early.
bool FileDialog::takeEarly(std::span<const KeyPress> keys) {
  ImVector<ImWchar>& characters = ImGui::GetIO().InputQueueCharacters;
  std::string text = typed_early_ ? typed_ : "";
  bool entered = false, typed = false;
  const auto add = [&](const std::string& more) {
    text += more;
    typed = typed || !more.empty();
  };
  for (const KeyPress& press : keys) {
    if (kInputIsQueued) break;
    if (!press.control && !press.alt) add(press.text);
    if (press.key == GLFW_KEY_BACKSPACE && !text.empty()) text.erase(lastCharacter(text));
    entered = entered || press.key == GLFW_KEY_ENTER || press.key == GLFW_KEY_KP_ENTER;
  }
  if (kInputIsQueued) {
    std::array<char, 5> utf8{};
    for (const ImWchar character : characters) add(ImTextCharToUtf8(utf8.data(), character));
  }
  characters.resize(0);
  if (typed) {
    type(text);
    suggestion_.clear();
    typed_early_ = to_end_ = true;
  }
  return entered;
}

int FileDialog::editCallback(ImGuiInputTextCallbackData* data) {
  static_cast<FileDialog*>(data->UserData)->edit(*data);
  return 0;
}

void FileDialog::edit(ImGuiInputTextCallbackData& data) {
  if (data.EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    typed_.assign(data.Buf, static_cast<size_t>(data.BufTextLen));
    completeTyped();
  } else if (data.EventFlag == ImGuiInputTextFlags_CallbackHistory) {
    moveSelection(data.EventKey == ImGuiKey_UpArrow ? -1 : +1);
  }
  if (std::exchange(to_end_, false))
    data.CursorPos = data.SelectionStart = data.SelectionEnd = data.BufTextLen;
  if (!replacement_) return;
  if (std::string_view(data.Buf, static_cast<size_t>(data.BufTextLen)) != *replacement_) {
    data.DeleteChars(0, data.BufTextLen);
    data.InsertChars(0, replacement_->c_str());
  }
  replacement_.reset();
}

bool FileDialog::drawPath(const Ui& ui, float width) {
  const bool entered_early = opening_ && takeEarly(ui.screen.files.early);
  std::array<char, kMostTyped> buffer{};
  std::ranges::copy(typed_, buffer.begin());
  ImGui::SetNextItemWidth(width);
  if (focus_) ImGui::SetKeyboardFocusHere();
  const bool begins = std::exchange(focus_, false);
  const bool entered = ImGui::InputText(
      "##path", buffer.data(), buffer.size(),
      ImGuiInputTextFlags_EnterReturnsTrue | (typed_early_ ? 0 : ImGuiInputTextFlags_AutoSelectAll) |
          ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackHistory |
          ImGuiInputTextFlags_CallbackAlways,
      editCallback, this);
  ui.report.widgetOfLastItem("dialog.path");
  if (ImGui::IsItemActive()) opening_ = false;
  const std::string now = buffer.data();
  if (now != typed_ && !replacement_) {
    typed_ = now;
    selected_.clear();
  }
  if (!ImGui::IsItemActive() && !begins) replacement_.reset();  // the field takes it from typed_
  ui.report.text("dialog.path", typed_);
  lister_.want(folderOf(typed_, folder_));
  suggestFreeName();
  if (completes_ && lister_.listing() != nullptr) completeTyped();
  return entered || entered_early;
}

void FileDialog::drawFolderRow(const Ui& ui, float width) {
  const std::filesystem::path shown = folderOf(typed_, folder_);
  const auto go = [&](const std::filesystem::path& to) {
    const std::string name =
        typed_.substr(typed_.rfind('/') == std::string::npos ? 0 : typed_.rfind('/') + 1);
    enter(to);
    type(name);
    focus_ = true;
  };
  const float begin = ImGui::GetCursorScreenPos().x;
  if (button(ui, "dialog.up", tr("↑ Up"))) go(shown.parent_path());
  helpTooltip(ui, "dialog.up", "", tr("The folder that contains this one."));
  ImGui::SameLine();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = width - (at.x - begin);
  drawTextFitted(*ImGui::GetWindowDrawList(), ui.fonts.text, {at.x, at.y + ImGui::GetStyle().FramePadding.y},
                 room, ui.theme.text, shown.string().c_str());
  ImGui::Dummy({room, ImGui::GetFrameHeight()});
  ui.report.widgetOfLastItem("dialog.folder");
  ui.report.text("dialog.folder", shown.string());
}

std::optional<std::string> FileDialog::drawRecent(const Ui& ui) {
  const std::vector<std::string>& recent = ui.screen.files.recent;
  if (action_->action != FileAction::kOpen || recent.empty()) return std::nullopt;
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  quiet(ui, tr("Recent files"), ImGui::GetContentRegionAvail().x);
  std::optional<std::string> chosen;
  for (size_t i = 0; i < recent.size(); ++i) {
    const std::string name = "dialog.recent." + std::to_string(i);
    const std::string file = std::filesystem::path(recent[i]).filename().string();
    ImGui::PushID(name.c_str());
    if (ImGui::Selectable(fittedText(ui.fonts.text, file, ImGui::GetContentRegionAvail().x).c_str(), false,
                          ImGuiSelectableFlags_DontClosePopups))
      chosen = recent[i];
    ImGui::PopID();
    ui.report.widgetOfLastItem(name);
    ui.report.text(name, recent[i]);
    helpTooltip(ui, name, "", recent[i]);
  }
  return chosen;
}

// Places at the left, the entries of the folder at the right. True: a recent file is to be opened.
bool FileDialog::drawBrowser(const Ui& ui, ImVec2 size, bool& accepted) {
  const float places = std::min(ui.px(kPlacesWidth), size.x * 0.3F), gap = ImGui::GetStyle().ItemSpacing.x;
  const std::filesystem::path shown = folderOf(typed_, folder_);
  bool opens_recent = false;
  ImGui::BeginChild("places", {places, size.y}, true, ImGuiWindowFlags_NoNav);
  if (const auto place = drawPlaces(ui, filePlaces(ui.screen.files.recent), shown)) {
    const std::string name = std::filesystem::path(typed_).filename().string();
    enter(*place);
    type(name);
    focus_ = true;
  }
  if (const auto recent = drawRecent(ui)) {
    type(*recent);
    opens_recent = true;
  }
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("entries", {size.x - places - gap, size.y}, true, ImGuiWindowFlags_NoNav);
  const BrowserAnswer answer =
      drawEntries(ui, lister_.listing(), shownEntries(), selected_, std::exchange(scroll_, false));
  ImGui::EndChild();
  const auto& clicked = answer.chosen ? answer.chosen : answer.selected;
  if (clicked) {
    selected_ = *clicked;
    const std::filesystem::path path = shown / *clicked;
    const auto shown_entries = shownEntries();
    const auto entry = std::ranges::find(shown_entries, *clicked, &FolderEntry::name);
    const bool is_folder = entry != shown_entries.end() && (*entry)->is_folder;
    if (!is_folder) {
      type(path.string());
      accepted = accepted || answer.chosen.has_value();
    } else if (answer.chosen) {
      const std::string name =
          action_->action == FileAction::kOpen ? "" : std::filesystem::path(typed_).filename().string();
      enter(path);
      type(name);
      focus_ = true;
    }
  }
  return opens_recent;
}

void FileDialog::drawFilter(const Ui& ui, float width) {
  std::string kinds;
  for (const std::string& ending : endingsOf(*action_)) kinds += (kinds.empty() ? "*" : ", *") + ending;
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo("##filter", all_types_ ? tr("All files") : kinds.c_str());
  ui.report.widgetOfLastItem("dialog.filter");
  if (!open) {
    helpTooltip(ui, "dialog.filter", "", tr("Which files the list shows."));
    return;
  }
  if (ImGui::Selectable(kinds.c_str(), !all_types_, ImGuiSelectableFlags_DontClosePopups)) all_types_ = false;
  if (ImGui::Selectable(tr("All files"), all_types_, ImGuiSelectableFlags_DontClosePopups)) all_types_ = true;
  ui.report.widgetOfLastItem("dialog.filter.all");
  ImGui::EndCombo();
}

std::string FileDialog::ending() const {
  const std::filesystem::path path = typedPath();
  return withEnding(path.empty() ? "a" : path, action_->ending).extension().string();
}

// What is at the path is looked up in the background: its disk may be slow.
void FileDialog::accept() {
  const std::filesystem::path path = typedPath();
  if (path.empty()) return say(tr("Type the path of the file, or choose one."), true);
  if (const std::string problem = options_.problem(); !problem.empty()) return say(problem, true);
  examiner_.want(path, action_->action == FileAction::kOpen ? path : withEnding(path, action_->ending));
}

// Returns the answer if the path can be used: an existing file is replaced only after a second confirmation.
std::optional<FileDialog::Answer> FileDialog::decide(const PathFacts& facts) {
  Answer answer{action_, facts.written, options_.choice()};
  if (facts.is_folder) {
    message_.clear();
    enter(facts.path);
    type("");
    focus_ = true;
    return std::nullopt;
  }
  if (action_->action == FileAction::kOpen) {
    if (facts.is_file) return answer;
    say(trf("There is no file {}.", answer.path.string()), true);
    return std::nullopt;
  }
  if (!facts.folder_exists) {
    say(trf("There is no folder {}.", answer.path.parent_path().string()), true);
    return std::nullopt;
  }
  if (facts.would_replace && replaces_ != answer.path) {
    replaces_ = answer.path;
    say(trf("{} already exists. Enter replaces it.", answer.path.filename().string()), false);
    return std::nullopt;
  }
  return answer;
}

// Once it is known which names there are, and unless the user has typed another one.
void FileDialog::suggestFreeName() {
  const FolderListing* listing = lister_.listing();
  if (suggestion_.empty() || listing == nullptr) return;
  std::vector<std::string> names;
  for (const FolderEntry& entry : listing->entries) names.push_back(entry.name);
  const std::string ending = action_->ending;
  const std::string stem = suggestion_.substr(0, suggestion_.size() - ending.size());
  if (typed_ == suggestion_ && std::ranges::find(names, suggestion_) != names.end())
    type(freeName(stem, ending, names));
  suggestion_.clear();
}

void FileDialog::drawMessage(const Ui& ui, const std::string& working, float width) {
  if (!message_.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, is_error_ ? ui.theme.error : ui.theme.text);
    textWrapped((is_error_ ? "✗ " : "") + trMessage(message_), width);
    ImGui::PopStyleColor();
    ui.report.widgetOfLastItem("dialog.message");
    ui.report.text("dialog.message", message_);
  }
  if (waits_) quiet(ui, working, width);
  if (examiner_.waits()) quiet(ui, tr("looking up the path ..."), width);
}

void FileDialog::drawContent(const Ui& ui, const std::string& working, const std::string& estimate,
                             bool& accepted) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(ui.px(kDialogWidth), display.x - ui.px(60));
  const FileActionInfo& info = *action_;
  heading(ui, tr(info.label));
  quiet(ui, tr(info.what), width);
  drawFolderRow(ui, width);
  // The list gives way to everything else.
  if (around_ == 0) around_ = ui.px(250);
  const float height = std::clamp(display.y - around_, ui.px(70), ui.px(kListHeight));
  accepted = drawBrowser(ui, {width, height}, accepted) || accepted;
  const float filter = std::min(ui.px(170), width * 0.3F), gap = ImGui::GetStyle().ItemSpacing.x;
  accepted = drawPath(ui, width - filter - gap) || accepted;
  ImGui::SameLine();
  drawFilter(ui, filter);
  accepted = options_.draw(ui, estimate, width) || accepted;
  drawMessage(ui, working, width);
  ImGui::Dummy(ImVec2(0, ui.px(2)));
  const bool replaces =
      !replaces_.empty() && info.ending != nullptr && replaces_ == withEnding(typedPath(), info.ending);
  if (button(ui, "dialog.accept", acceptLabel(info, replaces), ButtonLook::kOn)) accepted = true;
  ImGui::SameLine();
  if (button(ui, "dialog.cancel", waits_ ? tr("■ Stop") : tr("Cancel"))) done();
  const float end = ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y + ui.px(kPaddingY);
  const float around = std::ceil(end - height);
  if (std::exchange(around_, around) != around) redrawIn(ui, 0);
}

std::optional<FileDialog::Answer> FileDialog::draw(const Ui& ui, const std::string& working,
                                                   const std::string& estimate) {
  if (!open_ && !shown_) return std::nullopt;
  if (std::exchange(appears_, false)) ImGui::OpenPopup(kPopup);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y * 0.3F), ImGuiCond_Always, ImVec2(0.5F, 0.3F));
  ImGui::SetNextWindowSizeConstraints({0, 0}, display);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(kPaddingX), ui.px(kPaddingY)));
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
  bool accepted = false;
  drawContent(ui, working, estimate, accepted);
  if (accepted && !waits_ && open_) accept();
  const auto facts = examiner_.facts();
  const bool still_typed = facts && facts->path == typedPath();  // it may have been changed meanwhile
  if (still_typed && !waits_ && open_) answer = decide(*facts);
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ui.report.widget("dialog", at, ImVec2(at.x + size.x, at.y + size.y));
  ImGui::EndPopup();
  return answer;
}

}  // namespace warpscope
