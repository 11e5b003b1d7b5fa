// Tensor maps of the simulated GPU: the 128 bytes that a kernel is passed, in an encoding of its own, as a
// real GPU's is not documented; and how the box at some coordinates lies in global memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/core/tensor_map.h"

namespace warpscope::sim {

inline constexpr uint32_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

struct TensorMap {
  TensorMapDescription description;
  uint64_t address = 0;  // of the tensor
};

// The map must be possible (checkTensorMap). The tensor's address is one of the aligned 64-bit words.
std::vector<std::byte> encodeTensorMap(const TensorMap& map);
// nullopt: these bytes are not a tensor map's.
std::optional<TensorMap> decodeTensorMap(std::span<const std::byte, kTensorMapBytes> bytes);

// The box that one copy moves.
struct TensorTile {
  TensorMap map;
  std::array<int32_t, TensorMapDescription::kMostRank> at{};  // its first element, innermost first

  // What a row of the box has inside of the tensor: bytes [begin, end) of it, which are at `global`. The rest
  // of the row is outside.
  struct Row {
    uint32_t begin = 0, end = 0;
    uint64_t global = 0;
    uint32_t bytes() const { return end - begin; }
  };
  // Calls use(index, row) for each row of the box, in the order in which they follow one another in shared
  // memory, until it returns false. Returns whether it never did.
  template <class Use>
  bool forEachRow(const Use& use) const;
};

template <class Use>
bool TensorTile::forEachRow(const Use& use) const {
  const TensorMapDescription& of = map.description;
  const auto size = static_cast<int64_t>(of.sizes[0]), element = int64_t{of.elementBytes()};
  const int64_t first = std::clamp<int64_t>(-int64_t{at[0]}, 0, of.box[0]);
  const int64_t last = std::clamp<int64_t>(size - at[0], first, of.box[0]);
  std::array<uint32_t, TensorMapDescription::kMostRank> row{};  // row[0] stays 0
  for (uint32_t index = 0;; ++index) {
    bool inside = true;
    uint64_t global = map.address + static_cast<uint64_t>((at[0] + first) * element);
    for (uint32_t i = 1; i < of.rank; ++i) {
      const int64_t coordinate = int64_t{at[i]} + row[i];
      inside = inside && coordinate >= 0 && coordinate < static_cast<int64_t>(of.sizes[i]);
      global += static_cast<uint64_t>(coordinate) * of.strides[i - 1];
    }
    Row found;
    if (inside && first < last)
      found = {static_cast<uint32_t>(first * element), static_cast<uint32_t>(last * element), global};
    if (!use(index, found)) return false;
    uint32_t next = 1;
    while (next < of.rank && ++row[next] == of.box[next]) row[next++] = 0;
    if (next >= of.rank) return true;
  }
}

}  // namespace warpscope::sim
