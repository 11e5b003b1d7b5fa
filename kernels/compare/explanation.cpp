#include "kernels/compare/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "kernels/compare/region_comparison.h"
#include "kernels/core/units.h"
#include "kernels/metrics/achieved.h"
#include "kernels/metrics/counters.h"
#include "kernels/metrics/metrics.h"
#include "kernels/run/warp_state.h"

namespace warpscope {
namespace {

constexpr size_t kMostCauses = 3;
constexpr std::array kKinds{AccessKind::kLoad, AccessKind::kStore, AccessKind::kAtomic};
constexpr const char* kIssued = "smsp__inst_issued.sum";

std::string number(double value) {
  return formatSignificant(value, 3);
}

// Collects facts that may explain why `slow` is slower than `fast`.
class Causes {
 public:
  Causes(const Run& slow, const Run& fast) : slow_(slow), fast_(fast) {
    // Totals of runs that move different amounts of data are compared per byte.
    if (slow.bandwidth.bytes > 0 && fast.bandwidth.bytes > 0) {
      work_ = static_cast<double>(slow.bandwidth.bytes) / static_cast<double>(fast.bandwidth.bytes);
    }
  }

  std::vector<Cause> take() && {
    for (const AccessKind kind : kKinds) {
      bankConflicts(kind);
      sectors(kind);
    }
    dram();
    localMemory();
    lanes();
    occupancy();
    instructions();
    device();
    std::ranges::stable_sort(found_, std::greater{}, &Found::factor);
    if (found_.size() > kMostCauses) found_.resize(kMostCauses);
    std::vector<Cause> causes;
    for (Found& found : found_) causes.push_back(std::move(found.cause));
    if (auto waiting = waits()) causes.push_back(*std::move(waiting));
    if (causes.empty()) {
      if (auto region = longestRegion()) causes.push_back(*std::move(region));
    }
    return causes;
  }

 private:
  struct Found {
    double factor = 1;
    Cause cause;
  };

  // Included only if the first number exceeds the second by the notable factor.
  void add(std::string name, double here, double there, double factor, std::string text) {
    if (factor >= kNotableFactor) found_.push_back({factor, {std::move(text), std::move(name), here, there}});
  }
  // Something that the other run has none of is worth including, but after what it has less of.
  static double ratio(double here, double there) {
    return there > 0 ? here / there : here > 0 ? kNotableFactor : 0;
  }

  std::optional<std::pair<double, double>> both(const std::optional<double>& here,
                                                const std::optional<double>& there) const {
    if (!here || !there) return std::nullopt;
    return std::pair(*here, *there);
  }
  std::optional<std::pair<double, double>> counters(const std::string& name) const {
    return both(counterOf(slow_, name), counterOf(fast_, name));
  }

  // Whether this kind is a large enough part of all such accesses of the slow run to matter.
  bool matters(AccessKind kind, std::optional<double> (*total)(const Run&, AccessKind)) const {
    double sum = 0;
    for (const AccessKind each : kKinds) sum += total(slow_, each).value_or(0);
    return total(slow_, kind).value_or(0) >= kNotableShare * sum && sum > 0;
  }

  void bankConflicts(AccessKind kind) {
    const auto here = wavefrontsPerRequest(slow_, kind);
    const double conflicts = bankConflictsPerRequest(slow_, kind).value_or(0);
    // If the other run has no such requests they have no conflicts; a device that does not count them says
    // nothing.
    if (!here || !sharedWavefronts(fast_, kind) || !matters(kind, sharedWavefronts)) return;
    if (conflicts <= bankConflictsPerRequest(fast_, kind).value_or(0)) return;
    const auto there = wavefrontsPerRequest(fast_, kind);
    const char* what = accessKindName(kind);
    add(fmt::format("shared_{}_wavefronts_per_request", what), *here, there.value_or(0),
        ratio(*here, there.value_or(*here - conflicts)),
        there ? fmt::format("bank conflicts: {} wavefronts a shared {} instead of {}", number(*here), what,
                            number(*there))
              : fmt::format("bank conflicts: {} wavefronts a shared {}, where the other has none",
                            number(*here), what));
  }

