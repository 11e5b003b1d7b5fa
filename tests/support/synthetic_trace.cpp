#include "tests/support/synthetic_trace.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <tuple>

namespace warpscope::testing {
namespace {

constexpr uint64_t kTimerBase = 1'763'700'000'000'000'000;  // the globaltimer counts ns since some epoch

// Converts true launch time in cycles to what the device's clocks show.
struct Clocks {
  const SyntheticOptions& options;
  std::vector<int64_t> clock_of_start;

  uint64_t clock(uint32_t sm, int64_t cycles) const {
    return static_cast<uint64_t>(clock_of_start[sm] + cycles);
  }
  uint64_t globaltimer(int64_t cycles) const {
    const auto ns = static_cast<uint64_t>(std::floor(static_cast<double>(cycles) / options.cycles_per_ns));
    return kTimerBase + ns / options.globaltimer_step_ns * options.globaltimer_step_ns;
  }
};

struct WarpScript {
  TraceWarp warp;
  std::vector<TraceEvent> events;
};

LaneMask lanesOf(uint32_t threads) {
  return threads >= kWarpSize ? kFullMask : LaneMask{(1U << threads) - 1};
}

// The actions of one warp, in launch time.
WarpScript scriptOf(const SyntheticOptions& options, uint32_t block, uint32_t warp_index, int64_t begin,
                    std::mt19937& random) {
  WarpScript script;
  TraceWarp& warp = script.warp;
  warp.block = {block};
  warp.warp_in_block = warp_index;
  warp.sm = {block % options.sms};
  warp.hardware_slot = warp_index;
  warp.live = lanesOf(options.block_threads - warp_index * kWarpSize);
  warp.begin_cycles = begin;

  int64_t now = begin;
  const auto mark = [&](RegionId region, LaneMask mask) {
    now += 20 + static_cast<int64_t>(random() % options.span_cycles);
    if (!mask.empty()) script.events.push_back({now, mask, region});
  };
  const LaneMask even{0x55555555U};
  LaneMask staying = warp.live;
  mark(kLoad, warp.live);
  for (uint32_t trip = 0; trip < options.trips; ++trip) {
    mark(kStep, warp.live);
    mark(kEvenPath, options.divergent ? warp.live & even : warp.live);
    if (options.divergent) mark(kOddPath, warp.live & ~even);
  }
  if (options.early_exits && warp_index == 0) {
    mark(kExitRegion, warp.live & LaneMask{0xFF000000U});
    staying = warp.live & LaneMask{0x00FFFFFFU};
  }
  mark(kStore, staying);
  mark(kExitRegion, staying);
  warp.end_cycles = now;
  return script;
}

// Splits a warp's events into 32 lane logs of limited length as the probe does, and packs them; events that
// did not fit are removed from the script.
void pack(WarpScript& script, const Clocks& clocks, RawTrace& raw) {
  const SyntheticOptions& options = clocks.options;
  TraceWarp& warp = script.warp;
  std::vector<std::vector<ProbeRecord>> logs(kWarpSize), exits(kWarpSize);
  std::vector<TraceEvent> kept;
  for (const TraceEvent& event : script.events) {
    const auto leader = static_cast<size_t>(event.mask.lowest());
    const uint64_t clock = clocks.clock(warp.sm.value, event.clock_cycles) >> options.clock_shift;
    const ProbeRecord record{static_cast<uint32_t>(clock & ((1U << kProbeClockBits) - 1)) |
                                 (event.region.value << kProbeClockBits),
                             event.mask.bits};
    if (event.region == kExitRegion) {
      exits[leader].push_back(record);
    } else if (logs[leader].size() < options.records_per_lane) {
      logs[leader].push_back(record);
    } else {
      ++warp.dropped_events;
      continue;
    }
    kept.push_back(event);
  }
  script.events = kept;

  ProbePackedWarp packed{};
  packed.header.begin_clock = clocks.clock(warp.sm.value, warp.begin_cycles);
  packed.header.begin_globaltimer_ns = clocks.globaltimer(warp.begin_cycles);
  packed.header.block = warp.block.value;
  packed.header.warp_in_block = warp.warp_in_block;
  packed.header.sm = warp.sm.value;
  packed.header.hardware_slot = warp.hardware_slot;
  packed.header.live_mask = warp.live.bits;
  packed.end_clock = clocks.clock(warp.sm.value, warp.end_cycles);
  packed.end_globaltimer_ns = clocks.globaltimer(warp.end_cycles);
  packed.first_record = static_cast<uint32_t>(raw.records.size());
  packed.dropped = warp.dropped_events;
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    raw.records.insert(raw.records.end(), logs[lane].begin(), logs[lane].end());
    raw.records.insert(raw.records.end(), exits[lane].begin(), exits[lane].end());
  }
  packed.record_count = static_cast<uint32_t>(raw.records.size()) - packed.first_record;
  raw.warps.push_back(packed);
}

void sortTruth(Trace& truth, std::vector<WarpScript>& scripts) {
  std::ranges::sort(scripts, [](const WarpScript& a, const WarpScript& b) {
    return std::tuple(a.warp.sm, a.warp.block, a.warp.warp_in_block) <
           std::tuple(b.warp.sm, b.warp.block, b.warp.warp_in_block);
  });
  for (WarpScript& script : scripts) {
    script.warp.first_event = static_cast<uint32_t>(truth.events.size());
    script.warp.event_count = static_cast<uint32_t>(script.events.size());
    truth.dropped_events += script.warp.dropped_events;
    truth.duration_cycles = std::max(truth.duration_cycles, script.warp.end_cycles);
    truth.events.insert(truth.events.end(), script.events.begin(), script.events.end());
    truth.warps.push_back(script.warp);
  }
}

}  // namespace

