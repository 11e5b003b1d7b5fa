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

  using Metrics = std::shared_ptr<const SelectionMetrics>;
  struct Part {
    std::shared_ptr<const Run> run;
    TraceSelection selection;
    bool operator==(const Part&) const = default;
  };

  // Cheap to call again and again. Parts without a run change nothing.
  void want(std::vector<Part> parts);
  bool update();  // true: there are new numbers

  bool pending() const { return pending_; }
  // Of the parts, in their order, the newest there are: while pending(), of those that were wanted earlier.
  const std::vector<Metrics>& metrics() const { return metrics_; }
  const std::vector<Part>& parts() const { return parts_; }  // that metrics() are of

 private:
  struct News {
    std::vector<Part> parts;
    std::vector<Metrics> metrics;
  };

  std::vector<Part> wanted_, parts_;
  bool pending_ = false;
  std::vector<Metrics> metrics_;
  News last_;  // used by the worker only: parts that stay are not added up again at each step of a drag
  Mailbox<News> news_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
