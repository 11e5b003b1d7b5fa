// The texts that the engine hands to the window, which shows them translated: the families', those of warp
// states, counters and devices. They stand in no tr() of the window's code.
#pragma once

#include <string>
#include <vector>

namespace warpscope::testing {

struct ShownText {
  std::string text;
  std::string where;      // "divergence.even_odd.summary"
  std::string context;    // msgctxt, of words that mean something else in another place
  bool finished = false;  // with numbers in it: only its format is translated
};

// In the order of the families; each text once.
std::vector<ShownText> shownTexts();

}  // namespace warpscope::testing
