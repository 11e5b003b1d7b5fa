// Measures what managed memory costs: page faults of the GPU and of the host, pages that move after them,
// prefetches, and accesses of memory that stays on the host.
#include <algorithm>
#include <map>

#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

constexpr uint64_t kReadBytes = 16, kReadsOfThread = 4;  // that read_stream reads in a step
constexpr uint32_t kReadingThreads = 256;
constexpr uint64_t kBytesOfBlock = kReadingThreads * kReadBytes * kReadsOfThread;

// Buffers of managed memory, which the host has written, and operations on one stream.
class ManagedScript {
 public:
  explicit ManagedScript(Bench& bench) : bench_(bench) { work_.streams = {{.name = "stream 1"}}; }

  struct Part {
    DeviceAddress address = 0;
    uint64_t bytes = 0;
  };
  // Error: kBadRequest, there is none.
  Expected<Part> allocate(uint64_t bytes, MemoryAdvice advice = {}) {
    const auto address = bench_.backend().allocateManaged(bytes);
    if (!address) return tl::unexpected(address.error());
    buffers_.emplace_back(bench_.backend(), *address, bytes);
    host_.emplace_back(bytes);
    work_.managed.push_back({*address, host_.back(), advice});
    return Part{*address, bytes};
  }
  // Each returns the operation's number. All of the part is read, by so many blocks that read it in whole
  // steps.
  Expected<size_t> read(const Part& part, uint64_t blocks) {
    const auto all =
        arguments(stamps_->address(), sink_->address(), 1U, part.address, part.bytes / kReadBytes);
    const auto spec = bench_.spec("read_stream",
                                  {.blocks = static_cast<uint32_t>(blocks), .threads = kReadingThreads}, all);
    if (!spec) return tl::unexpected(spec.error());
    return add({.launch = *spec});
  }
  size_t touch(const Part& part, size_t index) {
    return add({.kind = OperationKind::kHostFunction,
                .device = part.address,
                .host = work_.managed[index].host.data(),
                .memory = HostMemory::kManaged,
                .bytes = part.bytes,
                .work = {.touches = true}});
  }
  size_t prefetch(const Part& part, OperationKind to) {
    return add({.kind = to, .device = part.address, .bytes = part.bytes});
  }

  // For what reads write, at most of so many blocks.
  Expected<void> makeRoom(uint64_t blocks) {
    auto stamps = bench_.allocate(blocks * kReadingThreads * sizeof(uint64_t));
    if (!stamps) return tl::unexpected(stamps.error());
    auto sink = bench_.allocate(blocks * kReadingThreads * sizeof(uint32_t));
    if (!sink) return tl::unexpected(sink.error());
    stamps_.emplace(std::move(*stamps));
    sink_.emplace(std::move(*sink));
    return {};
  }
  // How long each operation takes.
  Expected<std::vector<double>> run() {
    const auto report = bench_.backend().runStreams(work_, bench_.stop());
    if (!report) return tl::unexpected(report.error());
    std::vector<double> times;
    for (const OperationTimes& each : report->operations) times.push_back(each.end_ns - each.begin_ns);
    return times;
  }

 private:
  size_t add(EnqueuedOperation operation) {
    work_.operations.push_back(std::move(operation));
    return work_.operations.size() - 1;
  }

  Bench& bench_;
  std::vector<Buffer> buffers_;
  std::vector<std::vector<std::byte>> host_;
  std::optional<Buffer> stamps_, sink_;
  StreamWork work_;
};

// The operations of a script, in the order in which they are enqueued.
enum Timed : size_t {
  kPageFaults,
  kPageAgain,
  kLessFaults,
  kMoreFaults,
  kLessAgain,
  kMoreAgain,
  kPageTouched,
  kPageTouchedAgain,
  kLessBack,
  kMoreBack,
  kLessPrefetched,
  kMorePrefetched,
  kLessMapped,
  kMoreMapped,
};

struct ManagedSizes {
  uint64_t less = 0, more = 0;
};

