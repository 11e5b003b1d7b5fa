// Requests concerning files from toolbar, keys and panels, and the text typed for them: the part of the
// window's state that Files (files.h) works on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/window.h"
#include "kernels/export/formats.h"

namespace warpscope {

enum class FileAction { kSaveSession, kOpen, kExport };

// An entry of the File menu.
struct FileActionInfo {
  FileAction action;
  const char* name;                      // in reports
  const char* label;                     // in the menu, and over the path
  const char* ending;                    // of the file; nullptr: an existing one
  const char* keys;                      // the default ones of its action; "": none
  const char* what;                      // under the path: what is written
  const ExportFormat* format = nullptr;  // of kExport
};
std::span<const FileActionInfo> fileActions();            // in the menu's order; each export format is one
const FileActionInfo& fileAction(std::string_view name);  // which must be one of them

struct FileState {
  const FileActionInfo* wish = nullptr;  // from a menu or key: its dialog is to open
  std::string wish_view;                 // the view that an export of a picture shows; empty: the window
  bool save_wish = false;                // the session, under its name if it has one
  std::string folder;                    // where a file was chosen last; empty: nowhere yet
  std::vector<std::string> open_wish;    // files to open together, as they were dropped or chosen
  std::vector<std::string> recent;       // the most recent first
  bool dialog_open = false;              // it receives the keys
  bool close_wish = false;               // Escape
  std::vector<KeyPress> early;           // keys of this frame, for a dialog whose field has no cursor yet
  std::string session_path;              // of the session opened or saved last; empty: none
  std::string working;                   // what is being read or written, and the progress; empty: nothing
  double working_since_s = 0;            // by the window's clock
  std::optional<double> working_fraction, working_left_s;  // absent: unknown
  bool stop_wish = false;                                  // of what is being read or written
  std::string notes_in_file;                     // the notes as they are in the session saved or opened last
  std::string notes;                             // kept in sessions
  bool notes_open = false, notes_begin = false;  // the second: the cursor goes there

  // A dialog is open, or opens in this frame.
  bool takesKeys() const { return dialog_open || wish != nullptr || (save_wish && session_path.empty()); }
};

}  // namespace warpscope
