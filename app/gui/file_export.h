// Writes runs of the window as files for other programs. Not to be called on the UI thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/gui/background_work.h"
#include "app/gui/file_state.h"
#include "kernels/core/error.h"
#include "kernels/metrics/selection.h"

namespace warpscope {

struct FileExport {
  const ExportFormat* format = nullptr;  // one that writes runs, not a picture
  std::filesystem::path path;
  std::vector<std::shared_ptr<const Run>> runs;  // the shown one first: the one of a format that holds one
  TableKind table = TableKind::kRuns;
  std::optional<CycleRange> range;  // of a format that has ranges; absent: everything
  uint64_t expected_bytes = 0;      // for the progress; 0: unknown
};
// Returns how many bytes were written. If it fails or is stopped, an existing file stays as it was.
Expected<uint64_t> exportRuns(const FileExport& job, WorkProgress& progress);
// The number of bytes that the export will write: counted for small runs, otherwise estimated from their
// first warps. 0: stopped.
uint64_t estimateBytes(const FileExport& job, const std::stop_token& stop);

}  // namespace warpscope
