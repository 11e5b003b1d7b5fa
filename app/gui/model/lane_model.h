// The log of the shown run's lanes (LaneLog), recorded when a view asks for it, and kept until that of the
// next run is available.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/gui/lane_log_loader.h"
#include "viz/views/view_data.h"

namespace warpscope {

class LaneModel {
 public:
  // `wake` is called from another thread when update() has something.
  explicit LaneModel(std::function<void()> wake) : loader_(std::move(wake)) {}

  // Asks for the log of the selected warp's block, or of the first blocks. Cheap to call again and again.
  void want(const std::shared_ptr<const Run>& shown, const std::optional<WarpKey>& selected);
  bool update(const std::shared_ptr<const Run>& shown);  // true: there is a new log, or a problem

  // The newest log there is; it is of an earlier run while refreshing(). Null: none.
  const std::shared_ptr<const LaneLog>& log() const { return log_; }
  bool refreshing(const std::shared_ptr<const Run>& shown) const { return log_of_ != shown || pending_; }
  bool pending() const { return pending_; }
  const std::string& problem() const { return problem_; }  // why there is no log; empty: none

 private:
  std::shared_ptr<const Run> wanted_of_;
  LaneLogOptions wanted_;
  bool pending_ = false;
  std::shared_ptr<const LaneLog> log_;
  std::shared_ptr<const Run> log_of_;  // the run that log_ or problem_ is about
  std::string problem_;
  LaneLogLoader loader_;
};

}  // namespace warpscope
