#include "app/gui/fold_row.h"

#include <algorithm>
#include <utility>

#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr const char* kMore = "…";

float needOf(const std::vector<FoldItem>& items, const std::vector<bool>& folded, float more) {
  float sum = 0;
  bool first = true, any = false;
  for (size_t i = 0; i < items.size(); ++i) {
    any = any || (folded[i] && !items[i].spring);
    if (folded[i] || items[i].spring) continue;
    sum += items[i].least + (first ? 0 : items[i].gap);
    first = false;
  }
  return sum + (any ? more : 0);
}

}  // namespace

std::vector<std::optional<float>> foldedWidths(const std::vector<FoldItem>& items, float room, float more) {
  std::vector<bool> folded;
  folded.reserve(items.size());
  for (const FoldItem& item : items) folded.push_back(item.folded);
  while (needOf(items, folded, more) > room) {
    size_t next = items.size();
    for (size_t i = 0; i < items.size(); ++i) {
      if (folded[i] || items[i].spring || items[i].rank == 0) continue;
      if (next == items.size() || items[i].rank >= items[next].rank) next = i;
    }
    if (next == items.size()) break;
    folded[next] = true;
  }
  float spare = std::max(0.0F, room - needOf(items, folded, more));
  std::vector<std::optional<float>> widths(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    if (folded[i] || items[i].spring) continue;
    const float extra = std::clamp(items[i].width - items[i].least, 0.0F, spare);
    widths[i] = items[i].least + extra;
    spare -= extra;
  }
  const auto spring = std::ranges::find(items, true, &FoldItem::spring);
  if (spring != items.end() && spare - spring->gap >= std::max(spring->least, 1.0F)) {
    widths[static_cast<size_t>(spring - items.begin())] = spare - spring->gap;
  }
  return widths;
}

FoldItem fixedItem(float width, int rank, float gap, std::function<void(float width)> draw) {
  return {.least = width, .width = width, .gap = gap, .rank = rank, .draw = std::move(draw)};
}

float drawFoldingRow(const Ui& ui, const std::string& name, float room, const std::vector<FoldItem>& items) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float more = buttonWidth(kMore) + gap;
  const auto widths = foldedWidths(items, room, more);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  float x = at.x;
  bool folds = false, first = true;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!widths[i]) {
      folds = folds || !items[i].spring;
      continue;
    }
    if (!first) x += items[i].gap;
    first = false;
    ImGui::SetCursorScreenPos({x, at.y});
    items[i].draw(*widths[i]);
    x += *widths[i];
  }
  if (folds) {
    const std::string popup = name + ".menu";
    ImGui::SetCursorScreenPos({x + gap, at.y});
    if (button(ui, name + ".more", kMore)) ImGui::OpenPopup(popup.c_str());
    x = ImGui::GetItemRectMax().x;
    const ImVec2 below(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.px(3));
    helpTooltip(ui, name + ".more", "", tr("What has no room here."));
    ImGui::SetNextWindowPos(below, ImGuiCond_Appearing, {0, 0});
    ImGui::SetNextWindowSizeConstraints(
        {0, 0}, {ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y - below.y});
    if (ImGui::BeginPopup(popup.c_str())) {
      for (size_t i = 0; i < items.size(); ++i) {
        if (!widths[i] && !items[i].spring) items[i].draw(std::max(items[i].width, items[i].least));
      }
      ImGui::EndPopup();
    }
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({room, ImGui::GetFrameHeight()});
  return x;
}

}  // namespace warpscope
