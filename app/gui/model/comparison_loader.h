// Compares runs on a thread of its own, because layouts and comparisons take a while. Only the newest request
// is kept, and what is drawn is one immutable value, which is replaced when the next one is ready.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/gui/model/kept_runs.h"
#include "app/gui/model/side_by_side.h"
#include "kernels/device/service/worker.h"

namespace warpscope {

class ComparisonLoader {
 public:
  // `wake` is called from the worker whenever poll() has something.
  ComparisonLoader(LayoutBuilder build_layout, std::function<void()> wake, bool race);

  // Cheap to call again and again; without runs nothing is shown from now on.
  void want(std::vector<ComparedRun> runs, uint64_t baseline);
  bool poll();                                                               // true: shown() has changed
  const std::shared_ptr<const SideBySide>& shown() const { return shown_; }  // null: none yet
  bool pending() const { return pending_; }

 private:
  LayoutBuilder build_layout_;
  bool race_;
  std::shared_ptr<const SideBySide> shown_;
  std::vector<KeptRun> wanted_;
  uint64_t wanted_baseline_ = 0, number_ = 0;
  bool pending_ = false;
  // By the number of their wish; null: the runs could not be compared.
  Mailbox<std::pair<uint64_t, std::shared_ptr<const SideBySide>>> news_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
