#include "kernels/sim/lanes/record_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/sim/lanes/lane_hooks.h"
#include "kernels/sim/simt/cluster.h"
#include "kernels/sim/simt/interpreter_impl.h"

namespace warpscope::sim {
namespace {

constexpr uint64_t kTurnInstructions = 2000;        // per warp
constexpr uint64_t kMostInstructions = 20'000'000;  // per launch: a few seconds
constexpr uint32_t kLeastLimit = 64;                // per warp

struct Resident;

// The blocks of a cluster, which are admitted together.
struct Team {
  ClusterState state;
  std::vector<Resident*> blocks;  // by rank
};

struct Resident {
  Block block;
  LaneHooks hooks;
  std::vector<bool> waits;  // by warp: it waits at a barrier, or has exited
  bool logged = false;
  std::shared_ptr<Team> team;  // nullptr: the block is alone
};

class LaneRun {
 public:
  LaneRun(const Launch& launch, const LaneLogOptions& options) : launch_(launch) {
    blocks_ = static_cast<uint32_t>(launch.grid.count());
    log_.options = options;
    log_.grid = launch.grid;
    log_.block = launch.block;
    log_.kernel = launch.code->kernel;
    first_ = options.first_block;
    end_ = first_ + std::min(std::max(options.blocks, 1U), blocks_ - first_);
    warps_per_block_ = static_cast<uint32_t>((launch.block.count() + 31) / 32);
    limit_ = std::max(kLeastLimit, options.limit / (warps_per_block_ * (end_ - first_)));
    log_.warps.resize(size_t{warps_per_block_} * (end_ - first_));
    for (uint32_t block = first_; block < end_; ++block) admit(block);
  }

  Expected<LaneLog> run(const std::stop_token& stop);

 private:
  void admit(uint32_t block);
  Resident& admitOne(uint32_t block);
  static void takeWoken(Resident& resident);
  void describeWarps(Resident& resident, std::span<LoggedWarp> warps) const;
  bool turn();
  void runWarp(Resident& resident, uint32_t index);
  bool loggedBlocksDone() const;
  bool logIsFull() const;
  uint64_t spins();
  void admitMore();

