#include "kernels/backend/stream_graphs.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace warpscope {
namespace {

// Finds what is wrong with the operations of a graph, which begin at `first`.
class GraphCheck {
 public:
  GraphCheck(const StreamWork& work, uint32_t graph, uint32_t first)
      : work_(work), of_(work.graphs[graph]), first_(first) {}

  Expected<void> run() {
    if (of_.stream >= work_.streams.size()) return wrong(first_, "its graph is launched on no stream");
    const bool captured = of_.making == GraphMaking::kCaptured;
    if (captured && work_.streams[of_.stream].kind == StreamKind::kLegacyDefault)
      return wrong(first_, "the legacy default stream cannot be captured");
    capturing_.insert(of_.stream);
    const uint32_t end = first_ + operationsOfCall(work_, first_);
    for (uint32_t i = first_; i < end; ++i) {
      if (at(i).launch.programmatic) return wrong(i, "a dependent launch cannot be part of a graph");
      if (auto possible = checkCondition(i); !possible) return possible;
      if (auto possible = captured ? checkCaptured(i) : checkExplicit(i); !possible) return possible;
    }
    return captured ? checkJoined(end - 1) : Expected<void>{};
  }

 private:
  const EnqueuedOperation& at(uint32_t index) const { return work_.operations[index]; }

  Expected<void> wrong(uint32_t index, const std::string& what) const {
    return fail(ErrorKind::kBadRequest, "operation {} ({}) of {}: {}", index,
                operationKindName(at(index).kind), of_.name, what);
  }

  Expected<void> checkExplicit(uint32_t index) const {
    if (at(index).kind != OperationKind::kLaunch)
      return wrong(index, "an explicit graph consists of launches only");
    for (const uint32_t node : at(index).nodes) {
      if (node < first_ || node >= index) return wrong(index, "it follows what is no earlier node");
    }
    return {};
  }

  Expected<void> checkCondition(uint32_t index) {
    const auto& decider = at(index).only_if;
    if (!decider) return {};
    if (of_.making != GraphMaking::kExplicit)
      return wrong(index, "only an explicit graph has conditional nodes");
    if (std::ranges::find(at(index).nodes, *decider) == at(index).nodes.end())
      return wrong(index, "what decides whether it is executed is no node before it");
    if (!decides_.insert(*decider).second)
      return wrong(index, fmt::format("operation {} decides for another one already", *decider));
    const auto& parameters = at(*decider).launch.parameters;
    if (parameters.empty() || parameters.back().size() != sizeof(uint64_t))
      return wrong(*decider, "its last parameter has no room for the handle of a condition");
    return {};
  }

  Expected<void> checkCaptured(uint32_t index) {
    const EnqueuedOperation& operation = at(index);
    if (operation.kind != OperationKind::kLaunch && operation.kind != OperationKind::kEvent &&
        operation.kind != OperationKind::kWait)
      return wrong(index, "a graph consists of launches, events and waits only");
    if (!operation.nodes.empty()) return wrong(index, "streams and events order what is captured");
    if (operation.kind == OperationKind::kWait) {
      if (!recorded_.contains(operation.event))
        return wrong(index, "it waits for an event that is not recorded in the graph");
      capturing_.insert(operation.stream);
      takeSeen(operation.stream, seen_by_event_[operation.event]);
    }
    if (!capturing_.contains(operation.stream))
      return wrong(index, "its stream is not captured: it must wait for an event of a stream that is");
    last_on_[operation.stream] = index;
    seen_[operation.stream][operation.stream] = index;
    if (operation.kind == OperationKind::kEvent) {
      recorded_.insert(operation.event);
      seen_by_event_[operation.event] = seen_[operation.stream];
    }
    return {};
  }

  // By stream: the last operation of it that is known to have ended.
  using Seen = std::map<uint32_t, uint32_t>;
  void takeSeen(uint32_t stream, const Seen& others) {
    for (const auto& [other, last] : others) {
      uint32_t& known = seen_[stream][other];
      known = std::max(known, last);
    }
  }

  Expected<void> checkJoined(uint32_t last) {
    for (const auto& [stream, index] : last_on_) {
      const auto joined = seen_[of_.stream].find(stream);
      if (joined == seen_[of_.stream].end() || joined->second < index)
        return wrong(last, fmt::format("{} does not wait for {} at the end of the capture",
                                       work_.streams[of_.stream].name, work_.streams[stream].name));
    }
    return {};
  }

