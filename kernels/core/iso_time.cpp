#include "kernels/core/iso_time.h"

#include <fmt/chrono.h>

#include <ctime>

namespace warpscope {

std::string nowIso() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace warpscope
