#include "tests/gui/synthetic_recordings.h"

#include <algorithm>

#include "kernels/experiments/experiment.h"
#include "kernels/metrics/instruction_metrics.h"
#include "kernels/occupancy/occupancy.h"
#include "kernels/recording/recording.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope::testing {
namespace {

// Puts the synthetic regions' marks onto the regions that the variant has.
void useRegions(Run& run, std::vector<Region> regions) {
  for (TraceEvent& event : run.trace.events) {
    if (event.region != kExitRegion) event.region = regions[event.region.value % regions.size()].id;
  }
  run.regions = std::move(regions);
}

// The trace, and what follows from it and from the family.
void fillIn(Run& run, const Experiment& experiment, const SyntheticOptions& options) {
  run.trace = makeSyntheticTrace(options).truth;
  for (const ParameterSpec* spec : parametersOf(experiment.info(), run.request.variant)) {
    if (spec->kind != ParameterKind::kInteger)
      run.parameter_labels[spec->name] = formatParameter(*spec, run.request.parameters[spec->name]);
  }
  run.occupancy = theoreticalOccupancy(run.device.limits, run.resources, options.block_threads);
  if (auto regions = experiment.regions(run.request.variant)) useRegions(run, std::move(*regions));
  run.source = experiment.source(run.request.variant);
  run.source_file = experiment.sourceFile(run.request.variant);
  run.probe.kept = run.trace.events.size();
}

Run syntheticRun(const Experiment& experiment, size_t variant, int64_t block) {
  const FamilyInfo& info = experiment.info();
  Run run = makeSyntheticRun(info.name, info.variants[variant].name, block);
  SyntheticOptions options;
  options.block_threads = static_cast<uint32_t>(block);
  options.blocks = static_cast<uint32_t>(4096 / block);
  options.divergent = variant % 2 == 0;
  options.seed = static_cast<uint32_t>(block) + static_cast<uint32_t>(variant);
  run.grid = {options.blocks, 1, 1};
  run.request.parameters.clear();
  for (const ParameterSpec* spec : parametersOf(info, run.request.variant))
    run.request.parameters[spec->name] = spec->name == "block" ? block : spec->default_value;
  const double speed =
      0.25 + 0.7 * static_cast<double>(variant + 1) / static_cast<double>(info.variants.size());
  run.bandwidth.gb_per_s = 2950.5 * speed * static_cast<double>(block) / static_cast<double>(block + 32);
  const double median_us = 12.5 / speed;
  run.timing = {median_us, median_us * 0.985, median_us * 1.015, 20, 3};
  fillIn(run, experiment, options);
  return run;
}

// Made up, but adding up: one cycle in which it issued, and waits.
std::map<std::string, double> syntheticCounters(const Trace& trace) {
  std::map<std::string, double> counters;
  for (const WarpState state : {WarpState::kSelected, WarpState::kLongScoreboard, WarpState::kWait,
                                WarpState::kBarrier, WarpState::kNotSelected}) {
    counters[warpStateCounter(state)] =
        state == WarpState::kSelected ? 1 : 0.5 + static_cast<double>(state) / 4;
  }
  counters["smsp__inst_executed.sum"] = static_cast<double>(trace.instructions.size());
  counters["dram__bytes_read.sum"] = 1 << 20;
  counters["l1tex__t_sector_hit_rate.pct"] = 62.5;
  return counters;
}

// Made up: three launches, in each of which the GPU becomes busy and idle again.
ActivitySamples syntheticActivity(const Trace& trace) {
  ActivitySamples activity{.interval_ns = 1000, .uncertainty_ns = 32, .launches = 3};
  const double duration_ns = static_cast<double>(trace.duration_cycles) / trace.clocks.cycles_per_ns;
  const double interval = activity.interval_ns = duration_ns / 24;
  for (uint32_t launch = 0; launch < activity.launches; ++launch) {
    for (double begin = -interval * (1.3 - 0.3 * launch); begin < duration_ns; begin += interval) {
      const double at = std::clamp((begin + interval / 2) / duration_ns, 0.0, 1.0);
      const double busy = 4 * at * (1 - at);
      activity.samples.push_back(
          {begin, begin + interval, {100 * busy, 60 * busy * at, 45 * busy, 80 * busy * (1 - at)}});
    }
  }
  std::ranges::sort(activity.samples, {}, &ActivitySample::begin_ns);
  return activity;
}

// As if the sampler had found what the instructions' own waits say.
void addSamples(Run& run) {
  addInstructions(run);
  WaitSamples waits{.interval_cycles = 256, .launches = 32, .dropped = 12, .elsewhere = 40};
  waits.taken = waits.dropped + waits.elsewhere;
  const std::vector<IssueMetrics> metrics = issueMetricsOfListing(run);
  for (uint32_t listed = 0; listed < metrics.size(); ++listed) {
    for (size_t state = 0; state < kWarpStates; ++state) {
      const auto samples = static_cast<uint64_t>(metrics[listed].stalled[state]);
      if (samples > 0) waits.places.push_back({listed, static_cast<WarpState>(state), samples});
      waits.taken += samples;
    }
  }
  run.trace.instructions.clear();
  for (TraceWarp& warp : run.trace.warps) warp.first_instruction = warp.instruction_count = 0;
  run.request.log_instructions = false;
  run.request.samples = true;
  run.wait_samples = std::move(waits);
  run.activity_samples = syntheticActivity(run.trace);
}

Expected<std::filesystem::path> recordingsFolder(const std::filesystem::path& assets) {
  std::filesystem::path folder = assets / "recordings";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(ErrorKind::kWorkFailed, "cannot make {}: {}", folder.string(), error.message());
  return folder;
}

}  // namespace

