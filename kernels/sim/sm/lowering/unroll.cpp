// Loops that ptxas unrolls, though the text does not: nvcc's text says .pragma "nounroll" only where nvcc has
// unrolled already. Found by compiling loops with ptxas 13.0 for sm_90 (2026-11-24), and seen in the truth
// suite:
//   - a loop whose number of trips is known is unrolled in full, also with further exits, up to some size
//     (isUnrolledInFull); a larger one, if it is one short block, so that about 330 instructions result;
//   - a loop with one exit, which counts in constant steps to a limit that does not change, and compares
//     what it has counted to, is unrolled four times, if it is short (18 FFMA are, 20 are not; with loads, 35
//     machine instructions a trip are) and contains no inner loop, shuffle, atomic, or branch with a barrier
//     (of 166 such loops of the truth suite's open part and of other people's programs, 10 are not as said
//     here, mostly of 32 to 46 instructions);
//   - a loop that ends with a branch on the count and one further condition is unrolled in full, one on the
//     count and two further conditions is not (nonce_search of the truth suite and 8 variants of it,
//     2026-11-27), nor is one on the count before its step and a further condition (subset_of_rank), or
//     one that leaves if one of two holds (9 loops of both kinds, 2026-11-27); nor is one that counts before
//     its trip and has a further exit in it (separating_axes and 5 variants, 2026-11-27);
//   - a loop that compares neither what it has counted to nor that before its step, but another number at a
//     constant distance from them, is not (k + 3 < n and k += 2; sixteen_in_registers, and 6 loops compiled
//     with ptxas 13.0, 2026-11-27);
//   - a loop with a call is not, which the rare cases of divisions and roots are.
// What counts is then constant in each copy; and the branch, the comparison and steps of addresses (which
// become offsets) are needed once for all copies.
#include <algorithm>
#include <optional>
#include <set>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

constexpr uint32_t kMostPartial = 330, kMostOfPart = 40;
constexpr uint32_t kMostCounted = 22, kMostCountedWithLoads = 35;
constexpr uint32_t kCopiesOfCounted = 4;
// Of a loop that is unrolled four times: what is left over is done separately, two trips and one. Where lanes
// leave it after different numbers of trips they meet twice, and what is left over for some lanes takes up to
// three trips more than the warp's longest lane needs, a third of one on average (cholesky32, csr_scalar,
// expand_runs of the truth suite: executions of each instruction on an H100, 580.159.04, 2026-11-26).
uint32_t setUpOf(uint32_t trip_size, bool agreed) {
  return agreed ? 10 : 16 + trip_size / 3;
}

// Whether ptxas unrolls a loop in full: the more instructions a trip has besides the comparison and the
// branch, the fewer it makes of all. (Loops of 2 to 80 FFMA in a function of some 40 instructions, compiled
// with ptxas 13.0, 2026-11-27: up to 3,069 instructions of trips of 3, 2,595 of 5, 1,939 of 7, 1,157 of 13,
// 836 of 19, 555 of 37, 366 of 61, 324 of 81; a further condition or exit counts as two. In a function of
// nothing else small trips go further: 3,636 of 6, 2,024 of 11. Loads of bytes count twice. Of the loops of
// the truth suite's open part that come near these limits two do not agree: product_registers' 440 of 55 and
// gram_lower's 312 of 78 are not unrolled in full. Loops of several exits go further, to 1,216 of 152 in
// prefix_decoder, but not to 2,272 of 142 in resting_drops; so does one that leaves in the middle of a trip,
// 14 trips of 60 in overlapping_mates.)
bool isUnrolledInFull(uint64_t trips, uint32_t size, bool goes_further) {
  constexpr double kLeast = 225, kOfShort = 13500, kMost = 3500, kMostWithExits = 4200;
  const double trip = std::max(size, 3U) - 2;
  const double most = std::min(kLeast + kOfShort / trip, kMost);
  return static_cast<double>(trips) * trip <= (goes_further ? std::max(most, kMostWithExits) : most);
}

