#include "tests/differential/image_reference.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace warpscope::test {
namespace {

using Kind = TexelFormat::Kind;

std::array<int, 3> sidesOf(const ImageDescription& image) {
  return {static_cast<int>(image.width), static_cast<int>(image.height), static_cast<int>(image.depth)};
}

AddressMode effectiveMode(const ImageDescription& image, size_t axis) {
  const AddressMode mode = image.address[axis];
  if (image.normalized_coordinates || mode == AddressMode::kBorder) return mode;
  return AddressMode::kClamp;
}

double half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class T>
T channelAs(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double channelValue(const ImageDescription& image, const std::byte* at) {
  const uint32_t bytes = image.texel.channel_bytes;
  double value = 0, most = 1;
  switch (image.texel.kind) {
    case Kind::kFloat:
      return bytes == 2 ? half(channelAs<uint16_t>(at)) : double{channelAs<float>(at)};
    case Kind::kUnsigned:
      value = bytes == 1   ? channelAs<uint8_t>(at)
              : bytes == 2 ? channelAs<uint16_t>(at)
                           : channelAs<uint32_t>(at);
      most = bytes == 1 ? 255 : 65535;
      break;
    case Kind::kSigned:
      value = bytes == 1   ? channelAs<int8_t>(at)
              : bytes == 2 ? channelAs<int16_t>(at)
                           : channelAs<int32_t>(at);
      most = bytes == 1 ? 127 : 32767;
      break;
  }
  return image.normalized_float ? std::max(value / most, -1.0) : value;
}

// The texel at these indices, which may lie outside.
std::array<double, 4> texelAt(const ImageDescription& image, const std::vector<std::byte>& texels,
                              std::array<int, 3> at) {
  const auto sides = sidesOf(image);
  std::array<double, 4> channels{};
  for (size_t axis = 0; axis < image.dimensions; ++axis) {
    const bool outside = at[axis] < 0 || at[axis] >= sides[axis];
    const AddressMode mode = image.linear_memory ? AddressMode::kBorder : effectiveMode(image, axis);
    if (outside && mode == AddressMode::kBorder) return channels;
    if (outside && mode == AddressMode::kWrap) at[axis] = at[axis] < 0 ? sides[axis] - 1 : 0;
    at[axis] = std::min(std::max(at[axis], 0), sides[axis] - 1);
  }
  const size_t index =
      (static_cast<size_t>(at[2]) * image.height + static_cast<size_t>(at[1])) * image.width +
      static_cast<size_t>(at[0]);
  for (uint32_t c = 0; c < image.texel.channels; ++c) {
    const size_t offset = index * image.texel.bytes() + size_t{c} * image.texel.channel_bytes;
    channels[c] = channelValue(image, &texels[offset]);
  }
  return channels;
}

// x[N] in the guide's words.
double texelCoordinate(const ImageDescription& image, size_t axis, double x) {
  const double size = sidesOf(image)[axis];
  if (!image.normalized_coordinates) return x;
  const double fraction = x - std::floor(x);
  switch (effectiveMode(image, axis)) {
    case AddressMode::kWrap:
      return fraction * size;
    case AddressMode::kMirror:
      return (static_cast<int64_t>(std::floor(x)) % 2 == 0 ? fraction : 1 - fraction) * size;
    default:
      return x * size;
  }
}

std::array<double, 4> filtered(const ImageDescription& image, const std::vector<std::byte>& texels,
                               const std::array<double, 3>& x, size_t axis, std::array<int, 3> at) {
  if (axis == image.dimensions) return texelAt(image, texels, at);
  if (!image.linear_filter) {
    at[axis] = static_cast<int>(std::floor(x[axis]));
    return filtered(image, texels, x, axis + 1, at);
  }
  const double xb = x[axis] - 0.5;
  const double alpha = std::round((xb - std::floor(xb)) * 256) / 256;
  at[axis] = static_cast<int>(std::floor(xb));
  auto left = filtered(image, texels, x, axis + 1, at);
  ++at[axis];
  const auto right = filtered(image, texels, x, axis + 1, at);
  for (size_t c = 0; c < 4; ++c) left[c] = (1 - alpha) * left[c] + alpha * right[c];
  return left;
}

std::vector<ImageDescription> shapes() {
  std::vector<ImageDescription> all(3);
  all[0].width = 37;
  all[1].width = 16;
  all[1].height = 11;
  all[2].width = 8;
  all[2].height = 5;
  all[2].depth = 6;
  for (uint32_t i = 0; i < 3; ++i) all[i].dimensions = i + 1;
  return all;
}

}  // namespace

std::array<double, 4> referenceFetch(const ImageDescription& image, const std::vector<std::byte>& texels,
                                     const std::array<double, 3>& point, bool by_index, bool has_level) {
  if (by_index) {
    std::array<int, 3> at{};
    for (size_t axis = 0; axis < image.dimensions; ++axis) at[axis] = static_cast<int>(point[axis]);
    ImageDescription fetched = image;  // whose address mode does not apply: see texel_fetch.h
    fetched.address.fill(has_level ? AddressMode::kClamp : AddressMode::kBorder);
    return texelAt(fetched, texels, at);
  }
  std::array<double, 3> x{};
  for (size_t axis = 0; axis < image.dimensions; ++axis) x[axis] = texelCoordinate(image, axis, point[axis]);
  return filtered(image, texels, x, 0, {});
}

bool isAtEdge(const ImageDescription& image, const std::array<double, 3>& point) {
  constexpr double kNear = 1.0 / 512;
  for (size_t axis = 0; axis < image.dimensions; ++axis) {
    const double x = texelCoordinate(image, axis, point[axis]);
    if (std::abs(x - std::round(x)) < kNear) return true;
  }
  return false;
}

std::string ImageCase::label() const {
  return fmt::format("{}{}{}, {}{}{}, fetched as {} by {}{}", describeImage(image),
                     image.linear_memory ? " in linear memory" : "", image.linear_filter ? ", linear" : "",
                     addressModeName(image.address[0]), image.normalized_coordinates ? ", normalized" : "",
                     image.normalized_float ? ", as float" : "", result, coordinates,
                     has_level ? " with a level" : "");
}

std::vector<ImageCase> imageCases() {
  const TexelFormat floats[] = {{Kind::kFloat, 4, 1},    {Kind::kFloat, 4, 4},  {Kind::kFloat, 2, 2},
                                {Kind::kUnsigned, 1, 4}, {Kind::kSigned, 1, 1}, {Kind::kUnsigned, 2, 1},
                                {Kind::kSigned, 2, 2}};
  const TexelFormat integers[] = {{Kind::kUnsigned, 1, 1}, {Kind::kSigned, 1, 4},   {Kind::kUnsigned, 2, 2},
                                  {Kind::kSigned, 2, 1},   {Kind::kUnsigned, 4, 1}, {Kind::kSigned, 4, 2}};
  std::vector<ImageCase> cases;
  for (ImageDescription image : shapes()) {
    for (const AddressMode mode :
         {AddressMode::kClamp, AddressMode::kBorder, AddressMode::kWrap, AddressMode::kMirror}) {
      image.address.fill(mode);
      for (const bool normalized : {false, true}) {
        image.normalized_coordinates = normalized;
        for (const TexelFormat& texel : floats) {
          image.texel = texel;
          image.normalized_float = texel.kind != Kind::kFloat;
          for (const bool linear : {false, true}) {
            image.linear_filter = linear;
            cases.push_back({image, "f32", "f32"});
          }
        }
        image.linear_filter = image.normalized_float = false;
        for (const TexelFormat& texel : integers) {
          image.texel = texel;
          cases.push_back({image, "f32", texel.kind == Kind::kSigned ? "s32" : "u32"});
        }
      }
    }
    image.normalized_coordinates = false;
    image.linear_memory = image.dimensions == 1;
    for (const AddressMode mode : {AddressMode::kClamp, AddressMode::kBorder}) {
      image.address.fill(mode);
      for (const TexelFormat& texel : integers) {
        image.texel = texel;
        const ImageCase one{image, "s32", texel.kind == Kind::kSigned ? "s32" : "u32"};
        cases.insert(cases.end(), 2, one);
      }
      image.texel = {Kind::kFloat, 4, 2};
      cases.push_back({image, "s32", "f32"});
    }
  }
  // With and without a level alternately.
  for (size_t i = 0; i < cases.size(); i += 2) cases[i].has_level = !cases[i].image.linear_memory;
  return cases;
}

std::vector<std::byte> randomTexels(const ImageDescription& image) {
  std::mt19937_64 random(image.texels() + image.texel.bytes());
  std::vector<std::byte> texels(image.bytes());
  for (std::byte& each : texels) each = static_cast<std::byte>(random());
  if (image.texel.kind != Kind::kFloat) return texels;
  for (size_t at = 0; at < texels.size(); at += image.texel.channel_bytes) {
    if (image.texel.channel_bytes == 2) {  // from 0 to 1
      const auto bits = static_cast<uint16_t>(random() % 0x3C00);
      std::memcpy(&texels[at], &bits, sizeof bits);
    } else {
      const float value = static_cast<float>(random() % 65536) / 65536;
      std::memcpy(&texels[at], &value, sizeof value);
    }
  }
  return texels;
}

std::vector<ImageRecord> fetchPoints(const ImageCase& which) {
  constexpr size_t kPoints = 512;
  std::mt19937_64 random(which.image.texels());
  const auto sides = sidesOf(which.image);
  std::vector<ImageRecord> points(kPoints);
  for (size_t i = 0; i < kPoints; ++i) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const double size = sides[axis];
      // From well before the image to well behind it; every fourth in quarters of texels.
      double x = (static_cast<double>(random() % 1000003) / 1000003 * 4 - 1.5) * size;
      if (i % 4 == 0) x = std::round(x * 4) / 4;
      if (which.coordinates == "s32") {
        points[i][axis] = static_cast<uint32_t>(static_cast<int32_t>(std::floor(x)));
      } else {
        const auto value = static_cast<float>(which.image.normalized_coordinates ? x / size : x);
        points[i][axis] = std::bit_cast<uint32_t>(value);
      }
    }
  }
  return points;
}

std::array<double, 3> pointOf(const ImageCase& which, const ImageRecord& record) {
  std::array<double, 3> point{};
  for (size_t axis = 0; axis < 3; ++axis) {
    point[axis] = which.coordinates == "s32" ? static_cast<double>(static_cast<int32_t>(record[axis]))
                                             : double{std::bit_cast<float>(record[axis])};
  }
  return point;
}

}  // namespace warpscope::test
