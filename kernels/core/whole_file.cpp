#include "kernels/core/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace warpscope {
namespace {

std::filesystem::path temporaryBeside(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  return path.string() + fmt::format(".{}.{}{}", ::getpid(), count++, kTemporaryEnding);
}

bool writeAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

// A process of the same number, on another machine or before a reboot, may have left its own.
int createTemporary(const std::filesystem::path& path, std::filesystem::path& temporary) {
  constexpr int kTries = 100;
  int fd = -1;
  for (int i = 0; i < kTries; ++i) {
    temporary = temporaryBeside(path);
    fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0 || errno != EEXIST) break;
  }
  return fd;
}

}  // namespace

Expected<void> writeWholeFile(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  // Renaming would put a file in the place of a device such as /dev/full, or of a pipe.
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    return fail(ErrorKind::kWorkFailed, "cannot write {}: it is there and is not a file", path.string());
  }
  std::filesystem::path temporary;
  const int fd = createTemporary(path, temporary);
  if (fd < 0) {
    return fail(ErrorKind::kWorkFailed, "cannot write {}: {}", path.string(), std::strerror(errno));
  }
  bool done = writeAll(fd, bytes) && ::fsync(fd) == 0;
  int why = errno;
  // What a full disk or a network file system could not keep may be told only here.
  if (::close(fd) != 0 && done) {
    done = false;
    why = errno;
  }
  if (done && ::rename(temporary.c_str(), path.c_str()) != 0) {
    done = false;
    why = errno;
  }
  if (done) return {};
  ::unlink(temporary.c_str());
  return fail(ErrorKind::kWorkFailed, "cannot write {} ({} bytes): {}; what was there before is unchanged",
              path.string(), bytes.size(), std::strerror(why));
}

Expected<void> writeWholeFile(const std::filesystem::path& path, std::string_view text) {
  return writeWholeFile(path, std::as_bytes(std::span(text)));
}

}  // namespace warpscope
