#include <algorithm>
#include <map>
#include <set>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

// Puts an operation at the end of a segment, before the one that must be last.
void append(Graph& graph, uint32_t segment, uint32_t operation) {
  std::vector<uint32_t>& list = graph.segments[segment].operations;
  auto at = list.end();
  while (at != list.begin() && graph.operations[*(at - 1)].ends_segment) --at;
  list.insert(at, operation);
  graph.operations[operation].segment = segment;
  graph.operations[operation].pc = std::min(graph.operations[operation].pc, lastPc(graph, segment));
}

// Whether each trip of the loop passes the segment.
bool isOnEachTrip(const Graph& graph, uint32_t segment, const Loop& loop) {
  return std::ranges::all_of(graph.segments[loop.header].predecessors, [&](uint32_t p) {
    return !graph.dominates(loop.header, p) || graph.dominates(segment, p);
  });
}

class Hoister {
 public:
  explicit Hoister(Graph& graph) : graph_(graph), makers_(graph.values.size()) {
    for (uint32_t o = 0; o < graph.operations.size(); ++o) {
      for (const Value v : graph.operations[o].destinations) makers_[v].push_back(o);
    }
  }

  void hoist() {
    for (size_t i = graph_.loops.size(); i-- > 0;) {
      const Loop& loop = graph_.loops[i];
      if (loop.preheader == kNone) continue;
      for (const uint32_t s : loop.segments) {
        if (s == loop.header || isOnEachTrip(graph_, s, loop)) hoistFrom(s, static_cast<uint32_t>(i));
      }
    }
  }

 private:
  // Of segments but the first, only what is not from PTX, and comparisons: there, a compiler has moved the
  // rest already, but leaves comparisons at their branches.
  void hoistFrom(uint32_t segment, uint32_t index) {
    const Loop& loop = graph_.loops[index];
    const std::vector<uint32_t> list = graph_.segments[segment].operations;
    for (const uint32_t o : list) {
      const Operation& operation = graph_.operations[o];
      const bool compares = operation.instruction != nullptr && operation.instruction->op == Op::kSetp;
      if (segment != loop.header && !operation.pure && !compares) continue;
      if (operation.pure && !isOneBlock(graph_, index) &&
          (segment != loop.header || hasSubroutine(graph_, index)))
        continue;
      if (!isInvariant(graph_.operations[o], index)) continue;
      std::erase(graph_.segments[segment].operations, o);
      graph_.operations[o].pc = lastPc(graph_, loop.preheader);
      append(graph_, loop.preheader, o);
    }
  }

  bool isInvariant(const Operation& operation, uint32_t loop) const {
    if (operation.dropped || operation.pinned || operation.access >= 0 || operation.guard != kNone)
      return false;
    if (!operation.pure &&
        (operation.instruction == nullptr || operation.instruction->kind != Kind::kRegister))
      return false;
    const bool only = std::all_of(operation.destinations.begin(), operation.destinations.end(),
                                  [&](Value v) { return graph_.values[v].definitions == 1; });
    return only && std::none_of(operation.sources.begin(), operation.sources.end(), [&](Value v) {
             return std::any_of(makers_[v].begin(), makers_[v].end(), [&](uint32_t o) {
               return !graph_.operations[o].dropped && graph_.inLoop(graph_.operations[o].segment, loop);
             });
           });
  }

  Graph& graph_;
  std::vector<std::vector<uint32_t>> makers_;
};

// Where constants are loaded, as ptxas 13.0 has it (all loops of the truth suite's open part and of 175
// kernels of other people's programs, sm_90): a loop that contains others loads what its own blocks need
// again in each trip; an innermost loop finds it loaded before, but for pointers if it is long, for they
// would keep two registers of each thread. A double that is no immediate is made in each trip.
class Materializer {
 public:
  explicit Materializer(Graph& graph)
      : graph_(graph), uses_(countUses(graph)), has_inner_(graph.loops.size()), sizes_(graph.loops.size()) {
    for (uint32_t i = 0; i < graph.loops.size(); ++i) {
      if (graph.loops[i].parent != kNone) has_inner_[graph.loops[i].parent] = true;
      sizes_[i] = sizeOf(graph.loops[i]);
    }
    countDoubles();
    for (const Operation& operation : graph.operations) {
      if (operation.dropped) continue;
      for (const Value v : operation.sources) users_[v].insert(graph.segments[operation.segment].group_first);
    }
  }

