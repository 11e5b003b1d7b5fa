#include "kernels/backend/cuda/cuda_backend.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/backend/cuda/counters/counter_reader.h"
#include "kernels/backend/cuda/counters/pc_sampler.h"
#include "kernels/backend/cuda/counters/pm_sampler.h"
#include "kernels/backend/cuda/cub_library.h"
#include "kernels/backend/cuda/driver_api.h"
#include "kernels/backend/cuda/hold.h"
#include "kernels/backend/cuda/images.h"
#include "kernels/backend/cuda/launch_calls.h"
#include "kernels/backend/cuda/launch_timer.h"
#include "kernels/backend/cuda/loaded_kernels.h"
#include "kernels/backend/cuda/managed_memory.h"
#include "kernels/backend/cuda/peer_gpu.h"
#include "kernels/backend/cuda/session.h"
#include "kernels/backend/cuda/staging.h"
#include "kernels/backend/cuda/streams/stream_runner.h"
#include "kernels/backend/cuda/tensor_maps.h"
#include "kernels/backend/stream_times.h"

namespace warpscope {
namespace cuda {
namespace {

Expected<void> doNothing() {
  return {};
}

class CudaBackend final : public Backend {
 public:
  CudaBackend(std::unique_ptr<Session> session, std::unique_ptr<Staging> staging, std::unique_ptr<Hold> hold)
      : session_(std::move(session)),
        staging_(std::move(staging)),
        hold_(std::move(hold)),
        kernels_(*session_),
        calls_(*session_),
        timer_(*session_),
        images_(*session_),
        counter_reader_(*session_),
        pc_sampler_(*session_),
        pm_sampler_(*session_),
        pinned_(*session_),
        managed_(*session_),
        streams_(
            *session_, *hold_, managed_, [this] { return peer(); },
            [this](const LaunchSpec& spec, Stream stream) {
              return calls_.enqueue(knownEntry(spec), spec, stream);
            },
            [this](const LaunchSpec& spec, Graph graph, std::span<const GraphNode> after) {
              return calls_.addNode(kernels_.of(spec.kernel), spec, graph, after);
            }) {}

  ~CudaBackend() override {
    if (session_->poisoned() || !session_->enter()) return;
    timer_.release();
    hold_.reset();
    staging_.reset();
    kernels_.unload();
  }

  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  const DeviceDescription& description() const override { return session_->description(); }

  Expected<KernelHandle> kernel(const ModuleImage& module, const std::string& entry) override {
    return kernels_.load(module, entry);
  }
  Expected<KernelResources> resources(KernelHandle handle, uint32_t dynamic_shared_bytes) override {
    return kernels_.resources(handle, dynamic_shared_bytes);
  }
  Expected<uint32_t> maxActiveBlocksPerSm(KernelHandle handle, uint32_t block_threads,
                                          uint32_t dynamic_shared_bytes) override {
    return kernels_.maxActiveBlocksPerSm(handle, block_threads, dynamic_shared_bytes);
  }
  Expected<DeviceAddress> symbol(const ModuleImage& module, const std::string& name,
                                 uint64_t bytes) override {
    return kernels_.symbol(module, name, bytes);
  }

  Expected<MemoryInfo> memory() override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    if (auto done =
            session_->check(session_->api().memGetInfo(&free_bytes, &total_bytes), "asking for free memory");
        !done) {
      return tl::unexpected(done.error());
    }
    return MemoryInfo{free_bytes, total_bytes};
  }

  Expected<DeviceAddress> allocate(uint64_t bytes) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    Address address = 0;
    if (auto done = session_->check(session_->api().memAlloc(&address, std::max<uint64_t>(bytes, 1)),
                                    "allocating {} MiB", (bytes >> 20) + 1);
        !done) {
      return tl::unexpected(done.error());
    }
    return address;
  }

  Expected<DeviceAddress> allocateOn(uint32_t gpu, uint64_t bytes) override {
    if (gpu == 0) return allocate(bytes);
    if (gpu > 1) return Backend::allocateOn(gpu, bytes);
    const auto other = peer();
    return other ? (*other)->allocate(bytes) : tl::unexpected(other.error());
  }

  Expected<DeviceAddress> allocateManaged(uint64_t bytes) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    return managed_.allocate(bytes);
  }

  void free(DeviceAddress address) override {
    if (isOfPeer(address)) return peer_->free(address);
    managed_.forget(address);
    if (address != 0 && session_->enter()) session_->api().memFree(address);
  }

