#include "app/gui/atomic_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace warpscope {

Expected<void> replaceFile(const std::filesystem::path& path, std::string_view content) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    return fail(ErrorKind::kWorkFailed, "cannot make the folder {}: {}", path.parent_path().string(),
                error.message());
  }
  const std::filesystem::path temporary = path.string() + fmt::format(".{}.tmp", getpid());
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) {
      const std::string cause = std::strerror(errno);
      std::filesystem::remove(temporary, error);
      return fail(ErrorKind::kWorkFailed, "cannot write {}: {}", temporary.string(), cause);
    }
  }
  std::filesystem::rename(temporary, path, error);
  if (error) {
    const std::string cause = error.message();
    std::filesystem::remove(temporary, error);
    return fail(ErrorKind::kWorkFailed, "cannot replace {}: {}", path.string(), cause);
  }
  return {};
}

}  // namespace warpscope
