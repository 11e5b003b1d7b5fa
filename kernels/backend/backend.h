// A backend allocates, copies, launches and times kernels of PTX or fatbin modules. It knows nothing of
// experiments, probes or runs (executor.h does). There are three: the CUDA driver API (cuda/), a GPU that a
// child process holds (device/served_backend.h), and the simulated GPU (sim/), which is a ModellingBackend
// and can do more. Not thread-safe: one thread uses a backend at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/ids.h"
#include "kernels/core/image.h"
#include "kernels/core/tensor_map.h"
#include "kernels/experiments/kernel_modules.h"
#include "kernels/experiments/library_work.h"
#include "kernels/run/host_work.h"
#include "kernels/run/managed_memory.h"
#include "kernels/run/run.h"

namespace warpscope {

// Called while a launch runs, by the thread that launches or by one of the device's, never by two at once.
struct LaunchListener {
  std::function<void(double share)> progress;  // done so far, 0..1; a real device cannot say
  // Takes the output of the kernel's printf as it is written. If empty, the report keeps that output.
  std::function<void(std::string_view text)> printed;
};

// The text that a kernel's printf wrote where no listener took it. A kernel that prints without end must not
// fill the host's memory, so only the first kMostBytes are kept.
struct PrintedText {
  static constexpr size_t kMostBytes = size_t{1} << 20;
  std::string text;
  uint64_t dropped_bytes = 0;

