// The broken family: what theory predicts.
#include <cmath>

#include "kernels/experiments/broken/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::broken {

std::string insteadOfAllocations() {
  return "this device has no allocations on streams (CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, a driver of "
         "CUDA 11.2 or later): the memory was allocated before the operations and freed after them instead";
}

std::vector<Prediction> theory(const RunRequest& request, const VariantInfo& variant,
                               const DeviceLimits& limits) {
  const size_t planted = variant.planted ? variant.planted->code.size() : 0;
  std::vector<Prediction> predictions = {
      {.label = "Hazards that the checks find",
       .reason = planted > 0 ? "the lines that were broken" : "nothing is wrong with it",
       .predicted = static_cast<double>(planted),
       .measure = [](const Run& run) -> std::optional<double> {
         if (!run.hazards) return std::nullopt;
         return static_cast<double>(run.hazards->size());
       }}};
  if (request.variant == "missing_syncthreads" && request.parameters.at("size") == 1) {
    predictions.front().predicted = 0;
    predictions.front().reason = "a single thread waits for nobody";
  }
  if (request.variant == "wrong_transaction_count" && request.parameters.at("size") < 4) {
    predictions.front().predicted = 0;
    predictions.front().reason = "a bulk copy has at least 16 bytes: nothing is copied";
  }
  if (request.variant == "missing_stream_wait")
    predictions.front().reason = "the launch reads what the copy writes, and no event orders the two";
  if (request.variant == "use_after_free") {
    predictions.front().reason = "the launch reads memory that is freed, and no event orders the two";
    // Without allocations on streams nothing is freed either.
    if (!limits.memory_pools) predictions.front().predicted = 0;
  }
  const bool pad_missing = request.variant == "missing_pad";
  if (pad_missing || request.variant == "padded") {
    const auto size = static_cast<double>(request.parameters.at("size"));
    // The last tile may hold less than 32 values a column.
    const double tiles = std::ceil(size / (kTile * kTile));
    const bool whole = std::fmod(size, kTile * kTile) == 0;
    predictions.push_back({.label = "Wavefronts for a read",
                           .unit = "wavefronts",
                           .reason = pad_missing ? "the 32 words of a column lie in one bank"
                                                 : "the 32 words of a column lie in 32 banks",
                           .predicted = pad_missing ? static_cast<double>(kTile) : 1.0,
                           .tolerance = whole || !pad_missing ? 0 : 1 / tiles,
                           .measure = countedPer("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                                 "smsp__inst_executed_op_shared_ld.sum")});
  }
  return predictions;
}

}  // namespace warpscope::broken
