// One frame of the window: toolbar, controls and status line around the page that is seen.
#pragma once

#include <span>

#include "app/gui/ui.h"
#include "app/gui/window.h"

namespace warpscope {

// Between Window::beginFrame and render.
void drawScreen(const Ui& ui, std::span<const KeyPress> keys);

}  // namespace warpscope
