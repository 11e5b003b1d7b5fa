#include "kernels/execute/merge.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/execute/clock_alignment.h"

namespace warpscope {

// From raw lane logs to a trace. Each lane's log of a warp is ascending in time by itself, so the logs are
// unwrapped one by one and then merged pairwise, stably in lane order. Then alignClocks puts all warps'
// clocks on the launch axis. Linear in the events; memory is allocated per trace, never per event.

namespace {

constexpr uint32_t kMaxSm = 1U << 16;
constexpr uint32_t kMaxClockShift = 31;

std::string nameOf(const ProbePackedWarp& warp) {
  return fmt::format("block {} warp {} (SM {})", warp.header.block, warp.header.warp_in_block,
                     warp.header.sm);
}

Expected<void> checkWarp(const RawTrace& raw, const ProbePackedWarp& warp) {
  const auto broken = [&](const std::string& what) {
    return fail(
        ErrorKind::kWorkFailed,
        "the trace that came back is damaged: {} {}; run it again, and if it happens again please report "
        "the kernel and the device",
        nameOf(warp), what);
  };
  if (warp.header.sm >= kMaxSm) return broken("names an SM that no GPU has");
  if (warp.header.warp_in_block >= 1024 / kWarpSize) return broken("is beyond the 32 warps a block may have");
  if (warp.header.live_mask == 0) return broken("has no live lane");
  if (warp.end_clock < warp.header.begin_clock) {
    return broken(
        fmt::format("ends at clock {}, before its begin at {}", warp.end_clock, warp.header.begin_clock));
  }
  if (uint64_t{warp.first_record} + warp.record_count > raw.records.size()) {
    return broken(fmt::format("has records {} to {}, but only {} came back", warp.first_record,
                              uint64_t{warp.first_record} + warp.record_count, raw.records.size()));
  }
  return {};
}

class Merger {
 public:
  explicit Merger(const RawTrace& raw) : raw_(raw) {
    // The record holds 24 bits of a 32-bit clock that was shifted right.
    clock_bits_ = std::min<uint32_t>(kProbeClockBits, 32 - std::min(raw.clock_shift, kMaxClockShift));
  }

  Expected<TimedTrace> merge() {
    if (raw_.clock_shift > kMaxClockShift) {
      return fail(ErrorKind::kWorkFailed, "the trace's clock shift is {}, but at most {} is possible",
                  raw_.clock_shift, kMaxClockShift);
    }
    size_t events = 0;
    for (const ProbePackedWarp& warp : raw_.warps) {
      if (auto checked = checkWarp(raw_, warp); !checked) return tl::unexpected(checked.error());
      events += warp.record_count;
    }
    align();
    const std::vector<uint32_t> order = drawingOrder();
    trace_.clock_quantum_cycles = 1U << raw_.clock_shift;
    trace_.warps.reserve(order.size());
    trace_.events.reserve(events);
    for (const uint32_t index : order) {
      if (auto added = addWarp(raw_.warps[index]); !added) return tl::unexpected(added.error());
    }
    reportLosses();
    return TimedTrace{std::move(trace_), zero_globaltimer_ns_};
  }

 private:
  void align() {
    std::vector<SmId> sms;
    std::vector<ClockReading> readings;
    readings.reserve(raw_.warps.size() * 2 + raw_.anchors.size());
    // In the order in which probe.cuh reads them: at a begin the timer first, at exits and anchors the clock
    // first.
    for (const ProbePackedWarp& warp : raw_.warps) {
      const SmId sm{warp.header.sm};
      if (sms.empty() || sms.back() != sm) sms.push_back(sm);
      readings.push_back(
          {sm, ClockReading::Order::kTimerFirst, warp.header.begin_clock, warp.header.begin_globaltimer_ns});
      readings.push_back({sm, ClockReading::Order::kClockFirst, warp.end_clock, warp.end_globaltimer_ns});
    }
    for (const ProbeAnchor& anchor : raw_.anchors) {
      if (anchor.valid != 1 || anchor.sm >= kMaxSm) continue;
      readings.push_back(
          {SmId{anchor.sm}, ClockReading::Order::kClockFirst, anchor.clock, anchor.globaltimer_ns});
    }
    std::ranges::sort(sms);
    sms.erase(std::unique(sms.begin(), sms.end()), sms.end());
    AlignedClocks aligned =
        alignClocks(readings, sms, raw_.nominal_cycles_per_ns, raw_.globaltimer_resolution_ns);
    trace_.clocks = std::move(aligned.clocks);
    trace_.duration_cycles = aligned.duration_cycles;
    trace_.problems = std::move(aligned.problems);
    zero_globaltimer_ns_ = aligned.zero_globaltimer_ns;
  }

  std::vector<uint32_t> drawingOrder() const {
    std::vector<uint32_t> order(raw_.warps.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [this](uint32_t a, uint32_t b) {
      const ProbeWarpHeader& first = raw_.warps[a].header;
      const ProbeWarpHeader& second = raw_.warps[b].header;
      return std::tie(first.sm, first.block, first.warp_in_block, a) <
             std::tie(second.sm, second.block, second.warp_in_block, b);
    });
    return order;
  }

