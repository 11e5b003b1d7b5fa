#include "kernels/program/image_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/compile/source_text.h"

namespace warpscope {
namespace {

using Use = ImageDescription::Use;

struct ImageKind {
  std::string_view name, short_name;
  Use use;
  uint32_t dimensions;
  bool linear_memory = false;
};
constexpr ImageKind kImageKinds[] = {
    {"texture1d", "tex1d", Use::kTexture, 1},        {"texture2d", "tex2d", Use::kTexture, 2},
    {"texture3d", "tex3d", Use::kTexture, 3},        {"surface1d", "surf1d", Use::kSurface, 1},
    {"surface2d", "surf2d", Use::kSurface, 2},       {"surface3d", "surf3d", Use::kSurface, 3},
    {"buffer", "texbuffer", Use::kTexture, 1, true},
};

const ImageKind* imageKind(std::string_view text) {
  const auto found = std::ranges::find_if(
      kImageKinds, [&](const ImageKind& each) { return each.name == text || each.short_name == text; });
  return found == std::end(kImageKinds) ? nullptr : found;
}

}  // namespace

bool isImageKind(std::string_view text) {
  return imageKind(text) != nullptr;
}

Expected<ImageDescription> parseImageKind(std::string_view text) {
  const ImageKind* kind = imageKind(text);
  if (kind == nullptr) {
    return fail(
        ErrorKind::kBadRequest,
        "'{}' is neither texture1d, texture2d, texture3d, buffer (tex1Dfetch) nor surface1d, surface2d, "
        "surface3d",
        text);
  }
  ImageDescription image;
  image.use = kind->use;
  image.dimensions = kind->dimensions;
  image.linear_memory = kind->linear_memory;
  return image;
}

Expected<TexelFormat> parseTexelFormat(std::string_view text) {
  TexelFormat texel;
  std::string_view channel = text;
  if (text.size() > 2 && text[text.size() - 2] == 'x') {
    texel.channels = static_cast<uint32_t>(text.back() - '0');
    channel = text.substr(0, text.size() - 2);
  }
  const auto type = parseElementType(channel);
  if (!type) return tl::unexpected(type.error());
  texel.channel_bytes = type->bytes;
  texel.kind = type->kind == ElementType::Kind::kFloat    ? TexelFormat::Kind::kFloat
               : type->kind == ElementType::Kind::kSigned ? TexelFormat::Kind::kSigned
                                                          : TexelFormat::Kind::kUnsigned;
  return texel;
}

ElementType channelType(const TexelFormat& texel) {
  using Kind = ElementType::Kind;
  return {texel.kind == TexelFormat::Kind::kFloat    ? Kind::kFloat
          : texel.kind == TexelFormat::Kind::kSigned ? Kind::kSigned
                                                     : Kind::kUnsigned,
          texel.channel_bytes};
}

bool applyImageOption(std::string_view word, ImageDescription& image) {
  if (word == "linear" || word == "point") {
    image.linear_filter = word == "linear";
  } else if (word == "normalized") {
    image.normalized_coordinates = true;
  } else if (word == "as_float") {
    image.normalized_float = true;
  } else {
    for (const AddressMode mode :
         {AddressMode::kClamp, AddressMode::kBorder, AddressMode::kWrap, AddressMode::kMirror}) {
      if (word != addressModeName(mode)) continue;
      image.address.fill(mode);
      return true;
    }
    return false;
  }
  return true;
}

Expected<void> applyImageOptions(std::span<const std::string> words, ImageDescription& image) {
  for (const std::string& word : words) {
    if (applyImageOption(word, image)) continue;
    return fail(ErrorKind::kBadRequest,
                "'{}' is no option of a texture: point, linear; clamp, border, wrap, mirror; normalized (the "
                "coordinates); as_float (integers are read as 0 .. 1)",
                word);
  }
  return checkImage(image);
}

std::vector<std::string> imageOptions(const ImageDescription& image) {
  std::vector<std::string> words;
  if (image.linear_filter) words.emplace_back("linear");
  if (image.address[0] != AddressMode::kClamp) words.emplace_back(addressModeName(image.address[0]));
  if (image.normalized_coordinates) words.emplace_back("normalized");
  if (image.normalized_float) words.emplace_back("as_float");
  return words;
}

std::optional<Expected<ImageText>> parseImageText(std::string_view text, ElementType channel) {
  const size_t open = text.find('(');
  if (open == std::string_view::npos || !isImageKind(trimmed(text.substr(0, open)))) return std::nullopt;
  const auto refuse = [](const std::string& why) -> Expected<ImageText> {
    return fail(ErrorKind::kBadRequest, "{}", why);
  };
  ImageText read{*parseImageKind(trimmed(text.substr(0, open))), {}, {}};
  if (!text.ends_with(')')) return refuse("its ')' is missing");
  const auto parts = splitOutsideBrackets(text.substr(open + 1, text.size() - open - 2), ',');
  std::string array = parts.front();
  const size_t bracket = array.find('['), close = array.rfind(']'), space = array.find(' ');
  if (bracket == std::string::npos || close == std::string::npos || close < bracket) {
    return refuse(
        "its texels are written as random[width, height], after their type if need be: "
        "u8x4 zeros[n, n]");
  }
  read.image.texel.kind = TexelFormat::Kind::kFloat;
  std::string type = channel.name();
  if (space < bracket && !array.starts_with('"')) {
    type = array.substr(0, space);
    array = trimmed(std::string_view(array).substr(space));
  }
  const auto texel = parseTexelFormat(type);
  if (!texel) return refuse(texel.error().message);
  read.image.texel = *texel;
  const size_t begin = array.find('['), end = array.rfind(']');
  read.sides = splitOutsideBrackets(std::string_view(array).substr(begin + 1, end - begin - 1), ',');
  if (read.sides.size() != read.image.dimensions) {
    return refuse(fmt::format("{} side{} in [] {} expected, not {}", read.image.dimensions,
                              read.image.dimensions == 1 ? "" : "s",
                              read.image.dimensions == 1 ? "is" : "are", read.sides.size()));
  }
  const std::string count = fmt::format("({}) * {}", fmt::join(read.sides, ") * ("), texel->channels);
  read.array =
      fmt::format("{} {}[{}{}", channelType(*texel).name(), array.substr(0, begin), count, array.substr(end));
  const auto options = std::span(parts).subspan(1);
  if (auto possible = applyImageOptions(options, read.image); !possible)
    return refuse(possible.error().message);
  return read;
}

std::string formatImageText(const ImageDescription& image, std::span<const std::string> sides,
                            const std::string& content, const std::string& after_sides) {
  const bool is_surface = image.use == ImageDescription::Use::kSurface;
  const std::string kind = image.linear_memory
                               ? "buffer"
                               : fmt::format("{}{}d", is_surface ? "surface" : "texture", image.dimensions);
  std::string text =
      fmt::format("{}({} {}[{}]{}", kind, image.texel.name(), content, fmt::join(sides, ", "), after_sides);
  for (const std::string& option : imageOptions(image)) text += ", " + option;
  return text + ")";
}

}  // namespace warpscope