  void run() {
    addPrologue();
    // So that what dominators load can be reused.
    for (const uint32_t s : dominatorsFirst(graph_)) {
      const std::vector<uint32_t> list = graph_.segments[s].operations;
      for (const uint32_t o : list) {
        if (!graph_.operations[o].dropped) provide(s, o);
      }
    }
  }

 private:
  // In instructions, with all copies of a loop that is unrolled.
  uint32_t sizeOf(const Loop& loop) const {
    uint32_t copies = 1, once = 0, each = 0;
    for (const uint32_t s : loop.segments) {
      for (const uint32_t o : graph_.segments[s].operations) {
        const Operation& operation = graph_.operations[o];
        if (operation.dropped) continue;
        copies = std::max(copies, operation.every);
        (operation.every > 1 ? once : each) += operation.unit.issues;
      }
    }
    return once + each * copies;
  }

  // A double that is no immediate stays in its two registers for the other blocks of a trip, unless there are
  // too many of them (stripped_defaults keeps 15, slices_of_density does not keep its 30).
  static constexpr size_t kMostDoubles = 20;

  const Unit kUniformLoad() const {
    return {Pipe::kUniform, 1,
            static_cast<uint16_t>(graph_.profile->pipes[static_cast<size_t>(Pipe::kUniform)].latency_cycles)};
  }

  // A pointer to which a scaled index is added is loaded into registers: that LDC goes the way of memory
  // instructions; ULDC, for all else, does not (SASS of the truth suite's open half, ptxas 13.0). Warps that
  // begin with one or two LDC wait 40 cycles longer for short scoreboards than others on an H100
  // (580.159.04, 2026-11-24), what the LDC of other warps keeps them waiting included.
  Unit loadOf(const ValueInfo& constant, const Operation& user) const {
    if (constant.words != 2 ||
        ((user.unit.pipe != Pipe::kIntMultiply || user.unit.issues > 1) && user.access < 0))
      return kUniformLoad();
    constexpr uint16_t kLatency = 30;
    return {Pipe::kLoadStore, 1, kLatency};
  }

  static bool needsDescriptor(ptx::Space space) {
    return space == ptx::Space::kGlobal || space == ptx::Space::kGeneric;
  }

  // Adds the stack pointer, which is always loaded, and the descriptor of global memory, loaded where it is
  // first needed.
  void addPrologue() {
    if (graph_.code->instructions.empty()) return;
    const uint32_t entry = graph_.code->segment_of[graph_.code->functions[0].entry];
    place(entry, entry, graph_.addValue(ValueKind::kRegister), kUniformLoad());
    uint32_t dominator = kNone;
    for (const Operation& operation : graph_.operations) {
      if (operation.dropped || operation.access < 0 || !needsDescriptor(operation.instruction->space))
        continue;
      const uint32_t s = operation.segment;
      if (graph_.segments[s].order == kNone || graph_.segments[s].function != 0) continue;
      dominator = dominator == kNone ? s : graph_.commonDominator(dominator, s);
    }
    while (dominator != kNone && graph_.segments[dominator].loop != kNone)
      dominator = graph_.loops[graph_.segments[dominator].loop].preheader;
    if (dominator == kNone) return;
    const Value descriptor = graph_.addValue(ValueKind::kConstantBank, 2);
    place(dominator, dominator, descriptor, kUniformLoad());
  }

