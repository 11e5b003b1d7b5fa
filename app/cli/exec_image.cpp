// Textures and surfaces among the arguments of `warpscope exec`.
#include <charconv>

#include "app/cli/exec_argument.h"
#include "kernels/program/image_text.h"

namespace warpscope {
namespace {

constexpr const char* kImageHelp =
    "a texture or surface is written as KIND:TYPE[WIDTHxHEIGHT]=CONTENT,OPTIONS, such as "
    "tex2d:f32[64x32]=random:1,linear,normalized or surf2d:u8x4[64x32]=zeros";

// "64x32": as many numbers as the image has dimensions.
bool parseSides(std::string_view text, ImageDescription& image) {
  uint32_t* const sides[] = {&image.width, &image.height, &image.depth};
  for (uint32_t i = 0; i < image.dimensions; ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *sides[i]);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const bool last = i + 1 == image.dimensions;
    if (last ? !text.empty() : !text.starts_with('x')) return false;
    if (!last) text.remove_prefix(1);
  }
  return true;
}

// Takes the options off the end: a file's name may contain commas, too.
std::vector<std::string> takeOptions(std::string& content) {
  std::vector<std::string> options;
  ImageDescription any;
  for (size_t comma = content.rfind(','); comma != std::string::npos; comma = content.rfind(',')) {
    std::string word = content.substr(comma + 1);
    if (!applyImageOption(word, any)) break;
    options.insert(options.begin(), std::move(word));
    content.resize(comma);
  }
  return options;
}

}  // namespace

Expected<ExecArgument> parseExecImage(std::string_view left, std::string right) {
  const size_t colon = left.find(':'), bracket = left.find('[');
  if (colon == std::string_view::npos || bracket == std::string_view::npos || bracket < colon ||
      !left.ends_with(']')) {
    return fail(ErrorKind::kBadRequest, "{}", kImageHelp);
  }
  auto image = parseImageKind(left.substr(0, colon));
  if (!image) return tl::unexpected(image.error());
  const auto texel = parseTexelFormat(left.substr(colon + 1, bracket - colon - 1));
  if (!texel) return tl::unexpected(texel.error());
  image->texel = *texel;
  if (!parseSides(left.substr(bracket + 1, left.size() - bracket - 2), *image))
    return fail(ErrorKind::kBadRequest, "{}", kImageHelp);
  if (auto possible = applyImageOptions(takeOptions(right), *image); !possible)
    return tl::unexpected(possible.error());
  const auto content = parseContent(right);
  if (!content) return tl::unexpected(content.error());
  ExecArgument argument;
  argument.type = channelType(*texel);
  argument.is_array = true;
  argument.count = image->texels() * texel->channels;
  argument.content = *content;
  argument.image = *image;
  return argument;
}

}  // namespace warpscope
