#include "kernels/sim/backend/launcher.h"

#include <array>
#include <span>
#include <utility>

#include "kernels/sim/backend/launch_caches.h"
#include "kernels/sim/backend/launch_checks.h"

namespace warpscope::sim {

Launcher::Launcher(const DeviceProfile& profile, const DeviceDescription& gpu, const LoadedKernels& kernels,
                   DeviceMemory& memory, ModelledCaches& caches, uint32_t threads)
    : profile_(profile), gpu_(gpu), kernels_(kernels), memory_(memory), caches_(caches), threads_(threads) {}

Expected<ReadyLaunch> Launcher::prepare(const LaunchSpec& spec) {
  const Code& code = *kernels_.of(spec.kernel).code;
  const KernelResources needed = kernels_.resources(spec.kernel, spec.dynamic_shared_bytes);
  const auto blocks_per_sm = checkLaunch(spec, code, needed, gpu_, profile_.gpc_count);
  if (!blocks_per_sm) return tl::unexpected(blocks_per_sm.error());
  Launch launch{.code = &code,
                .memory = &memory_.global(),
                .grid = spec.grid,
                .block = spec.block,
                .cluster = spec.cluster.value_or(code.required_cluster.value_or(Dim3{})),
                .explicit_cluster = spec.cluster || code.required_cluster || code.explicit_cluster,
                .dynamic_shared_bytes = spec.dynamic_shared_bytes,
                .sm_count = gpu_.limits.sm_count,
                .max_warps_per_sm = gpu_.limits.max_threads_per_sm / kWarpSize,
                .grid_id = ++launches_,
                .images = &memory_.images()};
  launch.set_condition = [this](uint64_t handle, uint32_t value) { return condition_.set(handle, value); };
  if (auto possible = validateCluster(launch); !possible) return tl::unexpected(possible.error());
  auto parameters = parameterBlock(spec, code);
  if (!parameters) return tl::unexpected(parameters.error());
  launch.parameters = std::move(*parameters);
  if (spec.cooperative) {
    const auto workspace = clearedGridWorkspace();
    if (!workspace) return tl::unexpected(workspace.error());
    launch.grid_workspace = *workspace;
  }
  return ReadyLaunch{std::move(launch), *blocks_per_sm};
}

Expected<ReadyLaunch> Launcher::prepare(const LaunchSpec& spec, const LaunchListener& listener,
                                        PrintedText& printed) {
  auto ready = prepare(spec);
  if (ready) {
    ready->launch.print = [&](const std::string& text) {
      listener.printed ? listener.printed(text) : printed.append(text);
    };
  }
  return ready;
}

Expected<DeviceAddress> Launcher::clearedGridWorkspace() {
  constexpr std::array<uint32_t, 2> kContent{8, 0};
  if (grid_workspace_ == 0) {
    const auto address = memory_.global().allocate(sizeof(kContent), "the grid's barrier");
    if (!address) return tl::unexpected(address.error());
    grid_workspace_ = *address;
  }
  return memory_.upload(grid_workspace_, std::as_bytes(std::span(kContent))).map([&] {
    return grid_workspace_;
  });
}

Expected<FunctionalResult> Launcher::executeBlocks(const LaunchSpec& spec, const BlockSelection& left_out,
                                                   const std::stop_token& stop, uint64_t begin_block) {
  const auto ready = prepare(spec);
  if (!ready) return tl::unexpected(ready.error());
  FunctionalOptions options{.threads = threads_};
  options.left_out = left_out;
  options.begin_block = begin_block;
  return runFunctional(ready->launch, options, stop);
}

TimedOptions Launcher::timedOptions(const ReadyLaunch& ready) {
  return {.threads = threads_,
          .begin_cycle = clock_cycles_,
          .blocks_per_sm = ready.blocks_per_sm,
          .addresses = &caches_.addresses(),
          .pools = &pools_};
}

Expected<TimedResult> Launcher::time(const ReadyLaunch& ready, const LaunchSpec& spec,
                                     const TimedOptions& options, const std::stop_token& stop) {
  auto timed = runTimed(ready.launch, kernels_.of(spec.kernel).machine, profile_,
                        cachesFor(spec, memory_, caches_), options, stop);
  caches_.of(0).setPeerMemory({});
  return timed;
}

uint32_t Launcher::sampledSms(const LaunchSpec& spec, uint32_t at_least) const {
  if (kernels_.hasClusters(spec)) return 0;  // whose blocks reach each other
  return sim::sampledSms(kernels_.of(spec.kernel).influence, spec.grid.count(), gpu_.limits.sm_count,
                         at_least);
}

TimedBlocks Launcher::timedBlocksOf(const LaunchSpec& spec, const TimedOptions& options) const {
  const uint64_t blocks = spec.grid.count();
  return timedBlocks(options, smsInUse(blocks, gpu_.limits.sm_count), blocks);
}

}  // namespace warpscope::sim
