#include "kernels/core/assets_folder.h"

#include <cstdlib>
#include <system_error>

namespace warpscope {

std::filesystem::path assetsFolder() {
  if (const char* folder = std::getenv("WARPSCOPE_ASSETS"); folder != nullptr && *folder != '\0')
    return folder;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    std::filesystem::path installed = program.parent_path().parent_path() / "share" / "warpscope";
    if (std::filesystem::is_directory(installed, error)) return installed;
  }
  return WARPSCOPE_SOURCE_ASSETS;
}

}  // namespace warpscope
