// One frame of the window: toolbar, controls and status line around the visible page.
#pragma once

#include <span>

#include "app/gui/ui.h"
#include "app/gui/window.h"

namespace warpscope {

// Must be called between Window::beginFrame and render.
void drawScreen(const Ui& ui, std::span<const KeyPress> keys);

}  // namespace warpscope
