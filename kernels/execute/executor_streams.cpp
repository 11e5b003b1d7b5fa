// The steps of runs whose plan has several operations on streams. See executor_state.h.
#include <algorithm>
#include <map>

#include "kernels/backend/stream_times.h"
#include "kernels/execute/executor_state.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/execute/stream_trace.h"
#include "kernels/execute/timed_launches.h"

namespace warpscope {
namespace {

bool fromHost(OperationKind kind) {
  return kind == OperationKind::kCopyToDevice;
}
bool copiesHost(OperationKind kind) {
  return fromHost(kind) || kind == OperationKind::kCopyToHost;
}
bool prefetches(OperationKind kind) {
  return kind == OperationKind::kPrefetchToDevice || kind == OperationKind::kPrefetchToHost;
}

// By launch of the plan: the number of its first block in the run, and of its blocks.
struct Blocks {
  uint32_t first = 0, count = 0;
};
std::vector<Blocks> blocksOfLaunches(const LaunchPlan& plan) {
  std::vector<Blocks> blocks{{0, static_cast<uint32_t>(plan.grid.count())}};
  for (const FollowingLaunch& launch : plan.following) {
    const Blocks& before = blocks.back();
    blocks.push_back({before.first + before.count, static_cast<uint32_t>(launch.grid.count())});
  }
  return blocks;
}

StreamLog logOf(const LaunchPlan& plan, const StreamReport& report) {
  const std::vector<Blocks> blocks = blocksOfLaunches(plan);
  StreamLog log{.streams = plan.streams};
  log.timing = report.timing;
  log.graphs = plan.graphs;
  log.migrations = report.migrations;
  std::ranges::stable_sort(log.migrations, {}, &PageMigration::begin_ns);
  for (size_t i = 0; i < log.graphs.size() && i < report.graph_make_ns.size(); ++i)
    log.graphs[i].make_ns = report.graph_make_ns[i];
  for (size_t i = 0; i < plan.operations.size(); ++i) {
    const PlannedOperation& planned = plan.operations[i];
    const OperationTimes& times = report.operations[i];
    StreamOperation& operation = log.operations.emplace_back();
    operation.kind = planned.kind;
    operation.stream = planned.stream;
    operation.name = planned.name;
    operation.bytes = planned.bytes;
    operation.gpu = times.gpu;
    if (copiesHost(planned.kind) || prefetches(planned.kind))
      operation.memory = plan.buffers[planned.buffer].host;
    if (planned.kind == OperationKind::kLaunch) {
      operation.kernel = planned.launch == 0 ? plan.kernel : plan.following[planned.launch - 1].kernel;
      operation.first_block = blocks[planned.launch].first;
      operation.blocks = blocks[planned.launch].count;
    }
    operation.enqueue_ns = times.enqueue_ns;
    operation.enqueued_ns = times.enqueued_ns;
    operation.begin_ns = times.begin_ns;
    operation.end_ns = times.end_ns;
    operation.after = times.after;
    operation.waited_for = times.waited_for;
    operation.waited_on = times.waited_on;
    operation.graph = planned.graph;
    operation.skipped = times.skipped;
    operation.primary = times.primary;
  }
  return log;
}

// Of the GPU that the launch is for.
uint32_t gpuOfLaunch(const LaunchPlan& plan, uint32_t launch) {
  const auto found = std::ranges::find_if(plan.operations, [&](const PlannedOperation& planned) {
    return planned.kind == OperationKind::kLaunch && planned.launch == launch;
  });
  return found == plan.operations.end() ? 0 : plan.streams[found->stream].gpu;
}

bool copiesOnDevice(OperationKind kind) {
  return kind == OperationKind::kCopyOnDevice || kind == OperationKind::kPeerCopy;
}

bool holdsMemory(OperationKind kind) {
  return kind == OperationKind::kAllocate || kind == OperationKind::kFree;
}

// By buffer that an operation allocates: that operation.
std::map<size_t, uint32_t> allocationsOf(const LaunchPlan& plan) {
  std::map<size_t, uint32_t> allocations;
  for (uint32_t i = 0; i < plan.operations.size(); ++i) {
    if (plan.operations[i].kind == OperationKind::kAllocate) allocations[plan.operations[i].buffer] = i;
  }
  return allocations;
}

// An operation that is none, for checkAllocations() to refuse, if nothing allocates what it frees.
uint32_t allocationOf(const PlannedOperation& frees, const std::map<size_t, uint32_t>& allocations) {
  const auto found = allocations.find(frees.buffer);
  return found == allocations.end() ? UINT32_MAX : found->second;
}

std::vector<AllocatedParameter> allocatedParameters(const LaunchPlan& plan, uint32_t launch,
                                                    const std::map<size_t, uint32_t>& allocations) {
  const auto& arguments = launch == 0 ? plan.arguments : plan.following[launch - 1].arguments;
  std::vector<AllocatedParameter> allocated;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto* const buffer = std::get_if<BufferArgument>(&arguments[i]);
    const auto of = buffer == nullptr ? allocations.end() : allocations.find(buffer->index);
    if (of == allocations.end()) continue;
    allocated.push_back({static_cast<uint32_t>(i) + (plan.has_probe_parameter ? 1U : 0U), of->second});
  }
  return allocated;
}

bool isProgrammatic(const LaunchPlan& plan, uint32_t launch) {
  return std::ranges::any_of(plan.operations, [&](const PlannedOperation& planned) {
    return planned.kind == OperationKind::kLaunch && planned.launch == launch && planned.programmatic;
  });
}

// A timing event before a launch is passed once the launch may begin; its marks say when it did. In a graph,
// and in a chain of launches that trigger one another, around which alone events are recorded, they also say
// when it ended.
void takeMarks(const LaunchPlan& plan, const std::vector<LaunchRecords>& launches, StreamReport& report) {
  for (uint32_t i = 0; i < plan.operations.size(); ++i) {
    const PlannedOperation& planned = plan.operations[i];
    if (planned.kind != OperationKind::kLaunch) continue;
    const bool by_marks =
        planned.graph ? marksTellNodes(report.timing) : report.timing.clock == StreamClock::kEvents;
    if (!by_marks) continue;
    OperationTimes& times = report.operations[i];
    if (times.skipped) continue;
    const RawTrace& raw = launches[planned.launch].raw;
    const double begin_ns = times.begin_ns, end_ns = times.end_ns;
    const bool triggers = std::ranges::any_of(
        report.operations, [&](const OperationTimes& other) { return other.primary == i; });
    if (const auto mark = firstMark_ns(raw, report)) times.begin_ns = std::clamp(*mark, begin_ns, end_ns);
    if (const auto mark = lastMark_ns(raw, report); mark && (planned.graph || triggers))
      times.end_ns = std::clamp(*mark, times.begin_ns, end_ns);
  }
}

}  // namespace

