#include "kernels/sim/simt/checks/resident_blocks.h"

#include <algorithm>
#include <utility>

#include "kernels/sim/simt/interpreter_impl.h"

namespace warpscope::sim {
namespace {

constexpr uint64_t kBlockTurn = 2000;
constexpr uint64_t kFirstBlocks = 4;  // few blocks at first, for a small working set; more when they wait

// The number of blocks that the device holds at a time, by warps; at most 32 per SM (CUDA programming guide,
// table of compute capabilities).
uint64_t mostResident(const Launch& launch) {
  const uint64_t warps = std::max<uint64_t>(1, (launch.block.count() + 31) / 32);
  const uint64_t per_sm = std::clamp<uint64_t>(launch.max_warps_per_sm / warps, 1, 32);
  return std::max<uint64_t>(1, launch.sm_count) * per_sm;
}

}  // namespace

ResidentBlock::ResidentBlock(LaunchChecks& launch, uint32_t index, const uint64_t& steps)
    : block(launch.launch, index, index % std::max(1U, launch.launch.sm_count), 0),
      checks(launch, block.sharedBytes()),
      hooks(block, checks, steps),
      waits(block.warpCount()) {
  checks.begin(index, block.shared());
}

void ResidentBlock::begin(uint32_t index) {
  block.restart(index, index % std::max(1U, block.launch().sm_count), 0);
  checks.begin(index, block.shared());
  std::fill(waits.begin(), waits.end(), false);
}

void ResidentBlock::takeReleased() {
  for (const uint32_t warp : block.released()) waits[warp] = false;
  block.released().clear();
  std::vector<ClusterState::Woken>& woken = block.cluster().woken;
  for (const ClusterState::Woken& each : woken) {
    (cluster == nullptr ? *this : *cluster->blocks[each.rank]).waits[each.warp] = false;
  }
  woken.clear();
}

void ResidentBlock::run(uint32_t index, uint64_t budget) {
  Warp& warp = block.warp(index);
  const Stop stop = block.runWarp(warp, hooks, budget);
  waits[index] = stop == Stop::kBarrier || stop == Stop::kExited;
  if (stop == Stop::kMemory) block.finishMemory(warp, hooks);
  takeReleased();
}

uint64_t ResidentBlock::instructions() {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < block.warpCount(); ++i) sum += block.warp(i).instructions;
  return sum;
}

bool ResidentBlock::allWait() const {
  return std::all_of(waits.begin(), waits.end(), [](bool waiting) { return waiting; });
}

bool ResidentBlock::stuck() {
  if (block.done()) return false;
  if (cluster == nullptr) return allWait();
  return std::ranges::all_of(cluster->blocks, &ResidentBlock::allWait);
}

bool ResidentBlock::timesOut() {
  const bool any = block.cluster().timeOut();
  takeReleased();
  return any;
}

bool ResidentBlock::clusterDone() const {
  if (cluster == nullptr) return block.done();
  return std::ranges::all_of(cluster->blocks, [](const ResidentBlock* each) { return each->block.done(); });
}

ResidentBlocks::ResidentBlocks(LaunchChecks& launch)
    : launch_(launch), block_count_(launch.launch.grid.count()), most_(mostResident(launch.launch)) {
  while (residents_.size() < kFirstBlocks && takeUp()) {
  }
}

bool ResidentBlocks::takeUp() {
  if (next_block_ == block_count_ || residents_.size() >= most_) return false;
  if (launch_.launch.cluster.count() > 1) {
    takeUpCluster();
    return true;
  }
  residents_.push_back(
      std::make_unique<ResidentBlock>(launch_, static_cast<uint32_t>(next_block_++), std::as_const(steps_)));
  return true;
}

void ResidentBlocks::takeUpCluster() {
  const Launch& launch = launch_.launch;
  const auto count = static_cast<uint32_t>(launch.cluster.count());
  const auto cluster = std::make_shared<ResidentCluster>();
  std::vector<Block*> blocks;
  std::vector<BlockChecks*> checks;
  for (uint32_t rank = 0; rank < count; ++rank) {
    const uint32_t index = blockOfCluster(launch, next_block_ / count, rank);
    residents_.push_back(std::make_unique<ResidentBlock>(launch_, index, std::as_const(steps_)));
    ResidentBlock& resident = *residents_.back();
    resident.cluster = cluster;
    cluster->blocks.push_back(&resident);
    blocks.push_back(&resident.block);
    checks.push_back(&resident.checks);
  }
  Block::join(cluster->state, blocks);
  for (BlockChecks* each : checks) each->joinCluster(checks);
  next_block_ += count;
}

void ResidentBlocks::runBlock(ResidentBlock& resident) {
  for (uint32_t i = 0; i < resident.block.warpCount(); ++i) {
    // One turn may include several stops for memory or barriers; a stop that executes nothing counts, too.
    const Warp& warp = resident.block.warp(i);
    const uint64_t end = warp.instructions + kBlockTurn;
    for (uint64_t runs = 0; warp.instructions + runs < end && !resident.waits[i]; ++runs) {
      resident.run(i, end - warp.instructions);
      if (launch_.stop || resident.block.fault() != nullptr) return;
    }
  }
}

uint64_t ResidentBlocks::changes() const {
  uint64_t sum = 0;
  for (const auto& resident : residents_) sum += resident == nullptr ? 0 : resident->checks.changes();
  return sum;
}

// Its memory is no longer needed; the next block takes its place.
void ResidentBlocks::finish(ResidentBlock& resident) {
  resident.checks.end();
  ++finished_;
  if (resident.cluster == nullptr && next_block_ < block_count_) {
    resident.begin(static_cast<uint32_t>(next_block_++));
    return;
  }
  std::ranges::find(residents_, &resident, &std::unique_ptr<ResidentBlock>::get)->reset();
}

bool ResidentBlocks::runAll() {
  const size_t count = residents_.size();  // a cluster that is taken up meanwhile has its turn next
  for (size_t i = 0; i < count; ++i) {
    if (residents_[i] == nullptr) continue;
    ResidentBlock& resident = *residents_[i];
    const uint64_t before = resident.instructions();
    runBlock(resident);
    steps_ += resident.instructions() - before;
    if (launch_.stop || resident.block.fault() != nullptr || resident.stuck()) return false;
    if (!resident.clusterDone()) continue;
    if (resident.cluster == nullptr) {
      finish(resident);
      continue;
    }
    const auto cluster = resident.cluster;
    for (ResidentBlock* each : cluster->blocks) finish(*each);
    if (next_block_ < block_count_) takeUpCluster();
  }
  return true;
}

bool ResidentBlocks::turn() {
  const uint64_t changes_before = changes(), finished_before = finished_;
  const bool can_go_on = runAll();
  std::erase(residents_, nullptr);
  bool grown = false;
  if (can_go_on && finished_ == finished_before) {
    for (size_t more = residents_.size(); more > 0 && takeUp(); --more) grown = true;
  }
  idle_ = finished_ == finished_before && !grown && changes() == changes_before;
  return can_go_on;
}

}  // namespace warpscope::sim
