// How far a block has come that shares its SM with blocks of other kernels. Its own cycles are those of its
// kernel's execution by itself. While the kernels on the SM ask for more than it has, an own cycle takes
// longer than a cycle; while the block stands at griddepcontrol.wait, none pass. Knows nothing of the other
// blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace warpscope::sim {

// What a block does about the kernels before and behind its own, in own cycles; kNever: it does not.
struct GridControl {
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t triggered = kNever;                       // griddepcontrol.launch_dependents
  uint64_t first_wait = kNever, last_wait = kNever;  // griddepcontrol.wait, by the first and the last warp
  bool waits() const { return first_wait != kNever; }
};

class BlockLife {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};
  // The cycle `at` at which the block has come to its own cycle `own`. Between two points time passes evenly;
  // two points of the same own cycle are the begin and the end of its wait.
  struct Point {
    double own = 0;
    uint64_t at = 0;
    bool operator==(const Point&) const = default;
  };

  // `waits`: it stands at its wait until complete() says otherwise.
  BlockLife(uint64_t begin, uint64_t own_cycles, const GridControl& control, bool waits);

  // From now on an own cycle takes `pace` cycles. True: next() has changed.
  bool setPace(double pace, uint64_t now);
  // What it waits for is complete at this cycle. True: next() has changed.
  bool complete(uint64_t cycle);
  // When it comes to its wait, goes on behind it or ends; kNever: nothing changes before complete() is
  // called.
  uint64_t next() const;
  // Goes there; `next()` must not be later than now.
  void step();

  bool stands() const { return phase_ == Phase::kStands; }
  bool ended() const { return phase_ == Phase::kEnded; }
  uint64_t endedAt() const { return since_; }
  // When it triggered or will, if nothing changes; a block that does not trigger does so by its end. nullopt:
  // that depends on when its wait is over.
  std::optional<uint64_t> triggeredAt() const;
  // Until when those of its warps stand that came first to their wait; 0: none of them does.
  uint64_t heldUntil() const;
  // Empty: each own cycle has taken one cycle.
  const std::vector<Point>& points() const { return points_; }

 private:
  enum class Phase : uint8_t { kBefore, kStands, kBehind, kEnded };  // its wait

  void moveTo(uint64_t now);
  void addPoint();
  uint64_t cycleOf(double own) const;    // of an own cycle that it has come to
  uint64_t reach(double own) const;      // of one that it is to come to without a wait
  uint64_t projected(double own) const;  // of one that it is to come to; its wait's end must be known

  uint64_t begin_;
  double total_;
  GridControl control_;
  Phase phase_;
  std::optional<uint64_t> completed_;
  double own_ = 0, pace_ = 1;
  uint64_t since_;  // the cycle at which it has come to own_
  std::vector<Point> points_;
};

}  // namespace warpscope::sim
