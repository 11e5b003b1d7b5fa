#include "kernels/program/image_rule.h"

#include <fmt/format.h>

#include "kernels/program/image_text.h"
#include "kernels/program/launch_guess.h"

namespace warpscope {
namespace {

// Why the kernel cannot use such an object; empty: it can.
std::string misfitOf(const ImageUse& use, const ImageDescription& image) {
  const bool is_surface = image.use == ImageDescription::Use::kSurface;
  if (is_surface == use.is_surface && (use.dimensions == 0 || use.dimensions == image.dimensions)) return {};
  return fmt::format("the kernel uses it as a {}{}", use.is_surface ? "surface" : "texture",
                     use.dimensions == 0
                         ? ""
                         : fmt::format(" of {} dimension{}", use.dimensions, use.dimensions == 1 ? "" : "s"));
}

}  // namespace

Expected<ArrayRule> readImage(const ArrayContext& context, const LaunchAssignment& at,
                              const KernelParameter& parameter, const std::string& guess) {
  const auto wrong = [&](std::string_view why) {
    return wrongAssignment(context.file, at, fmt::format("{}: write {}", why, guess));
  };
  const auto text = parseImageText(at.value, parameter.value->element);
  if (!text) {
    return wrong(
        fmt::format("the kernel takes a {} here", parameter.image->is_surface ? "surface" : "texture"));
  }
  if (!*text) return wrongAssignment(context.file, at, text->error().message);
  const ImageText& written = **text;
  if (const std::string misfit = misfitOf(*parameter.image, written.image); !misfit.empty())
    return wrong(misfit);
  ImageRule rule{written.image, {}};
  for (size_t i = 0; i < written.sides.size(); ++i) {
    auto side = expressionIn(context.file, at, written.sides[i]);
    if (!side) return tl::unexpected(side.error());
    rule.sides[i] = std::move(*side);
  }
  auto array = readArray(context, at, written.array, parameter);
  if (array) array->image = std::move(rule);
  return array;
}

std::string guessedImage(const KernelParameter& parameter, const std::vector<SizeRule>& sizes) {
  const ImageUse& use = *parameter.image;
  ImageDescription image;
  image.use = use.is_surface ? ImageDescription::Use::kSurface : ImageDescription::Use::kTexture;
  image.dimensions = use.dimensions == 0 ? 2 : use.dimensions;
  image.linear_memory = use.by_index && use.dimensions == 1;
  image.texel = *parseTexelFormat(parameter.value->element.name());
  image.texel.channels = use.channels;
  return formatImageText(image, guessedSides(sizes, image.dimensions), parameter.is_read ? "random" : "zeros",
                         "");
}

}  // namespace warpscope
