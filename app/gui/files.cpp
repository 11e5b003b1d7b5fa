#include "app/gui/files.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "app/gui/file_export.h"
#include "app/gui/path_text.h"
#include "kernels/core/units.h"
#include "kernels/device/device.h"
#include "kernels/lesson/lesson_file.h"
#include "kernels/program/program.h"
#include "kernels/recording/recording.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr double kShort_s = 6, kLong_s = 14;

std::string bytesText(uint64_t bytes) {
  return formatBytes(bytes);
}

}  // namespace

Files::Files(Model& model, ScreenState& screen, FileHooks given)
    : hooks(std::move(given)),
      model_(model),
      screen_(screen),
      dialog_([this] { hooks.wake(); }),
      estimates_([this] { hooks.wake(); }),
      work_([this] { hooks.wake(); }, [this](const std::string& message) { hooks.tell(message, kLong_s); }) {}

void Files::open(std::vector<std::filesystem::path> paths) {
  const auto is_lesson = [](const std::filesystem::path& path) { return path.extension() == kLessonEnding; };
  if (const auto lesson = std::ranges::find_if(paths, is_lesson);
      lesson != paths.end() && hooks.open_lesson) {
    hooks.open_lesson(*lesson);
    std::erase_if(paths, is_lesson);
  }
  const auto program = std::ranges::find_if(paths, isProgramFile);
  if (program != paths.end() && hooks.open_program) {
    remember(*program);
    hooks.open_program(*program);
    std::erase_if(paths, isProgramFile);
    if (paths.empty()) return;
  }
  const auto session = std::ranges::find_if(paths, [](const std::filesystem::path& path) {
    return path.extension() == kSessionEnding || isSessionFile(path);
  });
  if (session == paths.end()) {
    openRecordings(paths);
    return;
  }
  if (paths.size() > 1)
    hooks.tell(trf("Only one session can be shown at a time: opening {}.", session->filename().string()),
               kShort_s);
  openSessionFile(*session);
}

void Files::openSessionFile(const std::filesystem::path& path) {
  work_.start(trf("Reading {} ...", path.filename().string()), [this, path](WorkProgress& progress) {
    auto opened = std::make_shared<Expected<OpenedSession>>(openSession(path));
    const bool stopped = progress.stop.stop_requested();
    return [this, opened, path, stopped] {
      if (stopped) return hooks.tell(trf("Stopped: {} was not opened.", path.filename().string()), kShort_s);
      if (!*opened) {
        hooks.tell("✗ " + trMessage(opened->error().message), kLong_s);
        return;
      }
      show(**opened);
    };
  });
}

void Files::show(const OpenedSession& opened) {
  FileState& state = screen_.files;
  const std::string before = state.notes;
  const bool only_here = !before.empty() && before != state.notes_in_file && before != opened.session.notes;
  hooks.show(opened);
  state.session_path = opened.path.string();
  state.notes_in_file = opened.session.notes;
  remember(opened.path);
  std::string text = trf("Opened {}", opened.path.string());
  for (const std::string& remark : opened.remarks) text += "\n" + remark;
  if (only_here) {
    ImGui::SetClipboardText(before.c_str());
    text +=
        std::string("\n") + tr("The previous notes were not saved in a session: they are on the clipboard.");
  }
  hooks.tell(text, opened.remarks.empty() && !only_here ? kShort_s : kLong_s);
}

void Files::openRecordings(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) return;
  work_.start(trf("Reading {} ...", paths.front().filename().string()), [this, paths](WorkProgress&) {
    std::vector<std::filesystem::path> readable;
    std::vector<std::string> problems;
    for (const std::filesystem::path& path : paths) {
      std::error_code error;
      const auto absolute = std::filesystem::absolute(path, error);
      const auto index = RecordingIndex::open(path);
      if (!index) {
        problems.push_back(index.error().message);
      } else if (index->size() == 0) {
        problems.push_back(fmt::format("{} holds no runs", path.string()));
      } else {
        readable.push_back(error ? path : absolute);
      }
    }
    return [this, readable, problems] { useRecordings(readable, problems); };
  });
}

