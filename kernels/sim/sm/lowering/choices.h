// The operations that can issue next, from which the list scheduling of schedule.cpp takes one after another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <queue>
#include <vector>

#include "kernels/sim/sm/profile.h"

namespace warpscope::sim::lowering {

// An operation that can be chosen, and what decides between it and others.
struct Candidate {
  size_t index = 0;
  uint32_t ready_at = 0, priority = 0;
  Pipe pipe = Pipe::kInt;
};

// The operations that wait for no other one to be issued.
class Choices {
 public:
  bool empty() const { return count_ == 0; }

  void add(const Candidate& candidate) {
    coming_.push(candidate);
    ++count_;
  }

  // The one that can issue first, at `now` or later; of several, the one on the longest path.
  Candidate take(uint32_t& now, const std::array<uint32_t, kPipeCount>& busy_until) {
    for (;; now = nextChange(now, busy_until)) {
      for (; !coming_.empty() && coming_.top().ready_at <= now; coming_.pop())
        ready_[static_cast<size_t>(coming_.top().pipe)].push(coming_.top());
      Ready* best = nullptr;
      for (size_t pipe = 0; pipe < kPipeCount; ++pipe) {
        Ready& here = ready_[pipe];
        if (here.empty() || busy_until[pipe] > now) continue;
        if (best == nullptr || Shorter{}(best->top(), here.top())) best = &here;
      }
      if (best == nullptr) continue;
      const Candidate chosen = best->top();
      best->pop();
      --count_;
      return chosen;
    }
  }

 private:
  struct Shorter {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.priority != b.priority ? a.priority < b.priority : a.index > b.index;
    }
  };
  struct Later {
    bool operator()(const Candidate& a, const Candidate& b) const { return a.ready_at > b.ready_at; }
  };
  using Ready = std::priority_queue<Candidate, std::vector<Candidate>, Shorter>;

  uint32_t nextChange(uint32_t now, const std::array<uint32_t, kPipeCount>& busy_until) const {
    uint32_t next = coming_.empty() ? UINT32_MAX : coming_.top().ready_at;
    for (size_t pipe = 0; pipe < kPipeCount; ++pipe) {
      if (!ready_[pipe].empty()) next = std::min(next, busy_until[pipe]);
    }
    return std::max(next, now + 1);
  }

  std::array<Ready, kPipeCount> ready_;
  std::priority_queue<Candidate, std::vector<Candidate>, Later> coming_;
  size_t count_ = 0;
};

}  // namespace warpscope::sim::lowering
