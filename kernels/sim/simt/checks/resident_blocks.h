// The resident blocks of a checked launch, and how they take turns.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/sim/simt/checks/check_hooks.h"
#include "kernels/sim/simt/checks/launch_checks.h"
#include "kernels/sim/simt/cluster.h"

namespace warpscope::sim {

struct ResidentBlock;

// The blocks of a cluster, which become resident and end together.
struct ResidentCluster {
  ClusterState state;
  std::vector<ResidentBlock*> blocks;  // by rank
};

struct ResidentBlock {
  ResidentBlock(LaunchChecks& launch, uint32_t index, const uint64_t& steps);

  Block block;
  BlockChecks checks;
  CheckHooks hooks;
  std::vector<bool> waits;                   // by warp: it waits at a barrier, or has exited
  std::shared_ptr<ResidentCluster> cluster;  // nullptr: the block is alone

  void begin(uint32_t index);
  bool stuck();             // not done, and none of its warps can run, nor any of its cluster's
  uint64_t instructions();  // executed by its warps, for all blocks that ran here
  // Runs a warp for about `budget` instructions.
  void run(uint32_t warp, uint64_t budget);

  bool timesOut();  // ends waits for mbarriers that nothing else can end; false: there are none
  bool clusterDone() const;

 private:
  bool allWait() const;
  void takeReleased();
};

class ResidentBlocks {
 public:
  explicit ResidentBlocks(LaunchChecks& launch);

  // Gives every warp of every resident block a turn. Blocks that end make room for the next ones; if none
  // does, more are admitted. Returns false if something is wrong: see LaunchChecks::stop, Block::fault() and
  // stuck().
  bool turn();
  bool done() const { return residents_.empty(); }
  uint64_t steps() const { return steps_; }
  uint64_t finishedBlocks() const { return finished_; }

  // Whether the last turn changed no memory, ended no block and left none to admit.
  bool idle() const { return idle_; }
  std::vector<std::unique_ptr<ResidentBlock>>& residents() { return residents_; }

 private:
  bool runAll();
  void runBlock(ResidentBlock& resident);
  bool takeUp();
  void takeUpCluster();
  void finish(ResidentBlock& resident);
  uint64_t changes() const;

  LaunchChecks& launch_;
  std::vector<std::unique_ptr<ResidentBlock>> residents_;
  uint64_t block_count_ = 0, next_block_ = 0,
           finished_ = 0;  // where there are clusters, next_block_ is one's first
  uint64_t most_ = 1;      // resident at a time
  uint64_t steps_ = 0;
  bool idle_ = false;
};

}  // namespace warpscope::sim