bool isPredicateLogic(const Instruction& in) {
  return in.type == ptx::Type::kPred && (in.op == Op::kAnd || in.op == Op::kOr);
}

class Unroller {
 public:
  Unroller(Graph& graph, const std::vector<uint32_t>& trip_sizes)
      : graph_(graph), trip_sizes_(trip_sizes), makers_(graph.values.size()), readers_(graph.values.size()) {
    for (uint32_t o = 0; o < graph.operations.size(); ++o) {
      const Operation& operation = graph.operations[o];
      if (operation.dropped) continue;
      for (const Value v : operation.destinations) makers_[graph.resolve(v)].push_back(o);
      for (const Value v : operation.sources) readers_[graph.resolve(v)].push_back(o);
    }
    for (const uint32_t pc : graph.code->not_unrolled) {
      if (pc < graph.code->segment_of.size()) kept_.insert(graph.code->segment_of[pc]);
    }
  }

  void unroll() {
    sizes_.resize(graph_.loops.size());
    in_full_.resize(graph_.loops.size());
    inner_.resize(graph_.loops.size());
    for (uint32_t i = 0; i < graph_.loops.size(); ++i) {
      if (graph_.loops[i].parent != kNone) inner_[graph_.loops[i].parent].push_back(i);
    }
    for (size_t i = graph_.loops.size(); i-- > 0;) consider(static_cast<uint32_t>(i));
  }

 private:
  // What ends a loop after some number of trips.
  struct Count {
    uint32_t branch = kNone, compare = kNone;  // operations
    Value counter = kNone;
    int64_t step = 0;
    std::optional<uint64_t> trips;
    bool alone = true;     // the branch depends on nothing else
    bool stepped = false;  // before it is compared
  };
  struct Shape {
    uint32_t size = 0, exits = 0, latch = kNone;
    uint32_t subwords = 0;  // loads of bytes and shorts
    bool loads = false, barrier = false;
    bool together = false;  // contains a call or what lanes do together
    bool inner = false, inner_in_full = true;
  };

  void consider(uint32_t index) {
    const Loop& loop = graph_.loops[index];
    const Shape shape = shapeOf(index);
    sizes_[index] = shape.size;
    if (shape.latch == kNone || kept_.contains(loop.header) || loop.preheader == kNone) return;
    const Count count = countOf(index);
    if (count.branch == kNone) return;
    if (count.trips && shape.inner_in_full && !shape.together) {
      if (!count.alone && !continuesOnBoth(index, count)) return;
      if (shape.exits > 1 && !endsTrip(graph_.operations[count.branch].segment, shape.latch)) return;
      const bool leaves = leavesInTheMiddle(index, count, shape.latch);
      const bool goes_further = shape.exits > 1 || (leaves && loop.segments.size() == 2);
      if (isUnrolledInFull(*count.trips, shape.size + shape.subwords, goes_further)) {
        sizes_[index] = static_cast<uint32_t>(*count.trips) * shape.size;
        in_full_[index] = true;
        // A loop of several blocks that leaves in the middle is rather not unrolled (convolve_channels,
        // taps_that_moved), and its trips know no more than their counter.
        unrollInFull(index, count, !leaves || loop.segments.size() <= 2);
      } else if (loop.segments.size() == 1 && count.alone && shape.size <= kMostOfPart) {
        unrollPartly(index, count, std::min(kMostPartial / shape.size, 64U));
      }
      return;
    }
    const bool single =
        shape.exits == 1 && count.alone && graph_.operations[count.branch].segment == shape.latch;
    if (!single || shape.inner || shape.together || (shape.barrier && loop.segments.size() > 3)) return;
    if (!count.stepped || trip_sizes_[index] > (shape.loads ? kMostCountedWithLoads : kMostCounted)) return;
    unrollPartly(index, count, kCopiesOfCounted);
    const bool agreed = graph_.values[graph_.resolve(graph_.operations[count.branch].guard)].agreed;
    setUp(loop.preheader, setUpOf(trip_sizes_[index], agreed));
  }

