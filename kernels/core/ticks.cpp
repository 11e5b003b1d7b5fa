#include "kernels/core/ticks.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"

namespace warpscope {

Ticks niceTicks(double min, double max, int at_most, double smallest_step) {
  if (!(max > min) || !std::isfinite(min) || !std::isfinite(max) || at_most < 1) return {};
  const double rough = std::max((max - min) / at_most, smallest_step);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  Ticks ticks;
  ticks.step = step;
  // A slight tolerance, so that rounding does not lose a tick on the edge of the range.
  ticks.first = std::ceil(min / step - 1e-9) * step;
  ticks.count = static_cast<int>(std::floor((max - ticks.first) / step + 1e-9)) + 1;
  ticks.count = std::clamp(ticks.count, 0, at_most + 1);
  ticks.decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return ticks;
}

std::string formatTick(double value, int decimals) {
  if (std::abs(value) < 0.5 * std::pow(10.0, -decimals)) return "0";
  return withThousandsSeparators(fmt::format("{:.{}f}", value, decimals));
}

}  // namespace warpscope
