// The runs that the user kept to compare: a plain value, undone as one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct KeptRun {
  uint64_t id = 0;  // never given twice
  std::shared_ptr<const Run> run;
  bool operator==(const KeptRun&) const = default;
};

struct KeptRuns {
  std::vector<KeptRun> runs;  // oldest first
  bool live = true;           // the present run stands beside them
  uint64_t baseline = 0;  // the run that the others are held against; 0, or one that is not there: the first
  bool operator==(const KeptRuns&) const = default;
};

// Ids of runs that nobody kept: the present one, and the one of the family's next variant that it is compared
// with where there is no other.
inline constexpr uint64_t kLiveRun = 1, kNextRun = 2, kFirstKeptRun = 3;

}  // namespace warpscope
