// Which operations on streams are ordered: one of the two has ended before the other begins, whatever time
// anything takes. That follows from what each has to wait for, which streams, events and the legacy default
// stream decide (StreamOrder). That a copy of pageable memory may keep the host waiting orders nothing,
// because nothing promises it ("might be synchronous with respect to host", CUDA Driver API, "API
// synchronization behavior").
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/stream_waits.h"

namespace warpscope {

class OperationOrder {
 public:
  // The operation that the host enqueues next has to wait for these.
  void add(const std::vector<StreamDependency>& after);
  bool ordered(uint32_t one, uint32_t other) const;

 private:
  std::vector<std::vector<bool>> before_;  // by operation: those that have ended before it begins
};

}  // namespace warpscope
