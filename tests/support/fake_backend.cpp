#include "tests/support/fake_backend.h"

#include <algorithm>
#include <cstring>

#include "kernels/backend/stream_graphs.h"
#include "kernels/backend/stream_times.h"
#include "kernels/probe/layout.h"

namespace warpscope::testing {
namespace {

constexpr uint32_t kClockStep = 100;

template <class T>
T parameter(const LaunchSpec& spec, size_t i) {
  T value{};
  const auto& bytes = spec.parameters.at(i);
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

DeviceAddress addressOf(const void* pointer) {
  return reinterpret_cast<DeviceAddress>(pointer);
}

tl::unexpected<Error> outOfBounds(const std::string& what) {
  return fail(ErrorKind::kWorkFailed, "fake device: {} is out of bounds", what);
}

}  // namespace

FakeBackend::FakeBackend(uint64_t memory_bytes) {
  description_.id = "fake:0";
  description_.name = "Fake GPU";
  description_.kind = DeviceKind::kCuda;
  description_.memory_bytes = memory_bytes;
  description_.sm_clock_khz = 1'000'000;
  DeviceLimits& limits = description_.limits;
  limits.compute_capability = {9, 0};
  limits.sm_count = 4;
  limits.max_threads_per_sm = 2048;
  limits.max_blocks_per_sm = 32;
  limits.registers_per_sm = limits.registers_per_block = 65536;
  limits.shared_bytes_per_sm = 233472;
  limits.shared_bytes_per_block = 49152;
  limits.shared_bytes_per_block_opt_in = 232448;
  limits.shared_bytes_reserved_per_block = 1024;
}

FakeBackend::~FakeBackend() = default;

Expected<KernelHandle> FakeBackend::kernel(const ModuleImage& /*module*/, const std::string& entry) {
  const auto known = std::ranges::find(entries_, entry);
  const auto index = static_cast<uint64_t>(known - entries_.begin());
  if (known == entries_.end()) entries_.push_back(entry);
  return KernelHandle{index + 1};
}

Expected<KernelResources> FakeBackend::resources(KernelHandle /*kernel*/, uint32_t dynamic_shared_bytes) {
  return KernelResources{32, 0, dynamic_shared_bytes, local_bytes_per_thread};
}

Expected<uint32_t> FakeBackend::maxActiveBlocksPerSm(KernelHandle, uint32_t, uint32_t) {
  return 1;
}

Expected<DeviceAddress> FakeBackend::symbol(const ModuleImage& module, const std::string& name,
                                            uint64_t /*bytes*/) {
  return fail(ErrorKind::kBadRequest, "module {} has no variable {}", module.name, name);
}

Expected<MemoryInfo> FakeBackend::memory() {
  ++counts.memory_queries;
  return MemoryInfo{description_.memory_bytes - used_bytes_, description_.memory_bytes};
}

Expected<DeviceAddress> FakeBackend::allocate(uint64_t bytes) {
  if (used_bytes_ + bytes > description_.memory_bytes) {
    return fail(ErrorKind::kWorkFailed, "fake device: out of memory");
  }
  ++counts.allocations;
  auto memory = std::make_unique<std::vector<std::byte>>(std::max<uint64_t>(bytes, 1));
  const DeviceAddress address = addressOf(memory->data());
  allocations_.emplace(address, std::move(memory));
  used_bytes_ += std::max<uint64_t>(bytes, 1);
  return address;
}

void FakeBackend::free(DeviceAddress address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return;
  used_bytes_ -= found->second->size();
  allocations_.erase(found);
}

std::byte* FakeBackend::memoryAt(DeviceAddress address, uint64_t bytes) {
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return nullptr;
  const auto& [begin, memory] = *std::prev(next);
  if (address - begin > memory->size() || bytes > memory->size() - (address - begin)) return nullptr;
  return memory->data() + (address - begin);
}

Expected<void> FakeBackend::upload(DeviceAddress to, std::span<const std::byte> from) {
  ++counts.uploads;
  std::byte* memory = memoryAt(to, from.size());
  if (memory == nullptr) return outOfBounds("an upload");
  std::ranges::copy(from, memory);
  return {};
}

Expected<void> FakeBackend::download(std::span<std::byte> to, DeviceAddress from) {
  ++counts.downloads;
  const std::byte* memory = memoryAt(from, to.size());
  if (memory == nullptr) return outOfBounds("a download");
  std::copy_n(memory, to.size(), to.data());
  return {};
}

Expected<std::span<const std::byte>> FakeBackend::downloadView(size_t slot, DeviceAddress from,
                                                               uint64_t bytes) {
  std::vector<std::byte>& view = views_[slot];
  view.resize(bytes);
  if (auto done = download(view, from); !done) return tl::unexpected(done.error());
  return std::span<const std::byte>(view);
}

Expected<void> FakeBackend::copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) {
  std::byte* target = memoryAt(to, bytes);
  const std::byte* source = memoryAt(from, bytes);
  if (target == nullptr || source == nullptr) return outOfBounds("a copy");
  std::copy_n(source, bytes, target);
  ++counts.copies;
  return {};
}

Expected<std::vector<std::byte>> FakeBackend::encodeTensorMap(const TensorMapDescription& map,
                                                              DeviceAddress tensor) {
  if (auto possible = checkTensorMap(map, tensor); !possible) return tl::unexpected(possible.error());
  const std::string text = describeTensorMap(map);
  std::vector<std::byte> made(128);
  std::memcpy(made.data(), &tensor, sizeof tensor);
  std::memcpy(made.data() + sizeof tensor, text.data(), std::min(text.size(), made.size() - sizeof tensor));
  return made;
}

Expected<void> FakeBackend::fill(DeviceAddress to, uint8_t value, uint64_t bytes) {
  std::byte* target = memoryAt(to, bytes);
  if (target == nullptr) return outOfBounds("a fill");
  std::fill_n(target, bytes, std::byte{value});
  ++counts.fills;
  return {};
}

Expected<LaunchReport> FakeBackend::launch(const LaunchSpec& spec, const std::stop_token& /*stop*/,
                                           const LaunchListener& /*listener*/) {
  ++counts.launches;
  return execute(spec).map([] { return LaunchReport{}; });
}

Expected<StreamReport> FakeBackend::runStreams(const StreamWork& work, const std::stop_token& stop,
                                               const LaunchListener& listener) {
  if (!runs_streams) return Backend::runStreams(work, stop, listener);
  ++counts.streams;
  StreamReport report;
  for (const StreamWork::Managed& memory : work.managed) {
    if (auto sent = upload(memory.address, memory.host); !sent) return tl::unexpected(sent.error());
    report.migrations.push_back({.to_device = !memory.advice.staysOnHost(),
                                 .faults = 3,
                                 .bytes = memory.host.size(),
                                 .begin_ns = 1.5,
                                 .end_ns = 2.5});
  }
  for (const EnqueuedOperation& operation : work.operations) {
    const std::span host(operation.host, operation.bytes);
    Expected<void> done;
    if (operation.kind == OperationKind::kLaunch) done = execute(operation.launch);
    if (operation.kind == OperationKind::kCopyToDevice) done = upload(operation.device, host);
    if (operation.kind == OperationKind::kCopyToHost) done = download(host, operation.device);
    if (operation.kind == OperationKind::kCopyOnDevice)
      done = copy(operation.device, operation.from, operation.bytes);
    if (operation.kind == OperationKind::kFill)
      done = fill(operation.device, operation.value, operation.bytes);
    if (operation.kind == OperationKind::kHostFunction) operation.work.doTo(host);
    if (!done) return tl::unexpected(done.error());
    const auto at = 1000.0 * static_cast<double>(report.operations.size());
    report.operations.push_back(
        {.enqueue_ns = at / 10, .enqueued_ns = at / 10 + 1, .begin_ns = at, .end_ns = at + 500});
  }
  for (const StreamWork::Managed& memory : work.managed) {
    if (auto read = download(memory.host, memory.address); !read) return tl::unexpected(read.error());
  }
  explainMeasured(work, report.operations);
  for (uint32_t graph = 0; graph < work.graphs.size(); ++graph)
    report.graph_make_ns.push_back(1000.0 * launchesOf(work, graph));
  for (uint32_t i = 1; i < report.operations.size(); ++i) {
    if (work.operations[i].launch.programmatic) report.operations[i].primary = i - 1;
  }
  report.timing = {StreamClock::kEvents, 1.5, 2.5, "a reason"};
  report.globaltimer_ns = 2100;  // writeProbes() writes 3200
  report.placed = {{0, 1, SmId{2}, -3, {{0.5, -3}, {17, 90}}, {17, 0}, 90}};
  report.total_ns = 1234;
  if (work.clocks == StreamWork::Clocks::kBoth) report.by_events = report.operations;
  return report;
}

Expected<std::vector<double>> FakeBackend::time(const LaunchSpec& spec, uint32_t warm_ups, uint32_t repeats,
                                                FillBefore reset) {
  ++counts.timed;
  for (uint32_t i = 0; i < warm_ups + repeats; ++i) {
    if (reset.bytes > 0) {
      if (auto done = fill(reset.address, reset.value, reset.bytes); !done)
        return tl::unexpected(done.error());
    }
    if (auto done = execute(spec); !done) return tl::unexpected(done.error());
  }
  // Known times, so that a test can distinguish the median from the extremes: 10, 11, 12 ... us.
  std::vector<double> times(repeats);
  for (uint32_t i = 0; i < repeats; ++i) times[i] = 10.0 + i;
  return times;
}

Expected<std::vector<double>> FakeBackend::timeCopy(DeviceAddress to, DeviceAddress from, uint64_t bytes,
                                                    uint32_t /*warm_ups*/, uint32_t repeats) {
  ++counts.timed_copies;
  if (auto done = copy(to, from, bytes); !done) return tl::unexpected(done.error());
  return std::vector<double>(repeats, 2.0);
}

Expected<std::map<std::string, double>> FakeBackend::count(const LaunchSpec& spec,
                                                           const std::vector<std::string>& metrics,
                                                           const std::function<Expected<void>()>& restore) {
  if (!on_count) return fail(ErrorKind::kNoDevice, "fake device: no counters");
  std::map<std::string, double> counted;
  for (const std::string& metric : metrics) {
    auto done = restore().and_then([&] { return execute(spec); });
    if (!done) return tl::unexpected(done.error());
    counted[metric] = on_count(metric);
  }
  return counted;
}

Expected<WaitsByPtxLine> FakeBackend::sampleWaits(const LaunchSpec& spec, double /*launch_us*/,
                                                  const std::function<Expected<void>()>& restore) {
  if (!on_sample_waits) return fail(ErrorKind::kNoDevice, "fake device: no sampler of waits");
  auto done = restore().and_then([&] { return execute(spec); });
  if (!done) return tl::unexpected(done.error());
  return on_sample_waits();
}

Expected<TimedActivity> FakeBackend::sampleActivity(double /*launch_us*/,
                                                    const std::function<Expected<void>()>& launch) {
  if (!on_sample_activity) return fail(ErrorKind::kNoDevice, "fake device: no sampler of activity");
  if (auto done = launch(); !done) return tl::unexpected(done.error());
  return on_sample_activity();
}

Expected<void> FakeBackend::execute(const LaunchSpec& spec) {
  if (poisoned_) return fail(ErrorKind::kWorkFailed, "fake device: poisoned");
  const std::string& entry = entries_.at(spec.kernel.value - 1);
  if (on_launch) on_launch(entry);
  if (entry == "probe_pack") return pack(spec);
  if (const size_t residency = entry.find("_residency"); residency != std::string::npos) {
    // The first three warps on SM 1 take 10 cycles each by their own clock, within 20 cycles in which the SM
    // has any.
    const auto params = parameter<ResidencyParams>(spec, 0);
    if (memoryAt(addressOf(params.stays), params.warps * sizeof(ProbeStay)) == nullptr) {
      return outOfBounds("residency");
    }
    for (uint32_t i = 0; i < std::min(params.warps, 3U); ++i) {
      const uint32_t begin = 100 + 5 * i;
      params.stays[i] = {begin, begin + 10, 0, 0, kProbeStayWritten | 1U << 8 | i};
    }
    return computeOn(entry.substr(0, residency), spec);
  }
  const size_t probed = entry.find("_probed");
  if (probed != std::string::npos) {
    if (auto done = writeProbes(spec); !done) return done;
  }
  return computeOn(entry.substr(0, probed), spec);
}

// Parameters: the probe, then for increment (values, count), for the others (in, out, count).
Expected<void> FakeBackend::computeOn(const std::string& name, const LaunchSpec& spec) {
  if (name == "poison") {
    poisoned_ = true;
    return fail(ErrorKind::kWorkFailed, "fake device: running poison failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  }
  const bool in_place = name == "increment";
  const auto count = parameter<uint32_t>(spec, in_place ? 2 : 3);
  auto* out =
      reinterpret_cast<uint32_t*>(memoryAt(parameter<DeviceAddress>(spec, in_place ? 1 : 2), count * 4ULL));
  if (out == nullptr) return outOfBounds("the kernel's output");
  if (in_place) {
    for (uint32_t i = 0; i < count; ++i) ++out[i];
    return {};
  }
  const auto* in = reinterpret_cast<uint32_t*>(memoryAt(parameter<DeviceAddress>(spec, 1), count * 4ULL));
  if (in == nullptr) return outOfBounds("the kernel's input");
  std::copy_n(in, name == "wrong" ? count - 1 : count, out);
  return {};
}

// Block 0's first warp enters, marks region 0 with all lanes and leaves.
Expected<void> FakeBackend::writeProbes(const LaunchSpec& spec) {
  const auto params = parameter<ProbeParams>(spec, 0);
  if (memoryAt(addressOf(params.warps_seen), 4) == nullptr) return outOfBounds("warps_seen");
  const uint32_t slot = (*params.warps_seen)++;
  if (slot >= params.max_warps) return {};
  ProbeWarpHeader header{};
  header.begin_clock = 5 * kClockStep;
  header.begin_globaltimer_ns = 3200;
  header.live_mask = kFullMask.bits;
  params.headers[slot] = header;
  params.records[uint64_t{slot} * kProbeWarpSize * params.records_per_lane] = {
      6 * kClockStep >> params.clock_shift, kFullMask.bits};
  params.tails[uint64_t{slot} * kProbeWarpSize] = {8 * kClockStep, 3200 + 3 * kClockStep, 1, kFullMask.bits};
  params.begin_anchors[0] = {5 * kClockStep, 3200, 0, 1};
  params.end_anchors[params.anchor_blocks - 1] = {8 * kClockStep, 3200 + 3 * kClockStep, 0, 1};
  return {};
}

// Does what pack.cu does, for the single record and exit that writeProbes writes to a slot.
Expected<void> FakeBackend::pack(const LaunchSpec& spec) {
  const auto params = parameter<ProbeParams>(spec, 0);
  auto* packed = reinterpret_cast<ProbePackedWarp*>(parameter<DeviceAddress>(spec, 1));
  auto* records = reinterpret_cast<ProbeRecord*>(parameter<DeviceAddress>(spec, 2));
  auto* cursor = reinterpret_cast<uint32_t*>(parameter<DeviceAddress>(spec, 3));
  for (uint32_t slot = 0; slot < std::min(*params.warps_seen, params.max_warps); ++slot) {
    const ProbeLaneTail& tail = params.tails[uint64_t{slot} * kProbeWarpSize];
    const uint32_t first = *cursor;
    *cursor += 2;
    records[first] = params.records[uint64_t{slot} * kProbeWarpSize * params.records_per_lane];
    records[first + 1] = {(static_cast<uint32_t>(tail.exit_clock) >> params.clock_shift) |
                              uint32_t{kProbeExitRegion} << kProbeClockBits,
                          tail.exit_mask};
    packed[slot] = {params.headers[slot], tail.exit_clock, tail.exit_globaltimer_ns, first, 2, 0, 0};
  }
  return {};
}

}  // namespace warpscope::testing
