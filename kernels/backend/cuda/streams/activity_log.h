// Records what the GPU did and when, with CUPTI's activity records. Recording is on between begin() and
// end(); only one object in a process can record at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/backend/cuda/counters/cupti_api.h"
#include "kernels/run/stream_log.h"

namespace warpscope::cuda {

// One call of the driver API that gave the GPU work: a kernel, a copy or a fill. Kernels of a graph share the
// call that launched it.
struct Activity {
  OperationKind kind = OperationKind::kLaunch;
  uint32_t correlation = 0;  // ascends from call to call
  uint64_t bytes = 0;        // of copies and fills
  int64_t begin_ns = 0, end_ns = 0;
  uint64_t node = 0;  // of a kernel in a graph: CUPTI's number of its node
};

class ActivityLog {
 public:
  ActivityLog() = default;
  ~ActivityLog();
  ActivityLog(const ActivityLog&) = delete;
  ActivityLog& operator=(const ActivityLog&) = delete;

  // Errors (kNoDevice): CUPTI is not there, or refuses.
  Expected<void> begin();
  // The activity since the last begin() or take(), all of which must have ended; ascending correlation, and
  // the parts of one copy joined. Errors: as begin(); a record without times, for which CUPTI had no room.
  Expected<std::vector<Activity>> take();
  void end();

 private:
  Expected<void> check(cupti::Result result, const char* doing) const;

  const cupti::Api* api_ = nullptr;
  std::vector<cupti::ActivityKind> enabled_;
};

// A record as CUPTI wrote it; nullopt: of another kind, or another copy than between host and device, on one,
// or between two.
std::optional<Activity> activityOf(const cupti::ActivityRecord& record);

// Sorts by correlation and joins the parts of one call.
std::vector<Activity> joinedActivity(std::vector<Activity> parts);

}  // namespace warpscope::cuda
