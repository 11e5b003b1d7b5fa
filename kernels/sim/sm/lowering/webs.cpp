#include "kernels/sim/sm/lowering/webs.h"

#include <numeric>
#include <unordered_map>

namespace warpscope::sim::lowering {
namespace {

// Beyond this many bits (128 MiB), each register becomes a single web.
constexpr uint64_t kMostBits = uint64_t{1} << 30U;

class Finder {
 public:
  Finder(const Graph& graph, const std::vector<uint32_t>& order, const std::vector<Accessed>& accessed)
      : graph_(graph), order_(order), accessed_(accessed) {}

  Webs find() {
    number();
    const bool precise = uint64_t{definitions_.size()} * order_.size() < kMostBits;
    if (precise) solve();
    Webs webs;
    webs.uses.resize(accessed_.size());
    webs.definitions.resize(accessed_.size());
    for (const uint32_t s : order_) walk(s, precise, webs);
    rename(webs);
    return webs;
  }

 private:
  using Bits = std::vector<uint64_t>;
  struct Definition {
    Key key;
    bool partial;
  };

  template <class Visit>
  void forEachPc(uint32_t segment, Visit visit) const {
    const Segment& s = graph_.code->segments[segment];
    for (uint32_t pc = s.first; pc < s.first + s.count; ++pc) visit(pc);
  }

  void number() {
    first_.resize(accessed_.size());
    for (const uint32_t s : order_) {
      forEachPc(s, [&](uint32_t pc) {
        first_[pc] = static_cast<uint32_t>(definitions_.size());
        for (const Key key : accessed_[pc].definitions) {
          of_key_[key].push_back(static_cast<uint32_t>(definitions_.size()));
          definitions_.push_back({key, accessed_[pc].partial});
        }
      });
    }
    // After the definitions: registers that are read without ever being written, by key.
    parent_.resize(definitions_.size());
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  void apply(uint32_t segment, Bits& bits) const {
    forEachPc(segment, [&](uint32_t pc) {
      uint32_t definition = first_[pc];
      for (const Key key : accessed_[pc].definitions) {
        if (!accessed_[pc].partial) {
          for (const uint32_t d : of_key_.at(key)) bits[d / 64] &= ~(uint64_t{1} << d % 64);
        }
        bits[definition / 64] |= uint64_t{1} << definition % 64;
        ++definition;
      }
    });
  }

  void solve() {
    const size_t words = (definitions_.size() + 63) / 64;
    in_.assign(graph_.segments.size(), {});
    std::vector<Bits> out(graph_.segments.size());
    for (const uint32_t s : order_) out[s].assign(words, 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (const uint32_t s : order_) {
        Bits bits(words);
        for (const uint32_t p : graph_.segments[s].predecessors) {
          for (size_t w = 0; w < out[p].size(); ++w) bits[w] |= out[p][w];
        }
        in_[s] = bits;
        apply(s, bits);
        if (bits != out[s]) {
          out[s] = std::move(bits);
          changed = true;
        }
      }
    }
  }

  uint32_t root(uint32_t d) {
    while (parent_[d] != d) d = parent_[d] = parent_[parent_[d]];
    return d;
  }
  void join(uint32_t a, uint32_t b) { parent_[root(a)] = root(b); }

  // The definitions of a key that reach the beginning of a segment.
  std::vector<uint32_t> reaching(uint32_t segment, Key key, bool precise) {
    std::vector<uint32_t> found;
    const auto all = of_key_.find(key);
    if (all == of_key_.end()) return found;
    if (!precise) return all->second;
    for (const uint32_t d : all->second) {
      if ((in_[segment][d / 64] >> d % 64 & 1U) != 0) found.push_back(d);
    }
    return found;
  }

  void walk(uint32_t segment, bool precise, Webs& webs) {
    std::unordered_map<Key, std::vector<uint32_t>> now;
    const auto current = [&](Key key) -> std::vector<uint32_t>& {
      const auto [at, is_new] = now.try_emplace(key);
      if (is_new) at->second = reaching(segment, key, precise);
      return at->second;
    };
    forEachPc(segment, [&](uint32_t pc) {
      for (const Key key : accessed_[pc].uses) {
        std::vector<uint32_t>& found = current(key);
        if (found.empty()) {
          found.push_back(static_cast<uint32_t>(parent_.size()));
          parent_.push_back(found[0]);
        }
        for (const uint32_t d : found) join(d, found[0]);
        webs.uses[pc].push_back(found[0]);
      }
      uint32_t definition = first_[pc];
      for (const Key key : accessed_[pc].definitions) {
        std::vector<uint32_t>& found = current(key);
        if (!accessed_[pc].partial) found.clear();
        if (!precise) join(definition, of_key_.at(key)[0]);
        found.push_back(definition);
        if (accessed_[pc].partial) join(definition, found[0]);
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
  std::vector<Definition> definitions_;
  std::vector<uint32_t> first_;  // by instruction: its first definition
  std::unordered_map<Key, std::vector<uint32_t>> of_key_;
  std::vector<uint32_t> parent_;
  std::vector<Bits> in_;
};

}  // namespace

Webs findWebs(const Graph& graph, const std::vector<uint32_t>& order, const std::vector<Accessed>& accessed) {
  return Finder(graph, order, accessed).find();
}

}  // namespace warpscope::sim::lowering
