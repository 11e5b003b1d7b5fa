// The transpose family: what theory predicts.
#include <algorithm>
#include <array>
#include <functional>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/transpose/shape.h"

namespace warpscope::transpose {
namespace {

// The number of wavefronts for the 32 words of a warp, all of them different.
double wavefronts(const std::function<uint32_t(uint32_t lane)>& word) {
  std::array<uint32_t, kWarpSize> load{};
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) ++load[word(lane) % kWarpSize];
  return *std::max_element(load.begin(), load.end());
}

// Wavefronts of the first warp's first read of the tile.
double wavefrontsOfRead(const std::string& variant, uint32_t width) {
  return wavefronts([&](uint32_t lane) {
    const uint32_t x = lane % width, y = lane / width;
    if (variant == "shared") return x * width + y;
    if (variant == "shared_padded") return x * (width + 1) + y;
    if (variant == "shared_swizzled") return x * width + (y ^ x);
    constexpr uint32_t kLanes = kVecTile / 4;  // they write a row of the output
    return lane % kLanes * kVecPitch + lane / kLanes * kLanes;
  });
}

Prediction sectors(const char* label, const std::string& operation, double predicted, const char* reason) {
  const std::string global = "_pipe_lsu_mem_global_op_" + operation + ".sum";
  return {.label = label,
          .unit = "sectors",
          .reason = reason,
          .predicted = predicted,
          .measure = countedPer("l1tex__t_sectors" + global, "l1tex__t_requests" + global)};
}

}  // namespace

std::vector<Prediction> theory(const std::string& variant, const Dim3& block, uint32_t rows,
                               uint32_t columns) {
  if (rows % kVecTile != 0 || columns % kVecTile != 0) return {};
  constexpr const char* kTogether = "neighbouring words: 32 of 4 bytes are 4 sectors";
  constexpr const char* kFours = "neighbouring words: 32 lanes of 16 bytes are 16 sectors";
  constexpr const char* kApart = "a row apart, a sector for each row that a warp touches";
  const bool vectors = variant == "copy" || variant == "shared_padded_vec";
  const char* const near = vectors ? kFours : kTogether;
  const double few = vectors ? 16 : 4;
  const bool far_loads = variant == "naive_column", far_stores = variant == "naive_row";
  std::vector<Prediction> predictions = {
      sectors("Sectors a load", "ld", far_loads ? block.x : few, far_loads ? kApart : near),
      sectors("Sectors a store", "st", far_stores ? block.x : few, far_stores ? kApart : near)};
  if (variant.starts_with("shared")) {
    predictions.push_back({.label = "Wavefronts for a read of the tile",
                           .unit = "wavefronts",
                           .reason = "the fullest bank of those in which a warp's 32 words lie",
                           .predicted = wavefrontsOfRead(variant, block.x),
                           .measure = countedPer("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                                 "smsp__inst_executed_op_shared_ld.sum")});
  }
  return predictions;
}

}  // namespace warpscope::transpose
