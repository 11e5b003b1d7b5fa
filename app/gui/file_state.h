// What toolbar, keys and panels ask of files, and what is typed about them: the part of the window's state
// that Files (files.h) works on.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "viz/text/translate.h"

namespace warpscope {

enum class FileAction { kSaveSession, kOpen, kChrome, kCsv, kJson, kReport, kPng, kSvg };

struct FileActionInfo {
  FileAction action;
  const char* name;    // in reports
  const char* label;   // in the menu, and over the path
  const char* ending;  // of the file; nullptr: an existing one
  const char* keys;    // nullptr: none
  const char* what;    // under the path: what is written
};
inline constexpr std::array kFileActions{
    FileActionInfo{FileAction::kSaveSession, "save_session", trMark("Save session ..."), ".wssession",
                   "Ctrl+Shift+S", trMark("All that is on screen, with its runs and notes, in one file.")},
    FileActionInfo{FileAction::kOpen, "open", trMark("Open ..."), nullptr, "Ctrl+O",
                   trMark("A session (.wssession) or a recording (.wsrec).")},
    FileActionInfo{FileAction::kChrome, "chrome", trMark("Export trace ..."), ".trace.json", nullptr,
                   trMark("The shown run, for ui.perfetto.dev and chrome://tracing.")},
    FileActionInfo{FileAction::kCsv, "csv", trMark("Export table (CSV) ..."), ".csv", nullptr,
                   trMark("The shown run and the other variants' at these settings, for spreadsheets.")},
    FileActionInfo{FileAction::kJson, "json", trMark("Export table (JSON) ..."), ".json", nullptr,
                   trMark("The shown run and the other variants' at these settings, a list of rows.")},
    FileActionInfo{
        FileAction::kReport, "report", trMark("Report (HTML) ..."), ".html", nullptr,
        trMark("The shown run and the other variants' at these settings, ranked: one file to read, "
               "print or send.")},
    FileActionInfo{FileAction::kPng, "png", trMark("Picture (PNG) ..."), ".png", nullptr,
                   trMark("The window as it is, in pixels.")},
    FileActionInfo{FileAction::kSvg, "svg", trMark("Picture (SVG) ..."), ".svg", nullptr,
                   trMark("The window as it is, as shapes and text.")},
};
const FileActionInfo& infoOf(FileAction action);

struct FileState {
  std::optional<FileAction> wish;                // from a menu or key: its dialog is to open
  std::vector<std::string> open_wish;            // files to open together, as they were dropped or chosen
  std::vector<std::string> recent;               // the last first
  bool dialog_open = false;                      // keys are its own
  bool close_wish = false;                       // Escape
  std::string session_path;                      // of the session that was opened or saved last; empty: none
  std::string working;                           // what is being read or written, and how far; empty: nothing
  std::string notes_in_file;                     // as a session has them that was saved or opened
  std::string notes;                             // kept in sessions
  bool notes_open = false, notes_begin = false;  // the second: the cursor goes there
};

}  // namespace warpscope
