// Which of CUPTI's records is of which launch of a graph: all of them carry the correlation of the call that
// launched the graph.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/streams/activity_log.h"

namespace warpscope::cuda {

struct GraphLaunches {
  std::vector<uint32_t> operations;  // their indices, ascending
  // By launch, the places here of those that must end before it, also by way of events.
  std::vector<std::vector<uint32_t>> after;
};
// Finds the launches of the graph that begins with the operation `first`.
GraphLaunches launchesOfGraph(const StreamWork& work, uint32_t first);

// Returns, by launch, the index of its record. `after`: by launch, those that must have ended before it, all
// of them earlier ones. There are as many records as launches.
//
// CUPTI numbers the nodes of the graph that was instantiated. That the numbers are in the order in which the
// nodes were added is nowhere documented, so they count only if no launch then begins before one that it
// depends on has ended. Otherwise the records are dealt out in the order in which they begin, each to the
// first launch that may begin then; in a chain that is certain. Launches of equal rank in a graph that forks
// may be taken for each other either way. nullopt: neither fits.
std::optional<std::vector<size_t>> matchNodes(std::span<const Activity> records,
                                              const std::vector<std::vector<uint32_t>>& after);

}  // namespace warpscope::cuda
