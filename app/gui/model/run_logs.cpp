#include "app/gui/model/run_logs.h"

#include <utility>

#include "kernels/device/value_recorder.h"
#include "kernels/execute/lane_recorder.h"

namespace warpscope {

LaneModel::LaneModel(std::function<void()> wake)
    : RunLog([recorder = std::make_shared<LaneRecorder>()](
                 const Run& run, const LaneLogOptions& options,
                 const std::stop_token& stop) { return recorder->record(run, options, stop); },
             "recording what the lanes do", std::move(wake)) {}

void LaneModel::want(const std::shared_ptr<const Run>& shown, const std::optional<WarpKey>& selected) {
  if (shown == nullptr) return;
  LaneLogOptions options;
  if (selected && selected->block.value < shown->grid.count()) {
    // A log that contains the block is sufficient.
    const uint32_t block = selected->block.value, first = wanted().first_block;
    options.first_block = block >= first && block < first + wanted().blocks ? first : block;
  }
  RunLog::want(shown, options);
}

ValueModel::ValueModel(std::function<void()> wake)
    : RunLog([recorder = std::make_shared<ValueRecorder>()](
                 const Run& run, const ModelledLaunch::ValueRequest& of,
                 const std::stop_token& stop) { return recorder->record(run, of, stop); },
             "recording the values of a block", std::move(wake)) {}

void ValueModel::want(const std::shared_ptr<const Run>& shown, const std::optional<WarpKey>& selected) {
  if (shown == nullptr || shown->trace.warps.empty()) return;
  const BlockId block = selected ? selected->block : shown->trace.warps.front().block;
  RunLog::want(shown, {.block = block.value});
}

}  // namespace warpscope
