// Small arrays of a thread. ptxas keeps one of up to 16 words in registers, even where its index is not
// known: each such access compares the index with every word's and moves that word under the predicate (SASS
// and local-memory counts of the truth suite's indexed_array and insertion_sort, ptxas 13.0). An
// array stays in memory if fewer than half of its words are written with a known index, or if too many
// accesses would have to choose among its words (the stacks of tree_walk and interpreter).
#include <algorithm>
#include <set>
#include <vector>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

constexpr uint32_t kMostBytes = 64;
constexpr size_t kMostChoices = 1024;  // words times accesses: the code grows with it

// A kernel that passes an address on, calls a function that has arrays of its own, or jumps by a table (the
// truth suite's interpreter keeps its stack in memory) is left alone.
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
  std::vector<Operation*> known, unknown;
  for (Operation& operation : graph.operations) {
    if (operation.instruction == nullptr || operation.access < 0) continue;
    const Instruction& in = *operation.instruction;
    if (in.space != ptx::Space::kLocal || (in.kind != Kind::kLoad && in.kind != Kind::kStore)) continue;
    const Operation* maker =
        operation.sources.empty() ? nullptr : graph.makerOf(graph.resolve(operation.sources[0]));
    const bool is_known =
        in.address_bits == 0 || (maker != nullptr && maker->instruction->kind == Kind::kLocalAddress);
    (is_known ? known : unknown).push_back(&operation);
  }
  std::set<uint64_t> written;  // words
  for (const Operation* operation : known) {
    const Instruction& in = *operation->instruction;
    const uint64_t bytes = uint64_t{in.vector} * ptx::bytesOf(in.type);
    for (uint64_t at = 0; at < bytes && in.kind == Kind::kStore; at += 4)
      written.insert((in.immediate + at) / 4);
  }
  if (2 * written.size() < words || words * unknown.size() > kMostChoices) return;
  const auto cost = [&](Operation& operation, uint32_t issues) {
    operation.access = -1;
    operation.reads_memory = operation.writes_memory = false;
    operation.unit = sequenceUnit(*graph.profile, Pipe::kInt, issues, 2);
    operation.unit.on_pipe = static_cast<uint8_t>(words);  // the others are moves by IMAD
  };
  for (Operation* operation : known) cost(*operation, 0);
  for (Operation* operation : unknown) cost(*operation, 2 * words);
}

}  // namespace warpscope::sim::lowering
