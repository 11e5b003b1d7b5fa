#include "tests/unit/example_image_results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace warpscope::testing {

void blurred(const EndedLaunch& launch) {
  constexpr int kChannels = 4;
  const auto image = launch.before<uint8_t>("image"), got = launch.after<uint8_t>("blurred");
  const int width = static_cast<int>(launch.size("width")), height = static_cast<int>(launch.size("height"));
  ASSERT_EQ(got.size(), static_cast<size_t>(width * height * kChannels));
  const auto at = [&](int x, int y, int channel) {
    const int inside = std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1);
    return static_cast<int>(image[static_cast<size_t>(inside) * kChannels + static_cast<size_t>(channel)]);
  };
  for (int i = 0; i < width * height * kChannels; ++i) {
    const int channel = i % kChannels, x = i / kChannels % width, y = i / kChannels / width;
    int sum = 0;
    for (int near = 0; near < 9; ++near) sum += at(x + near % 3 - 1, y + near / 3 - 1, channel);
    ASSERT_EQ(static_cast<int>(got[static_cast<size_t>(i)]), (sum + 4) / 9) << x << ", " << y;
  }
}

void rotated(const EndedLaunch& launch) {
  // A weight of 8 bits is at most 1/512 from the exact one; the texels are from 0 to 1.
  constexpr double kAngle = 0.5, kTolerance = 2.0 / 256;
  const auto image = launch.before<float>("image"), got = launch.after<float>("out");
  const int width = static_cast<int>(launch.size("width")), height = static_cast<int>(launch.size("height"));
  ASSERT_EQ(got.size(), static_cast<size_t>(width * height));
  const auto texel = [&](int x, int y) {
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    return inside ? static_cast<double>(
                        image[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)])
                  : 0.0;
  };
  for (int i = 0; i < width * height; ++i) {
    const int column = i % width, row = i / width;
    const double dx = column + 0.5 - 0.5 * width, dy = row + 0.5 - 0.5 * height;
    const double c = std::cos(kAngle), s = std::sin(kAngle);
    const double x = c * dx - s * dy + 0.5 * width - 0.5, y = s * dx + c * dy + 0.5 * height - 0.5;
    const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
    const double upper = std::lerp(texel(left, top), texel(left + 1, top), x - left);
    const double lower = std::lerp(texel(left, top + 1), texel(left + 1, top + 1), x - left);
    ASSERT_NEAR(static_cast<double>(got[static_cast<size_t>(i)]), std::lerp(upper, lower, y - top),
                kTolerance)
        << i % width << ", " << i / width;
  }
}

}  // namespace warpscope::testing
