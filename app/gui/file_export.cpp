#include "app/gui/file_export.h"

#include <algorithm>

#include "kernels/core/files.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

class SharedRuns : public RunSource {
 public:
  explicit SharedRuns(const std::vector<std::shared_ptr<const Run>>& runs) : runs_(runs) {}
  size_t size() const override { return runs_.size(); }
  size_t number(size_t i) const override { return i; }
  const Run& summary(size_t i) const override { return *runs_[i]; }
  Expected<std::shared_ptr<const Run>> load(size_t i) const override { return runs_[i]; }

 private:
  const std::vector<std::shared_ptr<const Run>>& runs_;
};

std::vector<FileActionInfo> menu() {
  std::vector<FileActionInfo> actions{
      {FileAction::kSaveSession, "save_session", trMark("Save session ..."), ".wssession", "Ctrl+Shift+S",
       trMark("Everything on screen, with its runs and notes, in one file.")},
      {FileAction::kOpen, "open", trMark("Open ..."), nullptr, "Ctrl+O",
       trMark("A session (.wssession) or a recording (.wsrec).")}};
  for (const ExportFormat& format : exportFormats()) {
    actions.push_back(
        {FileAction::kExport, format.name, format.label, format.extension, "", format.menu_help, &format});
  }
  return actions;
}

}  // namespace

std::span<const FileActionInfo> fileActions() {
  static const std::vector<FileActionInfo> kActions = menu();
  return kActions;
}

Expected<uint64_t> exportRuns(const FileExport& job, WorkProgress& progress) {
  if (job.runs.empty()) return fail(ErrorKind::kBadRequest, "there is no run to export yet");
  auto file = AtomicFile::open(job.path);
  if (!file) return tl::unexpected(file.error());
  const WriteText write = [&](std::string_view text) {
    if (progress.stop.stop_requested()) return;
    file->write(text);
    progress.bytes = file->bytes();
  };
  const auto written =
      writeExport(*job.format, {SharedRuns(job.runs), job.table, write, job.range}, job.path.native());
  if (!written) return tl::unexpected(written.error());
  if (progress.stop.stop_requested())
    return fail(ErrorKind::kCancelled, "stopped: {} was not written", job.path.string());
  file->sync();
  if (auto kept = file->commit(); !kept) return tl::unexpected(kept.error());
  return file->bytes();
}

}  // namespace warpscope