Expected<void> Executor::State::freshHost(const Job& job) {
  const std::vector<BufferSpec>& buffers = job.plan.buffers;
  host_sides.resize(std::max(host_sides.size(), buffers.size()));
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec& spec = buffers[i];
    HostSide& side = host_sides[i];
    if (!spec.host) {
      side = {};
      continue;
    }
    if (isOutput(spec)) {
      side.content_key.clear();
      side.bytes.assign(spec.bytes, std::byte{BufferSpec::kNeverWritten});
      continue;
    }
    const bool known = isInput(spec) && !spec.content_key.empty() && side.content_key == spec.content_key;
    if (known && side.bytes.size() == spec.bytes) continue;
    const std::shared_ptr<const Bytes> content = spec.generate();
    if (content->size() != spec.bytes) {
      return fail(ErrorKind::kWorkFailed, "the content of '{}' has {} bytes, not {}", spec.name,
                  content->size(), spec.bytes);
    }
    side.bytes.assign(content->begin(), content->end());
    side.content_key = spec.content_key;
  }
  return {};
}

Expected<void> Executor::State::sendManaged(const Job& job) {
  for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
    if (!isManaged(job.plan.buffers[i])) continue;
    if (auto sent = backend.upload(job.working[i], host_sides[i].bytes); !sent) return sent;
  }
  return {};
}

LaunchSpec Executor::State::launchOf(const Job& job, uint32_t launch, Form form) const {
  const bool probed = form == Form::kProbed;
  if (launch == 0) {
    LaunchSpec spec = launchSpec(job, probed ? job.probed : job.bare);
    spec.programmatic = isProgrammatic(job.plan, 0);
    spec.gpu = gpuOfLaunch(job.plan, 0);
    return spec;
  }
  const FollowingLaunch& of = job.plan.following[launch - 1];
  const std::vector<std::byte> probe(job.plan.has_probe_parameter ? 1 : 0);
  LaunchSpec spec{(probed ? job.probed_following : job.following)[launch - 1], of.grid, of.block,
                  of.dynamic_shared_bytes, launchParameters(probe, of.arguments, job.working)};
  spec.cluster = of.cluster;
  spec.programmatic = isProgrammatic(job.plan, launch);
  spec.gpu = gpuOfLaunch(job.plan, launch);
  return spec;
}

