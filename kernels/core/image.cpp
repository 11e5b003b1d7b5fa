#include "kernels/core/image.h"

#include <fmt/format.h>

namespace warpscope {
namespace {

using Use = ImageDescription::Use;

// The largest sides, by dimensions ("CUDA C++ Programming Guide", table "Technical Specifications per Compute
// Capability", 8.0 to 9.0).
constexpr uint64_t kMostLinearTexels = uint64_t{1} << 28;
constexpr std::array<std::array<uint32_t, 3>, 3> kMostTexture{
    {{131072, 1, 1}, {131072, 65536, 1}, {16384, 16384, 16384}}};
constexpr std::array<std::array<uint32_t, 3>, 3> kMostSurface{
    {{32768, 1, 1}, {131072, 65536, 1}, {16384, 16384, 16384}}};

Expected<void> checkSides(const ImageDescription& image) {
  const std::array<uint32_t, 3> sides{image.width, image.height, image.depth};
  const auto& most = (image.use == Use::kSurface ? kMostSurface : kMostTexture)[image.dimensions - 1];
  for (size_t i = 0; i < 3; ++i) {
    const uint64_t possible = i == 0 && image.linear_memory ? kMostLinearTexels : most[i];
    if (sides[i] >= 1 && sides[i] <= possible) continue;
    constexpr std::array<const char*, 3> kNames{"width", "height", "depth"};
    return fail(ErrorKind::kBadRequest, "{}: its {} must be from 1 to {} texels", describeImage(image),
                kNames[i], possible);
  }
  return {};
}

}  // namespace

std::string TexelFormat::name() const {
  const char letter = kind == Kind::kFloat ? 'f' : kind == Kind::kSigned ? 's' : 'u';
  return fmt::format("{}{}{}", letter, channel_bytes * 8, channels > 1 ? fmt::format("x{}", channels) : "");
}

const char* addressModeName(AddressMode mode) {
  switch (mode) {
    case AddressMode::kBorder:
      return "border";
    case AddressMode::kWrap:
      return "wrap";
    case AddressMode::kMirror:
      return "mirror";
    case AddressMode::kClamp:
      break;
  }
  return "clamp";
}

std::string describeImage(const ImageDescription& image) {
  std::string sides = fmt::to_string(image.width);
  if (image.dimensions > 1) sides += fmt::format("x{}", image.height);
  if (image.dimensions > 2) sides += fmt::format("x{}", image.depth);
  return fmt::format("{}{}d {} of {}", image.use == Use::kSurface ? "surface" : "texture", image.dimensions,
                     sides, image.texel.name());
}

Expected<void> checkImage(const ImageDescription& image) {
  if (image.dimensions < 1 || image.dimensions > 3)
    return fail(ErrorKind::kBadRequest, "an image has 1, 2 or 3 dimensions, not {}", image.dimensions);
  const TexelFormat& texel = image.texel;
  const bool is_float = texel.kind == TexelFormat::Kind::kFloat;
  const uint32_t bytes = texel.channel_bytes;
  if ((bytes != 4 && bytes != 2 && (bytes != 1 || is_float)) ||
      (texel.channels != 1 && texel.channels != 2 && texel.channels != 4)) {
    return fail(ErrorKind::kBadRequest,
                "a texel of {}: it has 1, 2 or 4 channels of f16, f32, u8, u16, u32, s8, s16 or s32",
                texel.name());
  }
  if (auto possible = checkSides(image); !possible) return possible;
  const auto refuse = [&](const char* why) {
    return fail(ErrorKind::kBadRequest, "{}: {}", describeImage(image), why);
  };
  const bool plain = !image.linear_filter && !image.normalized_coordinates;
  if (image.use == Use::kSurface && (!plain || image.normalized_float || image.linear_memory))
    return refuse("a surface has neither filter nor conversions, and is no linear memory");
  if (image.linear_memory && (!plain || image.dimensions != 1))
    return refuse("a texture in linear memory has one dimension, no filter and texel indices as coordinates");
  if (image.normalized_float && (is_float || bytes == 4))
    return refuse("only integers of 8 and 16 bits are read as normalized floats");
  if (image.linear_filter && !is_float && !image.normalized_float)
    return refuse("linear filtering needs floats, or integers that are read as normalized floats");
  return {};
}

}  // namespace warpscope
