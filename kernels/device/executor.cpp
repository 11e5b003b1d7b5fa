#include "kernels/device/executor.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/device/device_memory.h"
#include "kernels/device/instruction_log.h"
#include "kernels/device/launch_check.h"
#include "kernels/device/nearest_request.h"
#include "kernels/device/occupancy.h"
#include "kernels/device/parameter_bytes.h"
#include "kernels/device/trace_collector.h"

namespace warpscope {
namespace {

constexpr double kInputCacheShare = 0.25;  // of the device's memory
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

std::string nowIso() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

void takeProbeCost(Run& run, double probed_median_us) {
  run.probe.probed_median_us = probed_median_us;
  if (run.timing.median_us > 0) run.probe.ratio = probed_median_us / run.timing.median_us;
}

bool isInput(const BufferSpec& spec) {
  return spec.role == BufferSpec::Role::kInput;
}
bool isOutput(const BufferSpec& spec) {
  return spec.role == BufferSpec::Role::kOutput;
}
// What the kernel writes to and the executor makes room for.
bool isScratch(const BufferSpec& spec) {
  return !isInput(spec) && spec.symbol.empty();
}

// A plain launch would wait for ever, or fail.
bool neverEnds(const Hazard& hazard) {
  return hazard.kind == HazardKind::kDeadlock || hazard.kind == HazardKind::kEndlessLoop ||
         hazard.kind == HazardKind::kTrap;
}

// From how long a share of a launch took; 0 while that says little.
double secondsLeft(double seconds, double share, double launches_to_come) {
  constexpr double kTooSoon_s = 0.5;
  if (seconds < kTooSoon_s || share <= 0) return 0;
  return seconds / share * (1 - share + launches_to_come);
}

// What a run takes of memory in which nothing of it lies yet.
uint64_t neededAfresh(const LaunchPlan& plan) {
  uint64_t needed = 0;
  for (const BufferSpec& spec : plan.buffers) {
    if (!spec.symbol.empty()) continue;
    needed += spec.bytes * (spec.role == BufferSpec::Role::kInOut ? 2 : 1);
  }
  return needed;
}

// One run as it proceeds: what is asked for, where its buffers lie, what has come out.
struct Job {
  const Experiment* experiment = nullptr;
  LaunchPlan plan;
  std::string name;  // "reduction/shuffle"
  ModuleImage module;
  KernelHandle bare, probed;
  std::vector<KernelHandle> following;  // bare
  std::vector<DeviceAddress> pristine;  // start contents of inputs and in-outs; 0 for outputs
  std::vector<DeviceAddress> working;   // what the kernel is given
  std::vector<double> bare_times_us;
  Run run;
};

// The backend knows mangled names and numbers its buffers; people know both by the names of the plan.
void useNamesOfPlan(const Job& job, Hazard& hazard) {
  hazard.kernel = job.plan.kernel;
  const auto begin = static_cast<uint64_t>(static_cast<int64_t>(hazard.address) - hazard.offset);
  const auto buffer = std::ranges::find(job.working, begin);
  if (hazard.space != "global" || buffer == job.working.end()) return;
  const size_t number_end = hazard.allocation.find(" (");
  if (number_end == std::string::npos) return;
  const std::string name =
      "'" + job.plan.buffers[static_cast<size_t>(buffer - job.working.begin())].name + "'";
  const std::string named = name + hazard.allocation.substr(number_end);
  if (const size_t at = hazard.message.find(hazard.allocation); at != std::string::npos) {
    hazard.message.replace(at, hazard.allocation.size(), named);
  }
  hazard.allocation = named;
}

}  // namespace

KernelLibrary builtInKernels() {
  return {[](const std::string& family) { return findExperiment(family); },
          [](const std::string& module) { return findModule(module); },
          [](const ModuleImage& module, const std::string& kernel, ProbeKind probe) {
            return findEntry(module, kernel, probe);
          }};
}

struct Executor::State {
  State(Backend& on, KernelLibrary kernels) : backend(on), library(std::move(kernels)), inputs(on) {}

  Backend& backend;
  KernelLibrary library;
  InputCache inputs;
  std::vector<GrowBuffer> scratch;  // by buffer index: outputs and in-outs
  GrowBuffer copy_from{backend}, copy_to{backend};
  std::map<uint64_t, double> copy_gb_per_s;  // by bytes a direction
  std::map<std::pair<LibraryWork::Kind, uint64_t>, std::optional<LibraryTimes>> library_times;  // by count
  std::optional<TraceCollector> collector;
  bool inputs_distrusted = false;
  std::optional<RunRequest> last_possible;

