// The unified_memory family: what theory predicts.
#include <algorithm>
#include <optional>
#include <set>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/unified_memory/support.h"

namespace warpscope::unified_memory {
namespace {

// Of all pages that moved there, by faults and by prefetches; nullopt: not all that moved is known.
std::optional<double> pagesTo(const Run& run, MemoryPlace place) {
  if (!run.streams) return std::nullopt;
  const bool to_device = place == MemoryPlace::kDevice;
  const bool faults = run.request.variant != "prefetched";  // where all is prefetched, there are none
  if (faults && !run.streams->knowsMigrations()) return std::nullopt;
  uint64_t bytes = 0;
  for (const PageMigration& migration : run.streams->migrations)
    bytes += migration.to_device == to_device ? migration.bytes : 0;
  const auto kind = to_device ? OperationKind::kPrefetchToDevice : OperationKind::kPrefetchToHost;
  for (const StreamOperation& operation : run.streams->operations)
    bytes += operation.kind == kind ? operation.bytes : 0;
  return static_cast<double>(managedPages(bytes));
}

// A launch that waits for pages takes many times as long as one that finds them.
constexpr double kWaitsTimes = 3;

std::optional<double> waitingLaunches(const Run& run) {
  if (!run.streams) return std::nullopt;
  std::set<uint32_t> waiting;
  if (run.streams->knowsMigrations()) {
    for (const PageMigration& migration : run.streams->migrations) {
      if (migration.to_device) waiting.insert(migration.operation);
    }
    return static_cast<double>(waiting.size());
  }
  std::vector<double> times;
  for (const StreamOperation& operation : run.streams->operations) {
    if (operation.kind == OperationKind::kLaunch) times.push_back(operation.end_ns - operation.begin_ns);
  }
  if (times.size() < 2) return std::nullopt;
  const double least = std::ranges::min(times);
  return static_cast<double>(
      std::ranges::count_if(times, [&](double time) { return time > kWaitsTimes * least; }));
}

const char* reasonOf(Way way) {
  switch (way) {
    case Way::kFaults:
      return "each page of 64 KiB moves once, when it is touched first: as many bytes as copies move, and "
             "page "
             "faults besides";
    case Way::kPrefetches:
      return "each page of 64 KiB moves once, before it is touched: as many bytes as copies move, and no "
             "page "
             "faults";
    case Way::kMapped:
      return "the pages stay on the host: every pass reads and writes them over the link";
    case Way::kCopies:
      break;
  }
  return "the memory is not managed: copies move the bytes, once there and once back";
}

}  // namespace

Way wayOf(const std::string& variant, const DeviceLimits& limits) {
  if (variant == "explicit_copies" || !limits.concurrent_managed_access) return Way::kCopies;
  if (variant == "on_demand") return Way::kFaults;
  return variant == "prefetched" ? Way::kPrefetches : Way::kMapped;
}

std::string insteadOfManagedMemory() {
  return "this device has no managed memory that the host and the GPU can use at the same time "
         "(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, a GPU since Pascal on Linux): the data were copied "
         "explicitly instead";
}

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits) {
  const Way way = wayOf(request.variant, limits);
  const auto bytes = static_cast<uint64_t>(request.parameters.at("size")) * sizeof(uint32_t);
  const bool move = way == Way::kFaults || way == Way::kPrefetches;
  const double pages = move ? static_cast<double>(managedPages(bytes)) : 0;
  std::vector<Prediction> predictions;
  for (const MemoryPlace place : {MemoryPlace::kDevice, MemoryPlace::kHost}) {
    predictions.push_back(
        {.label = place == MemoryPlace::kDevice ? "Pages moved to the device" : "Pages moved to the host",
         .unit = "pages",
         .reason = reasonOf(way),
         .predicted = pages,
         .measure = [place](const Run& run) { return pagesTo(run, place); }});
  }
  // The driver leaves a few pages that the host and the device take in turns where both reach them (seen on
  // an H100 and an H200 with 16 KiB, 580.159.04, 2026-11-26), so less than it moves at once is not predicted.
  constexpr uint64_t kMovedAtOnce = uint64_t{2} << 20;
  if (way == Way::kFaults && bytes < kMovedAtOnce) return predictions;
  predictions.push_back(
      {.label = "Launches that wait for pages",
       .unit = "launches",
       .reason = way == Way::kFaults ? "the first pass touches all pages, and those behind it find them there"
                                     : "no launch touches a page that it cannot reach",
       .predicted = way == Way::kFaults ? 1.0 : 0.0,
       .measure = waitingLaunches});
  return predictions;
}

}  // namespace warpscope::unified_memory
