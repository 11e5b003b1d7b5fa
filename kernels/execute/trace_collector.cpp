#include "kernels/execute/trace_collector.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "kernels/execute/device_memory.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/occupancy/littles_law.h"

namespace warpscope {
namespace {

constexpr uint64_t kMostWarps = 65536;  // slots that Sampling::Mode::kAll takes for a large grid
constexpr uint32_t kAutoSms = 2;
constexpr uint32_t kAnchorsPerSm = 4;
constexpr uint32_t kFewestRecordsPerLane = 32;  // not reduced below this before warps are given up
constexpr uint32_t kPackBlockThreads = 256;
constexpr double kMostResidencyCycles =
    1e9;  // of a launch: the length of a warp's residency is stored in 32 bits
constexpr uint64_t kMostStays = 1U << 23;  // 128 MiB
constexpr double kMostWarmUpUs = 10e3;     // a longer kernel runs once
constexpr double kClockMargin = 4;         // a probed launch may take this many times the bare kernel's time

// The layout of the control buffer's start; anchors follow.
struct Counters {
  uint32_t warps_seen = 0;
  uint32_t cursor = 0;
};

// The step in which the device's timer was observed to advance: the greatest common divisor of the
// differences between readings, or nothing where too few different ones were read.
std::optional<uint32_t> timerStepNs(const RawTrace& raw) {
  std::set<uint64_t> readings;
  for (const ProbeAnchor& anchor : raw.anchors) readings.insert(anchor.globaltimer_ns);
  for (const ProbePackedWarp& warp : raw.warps) {
    readings.insert(warp.header.begin_globaltimer_ns);
    readings.insert(warp.end_globaltimer_ns);
    if (readings.size() >= 64) break;
  }
  if (readings.size() < 8) return std::nullopt;
  uint64_t step = 0;
  for (const uint64_t reading : readings) step = std::gcd(step, reading - *readings.begin());
  return static_cast<uint32_t>(std::clamp<uint64_t>(step, 1, 1'000'000));
}

}  // namespace

uint64_t warpsPerBlock(const Dim3& block) {
  return (block.count() + kWarpSize - 1) / kWarpSize;
}

Sampling resolveSampling(Sampling sampling, const Dim3& grid, const Dim3& block) {
  const auto all_blocks = static_cast<uint32_t>(std::min<uint64_t>(grid.count(), UINT32_MAX));
  const uint64_t all_warps = grid.count() * warpsPerBlock(block);
  const bool whole_grid = all_warps <= sampling.max_warps;
  if (sampling.mode == Sampling::Mode::kAll || (sampling.mode == Sampling::Mode::kAuto && whole_grid)) {
    sampling.first_blocks = all_blocks;
    sampling.sms = 0;
    const auto slots = static_cast<uint32_t>(std::min(all_warps, kMostWarps));
    sampling.max_warps = std::max(sampling.max_warps, slots);
  } else if (sampling.mode == Sampling::Mode::kAuto) {
    sampling.first_blocks = 1;
    sampling.sms = kAutoSms;
  }
  return sampling;
}

uint32_t slotsOfEach(const Sampling& sampling, size_t launches, const Dim3& block) {
  const uint64_t share = (sampling.max_warps + launches - 1) / launches;
  return static_cast<uint32_t>(std::max(share, warpsPerBlock(block)));
}

uint32_t clockShift(double bare_median_us, uint32_t sm_clock_khz) {
  const double cycles_per_us = sm_clock_khz == 0 ? 3000.0 : sm_clock_khz / 1000.0;
  double cycles = kClockMargin * bare_median_us * cycles_per_us;
  uint32_t shift = 0;
  // Records hold bits of a 32-bit clock, so no more than 8 bits can be gained.
  while (cycles >= double{1U << kProbeClockBits} && shift < 32 - kProbeClockBits) {
    cycles /= 2;
    ++shift;
  }
  return shift;
}

struct TraceCollector::State {
  // The amounts recorded, and the device memory that they need.
  struct Sizes {
    uint64_t slots = 0;
    uint64_t records_per_lane = 0;
    uint64_t anchor_blocks = 0;

