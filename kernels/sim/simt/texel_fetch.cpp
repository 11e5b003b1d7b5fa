#include "kernels/sim/simt/texel_fetch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpscope::sim {
namespace {

// One axis of a footprint: one texel, or two neighbours.
struct Taps {
  struct Texel {
    int64_t at = 0;
    bool is_border = false;
  };
  std::array<Texel, 2> texels;
  int32_t second_weight = 0;  // in 1/256
  uint32_t count = 1;
};

// Wrapping and mirroring are for normalized coordinates; for others they mean clamping.
AddressMode modeOf(const ImageDescription& image, size_t axis) {
  const AddressMode mode = image.address[axis];
  const bool periodic = mode == AddressMode::kWrap || mode == AddressMode::kMirror;
  return periodic && !image.normalized_coordinates ? AddressMode::kClamp : mode;
}

Taps::Texel placed(int64_t texel, int64_t size, AddressMode mode) {
  if (texel >= 0 && texel < size) return {texel};
  if (mode == AddressMode::kWrap) return {(texel % size + size) % size};
  return {texel < 0 ? 0 : size - 1, mode == AddressMode::kBorder};
}

// Into 0 .. size texels, but for clamping and the border. What is no number counts as 0.
double inTexels(double coordinate, double size, AddressMode mode, bool normalized) {
  constexpr double kFar = 1e9;  // beyond any image
  if (std::isnan(coordinate)) coordinate = 0;
  if (mode == AddressMode::kWrap || mode == AddressMode::kMirror) {
    if (std::isinf(coordinate)) coordinate = 0;
    const double whole = std::floor(coordinate), fraction = coordinate - whole;
    const bool mirrored = mode == AddressMode::kMirror && std::fmod(whole, 2) != 0;
    return (mirrored ? 1 - fraction : fraction) * size;
  }
  return std::clamp(normalized ? coordinate * size : coordinate, -kFar, kFar);
}

Taps tapsAt(const ImageDescription& image, size_t axis, int64_t size, float coordinate) {
  const AddressMode mode = modeOf(image, axis);
  const double x = inTexels(coordinate, static_cast<double>(size), mode, image.normalized_coordinates);
  Taps taps;
  if (!image.linear_filter) {
    taps.texels[0] = placed(static_cast<int64_t>(std::floor(x)), size, mode);
    return taps;
  }
  const double left = std::floor(x - 0.5);
  taps.count = 2;
  taps.texels = {placed(static_cast<int64_t>(left), size, mode),
                 placed(static_cast<int64_t>(left) + 1, size, mode)};
  taps.second_weight = static_cast<int32_t>(std::floor((x - 0.5 - left) * kWholeWeight + 0.5));
  return taps;
}

Footprint combined(const ImageDescription& image, const std::array<Taps, 3>& axes) {
  Footprint footprint;
  footprint.count = 0;
  footprint.weights = {kWholeWeight};
  if (image.linear_filter) {
    footprint.weights = filterWeights({axes[0].second_weight, axes[1].second_weight, axes[2].second_weight},
                                      image.dimensions);
  }
  for (uint32_t z = 0; z < axes[2].count; ++z) {
    for (uint32_t y = 0; y < axes[1].count; ++y) {
      for (uint32_t x = 0; x < axes[0].count; ++x) {
        const std::array<uint32_t, 3> which{x, y, z};
        bool is_border = false;
        for (size_t axis = 0; axis < 3; ++axis)
          is_border = is_border || axes[axis].texels[which[axis]].is_border;
        if (is_border) footprint.border = static_cast<uint8_t>(footprint.border | 1U << footprint.count);
        footprint.texels[footprint.count++] =
            static_cast<uint64_t>((axes[2].texels[z].at * image.height + axes[1].texels[y].at) * image.width +
                                  axes[0].texels[x].at);
      }
    }
  }
  return footprint;
}

}  // namespace

Footprint footprintAt(const ImageDescription& image, const std::array<float, 3>& point) {
  const std::array<int64_t, 3> sides{image.width, image.height, image.depth};
  std::array<Taps, 3> axes;
  for (size_t axis = 0; axis < image.dimensions; ++axis)
    axes[axis] = tapsAt(image, axis, sides[axis], point[axis]);
  return combined(image, axes);
}

Footprint footprintOf(const ImageDescription& image, const std::array<int32_t, 3>& indices, bool has_level) {
  const bool zeros = image.linear_memory || !has_level;
  const AddressMode mode = zeros ? AddressMode::kBorder : AddressMode::kClamp;
  const std::array<int64_t, 3> sides{image.width, image.height, image.depth};
  std::array<Taps, 3> axes;
  for (size_t axis = 0; axis < image.dimensions; ++axis) {
    axes[axis].texels[0] = placed(indices[axis], sides[axis], mode);
  }
  return combined(image, axes);
}

std::array<uint32_t, 4> fetchedValue(const ImageDescription& image, const Footprint& footprint,
                                     const std::array<const std::byte*, kMostTexels>& texels) {
  const TexelFormat& format = image.texel;
  const bool as_float = format.kind == TexelFormat::Kind::kFloat || image.normalized_float;
  std::array<uint32_t, 4> value{};  // channels that the format lacks are zeros, on an H100 also the fourth
  for (uint32_t channel = 0; channel < format.channels; ++channel) {
    if (!as_float) {
      value[channel] = texels[0] == nullptr ? 0 : channelBits(format, texels[0], channel);
      continue;
    }
    value[channel] = filteredChannel(format, footprint.count, texels, footprint.weights, channel);
  }
  return value;
}

}  // namespace warpscope::sim