  Expected<RunRequest> complete(const RunRequest& request) const;
  Expected<void> prepare(Job& job, const RunRequest& complete);
  Expected<void> findKernels(Job& job);
  Expected<void> reserveMemory(Job& job);
  Expected<void> uploadInputs(Job& job);
  Expected<void> freshContents(const Job& job);
  Expected<void> lookForHazards(Job& job);
  Expected<void> verify(Job& job);
  Expected<void> timeBare(Job& job);
  Expected<void> measureCopy(Job& job);
  Expected<void> measureLibrary(Job& job);
  Expected<void> takeTrace(Job& job);
  Expected<void> timeProbed(Job& job);
  Expected<void> recordLanes(Job& job, const LaneLogOptions& options);

  tl::unexpected<Error> withNearest(Error error, const RunRequest& request, uint64_t memory_bytes);
  Expected<void> checkFit(const Job& job, KernelHandle kernel, const std::string& what);
  LaunchSpec launchSpec(const Job& job, KernelHandle kernel) const;
  void takeTiming(Job& job);
  void makeRoom();
};

Expected<RunRequest> Executor::State::complete(const RunRequest& request) const {
  const auto experiment = library.experiment(request.family);
  if (!experiment) return tl::unexpected(experiment.error());
  auto complete = completeRequest((*experiment)->info(), request, backend.description().kind);
  if (!complete) return complete;
  if (complete->repeats == 0) {
    return fail(ErrorKind::kBadRequest, "a run must time at least 1 repeat; 20 are usual");
  }
  if (complete->sampling.max_warps == 0 || complete->sampling.records_per_lane == 0) {
    return fail(ErrorKind::kBadRequest, "a trace needs room for at least 1 warp and 1 record a lane");
  }
  return complete;
}

Expected<void> Executor::State::prepare(Job& job, const RunRequest& complete) {
  job.experiment = *library.experiment(complete.family);
  const FamilyInfo& family = job.experiment->info();
  job.name = fmt::format("{}/{}", complete.family, complete.variant);

  auto plan = job.experiment->plan(complete, backend.description().limits);
  if (!plan) return tl::unexpected(plan.error());
  job.plan = std::move(*plan);
  if (auto possible = checkLaunch(job.plan, backend.description(), job.name); !possible) return possible;
  auto regions = job.experiment->regions(complete.variant);
  if (!regions) return tl::unexpected(regions.error());

  Run& run = job.run;
  run.request = complete;
  run.request.sampling = resolveSampling(run.request.sampling, job.plan.grid, job.plan.block);
  run.device = backend.description();
  run.created = nowIso();
  run.grid = job.plan.grid;
  run.block = job.plan.block;
  run.regions = std::move(*regions);
  run.source_file = job.experiment->sourceFile(run.request.variant);
  run.source = job.experiment->source(run.request.variant);
  for (const ParameterSpec* spec : parametersOf(family, run.request.variant)) {
    const int64_t value = run.request.parameters.at(spec->name);
    std::string label = formatParameter(*spec, value);
    if (label != fmt::format("{}", value)) run.parameter_labels.emplace(spec->name, std::move(label));
  }
  return {};
}

Expected<void> Executor::State::findKernels(Job& job) {
  const auto module = library.module(job.plan.module);
  if (!module) return tl::unexpected(module.error());
  job.module = *module;
  const DeviceDescription& device = backend.description();
  if (auto able = checkCapability(job.module, device, job.name); !able) return able;
  const auto find = [&](const std::string& kernel, ProbeKind probe) {
    return library.entry(job.module, kernel, probe).and_then([&](const std::string& entry) {
      return backend.kernel(job.module, entry);
    });
  };
  const auto bare = find(job.plan.kernel, ProbeKind::kBare);
  if (!bare) return tl::unexpected(bare.error());
  const auto probed = find(job.plan.kernel, ProbeKind::kProbed);
  if (!probed) return tl::unexpected(probed.error());
  job.bare = *bare;
  job.probed = *probed;
  // The probed form may need more registers; it must fit as well.
  auto possible = checkFit(job, job.bare, job.name).and_then([&] {
    return checkFit(job, job.probed, job.name + " with probes");
  });
  if (!possible) return possible;
  for (const FollowingLaunch& launch : job.plan.following) {
    const auto kernel = find(launch.kernel, ProbeKind::kBare);
    if (!kernel) return tl::unexpected(kernel.error());
    job.following.push_back(*kernel);
    const auto needs = backend.resources(*kernel, launch.dynamic_shared_bytes);
    if (!needs) return tl::unexpected(needs.error());
    possible = checkResources(launch.block, *needs, device, job.name + "'s next launch");
    if (!possible) return possible;
  }
  const auto resources = backend.resources(job.bare, job.plan.dynamic_shared_bytes);
  if (!resources) return tl::unexpected(resources.error());
  job.run.resources = *resources;
  job.run.occupancy =
      theoreticalOccupancy(device.limits, *resources, static_cast<uint32_t>(job.plan.block.count()));
  return {};
}

Expected<void> Executor::State::checkFit(const Job& job, KernelHandle kernel, const std::string& what) {
  const auto resources = backend.resources(kernel, job.plan.dynamic_shared_bytes);
  if (!resources) return tl::unexpected(resources.error());
  auto possible = checkResources(job.plan.block, *resources, backend.description(), what);
  if (!possible || !job.plan.cooperative) return possible;
  const auto blocks = backend.maxActiveBlocksPerSm(kernel, static_cast<uint32_t>(job.plan.block.count()),
                                                   job.plan.dynamic_shared_bytes);
  if (!blocks) return tl::unexpected(blocks.error());
  return checkResident(job.plan, *blocks, backend.description(), what);
}

// Gives back what only saves time.
void Executor::State::makeRoom() {
  while (inputs.evictOne()) {
  }
  copy_from.release();
  copy_to.release();
  if (collector) collector->release();
}

Expected<void> Executor::State::reserveMemory(Job& job) {
  const std::vector<BufferSpec>& buffers = job.plan.buffers;
  if (std::exchange(inputs_distrusted, false)) inputs.clear();
  inputs.beginRun(
      static_cast<uint64_t>(kInputCacheShare * static_cast<double>(backend.description().memory_bytes)));
  while (scratch.size() < buffers.size()) scratch.emplace_back(backend);
  uint64_t needed = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (isScratch(buffers[i])) needed += scratch[i].growthFor(buffers[i].bytes);
    if (!isOutput(buffers[i]) && !inputs.holds(buffers[i])) needed += buffers[i].bytes;
  }
  // Nothing to allocate: the driver is not even asked, which would take longer than a small kernel.
  if (needed == 0) return {};

