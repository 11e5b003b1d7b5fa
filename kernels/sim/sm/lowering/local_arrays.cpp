// Small arrays of a thread. ptxas keeps them in registers even where an index is not known: each such access
// compares the index with that of every element, and moves that element under the predicate. Found by
// compiling about 4,000 kernels with ptxas 13.0 for sm_90 (2026-11-25, 27 and 28). An array stays in memory
//   - if something but elements of one size, 32 bits or 16, is accessed, the latter one by one, or nothing
//     with a known index (bytes and doubles always were);
//   - if the code would grow too much (mayGrow): by more than its size, each comparison counting for a little
//     more than one of its instructions, however many words it moves. What is in a loop counts 16 times. An
//     access with a known index counts twice, the rare cases of a division as if they were not a subroutine.
//     The numbers come from kernels that differ in one thing only: how many instructions must be added until
//     ptxas decides otherwise. What can be read from the code about the index does not count, but its stride
//     does: of two rows of eight words an access asks for two words.
//   - if many registers would be taken and few of the instructions access the arrays (areRare);
//   - if an index is computed from a quotient (followFromDivisions), or several loops fill the arrays;
//   - if an address escapes: see escapes.
// Of 618 kernels made by chance, with which nothing was chosen, 18 are decided otherwise than by ptxas; of
// 839 others, with which two of the numbers were, 12. Of 519 kernels of other people's programs (HeCBench,
// those whose PTX has local variables; some were looked at), 16 are, two of them because ptxas spills.
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

// nvcc makes a generic address of one that is chosen (a reference to the smaller of two variables) or
// compared with another. What follows from the address of a local variable escapes if an access reads it that
// might be to other memory, or anything that passes it on.
bool escapes(Graph& graph) {
  std::vector<std::vector<uint32_t>> readers(graph.values.size());
  std::vector<Value> work;
  for (uint32_t o = 0; o < graph.operations.size(); ++o) {
    const Operation& operation = graph.operations[o];
    if (operation.instruction == nullptr || operation.dropped) continue;
    for (const Value v : operation.sources) readers[graph.resolve(v)].push_back(o);
    const Instruction& in = *operation.instruction;
    if (in.kind == Kind::kLocalAddress || (in.op == ptx::Op::kCvta && in.space == ptx::Space::kLocal))
      work.push_back(graph.resolve(operation.destinations[0]));
  }
  std::set<Value> seen;
  while (!work.empty()) {
    const Value v = work.back();
    work.pop_back();
    if (!seen.insert(v).second) continue;
    for (const uint32_t o : readers[v]) {
      const Operation& reader = graph.operations[o];
      const Instruction& in = *reader.instruction;
      const bool accesses = (in.kind == Kind::kLoad || in.kind == Kind::kStore) &&
                            in.space == ptx::Space::kLocal &&
                            std::ranges::none_of(reader.sources.begin() + 1, reader.sources.end(),
                                                 [&](Value s) { return graph.resolve(s) == v; });
      if (accesses) continue;
      if (in.kind != Kind::kRegister) return true;
      if (in.op == ptx::Op::kSub || in.op == ptx::Op::kSetp) continue;  // a difference is no address
      for (const Value made : reader.destinations) work.push_back(graph.resolve(made));
    }
  }
  return false;
}

// A kernel that passes an address on, calls a function that has arrays of its own, or jumps by a table (the
// truth suite's interpreter keeps its stack in memory) is left alone.
bool keepsArrays(Graph& graph) {
  const Code& code = *graph.code;
  if (code.functions.size() != 1 || code.functions[0].local_bytes == 0) return false;
  if (code.functions[0].local_bytes > kMostBytes) return false;
  const bool calls = std::ranges::any_of(graph.operations, [](const Operation& operation) {
    if (operation.instruction == nullptr) return false;
    const Kind kind = operation.instruction->kind;
    return kind == Kind::kCall || kind == Kind::kIndirectCall || kind == Kind::kPrint ||
           kind == Kind::kSetCondition;
  });
  return !calls && !escapes(graph);
}

