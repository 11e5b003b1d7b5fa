// The steps of a run that launch on a real GPU and measure it. See executor_state.h.
#include <algorithm>

#include "kernels/execute/executor_state.h"
#include "kernels/execute/place_samples.h"
#include "kernels/metrics/counters.h"

namespace warpscope {
namespace {

// The probed kernel's cost needs no more than a median; the bare kernel's time is what is reported. Short
// kernels, whose times scatter most, are repeated as often as the bare one; long ones only as often as leaves
// a live slider responsive.
// The traced launch has warmed it, but only launches after a warm-up are queued behind the hold, without
// which a short kernel's time would count its sending (Backend::time).
constexpr uint32_t kProbedWarmUps = 1;
constexpr uint32_t kProbedLeastRepeats = 3;
constexpr double kProbedBudgetUs = 500;
constexpr double kStreamsBudgetUs = 10'000;
constexpr uint32_t kLibraryWarmUps = 2;
constexpr uint32_t kActivityLaunches = 4;

struct MeasuringState final : Executor::State {
  using State::State;

  std::span<const Step> steps() const override;
  Expected<LaneLog> recordLanes(Job& /*job*/, const LaneLogOptions& /*options*/) override {
    return fail(ErrorKind::kBadRequest, "{} does not report what lanes do: a simulated GPU does",
                backend.description().name);
  }
  Expected<Executor::RecordedValues> recordValues(Job& /*job*/,
                                                  const ModelledLaunch::ValueRequest& /*of*/) override {
    return fail(ErrorKind::kBadRequest, "{} does not report what registers hold: a simulated GPU does",
                backend.description().name);
  }

  Expected<void> verify(Job& job);
  Expected<void> timeBare(Job& job);
  Expected<void> timeStreams(Job& job);
  Expected<void> traceWarmStreams(Job& job);
  Expected<void> measureLibrary(Job& job);
  Expected<void> takeTrace(Job& job);
  Expected<void> timeProbed(Job& job);
  Expected<void> measureResidency(Job& job);
  Expected<void> countEvents(Job& job);
  Expected<void> sample(Job& job);
  Expected<void> sampleWaits(Job& job);
  Expected<void> sampleActivity(Job& job);
  Expected<void> restore(const Job& job);
  bool mayUseLocalMemory(const Job& job);
  ProbedLaunch::Launch launchOf(const Job& job);

