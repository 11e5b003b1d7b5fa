// All variants of a family as bars that grow as their results arrive and change places smoothly: the fastest
// on top, ties in brackets, wrong results without a place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/compare/compare.h"
#include "viz/views/view.h"

namespace warpscope {

struct RaceEntry {
  std::string variant, title;
  std::optional<size_t> result;  // of the comparison's runs; absent: it has not run yet
  std::string error;             // why it did not
  bool present = false;          // the variant that is chosen
};

struct RaceInput {
  std::span<const RaceEntry> entries;      // in the family's order
  const Comparison* comparison = nullptr;  // a race; null: no result is there yet
  double now_s = 0;
  const Theme* theme = nullptr;
  const Fonts* fonts = nullptr;
  WidgetReport* report = nullptr;
};

// The entries in the order in which they stand: ranked ones as rankRuns has them, then those that have not
// run yet, then those that cannot.
std::vector<size_t> raceOrder(std::span<const RaceEntry> entries, const Comparison* comparison);

class RaceBars {
 public:
  // Draws at the cursor, over the width of the current window. The entry that was clicked; nullopt: none.
  std::optional<size_t> draw(const RaceInput& input);
  static float height(const Theme& theme, size_t entries);  // of all of it, in pixels
  bool moving() const { return moving_; }                   // draw again soon

 private:
  // A value on its way to another.
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

  std::vector<std::string> of_;  // which variants bars_ are of
  std::vector<Bar> bars_;
  bool moving_ = false;
};

}  // namespace warpscope
