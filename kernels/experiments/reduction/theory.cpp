// The reduction family: what theory predicts.
#include <algorithm>
#include <bit>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/reduction/methods.h"
#include "kernels/experiments/reduction/regions.h"

namespace warpscope::reduction {
namespace {

constexpr uint32_t kWarp = kWarpSize;

uint64_t ceilDivide(uint64_t of, uint64_t by) {
  return (of + by - 1) / by;
}

// The additions of a tree, warp by warp.
struct Additions {
  uint64_t warps = 0, lanes = 0;  // warps that add in a step, summed over the steps; their lanes
};

// The additions of a block whose tree has `count` elements.
Additions additionsOf(const Settings& settings, uint32_t count) {
  const std::string& variant = settings.request.variant;
  const bool upwards = variant == "neighbored" || variant == "neighbored_less";
  const bool last_warp_apart = variant == "unroll_warps8" || variant.starts_with("complete_unroll");
  uint32_t least = 1;  // smallest stride; the last warp handles smaller ones
  if (last_warp_apart) least = 64;
  if (variant == "syncwarp" || variant == "shuffle" || variant == "cooperative_groups") least = 32;
  const uint32_t largest = std::bit_ceil(settings.block) / 2;
  Additions sum;
  for (uint32_t stride = upwards ? 1 : largest; upwards ? stride <= largest : stride >= least && stride > 0;
       stride = upwards ? stride * 2 : stride / 2) {
    for (uint32_t warp = 0; warp < settings.block / kWarp; ++warp) {
      uint64_t lanes = 0;
      for (uint32_t thread = warp * kWarp; thread < (warp + 1) * kWarp; ++thread) {
        bool adds = thread < stride && thread + stride < count;
        if (variant == "neighbored") adds = thread % (2 * stride) == 0 && thread + stride < count;
        if (variant == "neighbored_less") adds = 2 * stride * thread + stride < count;
        if (adds) ++lanes;
      }
      sum.lanes += lanes;
      if (lanes > 0) ++sum.warps;
    }
  }
  return sum;
}

// The lanes of a warp that add at the same time: how much of the warp a step uses.
Prediction lanesThatAdd(const Settings& settings) {
  const uint64_t chunk = uint64_t{settings.block} * settings.elements;
  const uint64_t full = settings.size / chunk;
  const auto left = static_cast<uint32_t>(std::min<uint64_t>(settings.size % chunk, settings.block));
  // A tile is padded with zeros, which are added, too.
  const Additions whole = additionsOf(settings, settings.block);
  const Additions last = left == 0 ? Additions{} : settings.method.tile ? whole : additionsOf(settings, left);
  const uint64_t warps = full * whole.warps + last.warps, lanes = full * whole.lanes + last.lanes;
  return {.label = "Lanes of a warp that add together",
          .unit = "lanes",
          .reason = "the threads that the step's condition lets through, in warps of 32",
          .predicted = warps == 0 ? 0 : static_cast<double>(lanes) / static_cast<double>(warps),
          .measure = lanesASpan(RegionId{kAdd})};
}

// Block barriers after loading, per warp of a block.
Prediction barriers(const Settings& settings) {
  const std::string& variant = settings.request.variant;
  auto steps = static_cast<int>(std::bit_width(settings.block - 1));
  std::string reason = "one a step: log2 of the block size, rounded up";
  if (variant == "unroll_warps8" || variant.starts_with("complete_unroll")) {
    steps = std::max(steps - 6, 0);
    reason = "one a step until 64 elements are left";
  } else if (variant == "syncwarp" || variant == "shuffle" || variant == "cooperative_groups") {
    steps = std::max(steps - 5, 0);
    reason = "one a step until 32 elements are left";
  } else if (!settings.method.in_place && !settings.method.tile) {
    steps = 1;
    reason = "the warps' sums go to the first warp";
  }
  return {.label = "Barriers of the block after loading",
          .unit = "a warp",
          .reason = std::move(reason),
          .predicted = static_cast<double>(steps),
          .measure = spansAWarp(RegionId{kBarrier})};
}

Prediction atomics(uint64_t requests, const char* reason) {
  return {.label = "Atomic requests that reach L2",
          .unit = "requests",
          .reason = reason,
          .predicted = static_cast<double>(requests),
          .measure = counted({"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                              "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"})};
}

Prediction loads(const Settings& settings, uint32_t blocks) {
  const bool vectors = settings.request.variant == "grid_stride_vec4";
  uint64_t requests = ceilDivide(settings.size, kWarp);
  if (vectors) requests = ceilDivide(settings.size / 4, kWarp) + (settings.size % 4 > 0 ? 1 : 0);
  const bool adds_partials = settings.method.end == End::kLastBlock;
  if (adds_partials) requests += ceilDivide(blocks, kWarp);
  const char* reason = "32 lanes x 4 bytes each";
  if (adds_partials) reason = "32 lanes x 4 bytes each, and the blocks' sums once";
  if (vectors) reason = "32 lanes x 16 bytes each, and the blocks' sums once";
  return {.label = "Load requests",
          .unit = "requests",
          .reason = reason,
          .predicted = static_cast<double>(requests),
          .measure = counted({"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"})};
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits) {
  const Settings settings(request);
  const uint32_t blocks = settings.blocksOn(limits);
  if (settings.method.in_place || settings.method.tile) return {lanesThatAdd(settings), barriers(settings)};
  if (request.variant == "warp_shuffle_two_level" || request.variant == "redux") {
    return {barriers(settings), loads(settings, blocks)};
  }
  if (request.variant == "atomic_per_thread") {
    return {atomics(ceilDivide(settings.size, kWarp), "one a warp, of up to 32 lanes that add to one word")};
  }
  switch (settings.method.end) {
    case End::kAtomics:
      return {atomics(blocks, "one a block"), barriers(settings)};
    case End::kLastBlock:
      return {atomics(blocks, "one ticket a block"), loads(settings, blocks)};
    case End::kGridBarrier:
      return {atomics(blocks, "each block arrives once at the barrier")};
    default:
      return {loads(settings, blocks), barriers(settings)};
  }
}

}  // namespace warpscope::reduction
