// What a user puts onto the time axis: two markers with the distance between them, and notes at an instant.
// Plain values, kept by sessions and undone with the settings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/ids.h"

namespace warpscope {

struct WarpKey {
  BlockId block;
  uint32_t warp_in_block = 0;
  bool operator==(const WarpKey&) const = default;
};

struct TimeNote {
  int64_t cycle = 0;            // on the launch axis
  std::optional<WarpKey> warp;  // absent: of the launch as a whole
  std::string text;             // one line
  bool operator==(const TimeNote&) const = default;
};

struct Annotations {
  std::array<std::optional<int64_t>, 2> markers;  // cycles; the second only with the first
  std::vector<TimeNote> notes;

  bool measures() const { return markers[1].has_value(); }
  int64_t distance() const { return measures() ? *markers[1] - *markers[0] : 0; }
  bool operator==(const Annotations&) const = default;
};

// Sets the first marker, then the second; a third press starts anew.
inline void setMarker(Annotations& annotations, int64_t cycle) {
  auto& [first, second] = annotations.markers;
  if (!first || second) {
    first = cycle;
    second.reset();
  } else {
    second = cycle;
  }
}

}  // namespace warpscope
