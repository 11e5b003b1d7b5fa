// The numbers of what is selected, added up on a thread of its own when a view asks for them. While the mouse
// selects, the newest selection is taken as soon as the one before is done, so that a drag never waits.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/device/service/worker.h"
#include "kernels/metrics/selection_metrics.h"

namespace warpscope {

class SelectionModel {
 public:
  // `wake` is called from another thread when update() has something.
  explicit SelectionModel(std::function<void()> wake) : news_(std::move(wake)) {}

  // Cheap to call again and again.
  void want(const std::shared_ptr<const Run>& run, const TraceSelection& selection,
            const std::vector<TraceSelection>& pins);
  bool update();  // true: there are new numbers

  // The newest there are; of an earlier selection while pending(). Null: none.
  const std::shared_ptr<const SelectionMetrics>& metrics() const { return metrics_; }
  bool pending() const { return pending_; }
  // The metrics of the pinned selections, in their order, as far as they have been computed.
  const std::vector<std::shared_ptr<const SelectionMetrics>>& pinned() const { return pinned_; }

 private:
  using Metrics = std::shared_ptr<const SelectionMetrics>;
  struct Wanted {
    std::shared_ptr<const Run> run;
    TraceSelection selection;
    std::vector<TraceSelection> pins;
    bool operator==(const Wanted&) const = default;
  };
  struct News {
    Wanted of;
    Metrics metrics;
    std::vector<Metrics> pinned;
  };
  // The worker keeps the metrics of pins, so that a drag does not compute them again at each step.
  struct Cache {
    std::shared_ptr<const Run> run;
    std::vector<std::pair<TraceSelection, Metrics>> pinned;
    Metrics of(const TraceSelection& selection, const std::stop_token& stop);
  };

  Wanted wanted_;
  bool pending_ = false;
  Metrics metrics_;
  std::vector<Metrics> pinned_;
  Cache cache_;  // used by the worker only
  Mailbox<News> news_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
