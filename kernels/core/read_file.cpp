#include "kernels/core/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpscope {

Expected<ReadableFile> ReadableFile::open(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  ReadableFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (file.fd_ < 0 || ::fstat(file.fd_, &status) != 0) {
    return fail(ErrorKind::kBadRequest, "cannot read {}: {}", path.string(), std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorKind::kBadRequest, "cannot read {}: it is {}", path.string(),
                S_ISDIR(status.st_mode) ? "a folder" : "not a regular file");
  }
  file.bytes_ = static_cast<uint64_t>(status.st_size);
  return file;
}

ReadableFile::~ReadableFile() {
  if (fd_ >= 0) ::close(fd_);
}

Expected<void> ReadableFile::readInto(std::span<std::byte> target, uint64_t offset) const {
  while (!target.empty()) {
    const ssize_t got = ::pread(fd_, target.data(), target.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fail(ErrorKind::kDamagedFile, "reading failed at offset {}: {}", offset, std::strerror(errno));
    }
    if (got == 0) return fail(ErrorKind::kDamagedFile, "it ends at offset {}", offset);
    offset += static_cast<uint64_t>(got);
    target = target.subspan(static_cast<size_t>(got));
  }
  return {};
}

Expected<std::vector<std::byte>> ReadableFile::readAt(uint64_t offset, uint64_t bytes) const {
  // Memory is taken only for what the file has.
  if (offset > bytes_ || bytes > bytes_ - offset) {
    return fail(ErrorKind::kDamagedFile, "it ends at offset {}", bytes_);
  }
  std::vector<std::byte> content(bytes);
  const auto read = readInto(content, offset);
  if (!read) return tl::unexpected(read.error());
  return content;
}

Expected<std::string> readFile(const std::filesystem::path& path, uint64_t most_bytes) {
  const auto file = ReadableFile::open(path);
  if (!file) return tl::unexpected(file.error());
  if (file->bytes() > most_bytes) {
    return fail(ErrorKind::kBadRequest, "cannot read {}: it has {} bytes, and at most {} are read",
                path.string(), file->bytes(), most_bytes);
  }
  std::string content(file->bytes(), '\0');
  const auto read = file->readInto(std::as_writable_bytes(std::span(content)), 0);
  if (!read) return fail(ErrorKind::kBadRequest, "cannot read {}: {}", path.string(), read.error().message);
  return content;
}

}  // namespace warpscope