  auto memory = backend.memory();
  if (!memory) return tl::unexpected(memory.error());
  if (needed > memory->free_bytes) {
    // Also what this run would take from the cache goes, so what is needed is counted anew.
    makeRoom();
    for (GrowBuffer& buffer : scratch) buffer.release();
    needed = neededAfresh(job.plan);
    memory = backend.memory();
    if (!memory) return tl::unexpected(memory.error());
  }
  if (needed > memory->free_bytes) {
    return fail(
        ErrorKind::kBadRequest,
        "{} needs {} MiB of device memory, but only {} of {} MiB are free on {}: choose a smaller size, "
        "or end what else uses the GPU",
        job.name, (needed >> 20) + 1, memory->free_bytes >> 20, memory->total_bytes >> 20,
        backend.description().name);
  }
  return {};
}

Expected<void> Executor::State::uploadInputs(Job& job) {
  const std::vector<BufferSpec>& buffers = job.plan.buffers;
  job.pristine.assign(buffers.size(), 0);
  job.working.assign(buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!isOutput(buffers[i])) {
      const auto content = inputs.get(buffers[i]);
      if (!content) return tl::unexpected(content.error());
      job.pristine[i] = *content;
      job.working[i] = *content;
    }
    if (!buffers[i].symbol.empty()) {
      const auto place = backend.symbol(job.module, buffers[i].symbol, buffers[i].bytes);
      if (!place) return tl::unexpected(place.error());
      job.working[i] = *place;
    }
    if (isScratch(buffers[i])) {
      auto room = scratch[i].atLeast(buffers[i].bytes);
      if (!room && !backend.poisoned()) {
        makeRoom();
        room = scratch[i].atLeast(buffers[i].bytes);
      }
      if (!room) return tl::unexpected(room.error());
      job.working[i] = *room;
    }
  }
  return {};
}

// What a kernel must find at its start: outputs filled, in-outs restored.
Expected<void> Executor::State::freshContents(const Job& job) {
  for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
    const BufferSpec& spec = job.plan.buffers[i];
    if (isInput(spec)) continue;
    auto done = isOutput(spec) ? backend.fill(job.working[i], spec.fill, spec.bytes)
                               : backend.copy(job.working[i], job.pristine[i], spec.bytes);
    if (!done) return done;
  }
  return {};
}

LaunchSpec Executor::State::launchSpec(const Job& job, KernelHandle kernel) const {
  const std::vector<std::byte> no_probe(1);  // the collector puts ProbeParams here
  LaunchSpec spec{kernel, job.plan.grid, job.plan.block, job.plan.dynamic_shared_bytes,
                  launchParameters(no_probe, job.plan.arguments, job.working)};
  spec.cooperative = job.plan.cooperative;
  for (size_t i = 0; i < job.following.size(); ++i) {
    const FollowingLaunch& launch = job.plan.following[i];
    spec.following.push_back({job.following[i], launch.grid, launch.block, launch.dynamic_shared_bytes,
                              launchParameters(no_probe, launch.arguments, job.working)});
  }
  // Where time is modelled, every launch of a run is timed.
  spec.timed = true;
  spec.caches = job.run.request.warm_ups > 0 ? LaunchSpec::Caches::kWarm : LaunchSpec::Caches::kCold;
  return spec;
}

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
    for (Hazard& hazard : *job.run.hazards) useNamesOfPlan(job, hazard);
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
  return {};
}

