// ptxas 13.0 (sm_90) adds instructions for the operands of textures and surfaces. The coordinates of a fetch
// must lie in consecutive registers, so that a coordinate that something else reads, too, is copied. In each
// stretch of code, a UMOV clears the upper word of the object's address. A fetch from an array needs a
// constant in a register (HFMA2), and a fetch with a single coordinate a zero in the next register.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

class ImageOperands {
 public:
  explicit ImageOperands(Graph& graph) : graph_(graph), uses_(countUses(graph)) {}

  void place() {
    for (const uint32_t s : dominatorsFirst(graph_)) {
      bool found = false;
      const std::vector<uint32_t> list = graph_.segments[s].operations;
      for (const uint32_t o : list) {
        if (!isAccess(graph_.operations[o])) continue;
        const Instruction& in = *graph_.operations[o].instruction;
        const bool fetches = in.op == ptx::Op::kTex;
        if (fetches && !std::exchange(found, true)) addAddress(s, o);
        if (fetches && in.modifiers.float_coordinates) addOptions(s, o);
        if (fetches && in.modifiers.float_coordinates && in.modifiers.dimensions == 1)
          graph_.operations[o].sources.push_back(copied(s, o, kNone, 1));
        if (in.modifiers.dimensions > 1) placeCoordinates(s, o);
      }
    }
  }

 private:
  static bool isAccess(const Operation& operation) {
    return !operation.dropped && operation.instruction != nullptr && operation.access >= 0 &&
           accessesImage(operation.instruction->op) && operation.instruction->op != ptx::Op::kImageQuery;
  }

  // ULDC and UMOV; the first ULDC comes with the constants of the kernel (materializeConstants).
  void addAddress(uint32_t segment, uint32_t access) {
    const bool is_first = !std::exchange(fetches_, true) && graph_.segments[segment].loop == kNone;
    Operation upper = besides(segment, access);
    upper.unit = {Pipe::kUniform, static_cast<uint8_t>(is_first ? 1 : 2), 2};
    upper.destinations = {graph_.addValue(ValueKind::kRegister)};
    graph_.values[upper.destinations[0]].uniform = true;
    insert(std::move(upper), access);
  }

  void addOptions(uint32_t segment, uint32_t access) {
    auto known = std::ranges::find_if(
        options_, [&](const auto& place) { return graph_.dominates(place.first, segment); });
    if (known == options_.end()) {
      Operation constant = besides(segment, access);
      constant.pure = true;
      known = options_.emplace(known, segment, insert(std::move(constant), access));
    }
    graph_.operations[access].sources.push_back(known->second);
  }

  void placeCoordinates(uint32_t segment, uint32_t access) {
    const uint32_t dimensions = graph_.operations[access].instruction->modifiers.dimensions;
    std::vector<Value> wanted;
    for (uint32_t i = 1; i <= dimensions; ++i)
      wanted.push_back(graph_.resolve(graph_.operations[access].sources[i]));
    std::vector<Value>& placed = placed_[{segment, wanted}];
    if (placed.empty()) {
      for (uint32_t i = 0; i < dimensions; ++i)
        placed.push_back(isInPlace(segment, wanted[i]) ? wanted[i] : copied(segment, access, wanted[i], i));
    }
    std::ranges::copy(placed, graph_.operations[access].sources.begin() + 1);
  }

  // The first access that reads a value finds it in place, if it was computed in the same loop.
  bool isInPlace(uint32_t segment, Value v) {
    const ValueInfo& value = graph_.values[v];
    if (value.kind != ValueKind::kRegister || value.uniform || value.definitions != 1 ||
        value.definition == kNone)
      return false;
    const bool same_loop =
        graph_.segments[graph_.operations[value.definition].segment].loop == graph_.segments[segment].loop;
    return uses_[v] == 1 || (same_loop && taken_.insert(v).second);
  }

  // Accesses that differ in some coordinates only have a few sets of registers in turns. kNone: a zero.
  Value copied(uint32_t segment, uint32_t access, Value v, uint32_t coordinate) {
    constexpr uint32_t kSets = 6;
    Copies& copies = copies_[{segment, coordinate, v}];
    if (copies.values.size() == kSets) return copies.values[copies.next++ % kSets];
    Operation copy = besides(segment, access);
    copy.balanced = true;
    if (v != kNone && graph_.values[v].kind == ValueKind::kRegister) copy.sources = {v};
    copies.values.push_back(insert(std::move(copy), access));
    return copies.values.back();
  }

  Operation besides(uint32_t segment, uint32_t access) const {
    Operation operation;
    operation.pc = graph_.operations[access].pc;
    operation.segment = segment;
    operation.every = graph_.operations[access].every;
    operation.late = true;
    operation.unit = chainUnit(*graph_.profile, Pipe::kInt, 1);
    return operation;
  }

  // Returns its result.
  Value insert(Operation operation, uint32_t before) {
    if (operation.destinations.empty()) operation.destinations = {graph_.addValue(ValueKind::kRegister)};
    const Value value = operation.destinations[0];
    const uint32_t segment = operation.segment;
    const uint32_t made = graph_.addOperation(std::move(operation));
    std::vector<uint32_t>& list = graph_.segments[segment].operations;
    list.insert(std::ranges::find(list, before), made);
    return value;
  }

  Graph& graph_;
  std::vector<uint32_t> uses_;
  bool fetches_ = false;                             // so far
  std::vector<std::pair<uint32_t, Value>> options_;  // where, and which value
  std::map<std::pair<uint32_t, std::vector<Value>>, std::vector<Value>>
      placed_;             // by segment and coordinates
  std::set<Value> taken_;  // values that an access has found in place
  struct Copies {
    std::vector<Value> values;
    uint32_t next = 0;
  };
  std::map<std::tuple<uint32_t, uint32_t, Value>, Copies> copies_;  // by segment, coordinate and value
};

}  // namespace

void placeImageOperands(Graph& graph) {
  ImageOperands(graph).place();
}

}  // namespace warpscope::sim::lowering
