// What PTX's loads and stores of matrices leave to ptxas (13.0 for sm_90): where in the matrix each lane's
// elements are. It is computed from the lane's number once for each stride (S2R LANEID, SHF, LOP3, IMAD.WIDE;
// for LDSM also where in which of four matrices a lane's row is), and added to each address.
#include <algorithm>
#include <map>
#include <utility>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

class Matrices {
 public:
  explicit Matrices(Graph& graph) : graph_(graph) {}

  void address() {
    // So that what dominators compute can be used again.
    for (const uint32_t s : dominatorsFirst(graph_)) {
      const std::vector<uint32_t> list = graph_.segments[s].operations;
      for (const uint32_t o : list) {
        if (isAccess(graph_.operations[o])) addressOf(s, o);
      }
    }
  }

 private:
  static bool isAccess(const Operation& operation) {
    if (operation.dropped || operation.instruction == nullptr || operation.sources.empty()) return false;
    const ptx::Op op = operation.instruction->op;
    return op == ptx::Op::kMatrixLoad || op == ptx::Op::kMatrixStore;
  }

  using Key = std::pair<Value, bool>;                      // stride, whether in shared memory
  using Places = std::vector<std::pair<uint32_t, Value>>;  // where, and which value

  void addressOf(uint32_t segment, uint32_t access) {
    const Instruction& in = *graph_.operations[access].instruction;
    const bool shared = ptx::isShared(in.space);
    const Value stride = graph_.resolve(graph_.operations[access].sources.back());
    const bool constant = graph_.isConstant(stride);
    const Value lanes = lanesPlace(segment, access, {constant ? kNone : stride, shared});
    const Value base = graph_.resolve(graph_.operations[access].sources[0]);
    // IADD3, IADD3.X and, for rows whose distance is not known, IMAD.WIDE.
    const uint32_t issues = shared ? 1 : (constant ? 2 : 3);
    Places& places = addresses_[{base, lanes}];
    // If the base changes, an address that was computed from it is valid within the segment only.
    if (graph_.values[base].definitions > 1)
      std::erase_if(places, [&](const auto& place) { return place.first != segment; });
    Value address = known(segment, places);
    if (address == kNone) {
      address = add(segment, access, {base, lanes}, issues);
      places.emplace_back(segment, address);
    }
    graph_.operations[access].sources[0] = address;
  }

  Value lanesPlace(uint32_t segment, uint32_t access, Key key) {
    constexpr uint32_t kOfGlobal = 5, kOfShared = 8;
    if (const Value value = known(segment, lanes_[key]); value != kNone) return value;
    std::vector<Value> sources;
    if (key.first != kNone) sources.push_back(key.first);
    const Value value = add(segment, access, std::move(sources), key.second ? kOfShared : kOfGlobal);
    lanes_[key].emplace_back(segment, value);
    return value;
  }

  Value known(uint32_t segment, const Places& places) const {
    for (const auto& [where, value] : places) {
      if (graph_.dominates(where, segment)) return value;
    }
    return kNone;
  }

  Value add(uint32_t segment, uint32_t before, std::vector<Value> sources, uint32_t issues) {
    const Value value = graph_.addValue(ValueKind::kRegister, 2);
    Operation operation;
    operation.pc = graph_.operations[before].pc;
    operation.segment = segment;
    operation.unit = sequenceUnit(*graph_.profile, Pipe::kInt, issues, issues);
    operation.sources = std::move(sources);
    operation.destinations = {value};
    operation.pure = true;
    const uint32_t made = graph_.addOperation(std::move(operation));
    std::vector<uint32_t>& list = graph_.segments[segment].operations;
    list.insert(std::ranges::find(list, before), made);
    return value;
  }

  Graph& graph_;
  std::map<Key, Places> lanes_;
  std::map<std::pair<Value, Value>, Places> addresses_;  // by base and lanes' places
};

bool isZeroMove(const Graph& graph, const Operation& operation) {
  if (operation.dropped || operation.instruction == nullptr || operation.guard != kNone) return false;
  if (operation.instruction->op != ptx::Op::kMov || operation.sources.size() != 1 ||
      operation.destinations.size() != 1)
    return false;
  const ValueInfo& to = graph.values[graph.resolve(operation.destinations[0])];
  return graph.isConstant(graph.resolve(operation.sources[0]), 0) && to.kind == ValueKind::kRegister &&
         !to.uniform;
}

}  // namespace

void addressMatrices(Graph& graph) {
  Matrices(graph).address();
}

void pairZeroes(Graph& graph) {
  for (const SegmentInfo& segment : graph.segments) {
    Operation* first = nullptr;
    for (const uint32_t o : segment.operations) {
      Operation& operation = graph.operations[o];
      if (!isZeroMove(graph, operation)) continue;
      if (graph.values[graph.resolve(operation.destinations[0])].words == 2) {
        operation.unit.issues = 1;
        continue;
      }
      if (first == nullptr) {
        first = &operation;
        continue;
      }
      const Value second = graph.resolve(operation.destinations[0]);
      first->destinations.push_back(second);
      if (graph.values[second].definition == o) graph.values[second].definition = kNone;
      operation.dropped = true;
      first = nullptr;
    }
  }
}

}  // namespace warpscope::sim::lowering