  const StreamWork& work_;
  const StreamGraph& of_;
  uint32_t first_;
  std::set<uint32_t> capturing_, recorded_;  // streams, events
  std::set<uint32_t> decides_;               // launches that decide for others
  std::map<uint32_t, uint32_t> last_on_;     // by stream
  std::map<uint32_t, Seen> seen_;            // by stream
  std::map<uint32_t, Seen> seen_by_event_;
};

// Returns, by operation of a captured graph, those that it follows.
std::vector<std::vector<uint32_t>> capturedOrder(const StreamWork& work, uint32_t first, uint32_t count) {
  StreamOrder order(work.streams);
  std::vector<std::vector<uint32_t>> nodes(count);
  for (uint32_t i = 0; i < count; ++i) {
    const EnqueuedOperation& operation = work.operations[first + i];
    for (const StreamDependency& before : order.add(operation.kind, operation.stream, operation.event))
      nodes[i].push_back(first + before.operation);
  }
  return nodes;
}

// Returns the operations that no other one waits for.
std::vector<uint32_t> lastOf(const std::vector<std::vector<uint32_t>>& nodes, uint32_t first) {
  std::set<uint32_t> waited_for;
  for (const auto& before : nodes) waited_for.insert(before.begin(), before.end());
  std::vector<uint32_t> last;
  for (uint32_t i = first; i < first + nodes.size(); ++i) {
    if (!waited_for.contains(i)) last.push_back(i);
  }
  return last;
}

void addGraph(const StreamWork& work, uint32_t first, StreamOrder& order,
              std::vector<std::vector<StreamDependency>>& after) {
  const uint32_t count = operationsOfCall(work, first);
  const StreamGraph& graph = work.graphs[*work.operations[first].graph];
  std::vector<std::vector<uint32_t>> nodes;
  if (graph.making == GraphMaking::kCaptured) {
    nodes = capturedOrder(work, first, count);
  } else {
    for (uint32_t i = first; i < first + count; ++i) nodes.push_back(work.operations[i].nodes);
  }
  const std::vector<StreamDependency> before = order.addGraph(graph.stream, count, lastOf(nodes, first));
  for (const auto& of_node : nodes) {
    auto& of = after.emplace_back();
    if (of_node.empty()) of = before;
    for (const uint32_t node : of_node) of.push_back({node, StreamWait::kGraph});
  }
}

}  // namespace

uint32_t operationsOfCall(const StreamWork& work, uint32_t index) {
  const auto& graph = work.operations[index].graph;
  if (!graph) return 1;
  uint32_t end = index;
  while (end < work.operations.size() && work.operations[end].graph == graph) ++end;
  return end - index;
}

uint32_t firstOfCall(const StreamWork& work, uint32_t index) {
  const auto& graph = work.operations[index].graph;
  while (graph && index > 0 && work.operations[index - 1].graph == graph) --index;
  return index;
}

uint32_t launchesOf(const StreamWork& work, uint32_t graph) {
  return static_cast<uint32_t>(std::ranges::count_if(work.operations, [&](const EnqueuedOperation& each) {
    return each.graph == graph && each.kind == OperationKind::kLaunch;
  }));
}

std::optional<uint32_t> decidedBy(const StreamWork& work, uint32_t operation) {
  for (uint32_t i = operation + 1; i < work.operations.size(); ++i) {
    if (work.operations[i].only_if == operation) return i;
  }
  return std::nullopt;
}

bool hasConditions(const StreamWork& work) {
  return std::ranges::any_of(work.operations,
                             [](const EnqueuedOperation& each) { return each.only_if.has_value(); });
}

std::vector<std::byte> conditionParameter(uint64_t handle) {
  std::vector<std::byte> bytes(sizeof handle);
  std::memcpy(bytes.data(), &handle, sizeof handle);
  return bytes;
}

Expected<void> checkGraphs(const StreamWork& work) {
  std::set<uint32_t> begun;
  for (uint32_t i = 0; i < work.operations.size(); i += operationsOfCall(work, i)) {
    const auto& graph = work.operations[i].graph;
    if (!graph) continue;
    if (*graph >= work.graphs.size() || !begun.insert(*graph).second) {
      return fail(ErrorKind::kBadRequest,
                  "operation {} is of a graph that there is not, or that was launched", i);
    }
    if (auto possible = GraphCheck(work, *graph, i).run(); !possible) return possible;
  }
  for (uint32_t graph = 0; graph < work.graphs.size(); ++graph) {
    if (launchesOf(work, graph) == 0)
      return fail(ErrorKind::kBadRequest, "{} launches nothing", work.graphs[graph].name);
  }
  return {};
}

std::vector<std::vector<StreamDependency>> dependenciesOf(const StreamWork& work) {
  StreamOrder order(work.streams);
  std::vector<std::vector<StreamDependency>> after;
  after.reserve(work.operations.size());
  while (after.size() < work.operations.size()) {
    const auto index = static_cast<uint32_t>(after.size());
    const EnqueuedOperation& operation = work.operations[index];
    if (operation.graph) {
      addGraph(work, index, order, after);
    } else {
      after.push_back(
          order.add(operation.kind, operation.stream, operation.event, operation.launch.programmatic));
    }
  }
  return after;
}

bool followsNode(const std::vector<StreamDependency>& after) {
  return std::ranges::any_of(after,
                             [](const StreamDependency& each) { return each.kind == StreamWait::kGraph; });
}

}  // namespace warpscope
