#include "kernels/sim/simt/checks/grid_dependency.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "kernels/sim/simt/checks/block_checks.h"

namespace warpscope::sim {
namespace {

// An access of the primary that conflicts with one to the same bytes.
std::optional<AccessRecord> conflicting(ShadowMemory& accesses, uint64_t address, uint32_t bytes,
                                        bool writes) {
  std::optional<AccessRecord> found;
  accesses.forCells(address, bytes, [&](const Cell& cell) {
    if (cell.write.mask != 0) found = cell.write;
    cell.forAccesses([&](const AccessRecord& record) {
      if (!found && (writes || record.writes != 0)) found = record;
    });
  });
  return found;
}

}  // namespace

void GridWaits::blockBarrier() {
  const bool any = std::ranges::any_of(waited_, [](uint32_t lanes) { return lanes != 0; });
  if (any) std::ranges::fill(waited_, ~0U);
}

void BlockChecks::checkPrimary(const Warp& warp, const MemoryAccess& access, uint32_t mask) {
  forLanes(grid_waits_.early(warp.index_in_block, mask), [&](uint32_t lane) {
    const auto before =
        conflicting(launch_.primary->accesses, access.addresses[lane], access.bytes, access.writes);
    if (before) launch_.reportPrimary(executor(warp, lane, access.pc), access, lane, *before);
  });
}

void LaunchChecks::reportPrimary(const Executor& executor, const MemoryAccess& access, uint32_t lane,
                                 const AccessRecord& before) {
  const HazardPlace place = placeOf(executor.pc);
  log.add({HazardKind::kTriggerWithoutVisibility, place, place, 0}, 1, [&] {
    const LaunchChecks of_primary(primary->launch, written, nullptr);
    const Executor earlier{
        before.block, before.warp * 32U + static_cast<uint32_t>(std::countr_zero(before.mask)), before.pc};
    Hazard hazard;
    hazard.kind = HazardKind::kTriggerWithoutVisibility;
    hazard.kernel = launch.code->kernel;
    hazard.access = describe(executor);
    hazard.second = of_primary.describe(earlier);
    const std::string where = locate(hazard, access.space, access.addresses[lane], access.bytes, 0);
    hazard.message = fmt::format(
        "{} {} {} bytes {}, which {} of the launch before it {}: a launch that is triggered early knows only "
        "behind griddepcontrol.wait (cudaGridDependencySynchronize()) that the launch before it is complete "
        "and what it has written can be read",
        who(executor), access.writes ? "writes" : "reads", access.bytes, where, of_primary.who(earlier),
        before.writes != 0 ? "writes" : "reads");
    return hazard;
  });
}

}  // namespace warpscope::sim
