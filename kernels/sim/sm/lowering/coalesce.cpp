// Copies between registers that never need to hold different values at the same time, which ptxas makes one
// register: two values interfere if one of them is written while the other one is still to be read, other
// than by the copy itself (Chaitin et al., Register Allocation via Coloring, 1981). Copies of inner loops are
// looked at first.
#include <algorithm>
#include <bit>
#include <set>
#include <unordered_map>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

constexpr uint64_t kMostWords = uint64_t{1} << 20;  // of all segments' live values: 8 MiB

// A set of candidates.
class Bits {
 public:
  explicit Bits(uint32_t size = 0) : words_((size + 63) / 64) {}
  bool operator==(const Bits&) const = default;
  void set(uint32_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  bool has(uint32_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void clear(uint32_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
  void add(const Bits& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  template <class Visit>
  void each(Visit visit) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        visit(static_cast<uint32_t>(64 * w) + static_cast<uint32_t>(std::countr_zero(rest)));
    }
  }

 private:
  std::vector<uint64_t> words_;
};

class Coalescer {
 public:
  explicit Coalescer(Graph& graph) : graph_(graph) {}

  void coalesce() {
    joinCopies();
    joinHalves();
    for (Operation& operation : graph_.operations) {
      for (Value& v : operation.sources) v = graph_.resolve(v);
      for (Value& v : operation.destinations) v = graph_.resolve(v);
      if (operation.guard != kNone) operation.guard = graph_.resolve(operation.guard);
    }
  }

 private:
  void joinCopies() {
    findCopies();
    for (const uint32_t o : copies_) stepLast(o);
    if (copies_.empty() || uint64_t{candidates()} / 64 * graph_.segments.size() > kMostWords) return;
    findLive();
    interferes_.resize(candidates());
    for (uint32_t s = 0; s < graph_.segments.size(); ++s) {
      if (graph_.segments[s].order != kNone) findInterference(s);
    }
    for (const uint32_t o : copies_) join(graph_.operations[o]);
  }

  // A variable is counted up in its own register if all that reads it comes before: the next value of a copy
  // is computed behind what reads the last one, as far as nothing needs it there, or that is read before
  // (SASS of loops with k-- and i++ in the truth suite's open part, ptxas 13.0 for sm_90, 2026-11-27).
  void stepLast(uint32_t copy) {
    const Value from = graph_.resolve(graph_.operations[copy].sources[0]);
    const Value to = graph_.resolve(graph_.operations[copy].destinations[0]);
    std::vector<uint32_t>& list = graph_.segments[graph_.operations[copy].segment].operations;
    const auto end = std::ranges::find(list, copy);
    const auto begin =
        std::find_if(list.begin(), end, [&](uint32_t o) { return writes(graph_.operations[o], from); });
    if (begin == end) return;
    const uint32_t step = *begin;
    if (!isPlain(graph_.operations[step]) || !reads(graph_.operations[step], to)) return;
    if (std::any_of(std::next(begin), end, [&](uint32_t o) { return writes(graph_.operations[o], from); }))
      return;
    if (std::any_of(begin, end, [&](uint32_t o) { return writes(graph_.operations[o], to); })) return;
    std::vector<uint32_t> before, behind;  // the step
    for (auto at = std::next(begin); at != end; ++at) {
      const bool first = reads(graph_.operations[*at], to) && !needsAny(*at, step, behind);
      (first ? before : behind).push_back(*at);
    }
    before.push_back(step);
    before.insert(before.end(), behind.begin(), behind.end());
    std::ranges::copy(before, begin);
  }

  bool isPlain(const Operation& operation) const {
    return !operation.dropped && operation.instruction != nullptr && operation.guard == kNone &&
           operation.instruction->kind == Kind::kRegister && operation.destinations.size() == 1 &&
           !operation.pinned;
  }
  bool reads(const Operation& operation, Value v) const {
    return !operation.dropped &&
           std::ranges::any_of(operation.sources, [&](Value s) { return graph_.resolve(s) == v; });
  }
  bool writes(const Operation& operation, Value v) const {
    return !operation.dropped &&
           std::ranges::any_of(operation.destinations, [&](Value d) { return graph_.resolve(d) == v; });
  }
  // Whether an operation cannot go before these: it is no plain one, or reads or overwrites what they write,
  // or writes what they read.
  bool needsAny(uint32_t o, uint32_t step, const std::vector<uint32_t>& passed) const {
    const Operation& operation = graph_.operations[o];
    // Copies stay: one of the last value is that value's own register (galloping_join).
    if (!isPlain(operation) || operation.instruction->op == ptx::Op::kMov) return true;
    const auto meets = [&](uint32_t p) {
      const Operation& other = graph_.operations[p];
      if (other.dropped) return false;
      const Value result = graph_.resolve(operation.destinations[0]);
      return reads(other, result) || writes(other, result) ||
             std::ranges::any_of(operation.sources,
                                 [&](Value s) { return writes(other, graph_.resolve(s)); });
    };
    return meets(step) || std::ranges::any_of(passed, meets);
  }

  uint32_t candidates() const { return static_cast<uint32_t>(index_.size()); }

  bool isCopy(const Operation& operation) const {
    if (operation.dropped || operation.instruction == nullptr || operation.guard != kNone) return false;
    if (operation.instruction->op != ptx::Op::kMov || operation.instruction->kind != Kind::kRegister)
      return false;
    if (operation.sources.size() != 1 || operation.destinations.size() != 1) return false;
    const ValueInfo& from = graph_.values[graph_.resolve(operation.sources[0])];
    const ValueInfo& to = graph_.values[graph_.resolve(operation.destinations[0])];
    const bool held = from.kind == ValueKind::kRegister || from.kind == ValueKind::kPredicate;
    return held && from.kind == to.kind && from.words == to.words && from.definitions > 0;
  }

  void findCopies() {
    for (uint32_t o = 0; o < graph_.operations.size(); ++o) {
      const Operation& operation = graph_.operations[o];
      if (!isCopy(operation) || graph_.segments[operation.segment].order == kNone) continue;
      copies_.push_back(o);
      for (const Value v : {operation.sources[0], operation.destinations[0]})
        index_.try_emplace(graph_.resolve(v), candidates());
    }
    std::ranges::stable_sort(copies_, [&](uint32_t a, uint32_t b) {
      return graph_.segments[graph_.operations[a].segment].depth >
             graph_.segments[graph_.operations[b].segment].depth;
    });
  }

  // kNone: not a candidate.
  uint32_t indexOf(Value v) const {
    const auto at = index_.find(graph_.resolve(v));
    return at == index_.end() ? kNone : at->second;
  }

  // Calls `visit` with each operation, what it writes, and what is live behind it, from the last one on.
  template <class Visit>
  void walkBack(uint32_t segment, Bits& live, Visit visit) const {
    const std::vector<uint32_t>& list = graph_.segments[segment].operations;
    for (size_t i = list.size(); i-- > 0;) {
      const Operation& operation = graph_.operations[list[i]];
      if (operation.dropped) continue;
      visit(operation, live);
      for (const Value v : operation.destinations) {
        const uint32_t written = indexOf(v);
        if (written != kNone && operation.guard == kNone) live.clear(written);
      }
      for (const Value v : operation.sources) {
        const uint32_t read = indexOf(v);
        if (read != kNone) live.set(read);
      }
    }
  }

  Bits liveBehind(uint32_t segment) const {
    Bits live(candidates());
    for (const uint32_t next : graph_.segments[segment].successors) live.add(live_[next]);
    return live;
  }

  void findLive() {
    live_.assign(graph_.segments.size(), Bits(candidates()));
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t s = static_cast<uint32_t>(graph_.segments.size()); s-- > 0;) {
        if (graph_.segments[s].order == kNone) continue;
        Bits live = liveBehind(s);
        walkBack(s, live, [](const Operation&, const Bits&) {});
        if (live == live_[s]) continue;
        live_[s] = std::move(live);
        changed = true;
      }
    }
  }

