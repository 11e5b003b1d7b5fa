// A run that is difficult to write to any format.
#pragma once

#include "tests/support/synthetic_trace.h"

namespace warpscope::testing {

// Names with markup, quotes, commas, line breaks and bytes that are not UTF-8; an unknown clock rate;
// problems, hazards, a wrong result, lost events and a region that the run does not describe.
Run makeAwkwardRun();

inline constexpr const char* kAwkwardName = "<b>&\"odd\",\n'path'\\ \x01</script>";

}  // namespace warpscope::testing
