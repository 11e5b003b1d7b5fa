// Small arrays of a thread. ptxas keeps one of up to 16 words in registers, even where its index is not
// known: each such access compares the index with every word's and moves that word under the predicate (SASS
// and local-memory counts of the truth suite's indexed_array and insertion_sort, ptxas 13.0).
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

constexpr uint32_t kMostBytes = 64;

// A kernel that passes an address on, or calls a function that has arrays of its own, is left alone.
bool keepsArrays(const Graph& graph) {
  const Code& code = *graph.code;
  if (code.functions.size() != 1 || code.functions[0].local_bytes == 0) return false;
  if (code.functions[0].local_bytes > kMostBytes) return false;
  return std::ranges::all_of(graph.operations, [](const Operation& operation) {
    if (operation.instruction == nullptr) return true;
    const Instruction& in = *operation.instruction;
    const bool calls = in.kind == Kind::kCall || in.kind == Kind::kIndirectCall || in.kind == Kind::kPrint;
    return !calls && !(in.op == ptx::Op::kCvta && in.space == ptx::Space::kLocal);
  });
}

}  // namespace

void keepArraysInRegisters(Graph& graph) {
  if (!keepsArrays(graph)) return;
  const uint32_t words = (graph.code->functions[0].local_bytes + 3) / 4;
  for (Operation& operation : graph.operations) {
    if (operation.instruction == nullptr || operation.access < 0) continue;
    const Instruction& in = *operation.instruction;
    if (in.space != ptx::Space::kLocal || (in.kind != Kind::kLoad && in.kind != Kind::kStore)) continue;
    const Operation* maker =
        operation.sources.empty() ? nullptr : graph.makerOf(graph.resolve(operation.sources[0]));
    const bool known =
        in.address_bits == 0 || (maker != nullptr && maker->instruction->kind == Kind::kLocalAddress);
    operation.access = -1;
    operation.reads_memory = operation.writes_memory = false;
    operation.unit = sequenceUnit(*graph.profile, Pipe::kInt, known ? 0 : 2 * words, 2);
    operation.unit.on_pipe = static_cast<uint8_t>(words);  // the others are moves by IMAD
  }
}

}  // namespace warpscope::sim::lowering