void Files::useRecordings(std::vector<std::filesystem::path> paths,
                          const std::vector<std::string>& problems) {
  std::string text;
  for (const std::string& problem : problems) text += (text.empty() ? "✗ " : "\n✗ ") + trMessage(problem);
  if (paths.empty()) {
    hooks.tell(text, kLong_s);
    return;
  }
  for (const std::filesystem::path& path : paths) remember(path);
  const std::string& open_device = model_.devices().id();
  std::vector<std::filesystem::path> together = paths;
  const auto open_file = fileOfDevice(open_device);
  if (open_file && std::ranges::find(together, *open_file) == together.end())
    together.insert(together.begin(), *open_file);
  const bool comparing = together.size() > 1 && hooks.compare && hooks.compare(together);
  if (!comparing) {
    // Opening a file puts it into the list of devices; the one opened last, the first path, stays open.
    for (auto path = paths.rbegin(); path != paths.rend(); ++path) model_.openDevice(fileDeviceId(*path));
    if (together.size() > 1) {
      text += (text.empty() ? "" : "\n") +
              trf("{} recordings are devices now: choose between them in the toolbar.", together.size());
    } else {
      text += (text.empty() ? "" : "\n") + trf("Opened {}", paths.front().string());
    }
  }
  if (!text.empty()) hooks.tell(text, problems.empty() ? kShort_s : kLong_s);
}

bool Files::update() {
  FileState& state = screen_.files;
  bool news = work_.poll();
  news = dialog_.update() || news;
  for (Estimate& estimate : estimates_.take()) {
    estimated_ = estimate;
    news = true;
  }
  const bool was_working = !state.working.empty();
  state.working = work_.label();
  if (const uint64_t bytes = work_.bytes(); !state.working.empty() && bytes > 0)
    state.working += "  " + bytesText(bytes);
  state.working_fraction = work_.fraction();
  state.working_left_s = work_.secondsLeft();
  return news || was_working != !state.working.empty();
}

void Files::openDialog(const FileActionInfo& action) {
  std::error_code error;
  const std::filesystem::path folder = screen_.files.folder.empty()
                                           ? std::filesystem::current_path(error)
                                           : std::filesystem::path(screen_.files.folder);
  if (action.action == FileAction::kOpen) return dialog_.open(action, folder, "", false);
  if (action.action == FileAction::kSaveSession && !screen_.files.session_path.empty()) {
    const std::filesystem::path path = screen_.files.session_path;
    return dialog_.open(action, path.parent_path(), path.filename().string(), false);
  }
  const RunPointer& run = model_.feed().shown().run;
  std::string stem =
      run == nullptr ? "warpscope" : fmt::format("{}-{}", run->request.family, run->request.variant);
  if (const std::string& view = screen_.files.wish_view; !view.empty()) stem += "-" + view;
  dialog_.open(action, folder, stem + action.ending, true);
}

bool Files::Estimate::isOf(const Estimate& other) const {
  return action == other.action && choice == other.choice && ticket == other.ticket && ending == other.ending;
}

std::string Files::estimate() {
  const bool writes = dialog_.isOpen() && dialog_.action().format != nullptr &&
                      dialog_.action().format->write != nullptr && model_.feed().shown().run != nullptr;
  if (!writes) return {};
  Estimate wanted{.action = &dialog_.action(),
                  .choice = dialog_.choice(),
                  .ticket = model_.feed().shown().ticket,
                  .ending = dialog_.ending()};
  if (!wanted_ || !wanted_->isOf(wanted)) {
    wanted_ = wanted;
    FileExport job = exportOf(*wanted.action, wanted.choice);
    job.path = "estimate" + wanted.ending;
    estimator_.wish([this, wanted, job = std::move(job)](const std::stop_token& stop) {
      auto bytes = guarded("an estimate", [&] { return Expected<uint64_t>(estimateBytes(job, stop)); });
      Estimate done = wanted;
      done.bytes = bytes.value_or(0);
      estimates_.put(done);
    });
  }
  if (!estimated_ || !estimated_->isOf(wanted)) return tr("estimating the size ...");
  return estimated_->bytes == 0 ? "" : trf("about {} (estimated)", bytesText(estimated_->bytes));
}

void Files::ask(const FileActionInfo& action) {
  const bool of_runs = action.format != nullptr && action.format->write != nullptr;
  if (of_runs && model_.feed().shown().run == nullptr) {
    hooks.tell(tr("There is no run to export yet: press ▶ Run."), kShort_s);
    return;
  }
  wanted_.reset();
  openDialog(action);
}

