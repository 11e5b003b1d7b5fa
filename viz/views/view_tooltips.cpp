#include "viz/views/view_tooltips.h"

#include <algorithm>
#include <map>

#include "kernels/core/units.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/views/run_times_text.h"
#include "viz/views/wait_look.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

std::string sourceOf(const Run& run, RegionIndex index) {
  const Region& region = run.regions[index];
  const size_t slash = run.source_file.find_last_of('/');
  const std::string file = slash == std::string::npos ? run.source_file : run.source_file.substr(slash + 1);
  if (region.last_line > region.first_line) {
    return fmt::format("{}:{}–{}", file, region.first_line, region.last_line);
  }
  return fmt::format("{}:{}", file, region.first_line);
}

void spanRows(Tooltip& tooltip, const ViewInput& input, const TraceWarp& warp, const LayoutSpan& span) {
  const Run& run = *input.run;
  if (span.region < run.regions.size()) {
    tooltip.colourRow(tr("region"), input.theme->region(input.colourOf(span.region)),
                      regionName(run, span.region));
    tooltip.row(tr("source"), sourceOf(run, span.region));
  } else {
    tooltip.row(tr("region"), regionName(run, span.region));
  }
  tooltip.row(tr("from"), cyclesWithNs(run, span.begin));
  tooltip.row(tr("lasts"), cyclesWithNs(run, span.end - span.begin));
  if (span.region == kNoRegion) return;
  tooltip.row(tr("lanes"), trf("{} of {} observed together", span.mask.count(), warp.live.count()));
  tooltip.row(tr("mask"), formatMask(span.mask));
  tooltip.row("", formatMaskBits(span.mask));
  if (!span.exited.empty()) tooltip.row(tr("exited"), trf("{} lanes before", span.exited.count()));
}

}  // namespace

std::string warpTitle(const Run& run, const TraceWarp& warp) {
  const uint32_t block = warp.block.value;
  std::string coordinates;
  if (run.grid.y > 1 || run.grid.z > 1) {
    const uint32_t x = std::max(1U, run.grid.x), y = std::max(1U, run.grid.y);
    coordinates = fmt::format(" ({}, {}, {})", block % x, block / x % y, block / x / y);
  }
  return trf("block {}{}, warp {}", formatCount(block), coordinates, warp.warp_in_block);
}

std::string regionName(const Run& run, RegionIndex region) {
  if (region == kNoRegion) return tr("no region marked here");
  if (region >= run.regions.size()) return tr("a region that this run does not describe");
  return tr(run.regions[region].name);
}

void spanTooltip(const ViewInput& input, const TraceWarp& warp, const std::optional<LayoutSpan>& span,
                 const std::string& note) {
  const Run& run = *input.run;
  Tooltip tooltip(*input.theme, *input.fonts, warpTitle(run, warp));
  tooltip.row(tr("SM, slot"), trf("{}, warp slot {}", trSm(run.device.limits, warp.sm), warp.hardware_slot));
  if (span) {
    spanRows(tooltip, input, warp, *span);
  } else {
    tooltip.row(tr("lives"),
                trf("{} to {} cycles", formatCount(warp.begin_cycles), formatCount(warp.end_cycles)));
    tooltip.row(tr("lasts"), cyclesWithNs(run, warp.end_cycles - warp.begin_cycles));
    tooltip.row(tr("lanes"), trf("{} of {} exist", warp.live.count(), kWarpSize));
  }
  if (warp.dropped_events > 0) {
    tooltip.note(
        trf("{} events of this warp were dropped: a lane's log was full, and its last span is too long.",
            formatCount(warp.dropped_events)));
  }
  if (!note.empty()) tooltip.note(note);
}

std::string slotRowNote(const ViewInput& input, uint32_t row, uint32_t warp) {
  const RowOrder& order = *input.rows;
  if (order.kind() != RowKind::kSlots) return {};
  const std::string place = trf("Number {} of the {} recorded warps that held this slot one after another.",
                                formatCount(int64_t{order.placeOf(warp)} + 1),
                                formatCount(static_cast<int64_t>(order.warpsOf(row).size())));
  if (!order.slotsAssigned()) return place;
  return place + " " +
         trf("The trace does not have the hardware's own slots: warps were assigned to slots here, in the "
             "order "
             "in which they began, each to the lowest that was free. This one is slot {}.",
             order.slotOf(row));
}