  // A constant can also be moved to its register on the way to where it is read.
  bool isMovedLater(const Operation& operation) const {
    return operation.instruction != nullptr && operation.instruction->op == ptx::Op::kMov &&
           operation.guard == kNone && operation.sources.size() == 1 &&
           graph_.isConstant(graph_.resolve(operation.sources[0]));
  }

  // Returns the values that are live at the beginning of those successors at which `value` is live.
  Bits liveWhere(uint32_t value, uint32_t segment) const {
    Bits live(candidates());
    for (const uint32_t next : graph_.segments[segment].successors) {
      if (live_[next].has(value)) live.add(live_[next]);
    }
    return live;
  }

  void findInterference(uint32_t segment) {
    Bits live = liveBehind(segment), read(candidates());
    walkBack(segment, live, [&](const Operation& operation, const Bits& behind) {
      const uint32_t copied = isCopy(operation) ? indexOf(operation.sources[0]) : kNone;
      for (const Value v : operation.destinations) {
        const uint32_t written = indexOf(v);
        if (written == kNone) continue;
        const bool later = isMovedLater(operation) && !read.has(written);
        (later ? liveWhere(written, segment) : behind).each([&](uint32_t i) {
          if (i == written || i == copied) return;
          interferes_[written].insert(i);
          interferes_[i].insert(written);
        });
      }
      for (const Value v : operation.sources) {
        if (indexOf(v) != kNone) read.set(indexOf(v));
      }
    });
  }