SyntheticTrace makeSyntheticTrace(const SyntheticOptions& options) {
  SyntheticTrace made;
  std::mt19937 random(options.seed);
  Clocks clocks{options, {}};
  for (uint32_t sm = 0; sm < options.sms; ++sm) {
    clocks.clock_of_start.push_back(50'000'000'000 + static_cast<int64_t>(sm) * 7'654'321 +
                                    static_cast<int64_t>(random() % 1'000'000));
  }
  // Blocks of one SM follow each other; the first block of SM 0 begins at zero.
  std::vector<int64_t> free_at(options.sms);
  for (uint32_t sm = 1; sm < options.sms; ++sm) free_at[sm] = static_cast<int64_t>(random() % 300);
  std::vector<WarpScript> scripts;
  const uint32_t warps = (options.block_threads + kWarpSize - 1) / kWarpSize;
  for (uint32_t block = 0; block < options.blocks; ++block) {
    const uint32_t sm = block % options.sms;
    int64_t block_end = free_at[sm];
    for (uint32_t warp = 0; warp < warps; ++warp) {
      scripts.push_back(scriptOf(options, block, warp, free_at[sm] + 3 * warp, random));
      pack(scripts.back(), clocks, made.raw);
      block_end = std::max(block_end, scripts.back().warp.end_cycles);
    }
    made.raw.anchors.push_back(
        {clocks.clock(sm, free_at[sm] + 1), clocks.globaltimer(free_at[sm] + 1), sm, 1});
    made.raw.anchors.push_back({clocks.clock(sm, block_end), clocks.globaltimer(block_end), sm, 1});
    free_at[sm] = block_end + 40;
  }
  made.raw.clock_shift = options.clock_shift;
  made.raw.warps_seen = made.raw.warps.size();
  made.raw.nominal_cycles_per_ns = options.cycles_per_ns;
  made.raw.globaltimer_resolution_ns = options.globaltimer_step_ns;

  sortTruth(made.truth, scripts);
  made.truth.clock_quantum_cycles = 1U << options.clock_shift;
  made.truth.clocks.cycles_per_ns = options.cycles_per_ns;
  for (uint32_t sm = 0; sm < std::min(options.sms, options.blocks); ++sm) {
    made.truth.clocks.sms.push_back({SmId{sm}, -clocks.clock_of_start[sm], 8.0});
  }
  made.truth.clocks.uncertainty_ns = options.sms > 1 ? 16.0 : 0.0;
  made.clock_of_start = clocks.clock_of_start;
  return made;
}