  // Two parameters of one aligned pair of words that the same block needs are loaded at once (LDC.64: so 62
  // pairs of the kernels above, 31 are not).
  bool joinsNeighbour(uint32_t segment, Value v) {
    constexpr uint64_t kParameters = 0x10000;
    const ValueInfo& value = graph_.values[v];
    if (value.words != 1 || value.bits >= kParameters || value.bits % 4 != 0) return false;
    const uint32_t head = graph_.segments[segment].group_first;
    const auto neighbour = loads_.find({head, value.bits ^ 4U});
    if (neighbour == loads_.end()) return false;
    graph_.operations[neighbour->second].destinations.push_back(v);
    placed_[v].push_back(segment);
    return true;
  }

  // The first segment of the group that is passed as often: a loop that is unrolled in full, so that no
  // branch is left, and what follows it are one group.
  uint32_t firstPassedWith(uint32_t segment) const {
    uint32_t first = segment;
    while (first > graph_.segments[segment].group_first &&
           graph_.segments[first - 1].loop == graph_.segments[segment].loop)
      --first;
    return first;
  }

  // Adds an operation that produces `v` at the beginning of `segment`'s group (or of the segment itself).
  void place(uint32_t segment, uint32_t user_pc_of, Value v, Unit unit) {
    const uint32_t head = firstPassedWith(segment);
    Operation operation;
    operation.pc = graph_.code->segments[user_pc_of].first;
    operation.segment = head;
    operation.unit = unit;
    operation.destinations = {v};
    const uint32_t index = graph_.addOperation(std::move(operation));
    const ValueInfo& value = graph_.values[v];
    if (value.kind == ValueKind::kConstantBank && value.words == 1)
      loads_[{graph_.segments[segment].group_first, value.bits}] = index;
    std::vector<uint32_t>& list = graph_.segments[head].operations;
    const bool sync = !list.empty() && graph_.operations[list[0]].transfer == Transfer::kSync;
    list.insert(list.begin() + (sync ? 1 : 0), index);
    placed_[v].push_back(segment);
  }

  bool isProvided(uint32_t segment, Value v) const {
    const auto at = placed_.find(v);
    if (at == placed_.end()) return false;
    // What a predicated segment computes is known to its group, but not after it.
    const uint32_t head = graph_.segments[segment].group_first;
    const bool is_address = graph_.values[v].kind == ValueKind::kSharedAddress;
    return std::any_of(at->second.begin(), at->second.end(), [&](uint32_t s) {
      return graph_.segments[s].group_first == head ||
             (graph_.dominates(s, head) && (is_address || isKept(s, segment, v)));
    });
  }

  // Whether a value that `from` loads is still in its register where `to` needs it.
  bool isKept(uint32_t from, uint32_t to, Value v) const {
    const uint32_t inner = graph_.segments[to].loop, outer = graph_.segments[from].loop;
    if (isDouble(v)) return inner == outer && inner != kNone && doubles_[inner].size() <= kMostDoubles;
    if (inner == outer || inner == kNone) return true;
    return !has_inner_[inner] && (graph_.loops[inner].parent == outer || graph_.inLoop(from, inner));
  }

  // By loop: the doubles that its own blocks need in registers.
  void countDoubles() {
    doubles_.resize(graph_.loops.size());
    for (const Operation& operation : graph_.operations) {
      if (operation.dropped || operation.instruction == nullptr ||
          operation.instruction->type != ptx::Type::kF64)
        continue;
      const uint32_t loop = graph_.segments[operation.segment].loop;
      for (const Value v : operation.sources) {
        constexpr uint64_t kLower = 0xFFFFFFFF;
        if (loop != kNone && isDouble(v) && (graph_.values[v].bits & kLower) != 0) doubles_[loop].insert(v);
      }
    }
  }

  bool isDouble(Value v) const {
    return graph_.values[v].kind == ValueKind::kConstant && graph_.values[v].words == 2;
  }

