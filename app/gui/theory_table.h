// A table of what theory predicts for the present settings, beside what the run shows.
#pragma once

#include "app/gui/ui.h"

namespace warpscope {

void drawTheoryTable(
    const Ui& ui);  // at the cursor, as wide as there is room; nothing if theory predicts nothing

}  // namespace warpscope
