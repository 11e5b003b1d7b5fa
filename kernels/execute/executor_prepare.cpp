// The steps of a run up to its first launch. See executor_state.h.
#include <algorithm>

#include "kernels/core/units.h"
#include "kernels/execute/executor_state.h"
#include "kernels/execute/launch_check.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/occupancy/occupancy.h"

namespace warpscope {
namespace {

constexpr double kInputCacheShare = 0.25;  // of the device's memory

// The memory that a run needs when nothing of it has been allocated yet.
uint64_t neededAfresh(const LaunchPlan& plan) {
  uint64_t needed = 0;
  for (const BufferSpec& spec : plan.buffers) {
    if (!spec.symbol.empty()) continue;
    const bool twice = spec.role == BufferSpec::Role::kInOut && !spec.host;
    needed += spec.bytes * (twice ? 2 : 1);
  }
  return needed;
}

// Pages of managed memory that are on the device are among its used memory, and those of others may have to
// leave for them.
constexpr uint64_t kManagedShare = 4;

uint64_t managedBytes(const LaunchPlan& plan) {
  uint64_t bytes = 0;
  for (const BufferSpec& spec : plan.buffers) bytes += isManaged(spec) ? spec.bytes : 0;
  return bytes;
}

bool fits(const LaunchPlan& plan, uint64_t needed, uint64_t free_bytes) {
  return needed <= free_bytes && managedBytes(plan) <= free_bytes / kManagedShare;
}

// The blocks of all launches of a plan, one launch after another.
Dim3 gridOf(const LaunchPlan& plan) {
  if (plan.operations.empty()) return plan.grid;
  uint64_t blocks = plan.grid.count();
  for (const FollowingLaunch& launch : plan.following) blocks += launch.grid.count();
  return {static_cast<uint32_t>(blocks)};
}

}  // namespace

Expected<RunRequest> Executor::State::complete(const RunRequest& request) const {
  const auto experiment = library.experiment(request);
  if (!experiment) return tl::unexpected(experiment.error());
  auto complete = completeRequest((*experiment)->info(), request, backend.description());
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
  job.experiment = *library.experiment(complete);
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
  const Dim3 grid = gridOf(job.plan);
  run.request.sampling = resolveSampling(run.request.sampling, grid, job.plan.block);
  run.device = backend.description();
  run.created = nowIso();
  run.grid = grid;
  run.block = job.plan.block;
  run.cluster = job.plan.cluster;
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
  job.bare = *bare;
  auto possible = checkFit(job, job.bare, job.name);
  if (!possible) return possible;
  if (job.plan.is_marked) {
    const auto probed = find(job.plan.kernel, ProbeKind::kProbed);
    if (!probed) return tl::unexpected(probed.error());
    job.probed = *probed;
    // The probed form may need more registers; it must fit as well.
    possible = checkFit(job, job.probed, job.name + " with probes");
    if (!possible) return possible;
  }
  for (const FollowingLaunch& launch : job.plan.following) {
    const auto kernel = find(launch.kernel, ProbeKind::kBare);
    if (!kernel) return tl::unexpected(kernel.error());
    job.following.push_back(*kernel);
    if (!job.plan.operations.empty() && job.plan.is_marked) {
      const auto probed = find(launch.kernel, ProbeKind::kProbed);
      if (!probed) return tl::unexpected(probed.error());
      job.probed_following.push_back(*probed);
    }
    const auto needs = backend.resources(*kernel, launch.dynamic_shared_bytes);
    if (!needs) return tl::unexpected(needs.error());
    possible = checkResources(launch.block, *needs, device, job.name + "'s next launch");
    if (!possible) return possible;
  }
  const auto resources = backend.resources(job.bare, job.plan.dynamic_shared_bytes);
  if (!resources) return tl::unexpected(resources.error());
  if (job.plan.is_marked) {
    const auto probed = backend.resources(job.probed, job.plan.dynamic_shared_bytes);
    if (!probed) return tl::unexpected(probed.error());
    job.run.probe.registers_per_thread = probed->registers_per_thread;
    job.run.probe.theoretical_occupancy =
        theoreticalOccupancy(device.limits, *probed, static_cast<uint32_t>(job.plan.block.count()))
            .theoretical;
  }
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

// Gives back memory that only saves time.
void Executor::State::makeRoom() {
  while (inputs.evictOne()) {
  }
  copy_from.release();
  copy_to.release();
  if (collector) collector->release();
  for (const auto& of_launch : stream_collectors) of_launch->release();
}

Expected<void> Executor::State::reserveMemory(Job& job) {
  const std::vector<BufferSpec>& buffers = job.plan.buffers;
  if (std::exchange(inputs_distrusted, false)) inputs.clear();
  inputs.beginRun(
      static_cast<uint64_t>(kInputCacheShare * static_cast<double>(backend.description().memory_bytes)));
  while (scratch.size() < buffers.size()) scratch.emplace_back(backend);
  uint64_t needed = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    scratch[i].moveTo(buffers[i].gpu);
    if (isScratch(buffers[i])) {
      scratch[i].setManaged(isManaged(buffers[i]));
      needed += scratch[i].growthFor(buffers[i].bytes);
    }
    const bool uploaded = !isOutput(buffers[i]) && !buffers[i].host;
    if (uploaded && !inputs.holds(buffers[i])) needed += buffers[i].bytes;
  }
  // Nothing must be allocated: the driver is not even asked, which would take longer than a small kernel.
  if (needed == 0) return {};

  auto memory = backend.memory();
  if (!memory) return tl::unexpected(memory.error());
  if (!fits(job.plan, needed, memory->free_bytes)) {
    // Data that this run would have used from the cache is evicted too, so its need is computed again.
    makeRoom();
    for (GrowBuffer& buffer : scratch) buffer.release();
    needed = neededAfresh(job.plan);
    memory = backend.memory();
    if (!memory) return tl::unexpected(memory.error());
  }
  if (needed <= memory->free_bytes && !fits(job.plan, needed, memory->free_bytes)) {
    return fail(ErrorKind::kBadRequest,
                "{} needs {} MiB of managed memory, of which at most a quarter of what is free on {} may be "
                "used, {} of {} MiB: choose a smaller size, or end what else uses the GPU",
                job.name, (managedBytes(job.plan) >> 20) + 1, backend.description().name,
                (memory->free_bytes / kManagedShare) >> 20, memory->free_bytes >> 20);
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
    if (!isOutput(buffers[i]) && !buffers[i].host) {
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
  return job.objects.make(backend, job.plan.arguments, job.working);
}

Expected<void> Executor::State::freshContent(const Job& job, size_t buffer) {
  const BufferSpec& spec = job.plan.buffers[buffer];
  if (isUploaded(spec) || isManaged(spec)) return {};
  return isOutput(spec) || spec.host ? backend.fill(job.working[buffer], spec.fill, spec.bytes)
                                     : backend.copy(job.working[buffer], job.pristine[buffer], spec.bytes);
}

// Prepares what a kernel must find at its start: outputs filled, buffers that it reads and writes restored.
Expected<void> Executor::State::freshContents(const Job& job) {
  for (size_t i = 0; i < job.plan.buffers.size(); ++i) {
    if (auto done = freshContent(job, i); !done) return done;
  }
  return freshHost(job);
}

LaunchSpec Executor::State::launchSpec(const Job& job, KernelHandle kernel) const {
  // The collector puts ProbeParams here.
  const std::vector<std::byte> no_probe(job.plan.has_probe_parameter ? 1 : 0);
  LaunchSpec spec{kernel, job.plan.grid, job.plan.block, job.plan.dynamic_shared_bytes,
                  launchParameters(no_probe, job.plan.arguments, job.working, job.objects.values())};
  spec.cooperative = job.plan.cooperative;
  spec.cluster = job.plan.cluster;
  for (size_t i = 0; i < job.plan.buffers.size(); ++i)
    spec.buffers.push_back({job.working[i], job.plan.buffers[i].bytes});
  if (!job.plan.operations.empty()) return spec;  // each launch is an operation of its own
  for (size_t i = 0; i < job.following.size(); ++i) {
    const FollowingLaunch& launch = job.plan.following[i];
    spec.following.push_back({job.following[i], launch.grid, launch.block, launch.dynamic_shared_bytes,
                              launchParameters(no_probe, launch.arguments, job.working)});
    spec.following.back().cluster = launch.cluster;
  }
  return spec;
}

// Adds to an error that says why a launch is impossible what would be possible. Nothing is launched to find
// out.
tl::unexpected<Error> Executor::State::completed(Error error, const RunRequest& request,
                                                 Step::Nearest nearest) {
  if (error.kind != ErrorKind::kBadRequest || nearest == Step::Nearest::kNone) {
    return tl::unexpected(std::move(error));
  }
  uint64_t memory_bytes = backend.description().memory_bytes;
  if (nearest == Step::Nearest::kWithFreeMemory) {
    const auto memory = backend.memory();
    memory_bytes = memory ? memory->free_bytes : 0;
  }
  const FamilyInfo& family = (*library.experiment(request))->info();
  error.nearest = nearestPossible(family, request, last_possible ? &*last_possible : nullptr,
                                  [&](const RunRequest& other) {
                                    Job job;
                                    return prepare(job, other) && findKernels(job) &&
                                           fits(job.plan, neededAfresh(job.plan), memory_bytes);
                                  });
  return tl::unexpected(std::move(error));
}

}  // namespace warpscope