    uint64_t headers() const { return slots * sizeof(ProbeWarpHeader); }
    uint64_t tails() const { return slots * kProbeWarpSize * sizeof(ProbeLaneTail); }
    uint64_t records() const { return slots * kProbeWarpSize * records_per_lane * sizeof(ProbeRecord); }
    uint64_t packedWarps() const { return slots * sizeof(ProbePackedWarp); }
    // Each lane's log and its exit record.
    uint64_t packedRecordCount() const { return slots * kProbeWarpSize * (records_per_lane + 1); }
    uint64_t packedRecords() const { return packedRecordCount() * sizeof(ProbeRecord); }
    uint64_t control() const { return sizeof(Counters) + 2 * anchor_blocks * sizeof(ProbeAnchor); }
    uint64_t total() const {
      return headers() + tails() + records() + packedWarps() + packedRecords() + control();
    }
  };

  State(Backend& on, const ModuleImage& pack_image) : backend(on), pack(pack_image) {}

  Backend& backend;
  ModuleImage pack;
  GrowBuffer control{backend}, residency{backend}, headers{backend}, tails{backend}, records{backend},
      packed_warps{backend}, packed_records{backend};
  ProbedLaunch last;
  ProbeParams params_of_last{};
  Sizes wanted, sizes;  // of the last launch

  std::vector<std::pair<GrowBuffer*, uint64_t>> needs(const Sizes& sizes) {
    return {{&control, sizes.control()},
            {&headers, sizes.headers()},
            {&tails, sizes.tails()},
            {&records, sizes.records()},
            {&packed_warps, sizes.packedWarps()},
            {&packed_records, sizes.packedRecords()}};
  }

  uint64_t growth(const Sizes& sizes) {
    uint64_t bytes = 0;
    for (const auto& [buffer, needed] : needs(sizes)) bytes += buffer->growthFor(needed);
    return bytes;
  }

  Sizes wantedSizes(const ProbedLaunch& launch) const {
    const LaunchSpec& spec = launch.spec;
    const Sampling& sampling = launch.sampling;
    const uint64_t blocks =
        sampling.sms > 0 ? spec.grid.count() : std::min<uint64_t>(sampling.first_blocks, spec.grid.count());
    const uint64_t sms = std::max<uint32_t>(backend.description().limits.sm_count, 1);
    Sizes sizes;
    sizes.slots = std::min<uint64_t>(sampling.max_warps, blocks * warpsPerBlock(spec.block));
    sizes.records_per_lane = sampling.records_per_lane;
    sizes.anchor_blocks = std::min(spec.grid.count(), kAnchorsPerSm * sms);
    return sizes;
  }

  // Shrinks `sizes` until a quarter of the free memory (including what is already held) suffices and indices
  // fit into 32 bits.
  Expected<void> fitIntoMemory(Sizes& sizes) {
    const auto indexable = [](const Sizes& s) { return s.packedRecordCount() <= INT32_MAX; };
    if (growth(sizes) == 0 && indexable(sizes)) return {};
    const auto memory = backend.memory();
    if (!memory) return tl::unexpected(memory.error());
    uint64_t held = 0;
    for (const auto& [buffer, needed] : needs(sizes)) held += buffer->capacity();
    const uint64_t budget = (memory->free_bytes + held) / 4;
    while (sizes.total() > budget || !indexable(sizes)) {
      if (sizes.records_per_lane > kFewestRecordsPerLane) {
        sizes.records_per_lane = std::max<uint64_t>(sizes.records_per_lane / 2, kFewestRecordsPerLane);
      } else if (sizes.slots > 1) {
        sizes.slots /= 2;
      } else {
        return fail(ErrorKind::kWorkFailed, "{} has only {} MiB free: not enough to record a single warp",
                    backend.description().id, memory->free_bytes >> 20);
      }
    }
    return {};
  }

  Expected<void> allocate(const Sizes& sizes) {
    for (const auto& [buffer, needed] : needs(sizes)) {
      if (auto held = buffer->atLeast(needed); !held) return tl::unexpected(held.error());
    }
    return {};
  }

  ProbeParams params(const ProbedLaunch& launch, const Sizes& sizes) const {
    const auto pointer = [](DeviceAddress address) { return reinterpret_cast<void*>(address); };
    const DeviceAddress anchors = control.address() + sizeof(Counters);
    ProbeParams params{};
    params.headers = static_cast<ProbeWarpHeader*>(pointer(headers.address()));
    params.tails = static_cast<ProbeLaneTail*>(pointer(tails.address()));
    params.records = static_cast<ProbeRecord*>(pointer(records.address()));
    params.begin_anchors = static_cast<ProbeAnchor*>(pointer(anchors));
    params.end_anchors =
        static_cast<ProbeAnchor*>(pointer(anchors + sizes.anchor_blocks * sizeof(ProbeAnchor)));
    params.warps_seen = static_cast<uint32_t*>(pointer(control.address()));
    params.max_warps = static_cast<uint32_t>(sizes.slots);
    params.records_per_lane = static_cast<uint32_t>(sizes.records_per_lane);
    params.first_blocks = launch.sampling.first_blocks;
    params.sms = launch.sampling.sms;
    params.anchor_blocks = static_cast<uint32_t>(sizes.anchor_blocks);
    params.clock_shift = clockShift(launch.bare_median_us, backend.description().sm_clock_khz);
    return params;
  }

