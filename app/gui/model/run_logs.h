// The logs of the shown run that views draw: what its lanes do, and the values that its warps have.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "app/gui/model/run_log.h"
#include "kernels/backend/modelling_backend.h"
#include "kernels/run/lane_log.h"
#include "kernels/run/value_log.h"
#include "viz/views/view_data.h"

namespace warpscope {

class LaneModel : public RunLog<LaneLogOptions, LaneLog> {
 public:
  explicit LaneModel(std::function<void()> wake);
  // Asks for the log of the selected warp's block, or of the first blocks.
  void want(const std::shared_ptr<const Run>& shown, const std::optional<WarpKey>& selected);
};

class ValueModel : public RunLog<ModelledLaunch::ValueRequest, ValueLog> {
 public:
  explicit ValueModel(std::function<void()> wake);
  // Asks for the log of the selected warp's block, or of the first one that was recorded.
  void want(const std::shared_ptr<const Run>& shown, const std::optional<WarpKey>& selected);
};

}  // namespace warpscope
