// The texts that the engine passes to the window, which shows them translated: those of families, warp
// states, counters and devices. They are not in any tr() of the window's code.
#pragma once

#include <string>
#include <vector>

namespace warpscope::testing {

struct ShownText {
  std::string text;
  std::string where;      // "divergence.even_odd.summary"
  std::string context;    // msgctxt, for words with another meaning elsewhere
  bool finished = false;  // includes numbers: only its format is translated
};

// In the order of the families; each text once.
std::vector<ShownText> shownTexts();

}  // namespace warpscope::testing
