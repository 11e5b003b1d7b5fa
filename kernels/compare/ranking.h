// Compares the speed of two runs, by the summary of their repeats (median, minimum and maximum), and ranks
// several.
#pragma once

#include <span>

#include "kernels/compare/axis.h"
#include "kernels/run/run.h"

namespace warpscope {

// The cost of a run: µs, or µs per byte if runs of different sizes are compared.
struct Cost {
  double median = 0, least = 0, most = 0;
  uint32_t repeats = 0;
  bool modelled = false;  // computed, not measured: identical every time
};

enum class Verdict {
  kFaster,         // less than the other, beyond the noise
  kSlower,         // more
  kWithinNoise,    // the ranges [least, most] overlap: no repeat would be surprising for the other run
  kTooFewRepeats,  // the ranges do not overlap, but with so few repeats that may be chance
};
const char* verdictName(Verdict verdict);  // "within noise"

// The verdict on `a` compared with `b`. Measured costs differ if their ranges do not overlap, and if that is
// significant: if both came from the same distribution, all n repeats of one would be below all m of the
// other, or above, with the probability 2 / (n+m choose n), which must be at most 1 % (5 repeats each
// suffice, 20 are ample). One outlier makes ranges overlap, so differences are rather missed than invented.
// Repeats of one run are not quite independent (clocks and temperatures drift), which is why the medians
// alone are not trusted. Modelled costs have no noise: they differ if their ranges do not overlap, whatever
// the repeats.
Verdict compareCosts(const Cost& a, const Cost& b);

// Which run is faster, and by how much: by median time, or by bandwidth if runs are of different families or
// sizes, or move amounts of data that differ by more than a tenth.
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
