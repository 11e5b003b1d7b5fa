// A share with how far it may be off, in the chosen language: "62 % ± 3 points", "55 to 72 %".
#pragma once

#include <string>

#include "kernels/metrics/achieved.h"
#include "kernels/metrics/metric.h"
#include "viz/text/translate.h"

namespace warpscope {

inline std::string shareTextShown(double share, double low, double high) {
  static_assert(kShareWithin == std::string_view("{} ± {} points") &&
                kShareRange == std::string_view("{} to {} %"));
  return shareText(share, low, high, tr("{} ± {} points"), tr("{} to {} %"));
}

inline std::string shareTextShown(const MetricValue& value) {
  return shareTextShown(value.value, value.low, value.high);
}

inline std::string shareTextShown(const AchievedOccupancy& achieved) {
  return shareTextShown(achieved.share, achieved.low, achieved.high);
}

}  // namespace warpscope
