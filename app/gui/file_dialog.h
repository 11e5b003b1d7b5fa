// Asks for a path in the window: where to save or export to, or what to open. It only asks; its owner does
// the work and reports how it went.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "kernels/export/tables.h"

namespace warpscope {

class FileDialog {
 public:
  struct Answer {
    const FileActionInfo* action = nullptr;
    std::filesystem::path path;  // absolute, with its extension; an existing file may be replaced
    TableKind table = TableKind::kRuns;
  };

  void open(const FileActionInfo& action, const std::filesystem::path& path);  // nothing is written yet
  bool isOpen() const { return open_; }
  bool waits() const { return waits_; }  // for done() or fail()
  void wait() { waits_ = true; }
  void done() { open_ = waits_ = false; }
  void fail(const std::string& why);  // keeps the dialog open, so that another path can be given
  // `working`: what is being written meanwhile. nullopt: nothing is decided yet.
  std::optional<Answer> draw(const Ui& ui, const std::string& working);

 private:
  bool drawPath(const Ui& ui, float width);  // true: Enter
  void drawTables(const Ui& ui);
  std::optional<std::string> drawRecent(const Ui& ui, float width);
  std::optional<Answer> accept();
  void say(const std::string& text, bool error);

  const FileActionInfo* action_ = nullptr;
  TableKind table_ = TableKind::kRuns;
  std::vector<char> typed_;         // a C string
  std::filesystem::path replaces_;  // the user was asked whether this may be replaced
  std::string message_;
  bool is_error_ = false;
  bool shown_ = false;  // Dear ImGui's popup is open: it must be closed where it is drawn
  bool open_ = false, appears_ = false, focus_ = false, waits_ = false;
};

}  // namespace warpscope
