#include "app/gui/file_export.h"

#include <algorithm>
#include <limits>

#include "kernels/core/files.h"
#include "kernels/export/excerpt.h"
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

constexpr uint64_t kCounted = 100'000;  // records of runs that are written to be counted
constexpr size_t kFewWarps = 16, kMoreWarps = 64;

struct Sample {
  uint64_t bytes = 0, records = 0;
};

Sample sampleOf(const FileExport& job, size_t most_warps, const std::stop_token& stop) {
  Sample sample;
  std::vector<std::shared_ptr<const Run>> runs;
  for (const auto& run : job.runs) {
    if (stop.stop_requested()) return {};
    runs.push_back(std::make_shared<const Run>(firstWarpsOf(*run, most_warps)));
    sample.records += recordsOf(*runs.back());
    if (job.format->one_run) break;
  }
  const WriteText count = [&](std::string_view text) { sample.bytes += text.size(); };
  const auto written =
      writeExport(*job.format, {SharedRuns(runs), job.table, count, job.range}, job.path.native());
  return written ? sample : Sample{};
}

std::vector<FileActionInfo> menu() {
  std::vector<FileActionInfo> actions{
      {FileAction::kSaveSession, "save_session", trMark("Save session as ..."), ".wssession", "Ctrl+Shift+S",
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

const FileActionInfo& fileAction(std::string_view name) {
  return *std::ranges::find(fileActions(), name, &FileActionInfo::name);
}

Expected<uint64_t> exportRuns(const FileExport& job, WorkProgress& progress) {
  if (job.runs.empty()) return fail(ErrorKind::kBadRequest, "there is no run to export yet");
  auto file = AtomicFile::open(job.path);
  if (!file) return tl::unexpected(file.error());
  progress.expected_bytes = job.expected_bytes;
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

uint64_t estimateBytes(const FileExport& job, const std::stop_token& stop) {
  uint64_t records = 0;
  for (const auto& run : job.runs) {
    records += recordsOf(*run);
    if (job.format->one_run) break;
  }
  if (records <= kCounted) return sampleOf(job, std::numeric_limits<size_t>::max(), stop).bytes;
  // Both samples contain the part that does not grow with the trace; their difference gives the bytes of a
  // record.
  const Sample few = sampleOf(job, kFewWarps, stop), more = sampleOf(job, kMoreWarps, stop);
  if (more.records <= few.records || more.bytes <= few.bytes) return more.bytes;
  const double each =
      static_cast<double>(more.bytes - few.bytes) / static_cast<double>(more.records - few.records);
  return more.bytes + static_cast<uint64_t>(each * static_cast<double>(records - more.records));
}

}  // namespace warpscope
