// The context for drawing: colours and fonts, and a report of where the widgets are.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "viz/widgets/theme.h"

namespace warpscope {

// Names rectangles of widgets, for tests and screenshots of one view; see app/gui/report.h.
class WidgetReport {
 public:
  virtual ~WidgetReport() = default;
  virtual void widget(const std::string& name, ImVec2 min, ImVec2 max) = 0;
  virtual void text(const std::string& /*name*/, const std::string& /*text*/) {}  // what that widget says
};

struct ShownItem;  // viz/layout/shown_item.h

// The base of what views, plots, the lab and comparisons are given. None is null while something is drawn.
struct Canvas {
  const Theme* theme = nullptr;
  const Fonts* fonts = nullptr;
  WidgetReport* report = nullptr;
  // A right click on something with numbers: offers to pin and to copy it.
  std::function<void(const ShownItem&)> pick = [](const ShownItem&) {};
  // What a text calls an action by: its keys, as the user has set them, or its name.
  std::function<std::string(std::string_view)> keys = [](std::string_view id) { return std::string(id); };
};

}  // namespace warpscope
