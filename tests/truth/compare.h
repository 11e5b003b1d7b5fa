// The suite's kernels on a simulated GPU beside what was counted on a real one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tests/truth/suite.h"

namespace warpscope::test {

struct CompareOptions {
  std::string device = "sim:h100", kernel, file, svg;
  std::optional<Part> part = Part::kOpen;  // absent: both
  CachesBefore caches = CachesBefore::kWarm;
  bool few_sms = false;  // where they stand for all, as the window models launches
  bool details = false;
  bool each = false;  // lines of judged kernels, too
};

// Prints a line for each open kernel and a table for each part, as the options say; returns an exit status.
// `measured_files`: CSV files of measure.py, separated by commas. Throws where something cannot be read, and
// where a sum over few judged kernels would tell what only `each` tells.
int compareSuite(const std::filesystem::path& folder, const std::string& measured_files,
                 const CompareOptions& options);

}  // namespace warpscope::test