  void append(std::string_view more) {
    const size_t kept = more.size() < kMostBytes - text.size() ? more.size() : kMostBytes - text.size();
    text.append(more.substr(0, kept));
    dropped_bytes += more.size() - kept;
  }
  bool empty() const { return text.empty() && dropped_bytes == 0; }
};

// The results of a launch besides the contents of memory.
struct LaunchReport {
  PrintedText printed;
  // Of each launch of the spec: the PTX instructions that its warps executed. Empty where these are not
  // counted.
  std::vector<uint64_t> instructions;
};

using DeviceAddress = uint64_t;  // 0: none

struct KernelHandle {
  uint64_t value = 0;
};

struct MemoryInfo {
  uint64_t free_bytes = 0, total_bytes = 0;
};

struct DeviceBuffer {
  DeviceAddress address = 0;
  uint64_t bytes = 0;
};

struct LaunchSpec {
  KernelHandle kernel;
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  // The bytes of each parameter, in order, each naturally aligned: what cuLaunchKernel's kernelParams point
  // to.
  std::vector<std::vector<std::byte>> parameters;
  bool cooperative = false;       // all blocks resident at once, which the device has room for
  std::optional<Dim3> cluster{};  // blocks of a cluster; absent: as the kernel itself demands, if it does
  // A programmatic dependent launch: it may begin once all blocks of the launch before it on its stream have
  // executed griddepcontrol.launch_dependents or ended. Since compute capability 9.0.
  bool programmatic = false;
  uint32_t gpu = 0;  // that it runs on (DeviceLimits::gpus), as those that follow
  // Launched right after this one, as part of it. What is reported is of this one, but for the time.
  std::vector<LaunchSpec> following;
  // The buffers that it and those that follow use, and how much of each: an allocation may be larger. What is
  // not named is as large as its allocation.
  std::vector<DeviceBuffer> buffers;
};

// The times that a vendor's library takes for the same work.
struct LibraryTimes {
  std::string name;  // "CUB DeviceReduce"
  std::vector<double> times_us;
};

// A fill that is done before each timed launch and is not timed: a launch that consumes something (slots,
// tickets) then finds it fresh every time. 0 bytes: none.
struct FillBefore {
  DeviceAddress address = 0;
  uint8_t value = 0;
  uint64_t bytes = 0;
};

// Samples of what warps were doing, by line of their module's PTX (0: unknown).
struct WaitsByPtxLine {
  uint32_t interval_cycles = 0, launches = 0;
  uint64_t taken = 0, dropped = 0;
  struct Place {
    uint32_t ptx_line = 0;
    WarpState state = WarpState::kSelected;  // kCount: another
    uint64_t samples = 0;
  };
  std::vector<Place> places;
};

// Samples of a GPU's activity, on a clock of their own.
struct TimedActivity {
  uint64_t interval_ns = 0;
  struct Sample {
    uint64_t begin_ns = 0, end_ns = 0;
    std::array<double, kActivityKinds> percent{};
  };
  std::vector<Sample> samples;  // ascending
};

// A parameter of a launch that is the address of memory which an operation before it allocates.
struct AllocatedParameter {
  uint32_t parameter = 0, operation = 0;
  bool operator==(const AllocatedParameter&) const = default;
};

// One operation of several, in the order in which the host enqueues them.
struct EnqueuedOperation {
  OperationKind kind = OperationKind::kLaunch;
  uint32_t stream = 0;  // index into StreamWork::streams
  LaunchSpec launch;    // kLaunch; nothing follows it
  // kLaunch: the parameters that are addresses of memory which earlier operations allocate. `launch` holds
  // addresses of ordinary memory of the same sizes, which a simulated device uses as they are. A real device
  // replaces them with the addresses that its own allocations return.
  std::vector<AllocatedParameter> allocated{};
  // The memory that copies and fills write or read, and that prefetches move. kCopyOnDevice and kPeerCopy
  // write it, and read `from`.
  DeviceAddress device = 0, from = 0;
  uint32_t to_gpu = 0, from_gpu = 0;  // kPeerCopy: whose memory these are in
  std::byte* host = nullptr;          // kCopyToDevice, kCopyToHost, kHostFunction: the host's bytes
  HostMemory memory = HostMemory::kPinned;
  uint64_t bytes = 0;
  uint8_t value = 0;        // kFill
  uint32_t event = 0;       // kEvent, kWait
  uint32_t allocation = 0;  // kFree: the operation that has allocated what it frees
  HostWork work{};          // kHostFunction
  // Index into StreamWork::graphs, if it is part of one; the parts of a graph follow one another.
  std::optional<uint32_t> graph{};
  std::vector<uint32_t> nodes{};  // in an explicit graph: the operations of it that must end first
  // In an explicit graph: the launch among `nodes` that decides whether this one is executed. It is then in
  // an IF conditional node of its own, whose condition is 0 until the launch that decides has called
  // cudaGraphSetConditional for it. The device passes that launch the condition's handle as its last
  // parameter, of 8 bytes.
  std::optional<uint32_t> only_if{};
};

struct StreamWork {
  std::vector<StreamInfo> streams;
  std::vector<EnqueuedOperation> operations;
  std::vector<StreamGraph> graphs{};  // stream_graphs.h says what is possible
  // The host's memory that copies name as pinned: a device that needs to uses pinned memory with the same
  // content in its place.
  std::vector<std::span<std::byte>> pinned;
  // Managed memory that operations use: the host writes the content of `host` there before the first
  // operation, so that all its pages are the host's, and `host` has what is there after the last one. A host
  // function on bytes of `host` works on the managed memory itself.
  struct Managed {
    DeviceAddress address = 0;  // of allocateManaged()
    std::span<std::byte> host;
    MemoryAdvice advice{};
  };
  std::vector<Managed> managed{};
  // Which clocks to use on a device that has several. kBoth: the best, and timing events to compare them
  // with. kWhole: none that slows down what it times; only `total_ns` and the host's calls are then known.
  enum class Clocks { kBest, kEvents, kBoth, kWhole } clocks = Clocks::kBest;
};

// When an operation was enqueued and executed; as StreamOperation's members of the same names.
struct OperationTimes {
  double enqueue_ns = 0, enqueued_ns = 0, begin_ns = 0, end_ns = 0;
  std::vector<uint32_t> after;
  StreamWait waited_for = StreamWait::kNothing;
  uint32_t waited_on = 0;
  std::optional<uint32_t> primary{};
  uint32_t gpu = 0;
  // On a real GPU without records of its activity, nothing but a launch's marks tells.
  bool skipped = false;
};

struct StreamReport : LaunchReport {
  std::vector<OperationTimes> operations;
  double total_ns = 0;  // from the host's first call to the end of the last operation
  StreamTiming timing;
  // With Clocks::kBoth, what timing events say; else empty.
  std::vector<OperationTimes> by_events;
  std::vector<double> graph_make_ns{};      // by graph; as StreamGraph::make_ns
  std::vector<PageMigration> migrations{};  // as StreamLog::migrations
  // On a device whose clocks tell: what %globaltimer shows where the run's axis begins. The axis is of its
  // ns.
  std::optional<uint64_t> globaltimer_ns;
  // By GPU there: how much more its %globaltimer shows than that of GPU 0. Empty: there is one GPU.
  std::vector<int64_t> timer_ahead_ns{};
  // On a device that executes launches one after another and then places their blocks: where and when a block
  // of a launch would have run, in SM cycles of the run's axis. Empty on a device whose clocks tell.
  struct PlacedBlock {
    uint32_t operation = 0, block = 0;
    SmId sm;                   // those of GPU 1 follow those of GPU 0 (smPlace())
    int64_t later_cycles = 0;  // at the block's begin: the run's axis less the clock that it has read
    // Where other kernels slowed it down, or its warps stood at griddepcontrol.wait: the cycles of the run's
    // axis at which the clock that it has read shows these cycles, ascending. Up to the first of them the
    // axis is `later_cycles` ahead, and from one to the next time passes evenly; two of the same clock are
    // the begin and the end of a wait. None: it is always `later_cycles` ahead.
    struct Point {
      double clock_cycles = 0;
      int64_t axis_cycles = 0;
      bool operator==(const Point&) const = default;
    };
    std::vector<Point> points{};
    // If its warps were held at griddepcontrol.wait: what the clock showed when each of them came there (0:
    // it did not), and until which cycle of the run's axis.
    std::vector<uint64_t> waits{};
    int64_t held_until = 0;
  };
  std::vector<PlacedBlock> placed;  // ascending (operation, block)
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceDescription& description() const = 0;

