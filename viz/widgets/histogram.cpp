#include "viz/widgets/histogram.h"

#include <algorithm>

namespace warpscope {

std::optional<size_t> drawHistogram(const Theme& theme, std::span<const Distribution::Bin> bins, ImVec2 size,
                                    ImU32 colour) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float bottom = at.y + size.y;
  list.AddLine({at.x, bottom}, {at.x + size.x, bottom}, theme.border);
  if (bins.empty()) return std::nullopt;
  uint64_t most = 1;
  for (const Distribution::Bin& bin : bins) most = std::max(most, bin.count);
  const float width = size.x / static_cast<float>(bins.size());
  std::optional<size_t> hovered;
  if (ImGui::IsItemHovered()) {
    const float share = (ImGui::GetIO().MousePos.x - at.x) / width;
    hovered = std::min(bins.size() - 1, static_cast<size_t>(std::max(0.0F, share)));
  }
  for (size_t i = 0; i < bins.size(); ++i) {
    const float x0 = at.x + width * static_cast<float>(i), x1 = x0 + std::max(1.0F, width - 1);
    if (hovered == i) list.AddRectFilled({x0, at.y}, {x1, bottom}, withAlpha(theme.accent, 0.25F));
    if (bins[i].count == 0) continue;
    // Even a single value must be visible.
    const float height =
        std::max(theme.px(1.5F), size.y * static_cast<float>(bins[i].count) / static_cast<float>(most));
    list.AddRectFilled({x0, bottom - height}, {x1, bottom}, colour);
  }
  return hovered;
}

}  // namespace warpscope
