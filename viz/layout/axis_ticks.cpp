#include "viz/layout/axis_ticks.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr int kMostTries = 12;

int labelled(const TimeScale& scale, double units_per_cycle, const Ticks& ticks, const TickLabels& labels) {
  int count = 0;
  for (int i = 0; i < ticks.count; ++i)
    count += labels.end(scale, units_per_cycle, ticks, i) <= scale.right ? 1 : 0;
  return count;
}

bool overlap(const TimeScale& scale, double units_per_cycle, const Ticks& ticks, const TickLabels& labels) {
  for (int i = 0; i + 1 < ticks.count; ++i) {
    if (labels.end(scale, units_per_cycle, ticks, i) + labels.gap >
        scale.x(ticks.at(i + 1) / units_per_cycle))
      return true;
  }
  return false;
}

}  // namespace

float TickLabels::end(const TimeScale& scale, double units_per_cycle, const Ticks& ticks, int tick) const {
  const auto characters = static_cast<float>(formatTick(ticks.at(tick), ticks.decimals).size());
  return scale.x(ticks.at(tick) / units_per_cycle) + gap + characters * character;
}

Ticks timeTicks(const TimeScale& scale, double units_per_cycle, double smallest_step,
                const TickLabels& labels) {
  const auto ticksOf = [&](int at_most) {
    return niceTicks(scale.begin_cycles * units_per_cycle, scale.end_cycles * units_per_cycle, at_most,
                     smallest_step);
  };
  const int roomy = std::max(2, static_cast<int>((scale.right - scale.left) / labels.generous));
  Ticks best = ticksOf(roomy);
  // The only tick of a short axis may be at its end, where its label has no room: then closer ones are
  // better.
  for (int more = 1; more <= kMostTries && labelled(scale, units_per_cycle, best, labels) < 2; ++more) {
    const Ticks closer = ticksOf(roomy + more);
    if (overlap(scale, units_per_cycle, closer, labels)) break;
    best = closer;
  }
  return best;
}

}  // namespace warpscope