void blockRowTooltip(const ViewInput& input, uint32_t row, std::optional<double> cycle) {
  const Run& run = *input.run;
  const auto warps = input.rows->warpsOf(row);
  const TraceWarp& first = run.trace.warps[warps.front()];
  Tooltip tooltip(*input.theme, *input.fonts, trf("block {}", formatCount(first.block.value)));
  const auto [begin, end] = lifeOfRow(*input.rows, run.trace, row);
  int executing = 0, existing = 0;
  uint32_t alive = 0;
  std::map<RegionIndex, int> lanes;
  for (const uint32_t index : warps) {
    const TraceWarp& warp = run.trace.warps[index];
    existing += warp.live.count();
    const auto picked = cycle ? input.layout->pick(index, *cycle) : std::nullopt;
    if (!picked) continue;
    ++alive;
    executing += picked->mask.count();
    lanes[picked->region] += picked->mask.count();
  }
  tooltip.row(tr("SM"), trSm(run.device.limits, first.sm));
  tooltip.row(tr("from"), cyclesWithNs(run, begin));
  tooltip.row(tr("lasts"), cyclesWithNs(run, end - begin));
  if (!cycle) {
    tooltip.row(tr("warps"), trf("{} recorded", warps.size()));
    tooltip.row(tr("lanes"), trf("{} exist", existing));
    return;
  }
  tooltip.row(tr("warps"), trf("{} of {} alive here", alive, warps.size()));
  tooltip.row(tr("lanes"), trf("{} of {} execute here", executing, existing));
  for (const auto& [region, count] : lanes) {
    if (region >= run.regions.size() || count == 0) continue;
    tooltip.colourRow("", input.theme->region(input.colourOf(region)),
                      fmt::format("{}: {}", regionName(run, region), count));
  }
}

namespace {

std::string placeOf(const std::string& file, uint32_t line) {
  const size_t slash = file.find_last_of('/');
  return fmt::format("{}:{}", slash == std::string::npos ? file : file.substr(slash + 1), line);
}

void listedRows(Tooltip& tooltip, const ListedInstruction& listed) {
  tooltip.row("PTX", listed.text);
  if (listed.line > 0) tooltip.row(tr("source"), placeOf(listed.file, listed.line));
  if (listed.inlined_line > 0)
    tooltip.row(tr("called from"), placeOf(listed.inlined_file, listed.inlined_line));
}

}  // namespace

std::string cyclesWithNs(const Run& run, int64_t cycles) {
  const double rate = run.trace.clocks.cycles_per_ns;
  if (rate <= 0) return trCycles(cycles);
  return fmt::format("{}  ({})", trCycles(cycles), formatNs(static_cast<double>(cycles) / rate));
}

void instructionTooltip(const ViewInput& input, const TraceWarp& warp, const InstructionSlot& slot,
                        const std::string& note) {
  const Run& run = *input.run;
  Tooltip tooltip(*input.theme, *input.fonts, warpTitle(run, warp));
  if (run.listing != nullptr && slot.listed < run.listing->size())
    listedRows(tooltip, (*run.listing)[slot.listed]);
  if (slot.region < run.regions.size()) {
    tooltip.colourRow(tr("region"), input.theme->region(slot.region), tr(run.regions[slot.region].name));
  } else {
    tooltip.row(tr("region"), tr("none: its line belongs to no region"));
  }
  tooltip.row(tr("issued at"), cyclesWithNs(run, slot.issue()));
  tooltip.row(tr("lanes"), trf("{} of {} active", slot.mask.count(), warp.live.count()));
  tooltip.row(tr("mask"), formatMask(slot.mask));
  tooltip.row("", formatMaskBits(slot.mask));
  if (slot.waited() > 0) {
    tooltip.row(tr("waited"), cyclesWithNs(run, slot.waited()));
    tooltip.colourRow(tr("for"), waitTone(*input.theme, slot.waited_for), trTitle(slot.waited_for));
    tooltip.note(trf("Its longest wait was for {}.", tr(warpStateHelp(slot.waited_for))));
  } else {
    tooltip.row(tr("waited"), tr("not at all"));
  }
  if (!note.empty()) tooltip.note(note);
  tooltip.note(trf("{}: issued by the model of {}.",
                   run.device.provenance == Provenance::kModelled ? tr("Modelled") : tr("Measured"),
                   run.device.name));
}

void timeAxisTooltip(const ViewInput& input) {
  Tooltip tooltip(*input.theme, *input.fonts, tr("The kernel with probes"));
  tooltip.note(
      tr("The axis begins when the first warp begins, and shows the launch that recorded the trace."));
  if (const std::string times = timesRelation(*input.run); !times.empty()) tooltip.note(times);
  tooltip.note(timeDefinitions());
  if (!input.run->samples_problem.empty()) tooltip.note(trf("Not sampled: {}", input.run->samples_problem));
}

std::string whyNoInstructions(const Run* run, const TraceLayout* layout) {
  if (run == nullptr || layout == nullptr) return tr("Nothing has run yet.");
  if (!layout->instructions().empty() || run->device.kind == DeviceKind::kSimulated) return {};
  if (run->device.provenance == Provenance::kMeasured) {
    return tr(
        "A real GPU does not report which instructions its warps issue. A simulated GPU does: choose one in "
        "the toolbar.");
  }
  return tr("This recording was made without instructions. The simulated GPU itself reports them.");
}

}  // namespace warpscope
