// The steps of a run that launch and time. See executor_state.h.
#include <algorithm>

#include "kernels/execute/executor_state.h"
#include "kernels/execute/instruction_log.h"

namespace warpscope {
namespace {

// The probed kernel's cost needs no more than a median; the bare kernel's time is what is reported. Short
// kernels, whose times scatter most, are repeated as often as the bare one, long ones so that a live slider
// does not feel it.
constexpr uint32_t kProbedWarmUps = 0;  // the launch that was traced is one
constexpr uint32_t kProbedLeastRepeats = 3;
constexpr double kProbedBudgetUs = 500;
constexpr uint32_t kCopyWarmUps = 2;
constexpr uint32_t kCopyRepeats = 10;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void takeProbeCost(Run& run, double probed_median_us) {
  run.probe.probed_median_us = probed_median_us;
  if (run.timing.median_us > 0) run.probe.ratio = probed_median_us / run.timing.median_us;
}

// A plain launch would wait for ever, or fail.
bool neverEnds(const Hazard& hazard) {
  return hazard.kind == HazardKind::kDeadlock || hazard.kind == HazardKind::kEndlessLoop ||
         hazard.kind == HazardKind::kTrap;
}

// The backend knows mangled names and numbers its buffers; people know both by the names of the plan.
void useNamesOfPlan(const LaunchPlan& plan, const std::vector<DeviceAddress>& working, Hazard& hazard) {
  hazard.kernel = plan.kernel;
  const auto begin = static_cast<uint64_t>(static_cast<int64_t>(hazard.address) - hazard.offset);
  const auto buffer = std::ranges::find(working, begin);
  if (hazard.space != "global" || buffer == working.end()) return;
  const size_t number_end = hazard.allocation.find(" (");
  if (number_end == std::string::npos) return;
  const std::string name = "'" + plan.buffers[static_cast<size_t>(buffer - working.begin())].name + "'";
  const std::string named = name + hazard.allocation.substr(number_end);
  if (const size_t at = hazard.message.find(hazard.allocation); at != std::string::npos) {
    hazard.message.replace(at, hazard.allocation.size(), named);
  }
  hazard.allocation = named;
}

}  // namespace

// Outputs get allocations of their own here, which end where they end: what a kernel writes behind them is
// then seen.
Expected<void> Executor::State::lookForHazards(Job& job) {
  const bool wanted = job.run.request.checks || job.experiment->info().checked;
  if (!wanted || backend.lastLaunch() == nullptr) return {};
  const std::vector<DeviceAddress> usual = job.working;
  std::vector<DeviceAddress> own;
  auto done = [&]() -> Expected<void> {
    for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
      if (!isScratch(job.plan.buffers[i])) continue;
      const auto room = backend.allocate(job.plan.buffers[i].bytes);
      if (!room) return tl::unexpected(room.error());
      own.push_back(*room);
      job.working[i] = *room;
    }
    LaunchSpec spec = launchSpec(job, job.bare);
    spec.timed = false;
    spec.checked = true;
    spec.step_limit =
        std::numeric_limits<uint64_t>::max();  // large launches are no mistake, and can be stopped
    return freshContents(job).and_then([&] { return backend.launch(spec); });
  }();
  if (done) {
    job.run.hazards = backend.lastLaunch()->hazards;
    for (Hazard& hazard : *job.run.hazards) useNamesOfPlan(job.plan, job.working, hazard);
    std::ranges::stable_sort(*job.run.hazards, {}, [](const Hazard& hazard) { return hazard.access.line; });
  }
  for (const DeviceAddress room : own) backend.free(room);
  job.working = usual;
  if (!done) return done;
  const auto ends_all = std::ranges::find_if(*job.run.hazards, neverEnds);
  if (ends_all == job.run.hazards->end()) return {};
  return fail(ErrorKind::kWorkFailed, "{} would not end, and was not run: {}", job.name,
              formatHazard(*ends_all));
}

Expected<void> Executor::State::verify(Job& job) {
  auto done = freshContents(job).and_then([&] { return backend.launch(launchSpec(job, job.bare)); });
  if (!done) return done;
  std::vector<std::span<const std::byte>> contents;
  for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
    if (isInput(job.plan.buffers[i])) continue;
    if (!job.plan.buffers[i].checked) {
      contents.emplace_back();
      continue;
    }
    const auto content = backend.downloadView(i, job.working[i], job.plan.buffers[i].bytes);
    if (!content) return tl::unexpected(content.error());
    contents.push_back(*content);
  }
  job.run.verification = job.plan.verify(contents);
  if (!job.run.verification.passed) {
    // The kernel may have written where it should not: the next run uploads its inputs again.
    inputs_distrusted = true;
  }
  return {};
}

Expected<void> Executor::State::timeBare(Job& job) {
  if (const LaunchReport* verified = backend.lastLaunch()) {
    job.bare_times_us = {verified->time_us};
    job.run.counters = verified->counters;
    takeTiming(job);
    return {};
  }
  // In-outs are not restored between repeats, so these may run on modified data: what is timed does not
  // depend on values unless a variant says so.
  const RunRequest& request = job.run.request;
  FillBefore reset;
  for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
    const BufferSpec& spec = job.plan.buffers[i];
    if (spec.filled_each_time) reset = {job.working[i], spec.fill, spec.bytes};
  }
  auto times = backend.time(launchSpec(job, job.bare), request.warm_ups, request.repeats, reset);
  if (!times) return tl::unexpected(times.error());
  job.bare_times_us = std::move(*times);
  takeTiming(job);
  return {};
}

