#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

// The latencies that ptxas seems to assume for loads, judging by the order that it chooses.
constexpr uint32_t kGlobalLoadCycles = 200;
constexpr uint32_t kSharedLoadCycles = 30;

// The words of registers that are live while a group's operations are put in order.
class LiveWords {
 public:
  LiveWords(const Graph& graph, const std::vector<uint32_t>& list, const LiveValues& of_group)
      : graph_(graph), out_(of_group.out), live_(of_group.in) {
    for (const uint32_t o : list) {
      for (const Value v : graph.operations[o].sources) ++reads_[v];
    }
    for (const Value v : live_) words_ += registerWords(graph, v);
  }

  // How many there are more when the operation has issued.
  int change(uint32_t o) const {
    const Operation& operation = graph_.operations[o];
    int words = 0;
    for (const Value v : operation.destinations) {
      if (!live_.contains(v)) words += static_cast<int>(registerWords(graph_, v));
    }
    for (size_t i = 0; i < operation.sources.size(); ++i) {
      const Value v = operation.sources[i];
      const auto here = std::ranges::count(operation.sources, v);
      const bool first = std::ranges::find(operation.sources, v) - operation.sources.begin() ==
                         static_cast<std::ptrdiff_t>(i);
      if (first && live_.contains(v) && !out_.contains(v) && reads_.at(v) == here)
        words -= static_cast<int>(registerWords(graph_, v));
    }
    return words;
  }

  void issue(uint32_t o) {
    const Operation& operation = graph_.operations[o];
    words_ = static_cast<uint32_t>(static_cast<int>(words_) + change(o));
    for (const Value v : operation.sources) {
      if (--reads_[v] == 0 && !out_.contains(v)) live_.erase(v);
    }
    for (const Value v : operation.destinations) live_.insert(v);
  }

  uint32_t words() const { return words_; }

 private:
  const Graph& graph_;
  const std::unordered_set<Value>& out_;
  std::unordered_set<Value> live_;
  std::unordered_map<Value, std::ptrdiff_t> reads_;
  uint32_t words_ = 0;
};

class Scheduler {
 public:
  Scheduler(Graph& graph, std::vector<uint32_t> list) : graph_(graph), list_(std::move(list)) {
    successors_.resize(list_.size());
    waiting_.resize(list_.size());
    priority_.resize(list_.size());
    ready_at_.resize(list_.size());
  }

  std::vector<uint32_t> run() {
    prepare();
    return order();
  }

  std::vector<uint32_t> runWithin(uint32_t words, const LiveValues& live) {
    prepare();
    return orderWithin(words, live);
  }

 private:
  struct Edge {
    uint32_t to = 0, cycles = 0;
  };

  void prepare() {
    balancePipes();
    findDependences();
    for (size_t i = list_.size(); i-- > 0;) {
      const uint32_t latency = latencyOf(list_[i]);
      priority_[i] = latency;
      for (const Edge& e : successors_[i]) priority_[i] = std::max(priority_[i], e.cycles + priority_[e.to]);
    }
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
    ++waiting_[second];
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
        for (const size_t r : reads[v]) depend(r, i, 1);
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
    for (size_t before = last_end_; before < i; ++before) depend(before, i, 0);
    last_end_ = i;
  }

  // At each step chooses, among the operations that can issue now, the one on the longest path; otherwise the
  // one that can issue first.
  std::vector<uint32_t> order() {
    const auto after = [this](size_t a, size_t b) {
      return priority_[a] != priority_[b] ? priority_[a] < priority_[b] : a > b;
    };
    const auto later = [&](size_t a, size_t b) {
      return ready_at_[a] != ready_at_[b] ? ready_at_[a] > ready_at_[b] : after(a, b);
    };
    std::priority_queue<size_t, std::vector<size_t>, decltype(after)> ready(after);   // can issue now
    std::priority_queue<size_t, std::vector<size_t>, decltype(later)> coming(later);  // wait for nothing else
    for (size_t i = 0; i < list_.size(); ++i) {
      if (waiting_[i] == 0) coming.push(i);
    }
    std::vector<uint32_t> result;
    uint32_t now = 0;
    while (!ready.empty() || !coming.empty()) {
      if (ready.empty()) now = std::max(now, ready_at_[coming.top()]);
      for (; !coming.empty() && ready_at_[coming.top()] <= now; coming.pop()) ready.push(coming.top());
      const size_t i = ready.top();
      ready.pop();
      result.push_back(list_[i]);
      for (const Edge& e : successors_[i]) {
        ready_at_[e.to] = std::max(ready_at_[e.to], now + e.cycles);
        if (--waiting_[e.to] == 0) coming.push(e.to);
      }
      now += at(i).unit.issues;
    }
    return result;
  }

  // The same among those for whose results there is room. If there is room for none, the one that
  // needs the least goes first.
  std::vector<uint32_t> orderWithin(uint32_t most, const LiveValues& of_group) {
    LiveWords live(graph_, list_, of_group);
    std::vector<size_t> open;
    for (size_t i = 0; i < list_.size(); ++i) {
      if (waiting_[i] == 0) open.push_back(i);
    }
    std::vector<uint32_t> result;
    uint32_t now = 0;
    while (!open.empty()) {
      // In this order: that it fits, or else needs little; that it can issue soon; that others wait for it.
      const auto rank = [&](size_t i) {
        const int change = live.change(list_[i]);
        const bool fits = change <= 0 || live.words() + static_cast<uint32_t>(change) <= most;
        return std::tuple(fits ? 0 : change, fits ? std::max(ready_at_[i], now) : 0, ~priority_[i], i);
      };
      const auto best = std::ranges::min_element(open, {}, rank);
      const size_t i = *best;
      open.erase(best);
      now = std::max(now, ready_at_[i]);
      live.issue(list_[i]);
      result.push_back(list_[i]);
      for (const Edge& e : successors_[i]) {
        ready_at_[e.to] = std::max(ready_at_[e.to], now + e.cycles);
        if (--waiting_[e.to] == 0) open.push_back(e.to);
      }
      now += at(i).unit.issues;
    }
    return result;
  }

  Graph& graph_;
  std::vector<uint32_t> list_;
  std::vector<std::vector<Edge>> successors_;
  std::vector<uint32_t> waiting_, priority_, ready_at_;
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