DeviceDescription syntheticDevice() {
  DeviceDescription device;
  device.id = "cuda:0";
  device.name = "Synthetic H100";
  device.limits = {.compute_capability = {9, 0},
                   .sm_count = 132,
                   .max_threads_per_block = 1024,
                   .max_threads_per_sm = 2048,
                   .max_blocks_per_sm = 32,
                   .registers_per_sm = 65536,
                   .registers_per_block = 65536,
                   .shared_bytes_per_sm = 233472,
                   .shared_bytes_per_block = 49152,
                   .shared_bytes_per_block_opt_in = 232448,
                   .shared_bytes_reserved_per_block = 1024};
  device.memory_bytes = uint64_t{80} << 30;
  device.limits.l2_bytes = uint64_t{50} << 20;
  device.sm_clock_khz = 1'755'000;
  device.memory_clock_khz = 2'619'000;
  device.memory_bus_bits = 5120;
  device.driver = "580.159.04 (CUDA 13.0)";
  return device;
}

Run makeSyntheticRun(const std::string& family, const std::string& variant, int64_t block, int64_t size) {
  SyntheticOptions options;
  options.block_threads = static_cast<uint32_t>(block);
  options.divergent = variant == "even_odd";
  options.seed = static_cast<uint32_t>(block + size);
  SyntheticTrace made = makeSyntheticTrace(options);

  Run run;
  run.request = {.family = family, .variant = variant, .parameters = {{"block", block}, {"size", size}}};
  run.parameter_labels = {{"size", fmt::format("2^{}", std::countr_zero(static_cast<uint64_t>(size)))}};
  run.device = syntheticDevice();
  run.created = "2026-11-21T09:30:00Z";
  run.grid = {options.blocks, 1, 1};
  run.block = {options.block_threads, 1, 1};
  run.verification = {true, static_cast<uint64_t>(size), 0, 0.125, fmt::format("all {} values equal", size)};
  run.timing = {12.5 + static_cast<double>(block) / 100, 12.25, 14.75, 20, 3};
  run.bandwidth = {static_cast<uint64_t>(size) * 8, 883.25, 2950.5};
  run.resources = {32, 1024, 0, 0};
  run.occupancy = {.blocks_per_sm = 16,
                   .warps_per_sm = 48,
                   .max_warps_per_sm = 64,
                   .theoretical = 0.75,
                   .limiter = OccupancyLimiter::kWarps,
                   .blocks_by_warps = 16,
                   .blocks_by_slots = 32,
                   .blocks_by_registers = 21,
                   .blocks_by_shared = 113};
  run.probe = {1.04, 13.1, made.truth.events.size(), made.truth.dropped_events};
  run.regions = {{kLoad, "load", 2, 2},
                 {kStep, "step", 3, 3},
                 {kEvenPath, "even path", 5, 6},
                 {kOddPath, "odd path", 8, 9},
                 {kStore, "store", 11, 11}};
  run.source_file = "kernels/experiments/" + family + "/" + family + ".cu";
  run.source = std::make_shared<const std::string>(
      "__global__ void kernel(const int* in, int* out) {\n"
      "  int value = in[threadIdx.x];\n"
      "  for (int trip = 0; trip < 4; ++trip) {\n"
      "    if (threadIdx.x % 2 == 0) {\n"
      "      value += 3;\n"
      "      value ^= 5;\n"
      "    } else {\n"
      "      value *= 3;\n"
      "      value -= 7;\n"
      "    }\n"
      "  } out[threadIdx.x] = value;\n"
      "}\n");
  run.trace = std::move(made.truth);
  return run;
}

}  // namespace warpscope::testing
