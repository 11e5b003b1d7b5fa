#include "kernels/backend/cuda/cuda_backend.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "kernels/backend/cuda/counters/counter_reader.h"
#include "kernels/backend/cuda/counters/pc_sampler.h"
#include "kernels/backend/cuda/counters/pm_sampler.h"
#include "kernels/backend/cuda/cub_library.h"
#include "kernels/backend/cuda/driver_api.h"
#include "kernels/backend/cuda/hold.h"
#include "kernels/backend/cuda/images.h"
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

// The size of one measured batch: this many pairs of events are recorded before the first wait, which is far
// below the number of commands that a stream accepts without blocking.
constexpr uint32_t kTimingBatch = 32;

struct KernelEntry {
  Function function = nullptr;
  std::string name, entry;
  ModuleImage module;
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_allowed = 0;  // set so far; a launch that needs more raises it
  uint32_t barriers = 0;
};

struct Variable {
  Address address = 0;
  uint64_t bytes = 0;
};

// "_ZN9warpscope7shuffleINS_7NoProbeEEEv..." of module reduction -> "reduction: shuffle<NoProbe>".
std::string readableName(std::string_view module, const std::string& entry) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(entry.c_str(), nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 && demangled ? demangled.get() : entry;
  name.erase(std::min(name.find('('), name.size()));
  for (const std::string_view noise : {"void ", "warpscope::"}) {
    for (size_t at = 0; (at = name.find(noise)) != std::string::npos;) name.erase(at, noise.size());
  }
  return fmt::format("{}: {}", module, name);
}

class CudaBackend final : public Backend {
 public:
  CudaBackend(std::unique_ptr<Session> session, std::unique_ptr<Staging> staging, std::unique_ptr<Hold> hold)
      : session_(std::move(session)),
        staging_(std::move(staging)),
        hold_(std::move(hold)),
        images_(*session_),
        counter_reader_(*session_),
        pc_sampler_(*session_),
        pm_sampler_(*session_),
        pinned_(*session_),
        managed_(*session_),
        streams_(
            *session_, *hold_, managed_, [this] { return peer(); },
            [this](const LaunchSpec& spec, Stream stream) { return enqueue(knownEntry(spec), spec, stream); },
            [this](const LaunchSpec& spec, Graph graph, std::span<const GraphNode> after) {
              return addNode(entryOf(spec.kernel), spec, graph, after);
            }) {}

  ~CudaBackend() override {
    if (session_->poisoned() || !session_->enter()) return;
    for (const Event event : events_) session_->api().eventDestroy(event);
    hold_.reset();
    staging_.reset();
    for (const auto& [name, module] : modules_) session_->api().moduleUnload(module);
  }

  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  const DeviceDescription& description() const override { return session_->description(); }

  Expected<KernelHandle> kernel(const ModuleImage& module, const std::string& entry) override {
    const auto key = std::pair(std::string(module.name), entry);
    if (const auto known = handles_.find(key); known != handles_.end()) return known->second;
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    const auto loaded = loadedModule(module);
    if (!loaded) return tl::unexpected(loaded.error());

    auto kernel = entryIn(*loaded, module, entry);
    if (!kernel) return tl::unexpected(kernel.error());
    kernels_.push_back(std::move(*kernel));
    return handles_.emplace(key, KernelHandle{kernels_.size()}).first->second;
  }

  Expected<KernelResources> resources(KernelHandle handle, uint32_t dynamic_shared_bytes) override {
    const KernelEntry& kernel = entryOf(handle);
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    int registers = 0;
    int local_bytes = 0;
    const DriverApi& api = session_->api();
    Result result = api.funcGetAttribute(&registers, FunctionAttribute::kNumRegs, kernel.function);
    if (result == kSuccess) {
      result = api.funcGetAttribute(&local_bytes, FunctionAttribute::kLocalSizeBytes, kernel.function);
    }
    if (auto done = session_->check(result, "asking for the resources of {}", kernel.name); !done) {
      return tl::unexpected(done.error());
    }
    return KernelResources{static_cast<uint32_t>(registers), kernel.static_shared_bytes, dynamic_shared_bytes,
                           static_cast<uint32_t>(local_bytes), kernel.barriers};
  }

