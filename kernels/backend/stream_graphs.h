// The graphs among operations on streams: which are possible, and what follows what in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/run/stream_waits.h"

namespace warpscope {

// A graph consists of launches; where it is captured, also of events and waits that order their streams. The
// capture begins on the graph's stream, reaches others by events that are recorded in it, and must have
// rejoined that stream at its end, as CUDA demands ("Cross-stream Dependencies and Events", CUDA C++
// Programming Guide). A launch decides for at most one other, and only where a graph is explicit. Errors
// (kBadRequest) say which operation of which graph is not so.
Expected<void> checkGraphs(const StreamWork& work);

// The operations that one call of the host enqueues, from this one on: all of a graph.
uint32_t operationsOfCall(const StreamWork& work, uint32_t index);
// The first operation of the call that enqueues this one.
uint32_t firstOfCall(const StreamWork& work, uint32_t index);

uint32_t launchesOf(const StreamWork& work, uint32_t graph);

// The launch for which this one decides (EnqueuedOperation::only_if); nullopt: none.
std::optional<uint32_t> decidedBy(const StreamWork& work, uint32_t operation);

// Whether any launch is in a conditional node.
bool hasConditions(const StreamWork& work);

// The last parameter of a launch that decides: the bytes of its condition's handle.
std::vector<std::byte> conditionParameter(uint64_t handle);

// By operation: what must end before it.
std::vector<std::vector<StreamDependency>> dependenciesOf(const StreamWork& work);

// Whether an operation follows another one of its graph.
bool followsNode(const std::vector<StreamDependency>& after);

}  // namespace warpscope