void Files::answer(const FileDialog::Answer& answer) {
  screen_.files.folder = answer.path.parent_path().string();
  switch (answer.action->action) {
    case FileAction::kSaveSession:
      save(answer.path);
      break;
    case FileAction::kOpen:
      dialog_.done();
      open({answer.path});
      break;
    case FileAction::kExport:
      if (answer.action->format->write != nullptr) {
        exportFile(answer);
        break;
      }
      dialog_.done();  // it must not be in the picture
      screen_.save_picture = PictureWish{.view = std::exchange(screen_.files.wish_view, {}),
                                         .svg = std::string_view(answer.action->format->name) == "svg",
                                         .path = answer.path};
  }
}

void Files::save(const std::filesystem::path& path) {
  if (dialog_.isOpen()) dialog_.wait();
  auto session = std::make_shared<const Session>(hooks.session());
  work_.start(trf("Saving {} ...", path.filename().string()), [this, path, session](WorkProgress&) {
    const auto saved = saveSession(path, *session);
    std::error_code error;
    const Expected<uint64_t> bytes =
        saved ? Expected<uint64_t>(std::filesystem::file_size(path, error)) : tl::unexpected(saved.error());
    return [this, path, bytes, session] {
      if (bytes) {
        screen_.files.notes_in_file = session->notes;
        screen_.files.session_path = path.string();
        remember(path);
      }
      written(path, bytes);
    };
  });
}

FileExport Files::exportOf(const FileActionInfo& action, const ExportChoice& choice) const {
  FileExport job{
      .format = action.format, .path = {}, .runs = {}, .table = choice.table, .range = choice.range};
  job.runs.push_back(model_.feed().shown().run);
  for (const VariantResult& result : model_.feed().variants()) {
    // The runs of a session have no trace: only their numbers are known.
    const bool whole = result.run != nullptr && !result.run->trace.warps.empty();
    const bool numbers_do = job.format->has_tables && choice.table == TableKind::kRuns;
    if (result.run != nullptr && !result.stale && result.run != job.runs.front() && (whole || numbers_do))
      job.runs.push_back(result.run);
  }
  return job;
}

void Files::exportFile(const FileDialog::Answer& answer) {
  FileExport job = exportOf(*answer.action, answer.choice);
  job.path = answer.path;
  if (estimated_ && wanted_ && estimated_->isOf(*wanted_)) job.expected_bytes = estimated_->bytes;
  dialog_.wait();
  work_.start(trf("Writing {} ...", answer.path.filename().string()),
              [this, job = std::move(job)](WorkProgress& progress) {
                const auto bytes = exportRuns(job, progress);
                return [this, path = job.path, bytes] { written(path, bytes); };
              });
}

// A dialog that was closed meanwhile stays closed: then only the notice reports the result.
void Files::written(const std::filesystem::path& path, const Expected<uint64_t>& bytes) {
  if (bytes) {
    if (dialog_.waits()) dialog_.done();
    hooks.tell(trf("Saved {} ({})", path.string(), bytesText(*bytes)), kShort_s);
    return;
  }
  if (dialog_.isOpen()) dialog_.fail(bytes.error().message);
  hooks.tell("✗ " + trMessage(bytes.error().message), kLong_s);
}

void Files::remember(const std::filesystem::path& path) {
  std::vector<std::string>& recent = screen_.files.recent;
  std::erase(recent, path.string());
  recent.insert(recent.begin(), path.string());
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
}

void Files::draw(const Ui& ui) {
  FileState& state = screen_.files;
  // Under its name if it has one; else the dialog asks for one.
  if (std::exchange(state.save_wish, false)) {
    state.session_path.empty() ? void(state.wish = &fileAction("save_session")) : save(state.session_path);
  }
  if (const auto wish = std::exchange(state.wish, nullptr); wish != nullptr && !dialog_.waits()) ask(*wish);
  if (!state.open_wish.empty()) {
    std::vector<std::filesystem::path> paths(state.open_wish.begin(), state.open_wish.end());
    state.open_wish.clear();
    open(std::move(paths));
  }
  const bool waited = dialog_.waits();
  if (std::exchange(state.close_wish, false)) dialog_.done();
  if (const auto given = dialog_.draw(ui, state.working, estimate())) answer(*given);
  state.early.clear();
  if (!dialog_.isOpen()) state.wish_view.clear();
  if (waited && !dialog_.isOpen()) work_.cancel();  // an export gives up; a session is saved in any case
  state.dialog_open = dialog_.isOpen();
  if (std::exchange(state.stop_wish, false)) work_.cancel();
  if (state.working.empty()) {
    state.working_since_s = ui.now_s;
  } else {
    redrawIn(ui, 0.1);
  }
}

}  // namespace warpscope