  // Whether a branch on two conditions is one that ptxas takes for the end of a loop: it goes back if the
  // count after its step and the other both hold. Not what leaves the loop if one does not, or has to be
  // negated.
  bool continuesOnBoth(uint32_t index, const Count& count) const {
    const Instruction& branch = *graph_.operations[count.branch].instruction;
    const Operation* logic = onlyMaker(graph_.resolve(graph_.operations[count.branch].guard));
    return count.stepped && logic != nullptr && logic->instruction->op == Op::kAnd && !branch.guard_negated &&
           graph_.code->segment_of[branch.target] == graph_.loops[index].header;
  }

  // Whether nothing but a jump back can come after a segment of a loop.
  bool endsTrip(uint32_t segment, uint32_t latch) const {
    const bool only_jumps = graph_.code->segments[latch].count == 1;
    return segment == latch || (only_jumps && graph_.segments[latch].predecessors == std::vector{segment});
  }

  // Whether the branch on the count leaves the loop before a trip ends.
  bool leavesInTheMiddle(uint32_t index, const Count& count, uint32_t latch) const {
    const uint32_t segment = graph_.operations[count.branch].segment;
    const bool leaves = std::ranges::any_of(graph_.segments[segment].successors,
                                            [&](uint32_t n) { return !graph_.inLoop(n, index); });
    return leaves && !endsTrip(segment, latch);
  }

  Shape shapeOf(uint32_t index) const {
    const Loop& loop = graph_.loops[index];
    Shape shape;
    for (const uint32_t inner : inner_[index]) {
      shape.inner = true;
      shape.inner_in_full = shape.inner_in_full && in_full_[inner];
      shape.size += sizes_[inner];
    }
    uint32_t latches = 0;
    for (const uint32_t s : loop.segments) {
      for (const uint32_t next : graph_.segments[s].successors) {
        if (!graph_.inLoop(next, index)) ++shape.exits;
        if (next != loop.header) continue;
        shape.latch = s;
        ++latches;
      }
      const bool own = graph_.segments[s].loop == index;
      for (const uint32_t o : graph_.segments[s].operations) {
        const Operation& operation = graph_.operations[o];
        if (operation.dropped || operation.instruction == nullptr) continue;
        const Kind kind = operation.instruction->kind;
        if (own) shape.size += operation.unit.issues > 4 ? operation.unit.issues : 1U;
        if (own && kind == Kind::kLoad && ptx::bytesOf(operation.instruction->type) < 4) ++shape.subwords;
        // LDC is none that ptxas has to wait for long (a loop of 25 instructions with four is not unrolled).
        shape.loads |= kind == Kind::kLoad && operation.instruction->space != ptx::Space::kConst;
        shape.barrier |= kind == Kind::kBarrier || kind == Kind::kClusterBarrier;
        shape.together |= kind == Kind::kWarpRegister || kind == Kind::kCall || kind == Kind::kIndirectCall ||
                          kind == Kind::kWarpBarrier || kind == Kind::kIndirectBranch ||
                          kind == Kind::kPrint || kind == Kind::kSetCondition || kind == Kind::kAtomic ||
                          kind == Kind::kReduction || callsSubroutine(*operation.instruction);
      }
    }
    if (latches != 1) shape.latch = kNone;
    return shape;
  }

  // The branch that leaves the loop, or does not continue it, when a counter has reached its limit.
  Count countOf(uint32_t index) const {
    for (const uint32_t s : graph_.loops[index].segments) {
      const SegmentInfo& segment = graph_.segments[s];
      if (segment.loop != index || segment.successors.size() < 2 || segment.operations.empty()) continue;
      const bool leaves =
          std::ranges::any_of(segment.successors, [&](uint32_t n) { return !graph_.inLoop(n, index); });
      const Operation& branch = graph_.operations[lastPc(graph_, s)];
      if (!leaves || branch.dropped || branch.guard == kNone) continue;
      Count count = countIn(index, graph_.resolve(branch.guard), true);
      if (count.compare == kNone) continue;
      count.branch = lastPc(graph_, s);
      return count;
    }
    return {};
  }

