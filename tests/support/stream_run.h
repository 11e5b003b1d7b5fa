// A run of many operations on streams, made by hand for tests of what shows them.
#pragma once

#include "tests/support/synthetic_trace.h"

namespace warpscope::testing {

// Two streams on one axis with a synthetic run's twelve blocks. Its operations, by index:
inline constexpr int kCopyIn = 0, kFirst = 1, kEventAfter = 2, kDependent = 3, kWaitForEvent = 4, kSecond = 5,
                     kCopyOut = 6, kNodeA = 7, kNodeB = 8;
// The dependent launch begins before the first one has ended; an event orders the streams; the two nodes are
// a graph; pages moved for the first launch.
Run makeStreamRun();

}  // namespace warpscope::testing
