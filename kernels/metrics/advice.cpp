#include "kernels/metrics/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/core/units.h"
#include "kernels/metrics/achieved_cause.h"
#include "kernels/metrics/counters.h"
#include "kernels/metrics/metrics.h"
#include "kernels/metrics/run_times.h"
#include "kernels/run/warp_state.h"

namespace warpscope {
namespace {

constexpr double kLeastGain = 1.05;
constexpr double kBytesPerSector = 32, kCoalescedSectors = 4;  // the latter of a request with 32 bits a lane
// The latency, in cycles, of a load from L2 with nothing else in flight: no access pattern removes it.
constexpr double kUnloadedLoadCycles = 280;
constexpr double kMostWaves = 8;         // more waves hide a short last one
constexpr double kBandwidthBound = 0.6;  // of a copy: more warps would wait for the same memory
constexpr double kMuchSmaller = 0.5;     // of the gain that is advised
constexpr std::array kAdvisedKinds{AccessKind::kLoad, AccessKind::kStore, AccessKind::kAtomic};

std::string timesText(double gain) {
  return formatSignificant(gain, 2);
}
std::string percentText(double share) {
  return formatPercent(share, 2);
}

// The share of the warps' cycles in each state. Only devices with such counters report it.
class WaitShares {
 public:
  explicit WaitShares(const Run& run) {
    for (size_t i = 0; i < kWarpStates; ++i) {
      cycles_[i] = counterOf(run, warpStateCounter(static_cast<WarpState>(i))).value_or(0);
      all_ += cycles_[i];
    }
  }
  bool known() const { return all_ > 0; }
  double of(WarpState state) const { return all_ > 0 ? perInstruction(state) / all_ : 0; }
  // Warp-cycles per issued instruction.
  double perInstruction(WarpState state) const { return cycles_[static_cast<size_t>(state)]; }

 private:
  std::array<double, kWarpStates> cycles_{};
  double all_ = 0;
};

class Advisor {
 public:
  explicit Advisor(const Run& run) : run_(run), times_(timesOf(run)), waits_(run) {}

  std::vector<Advice> take() && {
    bankConflicts();
    uncoalesced();
    divergence();
    barriers();
    tail();
    occupancy();
    std::ranges::stable_sort(found_, std::greater{}, &Advice::gain);
    moreWork();
    return std::move(found_);
  }

 private:
  // The launch's gain if this share of the kernel's time were gone. Without the kernel's own time it is that
  // of the kernel.
  double gainWithout(double share) const {
    const double left = 1 - std::clamp(share, 0.0, 0.99);
    if (!times_.kernel) return 1 / left;
    return *times_.launch / (*times_.overhead + *times_.kernel * left);
  }
  std::string restOfHow() const {
    return times_.kernel
               ? "\n" + fmt::format("The launch overhead of {} stays.", formatUs(*times_.overhead, 3))
               : std::string();
  }
  void add(AdviceKind kind, const char* text, double share, std::string evidence, std::string how,
           std::string_view view) {
    const double gain = gainWithout(share);
    if (gain < kLeastGain) return;
    found_.push_back({.kind = kind,
                      .text = fmt::format(fmt::runtime(text), timesText(gain)),
                      .evidence = std::move(evidence),
                      .gain = gain,
                      .how = std::move(how) + restOfHow(),
                      .view = view});
  }

  // Waiting for shared memory shrinks with the wavefronts that a request takes.
  void bankConflicts() {
    double wavefronts = 0, conflicts = 0, requests = 0;
    for (const AccessKind kind : kAdvisedKinds) {
      const double all = sharedWavefronts(run_, kind).value_or(0);
      const double each = wavefrontsPerRequest(run_, kind).value_or(0);
      if (all <= 0 || each <= 0) continue;
      wavefronts += all;
      requests += all / each;
      conflicts += bankConflictsPerRequest(run_, kind).value_or(0) * all / each;
    }
    if (conflicts <= 0) return;
    const double waiting = waits_.of(WarpState::kShortScoreboard) + waits_.of(WarpState::kMioThrottle);
    const double vanishes = conflicts / wavefronts;
    add(AdviceKind::kBankConflicts, "Remove the bank conflicts: about {} times faster.", waiting * vanishes,
        fmt::format("{} wavefronts a request to shared memory, where {} would do.",
                    formatSignificant(wavefronts / requests, 3),
                    formatSignificant((wavefronts - conflicts) / requests, 3)),
        fmt::format("Warps wait {} of their time for shared memory, and {} of its wavefronts are conflicts: "
                    "that share of the waiting is taken from the kernel.",
                    percentText(waiting), percentText(vanishes)),
        "banks");
  }