  Count countIn(uint32_t index, Value condition, bool alone) const {
    const Operation* maker = onlyMaker(condition);
    if (maker == nullptr || !graph_.inLoop(maker->segment, index)) return {};
    const Instruction& in = *maker->instruction;
    if (isPredicateLogic(in)) {
      if (!alone || combinesCombined(*maker)) return {};
      for (const Value v : maker->sources) {
        Count count = countIn(index, graph_.resolve(v), false);
        if (count.compare != kNone) return count;
      }
      return {};
    }
    if (in.op != Op::kSetp || ptx::isFloat(in.type) || maker->sources.size() != 2) return {};
    for (size_t i = 0; i < 2; ++i) {
      const Value limit = graph_.resolve(maker->sources[1 - i]);
      if (!isInvariant(limit, index)) continue;
      int64_t offset = 0;
      Count count = counterAt(index, graph_.resolve(maker->sources[i]), offset);
      if (count.counter == kNone) continue;
      count.compare = makers_[condition][0];
      const bool in_place = std::ranges::any_of(makers_[count.counter], [&](uint32_t o) {
        return isBefore(o, count.compare) && graph_.inLoop(graph_.operations[o].segment, index);
      });
      if (offset != 0 && offset != count.step) return {};
      count.stepped = offset != 0 || in_place;
      count.alone = alone && readers_[condition].size() == 1;
      count.trips = tripsOf(index, count, limit);
      return count;
    }
    return {};
  }

  // Whether an operation comes before another one, as the passes before have ordered them.
  bool isBefore(uint32_t a, uint32_t b) const {
    const Operation &first = graph_.operations[a], &second = graph_.operations[b];
    if (first.segment != second.segment) return a < b;
    const std::vector<uint32_t>& list = graph_.segments[first.segment].operations;
    return std::ranges::find(list, a) < std::ranges::find(list, b);
  }

  // Whether a predicate is made of one that is itself made of two: a, b, and the count.
  bool combinesCombined(const Operation& logic) const {
    return std::ranges::any_of(logic.sources, [&](Value v) {
      const Operation* maker = onlyMaker(graph_.resolve(v));
      return maker != nullptr && isPredicateLogic(*maker->instruction);
    });
  }

  const Operation* onlyMaker(Value v) const {
    if (makers_[v].size() != 1) return nullptr;
    const Operation& maker = graph_.operations[makers_[v][0]];
    return maker.instruction != nullptr && maker.guard == kNone ? &maker : nullptr;
  }

  bool isInvariant(Value v, uint32_t index) const {
    return std::ranges::none_of(
        makers_[v], [&](uint32_t o) { return graph_.inLoop(graph_.operations[o].segment, index); });
  }

  // Follows copies and constant steps within the loop back to the value that is carried around it.
  Count counterAt(uint32_t index, Value v, int64_t& offset) const {
    const Value carried = follow(index, v, offset);
    if (carried == kNone) return {};
    Count count;
    for (const uint32_t o : makers_[carried]) {
      if (!graph_.inLoop(graph_.operations[o].segment, index)) continue;
      int64_t step = 0;
      if (!isOnEachTrip(index, graph_.operations[o].segment)) return {};
      if (!stepOf(index, graph_.operations[o], step, carried)) return {};
      count.step = step;
    }
    if (count.step == 0) return {};
    count.counter = carried;
    return count;
  }

  // Whether a segment is passed before the loop goes back: what counts under a condition counts no trips.
  bool isOnEachTrip(uint32_t index, uint32_t segment) const {
    const std::vector<uint32_t>& before = graph_.segments[graph_.loops[index].header].predecessors;
    return std::ranges::all_of(
        before, [&](uint32_t p) { return !graph_.inLoop(p, index) || graph_.dominates(segment, p); });
  }

