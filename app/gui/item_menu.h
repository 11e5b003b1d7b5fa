// The menu of a right click on something with numbers (ShownItem): pins it, copies it, goes to its place.
#pragma once

#include <optional>

#include "viz/layout/shown_item.h"

namespace warpscope {

struct Ui;

struct ItemMenu {
  std::optional<ShownItem> item;  // of the open menu
  bool opens = false;             // in the next frame
};

// Opens the menu at the mouse. What the item does not say of its run is that of the shown one if `of_shown`.
void pickItem(const Ui& ui, ShownItem item, bool of_shown);
void drawItemMenu(const Ui& ui);

}  // namespace warpscope
