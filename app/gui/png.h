// Writes pictures of the window as PNG files.
#pragma once

#include <filesystem>

#include "app/gui/window.h"
#include "kernels/core/error.h"

namespace warpscope {

// The part of `image` inside [min, max), in pixels; what is outside the image is left out.
Image cropped(const Image& image, ImVec2 min, ImVec2 max);
// Writes atomically; creates missing folders.
Expected<void> writePng(const std::filesystem::path& path, const Image& image);

}  // namespace warpscope