  Expected<void> upload(DeviceAddress to, std::span<const std::byte> from) override {
    if (auto ready = session_->enter(); !ready) return ready;
    if (isOfPeer(to)) return peer_->upload(to, from);
    return staging_->upload(to, from);
  }

  Expected<void> download(std::span<std::byte> to, DeviceAddress from) override {
    if (auto ready = session_->enter(); !ready) return ready;
    if (isOfPeer(from)) return peer_->download(to, from);
    return staging_->download(to, from);
  }

  Expected<std::span<const std::byte>> downloadView(size_t slot, DeviceAddress from,
                                                    uint64_t bytes) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    std::byte* pinned = isOfPeer(from) ? nullptr : pinned_.atLeast(slot, bytes);
    if (pinned != nullptr) {
      auto done = session_
                      ->check(session_->api().memcpyDtoHAsync(pinned, from, bytes, session_->stream()),
                              "downloading {} bytes", bytes)
                      .and_then([&] { return session_->synchronize("copying between host and device"); });
      if (!done) return tl::unexpected(done.error());
      return std::span<const std::byte>(pinned, bytes);
    }
    if (slot >= pageable_.size()) pageable_.resize(slot + 1);
    pageable_[slot].resize(bytes);
    if (auto done = download(pageable_[slot], from); !done) return tl::unexpected(done.error());
    return std::span<const std::byte>(pageable_[slot]);
  }

  // Copies and fills are ordered in the stream before whatever follows; the host does not wait for them here.
  Expected<void> copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) override {
    if (auto ready = session_->enter(); !ready || bytes == 0) return ready;
    if (isOfPeer(to) || isOfPeer(from)) return peer_->copy(to, from, bytes);
    return session_->check(session_->api().memcpyDtoDAsync(to, from, bytes, session_->stream()),
                           "copying {} bytes on the device", bytes);
  }

  Expected<void> fill(DeviceAddress to, uint8_t value, uint64_t bytes) override {
    if (auto ready = session_->enter(); !ready || bytes == 0) return ready;
    if (isOfPeer(to)) return peer_->fill(to, value, bytes);
    return session_->check(session_->api().memsetD8Async(to, value, bytes, session_->stream()),
                           "filling {} bytes on the device", bytes);
  }

  Expected<ImageHandle> createImage(const ImageDescription& image, DeviceAddress texels) override {
    return images_.create(image, texels);
  }
  void freeImage(ImageHandle image) override { images_.free(image); }

  Expected<std::vector<std::byte>> encodeTensorMap(const TensorMapDescription& map,
                                                   DeviceAddress tensor) override {
    return cuda::encodeTensorMap(*session_, map, tensor);
  }

  // A kernel that runs cannot be interrupted from here, and the driver writes what it prints to the process's
  // standard output when the stream is synchronised: `serve` passes that on, and its client can end the
  // process.
  Expected<LaunchReport> launch(const LaunchSpec& spec, const std::stop_token& /*stop*/,
                                const LaunchListener& /*listener*/) override {
    if (spec.gpu != 0) return launchOnPeer(spec);
    auto done = prepareLaunch(spec)
                    .and_then([&] { return images_.load(); })
                    .and_then([&] { return enqueueAll(spec); })
                    .and_then([&] { return images_.store(); })
                    .and_then([&] {
                      return session_->synchronize(fmt::format("running {}", kernels_.of(spec.kernel).name));
                    });
    if (!done) return tl::unexpected(done.error());
    return LaunchReport{};
  }

  // Stopped between two operations only. Counters and samplers are given back: CUPTI
  // does not record activity beside them.
  Expected<StreamReport> runStreams(const StreamWork& work, const std::stop_token& stop,
                                    const LaunchListener& /*listener*/) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    if (auto possible = checkGpus(work, description().limits.gpus); !possible)
      return tl::unexpected(possible.error());
    if (auto possible = managed_.check(work); !possible) return tl::unexpected(possible.error());
    counter_reader_.giveBack();
    pm_sampler_.giveBack();
    for (const EnqueuedOperation& operation : work.operations) {
      if (operation.kind != OperationKind::kLaunch) continue;
      if (auto ready = prepareLaunch(operation.launch); !ready) return tl::unexpected(ready.error());
    }
    if (auto loaded = images_.load(); !loaded) return tl::unexpected(loaded.error());
    auto report = streams_.run(work, stop);
    if (!report) return report;
    const auto stored = images_.store().and_then([&] { return session_->synchronize("storing images"); });
    if (!stored) return tl::unexpected(stored.error());
    return report;
  }

  Expected<std::vector<double>> time(const LaunchSpec& spec, uint32_t warm_ups, uint32_t repeats,
                                     FillBefore reset) override {
    auto ready = prepareLaunch(spec).and_then([&] { return images_.load(); });
    if (!ready) return tl::unexpected(ready.error());
    auto times = timer_.time(
        *hold_, [&] { return fill(reset.address, reset.value, reset.bytes); },
        [&] { return enqueueAll(spec); }, warm_ups, repeats,
        fmt::format("timing {}", kernels_.of(spec.kernel).name));
    if (!times) return times;
    if (auto stored = images_.store(); !stored) return tl::unexpected(stored.error());
    return times;
  }

  Expected<std::vector<double>> timeCopy(DeviceAddress to, DeviceAddress from, uint64_t bytes,
                                         uint32_t warm_ups, uint32_t repeats) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    return timer_.time(
        *hold_, doNothing, [&] { return copy(to, from, bytes); }, warm_ups, repeats, "timing a copy");
  }

  Expected<std::optional<LibraryTimes>> timeLibrary(LibraryWork::Kind kind, DeviceAddress input,
                                                    uint64_t count, uint32_t warm_ups,
                                                    uint32_t repeats) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    const CubLibrary* cub = CubLibrary::find();
    const size_t bytes = cub == nullptr ? 0 : cub->temporaryBytes(kind, count);
    if (bytes == 0) return std::nullopt;
    const auto temporary = allocate(bytes);
    const auto total = allocate(sizeof(uint32_t));
    Expected<std::vector<double>> times;
    bool refused = false;
    if (temporary && total) {
      const auto work = [&]() -> Expected<void> {
        refused = refused || !cub->sum(kind, *temporary, bytes, input, *total, count, session_->stream());
        return {};
      };
      times = timer_.time(*hold_, doNothing, work, warm_ups, repeats, "timing " + cub->name());
    }
    if (total) free(*total);
    if (temporary) free(*temporary);
    if (!times) return tl::unexpected(times.error());
    // No memory for it, or no code for this GPU: there is nothing to compare with.
    if (refused || times->empty()) return std::nullopt;
    return LibraryTimes{cub->name(), std::move(*times)};
  }

  Expected<std::map<std::string, double>> count(const LaunchSpec& spec,
                                                const std::vector<std::string>& metrics,
                                                const std::function<Expected<void>()>& restore) override {
    if (auto ready = prepareLaunch(spec); !ready) return tl::unexpected(ready.error());
    pm_sampler_.giveBack();
    if (metrics.empty()) {
      counter_reader_.giveBack();
      return std::map<std::string, double>{};
    }
    return counter_reader_.read(
        metrics, 1 + spec.following.size(),
        [&] { return restore().and_then([&] { return images_.load(); }); }, [&] { return enqueueAll(spec); });
  }

  // A GPU's counters and its two samplers cannot be had at the same time (CUPTI_ERROR_HARDWARE_BUSY, or
  // samples that are missing).
  //
  // Only the first kernel is sampled: what is reported is of this one. It is the kernel as the driver
  // compiles it from the module's PTX, to whose lines instructions can be traced back.
  Expected<WaitsByPtxLine> sampleWaits(const LaunchSpec& spec, double launch_us,
                                       const std::function<Expected<void>()>& restore) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    counter_reader_.giveBack();
    pm_sampler_.giveBack();
    const KernelEntry& bare = kernels_.of(spec.kernel);
    const ModuleImage image{.name = bare.module.name, .ptx = bare.module.ptx, .fatbin = {}};
    Module module = nullptr;
    KernelEntry sampled;
    const auto load = [&]() -> Expected<void> {
      const auto loaded = loadModule(*session_, image);
      if (!loaded) return fail(ErrorKind::kNoDevice, "{}", loaded.error().message);  // the run goes on
      module = *loaded;
      auto found = kernels_.entryIn(module, image, bare.entry);
      if (!found) return tl::unexpected(found.error());
      sampled = std::move(*found);
      return kernels_.allowDynamicShared(sampled, spec.dynamic_shared_bytes);
    };
    return pc_sampler_.sample(launch_us,
                              {.load = load,
                               .restore =
                                   [&] {
                                     return restore().and_then([&] { return images_.load(); }).and_then([&] {
                                       return kernels_.copySymbols(image, module);
                                     });
                                   },
                               .launch = [&] { return calls_.enqueue(sampled, spec, session_->stream()); },
                               .unload =
                                   [&] {
                                     if (module != nullptr && !poisoned())
                                       session_->api().moduleUnload(module);
                                   }});
  }

  Expected<TimedActivity> sampleActivity(double launch_us,
                                         const std::function<Expected<void>()>& launch) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    counter_reader_.giveBack();
    return pm_sampler_.sample(launch_us, launch);
  }

  bool poisoned() const override {
    return session_->poisoned() || (peer_ != nullptr && peer_->session().poisoned());
  }

 private:
  // Opened when it is first asked for.
  Expected<PeerGpu*> peer() {
    if (peer_ != nullptr) return peer_.get();
    auto opened = PeerGpu::open(*session_);
    if (!opened) return tl::unexpected(opened.error());
    peer_ = std::move(*opened);
    return peer_.get();
  }
  bool isOfPeer(DeviceAddress address) const { return peer_ != nullptr && peer_->owns(address); }

  // The kernel on the GPU that the launch is for; loaded there when it is first asked for. Leaves that GPU's
  // context current.
  Expected<KernelEntry*> entryFor(const LaunchSpec& spec) {
    if (spec.gpu == 0) return &kernels_.of(spec.kernel);
    const auto other = peer();
    return other ? kernels_.onPeer(spec.kernel, **other) : tl::unexpected(other.error());
  }
  // The same of a launch that was prepared.
  const KernelEntry& knownEntry(const LaunchSpec& spec) {
    return spec.gpu == 0 ? kernels_.of(spec.kernel) : kernels_.knownOnPeer(spec.kernel);
  }

  Expected<LaunchReport> launchOnPeer(const LaunchSpec& spec) {
    auto done =
        prepareLaunch(spec)
            .and_then([&] { return session_->synchronize("waiting for earlier work"); })
            .and_then([&] { return peer_->session().enter(); })
            .and_then([&] { return calls_.enqueue(knownEntry(spec), spec, peer_->session().stream()); })
            .and_then([&] {
              return peer_->session().synchronize(fmt::format("running {}", knownEntry(spec).name));
            })
            .and_then([&] { return session_->enter(); });
    if (!done) return tl::unexpected(done.error());
    return LaunchReport{};
  }

  Expected<void> prepareLaunch(const LaunchSpec& spec) {
    if (auto ready = session_->enter(); !ready) return ready;
    const auto entry = entryFor(spec);
    if (!entry) return tl::unexpected(entry.error());
    auto allowed = kernels_.allowDynamicShared(**entry, spec.dynamic_shared_bytes);
    if (spec.gpu != 0) return allowed ? session_->enter() : allowed;
    for (size_t i = 0; i < spec.following.size() && allowed; ++i) {
      allowed = kernels_.allowDynamicShared(kernels_.of(spec.following[i].kernel),
                                            spec.following[i].dynamic_shared_bytes);
    }
    return allowed;
  }

  Expected<void> enqueueAll(const LaunchSpec& spec) {
    auto queued = calls_.enqueue(kernels_.of(spec.kernel), spec, session_->stream());
    for (const LaunchSpec& next : spec.following) {
      if (queued) queued = calls_.enqueue(kernels_.of(next.kernel), next, session_->stream());
    }
    return queued;
  }

  std::unique_ptr<Session> session_;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<Hold> hold_;
  LoadedKernels kernels_;
  LaunchCalls calls_;
  LaunchTimer timer_;
  Images images_;
  CounterReader counter_reader_;
  PcSampler pc_sampler_;
  PmSampler pm_sampler_;
  PinnedBuffers pinned_;
  std::unique_ptr<PeerGpu> peer_;  // once a run uses two GPUs
  ManagedMemory managed_;
  StreamRunner streams_;
  std::vector<std::vector<std::byte>> pageable_;  // by slot, where pinned memory could not be allocated
};

}  // namespace
}  // namespace cuda

Expected<std::unique_ptr<Backend>> openCudaBackend(int ordinal) {
  auto session = cuda::Session::open(ordinal);
  if (!session) return tl::unexpected(session.error());
  auto staging = cuda::Staging::create(**session);
  if (!staging) return tl::unexpected(staging.error());
  auto hold = cuda::Hold::create(**session);
  if (!hold) return tl::unexpected(hold.error());
  return std::make_unique<cuda::CudaBackend>(std::move(*session), std::move(*staging), std::move(*hold));
}

}  // namespace warpscope