  // The segment before an innermost loop; where `segment` is in no such loop, `segment` itself.
  uint32_t beforeLoop(uint32_t segment) const {
    const uint32_t loop = graph_.segments[segment].loop;
    if (loop == kNone || has_inner_[loop] || graph_.loops[loop].preheader == kNone) return segment;
    return graph_.loops[loop].preheader;
  }

  // Whether several blocks of the loop need the value.
  bool isNeededOften(Value v, uint32_t loop) const {
    return std::ranges::count_if(users_.at(v), [&](uint32_t s) { return graph_.inLoop(s, loop); }) > 1;
  }

  uint32_t placeOf(uint32_t segment, Value v, const Unit& load) const {
    constexpr uint32_t kLong = 30;
    const uint32_t loop = graph_.segments[segment].loop;
    const bool stays = load.pipe == Pipe::kLoadStore && loop != kNone && sizes_[loop] >= kLong;
    return stays && !isNeededOften(v, loop) ? segment : beforeLoop(segment);
  }

  uint32_t beforeLoopsPassing(uint32_t segment, bool uniform) const {
    while (graph_.segments[segment].loop != kNone) {
      const uint32_t index = graph_.segments[segment].loop;
      const Loop& loop = graph_.loops[index];
      if (uniform && hasSubroutine(graph_, index)) break;
      if (loop.preheader == kNone || !isOnEachTrip(graph_, segment, loop)) break;
      segment = loop.preheader;
    }
    return segment;
  }

  void provide(uint32_t segment, uint32_t index) {
    const std::vector<Value> sources = graph_.operations[index].sources;
    uint32_t immediates = 0;
    for (size_t i = 0; i < sources.size(); ++i) {
      const ValueInfo info = graph_.values[sources[i]];
      if (info.kind == ValueKind::kConstantBank) {
        const Unit load = loadOf(info, graph_.operations[index]);
        if (isProvided(segment, sources[i])) continue;
        const uint32_t at = placeOf(segment, sources[i], load);
        if (!joinsNeighbour(at, sources[i])) place(at, segment, sources[i], load);
      } else if (info.kind == ValueKind::kSharedAddress) {
        provideSharedAddress(segment, sources[i], kNone, addsUnderPredicate(segment, index),
                             graph_.operations[index].access >= 0);
      } else if (info.kind == ValueKind::kConstant &&
                 needsRegister(graph_.operations[index], i, immediates)) {
        provideImmediate(segment, index, i);
      }
    }
    const Operation& operation = graph_.operations[index];
    if (operation.access >= 0 && operation.instruction->space == ptx::Space::kShared &&
        (operation.instruction->address_bits == 0 || graph_.isConstant(operation.sources[0])))
      provideSharedAddress(segment, graph_.intern(ValueKind::kSharedAddress, 0, 1), index);
  }

  // Since sm_90 the window of the block's shared memory is computed (SR_CgaCtaId, a constant and a LEA), not
  // again where it is known already, and before a loop if it is needed on each trip: what is needed under a
  // condition is computed there.
  // An access adds it from a uniform register, which no subroutine keeps (caesar_shifts).
  void provideSharedAddress(uint32_t segment, Value v, uint32_t reader = kNone, bool adds = false,
                            bool uniform = true) {
    if (graph_.profile->limits.compute_capability.major < 9) return;
    if (reader != kNone) graph_.operations[reader].sources.push_back(v);
    if (isProvided(segment, v)) return;
    // The constant and S2R are known where another variable's address is: UIADD3 and ULEA remain.
    const bool window = std::ranges::any_of(placed_, [&](const auto& placed) {
      return graph_.values[placed.first].kind == ValueKind::kSharedAddress &&
             isProvided(segment, placed.first);
    });
    Unit unit = kUniformLoad();
    unit.issues = static_cast<uint8_t>((window ? 2 : 3) + (adds ? 1 : 0));
    unit.latency_cycles =
        static_cast<uint16_t>(unit.latency_cycles + graph_.profile->special_register_latency_cycles);
    place(beforeLoopsPassing(segment, uniform), segment, v, unit);
  }

