// Small arrays of a thread. ptxas keeps them in registers even where an index is not known: each such access
// compares the index with that of every element that it can be, and moves that element under the predicate.
// Found by compiling about 1,300 kernels with ptxas 13.0 for sm_90 (2026-11-25 and 27). An array stays in
// memory
//   - if something but elements of one size, 32 bits or 16, is accessed, the latter one by one, or nothing
//     with a known index (bytes and doubles always were);
//   - if the code would grow too much: by 1.9 times of what it is, and 35 instructions. Code in loops counts
//     ten times. What is known of the index counts, too: of two rows of eight words an access asks for two
//     words.
// Of 220 kernels made by chance, with which these limits were chosen, 24 are decided otherwise than by ptxas,
// of 210 others 35; of 130 in other programs (the truth suite's open part, HeCBench) 6.
// Several arrays are one: ptxas compares with the elements of all.
#include <algorithm>
#include <set>
#include <vector>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/index_steps.h"
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

// Whether elements of so many bytes, so many of them at once, can be registers.
bool mayBeInRegisters(uint32_t bytes, uint32_t width) {
  return bytes == 4 || (bytes == 2 && width == 1);
}

// How many elements an access moves at once.
uint64_t widthOf(const Operation& access) {
  return std::max<uint64_t>(access.instruction->vector, 1);
}

// The instructions that compare an index with that of each element that it can be, and move that element.
uint32_t comparisonsOf(const LocalArrays::Access& access) {
  return access.choices * (1 + access.width);
}

// Whether ptxas lets the code grow so much. The access itself goes.
bool mayGrow(const Graph& graph, const LocalArrays& arrays) {
  constexpr uint64_t kFree = 35;
  uint64_t size = 0, growth = 0;
  for (const Operation& operation : graph.operations) {
    if (!operation.dropped) size += operation.unit.issues * weightOf(graph, operation);
  }
  for (const LocalArrays::Access& access : arrays.unknown)
    growth += (comparisonsOf(access) - 1) * weightOf(graph, graph.operations[access.operation]);
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
  for (const LocalArrays::Access& access : arrays.unknown) {
    const Operation& operation = graph.operations[access.operation];
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
  const uint32_t bytes = graph.code->functions[0].local_bytes;
  uint32_t element = 0;  // its bytes
  for (uint32_t o = 0; o < graph.operations.size(); ++o) {
    const Operation& operation = graph.operations[o];
    if (operation.instruction == nullptr || operation.access < 0) continue;
    const Instruction& in = *operation.instruction;
    if (in.space != ptx::Space::kLocal || (in.kind != Kind::kLoad && in.kind != Kind::kStore)) continue;
    if (element == 0) element = ptx::bytesOf(in.type);
    const auto width = static_cast<uint32_t>(widthOf(operation));
    if (ptx::bytesOf(in.type) != element || !mayBeInRegisters(element, width)) return {};
    const Steps steps = in.address_bits == 0 ? Steps{.most = 0} : indexSteps(graph, operation);
    if (steps.most == 0) {
      arrays.known.push_back(o);
    } else {
      const uint64_t most = std::min<uint64_t>(steps.most, bytes - std::min(bytes, element * width));
      const uint64_t choices = most / std::max<uint64_t>(steps.multiple, element) + 1;
      arrays.unknown.push_back({o, static_cast<uint32_t>(choices), width});
    }
  }
  return arrays;
}

void keepArraysInRegisters(Graph& graph, const LocalArrays& arrays) {
  if (arrays.known.empty() || !mayGrow(graph, arrays) || areFilledByLoops(graph, arrays)) return;
  const auto cost = [&](Operation& operation, uint32_t issues, uint32_t comparisons) {
    constexpr uint32_t kMost = 255;  // a unit holds no more
    operation.access = -1;
    operation.reads_memory = operation.writes_memory = false;
    operation.unit = sequenceUnit(*graph.profile, Pipe::kInt, std::min(issues, kMost), 2);
    operation.unit.on_pipe = static_cast<uint8_t>(std::min(comparisons, kMost));  // the others are IMAD
  };
  for (const uint32_t o : arrays.known) cost(graph.operations[o], 0, 0);
  for (const LocalArrays::Access& access : arrays.unknown)
    cost(graph.operations[access.operation], comparisonsOf(access), access.choices);
}

}  // namespace warpscope::sim::lowering