  Value follow(uint32_t index, Value v, int64_t& offset) const {
    for (int depth = 0; depth < 4; ++depth) {
      const auto inside = std::ranges::count_if(
          makers_[v], [&](uint32_t o) { return graph_.inLoop(graph_.operations[o].segment, index); });
      if (inside == 1 && makers_[v].size() >= 2) return v;
      const Operation* maker = onlyMaker(v);
      if (maker == nullptr || inside == 0) return kNone;
      const Value before = steppedFrom(*maker, offset);
      if (before == kNone) return kNone;
      v = before;
    }
    return kNone;
  }

  // The value that a copy copies or that a constant is added to.
  Value steppedFrom(const Operation& operation, int64_t& offset) const {
    const Instruction& in = *operation.instruction;
    if (in.kind != Kind::kRegister || operation.guard != kNone) return kNone;
    if (in.op == Op::kMov && operation.sources.size() == 1) return graph_.resolve(operation.sources[0]);
    if ((in.op != Op::kAdd && in.op != Op::kSub) || ptx::isFloat(in.type) || operation.sources.size() != 2)
      return kNone;
    for (size_t i = 0; i < 2; ++i) {
      const Value constant = graph_.resolve(operation.sources[1 - i]);
      if (!graph_.isConstant(constant) || (in.op == Op::kSub && i == 1)) continue;
      const uint64_t bits = graph_.values[constant].bits;
      const int64_t by = ptx::bytesOf(in.type) == 8 ? static_cast<int64_t>(bits) : static_cast<int32_t>(bits);
      offset += in.op == Op::kSub ? -by : by;
      return graph_.resolve(operation.sources[i]);
    }
    return kNone;
  }

  bool stepOf(uint32_t index, const Operation& operation, int64_t& step, Value carried) const {
    const Value before = operation.instruction == nullptr ? kNone : steppedFrom(operation, step);
    if (before == kNone) return false;
    return before == carried || follow(index, before, step) == carried;
  }

  std::optional<uint64_t> tripsOf(uint32_t index, const Count& count, Value limit) const {
    if (!graph_.isConstant(limit)) return {};
    std::optional<uint64_t> trips;  // the same wherever the loop is entered from
    for (const uint32_t o : makers_[count.counter]) {
      const Operation& begin = graph_.operations[o];
      if (graph_.inLoop(begin.segment, index)) continue;
      if (begin.instruction == nullptr || begin.instruction->op != Op::kMov || begin.sources.size() != 1)
        return {};
      const Value first = graph_.resolve(begin.sources[0]);
      if (!graph_.isConstant(first)) return {};
      const auto number = [&](Value v) { return int64_t{static_cast<int32_t>(graph_.values[v].bits)}; };
      const int64_t distance = std::abs(number(limit) - number(first)), step = std::abs(count.step);
      const auto from_here = static_cast<uint64_t>(std::max<int64_t>((distance + step - 1) / step, 1));
      if (trips && *trips != from_here) return {};
      trips = from_here;
    }
    return trips;
  }

  void unrollInFull(uint32_t index, const Count& count, bool knows_others) {
    graph_.loops[index].unrolled = true;
    graph_.loops[index].trips = static_cast<uint32_t>(*count.trips);
    const std::vector<Value> others =
        knows_others ? otherCounters(index, count.counter) : std::vector<Value>{};
    makeConstant(index, count.counter);
    for (const Value v : others) makeConstant(index, v);
    Operation& compare = graph_.operations[count.compare];
    Operation& branch = graph_.operations[count.branch];
    if (count.alone) {
      compare.dropped = branch.dropped = true;
      graph_.predicated_branch[branch.pc] = true;  // none is left to diverge
    } else {
      dropCondition(compare);
    }
    if (*count.trips > 1) stepAtOnce(index, count.compare, static_cast<uint32_t>(*count.trips));
    dropCarriedCopies(index);
  }