  // An access can add a uniform register to its address by itself, but the result of an operation under a
  // predicate is never in a uniform register, so that the sum takes an instruction.
  bool addsUnderPredicate(uint32_t segment, uint32_t index) const {
    const Operation& operation = graph_.operations[index];
    return graph_.segments[segment].predicated && operation.access >= 0 && operation.sources.size() > 1 &&
           std::any_of(operation.sources.begin(), operation.sources.begin() + 2,
                       [&](Value v) { return graph_.values[v].kind == ValueKind::kRegister; });
  }

  const ValueInfo& info(const Operation& operation, size_t source) const {
    return graph_.values[operation.sources[source]];
  }

  // Most instructions hold one immediate; zero is always available as a register.
  bool needsRegister(const Operation& operation, size_t source, uint32_t& immediates) const {
    if (operation.instruction == nullptr) return false;
    const Instruction& in = *operation.instruction;
    const uint64_t bits = graph_.values[operation.sources[source]].bits;
    switch (in.kind) {
      case Kind::kStore:
        return source > 0 && (bits != 0 || in.vector > 1);
      case Kind::kAtomic:
      case Kind::kReduction:
        return source > 0 && operation.unit.issues == 1 && !counts(operation);
      case Kind::kWarpRegister:
        return source == 0;
      case Kind::kRegister:
        break;
      default:
        return false;
    }
    if (in.op == Op::kMov || in.op == Op::kDiv || in.op == Op::kRem) return false;
    if (in.op == Op::kDp4a || in.op == Op::kDp2a) return bits != 0;
    // Of a double, an instruction holds only the upper word.
    if (in.type == ptx::Type::kF64 && info(operation, source).words == 2 && (bits & 0xFFFFFFFFU) != 0)
      return true;
    if (in.op == Op::kShl || in.op == Op::kShr) return source == 0 && bits != 0;
    if (bits == 0) return false;
    return immediates++ > 0 &&
           (in.op == Op::kFma || in.op == Op::kSelp || in.op == Op::kMad || in.op == Op::kAdd);
  }

  // ATOMS.POPC.INC adds 1 for each lane.
  bool counts(const Operation& operation) const {
    const Instruction& in = *operation.instruction;
    return in.space == ptx::Space::kShared && in.modifiers.atom_op == ptx::AtomOp::kAdd &&
           graph_.isConstant(operation.sources.back(), 1) &&
           std::ranges::none_of(operation.destinations, [&](Value v) { return uses_[v] > 0; });
  }

  void provideImmediate(uint32_t segment, uint32_t index, size_t source) {
    const Value constant = graph_.operations[index].sources[source];
    if (!isProvided(segment, constant)) {
      const bool is_double = graph_.operations[index].instruction->type == ptx::Type::kF64;
      Unit unit = is_double ? kUniformLoad() : chainUnit(*graph_.profile, Pipe::kInt, 1);  // UMOV or MOV
      unit.issues = graph_.values[constant].words == 2 && graph_.values[constant].bits != 0 ? 2 : 1;
      place(is_double ? segment : beforeLoop(segment), segment, constant, unit);
      graph_.operations.back().balanced = !is_double;
    }
  }

  Graph& graph_;
  std::vector<uint32_t> uses_;
  std::map<Value, std::set<uint32_t>> users_;  // the heads of the groups that need it
  std::vector<bool> has_inner_;                // by loop
  std::vector<uint32_t> sizes_;
  std::vector<std::set<Value>> doubles_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> loads_;  // by group and which constant: the operation
  std::map<Value, std::vector<uint32_t>> placed_;            // where a value is produced
};

}  // namespace

void hoistInvariants(Graph& graph) {
  Hoister(graph).hoist();
}

void materializeConstants(Graph& graph) {
  Materializer(graph).run();
}

}  // namespace warpscope::sim::lowering
