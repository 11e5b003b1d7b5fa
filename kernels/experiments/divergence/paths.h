// The constants of the FMA chains, shared by kernels and reference. |scale| is a little below 1: values stay
// bounded, yet after 4,096 FMAs still depend on how many there were.
#pragma once

#include <cstdint>

namespace warpscope::divergence {

constexpr float kFirstScale = 0.9995F, kFirstOffset = 0.25F;
constexpr float kSecondScale = -0.9995F, kSecondOffset = 0.75F;
constexpr float kWayScale = 0.9995F, kWayOffsetStep = 0.015625F;  // way w adds (w + 1) steps
constexpr uint32_t kMaxWays = 32;

}  // namespace warpscope::divergence