  // Loads the module on first use (fatbin if the device can run it, else PTX) and keeps it. The error holds
  // the compiler's log.
  virtual Expected<KernelHandle> kernel(const ModuleImage& module, const std::string& entry) = 0;
  virtual Expected<KernelResources> resources(KernelHandle kernel, uint32_t dynamic_shared_bytes) = 0;
  // As the device itself computes it (CUDA: cuOccupancyMaxActiveBlocksPerMultiprocessor).
  virtual Expected<uint32_t> maxActiveBlocksPerSm(KernelHandle kernel, uint32_t block_threads,
                                                  uint32_t dynamic_shared_bytes) = 0;

  // The address of the variable `name` that the module declares __device__ in namespace warpscope; it is at
  // least `bytes` bytes long.
  virtual Expected<DeviceAddress> symbol(const ModuleImage& module, const std::string& name,
                                         uint64_t bytes) = 0;

  virtual Expected<MemoryInfo> memory() = 0;
  virtual Expected<DeviceAddress> allocate(uint64_t bytes) = 0;
  // In the memory of another GPU of the device (DeviceLimits::gpus). All else that takes an address does so
  // wherever it is.
  virtual Expected<DeviceAddress> allocateOn(uint32_t gpu, uint64_t bytes) {
    if (gpu == 0) return allocate(bytes);
    return fail(ErrorKind::kBadRequest, "{} has no GPU {}", description().name, gpu);
  }
  // Managed memory, which free() frees like any other; see StreamWork::managed.
  virtual Expected<DeviceAddress> allocateManaged(uint64_t /*bytes*/) {
    return fail(ErrorKind::kBadRequest, "{} has no managed memory", description().name);
  }
  virtual void free(DeviceAddress address) = 0;
  virtual Expected<void> upload(DeviceAddress to, std::span<const std::byte> from) = 0;
  virtual Expected<void> download(std::span<std::byte> to, DeviceAddress from) = 0;
  // Like download, but into pinned host memory that the backend owns, which large copies reach fastest.
  // `slot` is a number that the caller chooses; the view is valid until the next call with the same slot.
  virtual Expected<std::span<const std::byte>> downloadView(size_t slot, DeviceAddress from,
                                                            uint64_t bytes) = 0;
  virtual Expected<void> copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) = 0;
  virtual Expected<void> fill(DeviceAddress to, uint8_t value, uint64_t bytes) = 0;

