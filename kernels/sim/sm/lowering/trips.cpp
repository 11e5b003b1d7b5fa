// When ptxas unrolls a loop, its trips become one basic block: their loads issue one after another, and the
// warp waits for the first when all of them are on their way. So a sum over an array in a loop that is
// unrolled four times waits once for four loads (SASS and samples of lone_classifier on an H100 with
// 580.159.04, 2026-11-27).
#include <algorithm>
#include <unordered_map>

#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

constexpr uint32_t kMostTrips = 16, kMostOperations = 400, kMostMembers = 255;

// With 32 registers a thread, all warps fit on an SM, and ptxas takes no more for the loads of further trips
// (product_naive).
constexpr uint32_t kFreeRegisters = 32;

// Whether a trip of the loop is this group and nothing else.
bool isWholeTrip(const Graph& graph, const Loop& loop, uint32_t head) {
  const SegmentInfo& info = graph.segments[head];
  return loop.header == head && info.group_first == head && loop.segments.size() == info.group_count &&
         std::ranges::all_of(loop.segments,
                             [&](uint32_t s) { return graph.segments[s].group_first == head; });
}

// Whether executing it early, before other warps' instructions that issue earlier, changes no result.
bool isPlain(const Operation& operation) {
  if (operation.transfer == Transfer::kSync || operation.is_fence) return false;
  if (operation.stack.kind != StackAccess::Kind::kNone) return false;
  if (operation.access < 0 || operation.instruction == nullptr) return true;
  const Instruction& in = *operation.instruction;
  const ptx::Semantics semantics = in.modifiers.semantics;
  return (in.kind == Kind::kLoad || in.kind == Kind::kStore) &&
         (semantics == ptx::Semantics::kNone || semantics == ptx::Semantics::kWeak);
}

class Copier {
 public:
  Copier(Graph& graph, const LiveValues& live) : graph_(graph), live_(live) {}

  // The operation as it is in another trip.
  uint32_t copy(uint32_t o, uint32_t trip) {
    Operation operation = graph_.operations[o];
    operation.trip = trip;
    for (Value& v : operation.sources) v = nameOf(v);
    const auto index = static_cast<uint32_t>(graph_.operations.size());
    for (Value& v : operation.destinations) v = newNameOf(v, index);
    if (operation.guard != kNone) operation.guard = nameOf(operation.guard);
    return graph_.addOperation(std::move(operation));
  }

 private:
  Value nameOf(Value v) const {
    const auto named = names_.find(v);
    return named == names_.end() ? v : named->second;
  }

  // A value that the next trip or the code after the loop reads keeps its name.
  Value newNameOf(Value v, uint32_t definition) {
    if (live_.out.contains(v)) return v;
    ValueInfo info = graph_.values[v];
    if (info.definition != kNone) info.definition = definition;
    graph_.values.push_back(info);
    return names_[v] = static_cast<Value>(graph_.values.size() - 1);
  }

  Graph& graph_;
  const LiveValues& live_;
  std::unordered_map<Value, Value> names_;
};

}  // namespace

uint32_t tripsAtOnce(const Graph& graph, uint32_t head) {
  const SegmentInfo& info = graph.segments[head];
  if (info.loop == kNone) return 1;
  const Loop& loop = graph.loops[info.loop];
  if (loop.copies == 1 || !isWholeTrip(graph, loop, head)) return 1;
  const std::vector<uint32_t> list = sourceOrder(graph, head);
  const bool plain = std::ranges::all_of(list, [&](uint32_t o) { return isPlain(graph.operations[o]); });
  const bool loads = std::ranges::any_of(list, [&](uint32_t o) { return graph.operations[o].reads_memory; });
  if (!plain || !loads || graph.yields[lastPc(graph, head + info.group_count - 1)]) return 1;
  const auto size = static_cast<uint32_t>(list.size());
  return std::min({loop.copies, kMostTrips, kMostOperations / size, kMostMembers / info.group_count});
}

std::vector<uint32_t> scheduleTrips(Graph& graph, uint32_t head, uint32_t registers, const LiveValues& live) {
  const uint32_t trips = tripsAtOnce(graph, head);
  if (trips < 2) return {};
  const std::vector<uint32_t> list = sourceOrder(graph, head);
  std::vector<uint32_t> all;
  for (uint32_t trip = 0; trip < trips; ++trip) {
    Copier copier(graph, live);
    for (const uint32_t o : list) {
      const uint32_t loop = graph.operations[o].once_in;
      const bool first = loop != kNone && loop == graph.segments[graph.operations[o].segment].loop;
      if (first && trip > 0) continue;
      const bool once = graph.operations[o].every > 1;
      if (once && trip + 1 < trips) continue;
      all.push_back(copier.copy(o, once ? 0 : trip));
    }
  }
  const uint32_t words = std::max(registers, kFreeRegisters) - kBesides;
  return scheduleWithin(graph, std::move(all), words, live);
}

}  // namespace warpscope::sim::lowering
