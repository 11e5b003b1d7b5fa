// The addresses that the caches of the model see. Where the host places a buffer depends on what a process
// has run before, and the sets, slices and partitions of caches depend on addresses. So the buffers of a
// launch are placed anew for the model, one after another: the same launch then takes the same time whatever
// came before it. What kernels compute with are the real addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sim/simt/memory.h"

namespace warpscope::sim {

class ModelledAddresses {
 public:
  void clear();
  // Places an allocation behind those that were added before, if it is new. The launch uses `used_bytes` from
  // its beginning, which may be more than it has: the next one follows these.
  void add(const AddressRange& allocation, uint64_t used_bytes);
  // Lines (of 128 bytes) that were not added lie behind all others, as far apart as they are.
  uint64_t lineOf(uint64_t line) const;
  uint64_t of(uint64_t address) const;

 private:
  struct Placed {
    uint64_t first = 0, end = 0;  // lines
    uint64_t to = 0;              // the line that the model sees in place of the first
  };
  std::vector<Placed> placed_;  // ascending
  uint64_t next_ = 0;           // where the next one is placed: a line
};

}  // namespace warpscope::sim
