// A bulk copy that a lane has started: what it will move, and whom it will tell. The interpreter makes it
// (interpreter_bulk.cpp), the SM model times it, and the checks judge it when its bytes move.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/sim/simt/tensor_map.h"

namespace warpscope::sim {

// One lane's cp.async.bulk, cp.reduce.async.bulk or cp.async.bulk.tensor that has been started and whose
// bytes have not moved.
struct BulkCopy {
  uint64_t id = 0;
  uint32_t pc = 0;
  uint32_t rank = 0, warp = 0, lane = 0;   // who started it
  uint32_t bytes = 0;                      // in shared memory
  uint64_t global = 0;                     // the address in global memory; unused between shared memories
  uint32_t from_offset = 0;                // in the starting block's shared memory
  std::shared_ptr<const TensorTile> tile;  // of a tensor: where its rows are in global memory
  // Into shared memory: the offset in the blocks whose bits are set, and the mbarrier that it signals there.
  uint32_t to_offset = 0, mbarrier = 0;
  uint16_t to_ranks = 0, mbarrier_ranks = 0;
  uint32_t group = 0;  // of those that go to global memory: the lane's bulk async-group
};

// Calls use(address, bytes) for each piece of global memory that the copy reads or writes.
template <class Use>
void forEachGlobalPiece(const BulkCopy& copy, const Use& use) {
  if (copy.tile == nullptr) {
    use(copy.global, copy.bytes);
    return;
  }
  copy.tile->forEachRow([&](uint32_t, const TensorTile::Row& row) {
    if (row.bytes() > 0) use(row.global, row.bytes());
    return true;
  });
}

}  // namespace warpscope::sim
