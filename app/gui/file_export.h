// Writes runs of the window as files for other programs. Not to be called on the UI thread.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "app/gui/background_work.h"
#include "app/gui/file_state.h"
#include "kernels/core/error.h"
#include "kernels/export/tables.h"

namespace warpscope {

struct ExportJob {
  FileAction action = FileAction::kChrome;  // one of runs: kChrome, kCsv, kJson, kReport
  std::filesystem::path path;
  std::vector<std::shared_ptr<const Run>> runs;  // the shown one first, which is the only one of a trace
  TableKind table = TableKind::kRuns;
};
// Returns how many bytes were written. If it fails or is stopped, an existing file stays as it was.
Expected<uint64_t> exportRuns(const ExportJob& job, WorkProgress& progress);

}  // namespace warpscope
