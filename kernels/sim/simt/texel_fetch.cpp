#include "kernels/sim/simt/texel_fetch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpscope::sim {
namespace {

using ChannelKind = TexelFormat::Kind;

constexpr double kFractions = 256;  // weights have 8 bits behind the point
constexpr int64_t kOutside = -1;

// One axis of a footprint: one texel, or two neighbours.
struct Taps {
  std::array<int64_t, 2> texels{0, 0};  // kOutside: the border
  double second_weight = 0;
  uint32_t count = 1;
};

// Wrapping and mirroring are for normalized coordinates; for others they mean clamping.
AddressMode modeOf(const ImageDescription& image, size_t axis) {
  const AddressMode mode = image.address[axis];
  const bool periodic = mode == AddressMode::kWrap || mode == AddressMode::kMirror;
  return periodic && !image.normalized_coordinates ? AddressMode::kClamp : mode;
}

int64_t placed(int64_t texel, int64_t size, AddressMode mode) {
  if (texel >= 0 && texel < size) return texel;
  if (mode == AddressMode::kBorder) return kOutside;
  if (mode == AddressMode::kWrap) return (texel % size + size) % size;
  return texel < 0 ? 0 : size - 1;
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
  taps.second_weight = std::nearbyint((x - 0.5 - left) * kFractions) / kFractions;
  return taps;
}

Footprint combined(const ImageDescription& image, const std::array<Taps, 3>& axes) {
  Footprint footprint;
  footprint.count = 0;
  for (uint32_t z = 0; z < axes[2].count; ++z) {
    for (uint32_t y = 0; y < axes[1].count; ++y) {
      for (uint32_t x = 0; x < axes[0].count; ++x) {
        const std::array<uint32_t, 3> which{x, y, z};
        double weight = 1;
        bool outside = false;
        for (size_t axis = 0; axis < 3; ++axis) {
          weight *= which[axis] == 1 ? axes[axis].second_weight : 1 - axes[axis].second_weight;
          outside = outside || axes[axis].texels[which[axis]] == kOutside;
        }
        const auto index = static_cast<uint64_t>(
            (axes[2].texels[z] * image.height + axes[1].texels[y]) * image.width + axes[0].texels[x]);
        footprint.texels[footprint.count] = outside ? kBorderTexel : index;
        footprint.weights[footprint.count++] = weight;
      }
    }
  }
  return footprint;
}

uint32_t channelBits(const TexelFormat& format, const std::byte* texel, uint32_t channel) {
  uint32_t bits = 0;
  std::memcpy(&bits, texel + size_t{channel} * format.channel_bytes, format.channel_bytes);
  if (format.kind != ChannelKind::kSigned) return bits;
  if (format.channel_bytes == 1) return static_cast<uint32_t>(static_cast<int8_t>(bits));
  return format.channel_bytes == 2 ? static_cast<uint32_t>(static_cast<int16_t>(bits)) : bits;
}

// Multiplying by 2^112 moves the exponent from f16's bias to f32's, subnormals included.
double halfNumber(uint32_t bits) {
  const uint32_t magnitude = (bits & 0x7FFFU) << 13;
  const bool finite = (bits & 0x7C00U) != 0x7C00U;
  const float value =
      finite ? std::bit_cast<float>(magnitude) * 0x1p112F : std::bit_cast<float>(magnitude | 0x7F800000U);
  return std::copysign(double{value}, (bits & 0x8000U) != 0 ? -1.0 : 1.0);
}

// A channel as a float: integers are normalized.
double channelNumber(const TexelFormat& format, const std::byte* texel, uint32_t channel) {
  const uint32_t bits = channelBits(format, texel, channel);
  switch (format.kind) {
    case ChannelKind::kFloat:
      return format.channel_bytes == 2 ? halfNumber(bits) : double{std::bit_cast<float>(bits)};
    case ChannelKind::kUnsigned:
      return bits / (format.channel_bytes == 1 ? 255.0 : 65535.0);
    case ChannelKind::kSigned:
      break;
  }
  return std::max(static_cast<int32_t>(bits) / (format.channel_bytes == 1 ? 127.0 : 32767.0), -1.0);
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
  const bool as_float = format.kind == ChannelKind::kFloat || image.normalized_float;
  std::array<uint32_t, 4> value{};  // channels that the format lacks are zeros, on an H100 also the fourth
  for (uint32_t channel = 0; channel < format.channels; ++channel) {
    if (!as_float) {
      value[channel] = texels[0] == nullptr ? 0 : channelBits(format, texels[0], channel);
      continue;
    }
    double sum = 0;
    for (uint32_t i = 0; i < footprint.count; ++i) {
      // A texel without weight does not count, even if it is infinite.
      if (texels[i] != nullptr && footprint.weights[i] != 0)
        sum += footprint.weights[i] * channelNumber(format, texels[i], channel);
    }
    value[channel] = std::bit_cast<uint32_t>(static_cast<float>(sum));
  }
  return value;
}

}  // namespace warpscope::sim
