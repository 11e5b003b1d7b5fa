#include "kernels/backend/modelling_backend.h"

#include <algorithm>
#include <cmath>

namespace warpscope {

bool areUneven(const ModelledBlocks& modelled, uint64_t others_instructions, uint64_t others) {
  const auto mean = [](uint64_t instructions, uint64_t of) {
    return static_cast<double>(instructions) / static_cast<double>(std::max<uint64_t>(of, 1));
  };
  constexpr double kMostDifference = 0.01;
  const double there = mean(others_instructions, others);
  const auto differs = [&](double here) { return std::abs(here - there) > kMostDifference * there; };
  return differs(mean(modelled.instructions, modelled.blocks)) &&
         differs(mean(modelled.instructions - modelled.most - modelled.fewest, modelled.blocks - 2));
}

}  // namespace warpscope
