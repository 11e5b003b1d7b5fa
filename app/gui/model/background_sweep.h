// Runs that are launched while nothing else is wanted, and their numbers, which plots show; the runs
// themselves are not kept. It knows no device and no thread: the model submits what toLaunch() returns after
// its foreground launches (RunService::submitBackground) and hands every arrival to take(). What was run
// stays known when other settings are chosen, so that going back shows it at once.
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

// A sweep that is expected to take longer is not begun, or not continued, before the user agrees.
inline constexpr double kLongSweep_s = 120;

// The numbers of a run.
struct SweptRun {
  RunRequest request;   // as it was requested
  std::string problem;  // why there is no run; empty: there is one
  uint32_t block_threads = 0;
  Occupancy occupancy;
  MetricValues metrics;
  Timing timing;
  Bandwidth bandwidth;
  bool verified = false;
  std::map<std::string, double> counters;
  std::optional<double> bytes_in_flight;  // on an SM, on average; absent: unknown
};

class BackgroundSweep {
 public:
  // Sets the requests whose runs are wanted, in launch order. A new one among them ends a pause.
  void want(std::vector<RunRequest> wanted);
  // Takes a run, or why there is none; one that was cancelled is still missing. `now_s` is the window's
  // clock.
  void take(const Arrival& arrival, double now_s);
  // The wanted requests without a run; none while paused. The caller must launch them now.
  std::vector<RunRequest> toLaunch(double now_s);
  // Null: this request has not run yet.
  const SweptRun* find(const RunRequest& request) const;

  size_t wanted() const { return wanted_.size(); }
  size_t missing() const { return missing_; }
  bool paused() const { return paused_; }
  void pause() { paused_ = missing_ > 0; }
  void resume();
  // Paused by itself, because it would take long: resume() agrees.
  bool asks() const { return paused_ && asks_; }
  // How long what is missing will take if each run takes as long as the last ones, in the background or,
  // before there are any, in the foreground.
  std::optional<double> expectedSeconds() const;
  // Estimated from what the last runs took; nullopt: none has run yet, or none is missing.
  std::optional<double> secondsLeft() const;
  // Forgets all runs, because the device is another one.
  void forget();

 private:
  // The identity of a launch; how it is recorded does not matter.
  using Key = std::tuple<std::string, std::string, ParameterValues>;
  struct Entry {
    SweptRun run;
    // False: it was run to be looked at, and may not have recorded every wave. It is run again.
    bool whole = true;
    uint64_t age = 0;
  };
  static Key keyOf(const RunRequest& request);
  void countMissing();
  void askIfLong();
  void dropOldest();

  std::vector<RunRequest> wanted_;
  std::map<Key, Entry> known_;
  size_t missing_ = 0;
  bool paused_ = false, asks_ = false, agreed_ = false;
  uint64_t next_age_ = 0;
  double last_s_ = 0;                   // when the present run began, as far as known
  std::optional<double> each_s_;        // a running mean
  std::optional<double> foreground_s_;  // what the last run that was looked at took
};

}  // namespace warpscope
