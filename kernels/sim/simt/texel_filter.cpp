#include "kernels/sim/simt/texel_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpscope::sim {
namespace {

int32_t rounded(int32_t product) {
  return (product + kWholeWeight / 2) / kWholeWeight;
}

// Multiplying by 2^112 moves the exponent from f16's bias to f32's, subnormals included.
double halfNumber(uint32_t bits) {
  const uint32_t magnitude = (bits & 0x7FFFU) << 13;
  const bool finite = (bits & 0x7C00U) != 0x7C00U;
  const float value =
      finite ? std::bit_cast<float>(magnitude) * 0x1p112F : std::bit_cast<float>(magnitude | 0x7F800000U);
  return std::copysign(double{value}, (bits & 0x8000U) != 0 ? -1.0 : 1.0);
}

// The sum is the value in units of 2^unit; to a number of so many bits behind the point, halves away from
// zero.
float roundedFloat(int64_t sum, int unit, int fraction_bits, int smallest_exponent) {
  if (sum == 0) return 0;
  const double value = std::ldexp(static_cast<double>(sum), unit);
  const int last = std::max(std::ilogb(value), smallest_exponent) - fraction_bits;
  return static_cast<float>(std::ldexp(std::round(std::ldexp(value, -last)), last));
}

float filteredFloat(const TexelFormat& format, uint32_t count,
                    const std::array<const std::byte*, kMostTexels>& texels,
                    const std::array<int32_t, kMostTexels>& weights, uint32_t channel) {
  const bool half = format.channel_bytes == 2;
  std::array<double, kMostTexels> values{};
  double plain_sum = 0;
  int largest = std::numeric_limits<int>::min();
  for (uint32_t i = 0; i < count; ++i) {
    if (texels[i] == nullptr || weights[i] == 0) continue;
    const uint32_t bits = channelBits(format, texels[i], channel);
    values[i] = half ? halfNumber(bits) : double{std::bit_cast<float>(bits)};
    plain_sum += values[i] * weights[i] / kWholeWeight;
    if (values[i] != 0) largest = std::max(largest, std::ilogb(values[i]));
  }
  if (!std::isfinite(plain_sum)) return static_cast<float>(plain_sum);
  if (largest == std::numeric_limits<int>::min()) return 0;
  constexpr int kBitsKept = 4;
  const int fraction_bits = half ? 10 : 23;
  const int unit = largest - fraction_bits - kBitsKept;
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i)
    sum += static_cast<int64_t>(std::trunc(std::ldexp(values[i], -unit))) * weights[i];
  return roundedFloat(sum, unit - 8, fraction_bits, half ? -14 : -126);
}

// 16 bits that mean the same fraction.
int32_t widened(const TexelFormat& format, uint32_t bits) {
  if (format.kind == TexelFormat::Kind::kUnsigned)
    return static_cast<int32_t>(format.channel_bytes == 1 ? bits * 257 : bits);
  const auto value = static_cast<int32_t>(bits);
  if (format.channel_bytes == 2) return std::max(value, -32767);
  return static_cast<int32_t>(std::lround(std::max(value, -127) * 32767.0 / 127.0));
}

float filteredInteger(const TexelFormat& format, uint32_t count,
                      const std::array<const std::byte*, kMostTexels>& texels,
                      const std::array<int32_t, kMostTexels>& weights, uint32_t channel) {
  const double most = format.kind == TexelFormat::Kind::kUnsigned ? 65535 : 32767;
  if (count == 1 && texels[0] != nullptr && format.channel_bytes == 1) {  // no filter
    const auto value = static_cast<int32_t>(channelBits(format, texels[0], channel));
    return static_cast<float>(std::max(value / (most == 65535 ? 255.0 : 127.0), -1.0));
  }
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (texels[i] != nullptr)
      sum += int64_t{widened(format, channelBits(format, texels[i], channel))} * weights[i];
  }
  const auto whole = static_cast<double>((sum + kWholeWeight / 2) >> 8);
  return static_cast<float>(whole / most);
}

}  // namespace

std::array<int32_t, kMostTexels> filterWeights(const std::array<int32_t, 3>& second, uint32_t dimensions) {
  const auto [x, y, z] = second;
  if (dimensions == 1) return {kWholeWeight - x, x};
  if (dimensions == 2) {
    const int32_t last = rounded(x * y);
    return {kWholeWeight - x - y + last, x - last, y - last, last};
  }
  const std::array<int32_t, kMostTexels> xz = filterWeights({x, z, 0}, 2);
  std::array<int32_t, kMostTexels> weights{};
  for (size_t i = 0; i < 4; ++i) {
    const size_t at = i % 2 + i / 2 * 4;
    weights[at + 2] = rounded(xz[i] * y);
    weights[at] = xz[i] - weights[at + 2];
  }
  return weights;
}

uint32_t channelBits(const TexelFormat& format, const std::byte* texel, uint32_t channel) {
  uint32_t bits = 0;
  std::memcpy(&bits, texel + size_t{channel} * format.channel_bytes, format.channel_bytes);
  if (format.kind != TexelFormat::Kind::kSigned) return bits;
  if (format.channel_bytes == 1) return static_cast<uint32_t>(static_cast<int8_t>(bits));
  return format.channel_bytes == 2 ? static_cast<uint32_t>(static_cast<int16_t>(bits)) : bits;
}

uint32_t filteredChannel(const TexelFormat& format, uint32_t count,
                         const std::array<const std::byte*, kMostTexels>& texels,
                         const std::array<int32_t, kMostTexels>& weights, uint32_t channel) {
  return std::bit_cast<uint32_t>(format.kind == TexelFormat::Kind::kFloat
                                     ? filteredFloat(format, count, texels, weights, channel)
                                     : filteredInteger(format, count, texels, weights, channel));
}

}  // namespace warpscope::sim
