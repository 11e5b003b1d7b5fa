// All bare kernels of the catalog, marked automatically: whether they compute the same, whether the masks XX
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "kernels/device/device.h"
#include "tests/support/launch_sweep.h"
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
  size_t variants = 0, equal_outputs = 0, free_order = 0;
  size_t places = 0, equal_places = 0, places_of_other = 0, equal_to_other = 0;
  uint64_t lost = 0;
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

uint32_t markedRegisters(Backend& backend, const LaunchPlan& plan, MarkLevel level) {
  const LaunchPlan marked = markedPlan(plan, level);
  const ModuleImage module = findModule(marked.module).value();
  const auto kernel = backend.kernel(module, findEntry(module, marked.kernel, ProbeKind::kProbed).value());
  if (!kernel) return 0;
  const auto resources = backend.resources(*kernel, marked.dynamic_shared_bytes);
  return resources ? resources->registers_per_thread : 0;
}

// A device, and its executors of hand-marked and automatically marked kernels.
struct Subject {
  Subject(OpenedBackend backend, MarkLevel level)
      : opened(std::move(backend)), by_hand(opened), marked(opened, markedKernels(level)) {}
  OpenedBackend opened;
  Executor by_hand, marked;
};

// The masks of a small launch on both devices.
MatchedMasks compareDevices(Subject& one, Subject& other, const FamilyInfo& family,
                            const std::string& variant) {
  RunRequest request{.family = family.name, .variant = variant, .repeats = 1};
  request.parameters = launchOf(family, variant, 3001);
  const auto complete = completeRequest(family, request, DeviceKind::kSimulated);
  if (!complete) return {};
  const auto here = one.marked.run(*complete, {}, {}), there = other.marked.run(*complete, {}, {});
  return here && there ? matchDevices(*here, *there) : MatchedMasks{};
}

std::string firstOf(const MatchedMasks& masks) {
  return masks.differences.empty() ? "" : masks.differences.front().text;
}

void runVariant(Subject& subject, Subject* other, const Experiment& experiment, const VariantInfo& variant,
                MarkLevel level, Totals& totals) {
  const FamilyInfo& family = experiment.info();
  const DeviceDescription& device = subject.opened.any().description();
  const auto request =
      completeRequest(family, {.family = family.name, .variant = variant.name, .repeats = 11}, device);
  const auto plan = experiment.plan(*request, device.limits);
  const auto by_hand = subject.by_hand.run(*request, {}, {});
  const auto automatic = subject.marked.run(*request, {}, {});
  const std::string name = fmt::format("{}/{}", family.name, variant.name);
  if (!plan || !by_hand || !automatic) {
    fmt::print("{:<36} {}\n", name,
               !plan      ? plan.error().message
               : !by_hand ? by_hand.error().message
                          : automatic.error().message);
    return;
  }
  ++totals.variants;
  Backend& backend = subject.opened.any();
  const std::string outputs = variant.planted ? "planted" : outputsOf(backend, *plan, level, totals);
  const MatchedMasks masks = matchMasks(*by_hand, *automatic);
  const MatchedMasks devices = other ? compareDevices(subject, *other, family, variant.name) : MatchedMasks{};
  totals.places += masks.places;
  totals.equal_places += masks.equal();
  totals.places_of_other += devices.places;
  totals.equal_to_other += devices.equal();
  totals.ratios.push_back(automatic->probe.ratio);
  totals.lost += automatic->probe.dropped;
  fmt::print("{:<36} {:<8} {:>2}/{:<2} {:>2}/{:<2} {:>5.2f} {:>5.2f} {:>4} {:>4} {:>6}  {} {}\n", name,
             outputs, masks.equal(), masks.places, devices.equal(), devices.places, by_hand->probe.ratio,
             automatic->probe.ratio, automatic->resources.registers_per_thread,
             markedRegisters(backend, *plan, level), automatic->probe.dropped, firstOf(masks),
             firstOf(devices));
  std::fflush(stdout);
}

void run(const std::string& id, const std::optional<std::string>& other_id, MarkLevel level,
         const std::string& family) {
  Subject subject(openBackend(id).value(), level);
  std::optional<Subject> other;
  if (other_id) other.emplace(openBackend(*other_id).value(), level);
  Totals totals;
  fmt::print(
      "level {}: outputs; masks equal to those by hand, to {}; cost by hand, marked; registers bare, "
      "marked; lost events; differences\n",
      markLevelName(level), other_id.value_or("no other device"));
  for (const Experiment* experiment : allExperiments()) {
    if (!family.empty() && family != experiment->info().name) continue;
    for (const VariantInfo& variant : experiment->info().variants)
      runVariant(subject, other ? &*other : nullptr, *experiment, variant, level, totals);
  }
  if (totals.ratios.empty()) return;
  fmt::print(
      "level {}: {} variants; outputs equal {}, in free order {}; masks equal at {} of {} places by hand, {} "
      "of "
      "{} of the other device; lost events {}; cost median {:.2f}, most {:.2f}, over 2: {}\n\n",
      markLevelName(level), totals.variants, totals.equal_outputs, totals.free_order, totals.equal_places,
      totals.places, totals.equal_to_other, totals.places_of_other, totals.lost, medianOf(totals.ratios),
      *std::ranges::max_element(totals.ratios),
      std::ranges::count_if(totals.ratios, [](double ratio) { return ratio > 2; }));
}

}  // namespace
}  // namespace warpscope::test

int main(int argc, char** argv) {
  const std::string id = argc > 1 ? argv[1] : "sim:h100";
  const std::optional<std::string> other =
      argc > 2 && std::string(argv[2]) != "none" ? std::optional<std::string>(argv[2]) : std::nullopt;
  const std::string family = argc > 3 ? argv[3] : "";
  for (const std::string& each : {id, other.value_or(id)}) {
    if (const auto backend = warpscope::openBackend(each); !backend) {
      fmt::print(stderr, "{}\n", backend.error().message);
      return 1;
    }
  }
  warpscope::test::run(id, other, warpscope::MarkLevel::kCoarse, family);
  warpscope::test::run(id, other, warpscope::MarkLevel::kFine, family);
}
