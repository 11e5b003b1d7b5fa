// An image as a kernel sees it through a texture or surface object: how the texels that lie in a buffer, row
// by row without gaps, are addressed, filtered and converted. A value: nothing is allocated here. Names and
// rules follow NVIDIA's "CUDA C++ Programming Guide", "Texture and Surface Memory" and "Texture Fetching".
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/core/error.h"

namespace warpscope {

struct TexelFormat {
  enum class Kind : uint8_t { kUnsigned, kSigned, kFloat } kind = Kind::kFloat;
  uint32_t channel_bytes = 4;  // 1, 2, 4; a float has 2 or 4
  uint32_t channels = 1;       // 1, 2, 4
  uint32_t bytes() const { return channel_bytes * channels; }
  std::string name() const;  // "f32", "u8x4"
  bool operator==(const TexelFormat&) const = default;
};

// What a coordinate outside the image reads.
enum class AddressMode : uint8_t { kClamp, kBorder, kWrap, kMirror };
const char* addressModeName(AddressMode mode);

struct ImageDescription {
  enum class Use : uint8_t { kTexture, kSurface } use = Use::kTexture;
  uint32_t dimensions = 2;
  uint32_t width = 1, height = 1, depth = 1;  // texels; those beyond `dimensions` are 1
  TexelFormat texel;
  // Only of textures. A texture in linear memory has one dimension, and is read by texel index (tex1Dfetch).
  bool linear_memory = false;
  bool linear_filter = false;           // false: the nearest texel
  bool normalized_coordinates = false;  // 0 .. 1 in place of 0 .. width
  bool normalized_float = false;        // integers are read as 0 .. 1, or -1 .. 1
  std::array<AddressMode, 3> address{};

  uint64_t texels() const { return uint64_t{width} * height * depth; }
  uint64_t bytes() const { return texels() * texel.bytes(); }
  bool operator==(const ImageDescription&) const = default;
};

// Whether a GPU can have such an object. Error kBadRequest: what cannot be, and what could.
Expected<void> checkImage(const ImageDescription& image);
// "texture2d 64x32 of u8x4"
std::string describeImage(const ImageDescription& image);

// A texture or surface object that a backend has made; the kernel's parameter holds `value`.
struct ImageHandle {
  uint64_t value = 0;  // 0: none
  ImageDescription::Use use = ImageDescription::Use::kTexture;
};

}  // namespace warpscope
