// Measures a step of the block-size slider on a device: from the request to the finished run, and,
// where the window can be built, to the layout that it draws. 200 steps per variant over all block sizes,
// sizes at their defaults, through the same child process as the window's.
//
//   live_bench [DEVICE [FAMILY...]]     live_bench cuda:0 reduction
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/device/service/serve.h"
#include "kernels/experiments/experiment.h"
#ifdef WARPSCOPE_HAS_LAYOUT
#include "viz/layout/trace_layout.h"
#endif

namespace warpscope {
namespace {

constexpr int kSteps = 200;
constexpr int kWarmUpSteps = 10;  // module loading, inputs, the copy ceiling

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::vector<int64_t> blockValues(const Device& device, const FamilyInfo& family, const RunRequest& request) {
  if (auto offered = device.offeredValues(request, "block")) return *offered;
  std::vector<int64_t> values;
  for (const ParameterSpec* spec : parametersOf(family, request.variant)) {
    if (spec->role != ParameterRole::kBlock) continue;
    const bool choice = spec->kind == ParameterKind::kChoice;
    const int64_t last = choice ? static_cast<int64_t>(spec->choices.size()) - 1 : spec->max;
    for (int64_t value = choice ? 0 : spec->min; value <= last;
         value = spec->kind == ParameterKind::kLog2 ? value * 2 : value + spec->step) {
      values.push_back(value);
    }
  }
  return values;
}

// `sorted` is in ascending order.
double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

bool measure(Device& device, const FamilyInfo& family, const std::string& variant) {
  RunRequest request;
  request.family = family.name;
  request.variant = variant;
  const auto complete = completeRequest(family, device.nearestOffered(request), device.description().kind);
  if (!complete) {
    std::printf("%-12s %-18s %s\n", family.name.c_str(), variant.c_str(), complete.error().message.c_str());
    return false;
  }
  request = *complete;
  const std::vector<int64_t> blocks = blockValues(device, family, request);
  std::vector<double> run_ms;
  std::vector<double> drawable_ms;
  size_t unverified = 0;
  size_t events = 0;
  double probe_cost = 0;
  for (int step = -kWarmUpSteps; step < kSteps; ++step) {
    if (!blocks.empty()) {
      request.parameters["block"] = blocks[static_cast<size_t>(step + kWarmUpSteps) % blocks.size()];
    }
    const auto begin = Clock::now();
    const auto run = device.run(request, {}, {});
    const double to_run = millisecondsSince(begin);
    if (!run) {
      std::printf("%-12s %-18s %s\n", family.name.c_str(), variant.c_str(), run.error().message.c_str());
      return false;
    }
#ifdef WARPSCOPE_HAS_LAYOUT
    const TraceLayout layout(*run);
#endif
    if (step < 0) continue;
    run_ms.push_back(to_run);
    drawable_ms.push_back(millisecondsSince(begin));
    unverified += run->verification.passed ? 0 : 1;
    events = std::max(events, run->trace.events.size());
    probe_cost = std::max(probe_cost, run->probe.ratio);
  }
  std::ranges::sort(run_ms);
  std::ranges::sort(drawable_ms);
  std::printf("%-12s %-18s %9.2f %9.2f %9.2f %9.2f %10zu %7.3f%s\n", family.name.c_str(), variant.c_str(),
              quantile(run_ms, 0.5), quantile(run_ms, 0.95), quantile(drawable_ms, 0.5),
              quantile(drawable_ms, 0.95), events, probe_cost, unverified == 0 ? "" : "  NOT VERIFIED");
  std::fflush(stdout);
  return unverified == 0;
}

int benchmark(const std::string& device_id, const std::vector<std::string_view>& families) {
  const auto device = openDevice(device_id, {});
  if (!device) {
    std::fprintf(stderr, "%s\n", device.error().message.c_str());
    return 3;
  }
  std::printf("%s, %d steps each; milliseconds from the request\n", (*device)->description().name.c_str(),
              kSteps);
  std::printf("%-12s %-18s %9s %9s %9s %9s %10s %7s\n", "family", "variant", "run p50", "run p95",
              "drawn p50", "drawn p95", "events max", "cost max");
  bool all_well = true;
  for (const Experiment* experiment : allExperiments()) {
    const FamilyInfo& family = experiment->info();
    if (!families.empty() && std::ranges::count(families, family.name) == 0) continue;
    for (const VariantInfo& variant : family.variants) {
      if (variant.planted) continue;  // its result may be wrong on purpose
      all_well = measure(**device, family, variant.name) && all_well;
    }
  }
  return all_well ? 0 : 1;
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  // The device's child process is this program, started again.
  if (argc == 2 && std::string_view(argv[1]) == "serve") return warpscope::serve(0, 1);
  return warpscope::benchmark(argc > 1 ? argv[1] : "", {argv + std::min(argc, 2), argv + argc});
}
