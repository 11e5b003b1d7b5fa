// The formats in which runs are exported: the one list that `warpscope export` and the window's File menu
// offer. CONTRIBUTING.md says how to add one.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels/export/run_source.h"
#include "kernels/export/tables.h"
#include "kernels/export/text_writer.h"
#include "kernels/metrics/selection.h"

namespace warpscope {

struct ExportJob {
  const RunSource& runs;           // just one, where the format says `one_run`
  std::optional<TableKind> table;  // of a format that has tables; absent: what it writes without --table
  const WriteText& write;
  // The part of the launch that is written, of a format that has ranges; absent: all of it.
  std::optional<CycleRange> range;
};

struct ExportFormat {
  const char* name;       // "csv": of --format, and in the window's reports
  const char* extension;  // ".csv"
  const char* help;       // of the command line
  const char* label;      // in the File menu, and over the path
  const char* menu_help;  // under the path: what is written
  bool one_run;           // a file holds one
  bool has_tables;        // --table, or a button, chooses
  bool has_range;         // --range chooses
  // Nullptr: a picture of the window, which only the window can make.
  Expected<void> (*write)(const ExportJob& job);
};

std::span<const ExportFormat> exportFormats();
const ExportFormat* findExportFormat(std::string_view name);  // nullptr: there is none of that name

// Writes what the job says, in a format that can; compressed by gzip where `path` ends in ".gz".
Expected<void> writeExport(const ExportFormat& format, const ExportJob& job, std::string_view path);

}  // namespace warpscope