  // Of "a and b", one of which is known in each copy, the other remains.
  void dropCondition(Operation& compare) {
    const Value known = graph_.resolve(compare.destinations[0]);
    if (readers_[known].size() != 1) return;
    Operation& logic = graph_.operations[readers_[known][0]];
    if (logic.instruction == nullptr || !isPredicateLogic(*logic.instruction) || logic.sources.size() != 2)
      return;
    const Value other = graph_.resolve(logic.sources[graph_.resolve(logic.sources[0]) == known ? 1 : 0]);
    const Value result = graph_.resolve(logic.destinations[0]);
    if (other == result || graph_.values[result].definitions != 1 || graph_.values[other].definitions != 1)
      return;
    compare.dropped = logic.dropped = true;
    graph_.values[result].alias = other;
  }

  // Further values that begin with constants and that each trip computes from what it knows: they, too, are
  // known in each copy.
  std::vector<Value> otherCounters(uint32_t index, Value counter) {
    std::vector<Value> found;
    for (Value v = 0; v < makers_.size(); ++v) {
      if (v != counter && graph_.resolve(v) == v && beginsKnown(index, v)) found.push_back(v);
    }
    for (bool changed = !found.empty(); changed;) {
      const std::set<Value> known = followsFrom(index, counter, found);
      changed = std::erase_if(found, [&](Value v) { return !isSteppedFrom(index, v, known); }) > 0;
    }
    return found;
  }

  bool beginsKnown(uint32_t index, Value v) const {
    if (graph_.values[v].kind != ValueKind::kRegister || makers_[v].size() < 2) return false;
    bool carried = false;
    for (const uint32_t o : makers_[v]) {
      const Operation& maker = graph_.operations[o];
      if (maker.instruction == nullptr || maker.guard != kNone ||
          maker.instruction->kind != Kind::kRegister || ptx::isFloat(maker.instruction->type))
        return false;
      if (graph_.inLoop(maker.segment, index)) {
        carried = true;
        if (!isOnEachTrip(index, maker.segment)) return false;
      } else if (maker.instruction->op != Op::kMov || maker.sources.size() != 1 ||
                 !graph_.isConstant(graph_.resolve(maker.sources[0]))) {
        return false;
      }
    }
    return carried;
  }

  // The values that are known if these are.
  std::set<Value> followsFrom(uint32_t index, Value counter, const std::vector<Value>& others) {
    const std::set<Value> before = known_;
    std::vector<Value> work(others);
    work.push_back(counter);
    while (!work.empty()) {
      const Value v = work.back();
      work.pop_back();
      if (!known_.insert(v).second) continue;
      for (const uint32_t o : readers_[v]) {
        const Operation& reader = graph_.operations[o];
        if (!reader.dropped && becomesConstant(reader, index))
          work.push_back(graph_.resolve(reader.destinations[0]));
      }
    }
    std::set<Value> known = before;
    std::swap(known, known_);
    return known;
  }

  bool isSteppedFrom(uint32_t index, Value v, const std::set<Value>& known) const {
    return std::ranges::all_of(makers_[v], [&](uint32_t o) {
      const Operation& maker = graph_.operations[o];
      return !graph_.inLoop(maker.segment, index) || std::ranges::all_of(maker.sources, [&](Value s) {
        return graph_.isConstant(graph_.resolve(s)) || known.contains(graph_.resolve(s));
      });
    });
  }

  // What is computed from the counter and constants alone is a constant in each copy. What is read after the
  // loop has to be moved to a register in each copy, after which the loop may end.
  void makeConstant(uint32_t index, Value counter) {
    constexpr uint64_t kAnyNumber = 13;  // nor is it aligned
    std::vector<Value> work{counter};
    while (!work.empty()) {
      const Value v = work.back();
      work.pop_back();
      if (isKnown(v)) continue;
      known_.insert(v);
      const bool after = std::ranges::any_of(
          readers_[v], [&](uint32_t o) { return !graph_.inLoop(graph_.operations[o].segment, index); });
      for (const uint32_t o : makers_[v]) {
        if (!after || !graph_.inLoop(graph_.operations[o].segment, index))
          graph_.operations[o].dropped = true;
      }
      if (!after) {
        graph_.values[v].kind = ValueKind::kConstant;
        graph_.values[v].bits = kAnyNumber;
      }
      for (const uint32_t o : readers_[v]) {
        const Operation& reader = graph_.operations[o];
        if (!reader.dropped && becomesConstant(reader, index))
          work.push_back(graph_.resolve(reader.destinations[0]));
      }
    }
  }