  std::map<std::pair<LibraryWork::Kind, uint64_t>, std::optional<LibraryTimes>> library_times;  // by count
};

std::span<const Executor::State::Step> MeasuringState::steps() const {
  static constexpr Step kSteps[] = {
      {0.05, "loading the kernel", stepOf<MeasuringState, &MeasuringState::findKernels>,
       Step::Nearest::kWithAllMemory},
      {0.10, "checking memory", stepOf<MeasuringState, &MeasuringState::reserveMemory>,
       Step::Nearest::kWithFreeMemory, true},
      {0.15, "uploading inputs", stepOf<MeasuringState, &MeasuringState::uploadInputs>},
      {0.30, "verifying the result", stepOf<MeasuringState, &MeasuringState::verify>},
      {0.50, "timing", stepOf<MeasuringState, &MeasuringState::timeBare>},
      {0.60, "timing a copy", stepOf<MeasuringState, &MeasuringState::measureCopy>},
      {0.64, "timing a library", stepOf<MeasuringState, &MeasuringState::measureLibrary>},
      {0.66, "tracing", stepOf<MeasuringState, &MeasuringState::takeTrace>},
      {0.90, "timing with probes", stepOf<MeasuringState, &MeasuringState::timeProbed>},
      {0.95, "reading counters", stepOf<MeasuringState, &MeasuringState::countEvents>},
      {0.97, "sampling", stepOf<MeasuringState, &MeasuringState::sample>},
  };
  return kSteps;
}

Expected<void> MeasuringState::verify(Job& job) {
  if (!job.plan.operations.empty()) return executeStreams(job);
  const auto launched = freshContents(job).and_then(
      [&] { return backend.launch(launchSpec(job, job.bare), job.stop, job.listener); });
  if (!launched) return tl::unexpected(launched.error());
  return verifyOutputs(job);
}

// Each execution is as long as the copies, so that fewer of them are timed than of a single launch. What
// records the times of each operation slows all of them down (docs/streams.md), so that the last execution
// tells these, and those before it how long all take.
Expected<void> MeasuringState::timeStreams(Job& job) {
  std::vector<double> times_us;
  const double once_us = std::max(job.run.timing.median_us, 1.0);
  const auto affordable = static_cast<uint32_t>(kStreamsBudgetUs / once_us);
  const uint32_t repeats = std::clamp(affordable, 1U, job.run.request.repeats);
  for (uint32_t i = 0; i < repeats; ++i) {
    const auto time_us = runBareStreams(job, StreamWork::Clocks::kWhole);
    if (!time_us) return tl::unexpected(time_us.error());
    times_us.push_back(*time_us);
  }
  takeTiming(job, times_us);
  const auto warm = runBareStreams(job);
  return warm ? Expected<void>{} : tl::unexpected(warm.error());
}

// The probed kernels' first execution, which loads them, is not kept.
Expected<void> MeasuringState::traceWarmStreams(Job& job) {
  const auto launches = armLaunches(job);
  if (!launches) return tl::unexpected(launches.error());
  const auto cold = backend.runStreams(streamWork(job, *launches), job.stop, job.listener);
  if (!cold) return tl::unexpected(cold.error());
  return traceStreams(job);
}

Expected<void> MeasuringState::timeBare(Job& job) {
  if (!job.plan.operations.empty()) return timeStreams(job);
  // Buffers that are read and written are not restored between repeats, so these may run on modified data:
  // the time does not depend on the values unless a variant says so.
  const RunRequest& request = job.run.request;
  FillBefore reset;
  for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
    const BufferSpec& spec = job.plan.buffers[i];
    if (spec.filled_each_time) reset = {job.working[i], spec.fill, spec.bytes};
  }
  auto times = backend.time(launchSpec(job, job.bare), request.warm_ups, request.repeats, reset);
  if (!times) return tl::unexpected(times.error());
  takeTiming(job, *times);
  return {};
}

// The library works on the same data, so that the two can be compared.
Expected<void> MeasuringState::measureLibrary(Job& job) {
  if (!job.plan.library) return {};
  const LibraryWork& work = *job.plan.library;
  const std::pair key{work.kind, work.count};
  auto known = library_times.find(key);
  if (known == library_times.end()) {
    auto times = backend.timeLibrary(work.kind, job.working.at(work.input), work.count, kLibraryWarmUps,
                                     job.run.request.repeats);
    if (!times) return tl::unexpected(times.error());
    known = library_times.emplace(key, std::move(*times)).first;
  }
  if (!known->second || known->second->times_us.empty()) return {};
  const double median_us = median(known->second->times_us);
  if (median_us <= 0) return {};
  job.run.bandwidth.library =
      Bandwidth::Library{known->second->name, static_cast<double>(job.plan.bytes_moved) / (median_us * 1e3)};
  return {};
}

Expected<void> MeasuringState::takeTrace(Job& job) {
  if (!job.plan.is_marked) return {};
  if (!job.plan.operations.empty())
    return job.plan.has_probe_parameter ? traceWarmStreams(job) : traceStreams(job);
  return collectTrace(job, launchOf(job));
}

ProbedLaunch::Launch MeasuringState::launchOf(const Job& job) {
  return [this, &job](const LaunchSpec& spec, const std::vector<std::byte>&) {
    return backend.launch(spec, job.stop, job.listener).map([](const LaunchReport&) {});
  };
}

Expected<void> MeasuringState::timeProbed(Job& job) {
  // The execution of a plan with operations that was traced has been timed as well.
  if (!job.plan.is_marked || !job.plan.operations.empty()) return {};
  const auto affordable = static_cast<uint32_t>(kProbedBudgetUs / std::max(job.run.timing.median_us, 1.0));
  const uint32_t repeats =
      std::clamp(affordable, kProbedLeastRepeats, std::max(job.run.request.repeats, kProbedLeastRepeats));
  const auto times = collector->timeAgain(kProbedWarmUps, repeats);
  if (!times) return tl::unexpected(times.error());
  takeProbeCost(job.run, median(*times), job.run.timing.median_us);
  return measureResidency(job);
}

Expected<void> MeasuringState::measureResidency(Job& job) {
  if (!job.plan.has_probe_parameter) return {};  // there is no such form of it
  const auto entry = library.entry(job.module, job.plan.kernel, ProbeKind::kResidency);
  if (!entry) return tl::unexpected(entry.error());
  const auto kernel = backend.kernel(job.module, *entry);
  if (!kernel) return tl::unexpected(kernel.error());
  // Where this form does not fit, the value stays unknown; the run is still valid.
  if (!checkFit(job, *kernel, job.name)) return {};
  const auto resident = collector->meanResidentWarps(launchSpec(job, *kernel), job.run.timing.median_us,
                                                     job.run.occupancy.warps_per_sm);
  if (!resident) return tl::unexpected(resident.error());
  if (*resident) {
    job.run.trace.mean_resident_warps = (*resident)->mean;
    job.run.trace.residency_evidence = (*resident)->evidence;
  }
  return {};
}

// Between launches that are only for counters and samples a slider that moves on gives these up.
//
// Outputs that the kernel only writes stay as they are, as between the timed launches: to fill them would
// leave lines in L2 that the counted launch has to write back (twice the DRAM bytes of a transpose on an
// H100).
Expected<void> MeasuringState::restore(const Job& job) {
  if (job.stop.stop_requested()) return fail(ErrorKind::kCancelled, "{} was stopped", job.name);
  for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
    const BufferSpec& spec = job.plan.buffers[i];
    if (isOutput(spec) && spec.fill == BufferSpec::kNeverWritten) continue;
    if (auto done = freshContent(job, i); !done) return done;
  }
  return {};
}

