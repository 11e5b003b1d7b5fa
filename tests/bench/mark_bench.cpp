// All bare kernels of the catalog, marked automatically: whether they compute the same, whether the masks are
// those of the hand-marked kernels, and what marks cost. `mark_bench [DEVICE]`, for example cuda:0.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "kernels/device/device.h"
#include "tests/support/marked_catalog.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {
namespace {

double medianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Totals {
  std::vector<double> ratios;
  size_t variants = 0, equal_outputs = 0, free_order = 0, places = 0, equal_places = 0, over_two = 0;
};

// Outputs of the marked form that records nothing, and of the bare one.
std::string outputsOf(Backend& backend, const LaunchPlan& plan, MarkLevel level, Totals& totals) {
  const auto bare = runPlan(backend, plan, ProbeKind::kBare, Bytes(1));
  LaunchPlan marked = markedPlan(plan, level);
  marked.arguments.erase(marked.arguments.begin());  // runPlan passes it
  for (FollowingLaunch& next : marked.following) next.arguments.erase(next.arguments.begin());
  if (runPlan(backend, marked, ProbeKind::kProbed, Bytes(1)) == bare) {
    ++totals.equal_outputs;
    return "equal";
  }
  if (!plan.order_is_free) return "DIFFER";
  ++totals.free_order;
  return "free";
}

void run(const OpenedBackend& opened, MarkLevel level) {
  Executor plain(opened), marked(opened, markedKernels(level));
  Totals totals;
  fmt::print("level {}: outputs, masks equal of places, cost by hand, cost marked, registers bare\n",
             markLevelName(level));
  const DeviceDescription& device = opened.any().description();
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) {
      const RunRequest asked{.family = experiment->info().name, .variant = variant.name, .repeats = 11};
      const auto request = completeRequest(experiment->info(), asked, device);
      const auto plan = experiment->plan(*request, device.limits);
      const auto by_hand = plain.run(*request, {}, {});
      const auto automatic = marked.run(*request, {}, {});
      const std::string name = fmt::format("{}/{}", asked.family, asked.variant);
      if (!plan || !by_hand || !automatic) {
        fmt::print("{:<36} {}\n", name,
                   !plan      ? plan.error().message
                   : !by_hand ? by_hand.error().message
                              : automatic.error().message);
        continue;
      }
      ++totals.variants;
      const std::string outputs = variant.planted ? "planted" : outputsOf(opened.any(), *plan, level, totals);
      const MatchedMasks masks = matchMasks(*by_hand, *automatic);
      totals.places += masks.places;
      totals.equal_places += masks.equal();
      totals.ratios.push_back(automatic->probe.ratio);
      totals.over_two += automatic->probe.ratio > 2 ? 1 : 0;
      fmt::print("{:<36} {:<8} {:>2}/{:<2} {:>5.2f} {:>5.2f} {:>4}  {}\n", name, outputs, masks.equal(),
                 masks.places, by_hand->probe.ratio, automatic->probe.ratio,
                 automatic->resources.registers_per_thread,
                 masks.differences.empty() ? "" : masks.differences.front().text);
      std::fflush(stdout);
    }
  }
  if (totals.ratios.empty()) return;
  fmt::print(
      "level {}: {} variants; outputs equal {}, in free order {}; masks equal at {} of {} places; cost "
      "median {:.2f}, most {:.2f}, over 2: {}\n\n",
      markLevelName(level), totals.variants, totals.equal_outputs, totals.free_order, totals.equal_places,
      totals.places, medianOf(totals.ratios), *std::ranges::max_element(totals.ratios), totals.over_two);
}

}  // namespace
}  // namespace warpscope::test

int main(int argc, char** argv) {
  const std::string id = argc > 1 ? argv[1] : "sim:h100";
  const auto backend = warpscope::openBackend(id);
  if (!backend) {
    fmt::print(stderr, "{}\n", backend.error().message);
    return 1;
  }
  warpscope::test::run(*backend, warpscope::MarkLevel::kCoarse);
  warpscope::test::run(*backend, warpscope::MarkLevel::kFine);
}