  const Launch& launch_;
  uint32_t blocks_ = 0, warps_per_block_ = 1;
  uint32_t first_ = 0, end_ = 0;  // the logged blocks
  uint32_t next_other_ = 0;       // the next block that is not logged
  std::vector<bool> admitted_;    // by block, where there are clusters
  uint32_t limit_ = 0;
  uint64_t executed_ = 0;
  std::vector<std::unique_ptr<Resident>> residents_;
  LaneLog log_;
};

// The block, and with it its whole cluster.
void LaneRun::admit(uint32_t block) {
  const auto count = static_cast<uint32_t>(launch_.cluster.count());
  if (count == 1) {
    admitOne(block);
    return;
  }
  admitted_.resize(blocks_, false);
  if (admitted_[block]) return;
  const auto team = std::make_shared<Team>();
  std::vector<Block*> blocks;
  for (uint32_t rank = 0; rank < count; ++rank) {
    const uint32_t index = blockOfCluster(launch_, clusterOfBlock(launch_, block), rank);
    admitted_[index] = true;
    Resident& resident = admitOne(index);
    resident.team = team;
    team->blocks.push_back(&resident);
    blocks.push_back(&resident.block);
  }
  Block::join(team->state, blocks);
}

Resident& LaneRun::admitOne(uint32_t block) {
  const uint32_t smid = block % std::max(1U, launch_.sm_count);
  residents_.push_back(
      std::make_unique<Resident>(Resident{Block(launch_, block, smid, 0), {}, {}, false, {}}));
  Resident& resident = *residents_.back();
  resident.waits.assign(resident.block.warpCount(), false);
  resident.hooks.executed = &executed_;
  if (block < first_ || block >= end_) return resident;
  resident.logged = true;
  resident.hooks.limit_per_warp = limit_;
  resident.hooks.warps =
      std::span(log_.warps).subspan(size_t{block - first_} * warps_per_block_, warps_per_block_);
  describeWarps(resident, resident.hooks.warps);
  return resident;
}

void LaneRun::takeWoken(Resident& resident) {
  std::vector<ClusterState::Woken>& woken = resident.block.cluster().woken;
  for (const ClusterState::Woken& each : woken)
    (resident.team == nullptr ? resident : *resident.team->blocks[each.rank]).waits[each.warp] = false;
  woken.clear();
}

void LaneRun::describeWarps(Resident& resident, std::span<LoggedWarp> warps) const {
  const auto& at = resident.block.state().block_index;
  for (uint32_t i = 0; i < resident.block.warpCount(); ++i) {
    const Warp& warp = resident.block.warp(i);
    LoggedWarp& logged = warps[i];
    logged.block = BlockId{resident.block.index()};
    logged.block_index = {at[0], at[1], at[2]};
    logged.warp_in_block = i;
    logged.live = LaneMask{warp.live};
    for (LaneMask rest = logged.live; !rest.empty(); rest.bits &= rest.bits - 1) {
      const auto lane = static_cast<size_t>(rest.lowest());
      logged.threads[lane] = {warp.thread_index[0][lane], warp.thread_index[1][lane],
                              warp.thread_index[2][lane]};
    }
  }
}

void LaneRun::runWarp(Resident& resident, uint32_t index) {
  Block& block = resident.block;
  Warp& warp = block.warp(index);
  const uint64_t before = warp.instructions;
  const Stop stop = block.runWarp(warp, resident.hooks, kTurnInstructions);
  executed_ += warp.instructions - before;
  resident.waits[index] = stop == Stop::kBarrier || stop == Stop::kExited;
  if (stop == Stop::kMemory) block.finishMemory(warp, resident.hooks);
  for (const uint32_t released : block.released()) resident.waits[released] = false;
  block.released().clear();
  takeWoken(resident);
}

// Lets each warp that can run take one turn. Returns false when none can, or when a fault ended the run.
bool LaneRun::turn() {
  bool ran = false;
  for (auto& resident : residents_) {
    for (uint32_t i = 0; i < resident->block.warpCount(); ++i) {
      if (resident->waits[i]) continue;
      ran = true;
      runWarp(*resident, i);
      if (const Fault* fault = resident->block.fault()) {
        log_.ended_early = fault->message;
        return false;
      }
    }
  }
  if (!ran) {
    for (auto& resident : residents_) {
      if (!resident->block.cluster().timeOut()) continue;
      takeWoken(*resident);
      return true;
    }
    const auto stuck = std::ranges::find_if(residents_, [](auto& each) { return !each->block.done(); });
    if (stuck != residents_.end()) {
      log_.ended_early = fmt::format("no warp of block {} can go on: {}", (*stuck)->block.index(),
                                     (*stuck)->block.waiting());
    }
  }
  return ran;
}

bool LaneRun::loggedBlocksDone() const {
  return std::ranges::all_of(residents_, [](auto& each) { return !each->logged || each->block.done(); });
}

bool LaneRun::logIsFull() const {
  return std::ranges::all_of(log_.warps, [](const LoggedWarp& warp) { return warp.dropped > 0; });
}

// Counts how often warps repeated the same request in a spin loop.
uint64_t LaneRun::spins() {
  uint64_t sum = 0;
  for (auto& resident : residents_) {
    for (uint32_t i = 0; i < resident->block.warpCount(); ++i) sum += resident->block.warp(i).spins;
  }
  return sum;
}

// Admits as many further blocks as are resident now.
void LaneRun::admitMore() {
  for (size_t wanted = residents_.size(); wanted > 0 && next_other_ < blocks_; ++next_other_) {
    if (next_other_ >= first_ && next_other_ < end_) continue;
    admit(next_other_);
    --wanted;
  }
}

Expected<LaneLog> LaneRun::run(const std::stop_token& stop) {
  uint64_t spins_before = 0;
  while (!loggedBlocksDone()) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "recording the lanes was cancelled");
    if (!turn()) break;
    std::erase_if(residents_,
                  [](auto& each) { return !each->logged && each->team == nullptr && each->block.done(); });
    const uint64_t spins_now = spins();
    if (spins_now > spins_before) admitMore();
    spins_before = spins_now;
    if (logIsFull()) {
      log_.ended_early = fmt::format("every warp had done {} steps", formatCount(limit_));
      break;
    }
    if (executed_ > kMostInstructions) {
      log_.ended_early = fmt::format("{} instructions were executed", formatCount(kMostInstructions));
      break;
    }
  }
  return std::move(log_);
}

}  // namespace

Expected<LaneLog> recordLanes(const Launch& launch, const LaneLogOptions& options,
                              const std::stop_token& stop) {
  if (auto valid = validateLaunch(launch); !valid) return tl::unexpected(valid.error());
  if (options.first_block >= launch.grid.count()) {
    return fail(ErrorKind::kBadRequest, "there is no block {}: the grid has {}", options.first_block,
                formatCount(static_cast<int64_t>(launch.grid.count())));
  }
  return LaneRun(launch, options).run(stop);
}

}  // namespace warpscope::sim
