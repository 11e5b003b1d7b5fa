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

// What a run is called among those that it is compared with.
struct RunName {
  std::string title;  // its variant's friendly name: "Last warp with shuffles"
  std::string id;     // what can be typed for it: "shuffle", or "reduction/shuffle" among other families
  std::string rest;   // what else distinguishes it: ", block 256, sim:h100"

  std::string brief() const { return title + rest; }
  // "Last warp with shuffles (shuffle), block 256": for tables.
  std::string full() const { return title == id ? id + rest : title + " (" + id + ")" + rest; }
};

// The facts of each run that are compared, and its name among the others. Facts that its device cannot know
// are absent.
struct RunFacts {
  RunName name;
  bool verified = false;
  bool pending = false;          // whether it is right is not known yet
  std::optional<Timing> timing;  // of the bare kernel
  MetricValues metrics;
  bool unchecked = false;  // there is nothing to compare it with

  bool wrong() const { return !verified && !pending && !unchecked; }
};

std::vector<RunFacts> factsOf(const ComparedRuns& runs);

// Units for columns with the times of these runs.
struct Comparison;
TimeColumn launchTimes(const Comparison& comparison);
TimeColumn timesOfMetric(const Comparison& comparison, const Metric& metric);

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
