// A session: what is on screen as one value, and as one file (.wssession, docs/session_format.md). It
// consists of named parts; a file may lack any of them, and may have others that a newer program wrote, which
// are left out with a note. A new part is a line in kParts of session.cpp; a page's state needs none: see
// Session::pages.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/model/lab_numbers.h"
#include "app/gui/settings.h"
#include "kernels/experiments/prediction.h"
#include "kernels/recording/session_file.h"
#include "viz/views/view_data.h"

namespace warpscope {

inline constexpr const char* kSessionEnding = ".wssession";

using RunPointer = std::shared_ptr<const Run>;

struct Session {
  // The selection, panels, tabs and page. Theme, language, scale, size, keys and recent files belong to the
  // reader and are not part of the session.
  Settings settings;
  std::string device_name;  // of settings.device, to detect another GPU with that id
  ViewState view;           // without what the mouse is over
  LabNumbers lab;
  std::string notes;
  bool notes_open = false;
  RunPointer run;                // the shown run; null: none
  std::vector<RunPointer> bars;  // the other variants' runs at these settings, without their traces
  std::vector<RunPointer> kept;  // to be compared, in this order
  std::map<std::string, std::string> pages;  // a page's name -> its state, as JSON of its own
};

Expected<std::vector<SessionPart>> partsOf(const Session& session);
struct ReadSession {
  Session session;
  std::vector<std::string> remarks;  // about parts that are unknown, or not fully understood
};
// `name` is used in errors only.
Expected<ReadSession> sessionOf(std::span<const SessionPart> parts, const std::string& name);

// A session ready to be shown, with the layout and predictions of its run. Making one takes a while: it must
// not be done on the UI thread.
struct OpenedSession {
  std::filesystem::path path;  // absolute; empty: not from a file
  Session session;
  std::shared_ptr<const TraceLayout> layout;  // null if there is no run
  std::vector<PredictionResult> predictions;
  std::vector<std::string> remarks;
};
Expected<OpenedSession> openSession(const std::filesystem::path& path);
OpenedSession prepareSession(Session session);
Expected<void> saveSession(const std::filesystem::path& path, const Session& session);

}  // namespace warpscope
