#include "viz/views/instruction_tooltip.h"

#include "kernels/core/units.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/states.h"
#include "viz/text/units.h"
#include "viz/views/span_tooltip.h"
#include "viz/views/wait_look.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
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
