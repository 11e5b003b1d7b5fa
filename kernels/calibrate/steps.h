// The steps of a calibration, in the order in which they run: each measures related figures, and may use what
// earlier ones found.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/calibrate/bench.h"

namespace warpscope::calibration {

inline constexpr uint64_t kMiB = 1 << 20;
inline constexpr double kAccesses = 16;  // in a round of the kernels that access memory, as in calibration.cu

// The measurements so far. A figure that determines one of the profile's is rounded there, not here.
class Results {
 public:
  // `figure` is the profile's figure that the measurement determines, or empty.
  Expected<void> add(Expected<Measurement> measurement, const std::string& figure = {});
  void note(std::string text) { notes_.push_back(std::move(text)); }
  // Median of a figure that an earlier step measured; 0 if there is none.
  double figure(const std::string& name) const;
  const std::vector<Measurement>& all() const { return all_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<Measurement> all_;
  std::vector<std::string> notes_;
};

struct Step {
  const char* name;
  Expected<void> (*run)(Bench& bench, Results& results);
};

Expected<void> measureClock(Bench& bench, Results& results);      // launches.cpp
Expected<void> measurePipes(Bench& bench, Results& results);      // pipes.cpp
Expected<void> measureWarps(Bench& bench, Results& results);      // pipes.cpp: shuffle, vote, branch, barrier
Expected<void> measureShared(Bench& bench, Results& results);     // memory.cpp
Expected<void> measureLatencies(Bench& bench, Results& results);  // memory.cpp: L1, L2, DRAM, constants
Expected<void> measureBandwidths(Bench& bench, Results& results);  // memory.cpp
Expected<void> measureAtomics(Bench& bench, Results& results);     // atomics.cpp
Expected<void> measureLaunches(Bench& bench, Results& results);    // launches.cpp
Expected<void> measureClusters(Bench& bench, Results& results);    // clusters.cpp: and bulk copies
Expected<void> measureStreams(Bench& bench, Results& results);     // streams.cpp: copies and streams' costs
Expected<void> measureGraphs(Bench& bench, Results& results);      // graphs.cpp
Expected<void> measureConditions(Bench& bench, Results& results);  // conditions.cpp: of graphs' nodes
Expected<void> measurePeers(Bench& bench, Results& results);       // peers.cpp: the link between two GPUs
Expected<void> measureManaged(Bench& bench, Results& results);     // managed.cpp: unified memory

std::span<const Step> steps();

}  // namespace warpscope::calibration
