// A row of widgets that folds: what has no room goes into a menu behind a "…" button at the row's end, so
// that nothing is covered or cut off however narrow the window and however large the text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/gui/ui.h"

namespace warpscope {

struct FoldItem {
  float least = 0;  // pixels; the narrowest that can be used
  float width = 0;  // what it takes if there is room; less than `least` counts as `least`
  float gap = 0;    // before it, unless it is the first
  int rank = 0;     // the items with the highest are folded first; 0: never
  std::function<void(float width)> draw;  // at the cursor, in the row or in the menu
  bool spring = false;                    // takes the room that is left; dropped rather than folded
  bool folded = false;                    // whatever room there is
};

// How wide each item is drawn; nullopt: it is folded (or, a spring, dropped). `more`: the width of the button
// of the menu, which is needed as soon as an item is folded.
std::vector<std::optional<float>> foldedWidths(const std::vector<FoldItem>& items, float room, float more);

// Draws the row at the cursor, `room` wide and one frame high. The button is reported as NAME.more. Returns
// where the last widget ends.
float drawFoldingRow(const Ui& ui, const std::string& name, float room, const std::vector<FoldItem>& items);

// An item of a fixed width that does not shrink.
FoldItem fixedItem(float width, int rank, float gap, std::function<void(float width)> draw);

}  // namespace warpscope