  bool becomesConstant(const Operation& operation, uint32_t index) const {
    if (operation.instruction == nullptr || operation.instruction->kind != Kind::kRegister ||
        operation.pinned || operation.guard != kNone || operation.destinations.size() != 1)
      return false;
    const Instruction& in = *operation.instruction;
    const Value to = graph_.resolve(operation.destinations[0]);
    const bool computes = !ptx::isFloat(in.type) || (in.op == Op::kCvt && in.type == ptx::Type::kF32);
    if (!computes || in.type == ptx::Type::kPred || in.op == Op::kSetp || makers_[to].size() != 1 ||
        !graph_.inLoop(operation.segment, index))
      return false;
    return std::ranges::all_of(operation.sources, [&](Value v) { return isKnown(graph_.resolve(v)); });
  }

  bool isKnown(Value v) const { return graph_.isConstant(v) || known_.contains(v); }

  void unrollPartly(uint32_t index, const Count& count, uint32_t copies) {
    graph_.loops[index].copies = copies;
    graph_.loops[index].unrolled = true;
    graph_.operations[count.branch].every = copies;
    if (readers_[graph_.resolve(graph_.operations[count.compare].destinations[0])].size() == 1)
      graph_.operations[count.compare].every = copies;
    stepAtOnce(index, count.compare, copies);
    dropCarriedCopies(index);
  }

  // Steps of addresses become offsets.
  void stepAtOnce(uint32_t index, uint32_t compare, uint32_t copies) {
    for (const uint32_t s : graph_.loops[index].segments) {
      for (const uint32_t o : graph_.segments[s].operations) {
        Operation& operation = graph_.operations[o];
        if (operation.dropped || operation.destinations.size() != 1 || operation.instruction == nullptr)
          continue;
        std::vector<uint32_t> sums;
        if (!isStepOfAddress(o, index, compare, sums)) continue;
        operation.every = copies;
        for (const uint32_t sum : sums) graph_.operations[sum].every = copies;
      }
    }
  }

  // A value that grows by a constant, and is only compared, or an address, or added to what does not change
  // to make one: these sums have constant distances, too.
  bool isStepOfAddress(uint32_t step_of, uint32_t index, uint32_t compare,
                       std::vector<uint32_t>& sums) const {
    const Operation& operation = graph_.operations[step_of];
    const Value v = graph_.resolve(operation.destinations[0]);
    int64_t step = 0;
    const auto inside = std::ranges::count_if(
        makers_[v], [&](uint32_t o) { return graph_.inLoop(graph_.operations[o].segment, index); });
    if (inside != 1 || makers_[v].size() < 2 || steppedFrom(operation, step) != v || step == 0) return false;
    return std::ranges::all_of(readers_[v], [&](uint32_t o) {
      return o == step_of || o == compare || isAddress(o, v, index) || isSumForAddress(o, v, index, sums);
    });
  }

  // Whether an operation reads the value as its address, if at all in the loop.
  bool isAddress(uint32_t reader, Value v, uint32_t index) const {
    const Operation& operation = graph_.operations[reader];
    if (operation.dropped || !graph_.inLoop(operation.segment, index)) return true;
    return operation.access >= 0 && !operation.sources.empty() && graph_.resolve(operation.sources[0]) == v &&
           std::ranges::count(operation.sources, v) == 1;
  }