  Expected<void> launchPack(const ProbeParams& params, const Sizes& sizes) {
    const auto kernel = backend.kernel(pack, "probe_pack");
    if (!kernel) return tl::unexpected(kernel.error());
    LaunchSpec spec;
    spec.kernel = *kernel;
    spec.gpu = last.spec.gpu;
    spec.block = {kPackBlockThreads, 1, 1};
    const uint64_t warps_per_block = kPackBlockThreads / kWarpSize;
    spec.grid = {static_cast<uint32_t>((sizes.slots + warps_per_block - 1) / warps_per_block), 1, 1};
    spec.parameters = {parameterBytes(params), parameterBytes(packed_warps.address()),
                       parameterBytes(packed_records.address()),
                       parameterBytes(control.address() + offsetof(Counters, cursor)),
                       parameterBytes(static_cast<uint32_t>(sizes.packedRecordCount()))};
    return backend.launch(spec).map([](const LaunchReport&) {});
  }

  Expected<RawTrace> download(const ProbeParams& params, const Sizes& sizes) {
    std::vector<std::byte> head(sizes.control());
    if (auto done = backend.download(head, control.address()); !done) return tl::unexpected(done.error());
    Counters counters;
    std::memcpy(&counters, head.data(), sizeof counters);
    RawTrace raw;
    raw.clock_shift = params.clock_shift;
    raw.warps_seen = counters.warps_seen;
    raw.nominal_cycles_per_ns = backend.description().sm_clock_khz / 1e6;
    std::vector<ProbeAnchor> anchors(2 * sizes.anchor_blocks);
    std::memcpy(anchors.data(), head.data() + sizeof counters, anchors.size() * sizeof(ProbeAnchor));
    std::ranges::copy_if(anchors, std::back_inserter(raw.anchors),
                         [](const ProbeAnchor& anchor) { return anchor.valid == 1; });

    raw.warps.resize(std::min<uint64_t>(counters.warps_seen, sizes.slots));
    raw.records.resize(std::min<uint64_t>(counters.cursor, sizes.packedRecordCount()));
    auto done =
        backend.download(std::as_writable_bytes(std::span(raw.warps)), packed_warps.address()).and_then([&] {
          return backend.download(std::as_writable_bytes(std::span(raw.records)), packed_records.address());
        });
    if (!done) return tl::unexpected(done.error());
    if (const auto step = timerStepNs(raw)) raw.globaltimer_resolution_ns = *step;
    return raw;
  }
};

TraceCollector::TraceCollector(Backend& backend, const ModuleImage& pack)
    : state_(std::make_unique<State>(backend, pack)) {}
TraceCollector::~TraceCollector() = default;

Expected<Trace> TraceCollector::collect(ProbedLaunch launch) {
  const auto make = std::exchange(launch.launch, {});
  const auto spec = arm(std::move(launch));
  if (!spec) return tl::unexpected(spec.error());
  if (auto done = make(*spec, parameterBytes(state_->params_of_last)); !done)
    return tl::unexpected(done.error());
  return read();
}

Expected<LaunchSpec> TraceCollector::arm(ProbedLaunch launch) {
  State& state = *state_;
  for (const auto& [buffer, needed] : state.needs({})) buffer->moveTo(launch.spec.gpu);
  state.wanted = state.wantedSizes(launch);
  state.sizes = state.wanted;
  auto done = state.fitIntoMemory(state.sizes).and_then([&] { return state.allocate(state.sizes); });
  if (!done) return tl::unexpected(done.error());

  const ProbeParams params = state.params_of_last = state.params(launch, state.sizes);
  const DeviceAddress variable = launch.variable;
  if (variable == 0) launch.spec.parameters.at(0) = parameterBytes(params);
  state.last = std::move(launch);
  done = state.backend.fill(state.control.address(), 0, state.sizes.control())
             .and_then([&] { return state.backend.fill(state.tails.address(), 0, state.sizes.tails()); })
             .and_then([&]() -> Expected<void> {
               if (variable == 0) return {};
               return state.backend.upload(variable, parameterBytes(params));
             });
  if (!done) return tl::unexpected(done.error());
  return state.last.spec;
}

Expected<Trace> TraceCollector::read() {
  std::vector<TraceProblem> problems;
  const auto raw = readRaw(problems);
  if (!raw) return tl::unexpected(raw.error());
  auto trace = mergeTrace(*raw);
  if (trace) std::ranges::move(problems, std::back_inserter(trace->problems));
  return trace;
}

Expected<RawTrace> TraceCollector::readRaw(std::vector<TraceProblem>& problems) {
  State& state = *state_;
  const State::Sizes &wanted = state.wanted, &sizes = state.sizes;
  if (auto packed = state.launchPack(state.params_of_last, sizes); !packed)
    return tl::unexpected(packed.error());
  auto raw = state.download(state.params_of_last, sizes);
  if (raw && (sizes.slots != wanted.slots || sizes.records_per_lane != wanted.records_per_lane)) {
    problems.push_back(
        {TraceProblem::Severity::kWarning, 1,
         fmt::format("little device memory is free: room for {} warps of {} records a lane, not {} of {}",
                     sizes.slots, sizes.records_per_lane, wanted.slots, wanted.records_per_lane)});
  }
  return raw;
}

Expected<std::vector<double>> TraceCollector::timeAgain(uint32_t warm_ups, uint32_t repeats) {
  const FillBefore free_all_slots{state_->control.address(), 0, sizeof(uint32_t)};
  static_assert(offsetof(Counters, warps_seen) == 0);
  return state_->backend.time(state_->last.spec, warm_ups, repeats, free_all_slots);
}

Expected<std::optional<ResidentWarps>> TraceCollector::meanResidentWarps(LaunchSpec spec,
                                                                         double bare_median_us,
                                                                         uint32_t resident_warps) {
  State& state = *state_;
  const DeviceDescription& device = state.backend.description();
  const auto block_threads = static_cast<uint32_t>(spec.block.count());
  const auto fit = state.backend.maxActiveBlocksPerSm(spec.kernel, block_threads, spec.dynamic_shared_bytes);
  if (!fit) return tl::unexpected(fit.error());
  const uint64_t warps = spec.grid.count() * warpsPerBlock(spec.block);
  const bool long_kernel = bare_median_us * device.sm_clock_khz / 1e3 > kMostResidencyCycles;
  if (*fit == 0 || long_kernel || warps > kMostStays) return std::nullopt;
  const uint64_t bytes = warps * sizeof(ProbeStay);
  const auto held = state.residency.atLeast(bytes);
  if (!held) return std::nullopt;  // what is already measured is worth more than an error

  const auto launch = [&](uint64_t writing_warps) {
    const ResidencyParams params{reinterpret_cast<ProbeStay*>(*held), static_cast<uint32_t>(writing_warps),
                                 residencySmMask(device.limits.sm_count)};
    spec.parameters.at(0) = parameterBytes(params);
    return state.backend.launch(spec).map([](const LaunchReport&) {});
  };
  std::vector<ProbeStay> stays(warps);
  auto done = state.backend.fill(*held, 0, bytes);
  // This launch writes nothing; it brings code and data to where a repeated kernel finds them.
  if (done && bare_median_us <= kMostWarmUpUs) done = launch(0);
  if (done) done = launch(warps);
  if (done) done = state.backend.download(std::as_writable_bytes(std::span(stays)), *held);
  if (!done) return tl::unexpected(done.error());
  ResidencyLog log{.stays = stays, .warps_per_block = static_cast<uint32_t>(warpsPerBlock(spec.block))};
  log.resident_warps = *fit * log.warps_per_block;
  if (const auto figures = latencyFigures(device.limits)) log.block_turn_cycles = figures->block_turn;
  log.sm_count = device.limits.sm_count;
  auto found = warpscope::meanResidentWarps(log);
  if (!found) return std::nullopt;
  // This form of the kernel may need more registers, so that fewer of its warps fit.
  const double more = static_cast<double>(resident_warps) / log.resident_warps;
  found->mean *= more;
  found->evidence.spread_warps *= more;
  return found;
}

void TraceCollector::release() {
  for (const auto& [buffer, needed] : state_->needs(State::Sizes{})) buffer->release();
  state_->residency.release();
}

}  // namespace warpscope
