#include "kernels/backend/cuda/streams/measured_times.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "kernels/backend/cuda/streams/graph_nodes.h"
#include "kernels/backend/stream_graphs.h"
#include "kernels/backend/stream_times.h"

namespace warpscope::cuda {
namespace {

// CUPTI's records of a graph's launches, at the beginning of `records`; nullopt: they cannot be these.
std::optional<std::span<const Activity>> recordsOf(const GraphLaunches& launches,
                                                   std::span<const Activity> records) {
  const size_t count = launches.operations.size();
  if (records.size() < count) return std::nullopt;
  const auto launch = [](const Activity& record) { return record.kind == OperationKind::kLaunch; };
  return std::ranges::all_of(records.first(count), launch) ? std::optional(records.first(count))
                                                           : std::nullopt;
}

// The launches of a graph, by CUPTI's records of them; if these do not tell which is which, all have the
// time of the whole, and their marks tell more.
void takeNodes(const GraphLaunches& launches, std::span<const Activity> records, ActivityTimes& times) {
  const auto record_of = matchNodes(records, launches.after);
  if (!record_of) times.tell_nodes = false;
  const Interval whole{std::ranges::min_element(records, {}, &Activity::begin_ns)->begin_ns,
                       std::ranges::max_element(records, {}, &Activity::end_ns)->end_ns};
  for (size_t i = 0; i < records.size(); ++i) {
    Interval& time = times.of[launches.operations[i]];
    time = whole;
    if (record_of) time = {records[(*record_of)[i]].begin_ns, records[(*record_of)[i]].end_ns};
  }
}

bool fits(const Activity& record, const EnqueuedOperation& operation) {
  if (operation.kind == OperationKind::kLaunch) return record.kind == operation.kind;
  // CUPTI records a copy that the driver takes through the host as copies to the host and from there.
  if (operation.kind == OperationKind::kPeerCopy) return record.kind != OperationKind::kLaunch;
  return record.kind == operation.kind && record.bytes == operation.bytes;
}

// An event before a copy is passed once the copy may begin, not when its engine is free. One engine does the
// copies of a direction, so that a copy did not begin before the one that ended last before it.
void waitForEngine(const StreamWork& work, OperationKind kind, uint32_t gpu, Intervals& times) {
  std::vector<Interval*> copies;
  for (size_t i = 0; i < times.size(); ++i) {
    const EnqueuedOperation& operation = work.operations[i];
    if (operation.kind == kind && work.streams[operation.stream].gpu == gpu && isActivity(operation))
      copies.push_back(&times[i]);
  }
  std::ranges::stable_sort(copies, {}, &Interval::end_ns);
  for (size_t i = 1; i < copies.size(); ++i)
    copies[i]->begin_ns = std::clamp(copies[i - 1]->end_ns, copies[i]->begin_ns, copies[i]->end_ns);
}

}  // namespace

Expected<ActivityTimes> activityTimes(const StreamWork& work, std::span<const Activity> records,
                                      const std::string& gpu_id) {
  ActivityTimes times{Intervals(work.operations.size())};
  const auto do_not_tell = [&](size_t operation) {
    return fail(ErrorKind::kWorkFailed,
                "{}: CUPTI's records do not tell when operation {}, a {}, ran: run it again", gpu_id,
                operation, operationKindName(work.operations[operation].kind));
  };
  for (size_t i = 0; i < work.operations.size(); ++i) {
    const EnqueuedOperation& operation = work.operations[i];
    if (!isActivity(operation) || isPrefetch(operation)) continue;
    if (operation.graph) {
      const GraphLaunches launches = launchesOfGraph(work, firstOfCall(work, static_cast<uint32_t>(i)));
      if (launches.operations.front() != i) continue;
      const auto of_graph = recordsOf(launches, records);
      if (!of_graph) return do_not_tell(i);
      takeNodes(launches, *of_graph, times);
      records = records.subspan(of_graph->size());
      continue;
    }
    if (records.empty() || !fits(records.front(), operation)) return do_not_tell(i);
    times.of[i] = {records.front().begin_ns, records.front().end_ns};
    records = records.subspan(1);
  }
  return times;
}

Expected<Intervals> eventTimes(const StreamWork& work, std::span<const RunningGpu> gpus,
                               std::span<const EventPair> pairs) {
  Intervals times(work.operations.size());
  for (uint32_t i = 0; i < times.size(); ++i) {
    const EventPair& pair = pairs[firstOfCall(work, i)];
    if (pair.before == nullptr) continue;
    const auto read = gpus[work.streams[work.operations[i].stream].gpu].timeOf(pair);
    if (!read) return tl::unexpected(read.error());
    times[i] = *read;
  }
  for (uint32_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const OperationKind kind : {OperationKind::kCopyToDevice, OperationKind::kCopyToHost})
      waitForEngine(work, kind, gpu, times);
  }
  return times;
}

}  // namespace warpscope::cuda
