// Measures a step of the block-size slider on a device: from the request to the run that the window shows, to
// the layout that it draws, where the window can be built, and to the finished run. On a simulated device a
// run is shown before its result has been checked; while a slider moves, the window gives that check up. 200
// steps per variant over all block sizes, sizes at their defaults, through the same child process as the
// window's. Beside the times it prints the processor time that a step takes in this process, where simulated
// devices run: unlike the others it says the same on a busy machine.
//
//   live_bench [--steps N] [--drag] [--counters] [--set NAME=VALUE]... [DEVICE [FAMILY[/VARIANT]...]]
//   live_bench cuda:0 reduction transpose/copy
//
// --set: this parameter stays at the value. If it is the one that the slider moves, all steps are the same.
// --drag: the check is given up at once, as by a slider that does not rest.
// --counters: the usual counters of a real GPU are read, too, so that the finished run takes as much longer.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/device/service/serve.h"
#include "kernels/experiments/experiment.h"
#include "kernels/metrics/counters.h"
#ifdef WARPSCOPE_HAS_LAYOUT
#include "viz/layout/trace_layout.h"
#endif

namespace warpscope {
namespace {

constexpr int kWarmUpSteps = 10;  // module loading, inputs, the copy ceiling

using Clock = std::chrono::steady_clock;

double processorMilliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

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

struct Options {
  int steps = 200;
  bool drag = false, counters = false;
  std::map<std::string, int64_t> set;
};

bool measure(Device& device, const FamilyInfo& family, const std::string& variant, const Options& options) {
  const auto& [steps, drag, counters, set] = options;
  RunRequest request;
  request.family = family.name;
  request.variant = variant;
  for (const auto& [name, value] : set) request.parameters[name] = value;
  const auto complete = completeRequest(family, device.nearestOffered(request), device.description());
  if (!complete) {
    std::printf("%-12s %-18s %s\n", family.name.c_str(), variant.c_str(), complete.error().message.c_str());
    return false;
  }
  request = *complete;
  if (counters) request.counters = usualCounters();
  const std::vector<int64_t> blocks =
      set.contains("block") ? std::vector<int64_t>{} : blockValues(device, family, request);
  std::vector<double> run_ms;
  std::vector<double> drawable_ms;
  std::vector<double> processor_ms;
  std::vector<double> checked_ms;
  size_t unverified = 0;
  size_t uncounted = 0;
  size_t events = 0;
  double probe_cost = 0;
  for (int step = -kWarmUpSteps; step < steps; ++step) {
    if (!blocks.empty()) {
      request.parameters["block"] = blocks[static_cast<size_t>(step + kWarmUpSteps) % blocks.size()];
    }
    const double processor_begin = processorMilliseconds();
    const auto begin = Clock::now();
    double to_run = 0, to_layout = 0, processor = 0;
    const auto show = [&](const Run& shown) {
      to_run = millisecondsSince(begin);
#ifdef WARPSCOPE_HAS_LAYOUT
      const TraceLayout layout(shown);
#endif
      to_layout = millisecondsSince(begin);
      processor = processorMilliseconds() - processor_begin;
    };
    std::stop_source given_up;
    bool early = false;
    const auto run = device.run(
        request,
        [&](const Progress& progress) {
          if (!progress.early) return;
          show(*progress.early);
          early = true;
          if (options.drag) given_up.request_stop();
        },
        given_up.get_token());
    const double to_end = millisecondsSince(begin);
    if (run && !early) show(*run);
    const bool checked = run.has_value();
    if (!checked && !(early && drag)) {
      std::printf("%-12s %-18s %s\n", family.name.c_str(), variant.c_str(), run.error().message.c_str());
      return false;
    }
    if (step < 0) continue;
    run_ms.push_back(to_run);
    drawable_ms.push_back(to_layout);
    processor_ms.push_back(processor);
    checked_ms.push_back(to_end);
    if (!checked) continue;
    unverified += run->verification.passed ? 0 : 1;
    uncounted += counters && run->counters.empty() ? 1 : 0;
    events = std::max(events, run->trace.events.size());
    probe_cost = std::max(probe_cost, run->probe.ratio);
  }
  std::ranges::sort(run_ms);
  std::ranges::sort(drawable_ms);
  std::ranges::sort(processor_ms);
  std::ranges::sort(checked_ms);
  std::printf("%-12s %-18s %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %11.2f %10zu %7.3f%s%s\n", family.name.c_str(),
              variant.c_str(), quantile(run_ms, 0.5), quantile(run_ms, 0.95), quantile(drawable_ms, 0.5),
              quantile(drawable_ms, 0.95), quantile(processor_ms, 0.5), quantile(processor_ms, 0.95),
              quantile(checked_ms, 0.5), events, probe_cost, unverified == 0 ? "" : "  NOT VERIFIED",
              uncounted == 0 ? "" : "  NOT COUNTED");
  std::fflush(stdout);
  return unverified == 0 && uncounted == 0;
}

// Whether "reduction" or "reduction/shuffle" is among what was asked for; nothing asked for is everything.
bool isWanted(const std::vector<std::string>& wanted, const std::string& family, const std::string& variant) {
  return wanted.empty() || std::ranges::count(wanted, family) > 0 ||
         std::ranges::count(wanted, family + "/" + variant) > 0;
}

int benchmark(const std::string& device_id, const std::vector<std::string>& wanted, const Options& options) {
  const auto device = openDevice(device_id, {});
  if (!device) {
    std::fprintf(stderr, "%s\n", device.error().message.c_str());
    return 3;
  }
  std::printf("%s, %d steps each; milliseconds from the request, and of processor time\n",
              (*device)->description().name.c_str(), options.steps);
  std::printf("%-12s %-18s %9s %9s %9s %9s %9s %9s %11s %10s %7s\n", "family", "variant", "run p50",
              "run p95", "drawn p50", "drawn p95", "CPU p50", "CPU p95", "checked p50", "events max",
              "cost max");
  bool all_well = true;
  for (const Experiment* experiment : allExperiments()) {
    const FamilyInfo& family = experiment->info();
    for (const VariantInfo& variant : family.variants) {
      if (variant.planted) continue;  // its result may be wrong on purpose
      if (!isWanted(wanted, family.name, variant.name)) continue;
      all_well = measure(**device, family, variant.name, options) && all_well;
    }
  }
  return all_well ? 0 : 1;
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  // The device's child process is this program, started again.
  if (argc == 2 && std::string_view(argv[1]) == "serve") return warpscope::serve(0, 1);
  warpscope::Options options;
  std::vector<std::string> positional;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--drag") {
      options.drag = true;
    } else if (argument == "--counters") {
      options.counters = true;
    } else if (argument == "--steps") {
      options.steps = std::max(std::atoi(value.c_str()), 1);
      ++i;
    } else if (argument == "--set") {
      const size_t equals = value.find('=');
      if (equals == std::string::npos) {
        std::fprintf(stderr, "--set takes NAME=VALUE\n");
        return 2;
      }
      options.set[value.substr(0, equals)] = std::atoll(value.c_str() + equals + 1);
      ++i;
    } else {
      positional.push_back(argument);
    }
  }
  const std::string device = positional.empty() ? "" : positional.front();
  if (!positional.empty()) positional.erase(positional.begin());
  return warpscope::benchmark(device, positional, options);
}
