// Writes files whole: beside their final name first, then renamed, so that a reader, a kill or a full disk
// never sees or leaves half of one under that name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "kernels/core/error.h"

namespace warpscope {

// What temporary files end with: PATH.PID.COUNT.tmp. One that is still there was left by a program that was
// killed.
inline constexpr std::string_view kTemporaryEnding = ".tmp";

// On disk when it returns. Error: kWorkFailed, with the file and the reason; what was there before is
// unchanged.
Expected<void> writeWholeFile(const std::filesystem::path& path, std::span<const std::byte> bytes);
Expected<void> writeWholeFile(const std::filesystem::path& path, std::string_view text);

}  // namespace warpscope