  // Either less coalesced, or more sectors in total: wider requests move more sectors each, but not more in
  // total.
  void sectors(AccessKind kind) {
    const auto each = both(sectorsPerRequest(slow_, kind), sectorsPerRequest(fast_, kind));
    const auto all = both(globalSectors(slow_, kind), globalSectors(fast_, kind));
    if (!all || !matters(kind, globalSectors)) return;
    const double factor = ratio(all->first, all->second * work_);
    const char* what = accessKindName(kind);
    if (each && each->first >= kNotableFactor * each->second) {
      add(fmt::format("global_{}_sectors_per_request", what), each->first, each->second, factor,
          fmt::format("{} sectors a global {} instead of {}", number(each->first), what,
                      number(each->second)));
    } else {
      add(fmt::format("global_{}_sectors", what), all->first, all->second, factor,
          all->second > 0 ? fmt::format("{} sectors moved by global {}s instead of {}", number(all->first),
                                        what, number(all->second))
                          : fmt::format("{} sectors moved by global {}s, where the other has none",
                                        number(all->first), what));
    }
  }

  void dram() {
    const auto read = counters("dram__bytes_read.sum"), written = counters("dram__bytes_write.sum");
    if (!read || !written) return;
    const double here = read->first + written->first, there = read->second + written->second;
    // Little traffic explains little.
    if (here < 0.1 * static_cast<double>(slow_.bandwidth.bytes)) return;
    add("dram_bytes", here, there, ratio(here, there * work_),
        fmt::format("{} to and from DRAM instead of {}", formatBytes(static_cast<uint64_t>(here)),
                    formatBytes(static_cast<uint64_t>(there))));
  }

  void localMemory() {
    const uint32_t here = slow_.resources.local_bytes_per_thread;
    const uint32_t there = fast_.resources.local_bytes_per_thread;
    if (here > there) {
      add("local_bytes_per_thread", here, there, ratio(here, there),
          fmt::format("{} of local memory a thread instead of {}", formatBytes(here), formatBytes(there)));
    }
  }

  void lanes() {
    const auto lost = both(lostLaneShare(slow_.trace), lostLaneShare(fast_.trace));
    if (!lost) return;
    add("lost_lane_share", lost->first, lost->second, ratio(1 - lost->second, 1 - lost->first),
        fmt::format("{} of the lane-cycles lost to lanes that wait or have left, instead of {}",
                    formatPercent(lost->first), formatPercent(lost->second)));
  }

  void occupancy() {
    const auto slow = achievedOf(slow_), fast = achievedOf(fast_);
    // Ranges that overlap may be the same value, so they explain nothing.
    if (slow && fast && (slow->high < fast->low || fast->high < slow->low)) {
      add("achieved_occupancy", slow->share, fast->share, ratio(fast->share, slow->share),
          fmt::format("achieved occupancy {} instead of {}", shareText(slow->share, slow->low, slow->high),
                      shareText(fast->share, fast->low, fast->high)));
    } else if (slow_.occupancy.max_warps_per_sm > 0 && fast_.occupancy.max_warps_per_sm > 0) {
      const double here = slow_.occupancy.theoretical, there = fast_.occupancy.theoretical;
      add("theoretical_occupancy", here, there, ratio(there, here),
          fmt::format("theoretical occupancy {} instead of {}", formatPercent(here), formatPercent(there)));
    }
  }

  void instructions() {
    if (const auto executed = counters("smsp__inst_executed.sum")) {
      add("instructions", executed->first, executed->second, ratio(executed->first, executed->second * work_),
          fmt::format("{} instructions executed instead of {}", number(executed->first),
                      number(executed->second)));
    }
  }

