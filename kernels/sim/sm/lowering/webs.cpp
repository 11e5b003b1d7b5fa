#include "kernels/sim/sm/lowering/webs.h"

#include <numeric>
#include <unordered_map>

namespace warpscope::sim::lowering {
namespace {

// A web is a class of definitions, joined where they reach the same use. Sets of reaching definitions, which
// grow with the square of a kernel's length, are not needed for that: where a register is live at the
// beginning of a segment, all definitions that reach it from the predecessors are of one web, which one
// element stands for there. So the work grows with the number of registers that are live between segments.
class Finder {
 public:
  Finder(const Graph& graph, const std::vector<uint32_t>& order, const std::vector<Accessed>& accessed)
      : graph_(graph), order_(order), accessed_(accessed), keys_(graph.segments.size()) {}

  Webs find() {
    number();
    for (const uint32_t s : order_) summarise(s);
    findLive();
    findReached();
    joinEntries();
    Webs webs;
    webs.uses.resize(accessed_.size());
    webs.definitions.resize(accessed_.size());
    for (const uint32_t s : order_) walk(s, webs);
    rename(webs);
    return webs;
  }

 private:
  // A segment's uses of a register.
  struct InSegment {
    bool exposed = false;       // read before it is written in full
    bool killed = false;        // written in full
    uint32_t last = kNone;      // its last definition here
    uint32_t at_entry = kNone;  // the element that stands for it at the segment's beginning, where it is live
    bool reached = false;       // a definition reaches the beginning
  };
  struct Place {
    uint32_t segment = 0;
    Key key = 0;
  };

  template <class Visit>
  void forEachPc(uint32_t segment, Visit visit) const {
    const Segment& s = graph_.code->segments[segment];
    for (uint32_t pc = s.first; pc < s.first + s.count; ++pc) visit(pc);
  }

  bool reachable(uint32_t segment) const { return graph_.segments[segment].order != kNone; }

  void number() {
    uint32_t definitions = 0;
    first_.resize(accessed_.size());
    for (const uint32_t s : order_) {
      forEachPc(s, [&](uint32_t pc) {
        first_[pc] = definitions;
        definitions += static_cast<uint32_t>(accessed_[pc].definitions.size());
      });
    }
    parent_.resize(definitions);
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  uint32_t newElement() {
    parent_.push_back(static_cast<uint32_t>(parent_.size()));
    return parent_.back();
  }

  void summarise(uint32_t segment) {
    forEachPc(segment, [&](uint32_t pc) {
      for (const Key key : accessed_[pc].uses) {
        InSegment& in = keys_[segment][key];
        if (!in.killed) in.exposed = true;
      }
      uint32_t definition = first_[pc];
      for (const Key key : accessed_[pc].definitions) {
        InSegment& in = keys_[segment][key];
        in.killed = in.killed || !accessed_[pc].partial;
        in.last = definition++;
      }
    });
  }

  // Gives each register that is live at a segment's beginning its element there.
  void findLive() {
    std::vector<Place> work;
    const auto make_live = [&](uint32_t segment, Key key, InSegment& in) {
      in.at_entry = newElement();
      work.push_back({segment, key});
    };
    for (const uint32_t s : order_) {
      for (auto& [key, in] : keys_[s]) {
        if (in.exposed) make_live(s, key, in);
      }
    }
    while (!work.empty()) {
      const Place place = work.back();
      work.pop_back();
      for (const uint32_t p : graph_.segments[place.segment].predecessors) {
        if (!reachable(p)) continue;
        InSegment& in = keys_[p][place.key];
        if (!in.killed && in.at_entry == kNone) make_live(p, place.key, in);
      }
    }
    live_.resize(graph_.segments.size());
    for (const uint32_t s : order_) {
      for (const auto& [key, in] : keys_[s]) {
        if (in.at_entry != kNone) live_[s].push_back(key);
      }
    }
  }

  void findReached() {
    std::vector<Place> work;
    const auto reach = [&](uint32_t from, Key key) {
      for (const uint32_t to : graph_.segments[from].successors) {
        const auto found = keys_[to].find(key);
        if (found == keys_[to].end() || found->second.at_entry == kNone || found->second.reached) continue;
        found->second.reached = true;
        work.push_back({to, key});
      }
    };
    for (const uint32_t s : order_) {
      for (const auto& [key, in] : keys_[s]) {
        if (in.last != kNone) reach(s, key);
      }
    }
    while (!work.empty()) {
      const Place place = work.back();
      work.pop_back();
      reach(place.segment, place.key);
    }
  }

  // A register that nothing has written yet is in each segment a web of its own.
  void joinEntries() {
    for (const uint32_t s : order_) {
      for (const Key key : live_[s]) {
        const InSegment& in = keys_[s].at(key);
        if (!in.reached) continue;
        for (const uint32_t p : graph_.segments[s].predecessors) {
          if (!reachable(p)) continue;
          const InSegment& before = keys_[p].at(key);
          if (before.last != kNone) {
            join(before.last, in.at_entry);
          } else if (before.reached) {
            join(before.at_entry, in.at_entry);
          }
        }
      }
    }
  }

  uint32_t root(uint32_t d) {
    while (parent_[d] != d) d = parent_[d] = parent_[parent_[d]];
    return d;
  }
  void join(uint32_t a, uint32_t b) { parent_[root(a)] = root(b); }

  void walk(uint32_t segment, Webs& webs) {
    std::unordered_map<Key, uint32_t> now;
    // The element that a register's value is of here; kNone: nothing has written it.
    const auto current = [&](Key key) -> uint32_t& {
      const auto [at, is_new] = now.try_emplace(key, kNone);
      if (is_new) {
        const InSegment& in = keys_[segment].at(key);
        if (in.reached) at->second = in.at_entry;
      }
      return at->second;
    };
    forEachPc(segment, [&](uint32_t pc) {
      for (const Key key : accessed_[pc].uses) {
        uint32_t& element = current(key);
        if (element == kNone) element = newElement();
        webs.uses[pc].push_back(element);
      }
      uint32_t definition = first_[pc];
      for (const Key key : accessed_[pc].definitions) {
        uint32_t& element = current(key);
        if (accessed_[pc].partial && element != kNone) join(definition, element);
        element = definition;
        webs.definitions[pc].push_back(definition++);
      }
    });
  }

  void rename(Webs& webs) {
    std::vector<uint32_t> number(parent_.size(), kNone);
    const auto name = [&](uint32_t& d) {
      uint32_t& n = number[root(d)];
      if (n == kNone) n = webs.count++;
      d = n;
    };
    for (auto& list : webs.uses) {
      for (uint32_t& d : list) name(d);
    }
    for (auto& list : webs.definitions) {
      for (uint32_t& d : list) name(d);
    }
  }

  const Graph& graph_;
  const std::vector<uint32_t>& order_;
  const std::vector<Accessed>& accessed_;
  std::vector<uint32_t> first_;  // by instruction: its first definition
  std::vector<uint32_t> parent_;
  std::vector<std::unordered_map<Key, InSegment>> keys_;  // by segment
  std::vector<std::vector<Key>> live_;                    // by segment: at its beginning
};

}  // namespace

Webs findWebs(const Graph& graph, const std::vector<uint32_t>& order, const std::vector<Accessed>& accessed) {
  return Finder(graph, order, accessed).find();
}

}  // namespace warpscope::sim::lowering
