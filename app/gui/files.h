// Everything about files in the window: opening, saving, dropping and exporting sessions and recordings, the
// list of recent files, and the dialog. Files are read and written off the UI thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background_work.h"
#include "app/gui/file_dialog.h"
#include "app/gui/file_export.h"
#include "app/gui/session.h"
#include "app/gui/ui.h"

namespace warpscope {

// Callbacks that the application provides.
struct FileHooks {
  std::function<Session()> session;                // what is on screen
  std::function<void(const OpenedSession&)> show;  // replaces what is on screen
  std::function<void(const std::string& text, double seconds)> tell;
  std::function<void()> wake;  // from another thread: update() has something to do
  // Called with two or more readable recordings that were dropped together, or onto an open one. True: they
  // are compared now. If it is not set or returns false, they become devices, and a notice says so.
  std::function<bool(const std::vector<std::filesystem::path>&)> compare;
  std::function<void(const std::filesystem::path&)> open_program{};  // a file of kernels
  std::function<void(const std::filesystem::path&)> open_lesson{};
};

class Files {
 public:
  Files(Model& model, ScreenState& screen, FileHooks hooks);

  // Sessions are shown; recordings become devices; a file of kernels becomes the shown family. A file that
  // cannot be read changes nothing and is reported.
  void open(std::vector<std::filesystem::path> paths);
  void show(const OpenedSession& opened);  // and remembers it as recent
  bool update();                           // true: there is something to draw
  void draw(const Ui& ui);
  bool busy() const { return work_.busy() || dialog_.busy() || estimator_.busy(); }

  FileHooks hooks;

 private:
  void openSessionFile(const std::filesystem::path& path);
  void openRecordings(const std::vector<std::filesystem::path>& paths);
  void useRecordings(std::vector<std::filesystem::path> paths, const std::vector<std::string>& problems);
  void ask(const FileActionInfo& action);
  void answer(const FileDialog::Answer& answer);
  void save(const std::filesystem::path& path);
  void exportFile(const FileDialog::Answer& answer);
  void written(const std::filesystem::path& path, const Expected<uint64_t>& bytes);
  void remember(const std::filesystem::path& path);  // as recent
  void openDialog(const FileActionInfo& action);
  FileExport exportOf(const FileActionInfo& action, const ExportChoice& choice) const;
  std::string estimate();  // of the export that the dialog asks about, for the reader

  // The size of an export, and the choices for which it was asked.
  struct Estimate {
    const FileActionInfo* action = nullptr;
    ExportChoice choice;
    uint64_t ticket = 0, bytes = 0;
    std::string ending{};  // of the file, which decides whether it is compressed
    bool isOf(const Estimate& other) const;
  };

  Model& model_;
  ScreenState& screen_;
  FileDialog dialog_;
  std::optional<Estimate> wanted_, estimated_;
  Mailbox<Estimate> estimates_;
  Worker estimator_;
  BackgroundWork work_;  // last: what it does calls the others
};

// Draws the button at the toolbar's left end, with its menu.
void drawFileMenu(const Ui& ui);
// Draws free text over the right edge of the views, while ui.screen.files.notes_open.
void drawNotes(const Ui& ui, ImVec2 area_min, ImVec2 area_max);

}  // namespace warpscope