  Expected<void> addWarp(const ProbePackedWarp& packed) {
    if (clock_of_sm_ >= trace_.clocks.sms.size() ||
        trace_.clocks.sms[clock_of_sm_].sm.value != packed.header.sm) {
      const auto found =
          std::ranges::lower_bound(trace_.clocks.sms, SmId{packed.header.sm}, {}, &SmClock::sm);
      clock_of_sm_ = static_cast<size_t>(found - trace_.clocks.sms.begin());
    }
    const int64_t offset = trace_.clocks.sms[clock_of_sm_].offset_cycles;
    TraceWarp warp;
    warp.block = {packed.header.block};
    warp.warp_in_block = packed.header.warp_in_block;
    warp.sm = {packed.header.sm};
    warp.hardware_slot = packed.header.hardware_slot;
    warp.live = {packed.header.live_mask};
    warp.begin_cycles = static_cast<int64_t>(packed.header.begin_clock) + offset;
    warp.end_cycles = static_cast<int64_t>(packed.end_clock) + offset;
    warp.first_event = static_cast<uint32_t>(trace_.events.size());
    warp.event_count = packed.record_count;
    warp.dropped_events = packed.dropped;
    if (!trace_.warps.empty()) {
      const TraceWarp& last = trace_.warps.back();
      if (last.block == warp.block && last.warp_in_block == warp.warp_in_block && last.sm == warp.sm) {
        return fail(ErrorKind::kWorkFailed, "the trace that came back is damaged: {} was recorded twice",
                    nameOf(packed));
      }
    }
    if (auto unwrapped = unwrapLogs(packed, warp); !unwrapped) return unwrapped;
    mergeLogs(warp);
    trace_.dropped_events += warp.dropped_events;
    trace_.warps.push_back(warp);
    return {};
  }

  // Appends the warp's records to the trace's events, lane by lane, with full-width clocks; log_ends_ says
  // where each ascending stretch ends.
  Expected<void> unwrapLogs(const ProbePackedWarp& packed, const TraceWarp& warp) {
    const uint64_t mask_of_clock = (uint64_t{1} << clock_bits_) - 1;
    const uint64_t begin_ticks = packed.header.begin_clock >> raw_.clock_shift;
    const auto length = static_cast<uint64_t>(warp.end_cycles - warp.begin_cycles) + 1;
    const bool ambiguous = (length >> raw_.clock_shift) > mask_of_clock;
    if (ambiguous) ++ambiguous_warps_;
    log_ends_.clear();
    uint32_t lane_before = 0;
    uint64_t ticks_before = 0;
    for (uint32_t i = 0; i < packed.record_count; ++i) {
      const ProbeRecord& record = raw_.records[packed.first_record + i];
      if (record.mask == 0 || (record.mask & ~packed.header.live_mask) != 0) {
        return fail(
            ErrorKind::kWorkFailed,
            "the trace that came back is damaged: record {} of {} has the lane mask {}, but its live lanes "
            "are {}; run it again",
            i, nameOf(packed), formatMaskHex(record.mask), formatMaskHex(packed.header.live_mask));
      }
      const auto lane = static_cast<uint32_t>(LaneMask{record.mask}.lowest());
      if (i == 0 || lane != lane_before) ticks_before = 0;
      uint64_t ticks = ((record.clock_and_region & mask_of_clock) - begin_ticks) & mask_of_clock;
      if (ambiguous) {
        // Within a log time only grows, which gives the least possible value.
        if (ticks < ticks_before) {
          ticks += (ticks_before - ticks + mask_of_clock) / (mask_of_clock + 1) * (mask_of_clock + 1);
        }
      }
      const bool descends = i > 0 && (lane != lane_before || ticks < ticks_before);
      if (descends) log_ends_.push_back(trace_.events.size());
      lane_before = lane;
      ticks_before = ticks;
      const int64_t clock =
          static_cast<int64_t>(((begin_ticks + ticks) << raw_.clock_shift) - packed.header.begin_clock) +
          warp.begin_cycles;
      // The shift removes up to a quantum, so an event can seem to be before the begin.
      if (clock >= warp.end_cycles + int64_t{trace_.clock_quantum_cycles}) ++late_events_;
      trace_.events.push_back({std::clamp(clock, warp.begin_cycles, warp.end_cycles), LaneMask{record.mask},
                               RegionId{record.clock_and_region >> kProbeClockBits}});
    }
    log_ends_.push_back(trace_.events.size());
    return {};
  }

