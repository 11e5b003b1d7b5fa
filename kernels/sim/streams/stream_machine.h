// Executes operations on streams on the time axis of a simulated GPU. The host enqueues one operation after
// another, each call taking its time; streams, events and the legacy default stream order them; there is one
// copy engine for each direction, and the block scheduler gives kernels' blocks the SMs' room
// (block_scheduler.h). Fills and copies on the device take the memory's bandwidth and no SM. A copy of
// pageable memory goes through the driver's staging buffer, and the host waits for its end ("API
// synchronization behavior", CUDA Driver API). A graph is launched by one call, and its nodes then begin one
// after another with a shorter latency, without the host. A node in a conditional one is executed only if the
// launch that decides has set its condition; if not, what follows it goes on after the time that it takes the
// GPU to pass it by. The figures are the profile's.
//
// Two GPUs have a block scheduler and copy engines each, and the link between them an engine for each way:
// copies from one to the other are done one after another. There is one host.
//
// Managed memory's pages move when blocks or host functions touch them (managed_pages.h), or are prefetched,
// by the copy engine of their direction.
//
// What an operation does to memory happens at a point of that time: a kernel's when it becomes ready, a
// copy's, a fill's and a host function's at its end. So operations that are not ordered see what they would
// see on such a GPU.
//
// A programmatic dependent launch is ready once all blocks of the launch before it have triggered it or
// ended, and its warps are held at griddepcontrol.wait until that launch is complete ("griddepcontrol", PTX
// ISA 8.0). It is complete itself only when that one is. It executes as if the launch before it had ended,
// whatever it reads before its wait: that is for the checks to find (simt/checks/grid_dependency.h).
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/occupancy/occupancy.h"
#include "kernels/sim/sm/profile.h"
#include "kernels/sim/sm/timed_grid.h"

namespace warpscope::sim {

// A kernel's execution by itself.
struct LaunchedAlone {
  std::vector<BlockStay> stays;  // of all its blocks
  uint64_t begin_cycle = 0;      // the clock that its blocks read is this many cycles ahead of the stays
  std::vector<ResourceBudget> needs;
  uint32_t blocks_per_sm = 0;
  double demand = 0;  // the share of an SM that a block needs (TimedResult::demand)
  // The launch for which it decides (EnqueuedOperation::only_if) is to be executed.
  bool continues = false;
};

struct StreamActions {
  std::function<Expected<LaunchedAlone>(uint32_t operation)> launch;
  std::function<Expected<void>(uint32_t operation)> effect;  // of any other operation
};

Expected<StreamReport> runOnStreams(const StreamWork& work, const DeviceProfile& profile,
                                    const StreamActions& actions, const std::stop_token& stop);

}  // namespace warpscope::sim
