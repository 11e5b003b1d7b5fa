// What the blocks of a cluster share while they run: each other's shared memory, their barrier, and the bulk
// copies that are under way. A block of a launch without clusters is a cluster of its own. Its driver makes
// it, and gives it the blocks before they run; interpreter_cluster.cpp and interpreter_bulk.cpp change it.
//
// All blocks of a cluster run in one host thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

struct ClusterState {
  struct Woken {
    uint32_t rank = 0, warp = 0;
    uint32_t pc = 0;  // of the instruction that let it go on
  };
  // The warps that the latest completion of the barrier has released before they came to their wait.
  std::vector<Woken> released;
  std::vector<Block::State*> blocks;  // by rank; nullptr: it has exited
  uint32_t arrived = 0;               // threads at the cluster's barrier, since it was last complete
  bool ordered = false;               // one of them released
  std::vector<BulkCopy> copies;       // into shared memory, in the order in which they were started
  uint64_t next_copy = 0;
  // Warps that can go on since the driver last looked, because the cluster's barrier or the phase of an
  // mbarrier is complete.
  std::vector<Woken> woken;
  uint32_t time_outs = 0;  // of waits for phases, since a phase was last completed

  // Lets the waits for phases time out that nothing else can end (mbarrier.try_wait waits for a limited time
  // only). False: they have done so too often, and no phase was completed: a deadlock.
  bool timeOut();

  void restart() {
    blocks.clear();
    copies.clear();
    woken.clear();
    arrived = time_outs = 0;
    ordered = false;
  }
};

// How many clusters the grid has in each dimension; the launch has been validated.
inline Dim3 clusterGrid(const Launch& launch) {
  return {launch.grid.x / launch.cluster.x, launch.grid.y / launch.cluster.y,
          launch.grid.z / launch.cluster.z};
}
inline uint64_t clusterCount(const Launch& launch) {
  return launch.grid.count() / launch.cluster.count();
}
// The linear index of a cluster's block. Ranks and clusters count x first, as blocks do (PTX ISA 9.0, 10.11).
inline uint32_t blockOfCluster(const Launch& launch, uint64_t cluster, uint32_t rank) {
  const Dim3 grid = clusterGrid(launch), &size = launch.cluster;
  const uint64_t x = cluster % grid.x * size.x + rank % size.x;
  const uint64_t y = cluster / grid.x % grid.y * size.y + rank / size.x % size.y;
  const uint64_t z = cluster / (uint64_t{grid.x} * grid.y) * size.z + rank / (size.x * size.y);
  return static_cast<uint32_t>(x + launch.grid.x * (y + launch.grid.y * z));
}

// The cluster that a block belongs to.
inline uint64_t clusterOfBlock(const Launch& launch, uint32_t block) {
  const Dim3 grid = clusterGrid(launch);
  const uint64_t x = block % launch.grid.x / launch.cluster.x;
  const uint64_t y = block / launch.grid.x % launch.grid.y / launch.cluster.y;
  const uint64_t z = block / (uint64_t{launch.grid.x} * launch.grid.y) / launch.cluster.z;
  return x + grid.x * (y + grid.y * z);
}

}  // namespace warpscope::sim
