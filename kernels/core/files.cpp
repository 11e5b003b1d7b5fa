#include "kernels/core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

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

namespace {

std::filesystem::path temporaryBeside(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  return path.string() + fmt::format(".{}.{}{}", ::getpid(), count++, kTemporaryEnding);
}

// The target of a link, so that the link itself is kept.
std::filesystem::path behindLinks(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

Expected<AtomicFile> AtomicFile::open(const std::filesystem::path& path, Links links) {
  std::error_code error;
  const bool follow = links == Links::kFollow;
  const auto status =
      follow ? std::filesystem::status(path, error) : std::filesystem::symlink_status(path, error);
  if (std::filesystem::is_directory(status)) {
    return fail(ErrorKind::kWorkFailed, "cannot write {}: it is a folder; name a file in it", path.string());
  }
  AtomicFile file;
  file.path_ = path;
  if (follow && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    file.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    if (follow) file.path_ = behindLinks(path);
    // A process with the same id, on another machine or before a reboot, may have left its own file.
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
      file.temporary_ = temporaryBeside(file.path_);
      file.fd_ = ::open(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      if (file.fd_ >= 0 || errno != EEXIST) break;
    }
  }
  if (file.fd_ < 0) {
    const std::string why = std::strerror(errno);
    file.temporary_.clear();
    return fail(ErrorKind::kWorkFailed, "cannot write {}: {}", path.string(), why);
  }
  return file;
}

AtomicFile AtomicFile::standardOutput() {
  AtomicFile file;
  file.path_ = "standard output";
  file.fd_ = ::dup(STDOUT_FILENO);
  if (file.fd_ < 0) file.error_number_ = errno;
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      error_number_(other.error_number_),
      bytes_(other.bytes_) {}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view content) {
  bytes_ += content.size();
  while (!content.empty() && error_number_ == 0) {
    const ssize_t written = ::write(fd_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error_number_ = written < 0 ? errno : ENOSPC;
    } else {
      content.remove_prefix(static_cast<size_t>(written));
    }
  }
}

void AtomicFile::sync() {
  // Pipes and terminals cannot be synchronised.
  if (error_number_ == 0 && !temporary_.empty() && ::fsync(fd_) != 0) error_number_ = errno;
}

Expected<void> AtomicFile::commit() {
  const bool replaces = !temporary_.empty();
  const auto step = [&](bool done) {
    if (!done && error_number_ == 0) error_number_ = errno;
  };
  // A full disk or a network file system may report only here that it could not keep the data.
  if (fd_ >= 0) step(::close(std::exchange(fd_, -1)) == 0);
  if (error_number_ == 0 && replaces) step(::rename(temporary_.c_str(), path_.c_str()) == 0);
  if (error_number_ != 0) {
    return fail(ErrorKind::kWorkFailed, "cannot write {} ({} bytes): {}{}", path_.string(), bytes_,
                std::strerror(error_number_), replaces ? "; what was there before is unchanged" : "");
  }
  temporary_.clear();
  return {};
}

Expected<void> replaceFile(const std::filesystem::path& path, std::string_view content, Links links) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    return fail(ErrorKind::kWorkFailed, "cannot make the folder {}: {}", path.parent_path().string(),
                error.message());
  }
  auto file = AtomicFile::open(path, links);
  if (!file) return tl::unexpected(file.error());
  file->write(content);
  return file->commit();
}

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
