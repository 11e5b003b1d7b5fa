#include "app/gui/png.h"

#include <algorithm>
#include <string>

#include "kernels/core/files.h"

// The only place that compiles stb's PNG writer; its warnings are not ours to fix.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace warpscope {

Image cropped(const Image& image, ImVec2 min, ImVec2 max) {
  const auto within = [](float value, uint32_t limit) {
    return static_cast<uint32_t>(std::clamp(value, 0.0F, static_cast<float>(limit)));
  };
  const uint32_t left = within(min.x, image.width);
  const uint32_t right = std::max(left, within(max.x, image.width));
  const uint32_t top = within(min.y, image.height);
  const uint32_t bottom = std::max(top, within(max.y, image.height));
  Image part{right - left, bottom - top, {}};
  for (uint32_t y = top; y < bottom; ++y) {
    const auto row = image.rgb.begin() + (static_cast<ptrdiff_t>(y) * image.width + left) * 3;
    part.rgb.insert(part.rgb.end(), row, row + static_cast<ptrdiff_t>(part.width) * 3);
  }
  return part;
}

Expected<void> writePng(const std::filesystem::path& path, const Image& image) {
  if (image.rgb.empty()) return fail(ErrorKind::kBadRequest, "{}: the picture would be empty", path.string());
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<size_t>(size));
  };
  const int written = stbi_write_png_to_func(append, &bytes, static_cast<int>(image.width),
                                             static_cast<int>(image.height), 3, image.rgb.data(), 0);
  if (written == 0)
    return fail(ErrorKind::kWorkFailed, "{}: the picture could not be encoded", path.string());
  return replaceFile(path, bytes);
}

}  // namespace warpscope
