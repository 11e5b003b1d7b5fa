// Some operations cost nothing: the upper word of a pair is a register already. What reads their results
// waits for what they were made of.
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

class Forwarding {
 public:
  explicit Forwarding(Graph& graph) : graph_(graph) {}

  void forward() {
    for (Operation& operation : graph_.operations) {
      if (operation.dropped || operation.unit.issues == 0) continue;
      const auto is_free = [&](Value v) { return freeMaker(v) != nullptr; };
      if (std::ranges::none_of(operation.sources, is_free)) continue;
      std::vector<Value> sources;
      for (const Value v : operation.sources) append(v, sources);
      operation.sources = std::move(sources);
    }
  }

 private:
  // The only operation that makes a value, if it costs nothing.
  const Operation* freeMaker(Value v) const {
    const uint32_t definition = graph_.values[v].definition;
    if (definition == kNone) return nullptr;
    const Operation& made = graph_.operations[definition];
    const bool is_free = !made.dropped && made.unit.issues == 0 && made.access < 0 && made.guard == kNone;
    return is_free && made.transfer == Transfer::kNot ? &made : nullptr;
  }

  void append(Value v, std::vector<Value>& sources, int depth = 0) const {
    constexpr int kDeep = 8;
    const Operation* made = depth < kDeep ? freeMaker(v) : nullptr;
    if (made == nullptr) {
      if (depth == 0 || std::ranges::find(sources, v) == sources.end()) sources.push_back(v);
      return;
    }
    for (const Value of : made->sources) {
      if (!graph_.isConstant(of)) append(graph_.resolve(of), sources, depth + 1);
    }
  }

  Graph& graph_;
};

}  // namespace

void forwardThroughFree(Graph& graph) {
  Forwarding(graph).forward();
}

}  // namespace warpscope::sim::lowering