StreamWork Executor::State::streamWork(Job& job, std::span<const LaunchSpec> launches) {
  StreamWork work{.streams = job.plan.streams};
  work.graphs = job.plan.graphs;
  for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
    const BufferSpec& spec = job.plan.buffers[i];
    if (spec.host == HostMemory::kPinned) work.pinned.emplace_back(host_sides[i].bytes);
    if (isManaged(spec)) work.managed.push_back({job.working[i], host_sides[i].bytes, spec.advice});
  }
  const std::map<size_t, uint32_t> allocations = allocationsOf(job.plan);
  for (const PlannedOperation& planned : job.plan.operations) {
    EnqueuedOperation& operation = work.operations.emplace_back();
    operation.kind = planned.kind;
    operation.stream = planned.stream;
    operation.bytes = planned.bytes;
    operation.value = planned.value;
    operation.event = planned.event;
    operation.work = planned.work;
    operation.graph = planned.graph;
    operation.nodes = planned.nodes;
    operation.only_if = planned.only_if;
    if (planned.kind == OperationKind::kLaunch) {
      operation.launch = launches[planned.launch];
      operation.allocated = allocatedParameters(job.plan, planned.launch, allocations);
    }
    if (planned.kind == OperationKind::kFree) operation.allocation = allocationOf(planned, allocations);
    if (planned.bytes == 0) continue;
    operation.device = job.working[planned.buffer] + planned.offset;
    if (copiesOnDevice(planned.kind)) {
      operation.from = job.working[planned.from] + planned.from_offset;
      operation.to_gpu = job.plan.buffers[planned.buffer].gpu;
      operation.from_gpu = job.plan.buffers[planned.from].gpu;
    }
    if (!copiesHost(planned.kind) && planned.kind != OperationKind::kHostFunction) continue;
    operation.host = host_sides[planned.buffer].bytes.data() + planned.offset;
    operation.memory = job.plan.buffers[planned.buffer].host.value_or(HostMemory::kPageable);
  }
  return work;
}

Expected<void> Executor::State::inOrder(Job& job,
                                        const std::function<Expected<bool>(uint32_t launch)>& launch) {
  for (const PlannedOperation& planned : job.plan.operations) {
    if (planned.kind == OperationKind::kLaunch) {
      const auto more = launch(planned.launch);
      if (!more) return tl::unexpected(more.error());
      if (!*more) return {};
      continue;
    }
    if (planned.bytes == 0 || prefetches(planned.kind) || holdsMemory(planned.kind)) continue;
    const DeviceAddress device = job.working[planned.buffer] + planned.offset;
    auto done = Expected<void>{};
    const auto host = [&] {
      return std::span(host_sides[planned.buffer].bytes).subspan(planned.offset, planned.bytes);
    };
    if (planned.kind == OperationKind::kHostFunction) {
      const bool managed = isManaged(job.plan.buffers[planned.buffer]);
      if (managed) done = backend.download(host(), device);
      if (done) planned.work.doTo(host());
      if (done && managed) done = backend.upload(device, host());
    } else if (copiesHost(planned.kind)) {
      const std::span bytes = host();
      done = fromHost(planned.kind) ? backend.upload(device, bytes) : backend.download(bytes, device);
    } else if (copiesOnDevice(planned.kind)) {
      done = backend.copy(device, job.working[planned.from] + planned.from_offset, planned.bytes);
    } else {
      done = backend.fill(device, planned.value, planned.bytes);
    }
    if (!done) return done;
  }
  return {};
}

Expected<StreamReport> Executor::State::runStreams(Job& job, const StreamWork& work) {
  return backend.runStreams(work, job.stop, job.listener);
}

Expected<StreamReport> Executor::State::bareStreams(Job& job, StreamWork::Clocks clocks) {
  if (auto fresh = freshContents(job); !fresh) return tl::unexpected(fresh.error());
  std::vector<LaunchSpec> launches;
  for (uint32_t i = 0; i <= job.following.size(); ++i) launches.push_back(launchOf(job, i, Form::kBare));
  StreamWork work = streamWork(job, launches);
  work.clocks = clocks;
  return runStreams(job, work);
}

Expected<double> Executor::State::runBareStreams(Job& job, StreamWork::Clocks clocks) {
  const auto report = bareStreams(job, clocks);
  if (!report) return tl::unexpected(report.error());
  const double time_us = report->total_ns / 1e3;
  if (clocks == StreamWork::Clocks::kWhole) return time_us;
  job.run.streams = logOf(job.plan, *report);
  job.bare_streams_us = time_us;
  return time_us;
}

