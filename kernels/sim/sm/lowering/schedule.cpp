#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "kernels/sim/sm/lowering/choices.h"
#include "kernels/sim/sm/lowering/held_registers.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

// The latencies that ptxas seems to assume for loads, judging by the order that it chooses.
constexpr uint32_t kGlobalLoadCycles = 200;
constexpr uint32_t kSharedLoadCycles = 30;
// And the other figures by which it chooses. They, and the order in which operations are chosen, are those
// that come nearest to the SASS of the truth suite's open half when its blocks are put in order from their
// dependences, those through registers included (ptxas 13.0, 2026-11-27): of the pairs of instructions of the
// 898 blocks that are a loop with a load, 1.0 % are then the other way round; 4.6 % if loads do not come
// first.
constexpr uint32_t kAccessHoldsAddressCycles = 8;  // until the registers that it reads can be written
constexpr uint32_t kStoreToEndCycles = 14;
constexpr uint32_t kLoadStoreInterval = 3;

class Scheduler {
 public:
  Scheduler(Graph& graph, std::vector<uint32_t> list) : graph_(graph), list_(std::move(list)) {
    successors_.resize(list_.size());
    waiting_.resize(list_.size());
    priority_.resize(list_.size());
    leads_.resize(list_.size());
    ready_at_.resize(list_.size());
  }

  std::vector<uint32_t> run() {
    return chosen([this] { return order(); });
  }

  std::vector<uint32_t> runWithin(uint32_t words, const LiveValues& live) {
    return chosen([&] { return orderWithin(words, live); });
  }

  std::vector<uint32_t> runShorter(uint32_t words, const LiveValues& live) {
    return chosen([&] {
      std::vector<size_t> within = orderWithin(words, live);
      const uint32_t cycles = cycles_;
      std::vector<size_t> near = orderNear(words, live);
      return cycles_ < cycles ? near : within;
    });
  }

 private:
  struct Edge {
    uint32_t to = 0, cycles = 0;
  };

  // The operations in the order that `choose` finds.
  template <class Choose>
  std::vector<uint32_t> chosen(Choose choose) {
    balancePipes();
    findDependences();
    rank();
    std::vector<size_t> order = choose();
    if (reusePredicate(order)) {
      rank();
      order = choose();
    }
    std::vector<uint32_t> operations;
    operations.reserve(order.size());
    for (const size_t i : order) operations.push_back(list_[i]);
    return operations;
  }

  void rank() {
    std::ranges::fill(ready_at_, 0);
    std::ranges::fill(waiting_, 0);
    busy_until_.fill(0);
    for (const std::vector<Edge>& edges : successors_) {
      for (const Edge& e : edges) ++waiting_[e.to];
    }
    for (size_t i = list_.size(); i-- > 0;) {
      const uint32_t latency = latencyOf(list_[i]);
      priority_[i] = latency;
      leads_[i] = isFarLoad(list_[i]);
      for (const Edge& e : successors_[i]) {
        priority_[i] = std::max(priority_[i], e.cycles + priority_[e.to]);
        leads_[i] = leads_[i] || leads_[e.to];
      }
    }
  }

  // ptxas has the comparison that a loop's branch waits for in the predicate register with the lowest number,
  // though others were in it before: then it comes behind what reads those (of 463 loops of one basic block
  // of the truth suite's open half that compare something else too, 399 reuse a register; ptxas 13.0,
  // 2026-11-27). Finds that in an order that does without, and returns whether there is something to come
  // after.
  bool reusePredicate(const std::vector<size_t>& order) {
    const size_t comparison = comparisonOfBranchBack();
    if (comparison == list_.size()) return false;
    std::unordered_map<Value, uint32_t> reads;
    for (const size_t i : order) {
      for (const Value v : at(i).sources) ++reads[v];
    }
    PredicateRegisters registers;
    for (const size_t i : order) {
      if (i == comparison) continue;
      for (const Value v : at(i).sources) registers.read(v, i);
      for (const Value v : at(i).destinations) {
        if (graph_.values[v].kind == ValueKind::kPredicate) registers.write(v, reads[v]);
      }
    }
    const std::vector<size_t> readers = registers.readersOfFirstFree();
    if (std::ranges::any_of(readers, [&](size_t i) { return i > comparison; })) return false;
    for (const size_t reader : readers) depend(reader, comparison, 1);
    return !readers.empty();
  }

