// Asks for a file in the window: where to save or export to, or what to open. It shows folders, places and
// recent files, and takes a typed path. It only asks; its owner does the work and reports how it went.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/export_options.h"
#include "app/gui/file_browser.h"
#include "app/gui/folder_listing.h"
#include "app/gui/ui.h"

struct ImGuiInputTextCallbackData;

namespace warpscope {

class FileDialog {
 public:
  struct Answer {
    const FileActionInfo* action = nullptr;
    std::filesystem::path path;  // absolute, with its extension; an existing file may be replaced
    ExportChoice choice;
  };

  explicit FileDialog(const std::function<void()>& wake) : lister_(wake), examiner_(wake) {}

  // Nothing is written yet. The folder is shown first, the name is a suggestion; `is_new`: another one is
  // suggested if the folder has it.
  void open(const FileActionInfo& action, const std::filesystem::path& folder, const std::string& name,
            bool is_new);
  bool isOpen() const { return open_; }
  const FileActionInfo& action() const { return *action_; }  // of the dialog that is open
  const ExportChoice& choice() const { return options_.choice(); }
  std::string ending() const;            // of the file that would be written now: ".gz"
  bool waits() const { return waits_; }  // for done() or fail()
  void wait() { waits_ = true; }
  void done();
  void fail(const std::string& why);  // keeps the dialog open, so that another path can be given

  bool update();  // true: there is something to draw
  bool busy() const { return lister_.busy() || examiner_.busy(); }
  // `estimate`: how much will be written, for the reader. nullopt: nothing is decided yet.
  std::optional<Answer> draw(const Ui& ui, const std::string& working, const std::string& estimate);

 private:
  static int editCallback(ImGuiInputTextCallbackData* data);
  void edit(ImGuiInputTextCallbackData& data);
  bool drawPath(const Ui& ui, float width);  // true: Enter
  bool takeEarly(std::span<const KeyPress> keys);
  bool drawBrowser(const Ui& ui, ImVec2 size, bool& accepted);
  void drawFolderRow(const Ui& ui, float width);
  void drawFilter(const Ui& ui, float width);
  std::optional<std::string> drawRecent(const Ui& ui);
  void drawMessage(const Ui& ui, const std::string& working, float width);
  void drawContent(const Ui& ui, const std::string& working, const std::string& estimate, bool& accepted);

  void accept();  // the path is looked up; then:
  std::optional<Answer> decide(const PathFacts& facts);
  void suggestFreeName();
  std::filesystem::path typedPath() const { return pathIn(typed_); }
  std::filesystem::path pathIn(const std::string& typed) const;
  void enter(const std::filesystem::path& folder);
  void type(const std::string& text);  // replaces what is in the field
  void moveSelection(int by);
  void completeTyped();
  std::vector<const FolderEntry*> shownEntries() const;
  void say(const std::string& text, bool error);

  FolderLister lister_;
  PathExaminer examiner_;
  const FileActionInfo* action_ = nullptr;
  ExportOptions options_;
  std::string suggestion_;                  // a name that is to be a new one; empty: none
  std::filesystem::path folder_;            // relative paths are in it
  std::string typed_;                       // the field's text
  std::optional<std::string> replacement_;  // of it, while the field is active
  std::string selected_;                    // the name of an entry
  // The field has no cursor yet; what was typed until then stays when it gets one.
  bool opening_ = false, typed_early_ = false, to_end_ = false;
  bool all_types_ = false, scroll_ = false, completes_ = false;
  float around_ = 0;                // pixels above and below the list, in the last frame
  std::filesystem::path replaces_;  // the user was asked whether this may be replaced
  std::string message_;
  bool is_error_ = false;
  bool shown_ = false;  // Dear ImGui's popup is open: it must be closed where it is drawn
  bool open_ = false, appears_ = false, focus_ = false, waits_ = false;
};

}  // namespace warpscope
