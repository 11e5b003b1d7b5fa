#include "viz/views/run_times_text.h"

#include <fmt/format.h>

#include "kernels/core/units.h"
#include "kernels/metrics/run_times.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

std::string us(double time) {
  return formatUs(time, 3);
}

std::string bareRelation(const RunTimes& times) {
  if (!times.launch) return {};
  if (!times.kernel) return trf("launch {}", us(*times.launch));
  return trf("launch {} = kernel {} + overhead {} ({})", us(*times.launch), us(*times.kernel),
             us(*times.overhead), formatPercent(*times.overheadShare(), 2));
}

std::string probedRelation(const RunTimes& times) {
  if (times.launch_with_probes && times.kernel_with_probes && times.overhead) {
    return trf("with probes: launch {} = kernel {} + overhead {}", us(*times.launch_with_probes),
               us(*times.kernel_with_probes), us(*times.overhead));
  }
  if (times.after_last_warp) {
    return trf("with probes: launch {} = warps {} + {} after the last of them", us(*times.launch_with_probes),
               us(*times.kernel_with_probes), us(*times.after_last_warp));
  }
  if (times.launch_with_probes && times.kernel_with_probes) {
    return trf("with probes: launch {}, kernel {}", us(*times.launch_with_probes),
               us(*times.kernel_with_probes));
  }
  return times.kernel_with_probes ? trf("with probes: kernel {}", us(*times.kernel_with_probes)) : "";
}

}  // namespace

std::string timesRelation(const Run& run) {
  const RunTimes times = timesOf(run);
  const std::string bare = bareRelation(times), probed = probedRelation(times);
  return bare + (bare.empty() || probed.empty() ? "" : "\n") + probed;
}

std::string timeDefinitions() {
  std::string text;
  for (const TimeText& time : kTimeTexts) {
    text += (text.empty() ? "" : "\n") +
            fmt::format("{}: {}", tr(std::string(time.name)), tr(std::string(time.help)));
  }
  return text;
}

}  // namespace warpscope