  // The index of what makes the predicate of the branch that ends the list, if that goes back to where the
  // list begins, and nothing else waits for the predicate. The number of operations: none.
  size_t comparisonOfBranchBack() const {
    if (list_.empty()) return 0;
    const Operation& last = graph_.operations[list_.back()];
    const bool back =
        last.transfer == Transfer::kBranch && last.guard != kNone && last.instruction != nullptr &&
        last.instruction->target == graph_.code->segments[graph_.segments[last.segment].group_first].first;
    if (!back) return list_.size();
    for (size_t i = list_.size() - 1; i-- > 0;) {
      if (std::ranges::find(graph_.operations[list_[i]].destinations, last.guard) ==
          graph_.operations[list_[i]].destinations.end())
        continue;
      const bool alone = std::ranges::all_of(
          successors_[i], [&](const Edge& e) { return graph_.operations[list_[e.to]].ends_segment; });
      return alone ? i : list_.size();
    }
    return list_.size();
  }

  // Whether it loads from global or local memory, or a constant whose address is known.
  bool isFarLoad(uint32_t o) const {
    const Operation& operation = graph_.operations[o];
    const Pipe pipe = operation.unit.pipe;
    if (operation.instruction == nullptr && operation.sources.empty())
      return pipe == Pipe::kUniform || (pipe == Pipe::kLoadStore && operation.access < 0);
    return operation.access >= 0 && operation.reads_memory && !operation.writes_memory &&
           !ptx::isShared(operation.instruction->space) && operation.instruction->space != ptx::Space::kConst;
  }

  uint32_t intervalOf(const Operation& operation) const {
    if (operation.unit.pipe == Pipe::kLoadStore) return kLoadStoreInterval;
    const double interval =
        graph_.profile->pipes[static_cast<size_t>(operation.unit.pipe)].issue_interval_cycles;
    return static_cast<uint32_t>(std::ceil(interval));
  }

  Operation& at(size_t i) { return graph_.operations[list_[i]]; }

  uint32_t latencyOf(uint32_t o) const {
    const Operation& operation = graph_.operations[o];
    if (operation.unit.latency_cycles != 0 || operation.instruction == nullptr)
      return operation.unit.latency_cycles;
    return ptx::isShared(operation.instruction->space) ? kSharedLoadCycles : kGlobalLoadCycles;
  }

  // Assigns adds and moves to the ALU or, as IMAD, to the FMA pipe.
  void balancePipes() {
    const auto interval = [&](Pipe pipe) {
      return graph_.profile->pipes[static_cast<size_t>(pipe)].issue_interval_cycles;
    };
    double busy_int = 0, busy_fma = 0;
    for (const uint32_t o : list_) {
      const Unit& unit = graph_.operations[o].unit;
      if (graph_.operations[o].balanced) continue;
      if (unit.pipe == Pipe::kInt) busy_int += interval(Pipe::kInt) * unit.issues;
      if (unit.pipe == Pipe::kFp32) busy_fma += interval(Pipe::kFp32) * unit.issues;
      if (unit.pipe == Pipe::kIntMultiply)
        busy_fma +=
            interval(unit.pipe) * unit.pipe_eighths / 8 * (unit.on_pipe == 0 ? unit.issues : unit.on_pipe);
    }
    for (const uint32_t o : list_) {
      Unit& unit = graph_.operations[o].unit;
      if (!graph_.operations[o].balanced) continue;
      const bool to_int = busy_int + interval(Pipe::kInt) * unit.issues <=
                          busy_fma + interval(Pipe::kIntMultiply) * unit.issues;
      unit.pipe = to_int ? Pipe::kInt : Pipe::kIntMultiply;
      (to_int ? busy_int : busy_fma) += interval(unit.pipe) * unit.issues;
    }
  }

  void depend(size_t first, size_t second, uint32_t cycles) {
    if (first == second) return;
    successors_[first].push_back({static_cast<uint32_t>(second), cycles});
  }

  void findDependences() {
    std::unordered_map<Value, size_t> last_write;
    std::unordered_map<Value, std::vector<size_t>> reads;
    std::vector<size_t> memory_reads, memory_writes, shuffles;  // since the last operation that is pinned
    size_t last_pinned = list_.size();
    for (size_t i = 0; i < list_.size(); ++i) {
      const Operation& operation = at(i);
      for (const Value v : operation.sources) {
        if (const auto w = last_write.find(v); w != last_write.end()) {
          const uint32_t early = readsEarly(graph_, operation, v) ? earlyCycles(at(w->second).unit) : 0;
          depend(w->second, i, latencyOf(list_[w->second]) - early);
        }
        reads[v].push_back(i);
      }
      for (const Value v : operation.destinations) {
        if (const auto w = last_write.find(v); w != last_write.end()) depend(w->second, i, 1);
        for (const size_t r : reads[v]) depend(r, i, at(r).access >= 0 ? kAccessHoldsAddressCycles : 1);
        reads[v].clear();
        last_write[v] = i;
      }
      orderMemory(i, memory_reads, memory_writes);
      if (operation.pinned && operation.access < 0) {
        if (last_pinned < list_.size()) depend(last_pinned, i, 1);
        if (isShuffle(operation)) {
          shuffles.push_back(i);
        } else {
          for (const size_t s : std::exchange(shuffles, {})) depend(s, i, 1);
          last_pinned = i;
        }
      }
      orderEnds(i);
    }
  }

