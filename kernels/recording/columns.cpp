#include "kernels/recording/columns.h"

#include <cstring>

#include "kernels/recording/byte_io.h"

namespace warpscope {
namespace {

// The minimum size of a warp and an event, which also bounds the counts that a header may claim.
constexpr size_t kWarpFields = 9;

void writeWarp(ByteWriter& out, const TraceWarp& warp, const TraceWarp& before) {
  out.variable(zigzag(int64_t{warp.sm.value} - int64_t{before.sm.value}));
  out.variable(zigzag(int64_t{warp.block.value} - int64_t{before.block.value}));
  out.variable(warp.warp_in_block);
  out.variable(warp.hardware_slot);
  out.variable(~warp.live.bits);  // mostly full, so that the complement is short
  out.variable(zigzag(static_cast<int64_t>(static_cast<uint64_t>(warp.begin_cycles) -
                                           static_cast<uint64_t>(before.begin_cycles))));
  out.variable(zigzag(static_cast<int64_t>(static_cast<uint64_t>(warp.end_cycles) -
                                           static_cast<uint64_t>(warp.begin_cycles))));
  out.variable(warp.event_count);
  out.variable(warp.dropped_events);
}

bool fitsUint32(uint64_t value) {
  return value <= UINT32_MAX;
}

bool readWarp(ByteReader& in, const TraceWarp& before, TraceWarp& warp) {
  const uint64_t sm = uint64_t{before.sm.value} + static_cast<uint64_t>(unzigzag(in.variable()));
  const uint64_t block = uint64_t{before.block.value} + static_cast<uint64_t>(unzigzag(in.variable()));
  const uint64_t warp_in_block = in.variable();
  const uint64_t slot = in.variable();
  const uint64_t dead = in.variable();
  warp.begin_cycles = static_cast<int64_t>(static_cast<uint64_t>(before.begin_cycles) +
                                           static_cast<uint64_t>(unzigzag(in.variable())));
  warp.end_cycles = static_cast<int64_t>(static_cast<uint64_t>(warp.begin_cycles) +
                                         static_cast<uint64_t>(unzigzag(in.variable())));
  const uint64_t events = in.variable();
  const uint64_t dropped = in.variable();
  if (!in.ok() || !fitsUint32(sm) || !fitsUint32(block) || !fitsUint32(warp_in_block) || !fitsUint32(slot) ||
      !fitsUint32(dead) || !fitsUint32(events) || !fitsUint32(dropped)) {
    return false;
  }
  warp.sm = {static_cast<uint32_t>(sm)};
  warp.block = {static_cast<uint32_t>(block)};
  warp.warp_in_block = static_cast<uint32_t>(warp_in_block);
  warp.hardware_slot = static_cast<uint32_t>(slot);
  warp.live = {~static_cast<uint32_t>(dead)};
  warp.event_count = static_cast<uint32_t>(events);
  warp.dropped_events = static_cast<uint32_t>(dropped);
  return true;
}

}  // namespace

Expected<Columns> makeColumns(const Trace& trace) {
  ByteWriter warps, clocks;
  size_t events = 0;
  for (const TraceWarp& warp : trace.warps) {
    if (uint64_t{warp.first_event} + warp.event_count > trace.events.size()) {
      return fail(ErrorKind::kWorkFailed, "block {} warp {}: its events lie outside of the trace",
                  warp.block.value, warp.warp_in_block);
    }
    events += warp.event_count;
  }
  Columns columns;
  auto& masks = columns[kMaskColumn];
  auto& regions = columns[kRegionColumn];
  masks.resize(events * sizeof(uint32_t));
  regions.resize(events);
  clocks.reserve(events * 2);
  warps.reserve(trace.warps.size() * 2 * kWarpFields);
  TraceWarp before;
  size_t at = 0;
  for (const TraceWarp& warp : trace.warps) {
    writeWarp(warps, warp, before);
    before = warp;
    auto clock_before = static_cast<uint64_t>(warp.begin_cycles);
    for (const TraceEvent& event : trace.eventsOf(warp)) {
      const auto clock = static_cast<uint64_t>(event.clock_cycles);
      clocks.variable(zigzag(static_cast<int64_t>(clock - clock_before)));
      clock_before = clock;
      if (event.region.value > 0xFF) {
        return fail(ErrorKind::kWorkFailed, "block {} warp {}: region {} is above 255", warp.block.value,
                    warp.warp_in_block, event.region.value);
      }
      std::memcpy(masks.data() + at * sizeof(uint32_t), &event.mask.bits, sizeof(uint32_t));
      regions[at] = static_cast<std::byte>(event.region.value);
      ++at;
    }
  }
  columns[kWarpColumn] = warps.take();
  columns[kClockColumn] = clocks.take();
  if (instructionsOfWarps(trace) > 0) {
    if (auto made = makeInstructionColumns(trace, columns); !made) return tl::unexpected(made.error());
  }
  return columns;
}

Expected<void> readWarps(std::span<const std::byte> column, size_t warps, size_t events, Trace& trace) {
  if (warps > column.size() / kWarpFields) {
    return fail(ErrorKind::kDamagedFile, "column warps: {} warps cannot be in {} bytes", warps,
                column.size());
  }
  trace.warps.resize(warps);
  ByteReader in(column);
  TraceWarp before;
  uint64_t first_event = 0;
  for (size_t i = 0; i < warps; ++i) {
    TraceWarp& warp = trace.warps[i];
    if (!readWarp(in, before, warp)) {
      return fail(ErrorKind::kDamagedFile, "column warps: warp {} is not readable", i);
    }
    if (warp.end_cycles < warp.begin_cycles) {
      return fail(ErrorKind::kDamagedFile, "column warps: warp {} ends before it begins", i);
    }
    if (warp.event_count > events - first_event) {
      return fail(ErrorKind::kDamagedFile, "column warps: warp {} has events beyond the {} of the run", i,
                  events);
    }
    warp.first_event = static_cast<uint32_t>(first_event);
    first_event += warp.event_count;
    before = warp;
  }
  if (first_event != events || in.remaining() != 0) {
    return fail(ErrorKind::kDamagedFile,
                "column warps: {} of {} events belong to a warp, {} bytes are left over", first_event, events,
                in.remaining());
  }
  return {};
}

}  // namespace warpscope
