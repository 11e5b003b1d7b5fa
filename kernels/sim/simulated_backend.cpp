#include "kernels/sim/simulated_backend.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/backend/stream_allocations.h"
#include "kernels/backend/stream_times.h"
#include "kernels/occupancy/occupancy.h"
#include "kernels/sim/backend/launch_caches.h"
#include "kernels/sim/backend/launch_modelling.h"
#include "kernels/sim/backend/launcher.h"
#include "kernels/sim/backend/operation_effects.h"
#include "kernels/sim/backend/stream_launches.h"
#include "kernels/sim/lanes/record_lanes.h"
#include "kernels/sim/simt/checks/run_checked.h"
#include "kernels/sim/streams/stream_machine.h"

namespace warpscope::sim {
namespace {

constexpr double kHostMemoryShare = 0.5;  // the largest share of the host's memory that a simulated GPU takes

uint64_t hostMemoryBytes() {
  struct sysinfo info {};
  return sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : uint64_t{4} << 30;
}

DeviceDescription described(const DeviceProfile& profile, uint64_t memory_bytes) {
  DeviceDescription description = describe(profile);
  description.memory_bytes = memory_bytes;
  return description;
}

class SimulatedBackend final : public ModellingBackend {
 public:
  SimulatedBackend(DeviceProfile profile, SimulatedOptions options, std::unique_ptr<GlobalMemory> memory)
      : profile_(std::move(profile)),
        description_(described(profile_, memory->capacity())),
        caches_(profile_),
        memory_(std::move(memory), description_.name, caches_),
        kernels_(profile_, memory_.global()),
        launcher_(profile_, description_, kernels_, memory_, caches_, options.threads),
        modelling_(launcher_, kernels_, memory_, caches_, profile_) {}

  const DeviceDescription& description() const override { return description_; }

  Expected<KernelHandle> kernel(const ModuleImage& image, const std::string& entry) override {
    return kernels_.load(image, entry);
  }
  Expected<KernelResources> resources(KernelHandle handle, uint32_t dynamic_shared_bytes) override {
    return kernels_.resources(handle, dynamic_shared_bytes);
  }
  Expected<uint32_t> maxActiveBlocksPerSm(KernelHandle handle, uint32_t block_threads,
                                          uint32_t dynamic_shared_bytes) override {
    const KernelResources needed = kernels_.resources(handle, dynamic_shared_bytes);
    return theoreticalOccupancy(description_.limits, needed, block_threads).blocks_per_sm;
  }
  Expected<DeviceAddress> symbol(const ModuleImage& image, const std::string& name, uint64_t bytes) override {
    return kernels_.symbol(image, name, bytes);
  }

  Expected<MemoryInfo> memory() override { return memory_.info(); }
  Expected<DeviceAddress> allocate(uint64_t bytes) override { return memory_.allocate(bytes); }
  Expected<DeviceAddress> allocateOn(uint32_t gpu, uint64_t bytes) override {
    if (gpu >= description_.limits.gpus) return Backend::allocateOn(gpu, bytes);
    return gpu == 1 ? memory_.allocateOnPeer(bytes) : memory_.allocate(bytes);
  }
  // The host's side is the caller's (StreamWork::managed).
  Expected<DeviceAddress> allocateManaged(uint64_t bytes) override { return memory_.allocate(bytes); }
  void free(DeviceAddress address) override { memory_.free(address); }

  Expected<void> upload(DeviceAddress to, std::span<const std::byte> from) override {
    return memory_.upload(to, from);
  }
  Expected<void> download(std::span<std::byte> to, DeviceAddress from) override {
    return memory_.download(to, from);
  }
  Expected<std::span<const std::byte>> downloadView(size_t /*slot*/, DeviceAddress from,
                                                    uint64_t bytes) override {
    return memory_.view(from, bytes);
  }
  Expected<void> copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) override {
    return memory_.copy(to, from, bytes);
  }
  Expected<void> fill(DeviceAddress to, uint8_t value, uint64_t bytes) override {
    return memory_.fill(to, value, bytes);
  }

