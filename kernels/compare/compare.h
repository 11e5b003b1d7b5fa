// Runs beside each other: variants, settings, devices, measured and modelled. Pure values of pure values; the
// command line and the window show the same ones.
#pragma once

#include "kernels/compare/axis.h"
#include "kernels/compare/explanation.h"
#include "kernels/compare/model_error.h"
#include "kernels/compare/ranking.h"
#include "kernels/compare/region_comparison.h"
#include "kernels/compare/run_facts.h"
#include "kernels/core/error.h"

namespace warpscope {

inline constexpr size_t kMostComparedRuns = 8;

struct CompareOptions {
  size_t baseline = 0;
  AxisUnit axis = AxisUnit::kNs;
  bool race = false;  // of any number of runs: nothing but facts, ranks and explanations
};

struct Comparison {
  ComparedRuns runs;
  size_t baseline = 0;
  std::vector<RunFacts> facts;  // one a run
  Ranking ranking;
  std::vector<Explanation> explanations;
  ComparisonAxis axis;
  std::vector<RegionComparison> regions;  // empty in a race, as model_errors
  std::vector<ModelError> model_errors;

  // Whether the run's numbers may be subtracted from the baseline's: it is another, of the same provenance.
  // Between measured and modelled ones model_errors stand.
  bool comparesWithBaseline(size_t run) const {
    return run != baseline && runs[run]->device.provenance == runs[baseline]->device.provenance;
  }
};

// kBadRequest: fewer than 2 runs, more than kMostComparedRuns without `race`, no such baseline.
Expected<Comparison> compareRuns(ComparedRuns runs, const CompareOptions& options);

}  // namespace warpscope
