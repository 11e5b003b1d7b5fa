// The runs that the user kept to compare: a plain value, undone as one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct KeptRun {
  uint64_t id = 0;  // unique, never reused
  std::shared_ptr<const Run> run;
  bool operator==(const KeptRun&) const = default;
};

struct KeptRuns {
  std::vector<KeptRun> runs;  // oldest first
  bool live = true;           // the present run is compared, too
  uint64_t baseline = 0;  // the run that the others are compared with; 0, or a run that is gone: the first
  bool operator==(const KeptRuns&) const = default;
};

// Ids of runs that the user did not keep: the present one, and the run of the family's next variant, with
// which it is compared if there is no other.
inline constexpr uint64_t kLiveRun = 1, kNextRun = 2, kFirstKeptRun = 3;

}  // namespace warpscope