Expected<void> write(ManagedScript& script, const ManagedSizes& sizes) {
  const MemoryAdvice stays{.preferred = MemoryPlace::kHost, .accessed_by_device = true};
  const auto page = script.allocate(kManagedPageBytes);
  if (!page) return tl::unexpected(page.error());
  std::vector<ManagedScript::Part> parts = {*page};
  for (const MemoryAdvice& advice : {MemoryAdvice{}, stays}) {
    for (const uint64_t bytes : {sizes.less, sizes.more}) {
      const auto part = script.allocate(bytes, advice);
      if (!part) return tl::unexpected(part.error());
      parts.push_back(*part);
    }
  }
  const uint64_t blocks = sizes.less / kBytesOfBlock, of_page = kManagedPageBytes / kBytesOfBlock;
  auto done = script.makeRoom(blocks);
  const auto read = [&](size_t part) {
    if (!done) return;
    const auto added = script.read(parts[part], part == 0 ? of_page : blocks);
    if (!added) done = tl::unexpected(added.error());
  };
  for (const size_t part : {0, 0, 1, 2, 1, 2}) read(part);
  for (int i = 0; i < 2; ++i) script.touch(parts[0], 0);
  for (const auto to : {OperationKind::kPrefetchToHost, OperationKind::kPrefetchToDevice}) {
    for (const size_t part : {1, 2}) script.prefetch(parts[part], to);
  }
  for (const size_t part : {3, 4}) read(part);
  return done;
}

// Values of several quantities, one of each from every repeat.
using ManagedSamples = std::map<std::string, std::vector<double>>;

constexpr const char* kMoves = "pages that move after page faults";
constexpr const char* kBatch = "the page fault of a launch, less its page";
constexpr const char* kHostFault = "the page fault of a host function, less its page";
constexpr const char* kPrefetch = "prefetch to the device";
constexpr const char* kPrefetchBack = "prefetch to the host";
constexpr const char* kMapped = "reads of memory that stays on the host";

void take(const std::vector<double>& times, const ManagedSizes& sizes, ManagedSamples& samples) {
  const auto rate = [&](double less, double more) {
    return static_cast<double>(sizes.more - sizes.less) / std::max(more - less, 1.0);
  };
  const double moves = rate(times[kLessFaults] - times[kLessAgain], times[kMoreFaults] - times[kMoreAgain]);
  const double page = static_cast<double>(kManagedPageBytes) / moves;
  samples[kMoves].push_back(moves);
  samples[kBatch].push_back(std::max(0.0, times[kPageFaults] - times[kPageAgain] - page));
  const double prefetches = rate(times[kLessPrefetched], times[kMorePrefetched]);
  samples[kPrefetch].push_back(prefetches);
  const double copied = static_cast<double>(kManagedPageBytes) / prefetches;
  samples[kHostFault].push_back(std::max(0.0, times[kPageTouched] - times[kPageTouchedAgain] - copied));
  samples[kPrefetchBack].push_back(rate(times[kLessBack], times[kMoreBack]));
  samples[kMapped].push_back(rate(times[kLessMapped], times[kMoreMapped]));
}

}  // namespace

Expected<void> measureManaged(Bench& bench, Results& results) {
  const bool simulated = bench.device().kind == DeviceKind::kSimulated;
  const ManagedSizes sizes = simulated ? ManagedSizes{kMiB, 4 * kMiB} : ManagedSizes{8 * kMiB, 32 * kMiB};
  ManagedScript script(bench);
  if (auto written = write(script, sizes); !written) {
    if (written.error().kind != ErrorKind::kBadRequest) return written;
    results.note("managed memory keeps the values of the nearest profile: " + written.error().message);
    return {};
  }
  ManagedSamples samples;
  // The first one loads the kernel.
  for (uint32_t i = 0; i <= bench.repeats(); ++i) {
    if (bench.stop().stop_requested()) return fail(ErrorKind::kCancelled, "calibration was cancelled");
    const auto times = script.run();
    if (!times) return tl::unexpected(times.error());
    if (i > 0) take(*times, sizes, samples);
  }
  Expected<void> done;
  const auto tell = [&](const char* name, const char* unit, const char* figure) {
    if (done) done = results.add(summary(name, unit, samples[name]), figure);
  };
  tell(kMoves, "bytes/ns", "migration_bytes_per_ns");
  tell(kBatch, "ns", "page_fault_batch_ns");
  tell(kHostFault, "ns", "host_page_fault_ns");
  tell(kPrefetch, "bytes/ns", "prefetch_bytes_per_ns");
  tell(kPrefetchBack, "bytes/ns", "prefetch_to_host_bytes_per_ns");
  tell(kMapped, "bytes/ns", "remote_access_bytes_per_ns");
  return done;
}

}  // namespace warpscope::calibration