  void device() {
    const auto copy = both(slow_.bandwidth.copy_gb_per_s, fast_.bandwidth.copy_gb_per_s);
    if (!copy || slow_.device.name == fast_.device.name) return;
    add("copy_gb_per_s", copy->first, copy->second, ratio(copy->second, copy->first),
        fmt::format("a device that copies {} instead of {}", formatGbPerS(copy->first),
                    formatGbPerS(copy->second)));
  }

  // The reason to wait that grew most, if it is a large part of all the additional waiting.
  std::optional<Cause> waits() const {
    const auto issued = counters(kIssued);
    if (!issued) return std::nullopt;
    double added = 0, most = 0;
    std::optional<Cause> cause;
    for (size_t i = 0; i < kWarpStates; ++i) {
      const auto state = static_cast<WarpState>(i);
      if (state == WarpState::kSelected || state == WarpState::kNotSelected) continue;
      const auto each = counters(warpStateCounter(state));
      if (!each) continue;
      const double here = each->first * issued->first, there = each->second * issued->second * work_;
      added += here - there;
      if (here - there <= most || here < kNotableFactor * there) continue;
      most = here - there;
      cause = Cause{fmt::format("warps wait {} cycles for {} ({}) instead of {}", number(here),
                                warpStateTitle(state), warpStateHelp(state), number(there)),
                    fmt::format("warp_cycles_{}", warpStateName(state)), here, there};
    }
    return added > 0 && most > kNotableShare * added ? cause : std::nullopt;
  }

  // Available even for a real GPU: where its warps spent their cycles.
  std::optional<Cause> longestRegion() const {
    const auto not_owned = [](const Run& run) { return std::shared_ptr<const Run>(&run, [](const Run*) {}); };
    double added = 0, most = 0;
    std::optional<Cause> cause;
    for (const RegionComparison& region : compareRegions({not_owned(slow_), not_owned(fast_)}, 0)) {
      const auto difference = differenceOf(region, 0, 1);
      if (!difference) continue;
      added += difference->cycles_per_warp;
      const double here = region.runs[0].numbers->cycles_per_warp;
      const double there = region.runs[1].numbers->cycles_per_warp;
      if (difference->cycles_per_warp <= most || here < kNotableFactor * there) continue;
      most = difference->cycles_per_warp;
      cause = Cause{fmt::format("a warp spends {} cycles in '{}' instead of {}", number(here), region.name,
                                number(there)),
                    "region_cycles_per_warp", here, there};
    }
    return added > 0 && most > kNotableShare * added ? cause : std::nullopt;
  }

  const Run& slow_;
  const Run& fast_;
  double work_ = 1;
  std::vector<Found> found_;
};

// The fastest run of this provenance; nullopt if none is ranked.
std::optional<size_t> bestOf(const ComparedRuns& runs, const Ranking& ranking, Provenance provenance) {
  for (const size_t i : ranking.order) {
    if (runs[i]->device.provenance == provenance && ranking.runs[i].place) return i;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Explanation> explain(const ComparedRuns& runs, const Ranking& ranking,
                                 const std::vector<std::string>& labels) {
  std::vector<Explanation> explanations;
  for (const size_t i : ranking.order) {
    const auto best = bestOf(runs, ranking, runs[i]->device.provenance);
    if (!best || !ranking.runs[i].place || runs[i]->request.family != runs[*best]->request.family) continue;
    const Cost& own = *ranking.runs[i].cost;
    const Cost& least = *ranking.runs[*best].cost;
    if (compareCosts(own, least) != Verdict::kSlower || own.median < kNotableSlowdown * least.median)
      continue;
    Explanation explanation{i, *best, own.median / least.median, Causes(*runs[i], *runs[*best]).take(), ""};
    std::vector<std::string> texts;
    for (const Cause& cause : explanation.causes) texts.push_back(cause.text);
    explanation.text =
        fmt::format("{}: {}x slower than {}: {}", labels[i], number(explanation.slower), labels[*best],
                    texts.empty() ? std::string("no recorded counter explains the difference")
                                  : fmt::format("{}", fmt::join(texts, "; ")));
    explanations.push_back(std::move(explanation));
  }
  return explanations;
}

}  // namespace warpscope