// How often an operation counts. A loop that is unrolled into copies has a further one, outside, for each of
// the trips that are left.
double weightOf(const Graph& graph, const Operation& operation) {
  constexpr double kWeightOfLoops = 16;
  double weight = 1;
  for (uint32_t l = graph.segments[operation.segment].loop; l != kNone; l = graph.loops[l].parent) {
    const Loop& loop = graph.loops[l];
    weight *= loop.trips > 0 ? loop.trips : kWeightOfLoops * loop.copies + loop.copies - 1;
  }
  return weight;
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

// Whether it makes 64 bits of an integer of 32. ptxas counts such a conversion, though it often costs nothing
// in the end.
bool isWidening(const Instruction& in) {
  return in.op == ptx::Op::kCvt && !ptx::isFloat(in.type) && !ptx::isFloat(in.type2) &&
         ptx::bytesOf(in.type) == 8 && ptx::bytesOf(in.type2) == 4;
}

// The instructions of a division's, reciprocal's or root's rare cases. ptxas makes a subroutine of them only
// after it has decided.
double rareCasesOf(const Instruction& in) {
  if (!in.has_rare_cases) return 0;
  const bool is_double = in.type == ptx::Type::kF64;
  switch (in.op) {
    case ptx::Op::kDiv:
      return is_double ? 48 : in.modifiers.ftz ? 40 : 64;
    case ptx::Op::kRcp:
      return 33.5;  // of 32 bits; not measured of 64
    case ptx::Op::kSqrt:
      return is_double ? 34.5 : 16.5;
    default:
      return 0;
  }
}

// Whether an access adds a constant to an address, which ptxas counts as an instruction, though the access
// does so itself.
bool hasOffset(const Operation& access) {
  const Instruction& in = *access.instruction;
  return access.access >= 0 && (in.kind == Kind::kLoad || in.kind == Kind::kStore) && in.address_bits == 64 &&
         in.immediate != 0 && in.space != ptx::Space::kLocal && in.space != ptx::Space::kParam &&
         in.space != ptx::Space::kConst;
}

// The instructions that ptxas counts for an operation when it decides, times its weight. It makes its last
// instructions after that.
double sizeOf(const Graph& graph, const Operation& operation) {
  constexpr double kCarried = 0.5;  // a value that a loop carries from trip to trip
  double size = operation.dropped ? 0 : double{1} * operation.unit.issues / operation.every;
  if (operation.instruction != nullptr) {
    const Instruction& in = *operation.instruction;
    if (in.kind == Kind::kBranch && operation.guard != kNone && !operation.dropped) size += 1;
    if (isWidening(in)) size = std::max(size, 1.0);
    if (!operation.dropped) size += rareCasesOf(in) + (hasOffset(operation) ? 1 : 0);
  }
  if (graph.segments[operation.segment].depth > 0) {
    size += kCarried * static_cast<double>(std::ranges::count_if(operation.destinations, [&](Value v) {
              return graph.values[graph.resolve(v)].definitions > 1;
            }));
  }
  return size * weightOf(graph, operation);
}

// Whether too few of the instructions access arrays for so many registers to be kept for them. (Straight code
// of up to 4,000 instructions with 2 to 20 accesses, 2026-11-28; the limits jump at 29 and 41 words.)
bool areRare(uint32_t words, double accesses, double size) {
  if (words <= 24) return false;
  if (words <= 28) return size * (words - 20.6) > 3805 * accesses;
  if (words <= 40) return size * (words - 13) > 2135 * accesses;
  return size * (words - 19) > 715 * accesses;
}

// Registers that are taken besides where an index is not known.
uint32_t wordsBesides(const Graph& graph, const LocalArrays& arrays) {
  constexpr uint32_t kOfAccess = 6;  // of the address and what is accessed
  std::vector<std::vector<uint32_t>> by_segment(graph.segments.size());
  for (size_t s = 0; s < by_segment.size(); ++s) {
    std::ranges::copy_if(graph.segments[s].operations, std::back_inserter(by_segment[s]),
                         [&](uint32_t o) { return !graph.operations[o].dropped; });
  }
  const std::vector<LiveValues> live = liveValues(graph, by_segment);
  uint32_t most = 0;
  for (const LocalArrays::Access& access : arrays.unknown) {
    uint32_t words = 0;
    for (const Value v : live[graph.operations[access.operation].segment].in)
      words += registerWords(graph, v);
    most = std::max(most, words);
  }
  return most - std::min(most, kOfAccess);
}

// Whether ptxas lets the code grow so much.
bool mayGrow(const Graph& graph, const LocalArrays& arrays) {
  constexpr double kComparison = 1.0745;  // instructions for each (arrays of 8, 16 and 32 words)
  double size = 0, growth = 0;
  for (const Operation& operation : graph.operations) size += sizeOf(graph, operation);
  for (const uint32_t o : arrays.known) size += weightOf(graph, graph.operations[o]);
  double accesses = 0;
  uint32_t choices = 0;
  for (const uint32_t o : arrays.known) accesses += weightOf(graph, graph.operations[o]);
  for (const LocalArrays::Access& access : arrays.unknown) {
    const double weight = weightOf(graph, graph.operations[access.operation]);
    accesses += weight;
    growth += kComparison * access.elements * weight;
    choices = std::max(choices, access.choices);
  }
  return growth <= size && !areRare(choices + wordsBesides(graph, arrays), accesses, size);
}

// Whether an operation makes a value of itself: adds to it, converts or copies it.
bool makesOfItself(Graph& graph, const Operation& operation, Value v, int depth = 4) {
  if (operation.instruction == nullptr) return false;
  const ptx::Op op = operation.instruction->op;
  if (op != ptx::Op::kAdd && op != ptx::Op::kCvt && op != ptx::Op::kMov) return false;
  return std::ranges::any_of(operation.sources, [&](Value source) {
    if (graph.resolve(source) == v) return true;
    const Operation* maker = depth > 0 ? graph.makerOf(graph.resolve(source)) : nullptr;
    return maker != nullptr && makesOfItself(graph, *maker, v, depth - 1);
  });
}

// Whether a value is carried from trip to trip with a number added: not one that branches choose.
bool isCounted(Graph& graph, Value v) {
  return graph.values[v].definitions > 1 &&
         std::ranges::any_of(graph.operations, [&](const Operation& operation) {
           return operation.destinations.size() == 1 && graph.resolve(operation.destinations[0]) == v &&
                  makesOfItself(graph, operation, v);
         });
}

// Whether branches choose among addresses that are known.
bool isOneOfSeveral(Graph& graph, Value v) {
  return graph.values[v].definitions > 1 &&
         std::ranges::all_of(graph.operations, [&](const Operation& operation) {
           if (operation.destinations.size() != 1 || graph.resolve(operation.destinations[0]) != v)
             return true;
           return operation.instruction != nullptr && operation.instruction->op == ptx::Op::kMov &&
                  isKnownAddress(graph, operation, 0);
         });
}

// Whether an address is a pointer that a loop steps, or is computed from a counter.
bool isStepped(Graph& graph, Value v, int depth = 6) {
  v = graph.resolve(v);
  const Operation* maker = graph.makerOf(v);
  if (maker == nullptr) return isCounted(graph, v) || isOneOfSeveral(graph, v);
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

// Whether a value is computed from a quotient, reciprocal or root that has rare cases, not chosen by one.
bool followsFromDivision(Graph& graph, Value v) {
  constexpr size_t kMostValues = 100;  // that are looked at
  std::vector<Value> work{graph.resolve(v)};
  std::set<Value> seen;
  while (!work.empty() && seen.size() < kMostValues) {
    const Value next = work.back();
    work.pop_back();
    if (!seen.insert(next).second) continue;
    const Operation* maker = graph.makerOf(next);
    if (maker == nullptr || maker->instruction->kind != Kind::kRegister) continue;
    if (maker->instruction->op == ptx::Op::kSelp || maker->instruction->type == ptx::Type::kPred) continue;
    if (rareCasesOf(*maker->instruction) > 0) return true;
    for (const Value source : maker->sources) work.push_back(graph.resolve(source));
  }
  return false;
}

// Arrays stay in memory if an index is computed from a quotient: the reduction of large angles in sinf(x /
// y), but not in sinf(x) / y (16 variants compiled with ptxas 13.0, 2026-11-28).
bool followFromDivisions(Graph& graph, const LocalArrays& arrays) {
  return std::ranges::any_of(arrays.unknown, [&](const LocalArrays::Access& access) {
    return followsFromDivision(graph, graph.operations[access.operation].sources[0]);
  });
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
      // Numbers wrap around, and masks cut them off: only powers of two still divide what is left.
      const uint64_t stride = std::max<uint64_t>(steps.multiple & -steps.multiple, element);
      const uint64_t last = bytes - std::min(bytes, element * width);
      const uint64_t choices = std::min(steps.most, last) / stride + 1, elements = last / stride + 1;
      arrays.unknown.push_back({o, static_cast<uint32_t>(choices), static_cast<uint32_t>(elements), width});
    }
  }
  return arrays;
}

void keepArraysInRegisters(Graph& graph, const LocalArrays& arrays) {
  if (arrays.known.empty() || !mayGrow(graph, arrays) || areFilledByLoops(graph, arrays) ||
      followFromDivisions(graph, arrays))
    return;
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
