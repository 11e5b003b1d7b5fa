// The occupancy family: what theory predicts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/ids.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/occupancy/shape.h"

namespace warpscope::occupancy {
namespace {

uint32_t number(const RunRequest& request, const char* name) {
  return static_cast<uint32_t>(request.parameters.at(name));
}

uint32_t roundedUp(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

// The limit that allows the fewest blocks, as a number and in words.
struct Fit {
  uint32_t blocks = 0;
  std::string reason;
};

Fit fitOf(const DeviceLimits& limits, uint32_t block_warps) {
  const uint32_t warps = limits.max_threads_per_sm / kWarpSize;
  Fit fit{warps / block_warps, fmt::format("{} warps of an SM / {} of a block", warps, block_warps)};
  if (limits.max_blocks_per_sm < fit.blocks) {
    fit = {limits.max_blocks_per_sm, fmt::format("{} block slots on an SM", limits.max_blocks_per_sm)};
  }
  return fit;
}

// Registers are allocated per warp, in units of 256, by each of an SM's four sub-partitions.
void limitByRegisters(Fit& fit, const DeviceLimits& limits, uint32_t registers, uint32_t block_warps) {
  const uint32_t per_warp = roundedUp(registers * kWarpSize, 256);
  const uint32_t warps = limits.registers_per_sm / 4 / per_warp * 4;
  if (warps / block_warps < fit.blocks) {
    fit = {warps / block_warps,
           fmt::format("registers for {} warps / {} warps of a block", warps, block_warps)};
  }
}

void limitByShared(Fit& fit, const DeviceLimits& limits, uint32_t bytes) {
  const uint32_t unit = limits.compute_capability.major >= 8 ? 128 : 256;
  const uint32_t taken = roundedUp(bytes + limits.shared_bytes_reserved_per_block, unit);
  if (taken > 0 && limits.shared_bytes_per_sm / taken < fit.blocks) {
    fit = {limits.shared_bytes_per_sm / taken,
           fmt::format("{} bytes of shared memory / {} of a block, {} reserved", limits.shared_bytes_per_sm,
                       bytes, limits.shared_bytes_reserved_per_block)};
  }
}

Prediction blocksThatFit(const Fit& fit) {
  return {.label = "Blocks that fit on an SM",
          .unit = "blocks",
          .reason = fit.reason,
          .predicted = static_cast<double>(fit.blocks),
          .measure = [](const Run& run) -> std::optional<double> { return run.occupancy.blocks_per_sm; }};
}

// The share of the SMs' block slots that was in use over the launch, if the launch was recorded completely.
std::optional<double> placesTaken(const Run& run, double places_for_warps) {
  if (run.trace.unrecorded_warps > 0 || run.trace.warps.empty()) return std::nullopt;
  if (run.trace.warps.size() * kWarpSize != run.grid.count() * run.block.count()) return std::nullopt;
  double cycles = 0;
  int64_t begin = INT64_MAX, end = INT64_MIN;
  for (const TraceWarp& warp : run.trace.warps) {
    cycles += static_cast<double>(warp.end_cycles - warp.begin_cycles);
    begin = std::min(begin, warp.begin_cycles);
    end = std::max(end, warp.end_cycles);
  }
  if (end <= begin) return std::nullopt;
  return 100 * cycles / (places_for_warps * static_cast<double>(end - begin));
}

std::optional<Prediction> usedByWaves(const RunRequest& request, const DeviceLimits& limits) {
  constexpr uint32_t kEnoughHops = 16;  // with fewer, blocks end before all have begun
  if (number(request, "hops") < kEnoughHops) return std::nullopt;
  const double places = static_cast<double>(number(request, "blocks_per_sm")) * limits.sm_count;
  const double warps = places * number(request, "block") / kWarpSize;
  const double waves = std::max(std::floor(places * number(request, "waves") / 10 + 0.5), 1.0) / places;
  return Prediction{.label = "Share of warp slots in use over the launch",
                    .unit = "%",
                    .reason = fmt::format("{:.2f} waves take as long as {}", waves, std::ceil(waves)),
                    .predicted = 100 * waves / std::ceil(waves),
                    .tolerance = 0.3,
                    .measure = [warps](const Run& run) { return placesTaken(run, warps); }};
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits) {
  if (limits.max_threads_per_sm == 0 || limits.registers_per_sm == 0) return {};  // not known
  const bool small = request.variant == "small_blocks";
  const uint32_t block_warps = number(request, small ? "small_block" : "block") / kWarpSize;
  Fit fit = fitOf(limits, block_warps);
  if (request.variant == "registers") {
    limitByRegisters(fit, limits, kMostRegisters[number(request, "registers")], block_warps);
  } else if (request.variant == "shared_bytes") {
    limitByShared(fit, limits, number(request, "shared_bytes"));
  } else if (request.variant == "tail") {
    fit = {number(request, "blocks_per_sm"), "shared memory leaves no room for more"};
  }
  std::vector<Prediction> predictions = {blocksThatFit(fit)};
  if (request.variant == "tail") {
    if (auto used = usedByWaves(request, limits)) predictions.push_back(std::move(*used));
  }
  return predictions;
}

}  // namespace warpscope::occupancy
