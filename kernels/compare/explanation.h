// Explains in words why a run is slower than the best one: facts in which the two runs differ in that
// direction, each with both numbers. They accompany the difference; they do not prove its cause.
#pragma once

#include "kernels/compare/ranking.h"

namespace warpscope {

struct Cause {
  std::string text;  // "31.0 bank conflicts per shared load instead of 0 (32.0 wavefronts instead of 1.0)"
  std::string name;  // of the number, for scripts: "shared_load_wavefronts_per_request"
  double here = 0, there = 0;
};

struct Explanation {
  size_t run = 0, than = 0;   // the slower run, and the fastest of its provenance
  double slower = 1;          // ratio of the medians
  std::vector<Cause> causes;  // the largest difference first; empty if nothing recorded differs
  std::string text;           // all of it as a sentence
};

// The factor by which a cause must differ to be included, and the minimum share in the increase of all
// waiting that a reason to wait must have.
inline constexpr double kNotableFactor = 1.25, kNotableShare = 0.3;

// Smaller differences are not explained: even beyond the noise, the largest difference need not be what
// matters.
inline constexpr double kNotableSlowdown = 1.05;

// One for each run that is notably slower than the fastest of its provenance, and beyond the noise, in the
// order of the ranking. Runs are explained only by runs of the same family.
std::vector<Explanation> explain(const ComparedRuns& runs, const Ranking& ranking,
                                 const std::vector<std::string>& labels);

}  // namespace warpscope
