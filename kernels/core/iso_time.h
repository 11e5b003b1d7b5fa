// The time of day as recordings and manifests keep it.
#pragma once

#include <fmt/chrono.h>

#include <ctime>
#include <string>

namespace warpscope {

// "2026-11-21T09:30:00Z": ISO 8601, UTC, to the second.
inline std::string nowIso() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace warpscope
