// Runs side by side: variants, settings, devices, measured and modelled. Plain values computed from plain
// values; the command line and the window show the same ones.
#pragma once

#include <optional>

#include "kernels/compare/axis.h"
#include "kernels/compare/explanation.h"
#include "kernels/compare/model_error.h"
#include "kernels/compare/ranking.h"
#include "kernels/compare/region_comparison.h"
#include "kernels/core/error.h"
#include "kernels/metrics/metric.h"

namespace warpscope {

// The facts of each run that are compared, and its name among the others. Facts that its device cannot know
// are absent.
struct RunFacts {
  std::string label;  // what distinguishes it from the others: "shuffle", "block 256", "shuffle, sim:h100"
  bool verified = false;
  std::optional<Timing> timing;  // of the bare kernel
  MetricValues metrics;
};

std::vector<RunFacts> factsOf(const ComparedRuns& runs);

inline constexpr size_t kMostComparedRuns = 8;

struct CompareOptions {
  size_t baseline = 0;
  AxisUnit axis = AxisUnit::kNs;
  bool race = false;  // of any number of runs: only facts, ranks and explanations
};

struct Comparison {
  ComparedRuns runs;
  size_t baseline = 0;
  std::vector<RunFacts> facts;  // one per run
  Ranking ranking;
  std::vector<Explanation> explanations;
  ComparisonAxis axis;
  std::vector<RegionComparison> regions;  // empty in a race, like model_errors
  std::vector<ModelError> model_errors;

  // Whether the run's numbers may be subtracted from the baseline's: it is another run, of the same
  // provenance. For a measured and a modelled run there are model_errors instead.
  bool comparesWithBaseline(size_t run) const {
    return run != baseline && runs[run]->device.provenance == runs[baseline]->device.provenance;
  }
};

// kBadRequest: fewer than 2 runs, more than kMostComparedRuns without `race`, or no such baseline.
Expected<Comparison> compareRuns(ComparedRuns runs, const CompareOptions& options);

// A comparison as `warpscope compare --json` prints it. Runs are numbered from 1, as for --baseline.
class Json;
Json comparisonReport(const Comparison& comparison);

}  // namespace warpscope