  // Waiting for global memory, beyond what one load takes anyway, shrinks with the sectors that are moved.
  void uncoalesced() {
    double sectors = 0, requests = 0, loads = 0;
    for (const AccessKind kind : {AccessKind::kLoad, AccessKind::kStore}) {
      const double all = globalSectors(run_, kind).value_or(0);
      const double each = sectorsPerRequest(run_, kind).value_or(0);
      if (all <= 0 || each <= 0) continue;
      sectors += all;
      requests += all / each;
      if (kind == AccessKind::kLoad) loads = all / each;
    }
    const double least =
        std::max(kCoalescedSectors * requests, static_cast<double>(run_.bandwidth.bytes) / kBytesPerSector);
    if (sectors <= least || requests <= 0) return;
    const double vanishes = 1 - least / sectors;
    const double issued = counterOf(run_, "smsp__inst_issued.sum").value_or(0);
    const double a_load = loads > 0 ? waits_.perInstruction(WarpState::kLongScoreboard) * issued / loads : 0;
    const double beyond = a_load > kUnloadedLoadCycles ? 1 - kUnloadedLoadCycles / a_load : 0;
    const double waiting = waits_.of(WarpState::kLongScoreboard) * beyond +
                           waits_.of(WarpState::kLgThrottle) + waits_.of(WarpState::kMioThrottle);
    add(AdviceKind::kUncoalesced, "Access neighbouring addresses: about {} times faster.", waiting * vanishes,
        fmt::format("{} sectors a request to global memory, where {} would do.",
                    formatSignificant(sectors / requests, 3), formatSignificant(least / requests, 3)),
        fmt::format("Warps wait {} of their time for global memory beyond the {} cycles that a load takes "
                    "anyway, and {} of the sectors are not needed: that share of the waiting is taken from "
                    "the kernel.",
                    percentText(waiting), kUnloadedLoadCycles, percentText(vanishes)),
        "sectors");
  }

  // A warp runs paths one after the other; if all of its lanes took the same one, none would wait.
  void divergence() {
    const LaneCycles lanes = laneCycles(run_.trace);
    const auto all = static_cast<double>(lanes.executing + lanes.waiting + lanes.exited);
    if (all <= 0 || lanes.waiting <= 0) return;
    const double waiting = static_cast<double>(lanes.waiting) / all;
    add(AdviceKind::kDivergence, "Let the lanes of a warp take the same path: about {} times faster.",
        waiting,
        fmt::format("{} of the lane-cycles are lost to lanes that wait for another path.",
                    percentText(waiting)),
        fmt::format("The work of the lanes that wait {} of the time is packed into warps whose lanes all "
                    "execute.",
                    percentText(waiting)),
        "lanes");
  }

  void barriers() {
    const double waiting = waits_.of(WarpState::kBarrier);
    add(AdviceKind::kBarriers, "Let warps wait less for each other: at most {} times faster.", waiting,
        fmt::format("Warps wait {} of their time at barriers.", percentText(waiting)),
        fmt::format("All waiting at barriers is taken from the kernel."), "states");
  }

  void tail() {
    const double at_once = static_cast<double>(run_.occupancy.blocks_per_sm) * usedSms(run_);
    if (at_once <= 0) return;
    const double waves = static_cast<double>(run_.grid.count()) / at_once;
    if (waves <= 1 || waves >= kMostWaves || waves == std::floor(waves)) return;
    add(AdviceKind::kTail, "Launch whole waves of blocks: about {} times faster.",
        1 - waves / std::ceil(waves),
        fmt::format("{} blocks are {} waves of {}: the last one leaves SMs empty.",
                    formatCount(static_cast<int64_t>(run_.grid.count())), formatSignificant(waves, 3),
                    formatCount(static_cast<int64_t>(at_once))),
        fmt::format("{} waves take as long as {}; with the same work in whole ones they take their share.",
                    formatSignificant(waves, 3), std::ceil(waves)),
        "tail");
  }

