// Some passes take an operation apart into the machine instructions that it is, so that other instructions
// can come between them and each wait has its own reason. This is what these passes have in common.
#pragma once

#include <utility>
#include <vector>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {

class Expansion {
 public:
  explicit Expansion(Graph& graph) : graph_(graph) {}

  // Replaces each operation for which take_apart(index) is true by what that has added.
  template <typename TakeApart>
  void run(TakeApart take_apart) {
    for (SegmentInfo& segment : graph_.segments) {
      const std::vector<uint32_t> list = segment.operations;
      segment.operations.clear();
      for (const uint32_t o : list) {
        list_ = &segment.operations;
        if (!take_apart(o)) list_->push_back(o);
      }
    }
  }

 protected:
  // The operation itself becomes one of its instructions.
  void become(uint32_t o, Unit unit, std::vector<Value> sources, Value to) {
    Operation& operation = graph_.operations[o];
    operation.sources = std::move(sources);
    operation.destinations = {to};
    operation.unit = unit;
    if (graph_.values[to].definitions == 0) {
      graph_.values[to].definitions = 1;
      graph_.values[to].definition = o;
    }
    list_->push_back(o);
  }

  uint32_t add(uint32_t o, Unit cost, std::vector<Value> sources, Value to) {
    Operation operation;
    operation.pc = graph_.operations[o].pc;
    operation.segment = graph_.operations[o].segment;
    operation.unit = cost;
    operation.sources = std::move(sources);
    if (to != kNone) operation.destinations = {to};
    operation.pure = true;
    const uint32_t made = graph_.addOperation(std::move(operation));
    list_->push_back(made);
    return made;
  }

  // Adds the instruction that makes the result from now on.
  uint32_t finish(uint32_t o, Unit cost, std::vector<Value> sources, Value result) {
    const uint32_t definitions = graph_.values[result].definitions;
    const uint32_t last = add(o, cost, std::move(sources), result);
    graph_.values[result].definitions = definitions;
    if (definitions == 1) graph_.values[result].definition = last;
    return last;
  }

  Value number() { return graph_.addValue(ValueKind::kRegister); }
  Value predicate() { return graph_.addValue(ValueKind::kPredicate); }
  Unit unit(Pipe pipe) const { return chainUnit(*graph_.profile, pipe, 1); }
  Unit compares() const { return compareUnit(*graph_.profile, 1); }

  Graph& graph_;
  std::vector<uint32_t>* list_ = nullptr;
};

}  // namespace warpscope::sim::lowering
