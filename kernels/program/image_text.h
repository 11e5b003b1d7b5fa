// Textures and surfaces as `exec --arg` and launch comments write them: "texture2d", "f32x4", "linear".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/image.h"
#include "kernels/program/element_type.h"

namespace warpscope {

// An image without its sides and options. "texture1d", "texture2d", "texture3d", "buffer" (of texels in
// linear memory), "surface1d", "surface2d", "surface3d"; "tex" and "surf" are short. The error lists them.
Expected<ImageDescription> parseImageKind(std::string_view text);
bool isImageKind(std::string_view text);

// "f32", "u8x4": the type of a channel and the number of channels.
Expected<TexelFormat> parseTexelFormat(std::string_view text);
ElementType channelType(const TexelFormat& texel);

// Applies a word such as "linear", "wrap", "normalized", "as_float". Returns false if there is no such word.
bool applyImageOption(std::string_view word, ImageDescription& image);
// Whether the image can be. Else an error that lists the words if one of them is unknown.
Expected<void> applyImageOptions(std::span<const std::string> words, ImageDescription& image);
// The options that the image has beside those that are usual: {"linear", "wrap"}.
std::vector<std::string> imageOptions(const ImageDescription& image);

// An image in a launch comment: "texture2d(u8x4 random[width, height]:1 in 0..255, linear, as_float)".
struct ImageText {
  ImageDescription image;          // but for its sides
  std::vector<std::string> sides;  // expressions, as many as it has dimensions
  std::string array;               // of its channels: "u8 random[(width) * (height) * 4]:1 in 0..255"
};
// nullopt: the text does not begin as an image does. `channel`: where the text names no type.
std::optional<Expected<ImageText>> parseImageText(std::string_view text, ElementType channel);
// The reverse, for an array such as "random[...]:1" of the image's texels.
std::string formatImageText(const ImageDescription& image, std::span<const std::string> sides,
                            const std::string& content, const std::string& after_sides);

}  // namespace warpscope
