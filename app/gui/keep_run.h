// Keeping runs for comparison, from anywhere in the window; the result is reported at the bottom.
#pragma once

#include <string>

#include "app/gui/ui.h"

namespace warpscope {

void keepShownRun(const Ui& ui);                             // K and its button
void keepVariant(const Ui& ui, const std::string& variant);  // Ctrl and a click on a variant, or its "+"

}  // namespace warpscope
