// Small arrays of a thread. ptxas keeps them in registers even where an index is not known: each such access
// compares the index with every word's and moves that word under the predicate. Found by compiling about 400
// kernels with ptxas 13.0 for sm_90 (2026-11-25). An array stays in memory
//   - if something but whole 32-bit words is accessed (bytes, shorts and doubles always were), or nothing
//   with
//     a known index;
//   - if the code would grow too much: by 1.9 times of what it is, and 35 instructions. Code in loops counts
//     ten times. So 16 reads of 16 words stay in memory in a short kernel, and are comparisons in a longer
//     one. (Wrong for 9 of 389 arrays, all near the limit.)
// Several arrays are one: ptxas compares with the words of all.
#include <algorithm>
#include <set>
#include <vector>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

constexpr uint32_t kMostBytes = 256;
constexpr uint64_t kWeightOfLoops = 10;

// A kernel that passes an address on, calls a function that has arrays of its own, or jumps by a table (the
// truth suite's interpreter keeps its stack in memory) is left alone.
bool keepsArrays(const Graph& graph) {
  const Code& code = *graph.code;
  if (code.functions.size() != 1 || code.functions[0].local_bytes == 0) return false;
  if (code.functions[0].local_bytes > kMostBytes) return false;
  return std::ranges::all_of(graph.operations, [](const Operation& operation) {
    if (operation.instruction == nullptr) return true;
    const Instruction& in = *operation.instruction;
    const bool calls = in.kind == Kind::kCall || in.kind == Kind::kIndirectCall || in.kind == Kind::kPrint ||
                       in.kind == Kind::kSetCondition;
    return !calls && !(in.op == ptx::Op::kCvta && in.space == ptx::Space::kLocal);
  });
}

// How often an operation counts.
uint64_t weightOf(const Graph& graph, const Operation& operation) {
  return graph.segments[operation.segment].depth > 0 ? kWeightOfLoops : 1;
}

bool isOfWords(const Instruction& in) {
  return ptx::bytesOf(in.type) == 4;
}

// The operation whose result `reader` reads as `v`: of several, the last one before it in its segment.
const Operation* makerFor(Graph& graph, const Operation& reader, Value v) {
  if (const Operation* only = graph.makerOf(v)) return only;
  const std::vector<uint32_t>& list = graph.segments[reader.segment].operations;
  const Operation* last = nullptr;
  for (const uint32_t o : list) {
    const Operation& operation = graph.operations[o];
    if (&operation == &reader) break;
    const bool writes = std::ranges::any_of(
        operation.destinations, [&](Value made) { return graph.resolve(made) == graph.resolve(v); });
    if (writes) last = operation.instruction != nullptr && operation.guard == kNone ? &operation : nullptr;
  }
  return last;
}

// Whether an access's address is a variable's with constants added.
bool isKnown(Graph& graph, const Operation& access) {
  if (access.instruction->address_bits == 0) return true;
  const Operation* reader = &access;
  for (int depth = 0; depth < 4 && !reader->sources.empty(); ++depth) {
    const Operation* maker = makerFor(graph, *reader, reader->sources[0]);
    if (maker == nullptr) return false;
    if (maker->instruction->kind == Kind::kLocalAddress) return true;
    const bool steps = maker->instruction->op == ptx::Op::kAdd && maker->sources.size() == 2 &&
                       graph.isConstant(graph.resolve(maker->sources[1]));
    if (!steps) return false;
    reader = maker;
  }
  return false;
}

// Whether ptxas lets the code grow so much that each of these accesses chooses among the words. The index's
// arithmetic and the access itself go.
bool mayGrow(const Graph& graph, const LocalArrays& arrays) {
  constexpr uint64_t kSaved = 2, kFree = 35;
  uint64_t size = 0, growth = 0;
  for (const Operation& operation : graph.operations) {
    if (!operation.dropped) size += operation.unit.issues * weightOf(graph, operation);
  }
  for (const uint32_t o : arrays.unknown)
    growth += (2 * arrays.words - kSaved) * weightOf(graph, graph.operations[o]);
  return growth * 10 <= size * 19 + kFree * 10;
}

// Whether an address is a pointer that a loop steps, or is computed from a counter.
bool isStepped(Graph& graph, Value v, int depth = 6) {
  v = graph.resolve(v);
  const Operation* maker = graph.makerOf(v);
  if (maker == nullptr) return graph.values[v].definitions > 1;
  const ptx::Op op = maker->instruction->op;
  const bool passes =
      op == ptx::Op::kAdd || op == ptx::Op::kMul || op == ptx::Op::kShl || op == ptx::Op::kCvt;
  return passes && depth > 0 && std::ranges::any_of(maker->sources, [&](Value source) {
           return isStepped(graph, source, depth - 1);
         });
}

// Loops that fill arrays element by element, as the reduction of large angles in sinf and cosf does: with two
// of them the arrays stay in memory, with one they do not (7 of 8 kernels with such angles). Loops that store
// to places given by data do not count: nvcc makes two of each loop that it unrolls in part. Of 981 further
// small kernels, with which this rule was chosen but not the limits above, 116 are decided otherwise than by
// ptxas 13.0; without this rule 154, if all loops count 130.
bool areFilledByLoops(Graph& graph, const LocalArrays& arrays) {
  std::set<uint32_t> loops;
  for (const uint32_t o : arrays.unknown) {
    const Operation& operation = graph.operations[o];
    const uint32_t loop = graph.segments[operation.segment].loop;
    if (operation.instruction->kind == Kind::kStore && loop != kNone &&
        isStepped(graph, operation.sources[0]))
      loops.insert(loop);
  }
  return loops.size() > 1;
}

}  // namespace

LocalArrays findLocalArrays(Graph& graph) {
  LocalArrays arrays;
  if (!keepsArrays(graph)) return arrays;
  for (uint32_t o = 0; o < graph.operations.size(); ++o) {
    const Operation& operation = graph.operations[o];
    if (operation.instruction == nullptr || operation.access < 0) continue;
    const Instruction& in = *operation.instruction;
    if (in.space != ptx::Space::kLocal || (in.kind != Kind::kLoad && in.kind != Kind::kStore)) continue;
    if (!isOfWords(in)) return {};
    (isKnown(graph, operation) ? arrays.known : arrays.unknown).push_back(o);
  }
  arrays.words = (graph.code->functions[0].local_bytes + 3) / 4;
  return arrays;
}

void keepArraysInRegisters(Graph& graph, const LocalArrays& arrays) {
  if (arrays.known.empty() || !mayGrow(graph, arrays) || areFilledByLoops(graph, arrays)) return;
  const auto cost = [&](Operation& operation, uint32_t issues) {
    operation.access = -1;
    operation.reads_memory = operation.writes_memory = false;
    operation.unit = sequenceUnit(*graph.profile, Pipe::kInt, issues, 2);
    operation.unit.on_pipe = static_cast<uint8_t>(arrays.words);  // the others are moves by IMAD
  };
  for (const uint32_t o : arrays.known) cost(graph.operations[o], 0);
  for (const uint32_t o : arrays.unknown) cost(graph.operations[o], 2 * arrays.words);
}

}  // namespace warpscope::sim::lowering
