// The program's report on itself, for tests: where its widgets are, what they say and what it shows, as JSON.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "viz/views/view.h"

namespace warpscope {

class Focus;
class Json;

class Report : public WidgetReport {
 public:
  // A widget that Dear ImGui knows: what clips it, and whether scrolling shows what is clipped.
  struct Item {
    std::string name;
    ImVec4 area, clip;  // x0, y0, x1, y1
    bool scrolls_x = false, scrolls_y = false;
  };

  // Rectangles of this frame; if a name is reported more than once, the last counts.
  void widget(const std::string& name, ImVec2 min, ImVec2 max) override;
  void widgetOfLastItem(const std::string& name);  // Dear ImGui's last item
  void text(const std::string& name, const std::string& text) override { texts_[name] = text; }
  void clear() {
    before_ = std::exchange(widgets_, {});
    texts_.clear();
    items_.clear();
  }
  using Rectangles = std::map<std::string, std::array<float, 4>>;
  const Rectangles& before() const { return before_; }  // of the frame before
  // Hears of widgets that can be used, and of the panels of views; may be null.
  Focus* focus = nullptr;
  // The items of this frame, in the order in which they were drawn.
  const std::vector<Item>& items() const { return items_; }
  // {x0, y0, x1, y1}; null if the widget was not drawn in this frame.
  const std::array<float, 4>* find(const std::string& name) const;

  Json json(uint64_t frame, const Json& state) const;

 private:
  void addItem(const std::string& name, ImVec2 min, ImVec2 max);

  Rectangles widgets_, before_;
  std::map<std::string, std::string> texts_;
  std::vector<Item> items_;
};

}  // namespace warpscope