  Expected<ImageHandle> createImage(const ImageDescription& image, DeviceAddress texels) override {
    return memory_.createImage(image, texels);
  }
  Expected<std::vector<std::byte>> encodeTensorMap(const TensorMapDescription& map,
                                                   DeviceAddress tensor) override {
    return memory_.encodeTensorMap(map, tensor);
  }
  void freeImage(ImageHandle image) override { memory_.freeImage(image); }

  Expected<LaunchReport> launch(const LaunchSpec& spec, const std::stop_token& stop,
                                const LaunchListener& listener) override {
    LaunchReport report;
    const auto execute = [&](const LaunchSpec& one, const ReadyLaunch& ready) {
      memory_.written().everythingWritten();
      FunctionalOptions options{.threads = launcher_.threads()};
      options.progress = listener.progress;
      options.all_resident = one.cooperative;
      return runFunctional(ready.launch, options, stop).map([&](const FunctionalResult& result) {
        report.instructions.push_back(result.warp_instructions);
      });
    };
    auto done = launcher_.forEachLaunch(spec, listener, report.printed, execute);
    if (!done) return tl::unexpected(done.error());
    return report;
  }

  uint32_t sampledSms(const LaunchSpec& spec, uint32_t at_least) const override {
    return launcher_.sampledSms(spec, at_least);
  }

  Expected<ModelledReport> launchModelled(const LaunchSpec& spec, const ModelledLaunch& how,
                                          const std::stop_token& stop,
                                          const LaunchListener& listener) override {
    return modelling_.run(spec, how, stop, listener);
  }

  Expected<StreamReport> runStreams(const StreamWork& work, const std::stop_token& stop,
                                    const LaunchListener& listener) override {
    return runOperations({work, nullptr, stop, listener});
  }
  Expected<ModelledStreamReport> runStreamsModelled(const StreamWork& work, const ModelledStreams& how,
                                                    const std::stop_token& stop,
                                                    const LaunchListener& listener) override {
    return runOperations({work, &how, stop, listener});
  }

  Expected<CheckedReport> launchChecked(const LaunchSpec& spec, uint64_t step_limit,
                                        const std::stop_token& stop, const LaunchListener& listener,
                                        TouchedMemory* touched) override {
    CheckedReport report;
    std::shared_ptr<PrimaryLaunch> before;
    const auto check = [&](const LaunchSpec& one, const ReadyLaunch& ready) {
      CheckOptions options{.touched = touched};
      if (step_limit > 0) options.step_limit = step_limit;
      options.progress = listener.progress;
      if (one.programmatic) options.primary = before;
      options.keep_accesses = !spec.following.empty();
      return runChecked(ready.launch, memory_.written(), options, stop).map([&](CheckReport&& checked) {
        std::ranges::move(checked.hazards, std::back_inserter(report.hazards));
        before = std::move(checked.accesses);
      });
    };
    auto done = launcher_.forEachLaunch(spec, listener, report.printed, check);
    if (!done) return tl::unexpected(done.error());
    return report;
  }

  Expected<LaneLog> recordLanes(const LaunchSpec& spec, const LaneLogOptions& options,
                                const std::stop_token& stop) override {
    const auto ready = launcher_.prepare(spec);
    if (!ready) return tl::unexpected(ready.error());
    memory_.written().everythingWritten();
    auto log = sim::recordLanes(ready->launch, options, stop);
    if (!log) return log;
    log->listing = kernels_.of(spec.kernel).listing;
    log->buffers = memory_.buffers();
    return log;
  }

  // The model's times do not scatter: one launch says as much as many.
  Expected<std::vector<double>> time(const LaunchSpec& spec, uint32_t warm_ups, uint32_t /*repeats*/,
                                     FillBefore reset) override {
    if (auto done = fill(reset.address, reset.value, reset.bytes); !done) return tl::unexpected(done.error());
    const auto caches = warm_ups > 0 ? ModelledLaunch::Caches::kWarm : ModelledLaunch::Caches::kCold;
    const auto report = launchModelled(spec, {.caches = caches}, {}, {});
    if (!report) return tl::unexpected(report.error());
    return std::vector<double>{report->time_us};
  }