void Executor::State::takeTiming(Job& job) {
  Timing& timing = job.run.timing;
  const auto [least, most] = std::ranges::minmax(job.bare_times_us);
  timing = {median(job.bare_times_us), least, most, static_cast<uint32_t>(job.bare_times_us.size()),
            job.run.request.warm_ups};
  job.run.bandwidth.bytes = job.plan.bytes_moved;
  if (timing.median_us > 0) {
    job.run.bandwidth.gb_per_s = static_cast<double>(job.plan.bytes_moved) / (timing.median_us * 1e3);
  }
}

// A copy reads and writes each byte, so half of the kernel's traffic goes each way. Where memory does not
// allow the two buffers, the ceiling stays unknown.
Expected<void> Executor::State::measureCopy(Job& job) {
  const uint64_t bytes = job.plan.bytes_moved / 2;
  if (bytes == 0) return {};
  auto known = copy_gb_per_s.find(bytes);
  if (known == copy_gb_per_s.end()) {
    const auto from = copy_from.atLeast(bytes);
    const auto to = from ? copy_to.atLeast(bytes) : from;
    if (!to) {
      copy_from.release();
      copy_to.release();
      return {};
    }
    const auto times = backend.timeCopy(*to, *from, bytes, kCopyWarmUps, kCopyRepeats);
    if (!times) return tl::unexpected(times.error());
    const double median_us = median(*times);
    if (median_us <= 0) return {};
    known = copy_gb_per_s.emplace(bytes, 2 * static_cast<double>(bytes) / (median_us * 1e3)).first;
  }
  job.run.bandwidth.copy_gb_per_s = known->second;
  return {};
}

// Of the same bytes, so that the two can be compared.
Expected<void> Executor::State::measureLibrary(Job& job) {
  if (!job.plan.library) return {};
  const LibraryWork& work = *job.plan.library;
  const std::pair key{work.kind, work.count};
  auto known = library_times.find(key);
  if (known == library_times.end()) {
    auto times = backend.timeLibrary(work.kind, job.working.at(work.input), work.count, kCopyWarmUps,
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

Expected<void> Executor::State::takeTrace(Job& job) {
  if (!collector) {
    const auto pack = library.module("probe_pack");
    if (!pack) return tl::unexpected(pack.error());
    collector.emplace(backend, *pack);
  }
  if (auto fresh = freshContents(job); !fresh) return fresh;
  LaunchSpec spec = launchSpec(job, job.probed);
  const Sampling& sampling = job.run.request.sampling;
  if (job.run.request.log_instructions)
    spec.log = {.first_blocks = sampling.first_blocks, .sms = sampling.sms};
  auto trace = collector->collect({std::move(spec), sampling, job.run.timing.median_us});
  if (!trace) return tl::unexpected(trace.error());
  job.run.trace = std::move(*trace);
  if (const LaunchReport* probed = collector->report()) {
    takeProbeCost(job.run, probed->time_us);
    if (job.run.request.log_instructions) {
      addInstructions(job.run.trace, *probed);
      job.run.listing = probed->listing;
    }
  }
  job.run.probe.kept = job.run.trace.events.size();
  job.run.probe.dropped = job.run.trace.dropped_events;
  return {};
}

Expected<void> Executor::State::timeProbed(Job& job) {
  if (job.run.probe.probed_median_us > 0) return {};  // the traced launch told
  const auto affordable = static_cast<uint32_t>(kProbedBudgetUs / std::max(job.run.timing.median_us, 1.0));
  const uint32_t repeats =
      std::clamp(affordable, kProbedLeastRepeats, std::max(job.run.request.repeats, kProbedLeastRepeats));
  const auto times = collector->timeAgain(kProbedWarmUps, repeats);
  if (!times) return tl::unexpected(times.error());
  takeProbeCost(job.run, median(*times));
  return measureResidency(job);  // a device that models time counts this by itself
}

Expected<void> Executor::State::measureResidency(Job& job) {
  const auto entry = library.entry(job.module, job.plan.kernel, ProbeKind::kResidency);
  if (!entry) return tl::unexpected(entry.error());
  const auto kernel = backend.kernel(job.module, *entry);
  if (!kernel) return tl::unexpected(kernel.error());
  // Where this form does not fit, nothing is known, and nothing is wrong with the run.
  if (!checkFit(job, *kernel, job.name)) return {};
  const auto resident = collector->meanResidentWarps(launchSpec(job, *kernel), job.run.timing.median_us,
                                                     job.run.occupancy.warps_per_sm);
  if (!resident) return tl::unexpected(resident.error());
  job.run.trace.mean_resident_warps = *resident;
  return {};
}

Expected<void> Executor::State::recordLanes(Job& job, const LaneLogOptions& options) {
  LaunchSpec spec = launchSpec(job, job.bare);
  spec.lanes = options;
  auto done = freshContents(job).and_then([&] { return backend.launch(spec); });
  if (!done) return done;
  const LaunchReport* report = backend.lastLaunch();
  if (report == nullptr || report->lanes == nullptr) {
    return fail(ErrorKind::kBadRequest, "{} does not tell what lanes do: a simulated GPU does",
                backend.description().name);
  }
  LaneLog& log = *report->lanes;
  log.request = job.run.request;
  log.source_file = job.run.source_file;
  for (LaneLogBuffer& buffer : log.buffers) {
    const auto found = std::ranges::find(job.working, buffer.address);
    if (found == job.working.end()) continue;
    const BufferSpec& of = job.plan.buffers[static_cast<size_t>(found - job.working.begin())];
    buffer.name = of.name;
    buffer.bytes = of.bytes;
  }
  return {};
}

}  // namespace warpscope
