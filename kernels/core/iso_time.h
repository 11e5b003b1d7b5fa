// The time of day in the form in which recordings and manifests store it.
#pragma once

#include <string>

namespace warpscope {

// "2026-11-21T09:30:00Z": ISO 8601, UTC, to the second.
std::string nowIso();

}  // namespace warpscope
