// A run that is hard on whoever writes it down.
#pragma once

#include "tests/support/synthetic_trace.h"

namespace warpscope::testing {

// Names with markup, quotes, commas, line breaks, bytes that are no UTF-8; a clock that nobody knows;
// problems, hazards, a wrong result, lost events and a region that the run does not describe.
Run makeAwkwardRun();

inline constexpr const char* kAwkwardName = "<b>&\"odd\",\n'path'\\ \x01</script>";

}  // namespace warpscope::testing