// To an error that says why a launch is impossible, what would be possible. Nothing is launched to find out.
tl::unexpected<Error> Executor::State::withNearest(Error error, const RunRequest& request,
                                                   uint64_t memory_bytes) {
  if (error.kind == ErrorKind::kBadRequest) {
    const FamilyInfo& family = (*library.experiment(request.family))->info();
    error.nearest = nearestPossible(
        family, request, last_possible ? &*last_possible : nullptr, [&](const RunRequest& other) {
          Job job;
          return prepare(job, other) && findKernels(job) && neededAfresh(job.plan) <= memory_bytes;
        });
  }
  return tl::unexpected(std::move(error));
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

Executor::Executor(Backend& backend, KernelLibrary library)
    : state_(std::make_unique<State>(backend, std::move(library))) {}
Executor::~Executor() = default;

Expected<Run> Executor::run(const RunRequest& request, const ProgressSink& progress,
                            const std::stop_token& stop) {
  struct Step {
    double begins_at;  // of the whole, roughly as time goes
    const char* doing;
    Expected<void> (State::*work)(Job&);
    const char* simulating = nullptr;  // what a simulated GPU is doing all the while; null: the same
    double launches_to_come = 0;       // there, each about as long as this step's
  };
  static constexpr Step kSteps[] = {
      {0.05, "loading the kernel", &State::findKernels},
      {0.10, "checking memory", &State::reserveMemory},
      {0.15, "uploading inputs", &State::uploadInputs},
      {0.20, "looking for hazards", &State::lookForHazards, nullptr, 2},
      {0.30, "verifying the result", &State::verify, "executing on the simulated GPU", 1},
      {0.50, "timing", &State::timeBare},
      {0.60, "timing a copy", &State::measureCopy},
      {0.64, "timing a library", &State::measureLibrary},
      {0.66, "tracing", &State::takeTrace, "executing with probes on the simulated GPU"},
      {0.90, "timing with probes", &State::timeProbed},
  };
  const auto complete = state_->complete(request);
  if (!complete) return tl::unexpected(complete.error());
  const uint64_t all_memory = state_->backend.description().memory_bytes;
  const bool simulated = state_->backend.description().kind == DeviceKind::kSimulated;
  Job job;
  if (auto ready = state_->prepare(job, *complete); !ready) {
    return state_->withNearest(std::move(ready.error()), *complete, all_memory);
  }
  for (size_t i = 0; i < std::size(kSteps); ++i) {
    const Step& step = kSteps[i];
    if (stop.stop_requested())
      return fail(ErrorKind::kCancelled, "{} was stopped before {}", job.name, step.doing);
    const char* doing = simulated && step.simulating != nullptr ? step.simulating : step.doing;
    if (progress) progress({step.begins_at, doing});
    const double ends_at = i + 1 < std::size(kSteps) ? kSteps[i + 1].begins_at : 1.0;
    const auto began = std::chrono::steady_clock::now();
    state_->backend.watch(stop, [&](double share) {
      if (!progress) return;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      progress({step.begins_at + share * (ends_at - step.begins_at), doing,
                secondsLeft(seconds, share, step.launches_to_come)});
    });
    auto done = (state_.get()->*step.work)(job);
    state_->backend.watch({}, {});
    if (!done && step.work == &State::findKernels) {
      return state_->withNearest(std::move(done.error()), *complete, all_memory);
    }
    if (!done && step.work == &State::reserveMemory) {
      const auto memory = state_->backend.memory();
      return state_->withNearest(std::move(done.error()), *complete, memory ? memory->free_bytes : 0);
    }
    if (!done) return tl::unexpected(done.error());
    if (step.work == &State::reserveMemory) state_->last_possible = *complete;
  }
  return std::move(job.run);
}

Expected<LaneLog> Executor::recordLanes(const RunRequest& request, const LaneLogOptions& options,
                                        const std::stop_token& stop) {
  const auto complete = state_->complete(request);
  if (!complete) return tl::unexpected(complete.error());
  Job job;
  auto done = state_->prepare(job, *complete)
                  .and_then([&] { return state_->findKernels(job); })
                  .and_then([&] { return state_->reserveMemory(job); })
                  .and_then([&] { return state_->uploadInputs(job); });
  if (!done) return tl::unexpected(done.error());
  state_->backend.watch(stop, {});
  done = state_->recordLanes(job, options);
  state_->backend.watch({}, {});
  if (!done) return tl::unexpected(done.error());
  return std::move(*state_->backend.lastLaunch()->lanes);
}

}  // namespace warpscope