  // Shuffles have no order among themselves: ptxas 13.0 mixes chains of them (reflected_panels and
  // depthwise_weight_gradient of the truth suite).
  static bool isShuffle(const Operation& operation) {
    return operation.instruction != nullptr && operation.instruction->op == Op::kShfl;
  }

  static bool mayTouchSame(const Operation& a, const Operation& b) {
    const ptx::Space x = a.instruction->space, y = b.instruction->space;
    return x == y || x == ptx::Space::kGeneric || y == ptx::Space::kGeneric;
  }

  // Whatever may touch the same memory as `earlier` may touch the same as `later`, too.
  static bool standsFor(const Operation& later, const Operation& earlier) {
    const ptx::Space space = later.instruction->space;
    return space == ptx::Space::kGeneric || space == earlier.instruction->space;
  }

  // Reads come after the writes before them, writes after all that is before them. What a write comes after
  // itself need not be kept: what follows comes after the write. So the lists stay short.
  void orderMemory(size_t i, std::vector<size_t>& reads, std::vector<size_t>& writes) {
    const Operation& operation = at(i);
    if (operation.access < 0) return;
    const bool cached_only = operation.instruction->modifiers.cache == ptx::CacheOp::kNc;
    for (const size_t w : writes) {
      if (!cached_only && mayTouchSame(at(w), operation)) depend(w, i, 1);
    }
    if (operation.writes_memory) {
      for (const size_t r : reads) {
        if (mayTouchSame(at(r), operation)) depend(r, i, 1);
      }
      const auto covered = [&](size_t earlier) { return standsFor(operation, at(earlier)); };
      std::erase_if(reads, covered);
      if (!cached_only) std::erase_if(writes, covered);
      writes.push_back(i);
    } else if (!cached_only) {
      reads.push_back(i);
    }
  }

  // Divisions and roots that are rounded correctly have a branch for operands that need more work. ptxas
  // moves nothing across it.
  bool branches(size_t i) {
    const Operation& operation = at(i);
    if (operation.unit.holds_cycles > 0) return true;
    if (operation.instruction == nullptr || operation.unit.issues < 2) return false;
    const Instruction& in = *operation.instruction;
    if (in.op != Op::kDiv && in.op != Op::kRcp && in.op != Op::kSqrt && in.op != Op::kRsqrt &&
        in.op != Op::kRem)
      return false;
    if (!ptx::isFloat(in.type)) return ptx::bytesOf(in.type) == 8;
    return in.type == ptx::Type::kF64 || !(in.modifiers.approx || in.modifiers.full);
  }

  // A BSYNC comes before everything else, and an operation that ends a segment after everything before it:
  // what is before another such operation, that one comes after already. One that branches within does both.
  void orderEnds(size_t i) {
    if (sync_ < i) depend(sync_, i, 1);
    const bool within = branches(i);
    if (at(i).transfer == Transfer::kSync || within) sync_ = i;
    if (!at(i).ends_segment && !within) return;
    for (size_t before = last_end_; before < i; ++before)
      depend(before, i, at(before).writes_memory ? kStoreToEndCycles : 0);
    last_end_ = i;
  }

  // ptxas puts all that loads from global or local memory, and constants at known addresses, need before
  // everything else, even where it waits for an operand or for another load. The rest is left for the time in
  // which the warp waits for the loads: a counter's step and its comparison are behind the loads of the trip
  // (SASS of the truth suite's open half, ptxas 13.0, 2026-11-27). Otherwise at each step the operation on
  // the longest path is chosen among those that can issue, and if there is none, the one that can issue
  // first.
  std::vector<size_t> order() { return orderReaching(list_.size()); }

  std::vector<size_t> orderReaching(size_t reach) {
    Choices leading, others;
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> beyond;
    std::vector<bool> issued(list_.size());
    size_t first = 0;  // that has not issued
    const auto open = [&](size_t i) {
      if (i >= first + reach) return beyond.push(i);
      (leads_[i] ? leading : others).add({i, ready_at_[i], priority_[i], at(i).unit.pipe});
    };
    for (size_t i = 0; i < list_.size(); ++i) {
      if (waiting_[i] == 0) open(i);
    }
    std::vector<size_t> result;
    uint32_t now = 0;
    while (!leading.empty() || !others.empty()) {
      const size_t i = (leading.empty() ? others : leading).take(now, busy_until_).index;
      result.push_back(i);
      issued[i] = true;
      for (const size_t next : issue(i, now)) open(next);
      while (first < list_.size() && issued[first]) ++first;
      for (; !beyond.empty() && beyond.top() < first + reach; beyond.pop()) open(beyond.top());
    }
    return result;
  }

