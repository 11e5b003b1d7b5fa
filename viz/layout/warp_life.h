// A recorded warp's begin and end, in an order and a range in which they can be subtracted, whatever the
// trace says.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/run/trace.h"
#include "viz/layout/pyramid.h"

namespace warpscope {

inline int64_t lifeBegin(const TraceWarp& warp) {
  return clampTime(warp.begin_cycles);
}
inline int64_t lifeEnd(const TraceWarp& warp) {
  return std::max(lifeBegin(warp), clampTime(warp.end_cycles));
}
inline int64_t lifeCycles(const TraceWarp& warp) {
  return lifeEnd(warp) - lifeBegin(warp);
}

}  // namespace warpscope