Expected<void> Executor::State::executeStreams(Job& job) {
  const auto time_us = runBareStreams(job);
  if (!time_us) return tl::unexpected(time_us.error());
  if (auto verified = verifyOutputs(job); !verified) return verified;
  takeTiming(job, {*time_us});
  return {};
}

// By launch of the plan.
Expected<std::vector<LaunchSpec>> Executor::State::armLaunches(Job& job) {
  const auto pack = library.module("probe_pack");
  if (!pack) return tl::unexpected(pack.error());
  if (auto fresh = freshContents(job); !fresh) return tl::unexpected(fresh.error());
  const auto count = static_cast<uint32_t>(1 + job.following.size());
  while (stream_collectors.size() < count)
    stream_collectors.push_back(std::make_unique<TraceCollector>(backend, *pack));
  Sampling sampling = job.run.request.sampling;
  // Where all is recorded, each launch needs as many slots as it has warps.
  const bool all = sampling.first_blocks >= job.run.grid.count();
  if (!all) sampling.max_warps = slotsOfEach(sampling, count, job.plan.block);
  std::vector<LaunchSpec> launches;
  for (uint32_t i = 0; i < count; ++i) {
    auto armed = stream_collectors[i]->arm({.spec = launchOf(job, i, Form::kProbed),
                                            .sampling = sampling,
                                            .bare_median_us = job.run.timing.median_us,
                                            .launch = {}});
    if (!armed) return tl::unexpected(armed.error());
    launches.push_back(std::move(*armed));
  }
  return launches;
}

// The operations that the run keeps are those of this execution, so that they and the warps agree.
Expected<void> Executor::State::traceStreams(Job& job) {
  // A user's kernels find their ProbeParams in one variable of their module, which launches would share.
  if (!job.plan.has_probe_parameter) {
    job.run.trace.problems.push_back({TraceProblem::Severity::kInfo, 1,
                                      "warps of several launches are recorded of built-in kernels only"});
    return {};
  }
  const auto launches = armLaunches(job);
  if (!launches) return tl::unexpected(launches.error());
  const StreamWork work = streamWork(job, *launches);
  auto report = runStreams(job, work);
  if (!report) return tl::unexpected(report.error());
  auto trace = report->globaltimer_ns ? readTimed(job, work, *report) : readPlaced(job, *report);
  if (!trace) return tl::unexpected(trace.error());
  job.run.trace = std::move(*trace);
  if (!job.plan.instead.empty())
    job.run.trace.problems.push_back({TraceProblem::Severity::kWarning, 1, job.plan.instead});
  job.run.streams = logOf(job.plan, *report);
  job.run.probe.kept = job.run.trace.events.size();
  job.run.probe.dropped = job.run.trace.dropped_events;
  takeProbeCost(job.run, report->total_ns / 1e3, job.bare_streams_us);
  return {};
}

Expected<Trace> Executor::State::readPlaced(const Job& job, const StreamReport& report) {
  const std::vector<Blocks> blocks = blocksOfLaunches(job.plan);
  std::vector<LaunchTrace> traces;
  for (uint32_t i = 0; i < job.plan.operations.size(); ++i) {
    if (job.plan.operations[i].kind != OperationKind::kLaunch) continue;
    if (report.operations[i].skipped) continue;  // has no warps
    const uint32_t launch = job.plan.operations[i].launch;
    auto trace = stream_collectors[launch]->read();
    if (!trace) return tl::unexpected(trace.error());
    traces.push_back({i, blocks[launch].first, std::move(*trace)});
  }
  return joinPlaced(traces, report, backend.description().sm_clock_khz / 1e6);
}

Expected<Trace> Executor::State::readTimed(const Job& job, const StreamWork& work, StreamReport& report) {
  const std::vector<Blocks> blocks = blocksOfLaunches(job.plan);
  std::vector<LaunchRecords> launches;
  std::vector<TraceProblem> problems;
  for (uint32_t launch = 0; launch < blocks.size(); ++launch) {
    auto raw = stream_collectors[launch]->readRaw(problems);
    if (!raw) return tl::unexpected(raw.error());
    useNumbersOf(gpuOfLaunch(job.plan, launch), backend.description().limits, report, *raw);
    launches.push_back({blocks[launch].first, std::move(*raw)});
  }
  takeSkipped(job.plan, launches, report);
  takeMarks(job.plan, launches, report);
  explainMeasured(work, report.operations);
  auto trace = joinTimed(launches, report);
  if (trace) std::ranges::move(problems, std::back_inserter(trace->problems));
  return trace;
}

}  // namespace warpscope