  // It issues at `now`, which becomes when the next one can. Returns those that waited for it alone.
  std::vector<size_t> issue(size_t i, uint32_t& now) {
    const Operation& operation = at(i);
    std::vector<size_t> opened;
    for (const Edge& e : successors_[i]) {
      ready_at_[e.to] = std::max(ready_at_[e.to], now + e.cycles);
      if (--waiting_[e.to] == 0) opened.push_back(e.to);
    }
    now += operation.unit.issues;
    cycles_ = now;
    busy_until_[static_cast<size_t>(operation.unit.pipe)] = now - 1 + intervalOf(operation);
    return opened;
  }

  // The same, but an operation waits until those that come `reach` operations before it have issued: the
  // largest `reach` with which no more than `words` registers are live at a time.
  std::vector<size_t> orderNear(uint32_t words, const LiveValues& of_group) {
    size_t least = 1, most = list_.size();
    std::vector<size_t> best;
    uint32_t cycles = 0;
    while (least <= most) {
      const size_t reach = (least + most + 1) / 2;
      rank();
      std::vector<size_t> order = orderReaching(reach);
      const bool fits = mostLive(order, of_group) <= words;
      if (fits || best.empty()) {
        best = std::move(order);
        cycles = cycles_;
      }
      if (fits) {
        least = reach + 1;
      } else {
        most = reach - 1;
      }
    }
    cycles_ = cycles;
    return best;
  }

  uint32_t mostLive(const std::vector<size_t>& order, const LiveValues& of_group) const {
    LiveWords live(graph_, list_, of_group);
    uint32_t most = live.words();
    for (const size_t i : order) {
      live.issue(list_[i]);
      most = std::max(most, live.words());
    }
    return most;
  }

  // The same among those for whose results there is room. If there is room for none, the one that
  // needs the least goes first.
  std::vector<size_t> orderWithin(uint32_t most, const LiveValues& of_group) {
    LiveWords live(graph_, list_, of_group);
    std::vector<size_t> open;
    for (size_t i = 0; i < list_.size(); ++i) {
      if (waiting_[i] == 0) open.push_back(i);
    }
    std::vector<size_t> result;
    uint32_t now = 0;
    while (!open.empty()) {
      // In this order: that it fits, or else needs little; that a load waits for it; that it can issue soon;
      // that others wait for it.
      const auto claim = [&](size_t i) {
        const int change = live.change(list_[i]);
        const bool fits = change <= 0 || live.words() + static_cast<uint32_t>(change) <= most;
        const uint32_t busy = busy_until_[static_cast<size_t>(at(i).unit.pipe)];
        const uint32_t begin = std::max({ready_at_[i], busy, now});
        return std::tuple(fits ? 0 : change, fits && leads_[i] ? 0 : 1, fits ? begin : 0, ~priority_[i], i);
      };
      const auto best = std::ranges::min_element(open, {}, claim);
      const size_t i = *best;
      open.erase(best);
      now = std::max({now, ready_at_[i], busy_until_[static_cast<size_t>(at(i).unit.pipe)]});
      live.issue(list_[i]);
      result.push_back(i);
      std::ranges::copy(issue(i, now), std::back_inserter(open));
    }
    return result;
  }

  Graph& graph_;
  std::vector<uint32_t> list_;
  std::vector<std::vector<Edge>> successors_;
  std::vector<uint32_t> waiting_, priority_, ready_at_;
  std::vector<bool> leads_;  // it is a load from other than shared memory, or one waits for it
  std::array<uint32_t, kPipeCount> busy_until_{};
  uint32_t cycles_ = 0;     // that the order made last takes
  size_t sync_ = SIZE_MAX;  // the group's BSYNC, or what branched last
  size_t last_end_ = 0;     // the last operation that ended a segment
};

}  // namespace

std::vector<uint32_t> scheduleGroup(Graph& graph, uint32_t head) {
  return Scheduler(graph, sourceOrder(graph, head)).run();
}

std::vector<uint32_t> scheduleWithin(Graph& graph, std::vector<uint32_t> list, uint32_t words,
                                     const LiveValues& live) {
  return Scheduler(graph, std::move(list)).runWithin(words, live);
}

std::vector<uint32_t> scheduleShorter(Graph& graph, std::vector<uint32_t> list, uint32_t words,
                                      const LiveValues& live) {
  return Scheduler(graph, std::move(list)).runShorter(words, live);
}

std::vector<uint32_t> sourceOrder(const Graph& graph, uint32_t head) {
  std::vector<uint32_t> order;
  for (uint32_t s = head; s < head + graph.segments[head].group_count; ++s) {
    for (const uint32_t o : graph.segments[s].operations) {
      if (!graph.operations[o].dropped && graph.operations[o].unit.issues > 0) order.push_back(o);
    }
  }
  return order;
}

}  // namespace warpscope::sim::lowering
