// Reads a whole file whose content nobody vouches for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kernels/core/error.h"

namespace warpscope {

inline constexpr uint64_t kMostFileBytes = uint64_t{1} << 30;

// The content of a regular file. It never waits for a pipe, and never reads a device, which has no end. Error
// kBadRequest, naming the file: it is not there, is a folder or something else, cannot be read, or has more
// than `most_bytes`.
Expected<std::string> readFile(const std::filesystem::path& path, uint64_t most_bytes = kMostFileBytes);

}  // namespace warpscope
