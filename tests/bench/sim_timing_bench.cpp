// Measures how fast the simulated GPU runs with timing: million PTX warp-instructions per second for each
// variant of each family, in processor time of one thread (which a busy machine disturbs little); and in wall
// time (which a busy machine disturbs) the gain and the rate of several threads. It also prints cycles and a
// digest of all counters: a change that is only meant to make it faster must not change them.
//
//   sim_timing_bench [FAMILY/VARIANT's part] [--repeats N] [--threads N] [--profile FILE.json]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/occupancy/occupancy.h"
#include "kernels/sim/sm/timed_grid.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

struct Options {
  std::string filter, profile;  // empty profile: the default one
  uint32_t repeats = 5, threads = 2;
};

// Everything else is as on a real GPU by default. These sizes keep a run at around a million
// warp-instructions.
const std::map<std::string, int64_t> kSizes = {
    {"divergence", int64_t{1} << 15}, {"reduction", int64_t{1} << 18}, {"transpose", int64_t{1} << 20}};

double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Spread {
  double median = 0, least = 0, most = 0;
};

Spread spreadOf(std::vector<double> values) {
  std::ranges::sort(values);
  return {values[values.size() / 2], values.front(), values.back()};
}

class TimedVariant {
 public:
  TimedVariant(const LaunchPlan& plan, sim::DeviceProfile profile)
      : plan_(plan, ProbeKind::kBare, std::vector<std::byte>(1)),
        profile_(std::move(profile)),
        launch_(plan_.launch()),
        machine_(sim::lowerToMachine(*launch_.code, profile_)),
        caches_(profile_) {
    const KernelResources needed{machine_.registers_per_thread, launch_.code->static_shared_bytes,
                                 launch_.dynamic_shared_bytes};
    const auto threads = static_cast<uint32_t>(launch_.block.count());
    blocks_per_sm_ = theoreticalOccupancy(profile_.limits, needed, threads).blocks_per_sm;
  }

  sim::TimedResult run(uint32_t threads) {
    caches_.clear();
    const sim::TimedOptions options{.threads = threads, .blocks_per_sm = blocks_per_sm_};
    auto result = sim::runTimed(launch_, machine_, profile_, caches_, options, {});
    if (result) return std::move(*result);
    fmt::print(stderr, "{}\n", result.error().message);
    std::exit(1);
  }

  // The seconds of `clock` that each of several runs takes.
  Spread measure(uint32_t threads, uint32_t repeats, double (*clock)()) {
    std::vector<double> seconds;
    for (uint32_t i = 0; i < repeats; ++i) {
      const double begin = clock();
      run(threads);
      seconds.push_back(clock() - begin);
    }
    return spreadOf(std::move(seconds));
  }

 private:
  SimulatedPlan plan_;
  sim::DeviceProfile profile_;
  sim::Launch launch_;
  sim::MachineCode machine_;
  sim::DeviceCaches caches_;
  uint32_t blocks_per_sm_ = 1;
};

uint64_t digestOf(const std::map<std::string, double>& counters) {
  std::string text;
  for (const auto& [name, value] : counters) text += fmt::format("{}={:.17g};", name, value);
  return std::hash<std::string>()(text);
}

struct Means {
  double rate_logarithms = 0, gain_logarithms = 0;
  double instructions = 0, seconds = 0;
  int count = 0;
};

void measureVariant(const std::string& name, const LaunchPlan& plan, const sim::DeviceProfile& profile,
                    const Options& options, Means& means) {
  TimedVariant variant(plan, profile);
  const sim::TimedResult result = variant.run(1);
  const auto instructions = static_cast<double>(result.warp_instructions);
  const Spread one = variant.measure(1, options.repeats, processorSeconds);
  const double rate = instructions / one.median / 1e6;
  const double wall_one = variant.measure(1, options.repeats, wallSeconds).least;
  const double wall_many = variant.measure(options.threads, options.repeats, wallSeconds).least;
  fmt::print("{:26} {:>12} {:>8.1f} {:>9.2f} {:>6.2f}-{:<6.2f} {:>7.2f} {:>8.2f} {:>11} {:016x}\n", name,
             result.warp_instructions, 1e3 * one.median, rate, instructions / one.most / 1e6,
             instructions / one.least / 1e6, wall_one / wall_many, instructions / wall_many / 1e6,
             result.cycles, digestOf(result.counters));
  std::fflush(stdout);
  means.rate_logarithms += std::log(rate);
  means.gain_logarithms += std::log(wall_one / wall_many);
  means.instructions += instructions;
  means.seconds += one.median;
  ++means.count;
}

Expected<sim::DeviceProfile> profileOf(const Options& options) {
  if (!options.profile.empty()) return sim::readProfile(options.profile);
  return std::move(sim::bundledProfiles().front());
}

int run(const Options& options) {
  const auto read = profileOf(options);
  if (!read) {
    fmt::print(stderr, "{}\n", read.error().message);
    return 2;
  }
  const sim::DeviceProfile& profile = *read;
  fmt::print("{}, {} runs each; rates in million PTX warp-instructions a second\n", profile.name,
             options.repeats);
  fmt::print("{:26} {:>12} {:>8} {:>9} {:^13} {:>7} {:>8} {:>11} {:>16}\n", "", "instructions", "ms",
             "1 thread", "spread", "gain", fmt::format("{} thr.", options.threads), "cycles", "counters");
  Means means;
  for (const Experiment* experiment : allExperiments()) {
    const FamilyInfo& family = experiment->info();
    for (const VariantInfo& variant : family.variants) {
      const std::string name = family.name + "/" + variant.name;
      if (name.find(options.filter) == std::string::npos) continue;
      RunRequest request{.family = family.name, .variant = variant.name};
      if (const auto size = kSizes.find(family.name); size != kSizes.end())
        request.parameters["size"] = size->second;
      const auto complete = completeRequest(family, request, DeviceKind::kCuda);
      const auto plan = complete ? experiment->plan(*complete, profile.limits)
                                 : Expected<LaunchPlan>(tl::unexpected(complete.error()));
      if (!plan) {
        fmt::print("{:26} {}\n", name, plan.error().message);
        continue;
      }
      measureVariant(name, *plan, profile, options, means);
    }
  }
  if (means.count == 0) return 2;
  fmt::print("{:26} {:>12} {:>8} {:>9.2f} {:13} {:>7.2f}\n", "geometric mean", "", "",
             std::exp(means.rate_logarithms / means.count), "",
             std::exp(means.gain_logarithms / means.count));
  fmt::print("{:26} {:>12.0f} {:>8.1f} {:>9.2f}\n", "all together", means.instructions, 1e3 * means.seconds,
             means.instructions / means.seconds / 1e6);
  return 0;
}

}  // namespace
}  // namespace warpscope::test

int main(int argc, char** argv) {
  warpscope::test::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--repeats") {
      options.repeats = static_cast<uint32_t>(std::max(1, std::atoi(value.c_str()))), ++i;
    } else if (argument == "--threads") {
      options.threads = static_cast<uint32_t>(std::max(1, std::atoi(value.c_str()))), ++i;
    } else if (argument == "--profile") {
      options.profile = value, ++i;
    } else {
      options.filter = argument;
    }
  }
  return warpscope::test::run(options);
}
