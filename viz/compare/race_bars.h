// All variants of a family as bars that grow as their results arrive and change places smoothly: the fastest
// on top, ties in brackets, wrong results without a rank.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/compare/compare.h"
#include "viz/views/view.h"

namespace warpscope {

struct RaceEntry {
  std::string variant, title;
  std::optional<size_t> result;  // index into the comparison's runs; absent: it has not run yet
  std::string error;             // why it could not run
  bool present = false;          // the variant that is currently chosen
};

struct RaceInput : Canvas {
  std::span<const RaceEntry> entries;      // in the family's order
  const Comparison* comparison = nullptr;  // a race; null: there is no result yet
  double now_s = 0;
};

// The order of the entries: ranked ones as in rankRuns, then those that have not run yet, then those that
// cannot run.
std::vector<size_t> raceOrder(std::span<const RaceEntry> entries, const Comparison* comparison);

class RaceBars {
 public:
  // Draws at the cursor, over the width of the current window. Returns the entry that was clicked, or
  // nullopt.
  std::optional<size_t> draw(const RaceInput& input);
  static float height(const Theme& theme, size_t entries);  // total height in pixels
  bool moving() const { return moving_; }                   // draw again soon

 private:
  // A value that moves to its target over time.
  struct Eased {
    double from = 0, to = 0, since_s = -1e9;
    double at(double now_s) const;
    bool arrived(double now_s) const;
    void go(double target, double now_s);
  };
  struct Bar {
    Eased place, length;
  };
  void drawEntry(const RaceInput& input, size_t entry, ImVec2 at, float width);

  std::vector<std::string> of_;  // the variants that bars_ belong to
  std::vector<Bar> bars_;
  bool moving_ = false;
};

}  // namespace warpscope
