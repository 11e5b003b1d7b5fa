// What a user sees the first time, and from Help: three things to try, and recent files. Once it was closed
// it does not come by itself again.
#pragma once

#include "app/gui/ui.h"

namespace warpscope {

void openStartPage(const Ui& ui);
void closeStartPage(const Ui& ui);  // and remembers that it was
// Over the views, while it is open.
void drawStartPage(const Ui& ui);

}  // namespace warpscope
