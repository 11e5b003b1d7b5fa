// Gathers the runs of sweep folders, of shards or of any recordings into one list, in the order of the grid:
// what `warpscope merge` writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/run.h"

namespace warpscope {

struct GatheredRuns {
  std::vector<Run> runs;
  size_t duplicates = 0;             // runs that were found twice and taken once
  std::vector<std::string> missing;  // points of a folder's manifest that are in none of the inputs
  std::vector<std::string> failed;  // "reduction shuffle block=64: REASON": points that were tried and failed
};

// Folders are sweeps' (they have a manifest); files are recordings. Points go by their number in the grid,
// however they are spread over folders and shards; other runs follow in the order given. Two runs are the
// same point if family, variant, settings, way of recording and device are equal. If nothing but their date
// differs, the first is taken; else it is a kBadRequest that names both files. kDamagedFile: a file is not
// whole.
Expected<GatheredRuns> gatherRuns(const std::vector<std::filesystem::path>& inputs);

}  // namespace warpscope
