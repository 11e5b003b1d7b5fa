// Playing a launch: the play head moves along the time axis, by itself or in steps, and everything that shows
// the selected warp follows it.
#pragma once

#include <imgui.h>

#include "viz/layout/play_head.h"

namespace warpscope {

struct KeyPress;
struct Ui;

struct PlaybackState {
  int direction = 0;  // 0: it stands still
  double cycles_per_s = 100;
  PlayStop stop = PlayStop::kRegion;  // what a step goes to
  double last_s = 0;                  // when it was moved last
  // The selection follows the head only when one of these changes, so that the user's own selection stays
  // while the head stands still.
  double followed_cycle = -1;
  const Run* followed_run = nullptr;  // only compared
  uint32_t followed_warp = ~0U;
};

// Plays on, forward or backward; stops if it plays in that direction. The head appears at the left end of
// what is visible.
void play(const Ui& ui, int direction);
void stepPlayHead(const Ui& ui, int direction);
void changePlaySpeed(const Ui& ui, int direction);
void endPlayback(const Ui& ui);
// Once a frame, before it is drawn.
void advancePlayback(const Ui& ui);
// Left and Right step while there is a play head. True: the key was taken.
bool takePlayKey(const Ui& ui, const KeyPress& press);
// The buttons, over the lower edge of the page, while there is a play head.
void drawPlayback(const Ui& ui, ImVec2 area_min, ImVec2 area_max);

}  // namespace warpscope