  // A texture or surface object of the texels at `texels`, image.bytes() of them, which must outlive it. A
  // kernel that is launched sees the texels as they are then, and what it writes to a surface is there when
  // the launch is over.
  virtual Expected<ImageHandle> createImage(const ImageDescription& image, DeviceAddress /*texels*/) {
    return fail(ErrorKind::kBadRequest, "{}: {} has no textures and surfaces", describeImage(image),
                description().name);
  }
  virtual void freeImage(ImageHandle /*image*/) {}

  // The map of the tensor at `tensor`, an object of 128 bytes that a kernel is passed by value
  // (CUtensorMap). It holds the address, and need not be freed.
  virtual Expected<std::vector<std::byte>> encodeTensorMap(const TensorMapDescription& map,
                                                           DeviceAddress /*tensor*/) {
    return fail(ErrorKind::kBadRequest, "{}: {} has no tensor maps", describeTensorMap(map),
                description().name);
  }

  // Launches and waits. A kernel error (illegal address ...) names kernel and cause, and may poison the
  // backend. A device that can interrupt a kernel ends early, with kCancelled, once `stop` is requested.
  virtual Expected<LaunchReport> launch(const LaunchSpec& spec, const std::stop_token& stop = {},
                                        const LaunchListener& listener = {}) = 0;
  // Enqueues the operations on streams of their own and waits for all. Errors: as launch(); kBadRequest if
  // the device cannot tell what its operations did.
  virtual Expected<StreamReport> runStreams(const StreamWork& /*work*/, const std::stop_token& /*stop*/ = {},
                                            const LaunchListener& /*listener*/ = {}) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot run operations on several streams: choose a simulated GPU (sim:h100)",
                description().id);
  }
  // Microseconds of each of `repeats` launches, measured by the device's own clock, after `warm_ups` that are
  // not counted. Nothing but the launch lies between the two readings of a pair.
  virtual Expected<std::vector<double>> time(const LaunchSpec& spec, uint32_t warm_ups, uint32_t repeats,
                                             FillBefore reset = {}) = 0;
  // The same for a device-to-device copy.
  virtual Expected<std::vector<double>> timeCopy(DeviceAddress to, DeviceAddress from, uint64_t bytes,
                                                 uint32_t warm_ups, uint32_t repeats) = 0;
  // The same for a library's call on `count` elements at `input`; nullopt: there is no such library here.
  virtual Expected<std::optional<LibraryTimes>> timeLibrary(LibraryWork::Kind /*kind*/,
                                                            DeviceAddress /*input*/, uint64_t /*count*/,
                                                            uint32_t /*warm_ups*/, uint32_t /*repeats*/) {
    return std::nullopt;
  }
  // The hardware counters of these that the device has, by Nsight Compute's names, of a launch of `spec`. The
  // launch is made as often as the device needs, with `restore` before each. Errors: kNoDevice, they cannot
  // be read here, with what to do about it; kWorkFailed, as launch(). The device keeps its counters for the
  // next call; a call without metrics gives them back, so that another profiler can have them.
  virtual Expected<std::map<std::string, double>> count(const LaunchSpec& /*spec*/,
                                                        const std::vector<std::string>& /*metrics*/,
                                                        const std::function<Expected<void>()>& /*restore*/) {
    return fail(ErrorKind::kNoDevice, "{} has no counters that can be read", description().name);
  }
  // Launches `spec` several times, with `restore` before each, and samples what its warps wait for. A launch
  // takes about `launch_us`. Errors as those of count().
  virtual Expected<WaitsByPtxLine> sampleWaits(const LaunchSpec& /*spec*/, double /*launch_us*/,
                                               const std::function<Expected<void>()>& /*restore*/) {
    return fail(ErrorKind::kNoDevice, "{} has no sampler of what warps wait for", description().name);
  }
  // Samples how busy the GPU is from shortly before `launch`, which takes about `launch_us`, to shortly
  // after. Errors as those of count(), and those of `launch`.
  virtual Expected<TimedActivity> sampleActivity(double /*launch_us*/,
                                                 const std::function<Expected<void>()>& /*launch*/) {
    return fail(ErrorKind::kNoDevice, "{} has no sampler of its activity", description().name);
  }
  // True after a sticky error: nothing more can be done in this process.
  virtual bool poisoned() const = 0;
};

}  // namespace warpscope
