// Puts a GPU's samples where a run has them: at the instructions of its listing, and on the axis of its
// trace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/backend/backend.h"
#include "kernels/run/listing.h"
#include "kernels/run/samples.h"

namespace warpscope {

// Returns the listing that the samples refer to: the instructions of the kernel `entry` of a module's PTX,
// and of the functions that it may call.
std::shared_ptr<const Listing> placeWaits(const WaitsByPtxLine& waits, std::string_view ptx,
                                          const std::string& entry, WaitSamples& samples);

// Adds what was sampled during a launch, and shortly before and after it. The samples are on another clock:
// the launch begins where SMs become busy.
void addActivity(const TimedActivity& activity, double duration_ns, ActivitySamples& samples);

}  // namespace warpscope
