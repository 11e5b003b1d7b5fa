// The time of day as recordings and manifests keep it.
#pragma once

#include <string>

namespace warpscope {

// "2026-11-21T09:30:00Z": ISO 8601, UTC, to the second.
std::string nowIso();

}  // namespace warpscope
