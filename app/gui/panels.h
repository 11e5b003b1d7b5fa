// The panels around the views. Each draws into the current Dear ImGui window.
#pragma once

#include <span>

#include "app/gui/ui.h"
#include "app/gui/window.h"

namespace warpscope {

void drawToolbar(const Ui& ui);
void drawControlsPanel(const Ui& ui);
void drawStatusLine(const Ui& ui);
// Reports what failed and what to try, over the views, so that no panel moves. The area is that of the views.
void drawBanner(const Ui& ui, ImVec2 area_min, ImVec2 area_max);
void drawNotice(const Ui& ui, ImVec2 area_min, ImVec2 area_max);
void drawHelpOverlay(const Ui& ui);
void handleShortcuts(const Ui& ui, std::span<const KeyPress> keys);

}  // namespace warpscope
