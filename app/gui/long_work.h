// Work that takes a while (launches, sweeps, files), shown in the same way wherever it is: what it is, how
// much is done, how long it will still take, and a button that stops it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/gui/ui.h"

namespace warpscope {

struct LongWork {
  std::string name;  // in reports: "work.sweep"
  std::string label;
  std::optional<double> fraction, seconds_left;  // absent: unknown
  const char* action = nullptr;                  // of the button, translated
  std::string help;                              // its tooltip
  std::function<void()> act;
};

// What the reader should know of now: a file, a sweep that asks or runs, or a launch; nullopt: nothing that
// takes long.
std::optional<LongWork> longWork(const Ui& ui);
// "12 of 17 runs   43 %, about 8 s left"
std::string longWorkText(const LongWork& work);
// Draws at the cursor, one frame high and at most `room` wide; returns its width.
float drawLongWork(const Ui& ui, const LongWork& work, float room);
float longWorkWidth(const Ui& ui, const LongWork& work);

}  // namespace warpscope
