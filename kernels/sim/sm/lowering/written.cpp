#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

bool writesGlobal(const Instruction& in) {
  const bool is_global = in.space == ptx::Space::kGlobal || in.space == ptx::Space::kGeneric;
  return is_global && (in.kind == Kind::kStore || in.kind == Kind::kAtomic || in.kind == Kind::kReduction);
}

}  // namespace

WrittenParameters findWrittenParameters(const Graph& graph) {
  std::vector<WrittenParameters> of_value(graph.values.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const Operation& operation : graph.operations) {
      const Instruction& in = *operation.instruction;
      WrittenParameters from;
      if (in.kind == Kind::kLoadParameter) {
        if (in.immediate / sizeof(uint64_t) < from.size()) from.set(in.immediate / sizeof(uint64_t));
      } else if (in.kind == Kind::kRegister) {
        for (const Value v : operation.sources) from |= of_value[v];
      }
      for (const Value v : operation.destinations) {
        changed = changed || (of_value[v] | from) != of_value[v];
        of_value[v] |= from;
      }
    }
  }
  WrittenParameters written;
  for (const Operation& operation : graph.operations) {
    const Instruction& in = *operation.instruction;
    if (writesGlobal(in) && in.address_bits == 64 && !operation.sources.empty())
      written |= of_value[operation.sources.front()];
  }
  return written;
}

}  // namespace warpscope::sim::lowering
