#include "app/gui/report.h"

#include <imgui_internal.h>

#include <utility>

#include "app/gui/focus.h"
#include "kernels/core/json.h"

namespace warpscope {
namespace {

// The last item is one that can be used: right after a window begins, it is the window itself, a tooltip as
// well.
bool isControl() {
  const ImGuiID item = ImGui::GetItemID();
  return item != 0 && item != ImGui::GetCurrentWindowRead()->MoveId;
}

}  // namespace

void Report::widget(const std::string& name, ImVec2 min, ImVec2 max) {
  widgets_[name] = {min.x, min.y, max.x, max.y};
  const ImVec2 item_min = ImGui::GetItemRectMin(), item_max = ImGui::GetItemRectMax();
  if (min.x == item_min.x && min.y == item_min.y && max.x == item_max.x && max.y == item_max.y)
    addItem(name, min, max);
  if (focus == nullptr) return;
  // The reported rectangle may be larger than the item: a row, for example, whose button fills a part of it.
  const bool is_item =
      isControl() && item_min.x == min.x && item_min.y == min.y && item_max.x <= max.x && item_max.y <= max.y;
  if (is_item || name.starts_with("view.")) focus->add(name, min, max, !is_item);
}

// A popup is a window of its own; a child scrolls if its parent does.
void Report::addItem(const std::string& name, ImVec2 min, ImVec2 max) {
  Item item{.name = name, .area = {min.x, min.y, max.x, max.y}};
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  item.clip = window->ClipRect.ToVec4();
  for (; window != nullptr;
       window = (window->Flags & ImGuiWindowFlags_ChildWindow) != 0 ? window->ParentWindow : nullptr) {
    if ((window->Flags & ImGuiWindowFlags_NoScrollWithMouse) != 0) continue;
    item.scrolls_x = item.scrolls_x || window->ScrollMax.x > 0;
    item.scrolls_y = item.scrolls_y || window->ScrollMax.y > 0;
  }
  items_.push_back(std::move(item));
}

void Report::widgetOfLastItem(const std::string& name) {
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  widgets_[name] = {min.x, min.y, max.x, max.y};
  addItem(name, min, max);
  if (focus != nullptr && isControl()) focus->add(name, min, max, false);
}

const std::array<float, 4>* Report::find(const std::string& name) const {
  const auto found = widgets_.find(name);
  return found == widgets_.end() ? nullptr : &found->second;
}

Json Report::json(uint64_t frame, const Json& state) const {
  return {{"frame", frame}, {"widgets", widgets_}, {"texts", texts_}, {"state", state}};
}

}  // namespace warpscope
