// The steps of a run that launch on a modelling device. See executor_state.h.
#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/backend/stream_graphs.h"
#include "kernels/execute/executor_state.h"
#include "kernels/execute/merge.h"
#include "kernels/execute/stream_races.h"

namespace warpscope {
namespace {

// A large launch is not a mistake, and can be stopped.
constexpr uint64_t kNoStepLimit = std::numeric_limits<uint64_t>::max();

// So many SMs, from the first one on, have recorded blocks.
uint32_t recordedSms(const Sampling& sampling) {
  return std::max(sampling.first_blocks, sampling.sms);
}

// The blocks that each recorded SM begins before the room for recorded warps is used up.
uint64_t recordedRounds(const Sampling& sampling, const Dim3& block) {
  if (sampling.sms == 0) return 1;
  const uint64_t warps_of_round = sampling.sms * warpsPerBlock(block);
  return (sampling.max_warps + warps_of_round - 1) / warps_of_round;
}

// The warps of each of several launches that are recorded; 0: all.
uint32_t recordedWarpsOfEach(const Sampling& sampling, const LaunchPlan& plan) {
  return sampling.sms == 0 ? 0 : slotsOfEach(sampling, 1 + plan.following.size(), plan.block);
}

// A plain launch would wait forever, or fail.
bool neverEnds(const Hazard& hazard) {
  return hazard.kind == HazardKind::kDeadlock || hazard.kind == HazardKind::kEndlessLoop ||
         hazard.kind == HazardKind::kTrap;
}

// The launch that the next operation makes on the same stream as a programmatic dependent of this one. Checks
// look at such launches together.
std::optional<uint32_t> dependentOf(const LaunchPlan& plan, uint32_t launch) {
  const std::vector<PlannedOperation>& operations = plan.operations;
  const auto found = std::ranges::find_if(operations, [&](const PlannedOperation& planned) {
    return planned.kind == OperationKind::kLaunch && planned.launch == launch;
  });
  if (found == operations.end() || found + 1 == operations.end()) return std::nullopt;
  const PlannedOperation& next = *(found + 1);
  const bool depends =
      next.kind == OperationKind::kLaunch && next.programmatic && next.stream == found->stream;
  return depends ? std::optional(next.launch) : std::nullopt;
}

bool dependsOnTheOneBefore(const LaunchPlan& plan, uint32_t launch) {
  for (uint32_t other = 0; other <= plan.following.size(); ++other) {
    if (dependentOf(plan, other) == launch) return true;
  }
  return false;
}

// The kernel of the plan whose entry has this mangled name.
const std::string& kernelNamed(const LaunchPlan& plan, const std::string& mangled) {
  const std::string* best = &plan.kernel;
  bool found = mangled.find(plan.kernel) != std::string::npos;
  for (const FollowingLaunch& next : plan.following) {
    if (mangled.find(next.kernel) == std::string::npos) continue;
    if (!found || next.kernel.size() > best->size()) best = &next.kernel;
    found = true;
  }
  return *best;
}

// The backend knows mangled names and numbers its buffers; users know both by the plan's names.
void useNamesOfPlan(const LaunchPlan& plan, const std::vector<DeviceAddress>& working, Hazard& hazard) {
  hazard.kernel = kernelNamed(plan, hazard.kernel);
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

void useNamesOfPlan(const Executor::State::Job& job, std::vector<LaneLogBuffer>& buffers) {
  for (LaneLogBuffer& buffer : buffers) {
    const auto found = std::ranges::find(job.working, buffer.address);
    if (found == job.working.end()) continue;
    const BufferSpec& of = job.plan.buffers[static_cast<size_t>(found - job.working.begin())];
    buffer.name = of.name;
    buffer.bytes = of.bytes;
  }
}

struct ModellingState final : Executor::State {
  ModellingState(ModellingBackend& on, KernelLibrary kernels) : State(on, std::move(kernels)), model(on) {}

  std::span<const Step> steps() const override;
  Expected<LaneLog> recordLanes(Job& job, const LaneLogOptions& options) override;
  Expected<Executor::RecordedValues> recordValues(Job& job, const ModelledLaunch::ValueRequest& of) override;

  Expected<void> lookForHazards(Job& job);
  Expected<void> execute(Job& job);
  Expected<void> takeTrace(Job& job);
  Expected<void> executeModelled(Job& job);  // operations on streams
  Expected<void> checkResult(Job& job);
  Expected<void> checkStreams(Job& job);
  Expected<StreamReport> runStreams(Job& job, const StreamWork& work) override;
  ModelledLaunch modelled(const Job& job) const;

  ModellingBackend& model;
};

std::span<const Executor::State::Step> ModellingState::steps() const {
  static constexpr Step kSteps[] = {
      {0.05, "loading the kernel", stepOf<ModellingState, &ModellingState::findKernels>,
       Step::Nearest::kWithAllMemory},
      {0.10, "checking memory", stepOf<ModellingState, &ModellingState::reserveMemory>,
       Step::Nearest::kWithFreeMemory, true},
      {0.15, "uploading inputs", stepOf<ModellingState, &ModellingState::uploadInputs>},
      {.begins_at = 0.20,
       .doing = "looking for hazards",
       .work = stepOf<ModellingState, &ModellingState::lookForHazards>,
       .launches_to_come = 2},
      {.begins_at = 0.30,
       .doing = "executing on the simulated GPU",
       .work = stepOf<ModellingState, &ModellingState::execute>,
       .launches_to_come = 1},
      {0.45, "timing a copy", stepOf<ModellingState, &ModellingState::measureCopy>},
      {0.50, "executing with probes on the simulated GPU",
       stepOf<ModellingState, &ModellingState::takeTrace>},
      {0.70, "executing all blocks, to check the result",
       stepOf<ModellingState, &ModellingState::checkResult>},
  };
  return kSteps;
}

// The SMs and blocks that are recorded are among the modelled ones. The bare kernel decides for the probed
// one, too, whose probes read clocks.
ModelledLaunch ModellingState::modelled(const Job& job) const {
  using Caches = ModelledLaunch::Caches;
  const uint32_t recorded = recordedSms(job.run.request.sampling);
  return {.caches = job.run.request.warm_ups > 0 ? Caches::kWarm : Caches::kCold,
          .sampled_sms = job.uneven ? 0 : model.sampledSms(launchSpec(job, job.bare), recorded)};
}

// Launches without probes stand for those with probes. As many rounds are modelled before any are left out as
// if one launch had all the room for recorded warps: with its share of that alone, the long launch of
// `priorities` (2^23 elements, 512 rounds of work) takes 5 % less than on all SMs; like this it differs by
// less than 1 %.
Expected<StreamReport> ModellingState::runStreams(Job& job, const StreamWork& work) {
  job.complete = true;
  if (job.uneven) return model.runStreams(work, job.stop, job.listener);
  const Sampling& sampling = job.run.request.sampling;
  ModelledStreams how{.recorded_sms = recordedSms(sampling),
                      .recorded_rounds = recordedRounds(sampling, job.plan.block),
                      .known = job.bare_launches,
                      .warps_of_known = recordedWarpsOfEach(sampling, job.plan),
                      .plain = std::vector<LaunchSpec>(work.operations.size()),
                      .outputs = job.outputs || hasConditions(work)};
  for (size_t i = 0; i < work.operations.size(); ++i) {
    const PlannedOperation& planned = job.plan.operations[i];
    if (planned.kind == OperationKind::kLaunch) how.plain[i] = launchOf(job, planned.launch, Form::kBare);
  }
  auto report = model.runStreamsModelled(work, how, job.stop, job.listener);
  if (!report) return tl::unexpected(report.error());
  job.uneven = report->uneven;
  job.complete = report->complete;
  for (size_t i = 0; i < report->bare.size(); ++i) {
    job.bare_launches.resize(report->bare.size());
    if (report->bare[i]) job.bare_launches[i] = std::move(report->bare[i]);
  }
  return report;
}

// Outputs get allocations of their own here, which end exactly where they do, so that writes past the end of
// one are detected.
Expected<void> ModellingState::lookForHazards(Job& job) {
  if (!job.run.request.checks && !job.experiment->info().checked) return {};
  const std::vector<DeviceAddress> usual = job.working;
  std::vector<DeviceAddress> own;
  std::optional<StreamRaces> races;
  auto done = [&]() -> Expected<void> {
    for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
      if (!isScratch(job.plan.buffers[i])) continue;
      const auto room = backend.allocateOn(job.plan.buffers[i].gpu, job.plan.buffers[i].bytes);
      if (!room) return tl::unexpected(room.error());
      own.push_back(*room);
      job.working[i] = *room;
    }
    if (auto fresh = freshContents(job).and_then([&] { return sendManaged(job); }); !fresh) return fresh;
    job.run.hazards.emplace();
    const auto check = [&](const LaunchSpec& spec, TouchedMemory* touched = nullptr) {
      return model.launchChecked(spec, kNoStepLimit, job.stop, job.listener, touched)
          .map([&](CheckedReport&& checked) {
            std::ranges::move(checked.hazards, std::back_inserter(*job.run.hazards));
          });
    };
    if (job.plan.operations.empty()) return check(launchSpec(job, job.bare));
    races.emplace(job.plan, job.working);
    return inOrder(job, [&](uint32_t launch) -> Expected<bool> {
      LaunchSpec spec = launchOf(job, launch, Form::kBare);
      if (dependsOnTheOneBefore(job.plan, launch)) return true;  // was checked together with it
      auto next = dependentOf(job.plan, launch);
      for (; next; next = dependentOf(job.plan, *next))
        spec.following.push_back(launchOf(job, *next, Form::kBare));
      return check(spec, races->touchedBy(launch)).map([] { return true; });
    });
  }();
  if (done) {
    for (Hazard& hazard : *job.run.hazards) useNamesOfPlan(job.plan, job.working, hazard);
    if (races) std::ranges::move(races->find(), std::back_inserter(*job.run.hazards));
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

// One launch is enough, because the model's times do not scatter. Where all of its blocks were executed it is
// also the one that is verified.
Expected<void> ModellingState::execute(Job& job) {
  if (!job.plan.operations.empty()) return executeModelled(job);
  if (auto fresh = freshContents(job); !fresh) return fresh;
  ModelledLaunch how = modelled(job);
  how.outputs = false;
  auto report = model.launchModelled(launchSpec(job, job.bare), how, job.stop, job.listener);
  if (!report) return tl::unexpected(report.error());
  if (report->uneven) {
    job.uneven = true;
    return execute(job);
  }
  if (report->complete) {
    if (auto verified = verifyOutputs(job); !verified) return verified;
  } else {
    job.run.verification = {.detail = "the result is not compared yet", .pending = true};
    job.modelled = std::move(report->blocks);
  }
  job.run.counters = std::move(report->counters);
  takeTiming(job, {report->time_us});
  return {};
}

Expected<void> ModellingState::executeModelled(Job& job) {
  job.outputs = false;
  job.bare_launches.clear();
  const auto time_us = runBareStreams(job);
  if (!time_us) return tl::unexpected(time_us.error());
  if (job.complete) {
    if (auto verified = verifyOutputs(job); !verified) return verified;
  } else {
    job.run.verification = {.detail = "the result is not compared yet", .pending = true};
  }
  takeTiming(job, {*time_us});
  return {};
}

Expected<void> ModellingState::takeTrace(Job& job) {
  if (!job.plan.is_marked) return {};
  if (!job.plan.operations.empty()) return traceStreams(job);
  ModelledLaunch how = modelled(job);
  how.outputs = false;
  how.plain = launchSpec(job, job.bare);
  const Sampling& sampling = job.run.request.sampling;
  how.sampled_sms = std::min(how.sampled_sms, recordedSms(sampling));
  how.recorded_rounds = recordedRounds(sampling, job.plan.block);
  if (job.run.request.log_instructions) {
    how.log = {.first_blocks = sampling.first_blocks, .sms = sampling.sms};
    how.recorded_rounds = std::numeric_limits<uint64_t>::max();
  }
  how.values = job.values;
  ModelledReport probed;
  auto done = collectTrace(job, [&](const LaunchSpec& spec, std::vector<std::byte> probe_params) {
    how.probe_params = std::move(probe_params);
    return model.launchModelled(spec, how, job.stop, job.listener).map([&](ModelledReport&& report) {
      probed = std::move(report);
    });
  });
  if (!done) return done;
  if (probed.uneven && how.sampled_sms > 0) {
    job.uneven = true;
    return takeTrace(job);
  }
  takeProbeCost(job.run, probed.time_us, job.run.timing.median_us);
  if (job.run.request.log_instructions) {
    addInstructions(job.run.trace, probed);
    job.run.listing = probed.listing;
  }
  job.value_log = std::move(probed.values);
  return {};
}

// The blocks that were not modelled take longest, and no time depends on them: by now the run can be shown.
Expected<void> ModellingState::checkResult(Job& job) {
  if (!job.run.verification.pending) return {};
  job.announce();
  if (!job.plan.operations.empty()) return checkStreams(job);
  if (auto fresh = freshContents(job); !fresh) return fresh;
  const LaunchSpec spec = launchSpec(job, job.bare);
  const auto report = model.launch(spec, job.stop, job.listener);
  if (!report) return tl::unexpected(report.error());
  bool uneven = false;
  for (size_t i = 0; i < job.modelled.size(); ++i) {
    const ModelledBlocks& modelled = job.modelled[i];
    const uint64_t blocks = i == 0 ? spec.grid.count() : spec.following[i - 1].grid.count();
    if (blocks == modelled.blocks) continue;
    const uint64_t others =
        report->instructions[i] - std::min(report->instructions[i], modelled.instructions);
    uneven = uneven || areUneven(modelled, others, blocks - modelled.blocks);
  }
  // The next run finds its buffers as it needs them, so that its picture comes sooner.
  if (!uneven) return verifyOutputs(job).and_then([&] { return freshContents(job); });
  job.uneven = true;
  return execute(job).and_then([&] { return takeTrace(job); });
}

// Once more in the order that the model's times give, which decides what a missing wait does to the result.
Expected<void> ModellingState::checkStreams(Job& job) {
  job.outputs = true;
  const auto report = bareStreams(job, StreamWork::Clocks::kBest);
  if (!report) return tl::unexpected(report.error());
  if (!job.uneven) return verifyOutputs(job);
  return execute(job).and_then([&] { return takeTrace(job); });
}

Expected<LaneLog> ModellingState::recordLanes(Job& job, const LaneLogOptions& options) {
  if (auto fresh = freshContents(job).and_then([&] { return sendManaged(job); }); !fresh)
    return tl::unexpected(fresh.error());
  auto log = model.recordLanes(launchSpec(job, job.bare), options, job.stop);
  if (!log) return log;
  log->request = job.run.request;
  log->source_file = job.run.source_file;
  useNamesOfPlan(job, log->buffers);
  return log;
}

// The bare launch comes first, as in a run: it decides how many SMs are modelled, and leaves the caches and
// the clock as they were for the launch with probes.
Expected<Executor::RecordedValues> ModellingState::recordValues(Job& job,
                                                                const ModelledLaunch::ValueRequest& of) {
  job.values = of;
  if (auto done = execute(job).and_then([&] { return takeTrace(job); }); !done)
    return tl::unexpected(done.error());
  const Trace& trace = job.run.trace;
  const auto recorded = std::ranges::find(trace.warps, BlockId{of.block}, &TraceWarp::block);
  if (!job.value_log || job.value_log->warps.empty() || recorded == trace.warps.end()) {
    return fail(ErrorKind::kBadRequest, "block {} of {} is not among those that the trace records", of.block,
                job.name);
  }
  const auto clock = std::ranges::find(trace.clocks.sms, recorded->sm, &SmClock::sm);
  ValueLog& log = *job.value_log;
  for (WarpValues& warp : log.warps) {
    for (int64_t& cycle : warp.cycles) cycle += clock == trace.clocks.sms.end() ? 0 : clock->offset_cycles;
    orderIssues(warp);
  }
  useNamesOfPlan(job, log.buffers);
  log.source_file = job.run.source_file;
  return Executor::RecordedValues{std::move(log), std::move(job.run.trace)};
}

}  // namespace

std::unique_ptr<Executor::State> modellingState(ModellingBackend& model, KernelLibrary library) {
  return std::make_unique<ModellingState>(model, std::move(library));
}

}  // namespace warpscope
