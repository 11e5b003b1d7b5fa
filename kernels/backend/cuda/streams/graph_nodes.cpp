#include "kernels/backend/cuda/streams/graph_nodes.h"

#include <algorithm>
#include <numeric>

#include "kernels/backend/stream_graphs.h"

namespace warpscope::cuda {
namespace {

using Order = std::vector<size_t>;  // of records

template <class Key>
Order ordered(std::span<const Activity> records, Key key) {
  Order order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return records[i].*key; });
  return order;
}

bool haveNumbers(std::span<const Activity> records, const Order& by_node) {
  for (size_t i = 0; i < by_node.size(); ++i) {
    if (records[by_node[i]].node == 0) return false;
    if (i > 0 && records[by_node[i]].node == records[by_node[i - 1]].node) return false;
  }
  return true;
}

bool mayBegin(std::span<const Activity> records, const Activity& record, const std::vector<uint32_t>& after,
              const Order& record_of) {
  return std::ranges::all_of(after, [&](uint32_t before) {
    return record_of[before] < records.size() && records[record_of[before]].end_ns <= record.begin_ns;
  });
}

std::optional<Order> byBegin(std::span<const Activity> records,
                             const std::vector<std::vector<uint32_t>>& after) {
  Order record_of(records.size(), records.size());  // none yet
  for (const size_t record : ordered(records, &Activity::begin_ns)) {
    size_t launch = 0;
    while (launch < after.size() && (record_of[launch] < records.size() ||
                                     !mayBegin(records, records[record], after[launch], record_of)))
      ++launch;
    if (launch == after.size()) return std::nullopt;
    record_of[launch] = record;
  }
  return record_of;
}

}  // namespace

GraphLaunches launchesOfGraph(const StreamWork& work, uint32_t first) {
  const std::vector<std::vector<StreamDependency>> dependencies = dependenciesOf(work);
  const uint32_t end = first + operationsOfCall(work, first);
  GraphLaunches launches;
  // By operation of the graph: the launches that have ended where it has.
  std::vector<std::vector<uint32_t>> through(end - first);
  for (uint32_t i = first; i < end; ++i) {
    std::vector<uint32_t> after;
    for (const StreamDependency& each : dependencies[i]) {
      if (each.kind != StreamWait::kGraph) continue;
      const auto& of = through[each.operation - first];
      after.insert(after.end(), of.begin(), of.end());
    }
    if (work.operations[i].kind == OperationKind::kLaunch) {
      through[i - first] = {static_cast<uint32_t>(launches.operations.size())};
      launches.operations.push_back(i);
      launches.after.push_back(std::move(after));
    } else {
      through[i - first] = std::move(after);
    }
  }
  return launches;
}

std::optional<std::vector<size_t>> matchNodes(std::span<const Activity> records,
                                              const std::vector<std::vector<uint32_t>>& after) {
  const Order by_node = ordered(records, &Activity::node);
  bool fits = haveNumbers(records, by_node);
  for (size_t launch = 0; launch < after.size() && fits; ++launch)
    fits = mayBegin(records, records[by_node[launch]], after[launch], by_node);
  return fits ? by_node : byBegin(records, after);
}

}  // namespace warpscope::cuda
