// Ranks runs by speed, with the factors between them: by median time, or by bandwidth if runs are of
// different families or sizes, or move amounts of data that differ by more than a tenth.
#pragma once

#include <span>

#include "kernels/compare/axis.h"
#include "kernels/compare/noise.h"

namespace warpscope {

enum class RankBy { kTime, kBandwidth };
const char* rankByName(RankBy by);  // "bandwidth"

// The baseline's cost divided by the run's: 2 is twice as fast. From the medians, and the range that the
// extremes of both allow.
struct SpeedUp {
  double ratio = 1, low = 1, high = 1;
};

struct RunRank {
  std::optional<Cost> cost;  // by what runs are ranked
  // 1 plus the number of runs that are faster beyond the noise. Being within the noise is not transitive: of
  // three runs, the first and the last may differ while both tie with the second.
  std::optional<uint32_t> place;
  std::string unranked;  // why it is not ranked
  std::vector<size_t>
      ties;  // runs that cannot be distinguished from it: within the noise, or too few repeats
  std::optional<Verdict> against_baseline;  // the verdict on this run; absent if speed_up is
  std::optional<SpeedUp> speed_up;
  std::string no_speed_up;  // why it is absent: measured and modelled times are not compared
};

struct Ranking {
  RankBy by = RankBy::kTime;
  std::vector<RunRank> runs;  // one per run
  // All runs: by provenance (measured first), then by median; unranked ones are the last of their provenance.
  std::vector<size_t> order;
};

// Runs that can be ranked by their times: timed ones with right results, a list for each
// family, device and work that two of them or more share. Runs do the same work if their least traffic is the
// same and so is every parameter that all of them have, but for those that shape the block. Lists, and runs
// in them, are in the order given.
std::vector<std::vector<size_t>> runsOfSameWork(std::span<const Run* const> runs);

// Measured runs are ranked among measured ones, modelled ones among modelled ones. A wrong result is not
// ranked.
// `by`: absent, what fits the runs.
Ranking rankRuns(const ComparedRuns& runs, size_t baseline, std::optional<RankBy> by = std::nullopt);

}  // namespace warpscope
