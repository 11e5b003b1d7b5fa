#include "kernels/backend/cuda/streams/activity_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace warpscope::cuda {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kAlignment = 8;  // as CUPTI wants its buffers

// CUPTI calls back without saying for whom, perhaps from a thread of its own.
struct Received {
  std::mutex mutex;
  const cupti::Api* api = nullptr;
  std::vector<Activity> activity;
};
Received& received() {
  static Received all;
  return all;
}

void giveBuffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // as many as fit
}

void takeBuffer(Context /*context*/, uint32_t /*stream*/, uint8_t* buffer, size_t /*bytes*/, size_t valid) {
  Received& all = received();
  const std::lock_guard lock(all.mutex);
  cupti::ActivityRecord* record = nullptr;
  while (all.api != nullptr && all.api->nextActivity(buffer, valid, &record) == cupti::kOk) {
    if (const auto activity = activityOf(*record)) all.activity.push_back(*activity);
  }
  std::free(buffer);
}

std::vector<Activity> takeAll() {
  Received& all = received();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.activity, {});
}

}  // namespace

std::optional<Activity> activityOf(const cupti::ActivityRecord& record) {
  Activity activity;
  const auto take = [&](const auto& of) {
    activity.correlation = of.correlation;
    activity.begin_ns = static_cast<int64_t>(of.start_ns);
    activity.end_ns = static_cast<int64_t>(of.end_ns);
    return activity;
  };
  if (record.kind == cupti::ActivityKind::kConcurrentKernel) {
    const auto& kernel = reinterpret_cast<const cupti::ActivityOfKernel&>(record);
    activity.node = kernel.graph_node;
    return take(kernel);
  }
  if (record.kind == cupti::ActivityKind::kPeerCopy) {
    const auto& copy = reinterpret_cast<const cupti::ActivityOfPeerCopy&>(record);
    activity.kind = OperationKind::kPeerCopy;
    activity.bytes = copy.bytes;
    return take(copy);
  }
  const bool fill = record.kind == cupti::ActivityKind::kFill;
  if (!fill && record.kind != cupti::ActivityKind::kCopy) return std::nullopt;
  const auto& memory = reinterpret_cast<const cupti::ActivityOfMemory&>(record);
  activity.bytes = memory.bytes;
  if (fill) {
    activity.kind = OperationKind::kFill;
  } else if (memory.copy_kind == cupti::kToDevice) {
    activity.kind = OperationKind::kCopyToDevice;
  } else if (memory.copy_kind == cupti::kToHost) {
    activity.kind = OperationKind::kCopyToHost;
  } else if (memory.copy_kind == cupti::kOnDevice) {
    activity.kind = OperationKind::kCopyOnDevice;
  } else if (memory.copy_kind == cupti::kPeerToPeer) {
    activity.kind = OperationKind::kPeerCopy;
  } else {
    return std::nullopt;
  }
  return take(memory);
}

std::vector<Activity> joinedActivity(std::vector<Activity> parts) {
  std::ranges::stable_sort(parts, {}, &Activity::correlation);
  std::vector<Activity> joined;
  for (const Activity& part : parts) {
    // A copy between GPUs that goes through the host has parts of several kinds.
    const bool same = !joined.empty() && joined.back().correlation == part.correlation &&
                      joined.back().kind != OperationKind::kLaunch && part.kind != OperationKind::kLaunch;
    if (!same) {
      joined.push_back(part);
      continue;
    }
    Activity& whole = joined.back();
    whole.bytes += part.bytes;
    whole.begin_ns = std::min(whole.begin_ns, part.begin_ns);
    whole.end_ns = std::max(whole.end_ns, part.end_ns);
  }
  return joined;
}

ActivityLog::~ActivityLog() {
  end();
}

Expected<void> ActivityLog::check(cupti::Result result, const char* doing) const {
  if (result == cupti::kOk) return {};
  return fail(ErrorKind::kNoDevice, "{} failed: {}", doing, api_->describe(result));
}

Expected<void> ActivityLog::begin() {
  const auto api = cupti::Api::load();
  if (!api) return tl::unexpected(api.error());
  api_ = *api;
  {
    const std::lock_guard lock(received().mutex);
    received().api = api_;
  }
  static const cupti::Result kRegistered = api_->registerActivity(giveBuffer, takeBuffer);
  auto done = check(kRegistered, "registering for CUPTI's activity records");
  for (const cupti::ActivityKind kind : {cupti::ActivityKind::kConcurrentKernel, cupti::ActivityKind::kCopy,
                                         cupti::ActivityKind::kFill, cupti::ActivityKind::kPeerCopy}) {
    if (!done) break;
    done = check(api_->enableActivity(kind), "switching CUPTI's activity records on");
    if (done) enabled_.push_back(kind);
  }
  if (!done) {
    end();
    return done;
  }
  // Records of earlier work that were never taken are dropped.
  done = check(api_->flushActivity(), "fetching CUPTI's activity records");
  takeAll();
  if (!done) end();
  return done;
}

Expected<std::vector<Activity>> ActivityLog::take() {
  const auto done = check(api_->flushActivity(), "fetching CUPTI's activity records");
  std::vector<Activity> all = takeAll();
  if (!done) return tl::unexpected(done.error());
  const auto timeless =
      std::ranges::find_if(all, [](const Activity& each) { return each.begin_ns == 0 || each.end_ns == 0; });
  if (timeless != all.end())
    return fail(ErrorKind::kNoDevice, "CUPTI recorded activity without its times: it had no room for them");
  return joinedActivity(std::move(all));
}

void ActivityLog::end() {
  for (const cupti::ActivityKind kind : enabled_) api_->disableActivity(kind);
  enabled_.clear();
}

}  // namespace warpscope::cuda
