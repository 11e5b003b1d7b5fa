// Replaces a file in one step, so that a reader sees the old content or the new, never a part.
#pragma once

#include <filesystem>
#include <string_view>

#include "kernels/core/error.h"

namespace warpscope {

// Makes missing folders. The error names the file.
Expected<void> replaceFile(const std::filesystem::path& path, std::string_view content);

}  // namespace warpscope
