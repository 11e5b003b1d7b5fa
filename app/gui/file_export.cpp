#include "app/gui/file_export.h"

#include "kernels/core/atomic_file.h"
#include "kernels/export/chrome_trace.h"
#include "kernels/export/html_report.h"
#include "kernels/export/row_writers.h"

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

Expected<void> writeRuns(const ExportJob& job, const WriteText& write) {
  const SharedRuns runs(job.runs);
  switch (job.action) {
    case FileAction::kChrome:
      writeChromeTrace(*job.runs.front(), write);
      return {};
    case FileAction::kCsv: {
      CsvRows rows(write);
      return writeTable(job.table, runs, rows);
    }
    case FileAction::kJson: {
      JsonRows rows(write);
      return writeTable(job.table, runs, rows);
    }
    case FileAction::kReport:
      return writeHtmlReport(runs, write);
    default:
      return fail(ErrorKind::kBadRequest, "{} is no export of runs", infoOf(job.action).name);
  }
}

}  // namespace

const FileActionInfo& infoOf(FileAction action) {
  return kFileActions.at(static_cast<size_t>(action));
}

Expected<uint64_t> exportRuns(const ExportJob& job, WorkProgress& progress) {
  if (job.runs.empty()) return fail(ErrorKind::kBadRequest, "there is no run to export yet");
  auto file = AtomicFile::open(job.path);
  if (!file) return tl::unexpected(file.error());
  const auto written = writeRuns(job, [&](std::string_view text) {
    if (progress.stop.stop_requested()) return;
    file->write(text);
    progress.bytes = file->bytes();
  });
  if (!written) return tl::unexpected(written.error());
  if (progress.stop.stop_requested())
    return fail(ErrorKind::kCancelled, "stopped: {} was not written", job.path.string());
  file->sync();
  if (auto kept = file->commit(); !kept) return tl::unexpected(kept.error());
  return file->bytes();
}

}  // namespace warpscope