// Local memory holds variables, registers that were spilled, and the stack of functions that are called.
bool MeasuringState::mayUseLocalMemory(const Job& job) {
  const bool calls = job.module.ptx.empty() || job.module.ptx.find("call") != std::string::npos;
  const auto has_some = [&](KernelHandle kernel) {
    const auto resources = backend.resources(kernel, 0);
    return !resources || resources->local_bytes_per_thread > 0;
  };
  return calls || has_some(job.bare) || std::ranges::any_of(job.following, has_some);
}

// The last steps are those that take further launches, as many as the GPU needs passes: the run is announced
// before. Where counters and samples cannot be read, the run is valid all the same.
Expected<void> MeasuringState::countEvents(Job& job) {
  const std::vector<std::string>& wanted = job.run.request.counters;
  if (wanted.empty()) {
    // Gives back the counters of an earlier run. Where there are none, there is nothing to give back.
    const auto ignored = backend.count(launchSpec(job, job.bare), {}, [] { return Expected<void>{}; });
    return {};
  }
  if (!job.plan.operations.empty()) {
    job.run.counters_problem = "counters are read of single launches, not of operations on streams";
    return {};
  }
  job.announce();
  if (job.stop.stop_requested()) return restore(job);
  std::vector<std::string> asked = wanted;
  const bool usual = wanted == usualCounters();
  if (usual && !job.objects.hasImages()) std::erase_if(asked, countsImages);
  const bool counts_local = !usual || mayUseLocalMemory(job);
  if (!counts_local) std::erase_if(asked, countsLocalMemory);
  auto counted = backend.count(launchSpec(job, job.bare), asked, [&] { return restore(job); });
  if (counted) {
    job.run.counters = std::move(*counted);
    if (counts_local) return {};
    for (const std::string& name : wanted) {
      if (countsLocalMemory(name)) job.run.counters.emplace(name, 0);
    }
    return {};
  }
  if (counted.error().kind != ErrorKind::kNoDevice) return tl::unexpected(std::move(counted.error()));
  job.run.counters_problem = std::move(counted.error().message);
  return {};
}

Expected<void> MeasuringState::sample(Job& job) {
  if (!job.run.request.samples) return {};
  if (!job.plan.operations.empty()) {
    job.run.samples_problem = "single launches are sampled, not operations on streams";
    return {};
  }
  job.announce();
  const auto or_problem = [&](Expected<void> done) {
    if (done || done.error().kind != ErrorKind::kNoDevice) return done;
    if (job.run.samples_problem.empty()) job.run.samples_problem = std::move(done.error().message);
    return Expected<void>{};
  };
  return or_problem(sampleWaits(job)).and_then([&] { return or_problem(sampleActivity(job)); });
}

Expected<void> MeasuringState::sampleWaits(Job& job) {
  const auto entry = library.entry(job.module, job.plan.kernel, ProbeKind::kBare);
  if (!entry) return tl::unexpected(entry.error());
  const auto waits =
      backend.sampleWaits(launchSpec(job, job.bare), job.run.timing.median_us, [&] { return restore(job); });
  if (!waits) return tl::unexpected(waits.error());
  job.run.listing = placeWaits(*waits, job.module.ptx, *entry, job.run.wait_samples.emplace());
  return {};
}

// With probes, because these launches are what the timeline shows.
Expected<void> MeasuringState::sampleActivity(Job& job) {
  if (!job.plan.is_marked) return {};
  ActivitySamples samples;
  for (uint32_t i = 0; i < kActivityLaunches; ++i) {
    if (job.stop.stop_requested()) return restore(job);
    TimedActivity activity;
    const auto launch = launchOf(job);
    const auto trace = probe(job, [&](const LaunchSpec& spec, const std::vector<std::byte>& params) {
      return backend.sampleActivity(job.run.probe.probed_median_us, [&] { return launch(spec, params); })
          .map([&](TimedActivity&& sampled) { activity = std::move(sampled); });
    });
    if (!trace) return tl::unexpected(trace.error());
    const double rate = trace->clocks.cycles_per_ns;
    if (rate > 0) addActivity(activity, static_cast<double>(trace->duration_cycles) / rate, samples);
  }
  if (!samples.samples.empty()) job.run.activity_samples = std::move(samples);
  return {};
}

}  // namespace

std::unique_ptr<Executor::State> measuringState(Backend& backend, KernelLibrary library) {
  return std::make_unique<MeasuringState>(backend, std::move(library));
}

}  // namespace warpscope