  void join(Operation& copy) {
    const Value from = graph_.resolve(copy.sources[0]), to = graph_.resolve(copy.destinations[0]);
    if (from == to) {
      copy.dropped = true;
      return;
    }
    const uint32_t a = index_.at(from), b = index_.at(to);
    if (interferes_[a].contains(b)) return;
    for (const uint32_t other : interferes_[a]) {
      interferes_[b].insert(other);
      interferes_[other].insert(b);
    }
    ValueInfo &gone = graph_.values[from], &kept = graph_.values[to];
    gone.alias = to;
    kept.definitions += gone.definitions - 1;  // the copy was one
    kept.definition = kept.definitions == 1 ? gone.definition : kNone;
    copy.dropped = true;
  }

  // The words of a 64-bit register are registers, so that taking it apart and putting one together cost
  // nothing but a word that is a constant: of 862 such copies that ptxas 13.0 finds in the truth suite's open
  // part and in other people's programs, mostly in functions of double precision, 3 of 4 are not there.
  void joinHalves() {
    const std::vector<uint32_t> uses = countUses(graph_);
    findWords();
    for (Operation& operation : graph_.operations) {
      if (takesApart(operation)) {
        joinWords(operation, operation.destinations, operation.sources[0], uses);
      } else if (putsTogether(operation)) {
        joinWords(operation, {operation.sources[0], operation.sources[1]}, operation.destinations[0], uses);
      }
    }
  }

  static bool is(const Operation& operation, ptx::Op op) {
    return !operation.dropped && operation.instruction != nullptr && operation.guard == kNone &&
           operation.instruction->op == op && ptx::bytesOf(operation.instruction->type) == 8;
  }
  static bool takesApart(const Operation& operation) {
    return is(operation, ptx::Op::kMoveUnpack) && operation.instruction->vector == 2 &&
           operation.sources.size() == 1;
  }
  // mov.b64 d, {lower, upper}, or bfi.b64 d, upper, lower, 32, 32
  bool putsTogether(const Operation& operation) const {
    if (is(operation, ptx::Op::kMovePack)) return operation.instruction->vector == 2;
    return is(operation, ptx::Op::kBfi) && operation.sources.size() == 4 &&
           std::all_of(operation.sources.begin() + 2, operation.sources.end(), [&](Value v) {
             const Value of = graph_.resolve(v);
             return graph_.isConstant(of) && static_cast<uint32_t>(graph_.values[of].bits) == 32;
           });
  }

  // A value that never comes from a pair and is written again, a loop's counter for instance, is not taken
  // for a word of a pair: the pair would count as ready as soon as the counter is.
  void findWords() {
    std::vector<bool> from_pair(graph_.values.size());
    for (const Operation& operation : graph_.operations) {
      if (!takesApart(operation)) continue;
      for (const Value word : operation.destinations) from_pair[graph_.resolve(word)] = true;
    }
    is_word_.resize(graph_.values.size());
    for (Value v = 0; v < graph_.values.size(); ++v) {
      const Value of = graph_.resolve(v);
      is_word_[v] = from_pair[of] || graph_.values[of].definitions <= 1;
    }
  }

  void joinWords(Operation& operation, const std::vector<Value>& words, Value pair,
                 const std::vector<uint32_t>& uses) {
    const auto is_held = [&](Value v) {
      return graph_.values[graph_.resolve(v)].kind == ValueKind::kRegister;
    };
    if (!is_held(pair)) return;
    bool all = true;
    for (const Value word : words) {
      if (uses[word] == 0) continue;
      if (is_held(word) && is_word_[word]) {
        rename(word, pair);
      } else {
        all = false;
      }
    }
    operation.unit.issues = 1;
    operation.dropped = all;
  }

  void rename(Value word, Value pair) {
    const Value from = graph_.resolve(word), to = graph_.resolve(pair);
    if (from == to) return;
    graph_.values[from].alias = to;
    graph_.values[to].definitions += graph_.values[from].definitions;
    graph_.values[to].definition = kNone;
  }

  Graph& graph_;
  std::vector<bool> is_word_;                  // by value
  std::vector<uint32_t> copies_;               // operations
  std::unordered_map<Value, uint32_t> index_;  // of the values that are copied, or copied to
  std::vector<Bits> live_;                     // by segment: at its beginning
  std::vector<std::set<uint32_t>> interferes_;
};

}  // namespace

void coalesceCopies(Graph& graph) {
  Coalescer(graph).coalesce();
}

}  // namespace warpscope::sim::lowering
