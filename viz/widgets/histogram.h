// A small histogram: a bar for each bin, as high as its count.
#pragma once

#include <optional>
#include <span>

#include "kernels/metrics/selection_metrics.h"
#include "viz/widgets/theme.h"

namespace warpscope {

// Reserves the rectangle as Dear ImGui's last item. Returns the bin under the mouse.
std::optional<size_t> drawHistogram(const Theme& theme, std::span<const Distribution::Bin> bins, ImVec2 size,
                                    ImU32 colour);

}  // namespace warpscope
