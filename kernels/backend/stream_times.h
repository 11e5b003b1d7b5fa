// The times of operations on streams as a real device measures them: what follows from those that were
// recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/run/stream_waits.h"

namespace warpscope {

// The GPU whose unit executes it (StreamOperation::gpu).
uint32_t gpuOf(const StreamWork& work, const EnqueuedOperation& operation);

// Checks that each operation and its stream are on one of the device's `gpus`, and on the same one. Error:
// kBadRequest, with the operation's number.
Expected<void> checkGpus(const StreamWork& work, uint32_t gpus);

// Whether the GPU is given work whose begin and end can be recorded.
bool isActivity(const EnqueuedOperation& operation);

// Whether it moves managed memory's pages, which CUPTI does not record as copies.
bool isPrefetch(const EnqueuedOperation& operation);

// The launch before a programmatic dependent one on its stream; nullopt: it is none, or there is none.
std::optional<uint32_t> primaryOf(const StreamWork& work, size_t operation);

// From the begins and ends of activity and host functions, and the host's calls: when events, waits and
// skipped launches were passed, which nothing records (once what they wait for had ended); `after`,
// `waited_for` and `waited_on` of all.
void explainMeasured(const StreamWork& work, std::vector<OperationTimes>& times);

}  // namespace warpscope
