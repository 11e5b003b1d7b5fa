#include "app/gui/report.h"

#include <imgui_internal.h>

#include "app/gui/focus.h"
#include "kernels/core/json.h"

namespace warpscope {

void Report::widget(const std::string& name, ImVec2 min, ImVec2 max) {
  widgets_[name] = {min.x, min.y, max.x, max.y};
  if (focus == nullptr) return;
  const ImVec2 item_min = ImGui::GetItemRectMin(), item_max = ImGui::GetItemRectMax();
  // What is reported may be more than the item, such as a row with the button that fills a part of it.
  const bool is_item = ImGui::GetItemID() != 0 && item_min.x == min.x && item_min.y == min.y &&
                       item_max.x <= max.x && item_max.y <= max.y;
  if (is_item || name.starts_with("view.")) focus->add(name, min, max, !is_item);
}

void Report::widgetOfLastItem(const std::string& name) {
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  widgets_[name] = {min.x, min.y, max.x, max.y};
  if (focus != nullptr && ImGui::GetItemID() != 0) focus->add(name, min, max, false);
}

const std::array<float, 4>* Report::find(const std::string& name) const {
  const auto found = widgets_.find(name);
  return found == widgets_.end() ? nullptr : &found->second;
}

Json Report::json(uint64_t frame, const Json& state) const {
  return {{"frame", frame}, {"widgets", widgets_}, {"texts", texts_}, {"state", state}};
}

}  // namespace warpscope
