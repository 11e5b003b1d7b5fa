// Runs that are launched while nothing else is wanted, and what is kept of them: the numbers that plots show,
// not the runs. Knows no device and no thread: the model submits what toLaunch() says behind its foreground
// launches (RunService::submitBackground) and hands every arrival to take(). What was run stays known when
// other settings are chosen, so that going back shows it at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/gui/arrival.h"
#include "kernels/experiments/roofline.h"
#include "kernels/metrics/metric.h"

namespace warpscope {

// What is kept of a run.
struct SweptRun {
  RunRequest request;   // as it was asked for
  std::string problem;  // why there is no run; empty: there is one
  uint32_t block_threads = 0;
  Occupancy occupancy;
  MetricValues metrics;
  Timing timing;
  Bandwidth bandwidth;
  bool verified = false;
  std::map<std::string, double> counters;
  std::optional<double> bytes_in_flight;  // of an SM, on average; absent: not known
};

class BackgroundSweep {
 public:
  // What is to be known, in the order in which it is launched. Anything new in it ends a pause.
  void want(std::vector<RunRequest> wanted);
  // A run, or why there is none; one that was cancelled is still missing. `now_s` is the window's clock.
  void take(const Arrival& arrival, double now_s);
  // Wanted and not known yet; nothing while paused. The caller launches them, now.
  std::vector<RunRequest> toLaunch(double now_s);
  // Null: not run yet.
  const SweptRun* find(const RunRequest& request) const;

  size_t wanted() const { return wanted_.size(); }
  size_t missing() const { return missing_; }
  bool paused() const { return paused_; }
  void pause() { paused_ = missing_ > 0; }
  void resume() { paused_ = false; }
  // By what the last ones took; nullopt: none was run yet, or none is missing.
  std::optional<double> secondsLeft() const;
  // The device is another one.
  void forget();

 private:
  // What tells launches apart; how they are recorded does not matter.
  using Key = std::tuple<std::string, std::string, ParameterValues>;
  struct Entry {
    SweptRun run;
    // False: was run to be looked at, and may not have recorded every wave. It is run again.
    bool whole = true;
    uint64_t age = 0;
  };
  static Key keyOf(const RunRequest& request);
  void countMissing();
  void dropOldest();

  std::vector<RunRequest> wanted_;
  std::map<Key, Entry> known_;
  size_t missing_ = 0;
  bool paused_ = false;
  uint64_t next_age_ = 0;
  double last_s_ = 0;             // when the one that runs now began, as far as is known
  std::optional<double> each_s_;  // a running mean
};

}  // namespace warpscope
