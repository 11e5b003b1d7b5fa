// The panels around the views. Each draws into the current Dear ImGui window.
#pragma once

#include <span>
#include <string>

#include "app/gui/ui.h"
#include "app/gui/window.h"

namespace warpscope {

void drawToolbar(const Ui& ui);
void drawControlsPanel(const Ui& ui);
// One setting, at the cursor: its label, its value, which can be typed, and a slider or a list. `name`: in
// the report, where the same setting may have controls in several panels.
// `offered`: the values to choose from.
void drawParameterControl(const Ui& ui, const ParameterSpec& spec, const std::string& name, float width,
                          const std::vector<int64_t>& offered);
// Why the present settings cannot run here, with a button that changes to the nearest that can. Draws nothing
// if they can.
void drawImpossibleNote(const Ui& ui, float width);
void drawStatusLine(const Ui& ui);
// Reports what failed and what to try, over the views, so that no panel moves. The area is that of the views.
void drawBanner(const Ui& ui, ImVec2 area_min, ImVec2 area_max);
void drawNotice(const Ui& ui, ImVec2 area_min, ImVec2 area_max);
// The list of all keys, where they can be changed; while ui.screen.help_open.
void drawKeyList(const Ui& ui);
void handleKeyInList(const Ui& ui, const KeyPress& press);  // while it is open
// Darkens everything under an overlay, and keeps the mouse from it.
void drawBackdrop(const Ui& ui);
void handleShortcuts(const Ui& ui, std::span<const KeyPress> keys);

// One frame of the window: toolbar, controls and status line around the visible page. Must be called between
// Window::beginFrame and render.
void drawScreen(const Ui& ui, std::span<const KeyPress> keys);

// A table of what theory predicts for the present settings, beside what the run shows: at the cursor, as wide
// as there is room. Draws nothing if theory predicts nothing.
void drawTheoryTable(const Ui& ui);

// Keeping runs for comparison, from anywhere in the window; the result is reported at the bottom.
void keepShownRun(const Ui& ui);                             // K and its button
void keepVariant(const Ui& ui, const std::string& variant);  // Ctrl and a click on a variant, or its "+"

}  // namespace warpscope