  bool isSumForAddress(uint32_t reader, Value v, uint32_t index, std::vector<uint32_t>& sums) const {
    const Operation& sum = graph_.operations[reader];
    if (sum.instruction == nullptr || sum.instruction->op != Op::kAdd ||
        ptx::isFloat(sum.instruction->type) || sum.guard != kNone || sum.sources.size() != 2 ||
        sum.destinations.size() != 1)
      return false;
    const Value to = graph_.resolve(sum.destinations[0]);
    const bool invariant = std::ranges::all_of(sum.sources, [&](Value source) {
      return graph_.resolve(source) == v || isInvariant(graph_.resolve(source), index);
    });
    if (!invariant || makers_[to].size() != 1) return false;
    if (!std::ranges::all_of(readers_[to], [&](uint32_t o) { return isAddress(o, to, index); })) return false;
    sums.push_back(reader);
    return true;
  }

  // Copies of what the next trip reads only give it another name.
  void dropCarriedCopies(uint32_t index) {
    for (const uint32_t s : graph_.loops[index].segments) {
      if (graph_.segments[s].loop != index) continue;
      for (const uint32_t o : graph_.segments[s].operations) {
        Operation& copy = graph_.operations[o];
        if (copy.dropped || copy.guard != kNone || copy.instruction == nullptr ||
            copy.instruction->op != Op::kMov || copy.sources.size() != 1 || copy.destinations.size() != 1)
          continue;
        const Value from = graph_.resolve(copy.sources[0]), to = graph_.resolve(copy.destinations[0]);
        const Operation* maker = onlyMaker(from);
        if (from == to || maker == nullptr || maker->dropped || makers_[to].size() < 2 ||
            !graph_.inLoop(maker->segment, index))
          continue;
        copy.dropped = true;
        graph_.values[from].alias = to;
        std::erase(makers_[to], o);
        makers_[to].insert(makers_[to].end(), makers_[from].begin(), makers_[from].end());
        readers_[to].insert(readers_[to].end(), readers_[from].begin(), readers_[from].end());
      }
    }
  }

  void setUp(uint32_t preheader, uint32_t issues) {
    Operation operation;
    operation.pc = lastPc(graph_, preheader);
    operation.segment = preheader;
    operation.unit = sequenceUnit(*graph_.profile, Pipe::kInt, issues, 1);
    operation.pinned = true;
    const uint32_t made = graph_.addOperation(std::move(operation));
    std::vector<uint32_t>& list = graph_.segments[preheader].operations;
    auto at = list.end();
    while (at != list.begin() && graph_.operations[*(at - 1)].ends_segment) --at;
    list.insert(at, made);
  }

  Graph& graph_;
  const std::vector<uint32_t>& trip_sizes_;
  std::vector<std::vector<uint32_t>> makers_, readers_;  // by value: operations
  std::set<uint32_t> kept_;                              // headers of loops that must not be unrolled
  std::vector<uint32_t> sizes_;                          // by loop: instructions, as unrolled so far
  std::vector<bool> in_full_;
  std::vector<std::vector<uint32_t>> inner_;
  std::set<Value> known_;  // in each copy of the loop around it
};

// By loop: the machine instructions of a trip if it were not unrolled.
std::vector<uint32_t> tripSizes(Graph graph) {
  widenLoads(graph);
  foldPairs(graph);
  std::vector<uint32_t> sizes(graph.loops.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (const uint32_t s : graph.loops[i].segments) {
      for (const uint32_t o : graph.segments[s].operations) {
        if (!graph.operations[o].dropped) sizes[i] += graph.operations[o].unit.issues;
      }
    }
  }
  return sizes;
}

}  // namespace

void unrollLoops(Graph& graph) {
  if (graph.loops.empty()) return;
  const std::vector<uint32_t> trip_sizes = tripSizes(graph);
  Unroller(graph, trip_sizes).unroll();
  for (Operation& operation : graph.operations) {
    for (Value& v : operation.sources) v = graph.resolve(v);
    for (Value& v : operation.destinations) v = graph.resolve(v);
    if (operation.guard != kNone) operation.guard = graph.resolve(operation.guard);
  }
}

}  // namespace warpscope::sim::lowering
