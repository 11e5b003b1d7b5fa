#include "kernels/run/samples.h"

#include <map>
#include <set>
#include <utility>

namespace warpscope {
namespace {

struct ActivityText {
  const char *title, *help, *metric;
};

// PM sampling reads one pass of counters only; CUPTI of CUDA 13.0 says that these four fit into one on chips
// GA100, AD102, GH100 and GB100 (cuptiProfilerHostGetNumOfPasses, 2026-11-24).
constexpr std::array<ActivityText, kActivityKinds> kActivityTexts{{
    {"SMs busy", "the share of cycles in which SMs held warps, of all SMs",
     "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"issue", "instructions issued, as a share of the most that all SMs can issue",
     "sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed"},
    {"L2", "sectors that the L2 cache handled, as a share of the most that it can",
     "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM", "bytes read and written, as a share of the most that the memory can move",
     "dram__bytes.avg.pct_of_peak_sustained_elapsed"},
}};

const ActivityText& textOf(ActivityKind kind) {
  static constexpr ActivityText kUnknown{"unknown", "unknown", ""};
  const auto index = static_cast<size_t>(kind);
  return index < kActivityTexts.size() ? kActivityTexts[index] : kUnknown;
}

}  // namespace

const char* activityTitle(ActivityKind kind) {
  return textOf(kind).title;
}
const char* activityHelp(ActivityKind kind) {
  return textOf(kind).help;
}
const char* activityMetric(ActivityKind kind) {
  return textOf(kind).metric;
}

std::vector<ActivityStep> activityCurve(const ActivitySamples& samples) {
  std::map<double, std::pair<std::vector<size_t>, std::vector<size_t>>> changes;  // that begin, that end
  for (size_t i = 0; i < samples.samples.size(); ++i) {
    const ActivitySample& sample = samples.samples[i];
    if (!(sample.begin_ns < sample.end_ns)) continue;
    changes[sample.begin_ns].first.push_back(i);
    changes[sample.end_ns].second.push_back(i);
  }
  std::vector<ActivityStep> curve;
  std::set<size_t> open;  // few at a time: about one for each launch
  for (const auto& [ns, change] : changes) {
    for (const size_t i : change.second) open.erase(i);
    open.insert(change.first.begin(), change.first.end());
    ActivityStep step{.begin_ns = ns, .samples = static_cast<uint32_t>(open.size())};
    for (size_t kind = 0; kind < kActivityKinds; ++kind) {
      for (const size_t i : open) step.percent[kind] += samples.samples[i].percent[kind];
      if (!open.empty()) step.percent[kind] /= static_cast<double>(open.size());
    }
    curve.push_back(step);
  }
  return curve;
}

}  // namespace warpscope