  Expected<uint32_t> maxActiveBlocksPerSm(KernelHandle handle, uint32_t block_threads,
                                          uint32_t dynamic_shared_bytes) override {
    KernelEntry& kernel = entryOf(handle);
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    if (auto allowed = allowDynamicShared(kernel, dynamic_shared_bytes); !allowed) {
      return tl::unexpected(allowed.error());
    }
    int blocks = 0;
    if (auto done = session_->check(
            session_->api().occupancyMaxActiveBlocksPerMultiprocessor(
                &blocks, kernel.function, static_cast<int>(block_threads), dynamic_shared_bytes),
            "asking for the occupancy of {}", kernel.name);
        !done) {
      return tl::unexpected(done.error());
    }
    return static_cast<uint32_t>(blocks);
  }

  Expected<DeviceAddress> symbol(const ModuleImage& module, const std::string& name,
                                 uint64_t bytes) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    const auto loaded = loadedModule(module);
    if (!loaded) return tl::unexpected(loaded.error());
    Address address = 0;
    size_t has = 0;
    if (auto done = session_->check(
            session_->api().moduleGetGlobal(&address, &has, *loaded, symbolName(name).c_str()),
            "finding {} in module {}", name, module.name);
        !done) {
      return tl::unexpected(done.error());
    }
    if (has >= bytes) {
      symbols_[std::string(module.name)][symbolName(name)] = {address, has};
      return address;
    }
    return fail(ErrorKind::kBadRequest, "{} of module {} has {} bytes, not {}", name, module.name, has,
                bytes);
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
                      return session_->synchronize(fmt::format("running {}", entryOf(spec.kernel).name));
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
    auto times = timeWork([&] { return enqueueAll(spec); }, warm_ups, repeats, reset,
                          fmt::format("timing {}", entryOf(spec.kernel).name));
    if (!times) return times;
    if (auto stored = images_.store(); !stored) return tl::unexpected(stored.error());
    return times;
  }

  Expected<std::vector<double>> timeCopy(DeviceAddress to, DeviceAddress from, uint64_t bytes,
                                         uint32_t warm_ups, uint32_t repeats) override {
    if (auto ready = session_->enter(); !ready) return tl::unexpected(ready.error());
    return timeWork([&] { return copy(to, from, bytes); }, warm_ups, repeats, {}, "timing a copy");
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
      times = timeWork(work, warm_ups, repeats, {}, "timing " + cub->name());
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
    const KernelEntry& bare = entryOf(spec.kernel);
    const ModuleImage image{.name = bare.module.name, .ptx = bare.module.ptx, .fatbin = {}};
    Module module = nullptr;
    KernelEntry sampled;
    const auto load = [&]() -> Expected<void> {
      const auto loaded = loadModule(*session_, image);
      if (!loaded) return fail(ErrorKind::kNoDevice, "{}", loaded.error().message);  // the run goes on
      module = *loaded;
      auto found = entryIn(module, image, bare.entry);
      if (!found) return tl::unexpected(found.error());
      sampled = std::move(*found);
      return allowDynamicShared(sampled, spec.dynamic_shared_bytes);
    };
    return pc_sampler_.sample(launch_us,
                              {.load = load,
                               .restore =
                                   [&] {
                                     return restore().and_then([&] { return images_.load(); }).and_then([&] {
                                       return copySymbols(image, module);
                                     });
                                   },
                               .launch = [&] { return enqueue(sampled, spec, session_->stream()); },
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
  KernelEntry& entryOf(KernelHandle handle) { return kernels_.at(handle.value - 1); }

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
    if (spec.gpu == 0) return &entryOf(spec.kernel);
    const auto other = peer();
    if (!other) return tl::unexpected(other.error());
    const KernelEntry& of = entryOf(spec.kernel);
    const auto module = (*other)->module(of.module);
    if (!module) return tl::unexpected(module.error());
    if (const auto known = peer_kernels_.find(spec.kernel.value); known != peer_kernels_.end())
      return &known->second;
    auto entry = entryIn(*module, of.module, of.entry);
    if (!entry) return tl::unexpected(entry.error());
    return &peer_kernels_.emplace(spec.kernel.value, std::move(*entry)).first->second;
  }
  // The same of a launch that was prepared.
  const KernelEntry& knownEntry(const LaunchSpec& spec) {
    return spec.gpu == 0 ? entryOf(spec.kernel) : peer_kernels_.at(spec.kernel.value);
  }

  Expected<LaunchReport> launchOnPeer(const LaunchSpec& spec) {
    auto done = prepareLaunch(spec)
                    .and_then([&] { return session_->synchronize("waiting for earlier work"); })
                    .and_then([&] { return peer_->session().enter(); })
                    .and_then([&] { return enqueue(knownEntry(spec), spec, peer_->session().stream()); })
                    .and_then([&] {
                      return peer_->session().synchronize(fmt::format("running {}", knownEntry(spec).name));
                    })
                    .and_then([&] { return session_->enter(); });
    if (!done) return tl::unexpected(done.error());
    return LaunchReport{};
  }

  Expected<KernelEntry> entryIn(Module loaded, const ModuleImage& module, const std::string& entry) {
    KernelEntry kernel;
    kernel.name = readableName(module.name, entry);
    kernel.entry = entry;
    kernel.module = module;
    kernel.barriers = barriersOf(module, entry);
    const DriverApi& api = session_->api();
    int static_bytes = 0;
    const auto found =
        session_
            ->check(api.moduleGetFunction(&kernel.function, loaded, entry.c_str()), "finding kernel {}",
                    kernel.name)
            .and_then([&] {
              return session_->check(
                  api.funcGetAttribute(&static_bytes, FunctionAttribute::kSharedSizeBytes, kernel.function),
                  "asking for the shared memory of {}", kernel.name);
            });
    if (!found) return tl::unexpected(found.error());
    kernel.static_shared_bytes = static_cast<uint32_t>(static_bytes);
    const uint32_t without_opt_in = description().limits.shared_bytes_per_block;
    kernel.dynamic_shared_allowed =
        without_opt_in > kernel.static_shared_bytes ? without_opt_in - kernel.static_shared_bytes : 0;
    return kernel;
  }

  // Gives the variables of a module that was loaded again what those of the first have.
  Expected<void> copySymbols(const ModuleImage& image, Module again) {
    const DriverApi& api = session_->api();
    const auto known = symbols_.find(std::string(image.name));
    if (known == symbols_.end()) return {};
    for (const auto& [name, variable] : known->second) {
      Address address = 0;
      size_t bytes = 0;
      auto done = session_->check(api.moduleGetGlobal(&address, &bytes, again, name.c_str()),
                                  "finding {} in module {}", name, image.name);
      if (done) done = copy(address, variable.address, std::min<uint64_t>(bytes, variable.bytes));
      if (!done) return done;
    }
    return {};
  }

  Expected<Module> loadedModule(const ModuleImage& image) {
    const std::string name(image.name);
    if (const auto known = modules_.find(name); known != modules_.end()) return known->second;
    auto module = loadModule(*session_, image);
    if (module) modules_.emplace(name, *module);
    return module;
  }

  Expected<void> allowDynamicShared(KernelEntry& kernel, uint32_t bytes) {
    if (bytes <= kernel.dynamic_shared_allowed) return {};
    auto done = session_->check(
        session_->api().funcSetAttribute(kernel.function, FunctionAttribute::kMaxDynamicSharedSizeBytes,
                                         static_cast<int>(bytes)),
        "allowing {} bytes of dynamic shared memory for {}", bytes, kernel.name);
    if (done) kernel.dynamic_shared_allowed = bytes;
    return done;
  }

  Expected<void> prepareLaunch(const LaunchSpec& spec) {
    if (auto ready = session_->enter(); !ready) return ready;
    const auto entry = entryFor(spec);
    if (!entry) return tl::unexpected(entry.error());
    auto allowed = allowDynamicShared(**entry, spec.dynamic_shared_bytes);
    if (spec.gpu != 0) return allowed ? session_->enter() : allowed;
    for (size_t i = 0; i < spec.following.size() && allowed; ++i) {
      allowed = allowDynamicShared(entryOf(spec.following[i].kernel), spec.following[i].dynamic_shared_bytes);
    }
    return allowed;
  }

  Expected<void> enqueueAll(const LaunchSpec& spec) {
    auto queued = enqueue(entryOf(spec.kernel), spec, session_->stream());
    for (const LaunchSpec& next : spec.following) {
      if (queued) queued = enqueue(entryOf(next.kernel), next, session_->stream());
    }
    return queued;
  }

  // cuLaunchKernel only reads through kernelParams.
  void takeArguments(const LaunchSpec& spec) {
    arguments_.clear();
    for (const auto& parameter : spec.parameters) {
      arguments_.push_back(const_cast<std::byte*>(parameter.data()));
    }
  }

  Expected<void> enqueue(const KernelEntry& kernel, const LaunchSpec& spec, Stream stream) {
    takeArguments(spec);
    const DriverApi& api = session_->api();
    if (spec.cluster || spec.programmatic) return enqueueWithAttributes(kernel, spec, stream);
    const Result result =
        spec.cooperative ? api.launchCooperativeKernel(kernel.function, spec.grid.x, spec.grid.y, spec.grid.z,
                                                       spec.block.x, spec.block.y, spec.block.z,
                                                       spec.dynamic_shared_bytes, stream, arguments_.data())
                         : api.launchKernel(kernel.function, spec.grid.x, spec.grid.y, spec.grid.z,
                                            spec.block.x, spec.block.y, spec.block.z,
                                            spec.dynamic_shared_bytes, stream, arguments_.data(), nullptr);
    if (result == kSuccess) return {};
    return session_->check(result,
                           "launching {} with grid {}x{}x{}, block {}x{}x{}, {} B dynamic shared memory",
                           kernel.name, spec.grid.x, spec.grid.y, spec.grid.z, spec.block.x, spec.block.y,
                           spec.block.z, spec.dynamic_shared_bytes);
  }

  // The same launch as a node of a graph. The driver copies the arguments.
  Expected<GraphNode> addNode(const KernelEntry& kernel, const LaunchSpec& spec, Graph graph,
                              std::span<const GraphNode> after) {
    if (spec.cluster || spec.cooperative) {
      return fail(ErrorKind::kBadRequest,
                  "{}: cooperative launches and those in clusters cannot be nodes of an explicit graph; "
                  "capture them",
                  kernel.name);
    }
    takeArguments(spec);
    const KernelNode launch{kernel.function,  spec.grid.x,  spec.grid.y,  spec.grid.z,
                            spec.block.x,     spec.block.y, spec.block.z, spec.dynamic_shared_bytes,
                            arguments_.data()};
    GraphNode node = nullptr;
    auto added =
        session_->check(session_->api().graphAddKernelNode(&node, graph, after.data(), after.size(), &launch),
                        "adding a launch of {} to a graph", kernel.name);
    if (!added) return tl::unexpected(added.error());
    return node;
  }

  // arguments_ are set.
  Expected<void> enqueueWithAttributes(const KernelEntry& kernel, const LaunchSpec& spec, Stream stream) {
    const DriverApi& api = session_->api();
    const Dim3 cluster = spec.cluster.value_or(Dim3{});
    if (api.launchKernelEx == nullptr) {
      return fail(ErrorKind::kBadRequest, "launching {} {}: the driver is too old; 520 or newer is needed",
                  kernel.name, spec.cluster ? "in clusters" : "as a programmatic dependent launch");
    }
    if (auto allowed = allowCluster(kernel, cluster); !allowed) return allowed;
    std::array<LaunchAttribute, 3> attributes{};
    unsigned count = 0;
    if (spec.cluster) {
      attributes[count].id = kAttributeClusterDimension;
      attributes[count].value[0] = cluster.x;
      attributes[count].value[1] = cluster.y;
      attributes[count++].value[2] = cluster.z;
    }
    for (const auto& [set, id] : {std::pair(spec.cooperative, kAttributeCooperative),
                                  {spec.programmatic, kAttributeProgrammaticStreamSerialization}}) {
      if (!set) continue;
      attributes[count].id = id;
      attributes[count++].value[0] = 1;
    }
    LaunchConfig config{spec.grid.x,
                        spec.grid.y,
                        spec.grid.z,
                        spec.block.x,
                        spec.block.y,
                        spec.block.z,
                        spec.dynamic_shared_bytes,
                        stream,
                        attributes.data(),
                        count};
    const Result result = api.launchKernelEx(&config, kernel.function, arguments_.data(), nullptr);
    if (result == kSuccess) return {};
    return session_->check(
        result,
        "launching {} with grid {}x{}x{}, block {}x{}x{}, clusters of {}x{}x{} blocks, {} B "
        "dynamic shared memory",
        kernel.name, spec.grid.x, spec.grid.y, spec.grid.z, spec.block.x, spec.block.y, spec.block.z,
        cluster.x, cluster.y, cluster.z, spec.dynamic_shared_bytes);
  }

  // More than 8 blocks a cluster are possible only for a function that allows it.
  Expected<void> allowCluster(const KernelEntry& kernel, const Dim3& cluster) {
    constexpr uint64_t kPortable = 8;
    if (cluster.count() <= kPortable) return {};
    return session_->check(session_->api().funcSetAttribute(
                               kernel.function, FunctionAttribute::kNonPortableClusterSizeAllowed, 1),
                           "allowing clusters of {} blocks for {}", cluster.count(), kernel.name);
  }

  Expected<Event> event(size_t i) {
    while (events_.size() <= i) {
      Event created = nullptr;
      if (auto done =
              session_->check(session_->api().eventCreate(&created, kEventDefault), "creating an event");
          !done) {
        return tl::unexpected(done.error());
      }
      events_.push_back(created);
    }
    return events_[i];
  }

  Expected<void> record(size_t i) {
    const auto which = event(i);
    if (!which) return tl::unexpected(which.error());
    return session_->check(session_->api().eventRecord(*which, session_->stream()), "recording an event");
  }

  template <class Enqueue>
  Expected<std::vector<double>> timeWork(const Enqueue& enqueue_work, uint32_t warm_ups, uint32_t repeats,
                                         FillBefore reset, const std::string& doing) {
    for (uint32_t i = 0; i < warm_ups; ++i) {
      auto done = fill(reset.address, reset.value, reset.bytes).and_then(enqueue_work);
      if (!done) return tl::unexpected(done.error());
    }
    std::vector<double> times_us;
    while (times_us.size() < repeats) {
      const auto batch = std::min(kTimingBatch, repeats - static_cast<uint32_t>(times_us.size()));
      // Without the hold the GPU would reach a start event before the host has sent the kernel after it, and
      // count the sending. Not before a first launch, which may make the driver wait for the stream.
      const bool held = warm_ups > 0 || !times_us.empty();
      Expected<void> done = held ? hold_->begin() : Expected<void>{};
      for (uint32_t i = 0; i < batch && done; ++i) {
        done = fill(reset.address, reset.value, reset.bytes)
                   .and_then([&] { return record(2 * i); })
                   .and_then(enqueue_work)
                   .and_then([&] { return record(2 * i + 1); });
      }
      if (held) hold_->release();
      if (done) done = session_->synchronize(doing);
      if (!done) return tl::unexpected(done.error());
      for (uint32_t i = 0; i < batch; ++i) {
        float ms = 0;
        done = session_->check(
            session_->api().eventElapsedTime(&ms, events_[2 * size_t{i}], events_[2 * size_t{i} + 1]), "{}",
            doing);
        if (!done) return tl::unexpected(done.error());
        times_us.push_back(double{ms} * 1000);
      }
    }
    return times_us;
  }

  std::unique_ptr<Session> session_;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<Hold> hold_;
  Images images_;
  CounterReader counter_reader_;
  PcSampler pc_sampler_;
  PmSampler pm_sampler_;
  PinnedBuffers pinned_;
  std::unique_ptr<PeerGpu> peer_;                 // once a run uses two GPUs
  std::map<uint64_t, KernelEntry> peer_kernels_;  // there, by the handle's value
  ManagedMemory managed_;
  StreamRunner streams_;
  std::vector<std::vector<std::byte>> pageable_;  // by slot, where pinned memory could not be allocated
  std::map<std::string, Module> modules_;
  std::map<std::string, std::map<std::string, Variable>> symbols_;  // those asked for, by module and name
  std::map<std::pair<std::string, std::string>, KernelHandle> handles_;
  std::vector<KernelEntry> kernels_;  // handle.value - 1
  std::vector<Event> events_;
  std::vector<void*> arguments_;
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
