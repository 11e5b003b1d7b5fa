// Notes at an instant of the timeline: where they are made, typed and listed.
#pragma once

#include "app/gui/ui.h"

namespace warpscope {

// Keys: a marker or a note at the mouse, which must point at a time axis.
void setMarkerAtMouse(const Ui& ui);
void addNoteAtMouse(const Ui& ui);

// The field in which a note's text is typed, near the note; draws nothing if none is edited.
void drawNoteEditor(const Ui& ui, ImVec2 area_min, ImVec2 area_max);
void closeNoteEditor(const Ui& ui);  // a note without text is removed

// The markers' distance and all notes, as a list in which a click goes there.
void drawNoteList(const Ui& ui);

}  // namespace warpscope