  // Not simulated but computed: what the narrower of L2 and DRAM lets through, as a copy engine or a tuned
  // copy kernel reaches it, and one latency.
  Expected<std::vector<double>> timeCopy(DeviceAddress to, DeviceAddress from, uint64_t bytes,
                                         uint32_t /*warm_ups*/, uint32_t /*repeats*/) override {
    if (auto done = copy(to, from, bytes); !done) return tl::unexpected(done.error());
    const bool in_l2 = 2 * bytes <= profile_.l2.bytes;
    const double bytes_per_cycle = in_l2 ? profile_.l2.bytes_per_cycle : profile_.dram_bytes_per_cycle;
    const uint32_t latency_cycles = in_l2 ? profile_.l2.latency_cycles : profile_.dram_latency_cycles;
    const double cycles = 2.0 * static_cast<double>(bytes) / bytes_per_cycle + latency_cycles;
    return std::vector<double>{cycles / profile_.sm_clock_mhz + profile_.launch_overhead_ns / 1e3};
  }

  bool poisoned() const override { return false; }

 private:
  // Each launch is executed by itself when it becomes ready; the streams' model then says which blocks of all
  // launches run when and where.
  Expected<ModelledStreamReport> runOperations(const StreamRequest& request) {
    const StreamWork& work = request.work;
    if (auto possible = checkAllocations(work); !possible) return tl::unexpected(possible.error());
    if (auto possible = checkGpus(work, description_.limits.gpus); !possible)
      return tl::unexpected(possible.error());
    const uint32_t launch_count = placeBuffersOf(work);
    for (const StreamWork::Managed& managed : work.managed) {
      if (auto sent = upload(managed.address, managed.host); !sent) return tl::unexpected(sent.error());
    }
    // So that the same work takes the same time whatever ran before. Copies leave what they move in L2; what
    // the host writes to managed memory is not there.
    for (const uint32_t gpu : {0U, 1U}) caches_.clear(gpu);
    StreamLaunches launches(launcher_, kernels_, memory_, caches_, profile_, description_, request);
    uint32_t launched = 0;
    const StreamActions actions{
        .launch = [&](uint32_t index) -> Expected<LaunchedAlone> {
          auto alone = launches.launch(index);
          if (request.listener.progress)
            request.listener.progress(static_cast<double>(++launched) / launch_count);
          return alone;
        },
        .effect = [&](uint32_t index) { return carryOut(work.operations[index], memory_, caches_); }};
    auto report = runOnStreams(work, profile_, actions, request.stop);
    if (!report) return tl::unexpected(report.error());
    for (const StreamWork::Managed& managed : work.managed) {
      if (auto read = download(managed.host, managed.address); !read) return tl::unexpected(read.error());
    }
    ModelledStreamReport modelled = launches.takeReport();
    report->printed = std::move(modelled.printed);
    static_cast<StreamReport&>(modelled) = std::move(*report);
    return modelled;
  }

  // Places the buffers of all launches anew for the caches. Returns how many launches there are.
  uint32_t placeBuffersOf(const StreamWork& work) {
    caches_.addresses().clear();
    uint32_t launches = 0;
    for (const EnqueuedOperation& operation : work.operations) {
      if (operation.kind != OperationKind::kLaunch) continue;
      ++launches;
      for (const AddressRange& range : buffersOf(operation.launch, memory_))
        caches_.addresses().add(range, usedBytes(operation.launch, range, memory_));
    }
    return launches;
  }

  const DeviceProfile profile_;
  const DeviceDescription description_;
  ModelledCaches caches_;
  DeviceMemory memory_;
  LoadedKernels kernels_;
  Launcher launcher_;
  LaunchModelling modelling_;
};

}  // namespace

Expected<std::unique_ptr<ModellingBackend>> openSimulatedBackend(DeviceProfile profile,
                                                                 SimulatedOptions options) {
  const auto most = static_cast<uint64_t>(kHostMemoryShare * static_cast<double>(hostMemoryBytes()));
  auto memory = GlobalMemory::create(std::min(profile.memory_bytes, most));
  if (!memory) return tl::unexpected(memory.error());
  return std::make_unique<SimulatedBackend>(std::move(profile), options, std::move(*memory));
}

}  // namespace warpscope::sim