  // More warps hide the waiting for memory, unless memory is the limit or the grid is too small for more.
  void occupancy() {
    const Occupancy& now = run_.occupancy;
    const double at_once = static_cast<double>(now.blocks_per_sm) * usedSms(run_);
    if (now.theoretical <= 0 || now.theoretical >= 1 ||
        static_cast<double>(run_.grid.count()) < at_once / now.theoretical) {
      return;
    }
    const double copy = run_.bandwidth.copy_gb_per_s.value_or(0);
    if (copy > 0 && run_.bandwidth.gb_per_s > kBandwidthBound * copy) return;
    const double waiting = waits_.of(WarpState::kLongScoreboard);
    add(AdviceKind::kOccupancy, "Hold more warps on an SM: at most {} times faster.",
        waiting * (1 - now.theoretical),
        fmt::format("Occupancy is {}, limited by {}, and warps wait {} of their time for memory.",
                    percentText(now.theoretical), limiterName(now.limiter), percentText(waiting)),
        fmt::format("With all of an SM's warp slots in use, that much more of the waiting is hidden."),
        "occupancy");
  }

  // Not faster, but more for the same time.
  void moreWork() {
    const double blocks = std::max(1.0, static_cast<double>(run_.grid.count()));
    const double at_once = static_cast<double>(run_.occupancy.blocks_per_sm) * usedSms(run_);
    const auto work = workToOutweighOverhead(run_);
    if (!work || !times_.kernel || *work <= 1) return;
    const double then = *times_.kernel * std::max(1.0, *work * blocks / std::max(blocks, at_once));
    const double gain = *work * *times_.launch / (then + *times_.overhead);
    found_.push_back(
        {.kind = AdviceKind::kMoreWork,
         .text = fmt::format("Give a launch {} times as much work: about {} times as much work per time.",
                             timesText(*work), timesText(gain)),
         .evidence = fmt::format("{} of the launch is overhead, the kernel takes {}.",
                                 percentText(*times_.overheadShare()), formatUs(*times_.kernel, 3)),
         .gain = gain,
         .how = fmt::format(
                    "{} blocks fit at once: up to these, more work costs no time, and further work costs "
                    "its share of the kernel.",
                    formatCount(static_cast<int64_t>(at_once))) +
                restOfHow(),
         .view = "tail",
         .work = work});
  }

  const Run& run_;
  RunTimes times_;
  WaitShares waits_;
  std::vector<Advice> found_;
};

bool atSameSettings(const Run& a, const Run& b) {
  if (a.request.family != b.request.family || a.device.id != b.device.id) return false;
  // Variants may have parameters that others lack.
  return std::ranges::all_of(a.request.parameters, [&](const auto& entry) {
    const auto other = b.request.parameters.find(entry.first);
    return other == b.request.parameters.end() || other->second == entry.second;
  });
}

}  // namespace

const char* adviceName(AdviceKind kind) {
  static constexpr std::array kNames{"bank_conflicts", "uncoalesced", "divergence", "barriers",
                                     "tail",           "occupancy",   "more_work"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<Advice> adviceFor(const Run& run) {
  if (run.verification.failed() || run.verification.pending || !(run.timing.median_us > 0)) return {};
  return Advisor(run).take();
}

std::optional<size_t> variantThatDoes(const Advice& advice, const Run& run,
                                      std::span<const Run* const> others) {
  if (advice.kind == AdviceKind::kMoreWork) return std::nullopt;
  std::optional<size_t> best;
  for (size_t i = 0; i < others.size(); ++i) {
    const Run* other = others[i];
    if (other == nullptr || other->request.variant == run.request.variant || !atSameSettings(run, *other) ||
        other->verification.failed() || !(other->timing.median_us > 0)) {
      continue;
    }
    const double fastest = best ? others[*best]->timing.median_us : run.timing.median_us / kLeastGain;
    if (other->timing.median_us >= fastest) continue;
    const std::vector<Advice> own = adviceFor(*other);
    const auto same = std::ranges::find(own, advice.kind, &Advice::kind);
    if (same == own.end() || same->gain - 1 < kMuchSmaller * (advice.gain - 1)) best = i;
  }
  return best;
}

}  // namespace warpscope
