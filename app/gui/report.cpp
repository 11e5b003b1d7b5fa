#include "app/gui/report.h"

#include "kernels/core/json.h"

namespace warpscope {

void Report::widget(const std::string& name, ImVec2 min, ImVec2 max) {
  widgets_[name] = {min.x, min.y, max.x, max.y};
}

void Report::widgetOfLastItem(const std::string& name) {
  widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

const std::array<float, 4>* Report::find(const std::string& name) const {
  const auto found = widgets_.find(name);
  return found == widgets_.end() ? nullptr : &found->second;
}

Json Report::json(uint64_t frame, const Json& state) const {
  return {{"frame", frame}, {"widgets", widgets_}, {"texts", texts_}, {"state", state}};
}

}  // namespace warpscope
