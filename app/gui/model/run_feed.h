// The runs that came back: the one that is shown, the family's other variants at the same settings, and how
// fast the last ones were. Also which launch is awaited to be shown. It launches nothing and knows no device.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/experiments/prediction.h"
#include "viz/views/view_data.h"

namespace warpscope {

struct FamilyInfo;

struct ShownRun {
  std::shared_ptr<const Run> run;  // null: none yet
  std::shared_ptr<const TraceLayout> layout;
  uint64_t ticket = 0;
  std::vector<PredictionResult> predictions;
  double latency_ms = 0;  // from the request to a run that can be drawn, its layout included
  std::chrono::steady_clock::time_point requested = {};
};

class RunFeed {
 public:
  explicit RunFeed(const FamilyInfo& family) { resetVariants(family); }

  const ShownRun& shown() const { return shown_; }
  std::span<const VariantResult> variants() const { return variants_; }  // of the family, in order
  const std::deque<BandwidthSample>& history() const { return history_; }

  void show(ShownRun shown, double now_s);
  void showNothing();  // clears the history, too: what comes next is of another family or device
  void forgetHistory() { history_.clear(); }

  void resetVariants(const FamilyInfo& family);  // none of them has run yet
  void takeRun(size_t variant, std::shared_ptr<const Run> run, bool stale);
  void takeError(size_t variant, const Error& error);
  void clearError(size_t variant) { variants_[variant].error.clear(); }  // it will be tried again
  // The settings changed: runs that do not answer them are stale, and errors are forgotten.
  void markStale(const std::function<bool(const RunRequest&)>& answers);
  // Variants that have neither a run of the current settings nor an error, in order.
  std::vector<size_t> missing(size_t but) const;

  // A launch is in progress whose run will be shown.
  bool busy() const { return awaited_.has_value(); }
  double busyFor(double now_s) const { return awaited_ ? now_s - awaited_since_s_ : 0; }
  void await(uint64_t ticket, double now_s);  // supersedes an earlier one
  bool isAwaited(uint64_t ticket) const { return awaited_ == ticket; }
  void stopWaiting() { awaited_.reset(); }

 private:
  ShownRun shown_;
  std::vector<VariantResult> variants_;
  std::deque<BandwidthSample> history_;
  std::optional<uint64_t> awaited_;
  double awaited_since_s_ = 0;  // since when a launch is awaited
};

}  // namespace warpscope
