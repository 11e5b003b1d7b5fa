#include "kernels/device/value_recorder.h"

#include <algorithm>
#include <cmath>

#include "kernels/device/device.h"

namespace warpscope {
namespace {

const TraceWarp* find(const Trace& trace, BlockId block, uint32_t warp) {
  const auto found = std::ranges::find_if(
      trace.warps, [&](const TraceWarp& each) { return each.block == block && each.warp_in_block == warp; });
  return found == trace.warps.end() ? nullptr : &*found;
}

// The instants of a warp at which its probes read the clock.
std::vector<int64_t> instantsOf(const Trace& trace, const TraceWarp& warp) {
  std::vector<int64_t> instants{warp.begin_cycles};
  for (const TraceEvent& event : trace.eventsOf(warp)) instants.push_back(event.clock_cycles);
  instants.push_back(warp.end_cycles);
  return instants;
}

bool sameCourse(const Trace& one, const TraceWarp& a, const Trace& other, const TraceWarp& b) {
  return std::ranges::equal(one.eventsOf(a), other.eventsOf(b), [](const TraceEvent& x, const TraceEvent& y) {
    return x.mask == y.mask && x.region == y.region;
  });
}

// Whether something else than the block's own stores and copies writes its shared memory.
bool isWrittenFromOutside(const ValueLog& log) {
  return std::ranges::any_of(*log.listing, [](const ListedInstruction& each) {
    return each.text.find("cp.async.bulk") != std::string::npos ||
           each.text.find("shared::cluster") != std::string::npos || each.text.starts_with("mapa");
  });
}

// Moves the steps of a warp from the launch that was recorded to the one that is shown. On one SM they differ
// by a constant, which is how its clock is aligned with the others; the rest lies between two instants that
// both know.
void moveSteps(WarpValues& warp, const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  for (int64_t& cycle : warp.cycles) {
    const auto after = std::ranges::upper_bound(from, cycle);
    const auto at = static_cast<size_t>(std::max<std::ptrdiff_t>(after - from.begin() - 1, 0));
    int64_t moved = cycle - from[at] + to[at];
    if (cycle >= from[at] && at + 1 < from.size()) {
      const double share =
          static_cast<double>(cycle - from[at]) / static_cast<double>(from[at + 1] - from[at]);
      moved = to[at] + std::llround(share * static_cast<double>(to[at + 1] - to[at]));
    }
    cycle = moved;
  }
  orderIssues(warp);
}

}  // namespace

// A backend of its own for each log, so that it finds the state in which a device begins.
Expected<ValueLog> ValueRecorder::record(const Run& run, const ModelledLaunch::ValueRequest& of,
                                         const std::stop_token& stop) {
  auto backend = openModel(run.device.id);
  if (!backend) {
    return fail(
        ErrorKind::kBadRequest,
        "Values are known of runs on a simulated GPU; this one is of {}. Choose sim:h100, for example.",
        run.device.name);
  }
  Executor executor(**backend, library_);
  auto recorded = executor.recordValues(run.request, of, stop);
  if (!recorded) return tl::unexpected(recorded.error());
  ValueLog& log = recorded->log;
  if (isWrittenFromOutside(log)) {
    log.shared_from_outside = true;
    log.shared_writes.clear();
    for (auto& writes : log.shared_writes_into) writes.clear();
  }
  for (uint32_t i = 0; i < log.warps.size(); ++i) {
    const TraceWarp* shown = find(run.trace, log.block, i);
    const TraceWarp* again = find(recorded->trace, log.block, i);
    if (shown == nullptr || again == nullptr || !sameCourse(run.trace, *shown, recorded->trace, *again)) {
      return fail(ErrorKind::kBadRequest,
                  "The launch takes another course than the one that is shown, so its values are not those "
                  "that it had: run it anew.");
    }
    moveSteps(log.warps[i], instantsOf(recorded->trace, *again), instantsOf(run.trace, *shown));
  }
  return std::move(log);
}

}  // namespace warpscope
