// Why a run is slower than the best, in words: facts of the two runs that differ in that direction, each with
// both of its numbers. They are what stands beside the difference, not a proof of it.
#pragma once

#include "kernels/compare/ranking.h"

namespace warpscope {

struct Cause {
  std::string text;  // "31.0 bank conflicts a shared load instead of 0 (32.0 wavefronts instead of 1.0)"
  std::string name;  // of the number, for scripts: "shared_load_wavefronts_per_request"
  double here = 0, there = 0;
};

struct Explanation {
  size_t run = 0, than = 0;   // the slower run, and the fastest of its provenance
  double slower = 1;          // by the medians
  std::vector<Cause> causes;  // what differs most first; empty: nothing that was recorded
  std::string text;           // all of it, a sentence
};

// What a cause must differ by to be named, and the least share of all waiting that a reason to wait must have
// in its increase.
inline constexpr double kNotableFactor = 1.25, kNotableShare = 0.3;

// Less than this is not explained: even beyond the noise, what differs most need not be what matters.
inline constexpr double kNotableSlowdown = 1.05;

// One for each run that is notably slower than the fastest of its provenance, and beyond the noise, in
// ranking order. Only runs of one family are explained by each other.
std::vector<Explanation> explain(const ComparedRuns& runs, const Ranking& ranking,
                                 const std::vector<std::string>& labels);

}  // namespace warpscope
