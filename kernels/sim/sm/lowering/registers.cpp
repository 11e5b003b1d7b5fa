#include <algorithm>
#include <unordered_set>

#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

constexpr uint32_t kLeast = 8;

using Live = std::unordered_set<Value>;

class Pressure {
 public:
  Pressure(const Graph& graph, const std::vector<std::vector<uint32_t>>& by_head)
      : graph_(graph), by_head_(by_head), in_(graph.segments.size()) {}

  std::vector<LiveValues> find() {
    solve();
    std::vector<LiveValues> all(by_head_.size());
    for (uint32_t head = 0; head < by_head_.size(); ++head) {
      if (!by_head_[head].empty()) all[head] = {in_[head], liveOut(head), mostIn(head)};
    }
    return all;
  }

 private:
  Live liveOut(uint32_t head) const {
    Live live;
    const uint32_t end = head + graph_.segments[head].group_count;
    for (uint32_t s = head; s < end; ++s) {
      for (const uint32_t next : graph_.segments[s].successors) {
        if (next < end && next > head) continue;
        live.insert(in_[next].begin(), in_[next].end());
      }
    }
    return live;
  }

  template <class Visit>
  void walkBack(uint32_t head, Live& live, Visit visit) const {
    for (size_t i = by_head_[head].size(); i-- > 0;) {
      const Operation& operation = graph_.operations[by_head_[head][i]];
      for (const Value v : operation.destinations) {
        if (operation.guard == kNone || graph_.values[v].definitions == 1) live.erase(v);
      }
      for (const Value v : operation.sources) {
        if (graph_.values[v].definitions > 0) live.insert(v);
      }
      visit(live, operation);
    }
  }

  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t head = static_cast<uint32_t>(by_head_.size()); head-- > 0;) {
        if (graph_.segments[head].group_first != head || graph_.segments[head].order == kNone) continue;
        Live live = liveOut(head);
        walkBack(head, live, [](const Live&, const Operation&) {});
        if (live.size() != in_[head].size()) {
          in_[head] = std::move(live);
          changed = true;
        }
      }
    }
  }

  uint32_t mostIn(uint32_t head) const {
    Live live = liveOut(head);
    uint32_t most = 0;
    walkBack(head, live, [&](const Live& now, const Operation&) {
      uint32_t words = 0;
      for (const Value v : now) words += registerWords(graph_, v);
      most = std::max(most, words);
    });
    return most;
  }

  const Graph& graph_;
  const std::vector<std::vector<uint32_t>>& by_head_;
  std::vector<Live> in_;
};

}  // namespace

// Uniform 32-bit values are in uniform registers; zero and immediates need no register.
uint32_t registerWords(const Graph& graph, Value value) {
  const ValueInfo& info = graph.values[value];
  if (info.kind == ValueKind::kPredicate) return 0;
  if (info.uniform && info.words == 1) return 0;
  // Doubles that an instruction cannot hold.
  if (info.kind == ValueKind::kConstant && info.words == 2) return 0;
  return info.words;
}

std::vector<LiveValues> liveValues(const Graph& graph, const std::vector<std::vector<uint32_t>>& by_head) {
  return Pressure(graph, by_head).find();
}

uint32_t estimateRegisters(const Graph& graph, const std::vector<std::vector<uint32_t>>& by_head) {
  uint32_t most = 0;
  for (const LiveValues& live : liveValues(graph, by_head)) most = std::max(most, live.most_words);
  return std::clamp(most + kBesides, kLeast, 255U);
}

}  // namespace warpscope::sim::lowering
