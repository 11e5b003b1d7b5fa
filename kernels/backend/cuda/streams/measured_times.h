// When each operation ran, by the clock that measured it: CUPTI's records of the GPU's activity, or timing
// events before and behind the operations. stream_axis.h puts these times on the run's axis.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/streams/activity_log.h"
#include "kernels/backend/cuda/streams/running_gpu.h"

namespace warpscope::cuda {

struct ActivityTimes {
  Intervals of;
  bool tell_nodes = true;  // false: of a graph, all launches have the time of the whole
};
// `records`: of the operations, in the order of the calls. Errors: kWorkFailed: they are not what the
// operations should have left; the message names the GPU.
Expected<ActivityTimes> activityTimes(const StreamWork& work, std::span<const Activity> records,
                                      const std::string& gpu_id);

// `pairs`: by operation, the events around it; null where there are none. Each time is on its GPU's clock of
// timing events. Errors: the driver's.
Expected<Intervals> eventTimes(const StreamWork& work, std::span<const RunningGpu> gpus,
                               std::span<const EventPair> pairs);

}  // namespace warpscope::cuda