std::vector<Run> syntheticFamily(const std::string& family) {
  std::vector<Run> runs;
  const auto experiment = findExperiment(family);
  if (!experiment) return runs;
  const FamilyInfo& info = (*experiment)->info();
  for (size_t variant = 0; variant < info.variants.size(); ++variant) {
    bool has_sizes = false;
    for (const ParameterSpec* spec : parametersOf(info, info.variants[variant].name)) {
      has_sizes = has_sizes || (spec->name == "block" && spec->kind == ParameterKind::kInteger);
    }
    for (const int64_t block : kRecordedBlocks) {
      if (!has_sizes && block != 256) continue;
      runs.push_back(syntheticRun(**experiment, variant, block));
      if (!has_sizes) {
        for (const ParameterSpec* spec : parametersOf(info, info.variants[variant].name)) {
          if (spec->name == "block") runs.back().request.parameters["block"] = spec->default_value;
        }
      }
    }
  }
  return runs;
}

Expected<void> writeSyntheticAssets(const std::filesystem::path& assets,
                                    const std::vector<std::string>& families) {
  const auto folder = recordingsFolder(assets);
  if (!folder) return tl::unexpected(folder.error());
  for (const std::string& family : families) {
    const std::vector<Run> runs = syntheticFamily(family);
    if (auto written = writeRecording(*folder / (family + ".wsrec"), runs); !written) return written;
  }
  return {};
}

Expected<void> writePlannedAsset(const std::filesystem::path& assets, const std::string& family,
                                 const std::string& variant, const ParameterValues& parameters) {
  const auto folder = recordingsFolder(assets);
  if (!folder) return tl::unexpected(folder.error());
  const auto experiment = findExperiment(family);
  if (!experiment) return tl::unexpected(experiment.error());
  Run run = makeSyntheticRun(family, variant);
  run.request.parameters = parameters;
  auto request = completeRequest((*experiment)->info(), run.request);
  if (!request) return tl::unexpected(request.error());
  run.request = std::move(*request);
  const auto plan = (*experiment)->plan(run.request, run.device.limits);
  if (!plan) return tl::unexpected(plan.error());
  run.grid = plan->grid;
  run.block = plan->block;
  SyntheticOptions options;
  options.blocks = static_cast<uint32_t>(plan->grid.count());
  options.block_threads = static_cast<uint32_t>(plan->block.count());
  fillIn(run, **experiment, options);
  return writeRecording(*folder / (family + ".wsrec"), std::vector<Run>{std::move(run)});
}

Expected<void> writeModelledAssets(const std::filesystem::path& assets, const std::string& family) {
  const auto folder = recordingsFolder(assets);
  if (!folder) return tl::unexpected(folder.error());
  std::vector<Run> runs = syntheticFamily(family);
  for (Run& run : runs) {
    run.device.provenance = Provenance::kModelled;
    run.device.name = "Simulated synthetic GPU";
    addInstructions(run);
    run.counters = syntheticCounters(run.trace);
  }
  return writeRecording(*folder / (family + ".wsrec"), runs);
}

Expected<void> writeSampledAssets(const std::filesystem::path& assets, const std::string& family) {
  const auto folder = recordingsFolder(assets);
  if (!folder) return tl::unexpected(folder.error());
  std::vector<Run> runs = syntheticFamily(family);
  for (Run& run : runs) addSamples(run);
  return writeRecording(*folder / (family + ".wsrec"), runs);
}

}  // namespace warpscope::testing
