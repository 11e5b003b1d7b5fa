// The search field over the picture (Ctrl+P): what it finds is in FindState, where the keyboard reaches it.
#pragma once

#include "app/gui/find/find_index.h"
#include "app/gui/window.h"

namespace warpscope {

class Finder {
 public:
  void draw(const Ui& ui);

 private:
  void search(const Ui& ui);
  void accept(const Ui& ui);
  bool drawBox(const Ui& ui);  // true: a click beside the box closes it
  void drawField(const Ui& ui) const;
  void drawRows(const Ui& ui, float height);
  void drawEffect(const Ui& ui) const;

  FindIndex index_;
};

void openFinder(const Ui& ui);
void handleKeyInFinder(const Ui& ui, const KeyPress& press);  // while it is open

}  // namespace warpscope