  // Merges neighbouring stretches until one is left; events of equal clock stay in lane order.
  void mergeLogs(const TraceWarp& warp) {
    const auto by_clock = [](const TraceEvent& a, const TraceEvent& b) {
      return a.clock_cycles < b.clock_cycles;
    };
    const auto at = [this](size_t i) { return trace_.events.begin() + static_cast<std::ptrdiff_t>(i); };
    while (log_ends_.size() > 1) {
      size_t begin = warp.first_event, out = 0;
      for (size_t i = 0; i < log_ends_.size(); i += 2) {
        if (i + 1 < log_ends_.size()) {
          const size_t middle = log_ends_[i], end = log_ends_[i + 1];
          scratch_.assign(at(begin), at(middle));
          std::merge(scratch_.begin(), scratch_.end(), at(middle), at(end), at(begin), by_clock);
          log_ends_[out++] = end;
          begin = end;
        } else {
          log_ends_[out++] = log_ends_[i];
        }
      }
      log_ends_.resize(out);
    }
  }

  void reportLosses() {
    using Severity = TraceProblem::Severity;
    if (raw_.warps_seen > raw_.warps.size()) {
      trace_.unrecorded_warps = raw_.warps_seen - raw_.warps.size();
      trace_.problems.push_back(
          {Severity::kInfo, trace_.unrecorded_warps,
           fmt::format("only the first {1} of the sampled warps are shown, {0} later ones found no free slot",
                       trace_.unrecorded_warps, raw_.warps.size())});
    }
    if (trace_.dropped_events > 0) {
      uint64_t warps = 0;
      for (const TraceWarp& warp : trace_.warps) warps += warp.dropped_events > 0 ? 1 : 0;
      trace_.problems.push_back(
          {Severity::kWarning, trace_.dropped_events,
           fmt::format("{} events of {} warps were dropped: a lane's log was full. Spans "
                       "there are too long; record more per lane, or less work",
                       trace_.dropped_events, warps)});
    }
    if (ambiguous_warps_ > 0) {
      trace_.problems.push_back(
          {Severity::kWarning, ambiguous_warps_,
           fmt::format(
               "{} warps ran longer than the {} bits of clock in a record can tell: their events may be "
               "placed too early; use a larger clock shift or less work",
               ambiguous_warps_, clock_bits_)});
    }
    if (late_events_ > 0) {
      trace_.problems.push_back({Severity::kWarning, late_events_,
                                 fmt::format("{} events have a clock after their warp's end and are shown at "
                                             "its end",
                                             late_events_)});
    }
  }

  static std::string formatMaskHex(uint32_t mask) { return fmt::format("0x{:08X}", mask); }

  const RawTrace& raw_;
  Trace trace_;
  std::optional<int64_t> zero_globaltimer_ns_;
  uint32_t clock_bits_ = kProbeClockBits;
  size_t clock_of_sm_ = 0;
  std::vector<size_t> log_ends_;
  std::vector<TraceEvent> scratch_;
  uint64_t ambiguous_warps_ = 0, late_events_ = 0;
};

}  // namespace

Expected<Trace> mergeTrace(const RawTrace& raw) {
  return Merger(raw).merge().map([](TimedTrace&& timed) { return std::move(timed.trace); });
}

Expected<TimedTrace> mergeTimedTrace(const RawTrace& raw) {
  return Merger(raw).merge();
}

void addInstructions(Trace& trace, const ModelledReport& report) {
  std::map<std::pair<uint32_t, uint32_t>, size_t> warp_of;  // (block, warp in block) -> index
  for (size_t i = 0; i < trace.warps.size(); ++i) {
    warp_of.emplace(std::pair(trace.warps[i].block.value, trace.warps[i].warp_in_block), i);
  }
  std::map<uint32_t, int64_t> offset_of;  // SM -> what must be added to its clock to get the launch axis
  for (const SmClock& clock : trace.clocks.sms) offset_of.emplace(clock.sm.value, clock.offset_cycles);

  constexpr size_t kUnknown = SIZE_MAX;
  std::vector<size_t> owner;
  owner.reserve(report.log.size());
  for (const LoggedInstruction& logged : report.log) {
    const auto found = warp_of.find({logged.block.value, logged.warp_in_block});
    owner.push_back(found == warp_of.end() ? kUnknown : found->second);
    if (owner.back() != kUnknown) ++trace.warps[owner.back()].instruction_count;
  }
  uint32_t total = 0;
  std::vector<uint32_t> next;
  for (TraceWarp& warp : trace.warps) {
    warp.first_instruction = total;
    next.push_back(total);
    total += warp.instruction_count;
  }
  trace.instructions.resize(total);
  for (size_t i = 0; i < report.log.size(); ++i) {
    if (owner[i] == kUnknown) continue;
    const LoggedInstruction& logged = report.log[i];
    const int64_t offset = offset_of[trace.warps[owner[i]].sm.value];
    trace.instructions[next[owner[i]]++] = {static_cast<int64_t>(logged.cycle) + offset, logged.instruction,
                                            logged.mask, logged.waited_for, logged.waited_cycles};
  }
  trace.dropped_instructions = report.log_dropped;
}

}  // namespace warpscope
