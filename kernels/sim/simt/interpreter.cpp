#include "kernels/sim/simt/interpreter.h"

#include <algorithm>
#include <bit>

#include "kernels/core/launch_limits.h"
#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {
uint32_t warpsOf(const Launch& launch) {
  return static_cast<uint32_t>((launch.block.count() + 31) / 32);
}
}  // namespace

Expected<void> validateGrid(const std::string& kernel, const Dim3& grid) {
  if (const auto wrong = outside(grid, kMaxGrid)) {
    return fail(ErrorKind::kBadRequest,
                "launching {}: a grid of {}x{}x{} has {} blocks in {}; 1 to {} are possible", kernel, grid.x,
                grid.y, grid.z, wrong->asked, wrong->name, wrong->most);
  }
  // Blocks are numbered in 32 bits here. A real device has no such limit.
  if (grid.count() > kMaxGrid.x) {
    return fail(ErrorKind::kBadRequest,
                "launching {}: a grid of {}x{}x{} has {} blocks; at most {} can be simulated", kernel, grid.x,
                grid.y, grid.z, grid.count(), kMaxGrid.x);
  }
  return {};
}

Expected<void> validateCluster(const Launch& launch) {
  const Code& code = *launch.code;
  const Dim3 &size = launch.cluster, &grid = launch.grid;
  const auto text = [](const Dim3& of) { return fmt::format("{}x{}x{}", of.x, of.y, of.z); };
  if (code.required_cluster && size != *code.required_cluster) {
    return fail(ErrorKind::kBadRequest, "kernel {} is made for clusters of {} blocks, not {}", code.kernel,
                text(*code.required_cluster), text(size));
  }
  if (code.explicit_cluster && !launch.explicit_cluster) {
    return fail(ErrorKind::kBadRequest, "kernel {} must be launched with a cluster size", code.kernel);
  }
  const uint32_t most = code.max_cluster_rank == 0 ? kMostClusterBlocks : code.max_cluster_rank;
  if (size.count() == 0 || size.count() > std::min(most, kMostClusterBlocks)) {
    return fail(ErrorKind::kBadRequest,
                "kernel {} cannot have clusters of {} = {} blocks; 1 to {} are possible", code.kernel,
                text(size), size.count(), std::min(most, kMostClusterBlocks));
  }
  if (grid.x % size.x != 0 || grid.y % size.y != 0 || grid.z % size.z != 0) {
    return fail(ErrorKind::kBadRequest,
                "launching {}: a grid of {} blocks cannot be divided into clusters of {}", code.kernel,
                text(grid), text(size));
  }
  return {};
}

Expected<void> validateLaunch(const Launch& launch) {
  const Code& code = *launch.code;
  const uint64_t threads = launch.block.count();
  if (threads == 0 || launch.block.x > 1024 || launch.block.y > 1024 || launch.block.z > 64 ||
      threads > 1024 || threads > code.max_threads_per_block) {
    return fail(ErrorKind::kBadRequest,
                "kernel {} cannot have blocks of {} x {} x {} threads; {} are possible", code.kernel,
                launch.block.x, launch.block.y, launch.block.z, code.max_threads_per_block);
  }
  if (auto possible = validateGrid(code.kernel, launch.grid); !possible) return possible;
  if (auto possible = validateCluster(launch); !possible) return possible;
  if (launch.parameters.size() < code.parameter_bytes) {
    return fail(ErrorKind::kBadRequest, "kernel {} takes {} bytes of parameters, not {}", code.kernel,
                code.parameter_bytes, launch.parameters.size());
  }
  if (launch.dynamic_shared_bytes > (1U << 20)) {
    return fail(ErrorKind::kBadRequest, "kernel {} cannot have {} bytes of dynamic shared memory",
                code.kernel, launch.dynamic_shared_bytes);
  }
  return {};
}

Block::State::State(const Launch& of)
    : launch(of), code(*of.code), storage(warpsOf(of) * Warp::storageBytes(code)) {
  const uint32_t count = warpsOf(of);
  warps.reserve(count);
  for (uint32_t i = 0; i < count; ++i) warps.emplace_back(storage).prepare(code, i, of.block);
}

Block::Block(const Launch& launch, uint32_t linear_index, uint32_t smid, uint32_t first_hardware_slot)
    : state_(std::make_unique<State>(launch)) {
  State& state = *state_;
  const uint32_t static_bytes = (state.code.static_shared_bytes + 15) / 16 * 16;
  state.shared_bytes = launch.dynamic_shared_bytes == 0 ? state.code.static_shared_bytes
                                                        : static_bytes + launch.dynamic_shared_bytes;
  state.shared.resize((size_t{state.shared_bytes} + 7) / 8);
  restart(linear_index, smid, first_hardware_slot);
}

Block::~Block() = default;
Block::Block(Block&&) noexcept = default;

void Block::restart(uint32_t linear_index, uint32_t smid, uint32_t first_hardware_slot) {
  State& state = *state_;
  const Launch& launch = state.launch;
  state.index = linear_index;
  state.smid = smid;
  state.block_index = {linear_index % launch.grid.x, linear_index / launch.grid.x % launch.grid.y,
                       static_cast<uint32_t>(linear_index / (uint64_t{launch.grid.x} * launch.grid.y))};
  std::fill(state.shared.begin(), state.shared.end(), 0);
  state.alone.restart();
  state.alone.blocks.assign(1, &state);
  state.cluster = &state.alone;
  state.rank = 0;
  state.mbarriers.clear();
  state.barriers = {};
  state.open_barriers = 0;
  state.released.clear();
  state.warps_done = 0;
  state.threads_left = 0;
  state.fault.reset();
  const uint32_t slots = std::max(launch.max_warps_per_sm, 1U);
  for (Warp& warp : state.warps) {
    warp.start(smid, (first_hardware_slot + warp.index_in_block) % slots);
    state.threads_left += static_cast<uint32_t>(std::popcount(warp.live));
  }
}

void Block::join(ClusterState& cluster, std::span<Block* const> blocks) {
  cluster.restart();
  for (Block* block : blocks) {
    block->state_->cluster = &cluster;
    block->state_->rank = static_cast<uint32_t>(cluster.blocks.size());
    cluster.blocks.push_back(block->state_.get());
  }
}
ClusterState& Block::cluster() {
  return *state_->cluster;
}

const Launch& Block::launch() const {
  return state_->launch;
}
uint32_t Block::index() const {
  return state_->index;
}
uint32_t Block::warpCount() const {
  return static_cast<uint32_t>(state_->warps.size());
}
Warp& Block::warp(uint32_t i) {
  return state_->warps[i];
}
std::byte* Block::shared() {
  return state_->sharedBytes();
}
uint32_t Block::sharedBytes() const {
  return state_->shared_bytes;
}
bool Block::done() const {
  return state_->warps_done == state_->warps.size();
}
std::vector<uint32_t>& Block::released() {
  return state_->released;
}
const Fault* Block::fault() const {
  return state_->fault ? &*state_->fault : nullptr;
}
std::string Block::waiting() const {
  return state_->waiting();
}

}  // namespace warpscope::sim
